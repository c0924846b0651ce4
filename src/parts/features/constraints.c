/* SPDX-License-Identifier: MIT */
/* The list of constraints: bounds, declared actions, values; the options. parts/features/constraints_safe.c computes what is
 * safe. */
#include "parts/features/constraints.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/valid_range.h"
#include "parts/features/constraints_risk.h"
#include "parts/features/constraints_safe.h"
#include "parts/features/constraints_visit.h"
#include "protocol/policy_options.h"
#include "space/domain/arm_at_point.h"
#include "space/domain/domain_visit.h"

#include <math.h>
#include <string.h>

/* ---- which policies ----------------------------------------------------------------------------------------------- */

static int same_domain(const tvgp_domain *a, const tvgp_domain *b) {
    return a == b || (a->n == b->n && a->dim == b->dim && a->total == b->total &&
                      tvgp__domain_visit_hash((tvgp_domain *)a) == tvgp__domain_visit_hash((tvgp_domain *)b));
}

static tvgp_status check_model(const tvgp_policy *p, const tvgp_policy *model) {
    tvgp_ctx *ctx = p->ctx;
    if (model == p)
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model is the policy itself");
    if (model->ctx != ctx)
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model is of another context");
    if (!model->ops->model)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED,
                               "policy '%s' cannot be the model of a constraint: use tv-gp-ucb or auto-gp-ucb",
                               model->ops->name);
    if (tvgp__policy_models(model))
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model already belongs to a constraint");
    if (model->handle.busy)
        return tvgp__error_set(ctx, TVGP_ERR_REENTRANT, "model is in a call that is under way");
    if (tvgp__constraints_of(model))
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model has constraints or safe actions of its own");
    if (model->counts.asked)
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model was asked %" PRId64 " times, must be 0", model->counts.asked);
    if (!same_domain(model->domain, p->domain))
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model has another domain than the policy");
    return TVGP_OK;
}

/* ---- setting ------------------------------------------------------------------------------------------------------- */

static tvgp_status check_bound(tvgp_ctx *ctx, double bound) {
    return tvgp__valid_range_value(ctx, "bound", bound);
}

/* A model that has not started and has no rows.limit of its own takes the policy's, which bounds the memory of both. Every policy that
 * may be a model has the option, with the same bounds. */
static tvgp_status add_output(tvgp_policy *p, tvgp_policy *model) {
    static const char *const key = "rows.limit";
    const tvgp__option_marks marks = model->given.options;
    int64_t most = 0, own = 0;
    if (model->started || !tvgp__policy_options_was_set(p, key) || tvgp__policy_options_was_set(model, key))
        return tvgp__policy_add_output(p, model);
    (void)tvgp__option_get_i64(p->ctx, p->ops->groups, p->ops->n_groups, p->config, key, &most);
    (void)tvgp__option_get_i64(p->ctx, model->ops->groups, model->ops->n_groups, model->config, key, &own);
    (void)tvgp__policy_options_i64(model, key, most);
    const tvgp_status status = tvgp__policy_add_output(p, model);
    if (status < 0) {
        (void)tvgp__policy_options_i64(model, key, own);
        model->given.options = marks;
    }
    return status;
}

/* One more output, and its constraint. */
static tvgp_status push(tvgp_policy *p, tvgp__constraints *l, const tvgp__constraint *one) {
    l->list[l->n++] = *one;
    tvgp_status status = tvgp__constraints_risk_room(p->ctx, l, tvgp__domain_entries(p->domain));
    if (status == TVGP_OK)
        status = add_output(p, one->model);
    if (status < 0) {
        tvgp__memory_free(p->ctx, l->list[--l->n].mean);
        l->list[l->n].mean = NULL;
    }
    return status;
}

tvgp_status tvgp__constraints_add(tvgp_policy *p, tvgp_policy *model, uint32_t flags, double bound) {
    const tvgp__constraint one = {.model = model, .flags = flags, .bound = bound};
    const int first = !tvgp__constraints_of(p);
    tvgp__constraints *l;
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__constraints_ops));
    if (p->started)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "constraints are fixed after the first ask or tell");
    if (model->mean.forecast)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the prior of the model is learned from historical data");
    TVGP__TRY(check_model(p, model));
    if (flags & ~(uint32_t)(TVGP_AT_MOST | TVGP_OF_MEAN))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "flags = %" PRIu32 " has bits beyond 3 (at most 1, of mean 2)", flags);
    TVGP__TRY(check_bound(p->ctx, bound));
    if (tvgp__policy_outputs(p) == TVGP__OUTPUTS_MOST)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "the policy already has %d constraints", (int)TVGP__OUTPUTS_MOST);
    TVGP__TRY(tvgp__guard_make(p, &tvgp__constraints_ops, &l));
    const tvgp_status status = push(p, l, &one);
    if (status < 0 && first)
        tvgp__guard_drop(p, &tvgp__constraints_ops);
    return status;
}

