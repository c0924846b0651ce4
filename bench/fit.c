/* SPDX-License-Identifier: MIT */
/* Fits of hyper-parameters: n points in d dimensions, a smooth function and noise, Matern 5/2. Writes them to
 * DIR/fit_N_D.csv (coordinates, then y) for another program to fit, and prints for each size: CPU seconds of a
 * maximum-likelihood fit by tvgp_gp_fit within [1e-3, 1e3] from variance 1, lengthscales 0.5 and noise 0.1, the log marginal
 * likelihood it found, and the time of value and gradient divided by the time of dpotrf and dpotri. The best of several runs.
 * usage: bench_fit DIR */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvgp.h>

enum { RUNS = 5, MOST_DIM = 6 };

static tvgp_ctx *ctx;

static void check(tvgp_status status, const char *what) {
    if (status >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static double *make(size_t n) {
    double *x = malloc(n * sizeof *x);
    if (!x)
        exit(EXIT_FAILURE);
    return x;
}

static double function(size_t d, const double *x) {
    double value = 0;
    for (size_t k = 0; k < d; k++)
        value += sin(6.0 / (double)(k + 1) * x[k] + (double)k);
    return value;
}

/* Points, and values less their mean. */
static void draw(size_t n, size_t d, double *X, double *y) {
    double mean = 0;
    check(tvgp_random_uniform(1, 1000, n, n * d, X), "points");
    check(tvgp_random_normal(2, 1001, n, n, y), "noise");
    for (size_t i = 0; i < n; i++) {
        y[i] = function(d, X + i * d) + 0.2 * y[i];
        mean += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        y[i] -= mean;
}

static void save(const char *dir, size_t n, size_t d, const double *X, const double *y) {
    char path[512];
    snprintf(path, sizeof path, "%s/fit_%zu_%zu.csv", dir, n, d);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++)
            fprintf(file, "%.17g,", X[i * d + k]);
        fprintf(file, "%.17g\n", y[i]);
    }
    fclose(file);
}

static tvgp_gp *start(size_t n, size_t d, const double *X, const double *y) {
    const double lengthscale[MOST_DIM] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    tvgp_kernel *kernel = NULL;
    tvgp_gp *gp = NULL;
    check(tvgp_kernel_matern(ctx, d, 2.5, 1, d, lengthscale, &kernel), "kernel");
    check(tvgp_gp_create(ctx, kernel, NULL, 0.1, &gp), "gp");
    check(tvgp_gp_add(gp, n, X, NULL, y, NULL), "data");
    tvgp_kernel_destroy(kernel);
    return gp;
}

static double fit_seconds(size_t n, size_t d, const double *X, const double *y, double *evidence) {
    double lower[MOST_DIM + 2], upper[MOST_DIM + 2], best = INFINITY;
    for (size_t i = 0; i < d + 2; i++) {
        lower[i] = 1e-3;
        upper[i] = 1e3;
    }
    for (int run = 0; run < RUNS; run++) {
        tvgp_gp *gp = start(n, d, X, y);
        const double begun = cpu_seconds();
        check(tvgp_gp_fit(gp, lower, upper, 1000, evidence), "fit");
        best = fmin(best, cpu_seconds() - begun);
        tvgp_gp_destroy(gp);
    }
    return best;
}

static double gradient_seconds(size_t n, size_t d, const double *X, const double *y) {
    double gradient[MOST_DIM + 2], value, best = INFINITY;
    tvgp_gp *gp = start(n, d, X, y);
    for (int run = 0; run < 4 * RUNS; run++) {
        const double begun = cpu_seconds();
        check(tvgp_gp_log_marginal_likelihood_gradient(gp, &value, gradient), "gradient");
        best = fmin(best, cpu_seconds() - begun);
    }
    tvgp_gp_destroy(gp);
    return best;
}

/* dpotrf and dpotri of the same Gram matrix. */
static double lapack_seconds(size_t n, size_t d, const double *X) {
    double *K = make(n * n), *A = make(n * n), best = INFINITY;
    const double lengthscale = 0.5;
    tvgp_kernel *kernel = NULL;
    check(tvgp_kernel_matern(ctx, d, 2.5, 1, 1, &lengthscale, &kernel), "kernel");
    check(tvgp_kernel_gram(kernel, n, X, n, X, K), "Gram matrix");
    for (size_t i = 0; i < n; i++)
        K[i * (n + 1)] += 0.1;
    for (int run = 0; run < 4 * RUNS; run++) {
        memcpy(A, K, n * n * sizeof *A);
        const double begun = cpu_seconds();
        (void)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, A, (int)n);
        (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (int)n, A, (int)n);
        best = fmin(best, cpu_seconds() - begun);
    }
    tvgp_kernel_destroy(kernel);
    free(K);
    free(A);
    return best;
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {50, 200, 500, 1000}, dims[] = {1, 6};
    if (argc != 2) {
        fprintf(stderr, "usage: bench_fit DIR\n");
        return 2;
    }
    check(tvgp_ctx_create(NULL, &ctx), "context");
    printf("n,d,fit_seconds,log_marginal_likelihood,gradient_over_lapack\n");
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 4; i++) {
            const size_t n = sizes[i], d = dims[k];
            double *X = make(n * d), *y = make(n), evidence = 0;
            draw(n, d, X, y);
            save(argv[1], n, d, X, y);
            const double fit = fit_seconds(n, d, X, y, &evidence);
            printf("%zu,%zu,%.6f,%.9f,%.3f\n", n, d, fit, evidence, gradient_seconds(n, d, X, y) / lapack_seconds(n, d, X));
            fflush(stdout);
            free(X);
            free(y);
        }
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
