/* SPDX-License-Identifier: MIT */
/* X L^-T for tall X, and op(L)^-1 B (linalg/trisolve.h). */
#include "linalg/trisolve.h"

#include "linalg/blas.h"

#include <string.h>

/* Halves have equal size, so that the matrix products are as square as possible. */
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

/* ---- from the left, L as it is ---------------------------------------------------------------------------------- */

enum { LEAF = TVGP__TRISOLVE_LEAF };

size_t tvgp__trisolve_leaves_size(size_t n) {
    return (n + LEAF - 1) / LEAF * LEAF * LEAF;
}

void tvgp__trisolve_leaves(size_t n, const double *L, size_t ldl, double *leaves) {
    for (size_t first = 0; first < n; first += LEAF, leaves += LEAF * LEAF) {
        size_t size = n - first < LEAF ? n - first : LEAF;
        for (size_t j = 0; j < size; j++)
            memcpy(leaves + j * (LEAF + 1), L + (first + j) * (ldl + 1), (size - j) * sizeof *leaves);
        tvgp__blas_trtri(size, leaves, LEAF);
    }
}

/* Half of the leaves. */
static size_t split_leaves(size_t n) {
    return (n / 2 + LEAF - 1) / LEAF * LEAF;
}

void tvgp__trisolve_left(int trans, size_t n, size_t m, const double *L, size_t ldl, const double *leaves, double *B,
                         size_t ldb) {
    if (n <= LEAF) {
        tvgp__blas_trmm(trans, n, m, leaves, LEAF, B, ldb);
        return;
    }
    size_t half = split_leaves(n), rest = n - half;
    const double *L2 = L + half * (ldl + 1), *leaves2 = leaves + half * LEAF;
    if (!trans) {
        tvgp__trisolve_left(trans, half, m, L, ldl, leaves, B, ldb);
        tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__NO_TRANS, rest, m, half, -1, L + half, ldl, B, ldb, 1, B + half, ldb);
        tvgp__trisolve_left(trans, rest, m, L2, ldl, leaves2, B + half, ldb);
    } else {
        tvgp__trisolve_left(trans, rest, m, L2, ldl, leaves2, B + half, ldb);
        tvgp__blas_gemm(TVGP__TRANS, TVGP__NO_TRANS, half, m, rest, -1, L + half, ldl, B + half, ldb, 1, B, ldb);
        tvgp__trisolve_left(trans, half, m, L, ldl, leaves, B, ldb);
    }
}
