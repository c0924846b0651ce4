/* SPDX-License-Identifier: MIT */
/* Unknown prior, ten hills (a reconstruction of Ziomek, Adachi, Osborne, sec. 7, whose constants are not published): a grid
 * of 101 points on [0, 1] with the hills of zoo/truth.h. Prior p = 1 .. 10 assumes that hill p has height 2 and the others
 * 1, prior 0 that all have 1; the SE kernel (variance 0.25) is common. The truth is a sample of prior 2. At even times the
 * points within 0.05 of its tall hill are unavailable. A policy that takes no priors is given the true one. */
#include "exp.h"
#include "experiment.h"
#include "zoo/truth.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARMS = 101, PRIORS = ZOO_HILLS + 1, TRUE = 2, SAMPLE = EXPERIMENT_OWN };

typedef struct scene {
    double steps, lengthscale, noise;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    double mean[PRIORS][ARMS];
    double L[ARMS * ARMS]; /* factor of the Gram matrix */
} scene;

static void prepare(scene *s) {
    const double lower = 0, upper = 1;
    const size_t points = ARMS;
    double x[ARMS];
    experiment_check(NULL, tvgp_ctx_create(NULL, &s->ctx), "context");
    experiment_check(s->ctx, tvgp_domain_grid(s->ctx, 1, &lower, &upper, &points, &s->domain), "domain");
    experiment_check(s->ctx, tvgp_kernel_se(s->ctx, 1, 0.25, 1, &s->lengthscale, &s->kernel), "kernel");
    for (size_t i = 0; i < ARMS; i++) {
        x[i] = (double)i / (ARMS - 1);
        for (size_t p = 0; p < PRIORS; p++)
            s->mean[p][i] = zoo_hills(x[i], p);
    }
    experiment_check(s->ctx, tvgp_kernel_gram(s->kernel, ARMS, x, ARMS, x, s->L), "Gram matrix");
    for (size_t i = 0; i < ARMS; i++)
        s->L[i * ARMS + i] += 1e-10; /* it is singular to round-off */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', ARMS, s->L, ARMS) != 0)
        experiment_check(s->ctx, TVGP_ERR_NUMERIC, "factor");
}

static double *functions(const void *user, uint64_t seed) {
    const scene *s = user;
    double sample[ARMS], *f = experiment_allocate((size_t)s->steps * ARMS, sizeof *f);
    experiment_check(s->ctx, tvgp_random_normal(seed, SAMPLE, 0, ARMS, sample), "sample");
    cblas_dtrmv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, ARMS, s->L, ARMS, sample, 1);
    for (size_t t = 1; t <= (size_t)s->steps; t++)
        for (size_t i = 0; i < ARMS; i++) {
            const int near = fabs((double)i / (ARMS - 1) - zoo_hill(TRUE)) <= 0.05;
            f[(t - 1) * ARMS + i] = near && t % 2 == 0 ? NAN : s->mean[TRUE][i] + sample[i];
        }
    return f;
}

static void give_priors(const void *user, tvgp_policy *policy) {
    const scene *s = user;
    for (size_t p = 0; p < PRIORS; p++) {
        const tvgp_status status = tvgp_policy_add_prior(policy, s->kernel, ARMS, s->mean[p], 0);
        if (status == TVGP_ERR_UNSUPPORTED) {
            experiment_check(s->ctx, tvgp_policy_set_prior_mean(policy, ARMS, s->mean[TRUE]), "mean");
            return;
        }
        experiment_check(s->ctx, status, "prior");
    }
}

void exp_hills(int argc, char **argv) {
    static const char *const players[] = {
        "pe-gp-ucb", "fb-gp-ucb", "mle-gp-ucb", "rb-gp-ucb rb.rule=printed", "rb-gp-ucb rb.rule=theory",
        "random",    "gp-ucb",    NULL};
    static const char *const stats[] = {"prior.alive.2", "priors.alive", NULL}; /* of the true one; all */
    experiment e = {.name = "hills", .runs = 200, .processes = 2, .seed = 1};
    scene s = {.steps = 100, .lengthscale = 1, .noise = 1e-4};
    const experiment_number own[] = {{"--steps", "actions of a run", &s.steps},
                                     {"--lengthscale", "of the kernel", &s.lengthscale},
                                     {"--noise", "noise variance", &s.noise}};
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    prepare(&s);
    char known[2][SETTINGS_SIZE], variant[64];
    snprintf(known[0], sizeof known[0], "horizon=%.0f", s.steps);
    snprintf(known[1], sizeof known[1], "noise=%.17g", s.noise);
    settings_add(&e.defaults, known[0]);
    settings_add(&e.defaults, known[1]);
    settings_add(&e.defaults, "width.schedule=prior-finite");
    snprintf(variant, sizeof variant, "l = %g T = %g", s.lengthscale, s.steps);
    const experiment_problem problem = {.ctx = s.ctx,
                                        .domain = s.domain,
                                        .kernel = s.kernel,
                                        .arms = ARMS,
                                        .steps = (size_t)s.steps,
                                        .noise = s.noise,
                                        .functions = functions,
                                        .user = &s,
                                        .prepare = give_priors,
                                        .stats = stats,
                                        .paired = 1};
    experiment_compare(&e, &problem, variant);
    tvgp_kernel_destroy(s.kernel);
    tvgp_domain_destroy(s.domain);
    tvgp_ctx_destroy(s.ctx);
}
