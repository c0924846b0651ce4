/* SPDX-License-Identifier: MIT */
/* Periodic kernel: variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / p_d) / l_d^2) (Rasmussen and Williams 2006, eq. 4.31).
 * A point enters by its phase, x_d / p_d minus the nearest integer. The phase depends on that point alone, so the matrix
 * stays positive semidefinite however many periods apart the points are. */
#include "space/kernel/periodic.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/valid_range.h"
#include "linalg/vexp.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

#include <math.h>

typedef struct {
    tvgp_kernel base;
    double variance;
    size_t n_lengthscale, n_period; /* 1 or dim */
    double reciprocal[];            /* 1 / lengthscale, 1 / period, the lengthscales, the periods: room for dim each */
} periodic;

static const double pi = TVGP__PI;

/* How far apart x and z are, in periods. */
static double apart(double x, double z, double frequency) {
    double u = x * frequency, v = z * frequency;
    return (u - rint(u)) - (v - rint(v));
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const periodic *k = (const periodic *)kernel;
    size_t dim = kernel->dim;
    const double *scale = k->reciprocal, *frequency = k->reciprocal + dim;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t d = 0; d < dim; d++) {
                double s = scale[d] * sin(pi * apart(X[i * dim + d], Z[j * dim + d], frequency[d]));
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
                G[i * dim + d] -= C[i * m + j] * K[i * m + j] * 2 * pi * frequency[d] * scale[d] * scale[d] *
                                  sin(2 * pi * apart(Z[i * dim + d], X[j * dim + d], frequency[d]));
    return TVGP_OK;
}

/* sin^2 is a square of the distance up to about p / pi. */
static void reach(const tvgp_kernel *kernel, double *out) {
    const periodic *k = (const periodic *)kernel;
    for (size_t d = 0; d < kernel->dim; d++)
        out[d] = fmin(out[d], fmin(1 / k->reciprocal[d], 1) / (pi * k->reciprocal[kernel->dim + d]));
}

/* ---- parameters: variance, lengthscales, periods ---------------------------------------------------------------- */

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    const periodic *k = (const periodic *)kernel;
    const double *lengthscale = k->reciprocal + 2 * kernel->dim, *period = lengthscale + kernel->dim;
    size_t n = 0;
    tvgp__parameter_put(list, &n, "variance", TVGP_PARAM_VARIANCE, k->variance);
    tvgp__parameter_put_each(list, &n, "lengthscale", TVGP_PARAM_LENGTHSCALE, k->n_lengthscale, lengthscale);
    tvgp__parameter_put_each(list, &n, "period", TVGP_PARAM_PERIOD, k->n_period, period);
    if (list)
        list->flags |= TVGP_PARAM_SCALES;
    return n;
}

static void assign(tvgp_kernel *kernel, const double *values) {
    periodic *k = (periodic *)kernel;
    size_t dim = kernel->dim;
    k->variance = values[0];
    values = tvgp__parameter_take_each(values + 1, k->n_lengthscale, dim, k->reciprocal + 2 * dim, k->reciprocal);
    (void)tvgp__parameter_take_each(values, k->n_period, dim, k->reciprocal + 3 * dim, k->reciprocal + dim);
}

/* dk/dlog l_d = 4 k (sin a / l_d)^2, dk/dlog p_d = 4 k a sin a cos a / l_d^2, a = pi (x_d - z_d) / p_d; one pair with weight
 * wk = w k. */
static void contract_pair(const periodic *k, const double *x, const double *z, double wk, double *gradient) {
    double *by_length = gradient + 1, *by_period = by_length + k->n_lengthscale;
    for (size_t d = 0; d < k->base.dim; d++) {
        double frequency = k->reciprocal[k->base.dim + d], a = pi * (x[d] - z[d]) * frequency;
        double phase = pi * apart(x[d], z[d], frequency), s = sin(phase);
        double factor = 4 * wk * k->reciprocal[d] * k->reciprocal[d];
        by_length[k->n_lengthscale == 1 ? 0 : d] += factor * s * s;
        by_period[k->n_period == 1 ? 0 : d] += factor * a * s * cos(phase);
    }
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double *x = X + i * kernel->dim, *z = Z + j * kernel->dim;
            double value;
            TVGP__TRY(block(kernel, 1, x, 1, z, &value, 1));
            value *= W[i * ldw + j];
            gradient[0] += value;
            contract_pair((const periodic *)kernel, x, z, value, gradient);
        }
    return TVGP_OK;
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const periodic *k = (const periodic *)*kernel;
    periodic s = {0};
    if (k)
        s = *k;
    double *lengthscale = NULL, *period = NULL;
    tvgp__visit_real(v, &s.variance, 0, TVGP__VALID_RANGE_MOST);
    tvgp__kernel_visit_list(v, dim, &s.n_lengthscale, k ? k->reciprocal + 2 * dim : NULL, &lengthscale);
    tvgp__kernel_visit_list(v, dim, &s.n_period, k ? k->reciprocal + 3 * dim : NULL, &period);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(
            v, tvgp__periodic_new(v->ctx, dim, s.variance, lengthscale, s.n_lengthscale, period, s.n_period, kernel));
    tvgp__memory_free(v->ctx, lengthscale);
    tvgp__memory_free(v->ctx, period);
}

const tvgp__kernel_ops tvgp__periodic_ops = {.type = "periodic",
                                             .visit = visit,
                                             .block = block,
                                             .diag = diag,
                                             .pull = pull,
                                             .reach = reach,
                                             .params = params,
                                             .assign = assign,
                                             .contract = contract};

tvgp_status tvgp__periodic_new(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
                               const double *period, size_t n_period, tvgp_kernel **out) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__kernel_scales(ctx, "lengthscale", dim, lengthscale, n_lengthscale));
    TVGP__TRY(tvgp__kernel_scales(ctx, "period", dim, period, n_period));
    periodic *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__periodic_ops, dim, sizeof *k + 4 * dim * sizeof *k->reciprocal, &k));
    k->variance = variance;
    k->n_lengthscale = n_lengthscale;
    k->n_period = n_period;
    (void)tvgp__parameter_take_each(lengthscale, n_lengthscale, dim, k->reciprocal + 2 * dim, k->reciprocal);
    (void)tvgp__parameter_take_each(period, n_period, dim, k->reciprocal + 3 * dim, k->reciprocal + dim);
    *out = &k->base;
    return TVGP_OK;
}
