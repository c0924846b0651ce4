/* SPDX-License-Identifier: MIT */
/* The public functions of kernels (tvgp/kernel.h). */
#include "api/enter.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/kernel/categorical.h"
#include "space/kernel/combine.h"
#include "space/kernel/kernel_ops.h"
#include "space/kernel/linear.h"
#include "space/kernel/parameter.h"
#include "space/kernel/periodic.h"
#include "space/kernel/slice.h"
#include "space/kernel/stationary.h"
#include "space/kernel/table.h"
#include "space/kernel/time.h"
#include "tvgp.h"

#include <string.h>

#define CREATE(ctx, out)                                                                                                    \
    if (!(ctx))                                                                                                             \
        return TVGP_ERR_ARG;                                                                                                \
    TVGP__ENTER(ctx);                                                                                                       \
    TVGP__REQUIRE(ctx, out)

tvgp_status tvgp_kernel_se(tvgp_ctx *ctx, size_t dim, double variance, size_t n_lengthscale, const double *lengthscale,
                           tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, lengthscale);
    return tvgp__stationary_new(ctx, TVGP__SE, dim, variance, 1, lengthscale, n_lengthscale, out);
}

tvgp_status tvgp_kernel_matern(tvgp_ctx *ctx, size_t dim, double nu, double variance, size_t n_lengthscale,
                               const double *lengthscale, tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, lengthscale);
    TVGP__TRY(tvgp__error_finite(ctx, "nu", 1, &nu));
    if (nu != 0.5 && nu != 1.5 && nu != 2.5)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "nu = %g must be 0.5, 1.5 or 2.5", nu);
    int family = nu == 0.5 ? TVGP__MATERN12 : nu == 1.5 ? TVGP__MATERN32 : TVGP__MATERN52;
    return tvgp__stationary_new(ctx, family, dim, variance, 1, lengthscale, n_lengthscale, out);
}

tvgp_status tvgp_kernel_rational_quadratic(tvgp_ctx *ctx, size_t dim, double alpha, double variance, size_t n_lengthscale,
                                           const double *lengthscale, tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, lengthscale);
    return tvgp__stationary_new(ctx, TVGP__RATIONAL_QUADRATIC, dim, variance, alpha, lengthscale, n_lengthscale, out);
}

tvgp_status tvgp_kernel_periodic(tvgp_ctx *ctx, size_t dim, double variance, size_t n_lengthscale, const double *lengthscale,
                                 size_t n_period, const double *period, tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, lengthscale);
    TVGP__REQUIRE(ctx, period);
    return tvgp__periodic_new(ctx, dim, variance, lengthscale, n_lengthscale, period, n_period, out);
}

tvgp_status tvgp_kernel_linear(tvgp_ctx *ctx, size_t dim, double variance, size_t n_lengthscale, const double *lengthscale,
                               double bias, tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, lengthscale);
    return tvgp__linear_new(ctx, dim, variance, lengthscale, n_lengthscale, bias, out);
}

tvgp_status tvgp_kernel_table(tvgp_ctx *ctx, size_t n_arms, const double *K, tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, K);
    return tvgp__table_new(ctx, n_arms, K, out);
}

static tvgp_status combine(tvgp_ctx *ctx, int product, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out) {
    TVGP__REQUIRE(ctx, a);
    TVGP__REQUIRE(ctx, b);
    return tvgp__combine_new(ctx, product, a, b, out);
}

tvgp_status tvgp_kernel_sum(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out) {
    CREATE(ctx, out);
    return combine(ctx, 0, a, b, out);
}

tvgp_status tvgp_kernel_product(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out) {
    CREATE(ctx, out);
    return combine(ctx, 1, a, b, out);
}

tvgp_status tvgp_kernel_slice(tvgp_ctx *ctx, size_t dim, size_t first, const tvgp_kernel *inner, tvgp_kernel **out) {
    CREATE(ctx, out);
    TVGP__REQUIRE(ctx, inner);
    return tvgp__slice_new(ctx, dim, first, inner, out);
}

