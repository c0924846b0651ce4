/* SPDX-License-Identifier: MIT */
/* The error record: one message per context, written where the failure is found (base/error.h). */
#include "base/error.h"

#include "base/quota.h"

#include <math.h>

void tvgp__error_forget(tvgp_ctx *ctx, tvgp_status status) {
    if (status < 0)
        ctx->errmsg[0] = '\0';
}

const char *tvgp__error_pause(const tvgp_ctx *ctx) {
    if (ctx->quota)
        ctx->quota->callbacks++;
    return ctx->function;
}

void tvgp__error_resume(tvgp_ctx *ctx, const char *function) {
    if (ctx->quota && ctx->quota->callbacks) /* none where it was set in the callback */
        ctx->quota->callbacks--;
    ctx->function = function;
    ctx->errmsg[0] = '\0';
}

static int own(int32_t status) {
    return status <= -1000 && status >= -1999;
}

tvgp_status tvgp__error_status(int32_t returned) {
    return returned == TVGP_OK || own(returned) ? returned : TVGP_ERR_CALLBACK;
}

tvgp_status tvgp__error_returned(tvgp_ctx *ctx, const char *what, int32_t returned) {
    if (returned == TVGP_OK)
        return TVGP_OK;
    return tvgp__error_set(ctx, tvgp__error_status(returned), "%s returned %d%s", what, (int)returned,
                           own(returned) ? "" : ", must be 0 or -1000..-1999");
}

int tvgp__error_passes(const tvgp_ctx *ctx, tvgp_status status) {
    return tvgp__quota_exceeded(ctx, status) || status == TVGP_ERR_NOMEM || status == TVGP_ERR_INTERRUPTED || own(status);
}

tvgp_status tvgp__error_interrupted(tvgp_ctx *ctx) {
    if (!ctx->interrupt)
        return TVGP_OK;
    const char *function = tvgp__error_pause(ctx);
    const int wanted = ctx->interrupt(ctx->interrupt_user) != 0;
    tvgp__error_resume(ctx, function);
    if (!wanted)
        return TVGP_OK;
    return tvgp__error_set(ctx, TVGP_ERR_INTERRUPTED, "interrupted as the program wished; nothing has changed");
}

tvgp_status tvgp__error_finite(tvgp_ctx *ctx, const char *argument, size_t n, const double *values) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return tvgp__error_set(ctx, TVGP_ERR_NONFINITE, "%s[%zu] = %g is not finite", argument, i, values[i]);
    return TVGP_OK;
}

tvgp_status tvgp__error_positive(tvgp_ctx *ctx, const char *argument, double value, int zero_allowed) {
    if (!isfinite(value))
        return tvgp__error_set(ctx, TVGP_ERR_NONFINITE, "%s = %g is not finite", argument, value);
    if (value < 0 || (value == 0 && !zero_allowed))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s = %g must be %s 0", argument, value, zero_allowed ? ">=" : ">");
    return TVGP_OK;
}
