/* SPDX-License-Identifier: MIT */
/* Memory from the context's allocator, counted. The size of a block is stored in front of it. */
#ifndef TVGP__BASE_MEMORY_H
#define TVGP__BASE_MEMORY_H

#include "base/context.h"

/* a x b as a number of elements or bytes; on overflow PTRDIFF_MAX, which no block has. */
static inline size_t tvgp__memory_product(size_t a, size_t b) {
    return a && b > PTRDIFF_MAX / a ? PTRDIFF_MAX : a * b;
}

/* `count` zeroed elements of `size` bytes in *out; NOMEM with a message (also on overflow), *out unchanged. count 0 gives a
 * valid block. */
tvgp_status tvgp__memory_alloc(tvgp_ctx *ctx, size_t count, size_t size, void *out);

/* Grows *block (NULL: new) to `count` elements, keeping its contents and zeroing the rest; unchanged on failure. */
tvgp_status tvgp__memory_grow(tvgp_ctx *ctx, size_t count, size_t size, void *block);

/* The same of a block of which the first `used` elements count and the rest is not zeroed: its pages cost when they are used. */
tvgp_status tvgp__memory_stretch(tvgp_ctx *ctx, size_t count, size_t size, size_t used, void *block);

/* Makes *capacity at least `needed`, where it is not: by doubling, and exactly that where nothing was there, so that a state that is
 * loaded has no more than it needs. */
tvgp_status tvgp__memory_double(tvgp_ctx *ctx, size_t needed, size_t size, void *block, size_t *capacity);
static inline tvgp_status tvgp__memory_reserve(tvgp_ctx *c, size_t needed, size_t size, void *block, size_t *capacity) {
    return needed <= *capacity ? TVGP_OK : tvgp__memory_double(c, needed, size, block, capacity);
}

/* Makes *block (NULL: new) at least `count` elements long, of which those there were keep their contents; nothing happens when
 * it is so already. */
tvgp_status tvgp__memory_room(tvgp_ctx *ctx, size_t count, size_t size, void *block);

/* While ctx->keeping is set, freed blocks are kept for the next ones of about their size, so that a posterior is built in the
 * memory of an earlier one. Blocks in use and kept are together at most 5/4 of what was in use at once since the last trim. */
void tvgp__memory_free(tvgp_ctx *ctx, void *memory);

/* Releases the blocks that are kept. */
void tvgp__memory_trim(tvgp_ctx *ctx);

#endif
