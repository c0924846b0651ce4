/* SPDX-License-Identifier: MIT */
/* tvgp_kdpp_sample against plain forms of the same chain (Mauduit, Berthier, Simonetto 2025, alg. 2): n uniform points of
 * the unit square, SE kernel with lengthscale 0.2, greedy start. CSV: what, seconds of the processor (minimum and median),
 * us per swap, log det.
 *
 *   plain   algorithm 2 as printed: det K_Z and det K_Z' at every swap, by LU, rows and columns taken from a table of K
 *   fresh   the same by Cholesky, K_Z from the library's vectorised kernel
 *   bare    the inverse of K_Z kept, in plain loops that the compiler makes of what the build says, without any check
 *   lazy    fresh, with det K_Z kept and the half of the swaps that the factor 1/2 refuses not looked at
 *
 * The start is the greedy set for all; times_library_swaps leaves it out on the library's side too.
 *
 * usage: bench_kdpp [n [k [swaps [repetitions]]]]    defaults 2000 50 10000 7 */
#include "samples.h"
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

typedef struct problem {
    size_t n, k;
    int64_t swaps;
    tvgp_ctx *ctx;
    tvgp_kernel *kernel;
    double *X;
    size_t *start, *set; /* k each */
    double *K;           /* k x k */
    double *table;       /* n x n */
    lapack_int *pivot;   /* k */
    double *Z;           /* k x 2 */
    size_t stride;       /* k rounded up to 8 */
    double *G, *row;     /* k x stride, 3 x stride */
} problem;

static void check(const problem *p, tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "bench_kdpp: %s\n", tvgp_ctx_errmsg(p->ctx));
    exit(EXIT_FAILURE);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        exit(EXIT_FAILURE);
    return memory;
}

/* log det of K over the set; -infinity when it is not positive definite in double precision */
static double log_det(const problem *p, const size_t *set) {
    double sum = 0;
    for (size_t i = 0; i < p->k; i++)
        memcpy(p->Z + 2 * i, p->X + 2 * set[i], 2 * sizeof *p->Z);
    check(p, tvgp_kernel_gram(p->kernel, p->k, p->Z, p->k, p->Z, p->K));
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)p->k, p->K, (lapack_int)p->k))
        return -INFINITY;
    for (size_t i = 0; i < p->k; i++)
        sum += 2 * log(p->K[i * (p->k + 1)]);
    return sum;
}

/* The same from the table by LU. */
static double log_det_lu(const problem *p, const size_t *set) {
    double sum = 0;
    for (size_t i = 0; i < p->k; i++)
        for (size_t j = 0; j < p->k; j++)
            p->K[i * p->k + j] = p->table[set[i] * p->n + set[j]];
    const lapack_int k = (lapack_int)p->k;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, p->K, k, p->pivot))
        return -INFINITY;
    for (size_t i = 0; i < p->k; i++)
        sum += log(fabs(p->K[i * (p->k + 1)]));
    return sum;
}

static size_t below(double uniform, size_t n) {
    return (size_t)(uniform * (double)n);
}

static int contains(const problem *p, size_t point) {
    for (size_t i = 0; i < p->k; i++)
        if (p->set[i] == point)
            return 1;
    return 0;
}

static void run(const problem *p, double (*determinant)(const problem *, const size_t *), int lazy, const double *u) {
    memcpy(p->set, p->start, p->k * sizeof *p->set);
    double kept = determinant(p, p->set);
    for (int64_t step = 0; step < p->swaps; step++, u += 3) {
        if (lazy && u[2] >= 0.5)
            continue;
        size_t slot = below(u[0], p->k), point = below(u[1], p->n), old = p->set[slot];
        while (contains(p, point))
            point = (point + 1) % p->n;
        double before = lazy ? kept : determinant(p, p->set);
        p->set[slot] = point;
        double after = determinant(p, p->set);
        if (u[2] < 0.5 * fmin(1, exp(after - before)))
            kept = after;
        else
            p->set[slot] = old;
    }
}

/* row = k(x, Z), b = G row, G the inverse, all of p->stride columns. */
static double bare_product(const problem *p, const double *x) {
    double *row = p->row, *b = row + p->stride, dot = 0;
    for (size_t j = 0; j < p->k; j++) {
        const double dx = (x[0] - p->Z[2 * j]) / 0.2, dy = (x[1] - p->Z[2 * j + 1]) / 0.2;
        row[j] = -0.5 * (dx * dx + dy * dy);
    }
    for (size_t j = 0; j < p->k; j++)
        row[j] = exp(row[j]);
    memset(b, 0, p->stride * sizeof *b);
    for (size_t j = 0; j < p->k; j++)
        for (size_t i = 0; i < p->stride; i++)
            b[i] += p->G[j * p->stride + i] * row[j];
    for (size_t j = 0; j < p->k; j++)
        dot += row[j] * b[j];
    return dot;
}

/* Member r gives way to a point that has variance `given` next to the others: the inverse after bare_product. */
static void bare_replace(const problem *p, size_t r, double given) {
    double *b = p->row + p->stride, *g = b + p->stride;
    memcpy(g, p->G + r * p->stride, p->stride * sizeof *g);
    const double own = g[r], shift = b[r] / own;
    for (size_t i = 0; i < p->stride; i++)
        b[i] -= shift * g[i];
    b[r] = -1;
    for (size_t j = 0; j < p->k; j++)
        for (size_t i = 0; i < p->stride; i++)
            p->G[j * p->stride + i] += b[i] * b[j] / given - g[i] * g[j] / own;
}

