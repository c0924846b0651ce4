/* SPDX-License-Identifier: MIT */
/* A file of its own, so that the linker can redirect every call of this function in a test program (tests/error_log.c). */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

tvgp_status tvgp__error_set(tvgp_ctx *ctx, tvgp_status status, const char *format, ...) {
    int used = ctx->function ? snprintf(ctx->errmsg, sizeof ctx->errmsg, "%s: ", ctx->function) : 0;
    if (used >= 0 && (size_t)used < sizeof ctx->errmsg) {
        va_list args;
        va_start(args, format);
        vsnprintf(ctx->errmsg + used, sizeof ctx->errmsg - (size_t)used, format, args);
        va_end(args);
    }
    return status;
}
