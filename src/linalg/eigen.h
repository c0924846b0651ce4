/* SPDX-License-Identifier: MIT */
/* Raises small eigenvalues of a symmetric matrix: A = V diag(w) V' becomes V diag(max(w, least)) V'. Method: cyclic
 * Jacobi (Golub and Van Loan 2013, sec. 8.5.3), about 30 n^3 flops. If A - least I has a Cholesky factor (n^3 / 3
 * flops), A is unchanged. */
#ifndef TVGP__LINALG_EIGEN_H
#define TVGP__LINALG_EIGEN_H

#include "base/context.h"

/* A (n x n, both triangles) with eigenvalues of at least `share` of the largest. NOMEM, INTERRUPTED: A is as it was. */
tvgp_status tvgp__eigen_raise(tvgp_ctx *ctx, size_t n, double share, double *A);

#endif