tvgp_status tvgp_kernel_categorical(tvgp_ctx *ctx, double variance, double correlation, tvgp_kernel **out) {
    CREATE(ctx, out);
    return tvgp__categorical_new(ctx, variance, correlation, out);
}

tvgp_status tvgp_kernel_forgetting(tvgp_ctx *ctx, double epsilon, tvgp_kernel **out) {
    CREATE(ctx, out);
    return tvgp__time_forgetting_new(ctx, epsilon, out);
}

tvgp_status tvgp_kernel_wiener(tvgp_ctx *ctx, double rate, double origin, tvgp_kernel **out) {
    CREATE(ctx, out);
    return tvgp__time_wiener_new(ctx, rate, origin, out);
}

tvgp_status tvgp_kernel_param_count(const tvgp_kernel *kernel, size_t *n) {
    TVGP__ENTER_OF(kernel);
    TVGP__REQUIRE(ctx, n);
    *n = tvgp__parameter_count(kernel);
    return TVGP_OK;
}

tvgp_status tvgp_kernel_param_info(const tvgp_kernel *kernel, size_t i, tvgp_param_info *info) {
    TVGP__ENTER_OF(kernel);
    TVGP__REQUIRE(ctx, info);
    return tvgp__parameter_info(kernel, i, info);
}

tvgp_status tvgp_kernel_with_params(const tvgp_kernel *kernel, const double *values_or_null, tvgp_kernel **out) {
    TVGP__ENTER_OF(kernel);
    TVGP__REQUIRE(ctx, out);
    if (values_or_null)
        TVGP__TRY(tvgp__parameter_check(kernel, values_or_null));
    return tvgp__parameter_clone(kernel, values_or_null, out);
}

/* Two arrays of points of a kernel, checked. */
static tvgp_status check_points(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z) {
    tvgp_ctx *ctx = kernel->ctx;
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, Z);
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    TVGP__TRY(tvgp__valid_range_count(ctx, "m", m));
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "X", n, X));
    return tvgp__kernel_check(kernel, ctx, "Z", m, Z);
}

tvgp_status tvgp_kernel_gram(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K) {
    TVGP__ENTER_OF(kernel);
    if (n == 0 || m == 0)
        return TVGP_OK;
    TVGP__REQUIRE(ctx, K);
    TVGP__TRY(check_points(kernel, n, X, m, Z));
    return tvgp__kernel_block(kernel, n, X, m, Z, K, m);
}

tvgp_status tvgp_kernel_param_gradient(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                       const double *W, double *gradient) {
    TVGP__ENTER_OF(kernel);
    TVGP__REQUIRE(ctx, gradient);
    size_t count = tvgp__parameter_count(kernel);
    double *sums = NULL;
    if (!count)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "the kernel has no parameters");
    if (n && m) {
        TVGP__REQUIRE(ctx, W);
        TVGP__TRY(check_points(kernel, n, X, m, Z));
        TVGP__TRY(tvgp__valid_range_values(ctx, "W", n * m, W));
    }
    TVGP__TRY(tvgp__memory_alloc(ctx, count, sizeof *sums, &sums));
    tvgp_status status = n && m ? tvgp__parameter_contract(kernel, n, X, m, Z, W, m, sums) : TVGP_OK;
    if (status == TVGP_OK)
        memcpy(gradient, sums, count * sizeof *gradient);
    tvgp__memory_free(ctx, sums);
    return status;
}

tvgp_status tvgp_kernel_dim(const tvgp_kernel *kernel, size_t *dim) {
    if (!kernel || !dim)
        return TVGP_ERR_ARG;
    *dim = kernel->dim;
    return TVGP_OK;
}

void tvgp_kernel_destroy(tvgp_kernel *kernel) {
    tvgp__kernel_release(kernel);
}
