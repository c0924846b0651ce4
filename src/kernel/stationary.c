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

/* h with dk/dz_d = -h (z_d - x_d) / l_d^2 and dk/dlog l_d = h ((z_d - x_d) / l_d)^2, from squared distances (not SE: h = k).
 * At distance 0 of Matern 1/2, where k has no derivative, h is 0. */
static void slope(const stationary *k, size_t m, double *row) {
    if (k->family == TVGP__RATIONAL_QUADRATIC) {
        for (size_t j = 0; j < m; j++)
            row[j] = -(k->shape + 1) * log1p(row[j] / (2 * k->shape));
        tvgp__vexp(m, k->variance, row);
        return;
    }
    double two_nu = k->family == TVGP__MATERN12 ? 1 : k->family == TVGP__MATERN32 ? 3 : 5;
    for (size_t j = 0; j < m; j++) {
        double a = fmin(sqrt(two_nu * row[j]), 1000), decay = k->variance * exp(-a);
        row[j] = k->family == TVGP__MATERN12   ? (a > 0 ? decay / a : 0)
                 : k->family == TVGP__MATERN32 ? 3 * decay
                                               : 5.0 / 3 * (1 + a) * decay;
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

/* g[d] += sum_j h_j (x_jd - z_d) / l_d^2 */
static inline void gather(size_t dim, const double *restrict reciprocal, const double *restrict z, size_t m,
                          const double *restrict X, const double *restrict h, double *restrict g) {
    for (size_t j = 0; j < m; j++)
        for (size_t d = 0; d < dim; d++)
            g[d] += h[j] * ((X[j * dim + d] - z[d]) * reciprocal[d]) * reciprocal[d];
}

TVGP__CLONES
static void gather_of(size_t dim, const double *reciprocal, const double *z, size_t m, const double *X, const double *h,
                      double *g) {
    if (dim == 1)
        gather(1, reciprocal, z, m, X, h, g);
    else if (dim == 2)
        gather(2, reciprocal, z, m, X, h, g);
    else if (dim == 3)
        gather(3, reciprocal, z, m, X, h, g);
    else
        gather(dim, reciprocal, z, m, X, h, g);
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    enum { CHUNK = 256 };
    const stationary *k = (const stationary *)kernel;
    size_t dim = kernel->dim;
    double h[CHUNK];
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += CHUNK) {
            size_t width = m - first < CHUNK ? m - first : CHUNK;
            double *c = C + i * m + first;
            const double *factor = K + i * m + first;
            if (k->family != TVGP__SE) {
                distances_of(dim, k->reciprocal, 1, Z + i * dim, width, X + first * dim, h);
                slope(k, width, h);
                factor = h;
            }
            for (size_t j = 0; j < width; j++)
                c[j] *= factor[j];
            gather_of(dim, k->reciprocal, Z + i * dim, width, X + first * dim, c, G + i * dim);
        }
    return TVGP_OK;
}

static void reach(const tvgp_kernel *kernel, double *out) {
    for (size_t d = 0; d < kernel->dim; d++)
        out[d] = fmin(out[d], 1 / ((const stationary *)kernel)->reciprocal[d]);
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = ((const stationary *)kernel)->variance;
    return TVGP_OK;
}

static const tvgp__kernel_ops ops = {.struct_size = sizeof ops, .block = block, .diag = diag, .pull = pull, .reach = reach};

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
