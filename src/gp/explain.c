/* SPDX-License-Identifier: MIT */
#include "gp/explain.h"

#include "linalg/blas.h"

void tvgp__explain_block(const tvgp_kernel *kernel, const tvgp__chol *L, const double *P, const double *scale,
                         const double *z, size_t m, const double *Z, double *V, double *mean, double *explained) {
    size_t n = L->n;
    if (n)
        (void)tvgp__kernel_block(kernel, m, Z, n, P, V, n); /* row-major m x n = column-major n x m */
    for (size_t i = 0; scale && i < m; i++)
        for (size_t j = 0; j < n; j++)
            V[i * n + j] *= scale[j];
    tvgp__chol_solve(L, TVGP__NO_TRANS, m, V, n);
    for (size_t i = 0; i < m; i++) {
        const double *v = V + i * n;
        mean[i] = tvgp__blas_dot(n, v, z);
        explained[i] = tvgp__blas_dot(n, v, v);
    }
}
