/* SPDX-License-Identifier: MIT */
/* Linear kernel: bias + variance sum_d x_d x'_d / l_d^2 (Rasmussen and Williams 2006, sec. 4.2.2). */
#include "kernel/linear.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct {
    tvgp_kernel base;
    double variance, bias;
    double reciprocal[];
} linear;

static double at(const linear *k, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < k->base.dim; d++)
        sum += x[d] * k->reciprocal[d] * (z[d] * k->reciprocal[d]);
    return k->bias + k->variance * sum;
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = at((const linear *)kernel, X + i * kernel->dim, Z + j * kernel->dim);
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    for (size_t i = 0; i < n; i++)
        d[i] = at((const linear *)kernel, X + i * kernel->dim, X + i * kernel->dim);
    return TVGP_OK;
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    const linear *k = (const linear *)kernel;
    size_t dim = kernel->dim;
    (void)Z;
    (void)K;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t d = 0; d < dim; d++)
                G[i * dim + d] += C[i * m + j] * k->variance * (X[j * dim + d] * k->reciprocal[d]) * k->reciprocal[d];
    return TVGP_OK;
}

static tvgp_status diag_pull(const tvgp_kernel *kernel, size_t n, const double *Z, const double *w, double *G) {
    const linear *k = (const linear *)kernel;
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < kernel->dim; d++)
            G[i * kernel->dim + d] +=
                2 * w[i] * k->variance * (Z[i * kernel->dim + d] * k->reciprocal[d]) * k->reciprocal[d];
    return TVGP_OK;
}

static const tvgp__kernel_ops ops = {
    .struct_size = sizeof ops, .block = block, .diag = diag, .pull = pull, .diag_pull = diag_pull};

tvgp_status tvgp__linear_new(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
                             double bias, tvgp_kernel **out) {
    TVGP__TRY(tvgp__error_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__error_positive(ctx, "bias", bias, 1));
    linear *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &ops, dim, sizeof *k + dim * sizeof *k->reciprocal, &k));
    k->variance = variance;
    k->bias = bias;
    tvgp_status status = tvgp__kernel_reciprocals(ctx, "lengthscale", dim, lengthscale, n_lengthscale, k->reciprocal);
    if (status < 0)
        tvgp__kernel_release(&k->base);
    else
        *out = &k->base;
    return status;
}
