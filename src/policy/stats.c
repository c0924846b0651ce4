#include "policy/policy.h"

#include "base/error.h"
#include "base/nearest.h"

#include <string.h>

static double asked(const tvgp_policy *p) {
    return (double)p->asked;
}
static double side_queries(const tvgp_policy *p) {
    return (double)p->side_asked;
}
static double values(const tvgp_policy *p) {
    return (double)p->told[TVGP_VALUE];
}
static double skipped(const tvgp_policy *p) {
    return (double)p->told[TVGP_SKIPPED];
}
static double failed(const tvgp_policy *p) {
    return (double)p->told[TVGP_FAILED];
}
static double cancelled(const tvgp_policy *p) {
    return (double)p->told[TVGP_CANCELLED];
}
static double unsolicited(const tvgp_policy *p) {
    return (double)p->unsolicited;
}
static double pending(const tvgp_policy *p) {
    return (double)p->tickets.pending;
}
static double expired(const tvgp_policy *p) {
    return (double)p->tickets.expired;
}
static double clock_now(const tvgp_policy *p) {
    return p->clock;
}

static const tvgp__stat common[] = {
    {"asked", "actions asked", asked},
    {"side_queries", "side queries asked", side_queries},
    {"values", "answers with a value", values},
    {"skipped", "answers that said skipped", skipped},
    {"failed", "answers that said failed", failed},
    {"cancelled", "answers that said cancelled", cancelled},
    {"unsolicited", "observations nobody asked for", unsolicited},
    {"pending", "queries waiting for an answer", pending},
    {"expired", "queries forgotten because too many were pending", expired},
    {"clock", "newest time seen; -inf before the first", clock_now},
};
enum { N_COMMON = sizeof common / sizeof *common };

size_t tvgp__stats_count(const tvgp_policy *p) {
    size_t n = N_COMMON;
    for (size_t g = 0; g < p->ops->n_stats; g++)
        n += p->ops->stats[g].n;
    return n;
}

const tvgp__stat *tvgp__stats_at(const tvgp_policy *p, size_t i) {
    if (i < N_COMMON)
        return &common[i];
    i -= N_COMMON;
    size_t g = 0;
    for (; i >= p->ops->stats[g].n; g++)
        i -= p->ops->stats[g].n;
    return &p->ops->stats[g].stats[i];
}

tvgp_status tvgp__stats_get(const tvgp_policy *p, const char *key, double *value) {
    const char *nearest = NULL;
    for (size_t i = 0; i < tvgp__stats_count(p); i++) {
        const tvgp__stat *stat = tvgp__stats_at(p, i);
        if (strcmp(stat->key, key) == 0) {
            *value = stat->get(p);
            return TVGP_OK;
        }
        tvgp__nearest_offer(key, stat->key, &nearest);
    }
    return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "unknown statistic '%.64s'; nearest is '%s'", key, nearest);
}
