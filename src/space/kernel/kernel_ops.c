/* SPDX-License-Identifier: MIT */
/* Covariance functions behind one ops table, evaluated in blocks (space/kernel/kernel_ops.h). */
#include "space/kernel/kernel_ops.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__kernel_new(tvgp_ctx *ctx, const tvgp__kernel_ops *ops, size_t dim, size_t size, void *out) {
    if (dim == 0)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "dim = 0 must be >= 1");
    TVGP__TRY(tvgp__valid_range_count(ctx, "dim", dim)); /* a larger one may have overflowed the size */
    tvgp_kernel *kernel = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, size, &kernel));
    *kernel = (tvgp_kernel){
        .ctx = tvgp__context_retain(ctx), .ops = ops, .size = size, .dim = dim, .depth = 1, .parts = 1, .references = 1};
    memcpy(out, &kernel, sizeof kernel);
    return TVGP_OK;
}

tvgp_status tvgp__kernel_copy(const tvgp_kernel *kernel, tvgp_kernel **out) {
    TVGP__TRY(tvgp__kernel_new(kernel->ctx, kernel->ops, kernel->dim, kernel->size, out));
    memcpy(*out + 1, kernel + 1, kernel->size - sizeof *kernel);
    return TVGP_OK;
}

tvgp_status tvgp__kernel_nest(tvgp_kernel *kernel, const tvgp_kernel *part, const tvgp_kernel *other, tvgp_kernel **out) {
    tvgp_status status = TVGP_OK;
    kernel->depth = 1 + (other && other->depth > part->depth ? other->depth : part->depth);
    kernel->parts = part->parts + (other ? other->parts : 0);
    if (kernel->depth > TVGP__VALID_RANGE_DEPTH)
        status = tvgp__error_set(kernel->ctx, TVGP_ERR_LIMIT, "kernels nested %zu deep exceed the limit %d", kernel->depth,
                                 TVGP__VALID_RANGE_DEPTH);
    else if (kernel->parts > TVGP__VALID_RANGE_PARTS) /* one may be part of another twice, that of a third twice, .. */
        status = tvgp__error_set(kernel->ctx, TVGP_ERR_LIMIT, "a kernel of %zu parts exceeds the limit %d", kernel->parts,
                                 TVGP__VALID_RANGE_PARTS);
    if (status < 0)
        tvgp__kernel_release(kernel);
    else
        *out = kernel;
    return status;
}

tvgp_kernel *tvgp__kernel_retain(const tvgp_kernel *kernel) {
    tvgp_kernel *shared = (tvgp_kernel *)kernel; /* the count is not part of what const promises */
    shared->references++;
    return shared;
}

void tvgp__kernel_release(tvgp_kernel *kernel) {
    if (!kernel || --kernel->references > 0)
        return;
    tvgp_ctx *ctx = kernel->ctx;
    if (kernel->ops->release)
        kernel->ops->release(kernel);
    tvgp__memory_free(ctx, kernel->names);
    tvgp__memory_free(ctx, kernel);
    tvgp__context_release(ctx);
}

tvgp_status tvgp__kernel_block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                               size_t ldk) {
    TVGP__TRY(tvgp__quota_work(kernel->ctx, n, m));
    return kernel->ops->block(kernel, n, X, m, Z, K, ldk);
}

tvgp_status tvgp__kernel_diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    TVGP__TRY(tvgp__quota_work(kernel->ctx, n, 1));
    return kernel->ops->diag(kernel, n, X, d);
}

/* ---- gradients -------------------------------------------------------------------------------------------------- */

static double step_of(size_t n, const double *Z, size_t m, const double *X, size_t dim, size_t d) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, Z[i * dim + d]);
        high = fmax(high, Z[i * dim + d]);
    }
    for (size_t j = 0; j < m; j++) {
        low = fmin(low, X[j * dim + d]);
        high = fmax(high, X[j * dim + d]);
    }
    return 6e-6 * (high > low ? high - low : 1);
}

