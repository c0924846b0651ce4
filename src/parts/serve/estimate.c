/* SPDX-License-Identifier: MIT */
/* The value of another policy from a log of events. The log is replayed on its own policy; before each ask a clone predicts all arms
 * and the target chooses, and the target receives the outcomes of the log. tvgp_off_policy_value does the rest. */
#include "api/enter.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"
#include "tvgp.h"

#include <math.h>
#include <string.h>

/* Records of the asks so far, n of them, and the two policies. */
typedef struct decisions {
    tvgp_ctx *ctx;
    tvgp_policy *policy, *target; /* target NULL: arm, or -1: a uniform draw */
    int64_t arm;
    size_t dim, arms, most, n;
    double *t, *y, *propensity, *x; /* y: NaN without an outcome; x: most x (dim + 1), a point and its prior mean */
    double *sum, *weight;           /* of the outcomes of a query that are known, most */
    double *pi, *mean;              /* most x arms */
    int64_t *id, *chosen;
} decisions;

static tvgp_status refuse(const decisions *d, tvgp_status status, const tvgp_event *e, const char *reason) {
    d->ctx->function = "tvgp_event_off_policy_value";
    return tvgp__error_set(d->ctx, status, "event %" PRId64 ": %s", e->n, reason);
}

/* Where record k was asked. */
static double *point(const decisions *d, size_t k) {
    return d->x + k * (d->dim + 1);
}

/* ---- an ask ------------------------------------------------------------------------------------------------------- */

static tvgp_status predict(const decisions *d, const tvgp_event *e, size_t m, double *mean) {
    tvgp_policy *twin = NULL;
    if (!d->policy->ops->at)
        return TVGP_OK;
    tvgp_status status = tvgp_policy_clone(d->policy, &twin);
    if (status == TVGP_OK)
        status = tvgp_policy_predict(twin, e->t, m, NULL, mean, NULL);
    tvgp_policy_destroy(twin);
    return status;
}

/* The target's action, which is not tried. */
static tvgp_status ask_target(const decisions *d, const tvgp_event *e, size_t m, double *pi) {
    tvgp_query q = {.kind = TVGP_SIDE};
    double *x = point(d, d->n); /* of the record, which is filled after this */
    while (q.kind == TVGP_SIDE) {
        const tvgp_status status = tvgp_policy_ask_one(d->target, e->t, &q, x);
        if (status < 0)
            return status;
        if (status > 0)
            return refuse(d, TVGP_ERR_STATE, e, "the target has nothing to ask");
        const tvgp_obs gone = tvgp_obs_outcome(q.id, q.kind == TVGP_SIDE ? TVGP_SKIPPED : TVGP_CANCELLED);
        TVGP__TRY(tvgp_policy_tell(d->target, 1, &gone, NULL));
    }
    if (q.arm < 0 || (size_t)q.arm >= m)
        return refuse(d, TVGP_ERR_DIM, e, "the target chose none of the arms of the log");
    pi[q.arm] = 1;
    return TVGP_OK;
}

static tvgp_status choose(const decisions *d, const tvgp_event *e, size_t m, double *pi) {
    const uint8_t *mask = d->policy->available.mask;
    size_t count = 0;
    if (d->target)
        return ask_target(d, e, m, pi);
    if (d->arm >= 0 && ((size_t)d->arm >= m || (mask && !mask[d->arm])))
        return refuse(d, TVGP_ERR_NOTFOUND, e, "the arm is not available");
    for (size_t i = 0; i < m; i++)
        count += !mask || mask[i];
    for (size_t i = 0; i < m; i++)
        pi[i] = d->arm >= 0 ? (double)((int64_t)i == d->arm) : !mask || mask[i] ? 1 / (double)count : 0;
    return TVGP_OK;
}

static tvgp_status before_ask(decisions *d, const tvgp_event *e, const double *x) {
    const size_t m = tvgp__policy_choices(d->policy), k = d->n;
    if (e->slate)
        return refuse(d, TVGP_ERR_UNSUPPORTED, e, "a slate is no single decision: give its items to tvgp_off_policy_value");
    if (!e->id)
        return TVGP_OK;
    if (!m)
        return refuse(d, TVGP_ERR_UNSUPPORTED, e, "the domain is a box, and the ask has no candidates");
    if (k == d->most || m > d->arms)
        return refuse(d, TVGP_ERR_UNSUPPORTED, e, "the domain has grown within the log");
    TVGP__TRY(tvgp__policy_admit(d->policy)); /* which candidates may be asked now */
    TVGP__TRY(predict(d, e, m, d->mean + k * d->arms));
    TVGP__TRY(choose(d, e, m, d->pi + k * d->arms));
    if (e->arm < 0 || (size_t)e->arm >= m)
        return refuse(d, TVGP_ERR_FORMAT, e, "the ask has another arm than recorded");
    if (e->size == (int64_t)d->dim)
        memcpy(point(d, k), x, d->dim * sizeof *x);
    else if (d->policy->domain->n)
        TVGP__TRY(tvgp_domain_point(d->policy->domain, e->arm, point(d, k)));
    else
        TVGP__TRY(tvgp__policy_point(d->policy, (size_t)e->arm, point(d, k)));
    d->id[k] = e->id;
    d->chosen[k] = e->arm;
    d->t[k] = e->t;
    d->propensity[k] = e->propensity;
    d->y[k] = NAN;
    d->n++;
    return TVGP_OK;
}

