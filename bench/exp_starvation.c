/* SPDX-License-Identifier: MIT */
/* Variance starvation (Calandriello et al. 2019, sec. 3.2): arms on the line [0, 1], observations in its left half only. The
 * posterior sd by the exact posterior, by bkb, and by the subset of regressors (Quinonero-Candela and Rasmussen 2005, sec.
 * 4.1), which keeps of the prior what its dictionary spans: var = k_S' (K_S + K_SU K_US / noise)^-1 k_S, with every observed
 * arm in S. The values do not matter: they are 0. */
#include "exp.h"
#include "experiment.h"
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARMS = 1001, SHOWN = 25, PLACES = EXPERIMENT_OWN }; /* every 25th arm is printed */

typedef struct scene {
    double lengthscale, noise;
    double X[ARMS];
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} scene;

static double covariance(const scene *s, size_t i, size_t j) {
    const double apart = (s->X[i] - s->X[j]) / s->lengthscale;
    return exp(-0.5 * apart * apart);
}

/* L y = b for the row-major lower triangle L of order n in rows of length ld. */
static void forward(size_t n, size_t ld, const double *L, double *b) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            b[i] -= L[i * ld + j] * b[j];
        b[i] /= L[i * ld + i];
    }
}

/* |L_W^-1 b(x)|^2 with b(x) = L_S^-1 k_S(x), W = I + sum b b' / noise, of the n observed arms that span. */
static void regressors(const scene *s, size_t n, const size_t *observed, double *sd) {
    double *K = experiment_allocate(n * n, sizeof *K), *W = experiment_allocate(n * n, sizeof *W),
           *b = experiment_allocate(n, sizeof *b);
    lapack_int *pivot = experiment_allocate(n, sizeof *pivot), rank;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            K[i * n + j] = covariance(s, observed[i], observed[j]);
    (void)LAPACKE_dpstrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)n, K, (lapack_int)n, pivot, &rank, 1e-15);
    const size_t r = (size_t)rank;
    for (size_t i = 0; i < r; i++)
        W[i * r + i] = 1;
    for (size_t u = 0; u < n; u++) {
        for (size_t i = 0; i < r; i++)
            b[i] = covariance(s, observed[pivot[i] - 1], observed[u]);
        forward(r, n, K, b);
        for (size_t i = 0; i < r * r; i++)
            W[i] += b[i / r] * b[i % r] / s->noise;
    }
    (void)LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', rank, W, rank);
    for (size_t x = 0; x < ARMS; x += SHOWN) {
        double var = 0;
        for (size_t i = 0; i < r; i++)
            b[i] = covariance(s, observed[pivot[i] - 1], x);
        forward(r, n, K, b);
        forward(r, r, W, b);
        for (size_t i = 0; i < r; i++)
            var += b[i] * b[i];
        sd[x / SHOWN] = sqrt(var);
    }
    free(pivot);
    free(b);
    free(W);
    free(K);
}

/* Observations are given one at a time, as bkb draws after each. */
static void by_policy(experiment *e, size_t player, const scene *s, size_t n, const size_t *observed, double *sd) {
    tvgp_policy *policy = experiment_policy(e, player, s->ctx, s->domain, s->kernel, 0);
    for (size_t i = 0; i < n; i++) {
        const tvgp_obs o = {.flags = TVGP_OBS_HAS_TIME, .t = (double)i + 1};
        experiment_check(s->ctx, tvgp_policy_tell(policy, 1, &o, &s->X[observed[i]]), "tell");
    }
    for (size_t x = 0; x < ARMS; x += SHOWN) {
        double mean, var;
        experiment_check(s->ctx, tvgp_policy_predict(policy, (double)n, 1, &s->X[x], &mean, &var), "predict");
        sd[x / SHOWN] = sqrt(var);
    }
    tvgp_policy_destroy(policy);
}

static void compare(experiment *e, const scene *s, size_t n, const size_t *observed) {
    enum { LINES = ARMS / SHOWN + 1 };
    double(*sd)[LINES] = experiment_allocate(e->n_players + 1, sizeof *sd);
    for (size_t i = 0; i < e->n_players; i++)
        by_policy(e, i, s, n, observed, sd[i]);
    regressors(s, n, observed, sd[e->n_players]);
    for (size_t line = 0; line < LINES; line++) {
        printf("%zu,%.3f", n, s->X[line * SHOWN]);
        for (size_t i = 0; i <= e->n_players; i++)
            printf(",%.6g", sd[i][line]);
        printf("\n");
    }
    free(sd);
}

void exp_starvation(int argc, char **argv) {
    static const char *const players[] = {"gp-ucb", "bkb qbar=1e9", "bkb qbar=2", NULL};
    static const size_t counts[] = {6, 63, 215};
    experiment e = {.name = "starvation", .runs = 1, .processes = 1, .seed = 1};
    scene s = {.lengthscale = 0.1, .noise = 0.01};
    const experiment_number own[] = {{"--lengthscale", "of the SE kernel", &s.lengthscale},
                                     {"--noise", "noise variance", &s.noise}};
    static char known[SETTINGS_SIZE]; /* kept by the settings */
    double places[215];
    size_t observed[215];
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    snprintf(known, sizeof known, "noise=%.17g", s.noise);
    settings_add(&e.defaults, known);
    for (size_t i = 0; i < ARMS; i++)
        s.X[i] = (double)i / (ARMS - 1);
    experiment_check(NULL, tvgp_random_uniform(e.seed, PLACES, 0, 215, places), "random numbers");
    for (size_t i = 0; i < 215; i++)
        observed[i] = (size_t)(places[i] * ARMS / 2);
    experiment_check(NULL, tvgp_ctx_create(NULL, &s.ctx), "context");
    experiment_check(s.ctx, tvgp_domain_arms(s.ctx, ARMS, 1, s.X, &s.domain), "arms");
    experiment_check(s.ctx, tvgp_kernel_se(s.ctx, 1, 1, 1, &s.lengthscale, &s.kernel), "kernel");
    experiment_refuse_unused(&e, s.ctx, s.domain, s.kernel);
    printf("observations,x");
    for (size_t i = 0; i < e.n_players; i++)
        printf(",%s", e.players[i].label);
    printf(",subset of regressors\n");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        compare(&e, &s, counts[i], observed);
    tvgp_kernel_destroy(s.kernel);
    tvgp_domain_destroy(s.domain);
    tvgp_ctx_destroy(s.ctx);
}