tvgp_status tvgp__constraints_set(tvgp_policy *p, int32_t output, double bound) {
    if (output < 1 || (size_t)output > tvgp__policy_outputs(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "output = %" PRId32 " is outside 1..%zu, the number of constraints",
                               output, tvgp__policy_outputs(p));
    TVGP__TRY(check_bound(p->ctx, bound));
    tvgp__constraints_of(p)->list[output - 1].bound = bound;
    return TVGP_OK;
}

/* ---- declared actions --------------------------------------------------------------------------------------------- */

/* Marks the arms of the points; on a box they must lie in it. */
static tvgp_status find_arms(const tvgp_policy *p, size_t n, const double *X, uint8_t *is_declared) {
    const size_t dim = p->domain->dim;
    const int box = tvgp__domain_is_box(p->domain);
    for (size_t i = 0; i < n; i++) {
        const int64_t arm = box ? -1 : tvgp__arm_at_point_locate(p->domain, X + i * dim);
        char argument[32];
        if (box && p->domain->ops->contains(p->domain, X + i * dim))
            continue;
        if (arm < 0) {
            tvgp__number_text_print(argument, sizeof argument, "X[%zu]", i);
            return tvgp__arm_at_point_refuse(p->ctx, p->domain, argument, X + i * dim);
        }
        is_declared[arm] = 1;
    }
    return TVGP_OK;
}

tvgp_status tvgp__constraints_declare(tvgp_policy *p, size_t n, const double *X) {
    const size_t dim = p->domain->dim, arms = tvgp__domain_entries(p->domain);
    double *points = NULL;
    uint8_t *is_declared = NULL;
    tvgp__constraints *l = NULL;
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__constraints_ops));
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "n", n));
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "X", n * dim, X));
    if (!n && !tvgp__constraints_of(p))
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, dim * sizeof *points, &points));
    tvgp_status status = tvgp__memory_alloc(p->ctx, arms, sizeof *is_declared, &is_declared);
    if (status == TVGP_OK)
        status = find_arms(p, n, X, is_declared);
    if (status == TVGP_OK)
        status = tvgp__guard_make(p, &tvgp__constraints_ops, &l);
    if (status < 0) {
        tvgp__memory_free(p->ctx, points);
        tvgp__memory_free(p->ctx, is_declared);
        return status;
    }
    if (n)
        memcpy(points, X, n * dim * sizeof *points);
    tvgp__memory_free(p->ctx, l->declared);
    tvgp__memory_free(p->ctx, l->is_declared);
    l->declared = points;
    l->is_declared = is_declared;
    l->n_declared = n;
    return TVGP_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

static tvgp_status start(tvgp_policy *p) {
    tvgp__constraints *l = tvgp__constraints_of(p);
    if (l)
        tvgp__constraints_risk_start(p, l);
    return TVGP_OK;
}

static void say_once(const tvgp_policy *p, const tvgp__constraint *one, size_t output, double y) {
    if (one->broken_declared == 1)
        tvgp__context_log(p->ctx, "%s: an action that was declared safe gave %g in output %zu, beyond the bound %g",
                          p->ops->name, y, output, one->bound);
}

static void observed(tvgp__guard *g, tvgp_policy *p, size_t output, const tvgp__answer *a) {
    const tvgp__guard_constraints *c = tvgp__constraints_config(p);
    tvgp__constraints *l = (tvgp__constraints *)g;
    if (!output)
        return;
    tvgp__constraint *one = &l->list[output - 1];
    const double bound = tvgp__outcome_link(tvgp__policy_outcome(one->model), one->bound);
    const double off = tvgp__policy_turn(one->model, a->y) - bound;
    const int beyond = tvgp__constraints_risk_side(one) * off < 0, declared = a->ticket && a->ticket->declared;
    one->outcomes++;
    if (!a->ticket)
        return;
    one->broken += beyond && !declared;
    one->broken_declared += beyond && declared;
    if (beyond && declared)
        say_once(p, one, output, tvgp__policy_out(one->model, a->y));
    if (one->flags & TVGP_OF_MEAN || !(c->margin_step > 0))
        return;
    const double share = (1 - c->confidence) / (double)l->n;
    one->margin = fmax(0, one->margin + c->margin_step * ((beyond && !declared) - share));
}

/* At least as far as the model predicts. */
static double beyond(const tvgp__guard *g, size_t output, double mean, double off) {
    const tvgp__constraint *one = &((const tvgp__constraints *)g)->list[output - 1];
    const double bound = tvgp__outcome_link(tvgp__policy_outcome(one->model), one->bound),
                 side = tvgp__constraints_risk_side(one);
    return bound - side * fmax(off, side * (bound - mean));
}

