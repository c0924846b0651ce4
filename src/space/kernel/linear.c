/* SPDX-License-Identifier: MIT */
/* Linear kernel: bias + variance sum_d x_d x'_d / l_d^2 (Rasmussen and Williams 2006, sec. 4.2.2). */
#include "space/kernel/linear.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

typedef struct {
    tvgp_kernel base;
    double variance, bias;
    size_t n_lengthscale; /* 1 or dim */
    double reciprocal[];  /* dim; then the n_lengthscale lengthscales themselves */
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

/* ---- parameters: variance, lengthscales, bias unless it is 0 ---------------------------------------------------- */

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    const linear *k = (const linear *)kernel;
    size_t n = 0;
    tvgp__parameter_put(list, &n, "variance", TVGP_PARAM_VARIANCE, k->variance);
    tvgp__parameter_put_each(list, &n, "lengthscale", TVGP_PARAM_LENGTHSCALE, k->n_lengthscale, k->reciprocal + kernel->dim);
    tvgp__parameter_put(list, &n, "bias", TVGP_PARAM_SHAPE, k->bias);
    if (list)
        list->flags |= k->bias > 0 ? 0 : TVGP_PARAM_SCALES;
    return n;
}

static void assign(tvgp_kernel *kernel, const double *values) {
    linear *k = (linear *)kernel;
    k->variance = values[0];
    values =
        tvgp__parameter_take_each(values + 1, k->n_lengthscale, kernel->dim, k->reciprocal + kernel->dim, k->reciprocal);
    if (k->bias > 0)
        k->bias = values[0];
}

/* Of one pair with weight w: the terms of the sum, each by its own lengthscale. */
static void contract_pair(const linear *k, const double *x, const double *z, double w, double *gradient) {
    for (size_t d = 0; d < k->base.dim; d++) {
        double term = w * k->variance * (x[d] * k->reciprocal[d] * (z[d] * k->reciprocal[d]));
        gradient[0] += term;
        gradient[k->n_lengthscale == 1 ? 1 : 1 + d] -= 2 * term;
    }
    if (k->bias > 0)
        gradient[1 + k->n_lengthscale] += w * k->bias;
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            contract_pair((const linear *)kernel, X + i * kernel->dim, Z + j * kernel->dim, W[i * ldw + j], gradient);
    return TVGP_OK;
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const linear *k = (const linear *)*kernel;
    linear s = {0};
    if (k)
        s = *k;
    double *lengthscale = NULL;
    tvgp__visit_real(v, &s.variance, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &s.bias, 0, TVGP__VALID_RANGE_MOST);
    tvgp__kernel_visit_list(v, dim, &s.n_lengthscale, k ? k->reciprocal + dim : NULL, &lengthscale);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__linear_new(v->ctx, dim, s.variance, lengthscale, s.n_lengthscale, s.bias, kernel));
    tvgp__memory_free(v->ctx, lengthscale);
}

const tvgp__kernel_ops tvgp__linear_ops = {.type = "linear",
                                           .visit = visit,
                                           .block = block,
                                           .diag = diag,
                                           .pull = pull,
                                           .diag_pull = diag_pull,
                                           .params = params,
                                           .assign = assign,
                                           .contract = contract};

tvgp_status tvgp__linear_new(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
                             double bias, tvgp_kernel **out) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__valid_range_positive(ctx, "bias", bias, 1));
    TVGP__TRY(tvgp__kernel_scales(ctx, "lengthscale", dim, lengthscale, n_lengthscale));
    linear *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__linear_ops, dim, sizeof *k + 2 * dim * sizeof *k->reciprocal, &k));
    k->variance = variance;
    k->bias = bias;
    k->n_lengthscale = n_lengthscale;
    (void)tvgp__parameter_take_each(lengthscale, n_lengthscale, dim, k->reciprocal + dim, k->reciprocal);
    *out = &k->base;
    return TVGP_OK;
}
