/* SPDX-License-Identifier: MIT */
/* Many records in one call of tell (protocol/copies/tell_log.h). */
#include "protocol/copies/tell_log.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/crc32c.h"
#include "base/valid_range.h"
#include "protocol/copies/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 256 }; /* records; a posterior on a box needs room for the covariances of a piece with all its rows */

/* ---- order -------------------------------------------------------------------------------------------------------- */

typedef struct timed {
    double t;
    size_t index;
} timed;

static int by_time(const void *a, const void *b) {
    const timed *first = a, *second = b;
    if (first->t != second->t)
        return first->t < second->t ? -1 : 1;
    return first->index < second->index ? -1 : 1;
}

/* The time of a record with a value: without one the newest before it, which `clock` becomes. */
static double time_of(const tvgp_obs *o, double *clock) {
    const double t = o->flags & TVGP_OBS_HAS_TIME ? o->t : *clock;
    if (o->outcome == TVGP_VALUE && t > *clock)
        *clock = t;
    return t;
}

/* Whether unsolicited records are in the order of their times; also where a time is no number, which is refused later. */
static int in_order(const tvgp_policy *p, const tvgp_obs *obs, size_t n) {
    double clock = p->clock, before = -INFINITY;
    int sorted = 1;
    for (size_t i = 0; i < n; i++) {
        const double t = time_of(&obs[i], &clock);
        if (obs[i].id)
            continue;
        if (isnan(t))
            return 1;
        sorted &= t >= before;
        before = t;
    }
    return sorted;
}

/* Unsolicited records take the places of unsolicited ones, in the order of their times; others stay where they are. NOMEM. */
static tvgp_status sort(const tvgp_policy *p, const tvgp_obs *obs, size_t n, uint32_t *order) {
    double clock = p->clock;
    timed *list;
    size_t m = 0;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *list, &list));
    for (size_t i = 0; i < n; i++) {
        const double t = time_of(&obs[i], &clock);
        if (!obs[i].id)
            list[m++] = (timed){t, i};
    }
    qsort(list, m, sizeof *list, by_time);
    for (size_t i = n; i-- > 0;)
        order[i] = (uint32_t)(obs[i].id ? i : list[--m].index);
    tvgp__memory_free(p->ctx, list);
    return TVGP_OK;
}

/* ---- records that would not stay ------------------------------------------------------------------------------------ */

/* A set of indices of points. */
typedef struct points {
    const double *x;
    size_t dim, mask, n;
    size_t *slot; /* mask + 1: the index of a point + 1; 0: free */
} points;

/* Adds the point at this index, unless an equal one is there. */
static void add(points *set, size_t index) {
    const double *x = set->x + index * set->dim;
    size_t at = tvgp__crc32c_add(0, x, set->dim * sizeof *x) & set->mask;
    while (set->slot[at] && memcmp(set->x + (set->slot[at] - 1) * set->dim, x, set->dim * sizeof *x) != 0)
        at = (at + 1) & set->mask;
    set->n += !set->slot[at];
    set->slot[at] = index + 1;
}

/* Marks the unsolicited records of an output at which `limit` different points are newer. They are reported in this order. NOMEM. */
static tvgp_status mark(const tvgp_policy *p, const tvgp__records *records, size_t output, size_t limit, uint8_t *skips) {
    points set = {.x = records->x, .dim = p->domain->dim, .mask = 1};
    while (set.mask < 2 * limit)
        set.mask = 2 * set.mask + 1;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, set.mask + 1, sizeof *set.slot, &set.slot));
    for (size_t k = records->n; k-- > 0;) {
        const size_t i = records->order[k];
        if (records->obs[i].id || records->obs[i].output != (int64_t)output)
            continue;
        skips[k] = set.n >= limit;
        if (!skips[k])
            add(&set, i);
    }
    tvgp__memory_free(p->ctx, set.slot);
    return TVGP_OK;
}

static int has_limit(const tvgp_policy *p) {
    return tvgp__option_index(p->ops->groups, p->ops->n_groups, "rows.limit") <
           tvgp__option_count(p->ops->groups, p->ops->n_groups);
}

/* Option rows.limit; 0: none, or the policy has no such option. */
static size_t limit_of(const tvgp_policy *p) {
    int64_t limit = 0;
    if (has_limit(p))
        (void)tvgp__option_get_i64(p->ctx, p->ops->groups, p->ops->n_groups, p->config, "rows.limit", &limit);
    return (size_t)limit;
}

static tvgp_status mark_all(const tvgp_policy *p, const tvgp__records *records, uint8_t *skips) {
    for (size_t k = 0; records->x && k <= tvgp__policy_outputs(p); k++) {
        const size_t limit = limit_of(k ? p->outputs->model[k - 1] : p);
        if (limit && limit < records->n)
            TVGP__TRY(mark(p, records, k, limit, skips));
    }
    return TVGP_OK;
}

/* ---- pieces --------------------------------------------------------------------------------------------------------- */

static tvgp_status tell_pieces(tvgp_policy *p, const tvgp__records *records) {
    tvgp_status status = tvgp__snapshot_begin(p); /* policies from outside, which may lack `save`, play on arms */
    TVGP__TRY(status);
    for (size_t k = 0, n; status == TVGP_OK && k < records->n; k += n) {
        n = records->n - k < PIECE ? records->n - k : PIECE;
        const tvgp__records piece = {records->obs, records->x, n, records->order + k, records->skips + k};
        status = tvgp__policy_tell_records(p, &piece);
    }
    tvgp__snapshot_end(p, status);
    return status;
}

/* Whether the records of no call have to come together: queries with several outputs do, and so do batches of a dictionary. */
static int may_split(const tvgp_policy *p, const tvgp_obs *obs, size_t n) {
    size_t i = 0;
    if (n <= PIECE || tvgp__domain_has_arms(p->domain) || p->domain->shared || !has_limit(p))
        return 0;
    while (p->outputs && i < n && !obs[i].id)
        i++;
    return !p->outputs || i == n;
}

static tvgp_status tell_split(tvgp_policy *p, tvgp__records *records) {
    uint8_t *skips;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, records->n, sizeof *skips, &skips));
    records->skips = skips;
    tvgp_status status = mark_all(p, records, skips);
    if (status == TVGP_OK)
        status = tell_pieces(p, records);
    tvgp__memory_free(p->ctx, skips);
    return status;
}

tvgp_status tvgp__tell_log(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n) {
    tvgp__records records = {.obs = obs, .x = x, .n = n};
    uint32_t *order;
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "n", n)); /* before records are read */
    const int sorted = n < 2 || in_order(p, obs, n), split = may_split(p, obs, n);
    if (sorted && !split)
        return tvgp__policy_tell_records(p, &records);
    TVGP__TRY(tvgp__policy_check_free(p));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *order, &order));
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    records.order = order;
    tvgp_status status = sorted ? TVGP_OK : sort(p, obs, n, order);
    if (status == TVGP_OK)
        status = split ? tell_split(p, &records) : tvgp__policy_tell_records(p, &records);
    tvgp__memory_free(p->ctx, order);
    return status;
}
