/* SPDX-License-Identifier: MIT */
/* Replay of events: each record makes the call that it records, through the public functions. An ask is compared with its record,
 * because every later query depends on it. */
#include "api/enter.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "parts/serve/event_names.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"
#include "tvgp.h"

#include <string.h>

/* A replay under way. */
typedef struct replay {
    tvgp_ctx *ctx;
    tvgp_policy *policy;
    size_t dim;    /* of the domain */
    double *point; /* dim */
} replay;

/* The message is set again, because calls of public functions clear it. */
static tvgp_status refuse(const replay *r, const tvgp_event *e, const char *reason) {
    r->ctx->function = "tvgp_policy_apply";
    return tvgp__error_set(r->ctx, TVGP_ERR_FORMAT, "event %" PRId64 ": %s", e->n, reason);
}

/* Adds the number of the event to the message of the call that failed. */
static tvgp_status failed(const replay *r, const tvgp_event *e, tvgp_status status) {
    char reason[TVGP__ERRMSG_SIZE];
    memcpy(reason, r->ctx->errmsg, sizeof reason);
    r->ctx->function = "tvgp_policy_apply";
    return tvgp__error_set(r->ctx, status, "event %" PRId64 ": %.200s", e->n, reason);
}

/* ---- ask and tell ----------------------------------------------------------------------------------------------- */

/* The items of a slate as they are recorded: arm, propensity and point of each. */
static tvgp_status compare_items(const replay *r, const tvgp_event *e, const double *x, size_t n, const tvgp_query *q,
                                 const double *points) {
    const size_t each = 2 + r->dim;
    for (size_t i = 0; i < n; i++, x += each) {
        if (q[i].id != e->id + (int64_t)i || (double)q[i].arm != x[0])
            return refuse(r, e, "the slate has another item than recorded");
        if (memcmp(x + 2, points + i * r->dim, r->dim * sizeof *x) != 0)
            return refuse(r, e, "the slate has another point than recorded");
    }
    return TVGP_OK;
}

static tvgp_status apply_slate(const replay *r, const tvgp_event *e, const double *x) {
    const size_t most = (size_t)e->slate, each = 2 + r->dim;
    tvgp_query *q = NULL;
    size_t n = 0;
    if (e->slate < 0 || e->size % (int64_t)each || e->size > (int64_t)(most * each) || (e->size == 0) != (e->id == 0))
        return refuse(r, e, "the slate has another number of numbers than its items");
    TVGP__TRY(tvgp__memory_alloc(r->ctx, most, sizeof *q + r->dim * sizeof *x, &q));
    double *points = (double *)(q + most);
    tvgp_status status = tvgp_policy_ask_slate(r->policy, e->t, most, q, points, &n);
    if (status >= 0 && n * each != (size_t)e->size)
        status = refuse(r, e, "the slate has another number of items than recorded");
    else if (status >= 0)
        status = compare_items(r, e, x, n, q, points);
    tvgp__memory_free(r->ctx, q);
    return status;
}

static tvgp_status apply_ask(const replay *r, const tvgp_event *e, const double *x) {
    tvgp_query q = {.arm = e->arm};
    if (e->slate)
        return apply_slate(r, e, x);
    if (e->size != 0 && e->size != (int64_t)r->dim)
        return refuse(r, e, "the point of the ask has another number of coordinates");
    const tvgp_status status = tvgp_policy_ask_one(r->policy, e->t, &q, r->point);
    if (status < 0)
        return status;
    if (q.id != e->id)
        return refuse(r, e, e->id ? "the ask has another id than recorded" : "the ask has a result, but none is recorded");
    if (status != TVGP_OK)
        return TVGP_OK;
    if (q.arm != e->arm)
        return refuse(r, e, "the ask has another arm than recorded");
    if (e->size && memcmp(x, r->point, r->dim * sizeof *x) != 0)
        return refuse(r, e, "the ask has another point than recorded");
    return TVGP_OK;
}

