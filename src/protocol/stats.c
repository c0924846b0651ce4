/* SPDX-License-Identifier: MIT */
/* Statistics by name (protocol/stats.h). */
#include "protocol/stats.h"

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/registry.h"

#include <string.h>

static double asked(const tvgp_policy *p) {
    return (double)p->counts.asked;
}
static double side_queries(const tvgp_policy *p) {
    return (double)p->counts.side_asked;
}
static double values(const tvgp_policy *p) {
    return (double)p->counts.outcomes[TVGP_VALUE];
}
static double skipped(const tvgp_policy *p) {
    return (double)p->counts.outcomes[TVGP_SKIPPED];
}
static double failed(const tvgp_policy *p) {
    return (double)p->counts.outcomes[TVGP_FAILED];
}
static double cancelled(const tvgp_policy *p) {
    return (double)p->counts.outcomes[TVGP_CANCELLED];
}
static double unsolicited(const tvgp_policy *p) {
    return (double)p->counts.unsolicited;
}
static double pending(const tvgp_policy *p) {
    return (double)p->tickets.pending;
}
static double expired(const tvgp_policy *p) {
    return (double)p->tickets.expired;
}
static double timed_out(const tvgp_policy *p) {
    return (double)p->counts.timed_out;
}
static double partial(const tvgp_policy *p) {
    return (double)p->counts.parts;
}
static double clamped(const tvgp_policy *p) {
    return (double)p->counts.clamped;
}
static double moves(const tvgp_policy *p) {
    return (double)p->position.moves;
}
static double way(const tvgp_policy *p) {
    return p->position.way;
}
static double clock_now(const tvgp_policy *p) {
    return p->clock;
}

static const tvgp__stat common[] = {
    {"asked", TVGP__TEXT("Number of actions asked."), asked, TVGP_STAT_COUNTER, ""},
    {"side.asked", TVGP__TEXT("Number of side queries asked."), side_queries, TVGP_STAT_COUNTER, ""},
    {"values", TVGP__TEXT("Number of outcomes with a value."), values, TVGP_STAT_COUNTER, ""},
    {"skipped", TVGP__TEXT("Number of outcomes reported as skipped."), skipped, TVGP_STAT_COUNTER, ""},
    {"failed", TVGP__TEXT("Number of outcomes reported as failed."), failed, TVGP_STAT_COUNTER, ""},
    {"cancelled", TVGP__TEXT("Number of outcomes reported as cancelled."), cancelled, TVGP_STAT_COUNTER, ""},
    {"unsolicited", TVGP__TEXT("Number of unsolicited observations."), unsolicited, TVGP_STAT_COUNTER, ""},
    {"pending", TVGP__TEXT("Number of queries without an outcome."), pending, TVGP_STAT_HEADLINE, ""},
    {"pending.expired", TVGP__TEXT("Number of queries forgotten because more than pending.limit were pending."), expired,
     TVGP_STAT_COUNTER, ""},
    {"pending.timed_out", TVGP__TEXT("Number of queries closed because of pending.timeout."), timed_out, TVGP_STAT_COUNTER,
     ""},
    {"partial", TVGP__TEXT("Number of partial outcomes."), partial, TVGP_STAT_COUNTER, ""},
    {"context.clamped",
     TVGP__TEXT("Number of measured contexts that were moved to the border of their box by context.clamp."), clamped,
     TVGP_STAT_COUNTER, ""},
    {"switch.count",
     TVGP__TEXT("Number of actions that differ from the one before; failed and cancelled ones do not count."), moves,
     TVGP_STAT_COUNTER, ""},
    {"switch.distance", TVGP__TEXT("Sum of the distances between successive actions. 0 on categorical arms."), way,
     TVGP_STAT_COUNTER, "coordinates"},
    {"clock", TVGP__TEXT("Newest time seen. -inf before the first."), clock_now, TVGP_STAT_HEADLINE, "time"},
};
enum { N_COMMON = sizeof common / sizeof *common };

/* ---- of features, in use or not ----------------------------------------------------------------------------------- */

/* Statistic i of the features that list theirs (p NULL: always); NULL, and *n how many there are: beyond the last. */
static const tvgp__stat *of_guards(const tvgp_ctx *ctx, const tvgp_policy *p, size_t i, size_t *n) {
    *n = 0;
    for (size_t k = 0; k < tvgp__registry_count(ctx, TVGP__TYPE_GUARD); k++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(ctx, TVGP__TYPE_GUARD, k);
        if (ops->of_outputs && !(p && tvgp__policy_outputs(p)))
            continue;
        if (i < *n + ops->n_stats)
            return &ops->stats[i - *n];
        *n += ops->n_stats;
    }
    return NULL;
}

static size_t n_of_guards(const tvgp_policy *p) {
    size_t n;
    (void)of_guards(p->ctx, p, SIZE_MAX, &n);
    return n;
}

/* Series k of all features; NULL, and *n how many there are: beyond the last. */
static const tvgp__stat_series *series_of_guards(const tvgp_ctx *ctx, size_t k, size_t *n) {
    *n = 0;
    for (size_t i = 0; i < tvgp__registry_count(ctx, TVGP__TYPE_GUARD); i++) {
        const tvgp__guard_ops *ops = tvgp__registry_at(ctx, TVGP__TYPE_GUARD, i);
        if (k < *n + ops->n_series)
            return &ops->series[k - *n];
        *n += ops->n_series;
    }
    return NULL;
}

