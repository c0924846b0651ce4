/* SPDX-License-Identifier: MIT */
/* The few column-major BLAS and LAPACK calls that the library uses (linalg/blas.h). */
#include "linalg/blas.h"

#include "linalg/loops.h"

#include <cblas.h>
#include <lapacke.h>

static CBLAS_TRANSPOSE op(int trans) {
    return trans ? CblasTrans : CblasNoTrans;
}

/* OpenBLAS passes all but the smallest calls to its threads (a symv always, a gemv from 9216 entries, a potrf from 64
 * rows). If other processes use the cores, a call of two microseconds then waits milliseconds for the scheduler. Calls
 * too small to gain from threads are therefore plain loops, or composed of BLAS calls that stay on the caller's thread.
 */
enum {
    TRIANGLE_ALONE = 1000,   /* entries of the other matrix in a trsm or trmm */
    BLOCK = 64,              /* a gemm of 64 x 64 x 64 stays alone, and so does a syrk of as many rows */
    LEVEL_2 = 3 << 16,       /* entries of a matrix from which a product with a vector may use threads: 1.5 MB */
    LEVEL_3 = 1 << 20,       /* multiplications from which a product of matrices may */
    FACTOR_ALONE = BLOCK - 1 /* rows of a potrf */
};

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Columns or rows of a piece of a trsm or trmm with a triangle of n rows. */
static size_t strip(size_t n) {
    return n && n < TRIANGLE_ALONE ? TRIANGLE_ALONE / n : 1;
}

void tvgp__blas_gemv(int trans, size_t m, size_t n, double a, const double *A, size_t lda, const double *x, double b,
                     double *y) {
    if (m * n < LEVEL_2)
        tvgp__loops_gemv(trans, m, n, a, A, lda, x, b, y);
    else
        cblas_dgemv(CblasColMajor, op(trans), (int)m, (int)n, a, A, (int)lda, x, 1, b, y, 1);
}

void tvgp__blas_symv(size_t n, double a, const double *A, size_t lda, const double *x, double b, double *y) {
    if (n * n < LEVEL_2)
        tvgp__loops_symv(n, a, A, lda, x, b, y);
    else
        cblas_dsymv(CblasColMajor, CblasLower, (int)n, a, A, (int)lda, x, 1, b, y, 1);
}

void tvgp__blas_syr(size_t n, double a, const double *x, double *A, size_t lda) {
    if (n * n < LEVEL_2)
        tvgp__loops_syr(n, a, x, A, lda);
    else
        cblas_dsyr(CblasColMajor, CblasLower, (int)n, a, x, 1, A, (int)lda);
}

void tvgp__blas_syrk(int trans, size_t n, size_t k, double a, const double *A, size_t lda, double b, double *C, size_t ldc) {
    size_t width = n * n * k < LEVEL_3 ? BLOCK : n, step = trans ? lda : 1;
    for (size_t j = 0; j < n; j += width) {
        size_t columns = smaller(width, n - j), below = n - j - columns;
        const double *at = A + j * step;
        cblas_dsyrk(CblasColMajor, CblasLower, op(trans), (int)columns, (int)k, a, at, (int)lda, b, C + j * (ldc + 1),
                    (int)ldc);
        if (below)
            tvgp__blas_gemm(trans, !trans, below, columns, k, a, at + columns * step, lda, at, lda, b,
                            C + j * (ldc + 1) + columns, ldc);
    }
}

void tvgp__blas_symv_half(int upper, size_t n, const double *A, size_t lda, const double *x, double *y) {
    if (!upper)
        tvgp__blas_symv(n, 1, A, lda, x, 0, y);
    else if (n * n < LEVEL_2)
        tvgp__loops_symv_upper(n, A, lda, x, y);
    else
        cblas_dsymv(CblasColMajor, CblasUpper, (int)n, 1, A, (int)lda, x, 1, 0, y, 1);
}

void tvgp__blas_syrk_half(int upper, size_t n, size_t k, const double *A, size_t lda, double *C, size_t ldc) {
    if (!upper) {
        tvgp__blas_syrk(TVGP__NO_TRANS, n, k, 1, A, lda, 1, C, ldc);
        return;
    }
    size_t width = n * n * k < LEVEL_3 ? BLOCK : n;
    for (size_t j = 0; j < n; j += width) {
        size_t columns = smaller(width, n - j);
        if (j)
            tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__TRANS, j, columns, k, 1, A, lda, A + j, lda, 1, C + j * ldc, ldc);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, (int)columns, (int)k, 1, A + j, (int)lda, 1, C + j * (ldc + 1),
                    (int)ldc);
    }
}

