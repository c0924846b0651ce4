/* SPDX-License-Identifier: MIT */
/* A kernel on coordinates first .. first + inner dim - 1 of a larger point. With sums and products it expresses "any
 * kernel over the arms times any kernel over the hour". Points are packed in chunks. */
#include "space/kernel/slice.h"
#include "base/error.h"
#include "base/scratch.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

#include <string.h>

enum { WORK = 512 }; /* doubles of packed points at a time; the most coordinates a slice has */

typedef struct {
    tvgp_kernel base;
    tvgp_kernel *inner;
    size_t first;
} slice;

/* The slices of points `from` .. of X, as many as `work` holds; returns how many. */
static size_t pack(const slice *k, size_t n, const double *X, size_t from, double *work) {
    size_t dim = k->inner->dim, count = WORK / dim < n - from ? WORK / dim : n - from;
    for (size_t j = 0; j < count; j++)
        memcpy(work + j * dim, X + (from + j) * k->base.dim + k->first, dim * sizeof *work);
    return count;
}

static tvgp_status block_packed(const slice *k, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk,
                                double *work) {
    for (size_t from = 0, count; from < m; from += count) {
        count = pack(k, m, Z, from, work);
        for (size_t i = 0; i < n; i++)
            TVGP__TRY(
                tvgp__kernel_block(k->inner, 1, X + i * k->base.dim + k->first, count, work, K + i * ldk + from, count));
    }
    return TVGP_OK;
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, WORK, &work));
    tvgp_status status = block_packed((const slice *)kernel, n, X, m, Z, K, ldk, work);
    tvgp__scratch_give(kernel->ctx, work);
    return status;
}

static tvgp_status diag_packed(const slice *k, size_t n, const double *X, double *d, double *work) {
    for (size_t from = 0, count; from < n; from += count) {
        count = pack(k, n, X, from, work);
        TVGP__TRY(tvgp__kernel_diag(k->inner, count, work, d + from));
    }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, WORK, &work));
    tvgp_status status = diag_packed((const slice *)kernel, n, X, d, work);
    tvgp__scratch_give(kernel->ctx, work);
    return status;
}

static tvgp_status check_packed(const slice *k, tvgp_ctx *ctx, const char *argument, size_t n, const double *X,
                                double *work) {
    for (size_t from = 0, count; from < n; from += count) {
        count = pack(k, n, X, from, work);
        TVGP__TRY(k->inner->ops->check(k->inner, ctx, argument, count, work));
    }
    return TVGP_OK;
}

static tvgp_status check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X) {
    const slice *k = (const slice *)kernel;
    if (!k->inner->ops->check)
        return TVGP_OK;
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, WORK, &work));
    tvgp_status status = check_packed(k, ctx, argument, n, X, work);
    tvgp__scratch_give(kernel->ctx, work);
    return status;
}

static tvgp_status pull_packed(const slice *k, size_t n, const double *Z, size_t m, const double *X, const double *K,
                               double *C, double *G, double *work) {
    for (size_t from = 0, count; from < m; from += count) {
        count = pack(k, m, X, from, work);
        for (size_t i = 0; i < n; i++)
            TVGP__TRY(tvgp__kernel_pull(k->inner, 1, Z + i * k->base.dim + k->first, count, work, K + i * m + from,
                                        C + i * m + from, G + i * k->base.dim + k->first));
    }
    return TVGP_OK;
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, WORK, &work));
    tvgp_status status = pull_packed((const slice *)kernel, n, Z, m, X, K, C, G, work);
    tvgp__scratch_give(kernel->ctx, work);
    return status;
}

static tvgp_status diag_pull(const tvgp_kernel *kernel, size_t n, const double *Z, const double *w, double *G) {
    const slice *k = (const slice *)kernel;
    for (size_t i = 0; i < n; i++) {
        size_t at = i * kernel->dim + k->first;
        TVGP__TRY(tvgp__kernel_diag_pull(k->inner, 1, Z + at, w + i, G + at));
    }
    return TVGP_OK;
}

static void reach(const tvgp_kernel *kernel, double *out) {
    const slice *k = (const slice *)kernel;
    if (k->inner->ops->reach)
        k->inner->ops->reach(k->inner, out + k->first);
}

static void release(tvgp_kernel *kernel) {
    tvgp__kernel_release(((slice *)kernel)->inner);
}

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    return tvgp__parameter_list(((const slice *)kernel)->inner, list);
}

static tvgp_status clone(const tvgp_kernel *kernel, const double *values, tvgp_kernel **out) {
    const slice *k = (const slice *)kernel;
    tvgp_kernel *inner = NULL;
    TVGP__TRY(tvgp__parameter_clone(k->inner, values, &inner));
    tvgp_status status = tvgp__slice_new(kernel->ctx, kernel->dim, k->first, inner, out);
    tvgp__kernel_release(inner);
    return status;
}

static tvgp_status contract_packed(const slice *k, size_t n, const double *X, size_t m, const double *Z, const double *W,
                                   size_t ldw, double *gradient, double *work) {
    for (size_t from = 0, count; from < m; from += count) {
        count = pack(k, m, Z, from, work);
        for (size_t i = 0; i < n; i++)
            TVGP__TRY(tvgp__parameter_contract(k->inner, 1, X + i * k->base.dim + k->first, count, work, W + i * ldw + from,
                                               count, gradient));
    }
    return TVGP_OK;
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    double *work = NULL;
    TVGP__TRY(tvgp__scratch_take(kernel->ctx, WORK, &work));
    tvgp_status status = contract_packed((const slice *)kernel, n, X, m, Z, W, ldw, gradient, work);
    tvgp__scratch_give(kernel->ctx, work);
    return status;
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const slice *k = (const slice *)*kernel;
    tvgp_kernel *inner = k ? k->inner : NULL;
    size_t first = k ? k->first : 0;
    tvgp__visit_size(v, &first, 0, UINT32_MAX);
    tvgp__kernel_visit(v, &inner);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__slice_new(v->ctx, dim, first, inner, kernel));
    if (v->purpose == TVGP__VISIT_LOAD)
        tvgp__kernel_release(inner);
}

const tvgp__kernel_ops tvgp__slice_ops = {.type = "slice",
                                          .visit = visit,
                                          .block = block,
                                          .diag = diag,
                                          .check = check,
                                          .release = release,
                                          .params = params,
                                          .clone = clone,
                                          .contract = contract,
                                          .pull = pull,
                                          .diag_pull = diag_pull,
                                          .reach = reach};

tvgp_status tvgp__slice_new(tvgp_ctx *ctx, size_t dim, size_t first, const tvgp_kernel *inner, tvgp_kernel **out) {
    if (inner->dim > WORK)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "inner has dimension %zu, at most %d in a slice", inner->dim, WORK);
    if (first >= dim || inner->dim > dim - first)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "coordinates %zu .. %zu + %zu - 1 are outside 0 .. dim - 1 = %zu", first,
                               first, inner->dim, dim - 1);
    slice *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__slice_ops, dim, sizeof *k, &k));
    k->inner = tvgp__kernel_retain(inner);
    k->first = first;
    return tvgp__kernel_nest(&k->base, inner, NULL, out);
}
