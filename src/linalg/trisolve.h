/* SPDX-License-Identifier: MIT */
/* X L^-T for tall X, and op(L)^-1 B. BLAS solves small triangular systems far more slowly than it multiplies matrices,
 * so L is prepared once: its diagonal blocks of at most TVGP__TRISOLVE_LEAF rows are inverted, and the rest of a solve
 * is matrix products (Golub and Van Loan 2013, sec. 3.1.4). Inverting only small blocks keeps the error of a solve
 * (Higham 2002, sec. 14.2). */
#ifndef TVGP__LINALG_TRISOLVE_H
#define TVGP__LINALG_TRISOLVE_H

#include <stddef.h>

enum { TVGP__TRISOLVE_LEAF = 64 };

/* Prepares the lower triangular n x n L in place (column-major; the other triangle is neither read nor written). */
void tvgp__trisolve_prepare(size_t n, double *L, size_t ldl);

/* X = X L^-T for prepared L: X is rows x n, column-major. n^2 rows flops. */
void tvgp__trisolve_right(size_t rows, size_t n, const double *L, size_t ldl, double *X, size_t ldx);

/* Without writing to L: its inverted diagonal blocks one after the other, and B = op(L)^-1 B with them, B n x m. */
size_t tvgp__trisolve_leaves_size(size_t n); /* doubles */
void tvgp__trisolve_leaves(size_t n, const double *L, size_t ldl, double *leaves);
void tvgp__trisolve_left(int trans, size_t n, size_t m, const double *L, size_t ldl, const double *leaves, double *B,
                         size_t ldb);

#endif
