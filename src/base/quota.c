/* SPDX-License-Identifier: MIT */
#include "base/quota.h"

#include "base/error.h"

#include <inttypes.h>

tvgp_status tvgp__quota_refuse_bytes(tvgp_ctx *ctx, size_t bytes) {
    ctx->quota->exceeded = 1;
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu bytes beside the %zu held exceed the quota of %zu bytes", bytes,
                           ctx->bytes, ctx->quota->bytes);
}

tvgp_status tvgp__quota_refuse_work(tvgp_ctx *ctx, double work) {
    ctx->quota->exceeded = 1;
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%.17g values in one call exceed the quota of %" PRId64 " values", work,
                           ctx->quota->work);
}

tvgp_status tvgp__quota_arms(tvgp_ctx *ctx, size_t arms) {
    if (!ctx->quota || !ctx->quota->arms || arms <= ctx->quota->arms)
        return TVGP_OK;
    ctx->quota->exceeded = 1;
    return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu arms exceed the quota of %zu arms", arms, ctx->quota->arms);
}