static void run_bare(const problem *p, const double *u) {
    memcpy(p->set, p->start, p->k * sizeof *p->set);
    (void)log_det(p, p->set);
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)p->k, p->K, (lapack_int)p->k);
    for (size_t j = 0; j < p->k; j++)
        for (size_t i = 0; i < p->k; i++)
            p->G[j * p->stride + i] = p->K[i > j ? j * p->k + i : i * p->k + j];
    for (int64_t step = 0; step < p->swaps; step++, u += 3) {
        if (u[2] >= 0.5)
            continue;
        size_t slot = below(u[0], p->k), point = below(u[1], p->n);
        while (contains(p, point))
            point = (point + 1) % p->n;
        const double dot = bare_product(p, p->X + 2 * point), own = 1 / p->G[slot * (p->stride + 1)];
        const double b = p->row[p->stride + slot], given = 1 - dot + b * b * own;
        if (u[2] * own >= 0.5 * given)
            continue;
        bare_replace(p, slot, given);
        p->set[slot] = point;
        memcpy(p->Z + 2 * slot, p->X + 2 * point, 2 * sizeof *p->Z);
    }
}

static void sample(const problem *p, int64_t swaps, uint64_t seed, size_t *set) {
    size_t found;
    check(p, tvgp_kdpp_sample(p->ctx, p->kernel, p->n, p->X, p->k, (size_t)swaps, seed, set, &found));
    if (found == p->k)
        return;
    fprintf(stderr, "bench_kdpp: rank %zu is below k = %zu\n", found, p->k);
    exit(EXIT_FAILURE);
}

enum { LIBRARY, GREEDY, BARE, LAZY, FRESH, PLAIN, METHODS };
static const char *const names[METHODS] = {"library", "library, greedy start alone", "bare", "lazy", "fresh", "plain"};

static double measure(const problem *p, int method, uint64_t seed, double *u) {
    check(p, tvgp_random_uniform(seed, 1000, 0, 3 * (size_t)p->swaps, u));
    const clock_t start = clock();
    if (method == LIBRARY || method == GREEDY)
        sample(p, method == LIBRARY ? p->swaps : 0, seed, p->set);
    else if (method == BARE)
        run_bare(p, u);
    else
        run(p, method == PLAIN ? log_det_lu : log_det, method == LAZY, u);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv) {
    const double lengthscale = 0.2;
    size_t given[4] = {2000, 50, 10000, 7};
    for (int i = 1; i < argc && i <= 4; i++)
        given[i - 1] = (size_t)strtoull(argv[i], NULL, 10);
    problem p = {.n = given[0], .k = given[1], .swaps = (int64_t)given[2]};
    const size_t repetitions = given[3];
    p.X = allocate(2 * p.n, sizeof *p.X);
    p.start = allocate(2 * p.k, sizeof *p.start);
    p.set = p.start + p.k;
    p.K = allocate(p.k * p.k + 2 * p.k, sizeof *p.K);
    p.Z = p.K + p.k * p.k;
    p.stride = (p.k + 7) / 8 * 8;
    p.G = allocate((p.k + 3) * p.stride, sizeof *p.G);
    p.row = p.G + p.k * p.stride;
    p.pivot = allocate(p.k, sizeof *p.pivot);
    p.table = allocate(p.n * p.n, sizeof *p.table);
    double *u = allocate(3 * given[2] + METHODS * repetitions, sizeof *u), *seconds = u + 3 * given[2];
    check(&p, tvgp_ctx_create(NULL, &p.ctx));
    check(&p, tvgp_kernel_se(p.ctx, 2, 1, 1, &lengthscale, &p.kernel));
    check(&p, tvgp_random_uniform(1, 1001, 0, 2 * p.n, p.X));
    check(&p, tvgp_kernel_gram(p.kernel, p.n, p.X, p.n, p.X, p.table));
    sample(&p, 0, 0, p.start);

    double sum[METHODS] = {0};
    for (size_t r = 0; r < repetitions; r++) /* side by side, so that all meet the same load */
        for (int method = 0; method < METHODS; method++) {
            seconds[(size_t)method * repetitions + r] = measure(&p, method, r + 1, u);
            sum[method] += log_det(&p, p.set);
        }
    for (int method = 0; method < METHODS; method++)
        samples_sort(seconds + (size_t)method * repetitions, repetitions);
    const double chain = seconds[0] - seconds[GREEDY * repetitions];
    printf("method,seconds_min,seconds_median,us_per_swap,log_det_mean,times_library,times_library_swaps\n");
    for (int method = 0; method < METHODS; method++) {
        const double *s = seconds + (size_t)method * repetitions;
        printf("\"%s\",%.6f,%.6f,%.4f,%.4f,%.1f,%.1f\n", names[method], s[0], s[repetitions / 2],
               1e6 * s[0] / (double)p.swaps, sum[method] / (double)repetitions, s[0] / seconds[0], s[0] / chain);
    }
    tvgp_kernel_destroy(p.kernel);
    tvgp_ctx_destroy(p.ctx);
    free(u);
    free(p.table);
    free(p.pivot);
    free(p.K);
    free(p.G);
    free(p.start);
    free(p.X);
    return EXIT_SUCCESS;
}
