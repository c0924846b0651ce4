/* SPDX-License-Identifier: MIT */
/* Within-model comparison (Brunzema et al., event-triggered time-varying Bayesian optimisation, table 2): f_1 and every g_t
 * are samples of a Gaussian process with SE kernel (l = 0.2, variance 1) on a 50 x 50 grid of the unit square,
 * f_t = sqrt(1 - eps) f_(t-1) + sqrt(eps) g_t. All policies see the same functions and the same noise. */
#include "exp.h"
#include "experiment.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 50, ARMS = SIDE * SIDE, SAMPLE = EXPERIMENT_OWN };

typedef struct scene {
    double epsilon, told, steps, noise; /* told: the rate the policies believe */
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    double L[SIDE * SIDE]; /* factor along one side; the Gram matrix of the grid is the Kronecker product with itself */
} scene;

static void prepare(scene *s) {
    const double lower[] = {0, 0}, upper[] = {1, 1}, lengthscale = 0.2;
    const size_t points[] = {SIDE, SIDE};
    double x[SIDE];
    tvgp_kernel *along;
    experiment_check(NULL, tvgp_ctx_create(NULL, &s->ctx), "context");
    experiment_check(s->ctx, tvgp_domain_grid(s->ctx, 2, lower, upper, points, &s->domain), "domain");
    experiment_check(s->ctx, tvgp_kernel_se(s->ctx, 2, 1, &lengthscale, 1, &s->kernel), "kernel");
    experiment_check(s->ctx, tvgp_kernel_se(s->ctx, 1, 1, &lengthscale, 1, &along), "kernel");
    for (size_t i = 0; i < SIDE; i++)
        x[i] = (double)i / (SIDE - 1);
    experiment_check(s->ctx, tvgp_kernel_gram(along, SIDE, x, SIDE, x, s->L), "Gram matrix");
    for (size_t i = 0; i < SIDE; i++)
        s->L[i * SIDE + i] += 1e-10; /* it is singular to round-off */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', SIDE, s->L, SIDE) != 0)
        experiment_check(s->ctx, TVGP_ERR_NUMERIC, "factor");
    tvgp_kernel_destroy(along);
}

/* g = L Z L', a sample of the process. */
static void sample(const scene *s, uint64_t seed, uint64_t step, double *g) {
    experiment_check(s->ctx, tvgp_random_normal(seed, SAMPLE, step, ARMS, g), "sample");
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, SIDE, SIDE, 1, s->L, SIDE, g, SIDE);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, SIDE, SIDE, 1, s->L, SIDE, g, SIDE);
}

static double *functions(const scene *s, uint64_t seed) {
    const size_t steps = (size_t)s->steps;
    double *f = experiment_allocate(steps * ARMS, sizeof *f);
    for (size_t t = 0; t < steps; t++) {
        double *now = f + t * ARMS;
        sample(s, seed, t + 1, now);
        for (size_t i = 0; t && i < ARMS; i++)
            now[i] = sqrt(1 - s->epsilon) * now[i - ARMS] + sqrt(s->epsilon) * now[i];
    }
    return f;
}

/* Two values per player, R_T and resets, then R_T of the best constant arm. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const scene *s = user;
    double *f = functions(s, e->seed + r), *regret = experiment_allocate((size_t)s->steps, sizeof *regret);
    const experiment_table table = {.arms = ARMS, .steps = (size_t)s->steps, .f = f, .noise = s->noise, .seed = e->seed + r};
    for (size_t i = 0; i < e->n_players; i++) {
        tvgp_policy *policy = experiment_policy(e, i, s->ctx, s->domain, s->kernel, r);
        experiment_play(&table, s->ctx, policy, regret);
        values[2 * i] = experiment_sum(table.steps, regret);
        values[2 * i + 1] = experiment_stat(policy, "resets");
        tvgp_policy_destroy(policy);
    }
    experiment_constant(&table, regret);
    values[2 * e->n_players] = experiment_sum(table.steps, regret);
    free(regret);
    free(f);
}

static void compare(experiment *e, scene *s, int argc, char **argv) {
    static const char *const players[] = {"tv-gp-ucb", "r-gp-ucb", "gp-ucb", "random", NULL};
    const experiment_number own[] = {
        {"--epsilon", "rate at which the functions drift", &s->epsilon},
        {"--told", "rate the policies are told; negative: the true one", &s->told},
        {"--steps", "actions of a run", &s->steps},
        {"--noise", "noise variance", &s->noise},
    };
    experiment_read(e, argc, argv, players, own, sizeof own / sizeof *own);
    prepare(s);
    /* What all policies are told; the command line wins. */
    char told[3][SETTINGS_KEY_SIZE];
    snprintf(told[0], sizeof told[0], "epsilon=%.17g", s->told < 0 ? s->epsilon : s->told);
    snprintf(told[1], sizeof told[1], "horizon=%.0f", s->steps);
    snprintf(told[2], sizeof told[2], "noise=%.17g", s->noise);
    const char *const defaults[] = {told[0], told[1], told[2], "width.c1=0.4", "width.c2=4"};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        settings_add(&e->defaults, defaults[i]);
    experiment_refuse_unused(e, s->ctx, s->domain, s->kernel);

    const size_t n_values = 2 * e->n_players + 1;
    double *values = experiment_runs(e, run, s, n_values);
    printf("experiment,epsilon,policy,runs,regret,regret_error,resets,resets_error\n");
    for (size_t i = 0; i <= e->n_players; i++) {
        const experiment_mean regret = experiment_mean_of(values, e->runs, n_values, 2 * i);
        printf("%s,%g,%s,%zu,%.2f,%.2f,", e->name, s->epsilon, i < e->n_players ? e->players[i].label : "best constant arm",
               e->runs, regret.mean, regret.error);
        if (i < e->n_players) {
            const experiment_mean resets = experiment_mean_of(values, e->runs, n_values, 2 * i + 1);
            printf("%.3f,%.3f\n", resets.mean, resets.error);
        } else {
            printf(",\n");
        }
    }
    free(values);
    tvgp_kernel_destroy(s->kernel);
    tvgp_domain_destroy(s->domain);
    tvgp_ctx_destroy(s->ctx);
}

void exp_within_model(int argc, char **argv) {
    experiment e = {.name = "within-model", .runs = 100, .processes = 2, .seed = 1};
    scene s = {.epsilon = 0.03, .told = -1, .steps = 400, .noise = 0.02};
    compare(&e, &s, argc, argv);
}

void exp_misspecified(int argc, char **argv) {
    experiment e = {.name = "misspecified", .runs = 100, .processes = 2, .seed = 1};
    scene s = {.epsilon = 0.05, .told = 0.001, .steps = 400, .noise = 0.02};
    compare(&e, &s, argc, argv);
}
