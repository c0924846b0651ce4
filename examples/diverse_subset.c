/* SPDX-License-Identifier: MIT */
/* A diverse subset without a policy: 8 of 400 points for a survey, by a k-DPP, compared with points drawn at random.
 *
 * What counts is the variance that a regression has left after it observed the subset: near zero everywhere if the points are
 * spread, large in gaps. The greedy set (no swaps) maximises the determinant; samples vary from seed to seed and stay spread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { POINTS = 400, DIM = 2, K = 8, RUNS = 50, SWAPS = 1000 };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "diverse_subset: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* Mean variance at all points after exact observations of the chosen ones. */
static double variance_left(const tvgp_kernel *kernel, const double *X, const size_t *index, size_t n) {
    double x[K * DIM], y[K] = {0}, var[POINTS], sum = 0;
    tvgp_gp *gp;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < DIM; d++)
            x[i * DIM + d] = X[index[i] * DIM + d];
    check(tvgp_gp_create(ctx, kernel, NULL, 1e-6, &gp));
    check(tvgp_gp_add(gp, n, x, NULL, y, NULL));
    check(tvgp_gp_predict(gp, POINTS, X, 0, NULL, var));
    tvgp_gp_destroy(gp);
    for (size_t i = 0; i < POINTS; i++)
        sum += var[i];
    return sum / POINTS;
}

static void draw_at_random(uint64_t seed, size_t *index) {
    double u[K];
    check(tvgp_random_uniform(seed, 1001, 0, K, u));
    for (size_t i = 0; i < K; i++)
        index[i] = (size_t)(u[i] * POINTS);
}

int main(void) {
    const double lengthscale = 0.3;
    double X[POINTS * DIM], sampled = 0, random = 0;
    size_t index[K], n;
    tvgp_kernel *kernel;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_random_uniform(1, 1000, 0, POINTS * DIM, X));
    check(tvgp_kernel_se(ctx, DIM, 1, 1, &lengthscale, &kernel));
    check(tvgp_kdpp_sample(ctx, kernel, POINTS, X, K, 0, 0, index, &n));
    printf("greedy set:");
    for (size_t i = 0; i < n; i++)
        printf(" (%.2f, %.2f)", X[index[i] * DIM], X[index[i] * DIM + 1]);
    printf("\nvariance left by %d points: greedy %.3f", K, variance_left(kernel, X, index, n));
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        check(tvgp_kdpp_sample(ctx, kernel, POINTS, X, K, SWAPS, seed, index, &n));
        sampled += variance_left(kernel, X, index, n) / RUNS;
        draw_at_random(seed, index);
        random += variance_left(kernel, X, index, K) / RUNS;
    }
    printf(", %d samples %.3f, %d random subsets %.3f\n", RUNS, sampled, RUNS, random);
    tvgp_kernel_destroy(kernel);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
