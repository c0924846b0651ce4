/* SPDX-License-Identifier: MIT */
/* Memory from the context's allocator, counted (base/memory.h). */
#include "base/memory.h"

#include "base/error.h"
#include "base/quota.h"

#include <string.h>

/* As large as the strictest alignment, 16 bytes where max_align_t has 32. */
typedef struct tvgp__memory_block {
    _Alignas(max_align_t) size_t size;
    struct tvgp__memory_block *next; /* of a block that is kept */
} header;

static header *header_of(void *memory) {
    return (header *)memory - 1;
}

/* ---- blocks that are kept ------------------------------------------------------------------------------------------- */

void tvgp__memory_trim(tvgp_ctx *ctx) {
    for (header *h = ctx->kept, *next; h; h = next) {
        next = h->next;
        ctx->bytes -= h->size;
        ctx->allocator.release(ctx->allocator.user, h);
    }
    ctx->kept = NULL;
    ctx->kept_bytes = ctx->peak_bytes = 0;
}

/* The smallest kept block of at least `bytes`, at most twice as large; NULL: none. */
static header *reuse(tvgp_ctx *ctx, size_t bytes) {
    header **best = NULL;
    for (header **link = &ctx->kept; *link; link = &(*link)->next) {
        const size_t size = (*link)->size;
        if (size >= bytes && size / 2 <= bytes && (!best || size < (*best)->size))
            best = link;
        if (size == bytes)
            break;
    }
    if (!best)
        return NULL;
    header *h = *best;
    *best = h->next;
    ctx->kept_bytes -= h->size;
    return h;
}

/* Releases the largest kept blocks, until with `bytes` more the context holds at most 5/4 of what was in use at once: several
 * small ones serve more requests. */
static void make_room(tvgp_ctx *ctx, size_t bytes) {
    const size_t used = ctx->bytes - ctx->kept_bytes + bytes;
    ctx->peak_bytes = used > ctx->peak_bytes ? used : ctx->peak_bytes;
    while (ctx->kept && ctx->bytes + bytes > ctx->peak_bytes + ctx->peak_bytes / 4) {
        header **largest = &ctx->kept;
        for (header **link = &ctx->kept; *link; link = &(*link)->next)
            if ((*link)->size >= (*largest)->size)
                largest = link;
        header *h = *largest;
        *largest = h->next;
        ctx->bytes -= h->size;
        ctx->kept_bytes -= h->size;
        ctx->allocator.release(ctx->allocator.user, h);
    }
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

static tvgp_status allocate(tvgp_ctx *ctx, size_t count, size_t size, void *out) {
    if (size && count > (PTRDIFF_MAX - sizeof(header)) / size)
        return tvgp__error_set(ctx, TVGP_ERR_NOMEM, "out of memory: %zu elements of %zu bytes", count, size);
    const size_t bytes = count * size + sizeof(header);
    header *h = ctx->kept ? reuse(ctx, bytes) : NULL;
    if (!h) {
        make_room(ctx, bytes);
        if (ctx->kept && ctx->quota && ctx->quota->bytes && ctx->bytes + bytes > ctx->quota->bytes)
            tvgp__memory_trim(ctx);
        TVGP__TRY(tvgp__quota_bytes(ctx, bytes));
        h = ctx->allocator.allocate(ctx->allocator.user, bytes);
        if (!h && ctx->kept) {
            tvgp__memory_trim(ctx);
            h = ctx->allocator.allocate(ctx->allocator.user, bytes);
        }
        if (!h)
            return tvgp__error_set(ctx, TVGP_ERR_NOMEM, "out of memory: %zu bytes", bytes);
        h->size = bytes;
        ctx->bytes += bytes;
    }
    void *memory = h + 1;
    memcpy(out, &memory, sizeof memory);
    return TVGP_OK;
}

tvgp_status tvgp__memory_alloc(tvgp_ctx *ctx, size_t count, size_t size, void *out) {
    void *memory;
    TVGP__TRY(allocate(ctx, count, size, out));
    memcpy(&memory, out, sizeof memory);
    memset(memory, 0, header_of(memory)->size - sizeof(header));
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
    size_t wanted = *capacity ? *capacity : needed;
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
    if (ctx->keeping) {
        h->next = ctx->kept;
        ctx->kept = h;
        ctx->kept_bytes += h->size;
        return;
    }
    ctx->bytes -= h->size;
    ctx->allocator.release(ctx->allocator.user, h);
}
