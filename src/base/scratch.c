/* SPDX-License-Identifier: MIT */
/* Work space of a call: blocks of a context that are taken and returned in any order, and stay for the next call
 * (base/scratch.h). */
#include "base/scratch.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* In front of what is given out, which is aligned as it is. */
typedef struct block {
    struct block *next;
    size_t size; /* doubles */
    int taken;
    double at[];
} block;

typedef struct scratch {
    tvgp__context_part part;
    block *list;
} scratch;

static void forget(tvgp_ctx *ctx, tvgp__context_part *part) {
    scratch *s = (scratch *)part;
    for (block *b = s->list, *next; b; b = next) {
        next = b->next;
        tvgp__memory_free(ctx, b);
    }
    tvgp__memory_free(ctx, s);
}

static tvgp_status scratch_of(tvgp_ctx *ctx, scratch **out) {
    if (!ctx->scratch) {
        scratch *fresh = NULL;
        TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *fresh, &fresh));
        fresh->part = (tvgp__context_part){.next = ctx->parts, .forget = forget};
        ctx->scratch = ctx->parts = &fresh->part;
    }
    *out = (scratch *)ctx->scratch;
    return TVGP_OK;
}

/* Whether a free block of `size` is better for n than one of `best`: the smallest that is large enough, else the largest. */
static int better(size_t size, size_t best, size_t n) {
    return best < n ? size > best : size >= n && size < best;
}

/* Where the link to the best free block stands; NULL: all are taken. */
static block **find(scratch *s, size_t n) {
    block **found = NULL;
    for (block **link = &s->list; *link; link = &(*link)->next)
        if (!(*link)->taken && (!found || better((*link)->size, (*found)->size, n)))
            found = link;
    return found;
}

tvgp_status tvgp__scratch_take(tvgp_ctx *ctx, size_t n, double **out) {
    scratch *s;
    TVGP__TRY(scratch_of(ctx, &s));
    block **link = find(s, n), *b = link ? *link : NULL;
    if (!b || b->size < n) { /* a larger one takes its place, with room for what is a little more next time */
        const size_t size = n + n / 4;
        block *fresh = NULL;
        TVGP__TRY(tvgp__memory_alloc(ctx, sizeof *fresh / sizeof(double) + size, sizeof(double), &fresh));
        fresh->size = size;
        fresh->next = b ? b->next : s->list;
        *(b ? link : &s->list) = fresh;
        tvgp__memory_free(ctx, b);
        b = fresh;
    }
    b->taken = 1;
    *out = b->at;
    return TVGP_OK;
}

tvgp_status tvgp__scratch_zeros(tvgp_ctx *ctx, size_t n, double **out) {
    TVGP__TRY(tvgp__scratch_take(ctx, n, out));
    memset(*out, 0, n * sizeof **out);
    return TVGP_OK;
}

void tvgp__scratch_give(tvgp_ctx *ctx, double *at) {
    scratch *s = (scratch *)ctx->scratch;
    for (block *b = at ? s->list : NULL; b; b = b->next)
        if (b->at == at)
            b->taken = 0;
}
