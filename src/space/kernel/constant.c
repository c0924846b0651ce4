/* SPDX-License-Identifier: MIT */
/* A kernel with the same value for every pair of points: the factor of a product that has none of its own (space/kernel/constant.h). */
#include "space/kernel/constant.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/kernel/combine.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

typedef struct {
    tvgp_kernel base;
    double variance;
} constant;

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    (void)X;
    (void)Z;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = ((const constant *)kernel)->variance;
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    return block(kernel, n, X, 1, X, d, 1);
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    (void)kernel, (void)n, (void)Z, (void)m, (void)X, (void)K, (void)C, (void)G; /* no slope */
    return TVGP_OK;
}

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    size_t n = 0;
    tvgp__parameter_put(list, &n, "variance", TVGP_PARAM_VARIANCE, ((const constant *)kernel)->variance);
    if (list)
        list->flags |= TVGP_PARAM_SCALES;
    return n;
}

static void assign(tvgp_kernel *kernel, const double *values) {
    ((constant *)kernel)->variance = values[0];
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    (void)X;
    (void)Z;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            gradient[0] += ((const constant *)kernel)->variance * W[i * ldw + j];
    return TVGP_OK;
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const constant *k = (const constant *)*kernel;
    double variance = k ? k->variance : 0;
    tvgp__visit_real(v, &variance, 0, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__constant_new(v->ctx, dim, variance, kernel));
}

const tvgp__kernel_ops tvgp__constant_ops = {.type = "constant",
                                             .visit = visit,
                                             .block = block,
                                             .diag = diag,
                                             .pull = pull,
                                             .params = params,
                                             .assign = assign,
                                             .contract = contract};

tvgp_status tvgp__constant_new(tvgp_ctx *ctx, size_t dim, double variance, tvgp_kernel **out) {
    constant *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__constant_ops, dim, sizeof *k, &k));
    k->variance = variance;
    *out = &k->base;
    return TVGP_OK;
}

/* *found: one of the kernel's parameters multiplies the whole of it. */
static tvgp_status find_scale(const tvgp_kernel *kernel, int *found) {
    tvgp__param *list = NULL;
    size_t n = tvgp__parameter_count(kernel);
    TVGP__TRY(tvgp__memory_alloc(kernel->ctx, n, sizeof *list, &list));
    (void)tvgp__parameter_list(kernel, list);
    *found = 0;
    for (size_t i = 0; i < n; i++)
        *found |= (list[i].flags & TVGP_PARAM_SCALES) != 0;
    tvgp__memory_free(kernel->ctx, list);
    return TVGP_OK;
}

tvgp_status tvgp__constant_scaled(const tvgp_kernel *kernel, tvgp_kernel **out) {
    tvgp_kernel *clone = NULL, *factor = NULL;
    int found = 0;
    TVGP__TRY(find_scale(kernel, &found));
    TVGP__TRY(tvgp__parameter_clone(kernel, NULL, &clone));
    if (found) {
        *out = clone;
        return TVGP_OK;
    }
    tvgp_status status = tvgp__constant_new(kernel->ctx, kernel->dim, 1, &factor);
    if (status == TVGP_OK)
        status = tvgp__combine_new(kernel->ctx, 1, clone, factor, out);
    tvgp__kernel_release(clone);
    tvgp__kernel_release(factor);
    return status;
}
