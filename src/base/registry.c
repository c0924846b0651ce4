/* SPDX-License-Identifier: MIT */
/* Kernels, domains and policies by name: the library's own and registered ones are in one table of the context
 * (base/registry.h). */
#include "base/registry.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const char *name_of(const void *ops) {
    return *(const char *const *)ops;
}

void tvgp__registry_start(tvgp_ctx *ctx, int kind, const void *const *list) {
    ctx->types[kind] = list;
}

tvgp_status tvgp__registry_add(tvgp_ctx *ctx, int kind, const void *ops, const void ***list) {
    const size_t n = tvgp__registry_count(ctx, kind);
    TVGP__TRY(tvgp__memory_alloc(ctx, n + 2, sizeof **list, list));
    memcpy(*list, ctx->types[kind], n * sizeof **list);
    (*list)[n] = ops;
    ctx->types[kind] = *list;
    return TVGP_OK;
}

size_t tvgp__registry_count(const tvgp_ctx *ctx, int kind) {
    size_t n = 0;
    while (ctx->types[kind][n])
        n++;
    return n;
}

const void *tvgp__registry_at(const tvgp_ctx *ctx, int kind, size_t i) {
    return ctx->types[kind][i];
}

const void *tvgp__registry_find(const tvgp_ctx *ctx, int kind, const char *name, tvgp__nearest_name *nearest) {
    for (const void *const *type = ctx->types[kind]; *type; type++) {
        if (strcmp(name_of(*type), name) == 0)
            return *type;
        if (nearest)
            tvgp__nearest_name_offer(nearest, name_of(*type));
    }
    return NULL;
}
