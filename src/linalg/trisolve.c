/* SPDX-License-Identifier: MIT */
#include "linalg/trisolve.h"

#include "linalg/blas.h"

/* Halves of equal size, so that the products are as square as they can be. */
static size_t split(size_t n) {
    return (n + 1) / 2;
}

void tvgp__trisolve_prepare(size_t n, double *L, size_t ldl) {
    if (n <= TVGP__TRISOLVE_LEAF) {
        tvgp__blas_trtri(n, L, ldl);
        return;
    }
    size_t half = split(n);
    tvgp__trisolve_prepare(half, L, ldl);
    tvgp__trisolve_prepare(n - half, L + half * ldl + half, ldl);
}

void tvgp__trisolve_right(size_t rows, size_t n, const double *L, size_t ldl, double *X, size_t ldx) {
    if (n <= TVGP__TRISOLVE_LEAF) {
        tvgp__blas_trmm_right(rows, n, L, ldl, X, ldx);
        return;
    }
    size_t half = split(n);
    tvgp__trisolve_right(rows, half, L, ldl, X, ldx);
    tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__TRANS, rows, n - half, half, -1, X, ldx, L + half, ldl, 1, X + half * ldx, ldx);
    tvgp__trisolve_right(rows, n - half, L + half * ldl + half, ldl, X + half * ldx, ldx);
}
