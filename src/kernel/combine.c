/* SPDX-License-Identifier: MIT */
/* Sum and product of two kernels over the same points (Rasmussen and Williams 2006, sec. 4.2.4). */
#include "kernel/combine.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct {
    tvgp_kernel base;
    tvgp_kernel *a, *b;
    int product;
} combine;

enum { CHUNK = 256 }; /* entries of b's row held at a time, on the stack */

static void merge(const combine *k, size_t m, const double *b, double *a) {
    if (k->product)
        for (size_t j = 0; j < m; j++)
            a[j] *= b[j];
    else
        for (size_t j = 0; j < m; j++)
            a[j] += b[j];
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const combine *k = (const combine *)kernel;
    double other[CHUNK];
    TVGP__TRY(tvgp__kernel_block(k->a, n, X, m, Z, K, ldk));
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += CHUNK) {
            size_t width = m - first < CHUNK ? m - first : CHUNK;
            TVGP__TRY(tvgp__kernel_block(k->b, 1, X + i * kernel->dim, width, Z + first * kernel->dim, other, width));
            merge(k, width, other, K + i * ldk + first);
        }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    const combine *k = (const combine *)kernel;
    double other[CHUNK];
    TVGP__TRY(tvgp__kernel_diag(k->a, n, X, d));
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t width = n - first < CHUNK ? n - first : CHUNK;
        TVGP__TRY(tvgp__kernel_diag(k->b, width, X + first * kernel->dim, other));
        merge(k, width, other, d + first);
    }
    return TVGP_OK;
}

static tvgp_status check(const tvgp_kernel *kernel, const char *argument, size_t n, const double *X) {
    const combine *k = (const combine *)kernel;
    TVGP__TRY(tvgp__kernel_check(k->a, argument, n, X));
    return tvgp__kernel_check(k->b, argument, n, X);
}

static void release(tvgp_kernel *kernel) {
    tvgp__kernel_release(((combine *)kernel)->a);
    tvgp__kernel_release(((combine *)kernel)->b);
}

static const tvgp__kernel_ops ops = {
    .struct_size = sizeof ops, .block = block, .diag = diag, .check = check, .release = release};

tvgp_status tvgp__combine_new(tvgp_ctx *ctx, int product, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out) {
    if (a->dim != b->dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "dimension %zu of a differs from dimension %zu of b", a->dim, b->dim);
    combine *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &ops, a->dim, sizeof *k, &k));
    k->a = tvgp__kernel_retain(a);
    k->b = tvgp__kernel_retain(b);
    k->product = product;
    *out = &k->base;
    return TVGP_OK;
}
