/* SPDX-License-Identifier: MIT */
/* What observations say about other points, from their Cholesky factor (Rasmussen and Williams 2006, alg. 2.1): with
 * L L' = K + Sigma over the observed points P, z = L^-1 y and v = L^-1 k(P, x), the mean at x is v' z, and v' v of the prior
 * variance is explained. */
#ifndef TVGP__GP_EXPLAIN_H
#define TVGP__GP_EXPLAIN_H

#include "kernel/kernel_ops.h"
#include "linalg/chol.h"

enum { TVGP__EXPLAIN_BLOCK = 64 }; /* points taken at a time */

/* mean[i] and explained[i] of m <= TVGP__EXPLAIN_BLOCK points Z (m x dim). scale (NULL: 1) multiplies the covariance with
 * each observation; V is workspace, observations x TVGP__EXPLAIN_BLOCK. */
void tvgp__explain_block(const tvgp_kernel *kernel, const tvgp__chol *L, const double *P, const double *scale,
                         const double *z, size_t m, const double *Z, double *V, double *mean, double *explained);

#endif
