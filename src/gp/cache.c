/* SPDX-License-Identifier: MIT */
#include "gp/cache.h"

#include "base/error.h"
#include "base/memory.h"

void tvgp__cache_free(tvgp__cache *c) {
    tvgp__memory_free(c->ctx, c->K);
    tvgp__memory_free(c->ctx, c->owner);
    tvgp__memory_free(c->ctx, c->used);
    tvgp__memory_free(c->ctx, c->place);
}

tvgp_status tvgp__cache_reserve(tvgp__cache *c, size_t slots) {
    if (!c->place)
        TVGP__TRY(tvgp__memory_alloc(c->ctx, c->n, sizeof *c->place, &c->place));
    if (slots <= c->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(c->ctx, slots, sizeof *c->owner, &c->owner));
    TVGP__TRY(tvgp__memory_grow(c->ctx, slots, sizeof *c->used, &c->used));
    TVGP__TRY(tvgp__memory_grow(c->ctx, slots, c->n * sizeof *c->K, &c->K));
    c->hand = c->slots; /* the new ones are empty */
    c->slots = slots;
    return TVGP_OK;
}

void tvgp__cache_begin(tvgp__cache *c, size_t m, const size_t *arm) {
    c->round++;
    for (size_t i = 0; i < m; i++)
        if (c->place[arm[i]])
            c->used[c->place[arm[i]] - 1] = c->round;
}

const double *tvgp__cache_column(tvgp__cache *c, size_t arm) {
    size_t slot = c->place[arm];
    if (slot)
        return c->K + (slot - 1) * c->n;
    while (c->used[c->hand] == c->round)
        c->hand = (c->hand + 1) % c->slots;
    slot = c->hand;
    if (c->owner[slot])
        c->place[c->owner[slot] - 1] = 0;
    c->owner[slot] = arm + 1;
    c->used[slot] = c->round;
    c->place[arm] = slot + 1;
    c->evaluated++;
    double *column = c->K + slot * c->n;
    (void)tvgp__kernel_block(c->kernel, 1, c->X + arm * c->kernel->dim, c->n, c->X, column, c->n);
    return column;
}
