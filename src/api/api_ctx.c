/* SPDX-License-Identifier: MIT */
/* The public functions of contexts (tvgp/ctx.h). */
#include "api/enter.h"
#include "api/parts.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "policy/builtin.h"
#include "space/domain/domain_types.h"
#include "space/kernel/kernel_types.h"
#include "tvgp.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

const char *tvgp_version(void) {
    return TEXT(TVGP_VERSION_MAJOR) "." TEXT(TVGP_VERSION_MINOR) "." TEXT(TVGP_VERSION_PATCH);
}

const char *tvgp_status_name(tvgp_status status) {
    static const char *const failures[] = {"TVGP_OK",
                                           "TVGP_ERR_ARG",
                                           "TVGP_ERR_NOMEM",
                                           "TVGP_ERR_STATE",
                                           "TVGP_ERR_DIM",
                                           "TVGP_ERR_NOTFOUND",
                                           "TVGP_ERR_OPTION",
                                           "TVGP_ERR_TICKET",
                                           "TVGP_ERR_UNSUPPORTED",
                                           "TVGP_ERR_VERSION",
                                           "TVGP_ERR_FORMAT",
                                           "TVGP_ERR_BUFFER",
                                           "TVGP_ERR_NUMERIC",
                                           "TVGP_ERR_NONFINITE",
                                           "TVGP_ERR_CALLBACK",
                                           "TVGP_ERR_REENTRANT",
                                           "TVGP_ERR_INTERRUPTED",
                                           "TVGP_ERR_LIMIT",
                                           "TVGP_ERR_INTERNAL"};
    if (status <= 0 && status > -(tvgp_status)(sizeof failures / sizeof *failures))
        return failures[-status];
    if (status == TVGP_AGAIN)
        return "TVGP_AGAIN";
    if (status == TVGP_DONE)
        return "TVGP_DONE";
    return status != TVGP_ERR_CALLBACK && tvgp__error_status(status) == status ? "TVGP_ERR_CALLBACK" : "unknown status";
}

const char tvgp_abi_1_0 = 1;

static void *default_allocate(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

tvgp_status tvgp_ctx_create(const tvgp_allocator *allocator, tvgp_ctx **out) {
    tvgp_allocator a = {.struct_size = sizeof a, .allocate = default_allocate, .release = default_release};
    if (allocator && allocator->struct_size < sizeof a)
        return TVGP_ERR_ARG;
    if (allocator)
        a = *allocator;
    if (!out || !a.allocate || !a.release)
        return TVGP_ERR_ARG;
    tvgp_ctx *ctx = a.allocate(a.user, sizeof *ctx);
    if (!ctx)
        return TVGP_ERR_NOMEM;
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = a;
    ctx->references = 1;
    ctx->bytes = sizeof *ctx;
    tvgp__kernel_types_register(ctx);
    tvgp__domain_types_register(ctx);
    tvgp__builtin_register(ctx);
    tvgp__parts_register(ctx);
    *out = ctx;
    return TVGP_OK;
}

void tvgp_ctx_destroy(tvgp_ctx *ctx) {
    tvgp__context_release(ctx);
}

const char *tvgp_ctx_errmsg(const tvgp_ctx *ctx) {
    return ctx ? ctx->errmsg : "the context is NULL";
}

tvgp_status tvgp_ctx_set_logger(tvgp_ctx *ctx, tvgp_logger logger, void *user, tvgp_destroy_fn destroy_or_null) {
    TVGP__ENTER(ctx);
    tvgp__context_user *owned, *before = ctx->logger_owned;
    TVGP__TRY(tvgp__context_user_new(ctx, user, destroy_or_null, &owned));
    ctx->logger = logger;
    ctx->logger_user = user;
    ctx->logger_owned = owned;
    tvgp__context_user_release(ctx, before);
    return TVGP_OK;
}

tvgp_status tvgp_ctx_set_interrupt(tvgp_ctx *ctx, tvgp_interrupt interrupt, void *user, tvgp_destroy_fn destroy_or_null) {
    TVGP__ENTER(ctx);
    tvgp__context_user *owned, *before = ctx->interrupt_owned;
    TVGP__TRY(tvgp__context_user_new(ctx, user, destroy_or_null, &owned));
    ctx->interrupt = interrupt;
    ctx->interrupt_user = user;
    ctx->interrupt_owned = owned;
    tvgp__context_user_release(ctx, before);
    return TVGP_OK;
}

tvgp_status tvgp_ctx_set_quota(tvgp_ctx *ctx, size_t bytes, size_t arms, int64_t work) {
    TVGP__ENTER(ctx);
    if (work < 0)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "work = %" PRId64 " must be >= 0", work);
    if (!ctx->quota && !bytes && !arms && !work)
        return TVGP_OK;
    if (!ctx->quota)
        TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *ctx->quota, &ctx->quota));
    ctx->quota->bytes = bytes;
    ctx->quota->arms = arms;
    ctx->quota->work = work;
    return TVGP_OK;
}

tvgp_status tvgp_ctx_memory(const tvgp_ctx *ctx, size_t *bytes) {
    if (!ctx || !bytes)
        return TVGP_ERR_ARG;
    *bytes = ctx->bytes;
    return TVGP_OK;
}
