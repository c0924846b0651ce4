/* SPDX-License-Identifier: MIT */
/* Maintains the inverse G of a small Gram matrix K while points are replaced one at a time (linalg/inverse.h). */
#include "linalg/inverse.h"

#include "base/numbers/simd_clones.h"
#include "linalg/blas.h"

#include <stdint.h>
#include <string.h>

enum { LINE = 8, COLUMNS = 4 }; /* numbers in a cache line; columns in one pass over b */

size_t tvgp__inverse_stride(size_t n) {
    return (n + LINE - 1) / LINE * LINE;
}

double *tvgp__inverse_align(double *memory) {
    return memory + (-(uintptr_t)memory / sizeof *memory) % LINE;
}

static double largest_diagonal(size_t n, const double *G, size_t stride) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = G[i * (stride + 1)] > largest ? G[i * (stride + 1)] : largest;
    return largest;
}

double tvgp__inverse_take(const tvgp__chol *f, double *G) {
    size_t n = f->n, stride = tvgp__inverse_stride(n);
    memset(G, 0, stride * stride * sizeof *G);
    for (size_t j = 0; j < n; j++)
        memcpy(G + j * stride + j, f->L + j * f->capacity + j, (n - j) * sizeof *G);
    tvgp__blas_potri(n, G, stride);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++)
            G[i * stride + j] = G[j * stride + i];
    return largest_diagonal(n, G, stride);
}

TVGP__SIMD_CLONES
static void apply(size_t n, const double *restrict G, const double *restrict k, double *restrict b) {
    size_t stride = tvgp__inverse_stride(n);
    memset(b, 0, stride * sizeof *b);
    for (size_t j = 0; j < n; j += COLUMNS) { /* up to the stride: what is there is 0 */
        const double *g0 = G + j * stride, *g1 = g0 + stride, *g2 = g1 + stride, *g3 = g2 + stride;
        double k0 = k[j], k1 = k[j + 1], k2 = k[j + 2], k3 = k[j + 3];
        for (size_t i = 0; i < stride; i++)
            b[i] += (g0[i] * k0 + g1[i] * k1) + (g2[i] * k2 + g3[i] * k3);
    }
}

void tvgp__inverse_apply(size_t n, const double *G, const double *k, double *b) {
    apply(n, G, k, b);
}

TVGP__SIMD_CLONES
static void rank_two(size_t n, size_t stride, double *restrict G, double a, const double *restrict v, double e,
                     const double *restrict g) {
    for (size_t j = 0; j < n; j++) {
        double *column = G + j * stride, vj = a * v[j], gj = e * g[j];
        for (size_t i = 0; i < stride; i++)
            column[i] += v[i] * vj - g[i] * gj;
    }
}

double tvgp__inverse_replace(size_t n, double *G, size_t r, double given, double *b, double *g) {
    size_t stride = tvgp__inverse_stride(n);
    memcpy(g, G + r * stride, stride * sizeof *g);
    double shift = b[r] / g[r];
    for (size_t i = 0; i < stride; i++)
        b[i] -= shift * g[i];
    b[r] = -1;
    rank_two(n, stride, G, 1 / given, b, 1 / g[r], g);
    return largest_diagonal(n, G, stride);
}
