/* SPDX-License-Identifier: MIT */
/* The documented range, checked by every public function: |x|, |y|, |mean|, |t| <= 1e100; variances, noises (or 0),
 * lengthscales and periods within 1e-100 .. 1e100; counts and dimensions <= 2^31 - 1. Outside it LIMIT; NaN and infinity
 * are NONFINITE. Values computed from such numbers (a gain, its product with an outcome or a width) stay finite. The
 * square of an innovation over its variance could still overflow, and is bounded where it is computed. */
#ifndef TVGP__BASE_VALID_RANGE_H
#define TVGP__BASE_VALID_RANGE_H

#include "base/context.h"

#include <math.h>

#define TVGP__VALID_RANGE_LEAST 1e-100
#define TVGP__VALID_RANGE_MOST  1e100
enum {
    TVGP__VALID_RANGE_DEPTH = 64,
    TVGP__VALID_RANGE_PARTS = 65536
}; /* of a kernel made of kernels, a domain made of domains */

/* n <= 2^31 - 1: a gate before an array of n is read. */
tvgp_status tvgp__valid_range_exceeded(tvgp_ctx *ctx, const char *argument, size_t n);
static inline tvgp_status tvgp__valid_range_count(tvgp_ctx *c, const char *argument, size_t n) {
    return n <= INT32_MAX ? TVGP_OK : tvgp__valid_range_exceeded(c, argument, n);
}

/* |value| <= 1e100, of one number and of n. */
tvgp_status tvgp__valid_range_value(tvgp_ctx *ctx, const char *argument, double value);
tvgp_status tvgp__valid_range_values(tvgp_ctx *ctx, const char *argument, size_t n, const double *values);

/* The same of an entry: `name` has a %zu for i, or for i and j, and is written only when it is needed. */
tvgp_status tvgp__valid_range_entry_exceeded(tvgp_ctx *ctx, const char *name, size_t i, size_t j, double value);
static inline tvgp_status tvgp__valid_range_entry(tvgp_ctx *c, const char *name, size_t i, size_t j, double value) {
    return fabs(value) <= TVGP__VALID_RANGE_MOST ? TVGP_OK : tvgp__valid_range_entry_exceeded(c, name, i, j, value);
}

/* 1e-100 .. 1e100 (`zero_allowed`: or 0). ARG when negative, or 0 where that is not allowed. */
tvgp_status tvgp__valid_range_positive(tvgp_ctx *ctx, const char *argument, double value, int zero_allowed);

/* What may overflow even so, at most 1e280 in magnitude: 2^63 such numbers have a finite sum. A value (NaN, of terms that overflowed, counts as the most); x y; and the square of
 * an innovation e over its variance s, or of numbers whitened already. */
double tvgp__valid_range_cap(double value);
double tvgp__valid_range_product(double x, double y);
double tvgp__valid_range_misfit(double e, double s);

#endif
