/* SPDX-License-Identifier: MIT */
/* linalg/blas: small calls are put together from pieces that stay on one thread; sizes on both sides of every limit, against
 * the definitions. Numbers are of order n at most, so n roundings stay below 1e-11. */
#include "harness.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

enum { LARGE = 270, HUGE_SIDE = 550 }; /* the largest of the sizes; a matrix with vectors that may use threads */

static const size_t sizes[] = {1, 3, 48, 63, 64, 65, 97, 130, LARGE};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void assert_close(size_t n, const double *x, const double *y) {
    for (size_t i = 0; i < n; i++)
        ck_assert_double_le(fabs(x[i] - y[i]), 1e-11);
}

static double at(int trans, const double *A, size_t ld, size_t i, size_t j) {
    return trans ? A[i * ld + j] : A[j * ld + i];
}

/* Matrix and vector. */
TEST_EACH(blas_vectors, 2 * SIZES + 2) {
    const size_t n = _i / 2 < SIZES ? sizes[_i / 2] : HUGE_SIDE, ld = n + 3, m = n > 2 ? 2 * n / 3 : n;
    const int trans = _i % 2;
    static double A[HUGE_SIDE * (HUGE_SIDE + 3)], E[HUGE_SIDE * (HUGE_SIDE + 3)], x[HUGE_SIDE], y[HUGE_SIDE], e[HUGE_SIDE];
    struct rnd r = {(uint64_t)_i + 1};
    rnd_fill(&r, n * ld, A);
    rnd_fill(&r, n, x);
    rnd_fill(&r, n, y);
    memcpy(e, y, sizeof e);
    for (size_t i = 0; i < (trans ? m : n); i++) { /* A is n x m */
        e[i] *= 0.5;
        for (size_t j = 0; j < (trans ? n : m); j++)
            e[i] += 2 * at(trans, A, ld, i, j) * x[j];
    }
    tvgp__blas_gemv(trans, n, m, 2, A, ld, x, 0.5, y);
    assert_close(n, y, e);
    for (size_t i = 0; i < n; i++) {
        e[i] = 3 * y[i];
        for (size_t j = 0; j < n; j++)
            e[i] -= (i >= j ? A[j * ld + i] : A[i * ld + j]) * x[j];
    }
    tvgp__blas_symv(n, -1, A, ld, x, 3, y);
    assert_close(n, y, e);
    memcpy(E, A, sizeof E);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            E[j * ld + i] += 0.7 * x[i] * x[j];
    tvgp__blas_syr(n, 0.7, x, A, ld);
    assert_close(n * ld, A, E);
}

/* A symmetric matrix whose lower triangle is packed by columns, against one that is not. */
TEST_EACH(packed, SIZES) {
    const size_t n = sizes[_i];
    static double A[LARGE * LARGE], P[LARGE * (LARGE + 1) / 2], x[LARGE], y[LARGE], e[LARGE];
    struct rnd r = {(uint64_t)_i + 1};
    rnd_fill(&r, n * n, A);
    rnd_fill(&r, n, x);
    rnd_fill(&r, n, y);
    memcpy(e, y, sizeof e);
    for (size_t j = 0, at = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            P[at++] = A[j * n + i];
    tvgp__loops_spmv(n, -0.3, P, x, y);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            e[i] -= 0.3 * (i >= j ? A[j * n + i] : A[i * n + j]) * x[j];
    assert_close(n, y, e);
    tvgp__loops_spr(n, 0.7, x, P);
    for (size_t j = 0, at = 0; j < n; j++)
        for (size_t i = j; i < n; i++, at++)
            ck_assert_double_le(fabs(P[at] - (A[j * n + i] + 0.7 * x[i] * x[j])), 1e-15);
}

/* Products of matrices. */
TEST_EACH(blas_matrices, 2 * SIZES) {
    const size_t n = sizes[_i / 2], ld = n + 3, m = n > 2 ? 2 * n / 3 : n;
    const int trans = _i % 2;
    static double A[LARGE * (LARGE + 3)], B[LARGE * (LARGE + 3)], C[LARGE * (LARGE + 3)], E[LARGE * (LARGE + 3)];
    struct rnd r = {(uint64_t)_i + 1};
    rnd_fill(&r, n * ld, A);
    rnd_fill(&r, n * ld, B);
    rnd_fill(&r, n * ld, C);
    memcpy(E, C, sizeof E);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            E[j * ld + i] *= 0.25;
            for (size_t k = 0; k < m; k++) /* op(A) is n x m */
                E[j * ld + i] += at(trans, A, ld, i, k) * at(trans, A, ld, j, k);
        }
    tvgp__blas_syrk(trans, n, m, 1, A, ld, 0.25, C, ld);
    for (size_t j = 0; j < n; j++)
        assert_close(n - j, C + j * ld + j, E + j * ld + j);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < n; i++) {
            E[j * ld + i] = 0.5 * C[j * ld + i];
            for (size_t k = 0; k < n; k++)
                E[j * ld + i] += 0.1 * at(trans, A, ld, i, k) * at(!trans, B, ld, k, j);
        }
    tvgp__blas_gemm(trans, !trans, n, m, n, 0.1, A, ld, B, ld, 0.5, C, ld);
    for (size_t j = 0; j < m; j++)
        assert_close(n, C + j * ld, E + j * ld);
}