static tvgp_obs record_of(const tvgp_event *e, double y, int32_t output) {
    const int own = output == e->output; /* noise, exposure and reference are of this output alone */
    return (tvgp_obs){.id = e->id,
                      .outcome = e->outcome,
                      .flags = own ? e->flags : e->flags & TVGP_OBS_HAS_TIME,
                      .y = y,
                      .noise_var = own ? e->noise_var : 0,
                      .t = e->t,
                      .output = output,
                      .exposure = own ? e->exposure : 0,
                      .reference = own ? e->reference : 0};
}

static tvgp_status apply_tell(const replay *r, const tvgp_event *e, const double *x) {
    const size_t at = e->id ? 0 : r->dim, n = 1 + (size_t)e->outputs;
    tvgp_obs *obs = NULL;
    double *points = NULL;
    if (e->outputs < 0 || e->outputs > 16 || (e->outputs && (e->output || e->outcome != TVGP_VALUE)) ||
        e->size != (int64_t)(at + n - 1))
        return refuse(r, e, "the tell has another number of numbers than its point and its outputs");
    TVGP__TRY(tvgp__memory_alloc(r->ctx, n, sizeof *obs + at * sizeof *points, &obs));
    points = (double *)(obs + n);
    for (size_t k = 0; k < n; k++) {
        obs[k] = k ? record_of(e, x[at + k - 1], (int32_t)k) : record_of(e, e->y, e->output);
        if (at)
            memcpy(points + k * at, x, at * sizeof *points);
    }
    const tvgp_status status = tvgp_policy_tell(r->policy, n, obs, at ? points : NULL);
    tvgp__memory_free(r->ctx, obs);
    return status;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

static tvgp_status apply_available(const replay *r, const tvgp_event *e, const double *x) {
    const size_t n = (size_t)e->size;
    uint8_t *mask = NULL;
    if (!n)
        return tvgp_policy_set_available(r->policy, 0, NULL);
    TVGP__TRY(tvgp__memory_alloc(r->ctx, n, 1, &mask));
    for (size_t i = 0; i < n; i++)
        mask[i] = x[i] != 0;
    const tvgp_status status = tvgp_policy_set_available(r->policy, n, mask);
    tvgp__memory_free(r->ctx, mask);
    return status;
}

static tvgp_status apply_context(const replay *r, const tvgp_event *e, const double *x) {
    (void)x;
    return tvgp_policy_set_context(r->policy, e->arm);
}

static tvgp_status apply_context_point(const replay *r, const tvgp_event *e, const double *x) {
    return tvgp_policy_set_context_point(r->policy, (size_t)e->size, x);
}

static tvgp_status apply_candidates(const replay *r, const tvgp_event *e, const double *x) {
    const int means = (e->flags & TVGP_EVENT_MEANS) != 0;
    const size_t n = (size_t)e->size / (r->dim + (size_t)means);
    if (e->arm != (int64_t)n || (size_t)e->size != n * (r->dim + (size_t)means))
        return refuse(r, e, "the candidates have another number of coordinates");
    return tvgp_policy_set_candidates(r->policy, n, n ? x : NULL, n && means ? x + n * r->dim : NULL);
}

static tvgp_status apply_bounds(const replay *r, const tvgp_event *e, const double *x) {
    if (e->size != 0 && e->size != 2 * (int64_t)r->dim)
        return refuse(r, e, "the bounds have another number of coordinates");
    return tvgp_policy_set_bounds(r->policy, e->size ? x : NULL, e->size ? x + r->dim : NULL);
}

static tvgp_status apply_prior_mean(const replay *r, const tvgp_event *e, const double *x) {
    return tvgp_policy_set_prior_mean(r->policy, (size_t)e->size, e->size ? x : NULL);
}

static tvgp_status apply_constraint(const replay *r, const tvgp_event *e, const double *x) {
    (void)x;
    if (e->output < 1)
        return refuse(r, e, "the constraint has no output");
    return tvgp_policy_set_constraint(r->policy, e->output, e->y);
}

static tvgp_status apply_safe(const replay *r, const tvgp_event *e, const double *x) {
    if ((size_t)e->size % r->dim)
        return refuse(r, e, "the safe points have another number of coordinates");
    return tvgp_policy_set_safe(r->policy, (size_t)e->size / r->dim, e->size ? x : NULL);
}

static tvgp_status apply_incumbent(const replay *r, const tvgp_event *e, const double *x) {
    if (e->size != 0 && e->size != (int64_t)r->dim)
        return refuse(r, e, "the incumbent has another number of coordinates");
    return tvgp_policy_set_incumbent(r->policy, e->size ? x : NULL, e->y);
}

static tvgp_status apply_fit(const replay *r, const tvgp_event *e, const double *x) {
    size_t evals;
    (void)x;
    return tvgp_policy_fit(r->policy, e->arm > 0 ? (size_t)e->arm : 0, &evals);
}

static tvgp_status apply_budget(const replay *r, const tvgp_event *e, const double *x) {
    if (e->size != 3)
        return refuse(r, e, "the budget has another number of numbers than 3");
    return tvgp_policy_set_budget(r->policy, x[0], x[1], x[2]);
}

static tvgp_status apply_costs(const replay *r, const tvgp_event *e, const double *x) {
    return tvgp_policy_set_costs(r->policy, (size_t)e->size, x);
}

static tvgp_status apply_cost_weight(const replay *r, const tvgp_event *e, const double *x) {
    (void)x;
    return tvgp_policy_set_cost_weight(r->policy, e->y);
}

static tvgp_status apply_payoffs(const replay *r, const tvgp_event *e, const double *x) {
    return tvgp_policy_set_payoffs(r->policy, (size_t)e->size, x);
}

static tvgp_status apply_charge(const replay *r, const tvgp_event *e, const double *x) {
    (void)x;
    return tvgp_policy_charge(r->policy, e->id, e->charge);
}

/* The domain with n more actions. */
static tvgp_status larger_domain(const replay *r, size_t n, const double *X, tvgp_domain **out) {
    const tvgp_domain *actions, *contexts;
    tvgp_domain *larger = NULL;
    tvgp__product_parts(r->policy->domain, &actions, &contexts);
    TVGP__TRY(tvgp_domain_append(actions, n, X, &larger));
    if (!contexts) {
        *out = larger;
        return TVGP_OK;
    }
    const tvgp_status status = tvgp_domain_product(r->ctx, larger, contexts, out);
    tvgp_domain_destroy(larger);
    return status;
}

static tvgp_status apply_extend(const replay *r, const tvgp_event *e, const double *x) {
    const size_t contexts = tvgp__product_contexts(r->policy->domain), n = (size_t)e->arm, names = (size_t)e->outputs,
                 dim = tvgp__product_action_dim(r->policy->domain);
    const int means = (e->flags & TVGP_EVENT_MEANS) != 0;
    tvgp_domain *larger = NULL;
    if (e->arm < 1 || e->arm > e->size || e->outputs < 0 ||
        (size_t)e->size != n * dim + (means ? n * (contexts ? contexts : 1) : 0) + names)
        return refuse(r, e, "the extension has another number of numbers than its points, means and names");
    if (names && !tvgp__event_names_valid(x + (size_t)e->size - names, names, n))
        return refuse(r, e, "the names of the extension are not one for each action");
    TVGP__TRY(larger_domain(r, n, x, &larger));
    const tvgp_status status = tvgp_policy_extend(r->policy, larger, means ? x + n * dim : NULL);
    tvgp_domain_destroy(larger);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static tvgp_status (*const apply_kind[])(const replay *, const tvgp_event *, const double *) = {
    [TVGP_EVENT_ASK] = apply_ask,
    [TVGP_EVENT_TELL] = apply_tell,
    [TVGP_EVENT_AVAILABLE] = apply_available,
    [TVGP_EVENT_CONTEXT] = apply_context,
    [TVGP_EVENT_CONTEXT_POINT] = apply_context_point,
    [TVGP_EVENT_CANDIDATES] = apply_candidates,
    [TVGP_EVENT_BOUNDS] = apply_bounds,
    [TVGP_EVENT_PRIOR_MEAN] = apply_prior_mean,
    [TVGP_EVENT_CONSTRAINT] = apply_constraint,
    [TVGP_EVENT_SAFE] = apply_safe,
    [TVGP_EVENT_INCUMBENT] = apply_incumbent,
    [TVGP_EVENT_FIT] = apply_fit,
    [TVGP_EVENT_BUDGET] = apply_budget,
    [TVGP_EVENT_COSTS] = apply_costs,
    [TVGP_EVENT_CHARGE] = apply_charge,
    [TVGP_EVENT_EXTEND] = apply_extend,
    [TVGP_EVENT_PAYOFFS] = apply_payoffs,
    [TVGP_EVENT_COST_WEIGHT] = apply_cost_weight,
};

static tvgp_status check(const replay *r, const tvgp_event *events, size_t n, size_t n_x) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const tvgp_event *e = &events[i];
        if (i && e->n != events[i - 1].n + 1)
            return tvgp__error_set(r->ctx, TVGP_ERR_FORMAT, "event %" PRId64 " follows event %" PRId64 " in the log", e->n,
                                   events[i - 1].n);
        if (e->n < 1 || e->n > (INT64_C(1) << 53))
            return refuse(r, e, "the number must be in 1..2^53");
        if (e->kind < 1 || e->kind >= (int32_t)(sizeof apply_kind / sizeof *apply_kind))
            return refuse(r, e, "the kind is unknown");
        if (e->reserved != 0)
            return tvgp__error_set(r->ctx, TVGP_ERR_ARG, "event %" PRId64 ": reserved = %g must be 0", e->n, e->reserved);
        if (e->size < 0 || (size_t)e->size > n_x - sum)
            return tvgp__error_set(r->ctx, TVGP_ERR_DIM, "event %" PRId64 " has %" PRId64 " numbers, %zu are left in x",
                                   e->n, e->size, n_x - sum);
        sum += (size_t)e->size;
    }
    if (sum != n_x)
        return tvgp__error_set(r->ctx, TVGP_ERR_DIM, "x has %zu numbers, the events have %zu", n_x, sum);
    return TVGP_OK;
}

static tvgp_status run(const replay *r, const tvgp_event *events, size_t n, const double *x) {
    for (size_t i = 0; i < n; i++) {
        const tvgp_status status = apply_kind[events[i].kind](r, &events[i], x);
        if (status < 0)
            return status == TVGP_ERR_FORMAT ? status : failed(r, &events[i], status);
        x = x ? x + events[i].size : NULL;
    }
    return TVGP_OK;
}

tvgp_status tvgp_policy_apply(tvgp_policy *policy, size_t n, const tvgp_event *events, size_t n_x, const double *x_or_null) {
    TVGP__ENTER_POLICY(policy);
    if (n)
        TVGP__REQUIRE(ctx, events);
    if (n_x)
        TVGP__REQUIRE(ctx, x_or_null);
    replay r = {.ctx = ctx, .policy = policy, .dim = policy->domain->dim};
    TVGP__TRY(check(&r, events, n, n_x));
    TVGP__TRY(tvgp__memory_alloc(ctx, r.dim, sizeof *r.point, &r.point));
    const tvgp_status status = run(&r, events, n, n_x ? x_or_null : NULL);
    tvgp__memory_free(ctx, r.point);
    return status;
}
