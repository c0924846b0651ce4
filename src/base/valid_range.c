/* SPDX-License-Identifier: MIT */
/* The documented range, checked by every public function: |x|, |y|, |mean|, |t| <= 1e100; variances, noises (or 0),
 * lengthscales and periods within 1e-100 .. 1e100; counts and dimensions <= 2^31 - 1 (base/valid_range.h). */
#include "base/valid_range.h"

#include "base/error.h"
#include "base/number_text.h"

#include <math.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "-ffast-math and -ffinite-math-only remove the checks for NaN: build libtvgp without them"
#endif

tvgp_status tvgp__valid_range_exceeded(tvgp_ctx *ctx, const char *argument, size_t n) {
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%s = %zu exceeds the limit %d", argument, n, (int)INT32_MAX);
}

tvgp_status tvgp__valid_range_value(tvgp_ctx *ctx, const char *argument, double value) {
    if (!isfinite(value))
        return tvgp__error_set(ctx, TVGP_ERR_NONFINITE, "%s = %g is not finite", argument, value);
    if (fabs(value) > TVGP__VALID_RANGE_MOST)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%s = %g is outside [-1e100, 1e100]", argument, value);
    return TVGP_OK;
}

tvgp_status tvgp__valid_range_values(tvgp_ctx *ctx, const char *argument, size_t n, const double *values) {
    TVGP__TRY(tvgp__error_finite(ctx, argument, n, values));
    for (size_t i = 0; i < n; i++)
        if (fabs(values[i]) > TVGP__VALID_RANGE_MOST)
            return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%s[%zu] = %g is outside [-1e100, 1e100]", argument, i, values[i]);
    return TVGP_OK;
}

tvgp_status tvgp__valid_range_entry_exceeded(tvgp_ctx *ctx, const char *name, size_t i, size_t j, double value) {
    char text[64];
    tvgp__number_text_print(text, sizeof text, name, i, j);
    return tvgp__valid_range_value(ctx, text, value);
}

tvgp_status tvgp__valid_range_positive(tvgp_ctx *ctx, const char *argument, double value, int zero_allowed) {
    TVGP__TRY(tvgp__error_positive(ctx, argument, value, zero_allowed));
    if (value > TVGP__VALID_RANGE_MOST || (value != 0 && value < TVGP__VALID_RANGE_LEAST))
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%s = %g is outside [1e-100, 1e100]%s", argument, value,
                               zero_allowed ? " and not 0" : "");
    return TVGP_OK;
}

double tvgp__valid_range_cap(double value) {
    return fmax(-1e280, fmin(value, 1e280));
}

double tvgp__valid_range_product(double x, double y) {
    return tvgp__valid_range_cap(x * y);
}

double tvgp__valid_range_misfit(double e, double s) {
    return fmin(e * e / s, 1e280);
}
