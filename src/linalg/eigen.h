/* SPDX-License-Identifier: MIT */
/* Eigenvalues of a symmetric matrix that are raised: A = V diag(w) V' becomes V diag(max(w, least)) V'. By the method of Jacobi
 * (Golub and Van Loan 2013, sec. 8.5.3, cyclic by rows), some 30 n^3 flops; where A - least I has a Cholesky factor nothing is to
 * be done, n^3 / 3. */
#ifndef TVGP__LINALG_EIGEN_H
#define TVGP__LINALG_EIGEN_H

#include "base/context.h"

/* A (n x n, both triangles) with eigenvalues of at least `share` of the largest. NOMEM, INTERRUPTED: A is as it was. */
tvgp_status tvgp__eigen_raise(tvgp_ctx *ctx, size_t n, double share, double *A);

#endif