/* ---- a tell ------------------------------------------------------------------------------------------------------- */

/* The record of a query; ids rise. d->n: there is none. */
static size_t find(const decisions *d, int64_t id) {
    size_t low = 0, high = d->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (d->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->n && d->id[low] == id ? low : d->n;
}

/* How much a part of an outcome counts. */
static double weight_of(const tvgp_event *e) {
    if (e->flags & TVGP_OBS_HAS_EXPOSURE)
        return e->exposure;
    return e->flags & TVGP_OBS_HAS_NOISE && e->noise_var > 0 ? 1 / e->noise_var : 1;
}

/* An outcome in the unit of predictions: a rate, a ratio, or the value itself. */
static double outcome_of(const tvgp_event *e) {
    const double per = e->flags & TVGP_OBS_HAS_EXPOSURE ? e->exposure : e->flags & TVGP_OBS_HAS_REFERENCE ? e->reference : 1;
    return e->y / per;
}

/* The target is conditioned on the outcome of what the log chose. */
static tvgp_status teach(const decisions *d, const tvgp_event *e, double t, const double *x) {
    const tvgp_obs obs = {.flags = (e->flags & ~(uint32_t)TVGP_OBS_PARTIAL) | TVGP_OBS_HAS_TIME,
                          .y = e->y,
                          .noise_var = e->noise_var,
                          .t = e->flags & TVGP_OBS_HAS_TIME ? e->t : t,
                          .exposure = e->exposure,
                          .reference = e->reference};
    return d->target ? tvgp_policy_tell(d->target, 1, &obs, x) : TVGP_OK;
}

static tvgp_status after_tell(decisions *d, const tvgp_event *e, const double *x) {
    if (e->outcome != TVGP_VALUE || e->output)
        return TVGP_OK;
    if (!e->id)
        return teach(d, e, d->policy->clock, x);
    const size_t k = find(d, e->id);
    if (k == d->n)
        return TVGP_OK;
    d->sum[k] += weight_of(e) * outcome_of(e);
    d->weight[k] += weight_of(e);
    d->y[k] = d->weight[k] == weight_of(e) ? outcome_of(e) : d->sum[k] / d->weight[k];
    return teach(d, e, d->t[k], point(d, k));
}

/* ---- the log ------------------------------------------------------------------------------------------------------ */

/* What the target is given as well: the surroundings of the decisions, not constraints, budgets and the incumbent. */
static int is_shared(int32_t kind) {
    return kind == TVGP_EVENT_AVAILABLE || kind == TVGP_EVENT_CONTEXT || kind == TVGP_EVENT_CONTEXT_POINT ||
           kind == TVGP_EVENT_CANDIDATES || kind == TVGP_EVENT_BOUNDS || kind == TVGP_EVENT_PRIOR_MEAN ||
           kind == TVGP_EVENT_EXTEND;
}

static tvgp_status step(decisions *d, const tvgp_event *e, const double *x) {
    if (e->kind == TVGP_EVENT_ASK)
        TVGP__TRY(before_ask(d, e, x));
    if (d->target && is_shared(e->kind))
        TVGP__TRY(tvgp_policy_apply(d->target, 1, e, (size_t)e->size, e->size ? x : NULL));
    TVGP__TRY(tvgp_policy_apply(d->policy, 1, e, (size_t)e->size, e->size ? x : NULL));
    return e->kind == TVGP_EVENT_TELL ? after_tell(d, e, x) : TVGP_OK;
}

/* Numbers of all records in one block. */
static tvgp_status make_room(decisions *d, double **block) {
    const size_t each = 8 + d->dim + tvgp__memory_product(2, d->arms); /* an id is as large as a number */
    TVGP__TRY(tvgp__memory_alloc(d->ctx, tvgp__memory_product(d->most, each), sizeof **block, block));
    d->t = *block;
    d->y = d->t + d->most;
    d->propensity = d->y + d->most;
    d->x = d->propensity + d->most;
    d->sum = d->x + d->most * (d->dim + 1);
    d->weight = d->sum + d->most;
    d->pi = d->weight + d->most;
    d->mean = d->pi + d->most * d->arms;
    d->id = (int64_t *)(d->mean + d->most * d->arms);
    d->chosen = d->id + d->most;
    return TVGP_OK;
}

static tvgp_status estimate(const decisions *d, double half_life, tvgp_value_estimate *out) {
    double now = -INFINITY;
    for (size_t k = 0; k < d->n; k++)
        now = fmax(now, d->t[k]);
    return tvgp_off_policy_value(d->ctx, d->n, d->arms, d->t, d->chosen, d->y, d->propensity, d->pi,
                                 d->policy->ops->at ? d->mean : NULL, now, half_life, out);
}

/* Whether candidates or new arms may become choices. A count is compared with the numbers of its event before use. */
static tvgp_status measure_choices(decisions *d, const tvgp_event *e, size_t contexts) {
    const size_t count = e->arm > 0 ? (size_t)e->arm : 0;
    if (e->kind == TVGP_EVENT_CANDIDATES && (e->arm < 0 || count > (size_t)e->size / d->dim))
        return refuse(d, TVGP_ERR_FORMAT, e, "the candidates have another number of coordinates");
    if (e->kind == TVGP_EVENT_CANDIDATES && count > d->arms)
        d->arms = count;
    if (e->kind == TVGP_EVENT_EXTEND && count <= (size_t)e->size)
        d->arms += tvgp__memory_product(count, contexts ? contexts : 1);
    return d->arms <= INT32_MAX ? TVGP_OK : refuse(d, TVGP_ERR_LIMIT, e, "there are more than 2^31 - 1 arms");
}

/* Counts asks, and the most choices that one may have. */
static tvgp_status measure(decisions *d, const tvgp_event *events, size_t n, size_t n_x) {
    const size_t contexts = tvgp__product_contexts(d->policy->domain);
    for (size_t i = 0; i < n; i++) {
        const tvgp_event *e = &events[i];
        if (e->size < 0 || (size_t)e->size > n_x)
            return tvgp__error_set(d->ctx, TVGP_ERR_DIM, "event %" PRId64 " has %" PRId64 " numbers, %zu are left in x",
                                   e->n, e->size, n_x);
        n_x -= (size_t)e->size;
        d->most += e->kind == TVGP_EVENT_ASK && e->id;
        TVGP__TRY(measure_choices(d, e, contexts));
    }
    return TVGP_OK;
}

static tvgp_status check(const decisions *d) {
    if (!d->most)
        return tvgp__error_set(d->ctx, TVGP_ERR_ARG, "the log has no ask");
    if (d->policy->ops->side_queries)
        return tvgp__error_set(d->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' of the log asks side queries",
                               d->policy->ops->name);
    if (!d->target)
        return TVGP_OK;
    if (d->target == d->policy || d->target->ctx != d->ctx)
        return tvgp__error_set(d->ctx, TVGP_ERR_ARG, "the target must be another policy of the same context");
    if (d->target->domain->dim != d->dim || d->target->domain->n != d->policy->domain->n)
        return tvgp__error_set(d->ctx, TVGP_ERR_DIM, "the target has %zu arms in %zu dimensions, the log %zu in %zu",
                               d->target->domain->n, d->target->domain->dim, d->policy->domain->n, d->dim);
    return TVGP_OK;
}

tvgp_status tvgp_event_off_policy_value(tvgp_policy *policy, tvgp_policy *target_or_null, int64_t arm, size_t n,
                                        const tvgp_event *events, size_t n_x, const double *x_or_null, double half_life,
                                        tvgp_value_estimate *out) {
    TVGP__ENTER_POLICY(policy);
    TVGP__REQUIRE(ctx, events);
    TVGP__REQUIRE(ctx, out);
    decisions d = {.ctx = ctx,
                   .policy = policy,
                   .target = target_or_null,
                   .arm = arm,
                   .dim = policy->domain->dim,
                   .arms = tvgp__policy_choices(policy)};
    double *block;
    if (n_x)
        TVGP__REQUIRE(ctx, x_or_null);
    TVGP__TRY(measure(&d, events, n, n_x));
    TVGP__TRY(check(&d));
    TVGP__TRY(make_room(&d, &block));
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < n && status == TVGP_OK; i++) {
        status = step(&d, &events[i], x_or_null);
        x_or_null = x_or_null ? x_or_null + events[i].size : NULL;
    }
    if (status == TVGP_OK)
        status = estimate(&d, half_life, out);
    tvgp__memory_free(ctx, block);
    return status;
}
