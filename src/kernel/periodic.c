/* SPDX-License-Identifier: MIT */
/* Periodic kernel: variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / p_d) / l_d^2) (Rasmussen and Williams 2006, eq. 4.31). */
#include "kernel/periodic.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/vexp.h"

#include <math.h>

typedef struct {
    tvgp_kernel base;
    double variance;
    double reciprocal[]; /* 1 / lengthscale, then 1 / period */
} periodic;

static const double two_pi = 6.283185307179586476925;

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const periodic *k = (const periodic *)kernel;
    size_t dim = kernel->dim;
    const double *scale = k->reciprocal, *frequency = k->reciprocal + dim;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t d = 0; d < dim; d++) {
                double s = scale[d] * sin(0.5 * two_pi * (X[i * dim + d] - Z[j * dim + d]) * frequency[d]);
                sum += s * s;
            }
            K[i * ldk + j] = -2 * sum;
        }
        tvgp__vexp(m, k->variance, K + i * ldk);
    }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = ((const periodic *)kernel)->variance;
    return TVGP_OK;
}

/* dk/dz_d = -2 pi k sin(2 pi (z_d - x_d) / p_d) / (p_d l_d^2) */
static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    const periodic *k = (const periodic *)kernel;
    size_t dim = kernel->dim;
    const double *scale = k->reciprocal, *frequency = k->reciprocal + dim;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t d = 0; d < dim; d++)
                G[i * dim + d] -= C[i * m + j] * K[i * m + j] * two_pi * frequency[d] * scale[d] * scale[d] *
                                  sin(two_pi * (Z[i * dim + d] - X[j * dim + d]) * frequency[d]);
    return TVGP_OK;
}

/* sin^2 is a square of the distance up to about p / pi. */
static void reach(const tvgp_kernel *kernel, double *out) {
    const periodic *k = (const periodic *)kernel;
    for (size_t d = 0; d < kernel->dim; d++)
        out[d] = fmin(out[d], 2 * fmin(1 / k->reciprocal[d], 1) / (two_pi * k->reciprocal[kernel->dim + d]));
}

static const tvgp__kernel_ops ops = {.struct_size = sizeof ops, .block = block, .diag = diag, .pull = pull, .reach = reach};

tvgp_status tvgp__periodic_new(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
                               const double *period, size_t n_period, tvgp_kernel **out) {
    TVGP__TRY(tvgp__error_positive(ctx, "variance", variance, 0));
    periodic *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &ops, dim, sizeof *k + 2 * dim * sizeof *k->reciprocal, &k));
    k->variance = variance;
    tvgp_status status = tvgp__kernel_reciprocals(ctx, "lengthscale", dim, lengthscale, n_lengthscale, k->reciprocal);
    if (status == TVGP_OK)
        status = tvgp__kernel_reciprocals(ctx, "period", dim, period, n_period, k->reciprocal + dim);
    if (status < 0)
        tvgp__kernel_release(&k->base);
    else
        *out = &k->base;
    return status;
}
