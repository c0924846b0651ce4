/* SPDX-License-Identifier: MIT */
/* Kernels of r^2 = sum_d ((x_d - x'_d) / l_d)^2 (Rasmussen and Williams 2006, eq. 4.9, 4.17, 4.19): one distance loop, then
 * one vectorised transform of the row. About 3 dim + 20 flops an entry; memory traffic is the points and the result. */
#include "kernel/stationary.h"
#include "base/clones.h"
#include "base/error.h"
#include "kernel/vexp.h"

#include "base/memory.h"
#include <math.h>

typedef struct {
    tvgp_kernel base;
    int family;
    double variance;
    double shape; /* alpha of the rational quadratic */
    double reciprocal[];
} stationary;

/* Squared distances of one point to m points, times `factor`. */
static inline void distances(size_t dim, const double *restrict reciprocal, double factor, const double *restrict x,
                             size_t m, const double *restrict Z, double *restrict r2) {
    for (size_t j = 0; j < m; j++) {
        double sum = 0;
        for (size_t d = 0; d < dim; d++) {
            double diff = (x[d] - Z[j * dim + d]) * reciprocal[d];
            sum += diff * diff;
        }
        r2[j] = factor * sum;
    }
}

/* dim is a constant in the common cases so that the loop vectorises. */
TVGP__CLONES
static void distances_of(size_t dim, const double *reciprocal, double factor, const double *x, size_t m, const double *Z,
                         double *r2) {
    if (dim == 1)
        distances(1, reciprocal, factor, x, m, Z, r2);
    else if (dim == 2)
        distances(2, reciprocal, factor, x, m, Z, r2);
    else if (dim == 3)
        distances(3, reciprocal, factor, x, m, Z, r2);
    else
        distances(dim, reciprocal, factor, x, m, Z, r2);
}

/* Turns squared distances (for SE: times -1/2) into covariances. Matern: a = sqrt(2 nu) r, exp(-a) kept in a stack buffer. */
static void transform(const stationary *k, size_t m, double *row) {
    enum { CHUNK = 256 };
    double decay[CHUNK];
    if (k->family == TVGP__SE) {
        tvgp__vexp(m, k->variance, row);
        return;
    }
    if (k->family == TVGP__RATIONAL_QUADRATIC) {
        for (size_t j = 0; j < m; j++)
            row[j] = -k->shape * log1p(row[j] / (2 * k->shape));
        tvgp__vexp(m, k->variance, row);
        return;
    }
    double two_nu = k->family == TVGP__MATERN12 ? 1 : k->family == TVGP__MATERN32 ? 3 : 5;
    for (size_t first = 0; first < m; first += CHUNK) {
        size_t n = m - first < CHUNK ? m - first : CHUNK;
        double *a = row + first;
        for (size_t j = 0; j < n; j++) {
            a[j] = fmin(sqrt(two_nu * a[j]), 1000); /* exp(-a) is 0 long before; keeps the polynomial finite */
            decay[j] = -a[j];
        }
        tvgp__vexp(n, k->variance, decay);
        for (size_t j = 0; j < n; j++) {
            double polynomial = k->family == TVGP__MATERN12   ? 1
                                : k->family == TVGP__MATERN32 ? 1 + a[j]
                                                              : 1 + a[j] + a[j] * a[j] / 3;
            a[j] = polynomial * decay[j];
        }
    }
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const stationary *k = (const stationary *)kernel;
    const double factor = k->family == TVGP__SE ? -0.5 : 1;
    for (size_t i = 0; i < n; i++) {
        distances_of(kernel->dim, k->reciprocal, factor, X + i * kernel->dim, m, Z, K + i * ldk);
        transform(k, m, K + i * ldk);
    }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = ((const stationary *)kernel)->variance;
    return TVGP_OK;
}

static const tvgp__kernel_ops ops = {.struct_size = sizeof ops, .block = block, .diag = diag};

tvgp_status tvgp__stationary_new(tvgp_ctx *ctx, int family, size_t dim, double variance, double shape,
                                 const double *lengthscale, size_t n_lengthscale, tvgp_kernel **out) {
    TVGP__TRY(tvgp__error_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__error_positive(ctx, "alpha", shape, 0));
    stationary *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &ops, dim, sizeof *k + dim * sizeof *k->reciprocal, &k));
    k->family = family;
    k->variance = variance;
    k->shape = shape;
    tvgp_status status = tvgp__kernel_reciprocals(ctx, "lengthscale", dim, lengthscale, n_lengthscale, k->reciprocal);
    if (status < 0)
        tvgp__kernel_release(&k->base);
    else
        *out = &k->base;
    return status;
}