static void release(tvgp__guard *g, tvgp_policy *p) {
    tvgp__constraints *l = (tvgp__constraints *)g;
    for (size_t k = 0; k < TVGP__OUTPUTS_MOST; k++)
        tvgp__memory_free(p->ctx, l->list[k].mean);
    void *const blocks[] = {l->declared, l->is_declared, l->safe, l->own, l};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(p->ctx, blocks[i]);
}

/* ---- statistics, where there are any --------------------------------------------------------------------------------- */

TVGP__POLICY_STAT_OF(safe_arms, tvgp__constraints, l, tvgp__constraints_of(p), l->count, 0)
TVGP__POLICY_STAT_OF(fallbacks, tvgp__constraints, l, tvgp__constraints_of(p), l->fallbacks, 0)
TVGP__POLICY_STAT_OF(widened, tvgp__constraints, l, tvgp__constraints_of(p), l->widened, 0)
TVGP__POLICY_STAT_OF(spent, tvgp__constraints, l, tvgp__constraints_of(p), l->spent, 0)

static const tvgp__stat of_limits[] = {
    {"safe.count",
     TVGP__TEXT("Number of arms that were safe at the last ask; on a box 1 if more than the declared actions was safe."),
     safe_arms, TVGP_STAT_LEARNED, ""},
    {"safe.fallbacks", TVGP__TEXT("Number of asks at which only declared actions were safe."), fallbacks, TVGP_STAT_COUNTER,
     ""},
    {"safe.explored", TVGP__TEXT("Number of asks that explored whether more arms are safe."), widened, TVGP_STAT_COUNTER,
     ""},
    {"safe.expected_violations", TVGP__TEXT("Sum of the risks of the actions asked that were not declared safe."), spent,
     TVGP_STAT_COUNTER, ""},
};
static double broken(const tvgp_policy *p, size_t k) {
    return (double)tvgp__constraints_of(p)->list[k - 1].broken;
}
static double broken_declared(const tvgp_policy *p, size_t k) {
    return (double)tvgp__constraints_of(p)->list[k - 1].broken_declared;
}
static double outputs_observed(const tvgp_policy *p, size_t k) {
    return (double)tvgp__constraints_of(p)->list[k - 1].outcomes;
}
static double margin(const tvgp_policy *p, size_t k) {
    return p->started ? tvgp__constraints_of(p)->list[k - 1].margin : tvgp__constraints_config(p)->initial_margin;
}
static size_t past_limits(const tvgp_policy *p) {
    return tvgp__policy_outputs(p) ? 1 + tvgp__policy_outputs(p) : 0;
}

static const tvgp__stat_series each_limit[] = {
    {"constraint.violations.1",
     TVGP__TEXT(
         "Number of values beyond constraint k of actions that were not declared safe; compare safe.expected_violations."),
     broken, past_limits, TVGP_STAT_COUNTER, ""},
    {"constraint.caller_safe_violations.1",
     TVGP__TEXT("Number of values beyond constraint k at actions that the caller declared safe."), broken_declared,
     past_limits, TVGP_STAT_COUNTER, ""},
    {"constraint.observations.1",
     TVGP__TEXT(
         "Number of values of output k. 0 after many asks: no value is reported, and no more actions can become safe."),
     outputs_observed, past_limits, TVGP_STAT_COUNTER, ""},
    {"constraint.margin.1",
     TVGP__TEXT("Safety margin of constraint k, in posterior standard deviations; raised by violations."), margin,
     past_limits, TVGP_STAT_LEARNED, ""},
};

const tvgp__guard_ops tvgp__constraints_ops = {.name = TVGP__CONSTRAINTS_NAME,
                                               .size = sizeof(tvgp__constraints),
                                               .doc = "constraints",
                                               .refuses = TVGP__GUARD_SIDE_QUERIES | TVGP__GUARD_SHARED | TVGP__GUARD_MODEL |
                                                          TVGP__GUARD_PRIOR_LEARNED,
                                               .stats = of_limits,
                                               .n_stats = sizeof of_limits / sizeof *of_limits,
                                               .series = each_limit,
                                               .n_series = sizeof each_limit / sizeof *each_limit,
                                               .of_outputs = 1,
                                               .start = start,
                                               .open = tvgp__constraints_safe_open,
                                               .judge = tvgp__constraints_safe_judge,
                                               .close = tvgp__constraints_safe_close,
                                               .asked = tvgp__constraints_safe_asked,
                                               .observed = observed,
                                               .beyond = beyond,
                                               .visit = tvgp__constraints_visit,
                                               .release = release};
