/* SPDX-License-Identifier: MIT */
/* Evaluates rows K[x, :] of the kernel on arms, and keeps those in use (model/gp/kernel_rows.h). */
#include "model/gp/kernel_rows.h"

#include "base/error.h"
#include "base/memory.h"

void tvgp__kernel_rows_init(tvgp__kernel_rows *r, tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X) {
    *r = (tvgp__kernel_rows){
        .ctx = ctx, .kernel = kernel, .X = X, .n = n, .recent = TVGP__KERNEL_ROWS_RECENT, .round = {1, 1, 1}};
}

void tvgp__kernel_rows_free(tvgp__kernel_rows *r) {
    for (size_t i = 0; i < r->count; i++)
        tvgp__memory_free(r->ctx, r->slot[i].row);
    tvgp__memory_free(r->ctx, r->slot);
    tvgp__memory_free(r->ctx, r->slot_of);
    *r = (tvgp__kernel_rows){0};
}

void tvgp__kernel_rows_share(tvgp__kernel_rows *r, tvgp__shard *shard) {
    const size_t few = 64 * r->n * sizeof(double);
    r->shard = shard;
    r->recent = !shard || r->recent < few ? r->recent : few;
}

/* Returns the slot of an arm, counted from 1, or 0 if it has none. */
static size_t find(const tvgp__kernel_rows *r, size_t arm) {
    if (!r->shard)
        return r->slot_of ? r->slot_of[arm] : 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->slot[i].arm == arm + 1)
            return i + 1;
    return 0;
}

static int held(const tvgp__kernel_rows *r, const tvgp__kernel_rows_slot *slot) {
    int set = 0;
    while (set < TVGP__KERNEL_ROWS_SETS && slot->used[set] != r->round[set])
        set++;
    return set < TVGP__KERNEL_ROWS_SETS;
}

static void begin(tvgp__kernel_rows *r, int set) {
    if (set == TVGP__KERNEL_ROWS_OBSERVED) {
        r->before = r->observed;
        r->observed = 0;
    }
    r->round[set]++;
}

/* A slot with memory for a row: a new one while the rows in no set are few, the next of those otherwise. */
static tvgp_status find_slot(tvgp__kernel_rows *r, tvgp__kernel_rows_slot **out) {
    size_t idle = 0;
    for (size_t i = 0; i < r->count; i++)
        idle += !held(r, &r->slot[i]);
    if (idle && idle >= r->before && (idle + 1) * r->n > r->recent / sizeof(double)) {
        while (held(r, &r->slot[r->hand]))
            r->hand = (r->hand + 1) % r->count;
        *out = &r->slot[r->hand];
        if ((*out)->arm && r->slot_of)
            r->slot_of[(*out)->arm - 1] = 0;
        (*out)->arm = 0;
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__memory_reserve(r->ctx, r->count + 1, sizeof *r->slot, &r->slot, &r->slots));
    *out = &r->slot[r->count];
    **out = (tvgp__kernel_rows_slot){0};
    TVGP__TRY(tvgp__memory_alloc(r->ctx, r->n, sizeof *(*out)->row, &(*out)->row));
    r->count++;
    return TVGP_OK;
}

static tvgp_status fill(tvgp__kernel_rows *r, size_t arm) {
    tvgp__kernel_rows_slot *slot = NULL;
    TVGP__TRY(find_slot(r, &slot));
    const double *point = tvgp__shard_point(r->shard, r->X, r->kernel->dim, arm);
    TVGP__TRY(tvgp__kernel_block(r->kernel, 1, point, r->n, r->X, slot->row, r->n));
    slot->arm = arm + 1;
    if (r->slot_of)
        r->slot_of[arm] = (size_t)(slot - r->slot) + 1;
    r->evaluated++;
    return TVGP_OK;
}

tvgp_status tvgp__kernel_rows_hold(tvgp__kernel_rows *r, int set, size_t n, const size_t *arm) {
    if (n && !r->slot_of && !r->shard)
        TVGP__TRY(tvgp__memory_alloc(r->ctx, r->n, sizeof *r->slot_of, &r->slot_of));
    for (size_t i = 0; i < n; i++) {
        if (!find(r, arm[i]))
            TVGP__TRY(fill(r, arm[i]));
        size_t *used = &r->slot[find(r, arm[i]) - 1].used[set];
        r->observed += set == TVGP__KERNEL_ROWS_OBSERVED && *used != r->round[set];
        *used = r->round[set];
    }
    return TVGP_OK;
}

tvgp_status tvgp__kernel_rows_replace(tvgp__kernel_rows *r, int set, size_t n, const size_t *arm) {
    begin(r, TVGP__KERNEL_ROWS_COMING);
    TVGP__TRY(tvgp__kernel_rows_hold(r, TVGP__KERNEL_ROWS_COMING, n, arm));
    begin(r, set);
    return tvgp__kernel_rows_hold(r, set, n, arm); /* all are in memory */
}

const double *tvgp__kernel_rows_at(const tvgp__kernel_rows *r, size_t arm) {
    size_t slot = find(r, arm);
    return slot ? r->slot[slot - 1].row : NULL;
}
