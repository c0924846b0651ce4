/* SPDX-License-Identifier: MIT */
/* What bkb's theorem promises (Calandriello et al. 2019, thm 1), looked at while it plays: with alpha = (1 + accuracy) / (1 -
 * accuracy), the variance is within a factor alpha of the exact posterior's at every arm, and the dictionary holds at most
 * 3 (1 + kappa^2 / lambda) alpha qbar d_eff pulls, d_eff = sum over pulls of the exact variance / lambda. qbar=0 is the
 * theorem's qbar. The exact posterior is gp-ucb, with the same settings. --curve 1: sizes, bound, d_eff and the exact posterior's information gain
 * at twelve steps. */
#include "exp.h"
#include "experiment.h"
#include "features.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 2, EVERY = 25, LOOKS = 12, POINTS = EXPERIMENT_OWN };
enum { EXTREMES = 4, CURVE = 4, VALUES = EXTREMES + LOOKS * CURVE }; /* see look */

typedef struct scene {
    double arms, steps, lengthscale, noise;
    double *X;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} scene;

/* values: lowest and highest ratio of variances so far, dictionary, its size over the bound (the largest so far). point: dictionary,
 * bound, effective dimension, information gain. */
static void look(const scene *s, tvgp_policy *policy, tvgp_policy *exact, double t, const size_t *pulls, double *values,
                 double *point) {
    const size_t n = (size_t)s->arms;
    double *mean = experiment_allocate(3 * n, sizeof *mean), *var = mean + n, *exact_var = var + n, dimension = 0;
    const double alpha = 3, variance = 1; /* of accuracy 1/2, and the kernel's */
    experiment_check(s->ctx, tvgp_policy_predict(policy, t, n, s->X, mean, var), "predict");
    experiment_check(s->ctx, tvgp_policy_predict(exact, t, n, s->X, mean, exact_var), "predict");
    for (size_t i = 0; i < n; i++) {
        values[0] = fmin(values[0], var[i] / exact_var[i]);
        values[1] = fmax(values[1], var[i] / exact_var[i]);
        dimension += (double)pulls[i] * exact_var[i] / s->noise;
    }
    values[2] = experiment_stat(policy, "dictionary.size");
    const double bound = 3 * (1 + variance / s->noise) * alpha * experiment_stat(policy, "qbar") * dimension;
    values[3] = fmax(values[3], values[2] / bound);
    point[0] = values[2];
    point[1] = bound;
    point[2] = dimension;
    point[3] = experiment_stat(exact, "information_gain");
    free(mean);
}

static void play(const scene *s, tvgp_policy *policy, tvgp_policy *exact, const double *f, const double *noise,
                 double *values) {
    size_t *pulls = experiment_allocate((size_t)s->arms, sizeof *pulls);
    values[0] = INFINITY;
    values[1] = values[3] = 0;
    for (size_t t = 1; t <= (size_t)s->steps; t++) {
        tvgp_query q;
        experiment_check(s->ctx, tvgp_policy_ask_one(policy, (double)t, &q, NULL), "ask");
        const tvgp_obs o = {.flags = TVGP_OBS_HAS_TIME, .t = (double)t, .y = f[q.arm] + sqrt(s->noise) * noise[t - 1]};
        experiment_check(s->ctx, tvgp_policy_tell_value(policy, q.id, o.y), "tell");
        experiment_check(s->ctx, tvgp_policy_tell(exact, 1, &o, s->X + DIM * q.arm), "tell");
        pulls[q.arm]++;
        if (t % EVERY == 0)
            look(s, policy, exact, (double)t, pulls, values,
                 values + EXTREMES + CURVE * (t / EVERY <= LOOKS ? t / EVERY - 1 : LOOKS - 1));
    }
    free(pulls);
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const scene *s = user;
    const size_t arms = (size_t)s->arms, steps = (size_t)s->steps;
    double *f = experiment_allocate(arms + steps, sizeof *f), *noise = f + arms;
    experiment_check(NULL, features_draw(e->seed + r, s->lengthscale, arms, DIM, s->X, f), "function");
    experiment_check(NULL, tvgp_random_normal(e->seed + r, EXPERIMENT_NOISE, 0, steps, noise), "random numbers");
    for (size_t i = 1; i < e->n_players; i++) {
        tvgp_policy *exact = experiment_policy(e, 0, s->ctx, s->domain, s->kernel, r);
        tvgp_policy *policy = experiment_policy(e, i, s->ctx, s->domain, s->kernel, r);
        play(s, policy, exact, f, noise, values + VALUES * i);
        tvgp_policy_destroy(policy);
        tvgp_policy_destroy(exact);
    }
    free(f);
}

