/* SPDX-License-Identifier: MIT */
#include "kernel/kernel_ops.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

tvgp_status tvgp__kernel_new(tvgp_ctx *ctx, const tvgp__kernel_ops *ops, size_t dim, size_t size, void *out) {
    if (dim == 0)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "dim = 0 must be >= 1");
    tvgp_kernel *kernel = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, size, &kernel));
    *kernel = (tvgp_kernel){.ctx = tvgp__context_retain(ctx), .ops = ops, .dim = dim, .references = 1};
    memcpy(out, &kernel, sizeof kernel);
    return TVGP_OK;
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
    tvgp__memory_free(ctx, kernel);
    tvgp__context_release(ctx);
}

tvgp_status tvgp__kernel_block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                               size_t ldk) {
    return kernel->ops->block(kernel, n, X, m, Z, K, ldk);
}

tvgp_status tvgp__kernel_diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    return kernel->ops->diag(kernel, n, X, d);
}

tvgp_status tvgp__kernel_check(const tvgp_kernel *kernel, const char *argument, size_t n, const double *X) {
    TVGP__TRY(tvgp__error_finite(kernel->ctx, argument, n * kernel->dim, X));
    if (kernel->ops->check)
        TVGP__TRY(kernel->ops->check(kernel, argument, n, X));
    for (size_t i = 0; i < n; i++) { /* |k(x,z)|^2 <= k(x,x) k(z,z): finite variances are enough */
        double variance;
        TVGP__TRY(tvgp__kernel_diag(kernel, 1, X + i * kernel->dim, &variance));
        if (!isfinite(variance))
            return tvgp__error_set(kernel->ctx, TVGP_ERR_ARG,
                                   "%s[%zu] has prior variance %g, too large a point for the kernel", argument, i, variance);
    }
    return TVGP_OK;
}

tvgp_status tvgp__kernel_reciprocals(tvgp_ctx *ctx, const char *argument, size_t dim, const double *values, size_t n_values,
                                     double *reciprocals) {
    if (n_values != 1 && n_values != dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "n_%s = %zu must be 1 or dim = %zu", argument, n_values, dim);
    for (size_t i = 0; i < n_values; i++) {
        TVGP__TRY(tvgp__error_positive(ctx, argument, values[i], 0));
        if (values[i] < DBL_MIN)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s = %g must be >= %g", argument, values[i], DBL_MIN);
    }
    for (size_t d = 0; d < dim; d++)
        reciprocals[d] = 1.0 / values[n_values == 1 ? 0 : d];
    return TVGP_OK;
}
