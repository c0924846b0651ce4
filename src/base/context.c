/* SPDX-License-Identifier: MIT */
#include "base/context.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

tvgp_ctx *tvgp__context_retain(tvgp_ctx *ctx) {
    ctx->references++;
    return ctx;
}

void tvgp__context_release(tvgp_ctx *ctx) {
    if (ctx && --ctx->references == 0) {
        tvgp_allocator a = ctx->allocator;
        for (tvgp__context_part *part = ctx->parts, *next; part; part = next) {
            next = part->next;
            part->forget(ctx, part);
        }
        tvgp__memory_free(ctx, ctx->quota);
        tvgp__memory_trim(ctx);
        a.release(a.user, ctx);
    }
}

void tvgp__context_log(tvgp_ctx *ctx, const char *format, ...) {
    if (!ctx->logger)
        return;
    char line[TVGP__ERRMSG_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    const char *function = tvgp__error_pause(ctx);
    ctx->logger(ctx->logger_user, line);
    tvgp__error_resume(ctx, function);
}
