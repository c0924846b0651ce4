/* SPDX-License-Identifier: MIT */
/* Functions that change abruptly or slowly, in the spirit of Deng et al. 2022 (their objectives are not published; these are
 * ours). h_1 .. h_5 are orthonormal functions of zoo/truth.h, random combinations; 100 arms on [0, 1]. With |f_t| = B in the norm of
 * their Hilbert space throughout,
 *   abrupt  f_t = B h_i, i = 1 .. 5 for a fifth of the run each:                    budget 4 sqrt(2) B
 *   slow    f_t = B (cos(a) h_1 + sin(a) h_2), a from 0 to pi over the run:         budget 2 (T - 1) sin(pi / (2 (T - 1))) B
 * The policies are given B, the budget, the horizon, the noise and the information gain after T greedy observations. */
#include "exp.h"
#include "experiment.h"
#include "zoo/truth.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARMS = 100, PIECES = 5, COEFFICIENTS = EXPERIMENT_OWN + 1 };

static const double pi = 3.14159265358979323846;

typedef struct scene {
    int slow;
    double steps, noise, bound;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} scene;

static void prepare(scene *s) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    experiment_check(NULL, tvgp_ctx_create(NULL, &s->ctx), "context");
    experiment_check(s->ctx, tvgp_domain_grid(s->ctx, 1, &lower, &upper, &points, &s->domain), "domain");
    experiment_check(s->ctx, tvgp_kernel_se(s->ctx, 1, 1, 1, &lengthscale, &s->kernel), "kernel");
}

/* Largest uncertainty first, T times: the greedy estimate of the maximal information gain. */
static double information_gain(const scene *s) {
    tvgp_policy *p;
    tvgp_query q;
    double gain;
    experiment_check(s->ctx, tvgp_policy_create(s->ctx, "gp-ucb", s->domain, s->kernel, &p), "gain");
    experiment_check(s->ctx, tvgp_policy_set_f64(p, "noise", s->noise), "gain");
    for (double t = 1; t <= s->steps; t++) { /* only zeros are observed, the mean stays zero */
        experiment_check(s->ctx, tvgp_policy_ask_one(p, t, &q, NULL), "gain");
        experiment_check(s->ctx, tvgp_policy_tell_value(p, q.id, 0), "gain");
    }
    gain = experiment_stat(p, "information_gain");
    tvgp_policy_destroy(p);
    return gain;
}

static double budget(const scene *s) {
    if (!s->slow)
        return (PIECES - 1) * sqrt(2) * s->bound;
    return s->steps > 1 ? 2 * (s->steps - 1) * sin(pi / (2 * (s->steps - 1))) * s->bound : 0;
}

static double *functions(const void *user, uint64_t seed) {
    const scene *s = user;
    const size_t steps = (size_t)s->steps;
    double a[PIECES * ZOO_CENTRES], h[PIECES * ARMS], *f = experiment_allocate(steps * ARMS, sizeof *f);
    experiment_check(s->ctx, tvgp_random_normal(seed, COEFFICIENTS, 0, (size_t)PIECES * ZOO_CENTRES, a), "coefficients");
    zoo_orthonormal(PIECES, a);
    for (size_t k = 0; k < PIECES * ARMS; k++)
        h[k] = zoo_combination(a + k / ARMS * ZOO_CENTRES, (double)(k % ARMS) / (ARMS - 1));
    for (size_t k = 0; k < steps * ARMS; k++) {
        const size_t t = k / ARMS, i = k % ARMS;
        const double angle = s->slow && steps > 1 ? pi * (double)t / (s->steps - 1) : 0;
        f[k] = s->bound * (s->slow ? cos(angle) * h[i] + sin(angle) * h[ARMS + i] : h[t * PIECES / steps * ARMS + i]);
    }
    return f;
}

static void compare(const char *name, int slow, int argc, char **argv) {
    static const char *const players[] = {"br-gp-ucb", "br-gp-ucb width.schedule=log",
                                          "sw-gp-ucb", "sw-gp-ucb width.schedule=log",
                                          "w-gp-ucb",  "ui-gp-ucb",
                                          "tv-gp-ucb", "r-gp-ucb",
                                          "et-gp-ucb", "gp-ucb",
                                          "igp-ucb",   "random",
                                          NULL};
    experiment e = {.name = name, .runs = 100, .processes = 2, .seed = 1};
    scene s = {.slow = slow, .steps = 500, .noise = 0.01, .bound = 2};
    const experiment_number own[] = {
        {"--steps", "actions of a run", &s.steps},
        {"--noise", "noise variance", &s.noise},
        {"--bound", "norm of the functions", &s.bound},
    };
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    prepare(&s);
    char known[5][SETTINGS_SIZE], variant[SETTINGS_SIZE];
    snprintf(known[0], sizeof known[0], "horizon=%.0f", s.steps);
    snprintf(known[1], sizeof known[1], "noise=%.17g", s.noise);
    snprintf(known[2], sizeof known[2], "width.bound=%.17g", s.bound);
    snprintf(known[3], sizeof known[3], "information_gain=%.17g", information_gain(&s));
    snprintf(known[4], sizeof known[4], "variation_budget=%.17g", budget(&s));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        settings_add(&e.defaults, known[i]);
    const experiment_problem problem = {.ctx = s.ctx,
                                        .domain = s.domain,
                                        .kernel = s.kernel,
                                        .arms = ARMS,
                                        .steps = (size_t)s.steps,
                                        .noise = s.noise,
                                        .functions = functions,
                                        .user = &s};
    snprintf(variant, sizeof variant, "variation_budget=%.4g", budget(&s));
    experiment_compare(&e, &problem, variant);
    tvgp_kernel_destroy(s.kernel);
    tvgp_domain_destroy(s.domain);
    tvgp_ctx_destroy(s.ctx);
}

void exp_abrupt(int argc, char **argv) {
    compare("abrupt", 0, argc, argv);
}

void exp_slow(int argc, char **argv) {
    compare("slow", 1, argc, argv);
}
