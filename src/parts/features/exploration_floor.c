/* SPDX-License-Identifier: MIT */
/* Exploration floor and holdout share, which make the log of a deterministic policy usable for evaluation (parts/features/exploration_floor.h). */
#include "parts/features/exploration_floor.h"

#include "base/error.h"
#include "base/numbers/random_stream.h"
#include "base/valid_range.h"
#include "parts/features/conservative.h"
#include "protocol/policy_ops.h"

#include <math.h>

enum { OWN, UNIFORM, HELD }; /* what an ask is */

typedef struct exploration {
    tvgp__guard base;
    int64_t uniform, held;                 /* actions asked by a draw, or of the incumbent because of its share */
    int is;                                /* of the ask under way */
    size_t m;                              /* actions that may be asked */
    size_t incumbent;                      /* SIZE_MAX: it may not be asked */
    double holdout;                        /* the share, 0 without the incumbent */
    size_t choice;                         /* what takes the place of the policy's choice */
    double mean, sd;                       /* its posterior moments relative to the prior mean, */
    double prior;                          /* and its prior mean */
    double x[TVGP__SEARCH_SPACE_MOST + 1]; /* off the arms: where it is, and behind it its prior mean */
} exploration;

static exploration *exploration_of(const tvgp_policy *p) {
    return (exploration *)tvgp__guard_find(p, &tvgp__exploration_floor_ops);
}

static const tvgp__guard_draws *shares_of(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->draws;
}

/* ---- whether an ask may begin -------------------------------------------------------------------------------------- */

static tvgp_status check_shares(const tvgp_policy *p) {
    const tvgp__guard_draws *c = shares_of(p);
    if (c->floor + c->holdout > 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION,
                               "options 'exploration.floor' = %g and 'holdout.share' = %g must sum to at most 1", c->floor,
                               c->holdout);
    return TVGP_OK;
}

static tvgp_status start(tvgp_policy *p) {
    const tvgp__guard_draws *c = shares_of(p);
    if (!(c->floor > 0) && !(c->holdout > 0)) {
        tvgp__guard_drop(p, &tvgp__exploration_floor_ops);
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__exploration_floor_ops));
    TVGP__TRY(check_shares(p));
    return tvgp__guard_make(p, &tvgp__exploration_floor_ops, &(exploration *){0});
}

