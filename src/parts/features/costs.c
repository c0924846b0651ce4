/* SPDX-License-Identifier: MIT */
/* Subtracts weight x cost from the scores of a choice (parts/features/costs.h). */
#include "parts/features/costs.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/policy_ops.h"

#include <string.h>

typedef struct costs {
    tvgp__guard base;
    double weight;
    int set;  /* the weight by a call; otherwise it is the option's */
    size_t n; /* costs: 1, or one for each choice; 0: not set yet */
    double *cost;
    size_t cost_slots;
} costs;

static costs *costs_of(const tvgp_policy *p) {
    return (costs *)tvgp__guard_find(p, &tvgp__costs_ops);
}

static tvgp_status make(tvgp_policy *p, costs **out) {
    TVGP__TRY(costs_of(p) ? TVGP_OK : tvgp__guard_refuse(p, &tvgp__costs_ops));
    return tvgp__guard_make(p, &tvgp__costs_ops, out); /* without costs and weight it does nothing */
}

/* ---- setting ------------------------------------------------------------------------------------------------------ */

static tvgp_status check_values(const tvgp_policy *p, size_t n, const double *cost) {
    const size_t choices = tvgp__policy_choices(p);
    if (n != 1 && n != choices)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "cost has n = %zu entries, must be 1 or %zu, the arms or candidates", n,
                               choices);
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "cost", n, cost));
    for (size_t i = 0; i < n; i++)
        if (cost[i] < 0)
            return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "cost[%zu] = %g must be >= 0", i, cost[i]);
    return TVGP_OK;
}

tvgp_status tvgp__costs_set(tvgp_policy *p, size_t n, const double *cost) {
    costs *s;
    TVGP__TRY(check_values(p, n, cost));
    TVGP__TRY(make(p, &s));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *s->cost, &s->cost, &s->cost_slots));
    memcpy(s->cost, cost, n * sizeof *cost);
    s->n = n;
    return TVGP_OK;
}

static tvgp_status check_weight(const tvgp_policy *p, double weight) {
    if (weight > 0 && tvgp__guard_named(p, "BUDG"))
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                               "cost.weight = %g must be 0 with a budget, which sets the price of cost itself", weight);
    return TVGP_OK;
}

tvgp_status tvgp__costs_set_weight(tvgp_policy *p, double weight) {
    costs *s;
    TVGP__TRY(tvgp__valid_range_value(p->ctx, "weight", weight));
    if (weight < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "weight = %g must be >= 0", weight);
    TVGP__TRY(check_weight(p, weight));
    TVGP__TRY(make(p, &s));
    s->weight = weight;
    s->set = 1;
    return TVGP_OK;
}

/* The option is the weight until the first call. */
static tvgp_status start(tvgp_policy *p) {
    const double weight = ((const tvgp__policy_config *)p->config)->cost_weight;
    costs *s = costs_of(p);
    if (s ? s->set : !(weight > 0))
        return TVGP_OK;
    TVGP__TRY(check_weight(p, weight));
    TVGP__TRY(make(p, &s));
    s->weight = weight;
    return TVGP_OK;
}

double tvgp__costs_weight(const tvgp_policy *p) {
    const costs *s = costs_of(p);
    return s ? s->weight : 0;
}

static const tvgp__stat stats[] = {
    {"cost.weight", TVGP__TEXT("Weight of cost against reward; a budget has a price instead."), tvgp__costs_weight,
     TVGP_STAT_DIAGNOSTIC, "reward/cost"},
};

/* ---- a choice ----------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__costs_check(const tvgp_policy *p, const char *reader) {
    const costs *s = costs_of(p);
    const size_t choices = tvgp__policy_choices(p);
    if (!choices)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "%s needs a finite set of actions, and this domain is a box: "
                               "tvgp_policy_set_candidates makes one",
                               reader);
    if (!s || !s->n)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "%s has no costs (tvgp_policy_set_costs)", reader);
    if (s->n > 1 && s->n != choices)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "%s has %zu costs, and there are %zu arms or candidates", reader,
                               s->n, choices);
    return TVGP_OK;
}

double tvgp__costs_of(const tvgp_policy *p, size_t choice) {
    const costs *s = costs_of(p);
    return s->cost[s->n > 1 ? choice : 0];
}

void tvgp__costs_take(const tvgp_policy *p, double price, double *offset) {
    for (size_t i = 0; i < tvgp__policy_choices(p); i++)
        offset[i] -= price * tvgp__costs_of(p, i);
}

static tvgp_status open_ask(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    const double weight = ((const costs *)g)->weight;
    double *offset;
    (void)t;
    if (!asks || !(weight > 0))
        return TVGP_OK;
    TVGP__TRY(tvgp__costs_check(p, "a cost weight")); /* here, because the start of a first ask may add the feature */
    TVGP__TRY(tvgp__guard_offset(p, &offset));
    tvgp__costs_take(p, weight, offset);
    return TVGP_OK;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    costs *s = (costs *)g;
    if (tvgp__visit_loads(v) && !tvgp__visit_try(v, tvgp__guard_refuse(p, &tvgp__costs_ops)))
        return;
    tvgp__visit_real(v, &s->weight, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &s->set);
    tvgp__visit_count(v, &s->n, (size_t)1 << 31, sizeof *s->cost);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__memory_reserve(v->ctx, s->n, sizeof *s->cost, &s->cost, &s->cost_slots));
    if (tvgp__visit_fine(v))
        tvgp__visit_reals(v, s->n, s->cost, 0, TVGP__VALID_RANGE_MOST);
    else
        s->n = 0;
}

static void release(tvgp__guard *g, tvgp_policy *p) {
    tvgp__memory_free(p->ctx, ((costs *)g)->cost);
    tvgp__memory_free(p->ctx, g);
}

const tvgp__guard_ops tvgp__costs_ops = {.name = "COST",
                                         .size = sizeof(costs),
                                         .stats = stats,
                                         .n_stats = sizeof stats / sizeof *stats,
                                         .doc = "costs",
                                         .refuses = TVGP__GUARD_SHARED | TVGP__GUARD_MODEL | TVGP__GUARD_NO_SCORE,
                                         .start = start,
                                         .open = open_ask,
                                         .visit = visit,
                                         .release = release};