void tvgp__blas_gemm(int trans_a, int trans_b, size_t m, size_t n, size_t k, double a, const double *A, size_t lda,
                     const double *B, size_t ldb, double b, double *C, size_t ldc) {
    size_t most = m > n ? m : n, width = m * n * k > BLOCK * BLOCK * BLOCK && m * n * k < LEVEL_3 ? BLOCK : most + k;
    for (size_t i = 0; i < m; i += width)
        for (size_t j = 0; j < n; j += width)
            for (size_t l = 0; l == 0 || l < k; l += width)
                cblas_dgemm(CblasColMajor, op(trans_a), op(trans_b), (int)smaller(width, m - i), (int)smaller(width, n - j),
                            (int)smaller(width, k - l), a, A + (trans_a ? i * lda + l : l * lda + i), (int)lda,
                            B + (trans_b ? l * ldb + j : j * ldb + l), (int)ldb, l ? 1 : b, C + j * ldc + i, (int)ldc);
}

void tvgp__blas_trsv(int trans, size_t n, const double *L, size_t ldl, double *x) {
    if (n) /* a factor of nothing may have no leading dimension, which BLAS would complain about */
        cblas_dtrsv(CblasColMajor, CblasLower, op(trans), CblasNonUnit, (int)n, L, (int)ldl, x, 1);
}

void tvgp__blas_trsm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb) {
    size_t width = n * n * m < LEVEL_3 ? strip(n) : m;
    for (size_t j = 0; n && j < m; j += width)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, op(trans), CblasNonUnit, (int)n, (int)smaller(width, m - j), 1.0,
                    L, (int)ldl, B + j * ldb, (int)ldb);
}

void tvgp__blas_trsm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx) {
    size_t rows = n * n * m < LEVEL_3 ? strip(n) : m;
    for (size_t i = 0; n && i < m; i += rows)
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)smaller(rows, m - i), (int)n, 1.0,
                    L, (int)ldl, X + i, (int)ldx);
}

void tvgp__blas_trmm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx) {
    size_t rows = n * n * m < LEVEL_3 ? strip(n) : m;
    for (size_t i = 0; n && i < m; i += rows)
        cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)smaller(rows, m - i), (int)n, 1.0,
                    L, (int)ldl, X + i, (int)ldx);
}

void tvgp__blas_trmm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb) {
    size_t width = n * n * m < LEVEL_3 ? strip(n) : m;
    for (size_t j = 0; n && j < m; j += width)
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, op(trans), CblasNonUnit, (int)n, (int)smaller(width, m - j), 1.0,
                    L, (int)ldl, B + j * ldb, (int)ldb);
}

void tvgp__blas_symm(size_t n, size_t m, double a, const double *A, size_t lda, const double *B, size_t ldb, double b,
                     double *C, size_t ldc) {
    if (n * n * m >= LEVEL_3)
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)m, a, A, (int)lda, B, (int)ldb, b, C, (int)ldc);
    else
        for (size_t j = 0; j < m; j++)
            tvgp__blas_symv(n, a, A, lda, B + j * ldb, b, C + j * ldc);
}

size_t tvgp__blas_potrf(size_t n, double *A, size_t lda) {
    if (n <= FACTOR_ALONE || n * n * n >= LEVEL_3)
        return n ? (size_t)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)lda) : 0;
    size_t half = n / 2, minor = tvgp__blas_potrf(half, A, lda);
    if (minor)
        return minor;
    for (size_t i = half; i < n; i++) /* rows of L: L_11^-1 times those of A */
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)half, A, (int)lda, A + i, (int)lda);
    tvgp__blas_syrk(TVGP__NO_TRANS, n - half, half, -1, A + half, lda, 1, A + half * (lda + 1), lda);
    minor = tvgp__blas_potrf(n - half, A + half * (lda + 1), lda);
    return minor ? half + minor : 0;
}

void tvgp__blas_potri(size_t n, double *A, size_t lda) {
    if (n > BLOCK) {
        (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)lda);
        return;
    }
    tvgp__blas_trtri(n, A, lda);
    for (size_t j = 0; j < n; j++) /* L^-T L^-1: what an entry needs stands in its row and below */
        for (size_t i = j; i < n; i++)
            A[j * lda + i] = tvgp__blas_dot(n - i, A + i * (lda + 1), A + j * lda + i);
}

void tvgp__blas_trtri(size_t n, double *L, size_t ldl) {
    if (n) /* of no rows LAPACK would complain about the leading dimension */
        (void)LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int)n, L, (lapack_int)ldl);
}

size_t tvgp__blas_pstrf(size_t n, double *A, size_t lda, double tolerance, int32_t *pivot, double *work) {
    lapack_int rank = 0;
    (void)LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)lda, pivot, &rank, tolerance, work);
    for (size_t i = 0; i < n; i++)
        pivot[i]--;
    return (size_t)rank;
}
