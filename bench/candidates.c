/* SPDX-License-Identifier: MIT */
/* An ask among n candidates in four dimensions from r observations, next to the two dtrmm (r x r on r x n) that bound a
 * candidate and its gradient, in turn; and whether a step of tv-gp-ucb stays as long as it was. CSV of the least of 21
 * repetitions, in processor time. */
#include "experiment.h"
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DIM = 4, MOST = 1000, REPEATS = 21, STEPS = 5000, LIST = 20 };

static double X[MOST * DIM];

static tvgp_policy *open_policy(tvgp_ctx *ctx, const char *name, const char *options) {
    const double lower[DIM] = {0}, upper[DIM] = {1, 1, 1, 1}, l = 0.5;
    tvgp_domain *box;
    tvgp_kernel *kernel;
    tvgp_policy *p;
    experiment_check(ctx, tvgp_domain_box(ctx, DIM, lower, upper, &box), "domain");
    experiment_check(ctx, tvgp_kernel_se(ctx, DIM, 1, 1, &l, &kernel), "kernel");
    experiment_check(ctx, tvgp_policy_create(ctx, name, box, kernel, &p), "policy");
    experiment_check(ctx, tvgp_policy_set(p, options), "options");
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(box);
    return p;
}

/* Other candidates for each step. */
static void draw(uint64_t step, size_t n) {
    experiment_check(NULL, tvgp_random_uniform(1, EXPERIMENT_OWN, step, n * DIM, X), "points");
}

static double value_at(const double *x, double t) {
    return sin(5 * x[0] + 0.02 * t) + cos(4 * x[1]) * x[2] - x[3];
}

/* Seconds of `calls` asks, each cancelled, so that the observations stay those there are. */
static double ask(tvgp_ctx *ctx, tvgp_policy *p, size_t n, int calls) {
    clock_t spent = 0;
    tvgp_query q;
    for (int i = 0; i < calls; i++) {
        const clock_t start = clock();
        experiment_check(ctx, tvgp_policy_set_candidates(p, n, X, NULL), "candidates");
        experiment_check(ctx, tvgp_policy_ask_one(p, 1, &q, NULL), "ask");
        spent += clock() - start;
        const tvgp_obs gone = tvgp_obs_outcome(q.id, TVGP_CANCELLED);
        experiment_check(ctx, tvgp_policy_tell(p, 1, &gone, NULL), "tell");
    }
    return (double)spent / CLOCKS_PER_SEC / calls;
}

static double multiply(size_t r, size_t n, const double *W, double *V, int calls) {
    const clock_t start = clock();
    for (int i = 0; i < 2 * calls; i++)
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, i % 2 ? CblasTrans : CblasNoTrans, CblasNonUnit, (int)r, (int)n, 1,
                    W, (int)r, V, (int)r);
    return (double)(clock() - start) / CLOCKS_PER_SEC / calls;
}

static void measure(tvgp_ctx *ctx, size_t r, size_t n) {
    const int calls = 1 + (int)(4e7 / (double)(n * r * r));
    double least[2] = {INFINITY, INFINITY};
    double *W = experiment_allocate(r * r, sizeof *W), *V = experiment_allocate(r * n, sizeof *V);
    tvgp_policy *p = open_policy(ctx, "gp-ucb", "noise=0.01");
    draw(0, r);
    for (size_t i = 0; i < r; i++) {
        const tvgp_obs o = tvgp_obs_unsolicited(0, value_at(X + i * DIM, 0));
        experiment_check(ctx, tvgp_policy_tell(p, 1, &o, X + i * DIM), "data");
        W[i * (r + 1)] = 1;
    }
    for (uint64_t k = 0; k < REPEATS; k++) {
        draw(k + 1, n);
        least[0] = fmin(least[0], ask(ctx, p, n, calls));
        least[1] = fmin(least[1], multiply(r, n, W, V, calls));
    }
    printf("ask,%zu,%zu,%.2f,%.2f,%.2f\n", r, n, 1e6 * least[0], 1e6 * least[1], least[0] / least[1]);
    tvgp_policy_destroy(p);
    free(W);
    free(V);
}

/* Processor time of steps 1001 to 2000 and of the last 1000. */
static void flat(tvgp_ctx *ctx) {
    tvgp_policy *p = open_policy(ctx, "tv-gp-ucb", "epsilon=0.03");
    double seconds[STEPS / 1000] = {0}, rows = 0;
    for (size_t t = 0; t < STEPS; t++) {
        tvgp_query q;
        draw(t, LIST);
        const clock_t start = clock();
        experiment_check(ctx, tvgp_policy_set_candidates(p, LIST, X, NULL), "candidates");
        experiment_check(ctx, tvgp_policy_ask_one(p, (double)t, &q, NULL), "ask");
        experiment_check(ctx, tvgp_policy_tell_value(p, q.id, value_at(X + q.arm * DIM, (double)t)), "tell");
        seconds[t / 1000] += (double)(clock() - start) / CLOCKS_PER_SEC;
    }
    experiment_check(ctx, tvgp_policy_stat(p, "observations", &rows), "observations");
    printf("flat,%.0f,%d,%.2f,%.2f,%.2f\n", rows, LIST, 1e3 * seconds[STEPS / 1000 - 1], 1e3 * seconds[1],
           seconds[STEPS / 1000 - 1] / seconds[1]);
    tvgp_policy_destroy(p);
}

int main(void) {
    tvgp_ctx *ctx;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    printf("what,rows,candidates,us,us_of_two_products_or_before,ratio\n");
    measure(ctx, 200, 20);
    measure(ctx, 200, MOST);
    measure(ctx, 600, LIST);
    flat(ctx);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
