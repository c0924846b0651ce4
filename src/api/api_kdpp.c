/* SPDX-License-Identifier: MIT */
/* The public functions of k-DPP samples (tvgp/kdpp.h). */
#include "api/enter.h"
#include "base/integer_format.h"
#include "base/valid_range.h"
#include "choose/dpp.h"
#include "tvgp.h"

tvgp_status tvgp_kdpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k, size_t steps,
                             uint64_t seed, size_t *index, size_t *n_index) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, kernel);
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, index);
    TVGP__REQUIRE(ctx, n_index);
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    if (k == 0 || k > n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "k = %zu is outside 1..n = %zu", k, n);
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "X", n, X));
    tvgp__random_stream stream = tvgp__random_stream_open(seed, TVGP__RANDOM_STREAM_DPP, 0);
    return tvgp__dpp_sample(ctx, kernel, n, X, k, tvgp__enter_count(steps), &stream, index, n_index);
}
