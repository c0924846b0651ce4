/* SPDX-License-Identifier: MIT */
/* What the machine's BLAS reaches, as CSV: dgemv in GB/s of matrix read, from cache to main memory, and dgemm in GF/s. The
 * best of several runs. OPENBLAS_NUM_THREADS says how many threads it may use. */
#include "stopwatch.h"
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 7 };

static double *ones(size_t n) {
    double *x = malloc(n * sizeof *x);
    if (!x)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return x;
}

static double gemv_rate(int rows, int columns) {
    double *V = ones((size_t)rows * (size_t)columns), *x = ones((size_t)columns), *y = ones((size_t)rows), best = 0;
    const double bytes = 8.0 * rows * columns;
    const int calls = 1 + (int)(4e8 / bytes);
    for (int run = 0; run < RUNS; run++) {
        const double start = stopwatch_seconds();
        for (int i = 0; i < calls; i++)
            cblas_dgemv(CblasColMajor, CblasNoTrans, rows, columns, 1, V, rows, x, 1, 0, y, 1);
        const double rate = 1e-9 * bytes * calls / (stopwatch_seconds() - start);
        if (rate > best)
            best = rate;
    }
    free(V);
    free(x);
    free(y);
    return best;
}

static double gemm_rate(int n) {
    const size_t size = (size_t)n * (size_t)n;
    double *A = ones(size), *B = ones(size), *C = ones(size), best = 0;
    for (int run = 0; run < RUNS; run++) {
        const double start = stopwatch_seconds();
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
        const double rate = 2e-9 * n * n * n / (stopwatch_seconds() - start);
        if (rate > best)
            best = rate;
    }
    free(A);
    free(B);
    free(C);
    return best;
}

int main(void) {
    static const int columns[] = {50, 500, 20000};
    printf("operation,megabytes,rate,unit\n");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        printf("dgemv,%g,%.1f,GB/s\n", 8e-3 * columns[i], gemv_rate(1000, columns[i]));
    printf("dgemm,%g,%.1f,GF/s\n", 3 * 8e-6 * 1500 * 1500, gemm_rate(1500));
    return EXIT_SUCCESS;
}
