/* SPDX-License-Identifier: MIT */
/* The few column-major BLAS and LAPACK calls that the library uses. Every object checks its sizes with tvgp__valid_range_count
 * before it grows, so all sizes are below INT32_MAX. */
#ifndef TVGP__LINALG_BLAS_H
#define TVGP__LINALG_BLAS_H

#include "base/context.h"
#include "linalg/loops.h"

enum { TVGP__NO_TRANS = 0, TVGP__TRANS = 1 };

static inline double tvgp__blas_dot(size_t n, const double *x, const double *y) {
    return tvgp__loops_dot(n, x, y);
}
static inline void tvgp__blas_axpy(size_t n, double a, const double *x, double *y) { /* y += a x */
    tvgp__loops_axpy(n, a, x, y);
}
static inline void tvgp__blas_scale(size_t n, double a, double *x) { /* x = a x, 0 for a = 0 */
    tvgp__loops_scale(n, a, x);
}
static inline void tvgp__blas_rot(size_t n, double *x, double *y, double c, double s) { /* x, y = c x + s y, c y - s x */
    tvgp__loops_rot(n, x, y, c, s);
}
void tvgp__blas_gemv(int trans, size_t m, size_t n, double a, const double *A, size_t lda, const double *x, double b,
                     double *y); /* y = a op(A) x + b y, A is m x n */
void tvgp__blas_symv(size_t n, double a, const double *A, size_t lda, const double *x, double b,
                     double *y);                                                 /* lower triangle */
void tvgp__blas_syr(size_t n, double a, const double *x, double *A, size_t lda); /* A += a x x', lower triangle */
void tvgp__blas_syrk(int trans, size_t n, size_t k, double a, const double *A, size_t lda, double b, double *C,
                     size_t ldc); /* C = a op(A) op(A)' + b C, lower */
/* The same of which one triangle is kept, `upper` or not: y = A x, and C += A A' with n rows and k columns. */
void tvgp__blas_symv_half(int upper, size_t n, const double *A, size_t lda, const double *x, double *y);
void tvgp__blas_syrk_half(int upper, size_t n, size_t k, const double *A, size_t lda, double *C, size_t ldc);
void tvgp__blas_gemm(int trans_a, int trans_b, size_t m, size_t n, size_t k, double a, const double *A, size_t lda,
                     const double *B, size_t ldb, double b, double *C, size_t ldc);
void tvgp__blas_trsv(int trans, size_t n, const double *L, size_t ldl, double *x); /* x = op(L)^-1 x, L lower */
void tvgp__blas_trsm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb); /* B n x m */
void tvgp__blas_trsm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx); /* X = X L'^-1, m x n */
void tvgp__blas_trmm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx); /* X = X L', X m x n */

void tvgp__blas_trmm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb); /* B = op(L) B */
void tvgp__blas_symm(size_t n, size_t m, double a, const double *A, size_t lda, const double *B, size_t ldb, double b,
                     double *C, size_t ldc); /* C = a A B + b C, A symmetric, lower triangle; B and C n x m */

/* Cholesky factor in the lower triangle, in place: 0, or the order (from 1) of the first minor that is not positive
 * definite. */
size_t tvgp__blas_potrf(size_t n, double *A, size_t lda);

/* Lower triangle of A^-1 from the Cholesky factor in A, in place. */
void tvgp__blas_potri(size_t n, double *A, size_t lda);

/* L^-1 in place, L lower with a non-zero diagonal. */
void tvgp__blas_trtri(size_t n, double *L, size_t ldl);

/* Cholesky factor with diagonal pivoting, in place: the rank at which no remaining diagonal entry exceeds `tolerance`. Row i
 * of the factor belongs to row pivot[i] of A (from 0); columns from the rank on are not part of it. work: 2 n. */
size_t tvgp__blas_pstrf(size_t n, double *A, size_t lda, double tolerance, int32_t *pivot, double *work);

#endif
