/* SPDX-License-Identifier: MIT */
/* Compound symmetry on categories: `variance` if two values are equal, variance times correlation otherwise. A
 * correlation in [0, 1] gives a covariance for any number of categories: correlation 11' + (1 - correlation) I. */
#include "space/kernel/categorical.h"
#include "base/error.h"
#include "base/valid_range.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

typedef struct {
    tvgp_kernel base;
    double variance, correlation, apart;
} categorical;

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const categorical *k = (const categorical *)kernel;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = X[i] == Z[j] ? k->variance : k->apart;
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = ((const categorical *)kernel)->variance;
    return TVGP_OK;
}

/* Constant except for jumps, so it adds nothing to a gradient. */
static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    (void)kernel, (void)n, (void)Z, (void)m, (void)X, (void)K, (void)C, (void)G;
    return TVGP_OK;
}

/* ---- parameters: variance, correlation unless it is 0 ----------------------------------------------------------- */

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    const categorical *k = (const categorical *)kernel;
    size_t n = 0;
    tvgp__parameter_put(list, &n, "variance", TVGP_PARAM_VARIANCE, k->variance);
    tvgp__parameter_put(list, &n, "correlation", TVGP_PARAM_SHAPE, k->correlation);
    if (list && n > 1)
        list[1].upper = 1;
    if (list)
        list->flags |= TVGP_PARAM_SCALES;
    return n;
}

static void assign(tvgp_kernel *kernel, const double *values) {
    categorical *k = (categorical *)kernel;
    k->variance = values[0];
    if (k->correlation > 0)
        k->correlation = values[1];
    k->apart = k->variance * k->correlation;
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    const categorical *k = (const categorical *)kernel;
    double equal = 0, apart = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            *(X[i] == Z[j] ? &equal : &apart) += W[i * ldw + j];
    gradient[0] += k->variance * equal + k->apart * apart;
    if (k->correlation > 0)
        gradient[1] += k->apart * apart;
    return TVGP_OK;
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const categorical *k = (const categorical *)*kernel;
    double variance = k ? k->variance : 0, correlation = k ? k->correlation : 0;
    (void)dim;
    tvgp__visit_real(v, &variance, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &correlation, 0, 1);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__categorical_new(v->ctx, variance, correlation, kernel));
}

const tvgp__kernel_ops tvgp__categorical_ops = {.type = "categorical",
                                                .visit = visit,
                                                .block = block,
                                                .diag = diag,
                                                .params = params,
                                                .assign = assign,
                                                .contract = contract,
                                                .pull = pull};

tvgp_status tvgp__categorical_new(tvgp_ctx *ctx, double variance, double correlation, tvgp_kernel **out) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__error_finite(ctx, "correlation", 1, &correlation));
    if (correlation < 0 || correlation > 1)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "correlation = %.17g is outside [0, 1]", correlation);
    categorical *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__categorical_ops, 1, sizeof *k, &k));
    k->variance = variance;
    k->correlation = correlation;
    k->apart = variance * correlation;
    *out = &k->base;
    return TVGP_OK;
}