int tvgp__stats_common(const tvgp_ctx *ctx, const char *key) {
    size_t n, i = 0;
    while (i < N_COMMON && strcmp(common[i].key, key) != 0)
        i++;
    if (i < N_COMMON)
        return 1;
    const tvgp__stat *stat = of_guards(ctx, NULL, i = 0, &n);
    while (stat && strcmp(stat->key, key) != 0)
        stat = of_guards(ctx, NULL, ++i, &n);
    return stat != NULL;
}

/* ---- by index and by name ------------------------------------------------------------------------------------------ */

static size_t common_of(const tvgp_policy *p) {
    return N_COMMON + n_of_guards(p);
}

static size_t all_series(const tvgp_policy *p) {
    size_t n;
    (void)series_of_guards(p->ctx, SIZE_MAX, &n);
    return p->ops->n_series + n;
}

static const tvgp__stat_series *series_of(const tvgp_policy *p, size_t k) {
    size_t n;
    return k < p->ops->n_series ? &p->ops->series[k] : series_of_guards(p->ctx, k - p->ops->n_series, &n);
}

static size_t scalars(const tvgp_policy *p) {
    size_t n = common_of(p);
    for (size_t g = 0; g < p->ops->n_stats; g++)
        n += p->ops->stats[g].n;
    return n;
}

/* Place among the policy's series of the i-th that has an entry; the number of series: there are only fewer. */
static size_t series_at(const tvgp_policy *p, size_t i) {
    size_t k = 0;
    for (; k < all_series(p); k++)
        if (series_of(p, k)->size(p) && !i--)
            break;
    return k;
}

size_t tvgp__stats_count(const tvgp_policy *p) {
    size_t n = scalars(p);
    for (size_t k = 0; k < all_series(p); k++)
        n += series_of(p, k)->size(p) > 0;
    return n;
}

static const tvgp__stat *scalar_at(const tvgp_policy *p, size_t i) {
    size_t g = 0, guards;
    if (i < N_COMMON)
        return &common[i];
    const tvgp__stat *of_guard = of_guards(p->ctx, p, i - N_COMMON, &guards);
    if (of_guard)
        return of_guard;
    i -= N_COMMON + guards;
    for (; i >= p->ops->stats[g].n; g++)
        i -= p->ops->stats[g].n;
    return &p->ops->stats[g].stats[i];
}

tvgp_status tvgp__stats_describe(const tvgp_policy *p, size_t i, tvgp_stat_info *out) {
    const size_t n = scalars(p), all = tvgp__stats_count(p);
    if (i >= all)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "i = %zu is outside 0..%zu", i, all - 1);
    if (i < n) {
        const tvgp__stat *s = scalar_at(p, i);
        *out = (tvgp_stat_info){s->key, s->doc, s->unit, s->kind, TVGP_F64};
    } else {
        const tvgp__stat_series *s = series_of(p, series_at(p, i - n));
        *out = (tvgp_stat_info){s->key, s->doc, s->unit, s->kind, TVGP_F64};
    }
    return TVGP_OK;
}

/* Whether key is stem.i for the series stem.0 (or stem.1, which begins there) and i < size; *i is then set. */
static int in_series(const char *first, size_t size, const char *key, size_t *i) {
    size_t stem = strlen(first) - 1;
    if (strncmp(first, key, stem) != 0 || !key[stem] || key[stem + strspn(key + stem, "0123456789")])
        return 0;
    *i = 0;
    for (const char *digit = key + stem; *digit && *i < size; digit++)
        *i = 10 * *i + (size_t)(*digit - '0');
    return *i < size && *i >= (size_t)(first[stem] - '0');
}

static tvgp_status unknown(const tvgp_policy *p, const char *key) {
    const size_t n = tvgp__stats_count(p); /* a series reads its options for its size */
    tvgp__nearest_name nearest = {.typed = key};
    tvgp_stat_info info;
    for (size_t i = 0; i < n && tvgp__stats_describe(p, i, &info) == TVGP_OK; i++)
        tvgp__nearest_name_offer(&nearest, info.key);
    return tvgp__nearest_name_unknown(p->ctx, "statistic", &nearest, "tvgp_policy_stat_info");
}

tvgp_status tvgp__stats_get(const tvgp_policy *p, const char *key, double *value) {
    size_t n = scalars(p), index;
    for (size_t i = 0; i < n; i++) {
        const tvgp__stat *stat = scalar_at(p, i);
        if (strcmp(stat->key, key) == 0) {
            if (!stat->get)
                return p->ops->outside->stat(p, i - common_of(p), value);
            *value = stat->get(p);
            return TVGP_OK;
        }
    }
    for (size_t i = 0; i < all_series(p); i++) {
        const tvgp__stat_series *series = series_of(p, i);
        if (in_series(series->key, series->size(p), key, &index)) {
            *value = series->get(p, index);
            return TVGP_OK;
        }
    }
    return unknown(p, key);
}