/* A matrix and a few columns; what stands between the columns of C stays. */
TEST_EACH(few_columns, SIZES) {
    enum { COLUMNS = 11, GAP = 2 };
    static const size_t columns[] = {0, 1, 4, 7, COLUMNS};
    const size_t n = sizes[_i], k = n > 100 ? 66 : n, m = columns[_i % 5], ldc = n + GAP;
    static double A[LARGE * LARGE], B[LARGE * COLUMNS], C[(LARGE + GAP) * COLUMNS], E[(LARGE + GAP) * COLUMNS];
    struct rnd r = {(uint64_t)_i + 1};
    rnd_fill(&r, (n + 1) * k < LARGE * LARGE ? (n + 1) * k : LARGE * LARGE, A);
    rnd_fill(&r, (k + 3) * COLUMNS < LARGE * COLUMNS ? (k + 3) * COLUMNS : LARGE * COLUMNS, B);
    rnd_fill(&r, ldc * COLUMNS, C);
    memcpy(E, C, sizeof E);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < n; i++) {
            E[j * ldc + i] = 0;
            for (size_t l = 0; l < k; l++)
                E[j * ldc + i] += A[l * (n + 1) + i] * B[j * (k + 3) + l];
        }
    tvgp__loops_product(n, m, k, A, n + 1, B, k + 3, C, ldc);
    assert_close(ldc * COLUMNS, C, E);
}

/* A = L L' with small entries below a diagonal near 2: factor, inverse and solves give back what they must. */
TEST_EACH(blas_factors, 2 * SIZES) {
    const size_t n = sizes[_i / 2], ld = n + 3, m = n > 2 ? 2 * n / 3 : n;
    const int trans = _i % 2;
    static double L[LARGE * (LARGE + 3)], A[LARGE * (LARGE + 3)], B[LARGE * (LARGE + 3)], E[LARGE * (LARGE + 3)];
    struct rnd r = {(uint64_t)_i + 1};
    rnd_fill(&r, n * ld, L);
    rnd_fill(&r, n * ld, B);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            L[j * ld + i] = i == j ? 2 + L[j * ld + i] : 0.1 * L[j * ld + i];
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            A[j * ld + i] = 0;
            for (size_t k = 0; k <= j; k++)
                A[j * ld + i] += L[k * ld + i] * L[k * ld + j];
        }
    memcpy(E, A, sizeof E);
    ck_assert_uint_eq(tvgp__blas_potrf(n, A, ld), 0);
    for (size_t j = 0; j < n; j++)
        assert_close(n - j, A + j * ld + j, L + j * ld + j);
    tvgp__blas_potri(n, A, ld);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double unit = 0;
            for (size_t k = 0; k < n; k++)
                unit += (k >= i ? E[i * ld + k] : E[k * ld + i]) * (k >= j ? A[j * ld + k] : A[k * ld + j]);
            ck_assert_double_le(fabs(unit - (i == j)), 1e-11);
        }
    if (n > 1) { /* the minor that ends the factorisation is given */
        const size_t bad = 2 * n / 3;
        E[bad * ld + bad] -= 1.5 * L[bad * ld + bad] * L[bad * ld + bad];
        ck_assert_uint_eq(tvgp__blas_potrf(n, E, ld), bad + 1);
    }
    memcpy(E, B, sizeof E);
    tvgp__blas_trsm(trans, n, m, L, ld, B, ld);
    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < n; i++) {
            double back = 0;
            for (size_t k = trans ? i : 0; k <= (trans ? n - 1 : i); k++)
                back += (trans ? L[i * ld + k] : L[k * ld + i]) * B[c * ld + k];
            ck_assert_double_le(fabs(back - E[c * ld + i]), 1e-11);
        }
    memcpy(E, B, sizeof E);
    tvgp__blas_trmm_right(m, n, L, ld, B, ld); /* B as m x n */
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            double product = 0;
            for (size_t k = 0; k <= j; k++)
                product += E[k * ld + i] * L[k * ld + j];
            ck_assert_double_le(fabs(B[j * ld + i] - product), 1e-11);
        }
}

/* Nothing to do: nothing is touched, and it ends. */
TEST(blas_nothing) {
    double A[1] = {2}, y[1] = {3};
    for (int trans = 0; trans < 2; trans++) {
        tvgp__blas_gemv(trans, 0, 0, 1, A, 1, A, 1, y);
        tvgp__blas_gemv(trans, 1, 0, 1, A, 1, A, 1, y);
        tvgp__blas_gemv(trans, 0, 1, 1, A, 1, A, 1, y);
        tvgp__blas_syrk(trans, 0, 1, 1, A, 1, 1, y, 1);
        tvgp__blas_syrk(trans, 1, 0, 1, A, 1, 1, y, 1);
        tvgp__blas_gemm(trans, !trans, 0, 0, 0, 1, A, 1, A, 1, 1, y, 1);
        tvgp__blas_gemm(trans, !trans, 1, 1, 0, 1, A, 1, A, 1, 1, y, 1);
        tvgp__blas_trsm(trans, 0, 1, A, 1, y, 1);
        tvgp__blas_trsm(trans, 1, 0, A, 1, y, 1);
    }
    tvgp__blas_symv(0, 1, A, 1, A, 1, y);
    tvgp__blas_syr(0, 1, A, y, 1);
    tvgp__blas_trmm_right(0, 1, A, 1, y, 1);
    tvgp__blas_trmm_right(1, 0, A, 1, y, 1);
    ck_assert_uint_eq(tvgp__blas_potrf(0, y, 1), 0);
    tvgp__blas_potri(0, y, 1);
    ck_assert(A[0] == 2 && y[0] == 3);
}

HARNESS_MAIN("blas")