/* Kernel row of z moved by h along d, and its diagonal; work: dim. */
static tvgp_status moved(const tvgp_kernel *kernel, const double *z, size_t d, double h, size_t m, const double *X,
                         double *work, double *row, double *diagonal) {
    memcpy(work, z, kernel->dim * sizeof *work);
    work[d] += h;
    return m ? tvgp__kernel_block(kernel, 1, work, m, X, row, m) : tvgp__kernel_diag(kernel, 1, work, diagonal);
}

/* Central differences: of row i of block with weights C, or (m = 0) of the diagonal with weights w. */
static tvgp_status difference(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X,
                              const double *C, const double *w, double *work, double *G) {
    size_t dim = kernel->dim;
    double *low = work + dim, *high = low + m, before = 0, after = 0;
    for (size_t d = 0; d < dim; d++) {
        double h = step_of(n, Z, m, X, dim, d);
        for (size_t i = 0; i < n; i++) {
            TVGP__TRY(moved(kernel, Z + i * dim, d, -h, m, X, work, low, &before));
            TVGP__TRY(moved(kernel, Z + i * dim, d, h, m, X, work, high, &after));
            for (size_t j = 0; j < m; j++)
                G[i * dim + d] += C[i * m + j] * (high[j] - low[j]) / (2 * h);
            if (!m)
                G[i * dim + d] += w[i] * (after - before) / (2 * h);
        }
    }
    return TVGP_OK;
}

static tvgp_status differences(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X,
                               const double *C, const double *w, double *G) {
    double *work = NULL;
    TVGP__TRY(tvgp__memory_alloc(kernel->ctx, kernel->dim + 2 * m, sizeof *work, &work));
    tvgp_status status = difference(kernel, n, Z, m, X, C, w, work, G);
    tvgp__memory_free(kernel->ctx, work);
    return status;
}

tvgp_status tvgp__kernel_pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X,
                              const double *K, double *C, double *G) {
    TVGP__TRY(tvgp__quota_work(kernel->ctx, n, m));
    if (!m)
        return TVGP_OK;
    if (kernel->ops->pull)
        return kernel->ops->pull(kernel, n, Z, m, X, K, C, G);
    return differences(kernel, n, Z, m, X, C, NULL, G);
}

tvgp_status tvgp__kernel_diag_pull(const tvgp_kernel *kernel, size_t n, const double *Z, const double *w, double *G) {
    if (kernel->ops->diag_pull)
        return kernel->ops->diag_pull(kernel, n, Z, w, G);
    return kernel->ops->pull ? TVGP_OK : differences(kernel, n, Z, 0, NULL, NULL, w, G);
}

void tvgp__kernel_reach(const tvgp_kernel *kernel, const double *side, double *out) {
    for (size_t d = 0; d < kernel->dim; d++)
        out[d] = INFINITY;
    if (kernel->ops->reach)
        kernel->ops->reach(kernel, out);
    for (size_t d = 0; d < kernel->dim; d++)
        if (!(out[d] < INFINITY))
            out[d] = side[d] / 5;
}

tvgp_status tvgp__kernel_check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X) {
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    TVGP__TRY(tvgp__valid_range_values(ctx, argument, n * kernel->dim, X));
    if (kernel->ops->check)
        TVGP__TRY(kernel->ops->check(kernel, ctx, argument, n, X));
    for (size_t i = 0; i < n; i++) { /* |k(x,z)|^2 <= k(x,x) k(z,z): bounded variances are enough */
        double variance;
        TVGP__TRY(tvgp__kernel_diag(kernel, 1, X + i * kernel->dim, &variance));
        if (!(variance <= TVGP__VALID_RANGE_MOST))
            return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%s[%zu] has prior variance %g, above 1e100", argument, i, variance);
    }
    return TVGP_OK;
}

tvgp_status tvgp__kernel_scales(tvgp_ctx *ctx, const char *argument, size_t dim, const double *values, size_t n_values) {
    TVGP__TRY(tvgp__valid_range_count(ctx, "dim", dim));
    if (n_values != 1 && n_values != dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "n_%s = %zu must be 1 or dim = %zu", argument, n_values, dim);
    for (size_t i = 0; i < n_values; i++)
        TVGP__TRY(tvgp__valid_range_positive(ctx, argument, values[i], 0));
    return TVGP_OK;
}
