/* SPDX-License-Identifier: MIT */
#include "base/scratch.h"

#include "base/error.h"
#include "base/memory.h"

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

/* Where the link to a free block stands: one that is large enough, else any; NULL: all are taken. */
static block **find(scratch *s, size_t n) {
    block **found = NULL;
    for (block **link = &s->list; *link; link = &(*link)->next)
        if (!(*link)->taken && (!found || (*link)->size >= n)) {
            found = link;
            if ((*link)->size >= n)
                break;
        }
    return found;
}

tvgp_status tvgp__scratch_take(tvgp_ctx *ctx, size_t n, double **out) {
    scratch *s;
    TVGP__TRY(scratch_of(ctx, &s));
    block **link = find(s, n), *b = link ? *link : NULL;
    if (!b || b->size < n) { /* a larger one takes its place */
        block *fresh = NULL;
        TVGP__TRY(tvgp__memory_alloc(ctx, sizeof *fresh / sizeof(double) + n, sizeof(double), &fresh));
        fresh->size = n;
        fresh->next = b ? b->next : s->list;
        *(b ? link : &s->list) = fresh;
        tvgp__memory_free(ctx, b);
        b = fresh;
    }
    b->taken = 1;
    *out = b->at;
    return TVGP_OK;
}

void tvgp__scratch_give(tvgp_ctx *ctx, double *at) {
    scratch *s = (scratch *)ctx->scratch;
    for (block *b = at ? s->list : NULL; b; b = b->next)
        if (b->at == at)
            b->taken = 0;
}
