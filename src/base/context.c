/* SPDX-License-Identifier: MIT */
/* The context: everything an object needs from its environment, and the only state that objects share (base/context.h). */
#include "base/context.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"

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
        tvgp__context_user_release(ctx, ctx->logger_owned);
        tvgp__context_user_release(ctx, ctx->interrupt_owned);
        tvgp__memory_free(ctx, ctx->quota);
        tvgp__memory_trim(ctx);
        a.release(a.user, ctx);
    }
}

void(tvgp__context_log)(tvgp_ctx *ctx, const char *format, ...) {
    if (!ctx->logger)
        return;
    char line[TVGP__ERRMSG_SIZE];
    va_list args;
    va_start(args, format);
    tvgp__number_text_format(line, sizeof line, format, args);
    va_end(args);
    tvgp__error_set_whole(line);
    const char *function = tvgp__error_pause(ctx);
    ctx->logger(ctx->logger_user, line);
    tvgp__error_resume(ctx, function);
}

tvgp_status tvgp__context_user_new(tvgp_ctx *ctx, void *user, tvgp_destroy_fn destroy, tvgp__context_user **out) {
    *out = NULL;
    if (!destroy)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof **out, out));
    **out = (tvgp__context_user){.references = 1, .user = user, .destroy = destroy};
    return TVGP_OK;
}

tvgp_status tvgp__context_user_finish(tvgp_ctx *ctx, tvgp__context_user *u, tvgp_status status) {
    if (u && status < 0)
        u->destroy = NULL;
    tvgp__context_user_release(ctx, u);
    return status;
}

tvgp__context_user *tvgp__context_user_retain(tvgp__context_user *u) {
    if (u)
        u->references++;
    return u;
}

void tvgp__context_user_release(tvgp_ctx *ctx, tvgp__context_user *u) {
    if (!u || --u->references)
        return;
    if (u->destroy) {
        const char *function = tvgp__error_pause(ctx);
        u->destroy(u->user);
        tvgp__error_resume(ctx, function);
    }
    tvgp__memory_free(ctx, u);
}
