/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include "base/error.h"
#include "base/quota.h"

#include <string.h>

/* As large as the strictest alignment, 16 bytes where max_align_t has 32. */
typedef struct {
    _Alignas(max_align_t) size_t size;
} header;

static header *header_of(void *memory) {
    return (header *)memory - 1;
}

static tvgp_status allocate(tvgp_ctx *ctx, size_t count, size_t size, void *out) {
    if (size && count > (PTRDIFF_MAX - sizeof(header)) / size)
        return tvgp__error_set(ctx, TVGP_ERR_NOMEM, "out of memory: %zu elements of %zu bytes", count, size);
    size_t bytes = count * size + sizeof(header);
    TVGP__TRY(tvgp__quota_bytes(ctx, bytes));
    header *h = ctx->allocator.allocate(ctx->allocator.user, bytes);
    if (!h)
        return tvgp__error_set(ctx, TVGP_ERR_NOMEM, "out of memory: %zu bytes", bytes);
    h->size = bytes;
    ctx->bytes += bytes;
    void *memory = h + 1;
    memcpy(out, &memory, sizeof memory);
    return TVGP_OK;
}

tvgp_status tvgp__memory_alloc(tvgp_ctx *ctx, size_t count, size_t size, void *out) {
    void *memory;
    TVGP__TRY(allocate(ctx, count, size, out));
    memcpy(&memory, out, sizeof memory);
    memset(memory, 0, count * size);
    return TVGP_OK;
}

tvgp_status tvgp__memory_stretch(tvgp_ctx *ctx, size_t count, size_t size, size_t used, void *block) {
    void *old, *grown = NULL;
    memcpy(&old, block, sizeof old);
    TVGP__TRY(allocate(ctx, count, size, &grown));
    if (old)
        memcpy(grown, old, used * size);
    tvgp__memory_free(ctx, old);
    memcpy(block, &grown, sizeof grown);
    return TVGP_OK;
}

tvgp_status tvgp__memory_grow(tvgp_ctx *ctx, size_t count, size_t size, void *block) {
    void *old, *grown = NULL;
    memcpy(&old, block, sizeof old);
    TVGP__TRY(tvgp__memory_alloc(ctx, count, size, &grown));
    if (old) {
        size_t held = header_of(old)->size - sizeof(header);
        memcpy(grown, old, held < count * size ? held : count * size);
        tvgp__memory_free(ctx, old);
    }
    memcpy(block, &grown, sizeof grown);
    return TVGP_OK;
}

tvgp_status tvgp__memory_double(tvgp_ctx *ctx, size_t needed, size_t size, void *block, size_t *capacity) {
    size_t wanted = *capacity ? *capacity : 1;
    while (wanted < needed)
        wanted = wanted > SIZE_MAX / 2 ? needed : 2 * wanted;
    TVGP__TRY(tvgp__memory_grow(ctx, wanted, size, block));
    *capacity = wanted;
    return TVGP_OK;
}

tvgp_status tvgp__memory_room(tvgp_ctx *ctx, size_t count, size_t size, void *block) {
    void *old;
    memcpy(&old, block, sizeof old);
    if (old && size && count <= (header_of(old)->size - sizeof(header)) / size)
        return TVGP_OK;
    return tvgp__memory_grow(ctx, count, size, block);
}

void tvgp__memory_free(tvgp_ctx *ctx, void *memory) {
    if (!memory)
        return;
    header *h = header_of(memory);
    ctx->bytes -= h->size;
    ctx->allocator.release(ctx->allocator.user, h);
}