static void report(const experiment *e, const double *values) {
    printf("policy,runs,lowest_ratio,highest_ratio,dictionary.size,share_of_bound\n");
    for (size_t i = 1; i < e->n_players; i++) {
        double lowest = INFINITY, highest = 0, share = 0;
        for (size_t r = 0; r < e->runs; r++) {
            const double *v = values + VALUES * (e->n_players * r + i);
            lowest = fmin(lowest, v[0]);
            highest = fmax(highest, v[1]);
            share = fmax(share, v[3]);
        }
        printf("%s,%zu,%.3g,%.3g,%.1f,%.3g\n", e->players[i].label, e->runs, lowest, highest,
               experiment_mean_of(values, e->runs, VALUES * e->n_players, VALUES * i + 2).mean, share);
    }
}

static void report_curve(const experiment *e, const scene *s, const double *values) {
    printf("policy,runs,step,dictionary.size,bound,effective_dimension,information_gain\n");
    for (size_t i = 1; i < e->n_players; i++)
        for (size_t k = 0; k < LOOKS && (k + 1) * EVERY <= (size_t)s->steps; k++) {
            printf("%s,%zu,%zu", e->players[i].label, e->runs, (k + 1) * EVERY);
            for (size_t v = 0; v < CURVE; v++)
                printf(
                    ",%.2f",
                    experiment_mean_of(values, e->runs, VALUES * e->n_players, VALUES * i + EXTREMES + CURVE * k + v).mean);
            printf("\n");
        }
}

void exp_bkb_bounds(int argc, char **argv) {
    static const char *const players[] = {"gp-ucb", "bkb qbar=0", "bkb qbar=2", NULL};
    experiment e = {.name = "bkb-bounds", .runs = 20, .processes = 1, .seed = 1};
    scene s = {.arms = 400, .steps = 300, .lengthscale = 0.2, .noise = 0.01};
    double curve = 0;
    const experiment_number own[] = {{"--arms", "number of arms", &s.arms},
                                     {"--steps", "actions of a run", &s.steps},
                                     {"--lengthscale", "of the SE kernel", &s.lengthscale},
                                     {"--noise", "noise variance, bkb's lambda", &s.noise},
                                     {"--curve", "1: the bound as a curve", &curve}};
    static char known[2][SETTINGS_SIZE]; /* kept by the settings */
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    snprintf(known[0], sizeof known[0], "noise=%.17g", s.noise);
    snprintf(known[1], sizeof known[1], "horizon=%.0f", s.steps);
    settings_add(&e.defaults, known[0]);
    settings_add(&e.defaults, known[1]);
    settings_add(&e.defaults, "dictionary.exact=off"); /* the dictionary is what is looked at */
    s.X = experiment_allocate((size_t)(s.arms * DIM), sizeof *s.X);
    experiment_check(NULL, tvgp_random_uniform(e.seed, POINTS, 0, (size_t)(s.arms * DIM), s.X), "random numbers");
    experiment_check(NULL, tvgp_ctx_create(NULL, &s.ctx), "context");
    experiment_check(s.ctx, tvgp_domain_arms(s.ctx, (size_t)s.arms, DIM, s.X, &s.domain), "arms");
    experiment_check(s.ctx, tvgp_kernel_se(s.ctx, DIM, 1, 1, &s.lengthscale, &s.kernel), "kernel");
    experiment_refuse_unused(&e, s.ctx, s.domain, s.kernel);
    double *values = experiment_runs(&e, run, &s, VALUES * e.n_players);
    if (curve > 0)
        report_curve(&e, &s, values);
    else
        report(&e, values);
    free(values);
    free(s.X);
    tvgp_kernel_destroy(s.kernel);
    tvgp_domain_destroy(s.domain);
    tvgp_ctx_destroy(s.ctx);
}
