/* SPDX-License-Identifier: MIT */
#include "gp/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <math.h>

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

tvgp_status tvgp__explain_predict(const tvgp_kernel *kernel, const tvgp__chol *L, const double *P, const double *z, size_t n,
                                  const double *Z, double *mean, double *var) {
    double *V = NULL, explained[TVGP__EXPLAIN_BLOCK];
    TVGP__TRY(tvgp__memory_alloc(kernel->ctx, L->n, TVGP__EXPLAIN_BLOCK * sizeof *V, &V));
    (void)tvgp__kernel_diag(kernel, n, Z, var);
    for (size_t first = 0; first < n; first += TVGP__EXPLAIN_BLOCK) {
        size_t m = n - first < TVGP__EXPLAIN_BLOCK ? n - first : TVGP__EXPLAIN_BLOCK;
        tvgp__explain_block(kernel, L, P, NULL, z, m, Z + first * kernel->dim, V, mean + first, explained);
        for (size_t i = 0; i < m; i++)
            var[first + i] = fmax(var[first + i] - explained[i], 0);
    }
    tvgp__memory_free(kernel->ctx, V);
    return TVGP_OK;
}
