/* SPDX-License-Identifier: MIT */
/* Quotas: what a context may hold and one call may do (tvgp_ctx_set_quota). base/memory counts bytes, and domains count arms
 * when they are created (base/quota.h). */
#include "base/quota.h"

#include "base/error.h"
#include "base/integer_format.h"

tvgp_status tvgp__quota_interrupted(tvgp_ctx *ctx) {
    ctx->unpolled = 0;
    return tvgp__error_interrupted(ctx);
}

tvgp_status tvgp__quota_refuse_bytes(tvgp_ctx *ctx, size_t bytes) {
    ctx->quota->exceeded = 1;
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu bytes in addition to the %zu held exceed the quota of %zu bytes", bytes,
                           ctx->bytes, ctx->quota->bytes);
}

tvgp_status tvgp__quota_refuse_work(tvgp_ctx *ctx, double work) {
    ctx->quota->exceeded = 1;
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%.17g values in one call exceed the quota of %" PRId64 " values", work,
                           ctx->quota->work);
}

/* Where no quota of arms was set: a policy holds 32 numbers or more for each of them. */
static const size_t usual_arms = 10000000, bytes_of_arm = 256;

tvgp_status tvgp__quota_arms(tvgp_ctx *ctx, size_t arms) {
    const size_t most = ctx->quota && ctx->quota->arms ? ctx->quota->arms : usual_arms;
    if (arms <= most)
        return TVGP_OK;
    if (!ctx->quota || !ctx->quota->arms)
        return tvgp__error_set(
            ctx, TVGP_ERR_LIMIT,
            "%zu arms need some %.3g bytes in a policy and exceed the usual limit of %zu arms; a quota of arms "
            "(max_arms) allows more, a box has none",
            arms, (double)arms * (double)bytes_of_arm, most);
    ctx->quota->exceeded = 1;
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu arms exceed the quota of %zu arms", arms, most);
}