/* The guard is there from the start on, which is in an ask. */
static tvgp_status check_now(const tvgp_policy *p) {
    if (!tvgp__policy_choices(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option '%s' draws from a finite set, and this domain is a box: "
                               "tvgp_policy_set_candidates makes one",
                               shares_of(p)->floor > 0 ? "exploration.floor" : "holdout.share");
    if (shares_of(p)->holdout > 0 && !tvgp__conservative_is(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                               "option 'holdout.share' = %g needs an incumbent (tvgp_policy_set_incumbent)",
                               shares_of(p)->holdout);
    return TVGP_OK;
}

/* ---- the draw ------------------------------------------------------------------------------------------------------ */

/* The k-th of the actions that may be asked. */
static size_t available_at(const tvgp_policy *p, uint64_t k) {
    const uint8_t *mask = p->available.mask;
    size_t i = 0;
    if (!mask)
        return (size_t)k;
    while (!mask[i] || k-- > 0)
        i++;
    return i;
}

static void draw(const tvgp_policy *p, exploration *e) {
    const tvgp__policy_config *c = p->config;
    tvgp__random_stream stream =
        tvgp__random_stream_open((uint64_t)c->seed, TVGP__RANDOM_STREAM_FLOOR, (uint64_t)p->counts.asked);
    const double u = tvgp__random_stream_uniform(&stream);
    e->is = u < c->draws.floor ? UNIFORM : u < c->draws.floor + e->holdout ? HELD : OWN;
    e->choice = e->is == UNIFORM ? available_at(p, tvgp__random_stream_below(&stream, e->m)) : e->incumbent;
}

static tvgp_status predict_arm(tvgp_policy *p, exploration *e, double t, double *var) {
    e->prior = tvgp__mean_function_at(&p->mean, e->choice);
    return p->ops->at ? p->ops->at(p, t, 1, &e->choice, &e->mean, var) : TVGP_OK;
}

static tvgp_status predict_point(tvgp_policy *p, exploration *e, double t, double *var) {
    TVGP__TRY(tvgp__policy_point(p, e->choice, e->x));
    e->prior = e->x[p->domain->dim] + tvgp__policy_extra(p, e->choice);
    return p->ops->predict ? p->ops->predict(p, t, 1, e->x, &(tvgp__predictive_values){.mean = &e->mean, .var = var})
                           : TVGP_OK;
}

static tvgp_status open_ask(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    exploration *e = (exploration *)g;
    double var = 0;
    if (!asks)
        return TVGP_OK;
    TVGP__TRY(check_now(p));
    e->m = p->available.count;
    e->incumbent = tvgp__conservative_choice(p);
    e->holdout = e->incumbent == SIZE_MAX ? 0 : shares_of(p)->holdout;
    e->mean = 0;
    draw(p, e);
    if (e->is == OWN || !e->m)
        return TVGP_OK;
    p->terms.other = &e->choice;
    p->terms.other_probability = NAN;
    TVGP__TRY(tvgp__domain_has_arms(p->domain) ? predict_arm(p, e, t, &var) : predict_point(p, e, t, &var));
    e->sd = sqrt(fmax(var, 0));
    return TVGP_OK;
}

/* The probability of the policy's own choice of an action, given that it chose `own` with this propensity; NaN: not known. */
static double own_probability(const tvgp_policy *p, size_t action, size_t own, double propensity) {
    if (!(propensity > 0))
        return NAN;
    if (action == own)
        return propensity;
    if (isnan(p->terms.other_probability) && propensity == 1 / (double)p->available.count)
        return propensity; /* a policy that draws uniformly */
    return propensity < 1 ? p->terms.other_probability : 0;
}

static void judge_one(const exploration *e, tvgp_policy *p, tvgp__chosen *choice) {
    const double floor = shares_of(p)->floor;
    const size_t own = choice->index, action = e->is == OWN ? own : e->choice;
    const double rest = 1 - floor - e->holdout, by_policy = own_probability(p, action, own, choice->propensity);
    tvgp__conservative_note_own(p, choice->propensity < 1 ? SIZE_MAX : own);
    choice->propensity = floor / (double)e->m + (action == e->incumbent ? e->holdout : 0);
    if (rest > 0)
        choice->propensity = isnan(by_policy) ? 0 : choice->propensity + rest * by_policy;
    if (action == own)
        return;
    tvgp__guard_replace(choice, action, tvgp__domain_has_arms(p->domain) ? NULL : e->x, e->prior, e->mean, e->sd);
}

static tvgp_status judge(tvgp__guard *g, tvgp_policy *p, tvgp_status status, size_t n, tvgp__chosen *choice, int *again) {
    (void)again;
    for (size_t i = 0; i < n; i++)
        if (choice[i].kind == TVGP_ACTION)
            judge_one((const exploration *)g, p, &choice[i]);
    return status;
}

static void asked(tvgp__guard *g, tvgp_policy *p, tvgp__ticket *ticket) {
    exploration *e = (exploration *)g;
    (void)p;
    if (ticket->kind != TVGP_ACTION || e->is == OWN || ticket->arm != e->choice)
        return;
    e->uniform += e->is == UNIFORM;
    e->held += e->is == HELD;
}

/* ---- statistics ------------------------------------------------------------------------------------------------------ */

TVGP__POLICY_STAT_OF(uniform, exploration, e, exploration_of(p), e->uniform, 0)
TVGP__POLICY_STAT_OF(held, exploration, e, exploration_of(p), e->held, 0)

static const tvgp__stat stats[] = {
    {"exploration.asked", TVGP__TEXT("Number of actions that were drawn uniformly (exploration.floor)."), uniform,
     TVGP_STAT_COUNTER, ""},
    {"holdout.asked", TVGP__TEXT("Number of actions asked of the incumbent because of holdout.share."), held,
     TVGP_STAT_COUNTER, ""},
};

/* ---- snapshots ------------------------------------------------------------------------------------------------------- */

static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    exploration *e = (exploration *)g;
    (void)p;
    tvgp__visit_tally(v, &e->uniform);
    tvgp__visit_tally(v, &e->held);
}

const tvgp__guard_ops tvgp__exploration_floor_ops = {.name = "FLOR",
                                                     .size = sizeof(exploration),
                                                     .stats = stats,
                                                     .n_stats = sizeof stats / sizeof *stats,
                                                     .doc = "exploration floor or holdout share",
                                                     .refuses = TVGP__GUARD_SHARED,
                                                     .start = start,
                                                     .open = open_ask,
                                                     .judge = judge,
                                                     .asked = asked,
                                                     .visit = visit};
