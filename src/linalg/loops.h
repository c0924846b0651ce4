/* SPDX-License-Identifier: MIT */
/* Vector and matrix-vector operations as plain loops, compiled for several instruction sets (base/numbers/simd_clones.h). Memory
 * bandwidth limits such operations. These loops read every number once, and are as fast as a BLAS without its threads
 * while the matrix fits a cache. Sums have a fixed order, so results do not depend on the machine. Storage is
 * column-major and arguments are as in linalg/blas.h. Functions named sp.. take a symmetric matrix whose lower triangle
 * is packed by columns. */
#ifndef TVGP__LINALG_LOOPS_H
#define TVGP__LINALG_LOOPS_H

#include <stddef.h>

double tvgp__loops_dot(size_t n, const double *x, const double *y);
void tvgp__loops_axpy(size_t n, double a, const double *x, double *y);
void tvgp__loops_add_four(size_t n, const double a[4], const double *const c[4], double *y); /* y += sum of a[k] c[k] */
void tvgp__loops_scale(size_t n, double b, double *y); /* y = b y; b = 0 also where y is not finite */
void tvgp__loops_rot(size_t n, double *x, double *y, double c, double s);
void tvgp__loops_columns(size_t m, size_t n, double a, const double *A, size_t lda, const double *x, size_t stride,
                         double *y); /* y += a A x, the entries of x `stride` apart */
void tvgp__loops_gemv(int trans, size_t m, size_t n, double a, const double *A, size_t lda, const double *x, double b,
                      double *y);
void tvgp__loops_symv(size_t n, double a, const double *A, size_t lda, const double *x, double b, double *y);
void tvgp__loops_symv_upper(size_t n, const double *A, size_t lda, const double *x, double *y); /* y = A x */
void tvgp__loops_syr(size_t n, double a, const double *x, double *A, size_t lda);
void tvgp__loops_spmv(size_t n, double a, const double *A, const double *x, double *y); /* y += a A x */
void tvgp__loops_spr(size_t n, double a, const double *x, double *A);                   /* A += a x x' */
/* A[c] += sum of a[c][l] x_l: four columns gain shares of four vectors, ldx apart. 32 flops a row, 12 numbers read or written. */
void tvgp__loops_rank_four(size_t n, double a[4][4], const double *x, size_t ldx, double *const A[4]);
/* C = A B for a B of few columns: A, m x k, is read once and packed nowhere as a BLAS would. */
void tvgp__loops_product(size_t m, size_t n, size_t k, const double *A, size_t lda, const double *B, size_t ldb, double *C,
                         size_t ldc);
void tvgp__loops_trsv(int trans, size_t n, const double *L, size_t ldl, double *x);

#endif
