/* SPDX-License-Identifier: MIT */
/* The functions of linalg/blas.h in plain C, for builds without BLAS (TVGP_BLAS=none). Triangular solves and
 * factorisations recurse on halves (Golub and Van Loan 2013, sec. 3.1.4, 4.2.9), so that matrix products, four columns
 * at a time, do most of the work. */
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>

enum { LEAF = 24 }; /* order of a triangle that is done column by column */

void tvgp__blas_gemv(int trans, size_t m, size_t n, double a, const double *A, size_t lda, const double *x, double b,
                     double *y) {
    tvgp__loops_gemv(trans, m, n, a, A, lda, x, b, y);
}

void tvgp__blas_symv(size_t n, double a, const double *A, size_t lda, const double *x, double b, double *y) {
    tvgp__loops_symv(n, a, A, lda, x, b, y);
}

void tvgp__blas_syr(size_t n, double a, const double *x, double *A, size_t lda) {
    tvgp__loops_syr(n, a, x, A, lda);
}

void tvgp__blas_trsv(int trans, size_t n, const double *L, size_t ldl, double *x) {
    tvgp__loops_trsv(trans, n, L, ldl, x);
}

/* ---- matrices --------------------------------------------------------------------------------------------------- */

void tvgp__blas_gemm(int trans_a, int trans_b, size_t m, size_t n, size_t k, double a, const double *A, size_t lda,
                     const double *B, size_t ldb, double b, double *C, size_t ldc) {
    for (size_t j = 0; j < n; j++) {
        double *c = C + j * ldc;
        const double *column = B + j * (trans_b ? 1 : ldb);
        tvgp__loops_scale(m, b, c);
        if (!trans_a)
            tvgp__loops_columns(m, k, a, A, lda, column, trans_b ? ldb : 1, c);
        else if (!trans_b)
            for (size_t i = 0; i < m; i++)
                c[i] += a * tvgp__loops_dot(k, A + i * lda, column);
        else
            for (size_t i = 0; i < m; i++)
                for (size_t l = 0; l < k; l++)
                    c[i] += a * A[i * lda + l] * column[l * ldb];
    }
}

void tvgp__blas_syrk(int trans, size_t n, size_t k, double a, const double *A, size_t lda, double b, double *C, size_t ldc) {
    const size_t step = trans ? lda : 1;
    for (size_t j = 0; j < n; j++)
        tvgp__blas_gemm(trans, !trans, n - j, 1, k, a, A + j * step, lda, A + j * step, lda, b, C + j * (ldc + 1), ldc);
}

void tvgp__blas_symv_half(int upper, size_t n, const double *A, size_t lda, const double *x, double *y) {
    if (upper)
        tvgp__loops_symv_upper(n, A, lda, x, y);
    else
        tvgp__loops_symv(n, 1, A, lda, x, 0, y);
}

void tvgp__blas_syrk_half(int upper, size_t n, size_t k, const double *A, size_t lda, double *C, size_t ldc) {
    if (!upper)
        tvgp__blas_syrk(0, n, k, 1, A, lda, 1, C, ldc);
    for (size_t j = 0; upper && j < n; j++)
        tvgp__loops_columns(j + 1, k, 1, A, lda, A + j, lda, C + j * ldc);
}

void tvgp__blas_trsm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb) {
    if (n <= LEAF) {
        for (size_t j = 0; j < m; j++)
            tvgp__blas_trsv(trans, n, L, ldl, B + j * ldb);
        return;
    }
    size_t half = n / 2, rest = n - half;
    const double *L21 = L + half, *L22 = L + half * (ldl + 1);
    if (!trans) {
        tvgp__blas_trsm(0, half, m, L, ldl, B, ldb);
        tvgp__blas_gemm(0, 0, rest, m, half, -1, L21, ldl, B, ldb, 1, B + half, ldb);
        tvgp__blas_trsm(0, rest, m, L22, ldl, B + half, ldb);
    } else {
        tvgp__blas_trsm(1, rest, m, L22, ldl, B + half, ldb);
        tvgp__blas_gemm(1, 0, half, m, rest, -1, L21, ldl, B + half, ldb, 1, B, ldb);
        tvgp__blas_trsm(1, half, m, L, ldl, B, ldb);
    }
}

void tvgp__blas_trmm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb) {
    for (size_t j = 0; j < m; j++) {
        double *x = B + j * ldb;
        if (trans) /* from the top: what an entry needs stands below it */
            for (size_t i = 0; i < n; i++)
                x[i] = tvgp__loops_dot(n - i, L + i * (ldl + 1), x + i);
        else
            for (size_t i = n; i-- > 0;) {
                double own = x[i];
                x[i] = own * L[i * (ldl + 1)];
                tvgp__loops_axpy(n - i - 1, own, L + i * (ldl + 1) + 1, x + i + 1);
            }
    }
}

void tvgp__blas_symm(size_t n, size_t m, double a, const double *A, size_t lda, const double *B, size_t ldb, double b,
                     double *C, size_t ldc) {
    for (size_t j = 0; j < m; j++)
        tvgp__loops_symv(n, a, A, lda, B + j * ldb, b, C + j * ldc);
}

