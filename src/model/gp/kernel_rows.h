/* SPDX-License-Identifier: MIT */
/* Rows k(arm, .) of the kernel over all arms: the one place where a posterior on arms evaluates the kernel. Rows are
 * requested before they are needed, which can fail, and are then read without failure. Two sets are held, each until it
 * is replaced: the rows that observations need, and the rows of pending actions. Bandits repeat arms, so rows in no set
 * also stay cached, up to `recent` bytes or as many as the first set had before. Rows can be evaluated again at any
 * time, so they are not state. */
#ifndef TVGP__MODEL_GP_KERNEL_ROWS_H
#define TVGP__MODEL_GP_KERNEL_ROWS_H

#include "base/shard.h"
#include "space/kernel/kernel_ops.h"

#define TVGP__KERNEL_ROWS_RECENT ((size_t)1 << 20)
enum {
    TVGP__KERNEL_ROWS_OBSERVED,
    TVGP__KERNEL_ROWS_PENDING,
    TVGP__KERNEL_ROWS_COMING /* into one of the two */,
    TVGP__KERNEL_ROWS_SETS
};

typedef struct tvgp__kernel_rows_slot {
    double *row;
    size_t arm;                          /* from 1; 0: empty */
    size_t used[TVGP__KERNEL_ROWS_SETS]; /* the last round it was held in */
} tvgp__kernel_rows_slot;

typedef struct tvgp__kernel_rows {
    tvgp_ctx *ctx;
    const tvgp_kernel *kernel; /* borrowed, as is X (n x dim) */
    const double *X;
    size_t n;
    size_t recent; /* bytes: TVGP__KERNEL_ROWS_RECENT, except in tests */
    tvgp__kernel_rows_slot *slot;
    size_t *slot_of;           /* n: slot of an arm, from 1; 0: not here; NULL when shared: they are few, and sought */
    tvgp__shard *shard;        /* the arms are shared: n and X are those here; or NULL */
    size_t count, slots, hand; /* slots in use and allocated; where the search for one to give way goes on */
    size_t round[TVGP__KERNEL_ROWS_SETS]; /* how often each set was replaced: rows with this number are in it */
    size_t observed, before;              /* how many rows the first set has; had before it was replaced */
    size_t evaluated;                     /* rows computed since creation */
} tvgp__kernel_rows;

/* Begins with nothing held. */
void tvgp__kernel_rows_init(tvgp__kernel_rows *r, tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X);
void tvgp__kernel_rows_free(tvgp__kernel_rows *r);

/* Says from the start that the arms are shared; their rows are few at a time, and their points must have been met. */
void tvgp__kernel_rows_share(tvgp__kernel_rows *r, tvgp__shard *shard);

/* Evaluates the kernel's rows of these n arms and holds them as set `set` instead of its former rows. Errors: the
 * kernel's status, NOMEM. After an error the set is unchanged. */
tvgp_status tvgp__kernel_rows_replace(tvgp__kernel_rows *r, int set, size_t n, const size_t *arm);

/* Adds the rows of these arms to a set. The kernel's status, NOMEM. */
tvgp_status tvgp__kernel_rows_hold(tvgp__kernel_rows *r, int set, size_t n, const size_t *arm);

/* Finds the row of an arm, n entries, and evaluates nothing: NULL when it is not in memory. A row in a set always is; one in
 * no set may have given way. */
const double *tvgp__kernel_rows_at(const tvgp__kernel_rows *r, size_t arm);

#endif