void tvgp__blas_trmm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx) {
    for (size_t j = n; j-- > 0;) { /* column j takes columns before it, which are still the old ones */
        tvgp__loops_scale(m, L[j * (ldl + 1)], X + j * ldx);
        tvgp__loops_columns(m, j, 1, X, ldx, L + j, ldl, X + j * ldx);
    }
}

void tvgp__blas_trsm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx) {
    for (size_t j = 0; j < n; j++) {
        tvgp__loops_columns(m, j, -1, X, ldx, L + j, ldl, X + j * ldx);
        tvgp__loops_scale(m, 1 / L[j * (ldl + 1)], X + j * ldx);
    }
}

/* ---- factors ---------------------------------------------------------------------------------------------------- */

static size_t potrf_leaf(size_t n, double *A, size_t lda) {
    for (size_t j = 0; j < n; j++) {
        double *column = A + j * (lda + 1);
        if (!(column[0] > 0) || isinf(column[0]))
            return j + 1;
        column[0] = sqrt(column[0]);
        tvgp__loops_scale(n - j - 1, 1 / column[0], column + 1);
        for (size_t i = j + 1; i < n; i++)
            tvgp__loops_axpy(n - i, -column[i - j], column + (i - j), A + i * (lda + 1));
    }
    return 0;
}

size_t tvgp__blas_potrf(size_t n, double *A, size_t lda) {
    if (n <= LEAF)
        return potrf_leaf(n, A, lda);
    size_t half = n / 2, minor = tvgp__blas_potrf(half, A, lda);
    if (minor)
        return minor;
    tvgp__blas_trsm_right(n - half, half, A, lda, A + half, lda);
    tvgp__blas_syrk(TVGP__NO_TRANS, n - half, half, -1, A + half, lda, 1, A + half * (lda + 1), lda);
    minor = tvgp__blas_potrf(n - half, A + half * (lda + 1), lda);
    return minor ? half + minor : 0;
}

void tvgp__blas_trtri(size_t n, double *L, size_t ldl) {
    for (size_t j = n; j-- > 0;) { /* the columns after j are inverted already */
        double *column = L + j * (ldl + 1), inverse = 1 / column[0];
        size_t below = n - j - 1;
        for (size_t i = below; i-- > 0;) { /* row i of the inverse times the column, upwards: what is read is still old */
            double sum = 0;
            for (size_t l = 0; l <= i; l++)
                sum += L[(j + 1 + l) * ldl + j + 1 + i] * column[1 + l];
            column[1 + i] = -inverse * sum;
        }
        column[0] = inverse;
    }
}

void tvgp__blas_potri(size_t n, double *A, size_t lda) {
    tvgp__blas_trtri(n, A, lda);
    for (size_t j = 0; j < n; j++) /* L^-T L^-1: what an entry needs stands in its row and below */
        for (size_t i = j; i < n; i++)
            A[j * lda + i] = tvgp__loops_dot(n - i, A + i * (lda + 1), A + j * lda + i);
}

/* Exchanges rows and columns p < q of a symmetric matrix of which the lower triangle is kept. */
static void exchange(size_t n, double *A, size_t lda, size_t p, size_t q) {
#define SWAP(x, y)                                                                                                          \
    do {                                                                                                                    \
        double held = (x);                                                                                                  \
        (x) = (y);                                                                                                          \
        (y) = held;                                                                                                         \
    } while (0)
    for (size_t j = 0; j < p; j++)
        SWAP(A[j * lda + p], A[j * lda + q]);
    SWAP(A[p * (lda + 1)], A[q * (lda + 1)]);
    for (size_t i = p + 1; i < q; i++)
        SWAP(A[p * lda + i], A[i * lda + q]);
    for (size_t i = q + 1; i < n; i++)
        SWAP(A[p * lda + i], A[q * lda + i]);
#undef SWAP
}

size_t tvgp__blas_pstrf(size_t n, double *A, size_t lda, double tolerance, int32_t *pivot, double *work) {
    (void)work;
    for (size_t i = 0; i < n; i++)
        pivot[i] = (int32_t)i;
    for (size_t j = 0; j < n; j++) {
        size_t p = j;
        for (size_t i = j + 1; i < n; i++)
            if (A[i * (lda + 1)] > A[p * (lda + 1)])
                p = i;
        if (!(A[p * (lda + 1)] > tolerance))
            return j;
        if (p != j) {
            int32_t held = pivot[j];
            exchange(n, A, lda, j, p);
            pivot[j] = pivot[p];
            pivot[p] = held;
        }
        double *column = A + j * (lda + 1);
        column[0] = sqrt(column[0]);
        tvgp__loops_scale(n - j - 1, 1 / column[0], column + 1);
        for (size_t i = j + 1; i < n; i++)
            tvgp__loops_axpy(n - i, -column[i - j], column + (i - j), A + i * (lda + 1));
    }
    return n;
}
