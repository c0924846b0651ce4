/* SPDX-License-Identifier: MIT */
/* The list of limits: what they are, what is declared, what is told; the options. What is safe is worked out in
 * frame/limits_safe.c. */
#include "frame/limits.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "domain/domain_visit.h"
#include "domain/product.h"
#include "frame/limits_risk.h"
#include "frame/policy_ops.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const per_choices[] = {"step", "mean", "run", NULL};
static const char *const none_choices[] = {"refuse", "likeliest", NULL};

const tvgp__option tvgp__limits_options[TVGP__LIMITS_OPTIONS] = {
    {"limit.confidence", TVGP_F64, TVGP_OPTION_OPEN_LOWER | TVGP_OPTION_OPEN_UPPER,
     offsetof(tvgp__limits_config, confidence), 0.99, 0, 1, NULL,
     "with limits: an action is asked when the probability that it breaks none is at least this; .5 goes by the means, less "
     "asks whatever may be safe"},
    {"limit.per", TVGP_STR, 0, offsetof(tvgp__limits_config, per), TVGP__LIMITS_STEP, 0, 0, per_choices,
     "what limit.confidence is of: each ask; the asks so far on average, where spare risk is spent later; all asks of a run "
     "together"},
    {"limit.adapt", TVGP_F64, 0, offsetof(tvgp__limits_config, adapt), 1, 0, 1000, NULL,
     "standard deviations of margin that a measured violation adds, and that are given back slowly; 0: the model is "
     "trusted"},
    {"limit.expand", TVGP_F64, 0, offsetof(tvgp__limits_config, expand), 0.05, 0, 1, NULL,
     "arms: share of the asks, at most, that find out whether more is safe, where that promises a higher reward; 0: none"},
    {"limit.margin", TVGP_F64, 0, offsetof(tvgp__limits_config, margin), 0, 0, 5, NULL,
     "margin at the start, in standard deviations; 2 for who learns the model and cannot afford the first mistakes"},
    {"limit.none", TVGP_STR, 0, offsetof(tvgp__limits_config, none), TVGP__LIMITS_REFUSE, 0, 0, none_choices,
     "where nothing is safe: the ask fails, or the action of least risk is asked, on a box of those tried"},
};

static const tvgp__limits_config *config_of(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->limits;
}

/* ---- which policies ----------------------------------------------------------------------------------------------- */

static tvgp_status check_policy(const tvgp_policy *p) {
    if (p->ops->side_queries)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "policy '%s' asks an expert beside its actions: it has no limits", p->ops->name);
    if (p->domain->shard)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' plays on shared arms: it has no limits",
                               p->ops->name);
    if (tvgp__policy_models(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "policy '%s' is the model of a limit: it has none itself",
                               p->ops->name);
    return TVGP_OK;
}

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
                               "a model is told and never asked, which is nothing for policy '%s': use tv-gp-ucb or "
                               "auto-gp-ucb",
                               model->ops->name);
    if (tvgp__policy_models(model))
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model belongs to a limit already");
    if (model->busy)
        return tvgp__error_set(ctx, TVGP_ERR_REENTRANT, "model is in a call that is under way");
    if (model->limits)
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model has limits or safe actions of its own");
    if (model->asked)
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model was asked %" PRId64 " times, must be 0", model->asked);
    if (!same_domain(model->domain, p->domain))
        return tvgp__error_set(ctx, TVGP_ERR_STATE, "model has another domain than the policy");
    return TVGP_OK;
}

/* ---- making the list ---------------------------------------------------------------------------------------------- */

static tvgp_status make_list(tvgp_policy *p) {
    if (p->limits)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *p->limits, &p->limits));
    tvgp__policy_free_snapshots(p); /* what it remembers has no list */
    return TVGP_OK;
}

/* A list that holds nothing and was made for a call that failed. */
static void drop_list(tvgp_policy *p) {
    tvgp__memory_free(p->ctx, p->limits->safe);
    tvgp__memory_free(p->ctx, p->limits->own);
    tvgp__memory_free(p->ctx, p->limits);
    p->limits = NULL;
}

/* Room for what is worked out over all arms. */
static tvgp_status make_room(tvgp_policy *p, tvgp__limit *one) {
    tvgp__limits *l = p->limits;
    const size_t n = tvgp__domain_entries(p->domain);
    TVGP__TRY(tvgp__memory_room(p->ctx, n, sizeof *l->safe, &l->safe));
    TVGP__TRY(tvgp__memory_room(p->ctx, n, sizeof *l->own, &l->own));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, 2 * sizeof *one->mean, &one->mean));
    one->var = one->mean + n;
    return TVGP_OK;
}

static tvgp_status check_bound(tvgp_ctx *ctx, double limit) {
    return tvgp__range_value(ctx, "limit", limit);
}

/* The model starts, so that its options are fixed, and is in the context that holds. */
static tvgp_status begin(const tvgp_policy *p, tvgp_policy *model) {
    const size_t measured = tvgp__product_measured(p->domain);
    if (!model->started)
        TVGP__TRY(tvgp__policy_start(model));
    if (p->within && p->within->in_context) /* the same domain: it cannot fail */
        (void)tvgp__within_set_context(model->within, model->domain, p->within->bounds + p->domain->dim - measured,
                                       measured);
    return TVGP_OK;
}

tvgp_status tvgp__limits_add(tvgp_policy *p, tvgp_policy *model, uint32_t flags, double limit) {
    tvgp__limit one = {.model = model, .flags = flags, .bound = limit};
    TVGP__TRY(check_policy(p));
    if (p->started)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "limits are fixed after the first ask or tell");
    if (tvgp__guard_has_prior(p) || tvgp__guard_has_prior(model))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "a log teaches the reward alone, and one was learned");
    TVGP__TRY(check_model(p, model));
    if (flags & ~(uint32_t)(TVGP_AT_MOST | TVGP_OF_MEAN))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "flags = %" PRIu32 " has bits beyond 3 (at most 1, of mean 2)", flags);
    TVGP__TRY(check_bound(p->ctx, limit));
    if (tvgp__policy_limits(p) == TVGP__LIMITS_MOST)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "there are %d limits already", (int)TVGP__LIMITS_MOST);
    const int first = !p->limits;
    TVGP__TRY(make_list(p));
    tvgp_status status = make_room(p, &one);
    if (status == TVGP_OK)
        status = begin(p, model);
    if (status < 0) {
        tvgp__memory_free(p->ctx, one.mean);
        if (first)
            drop_list(p);
        return status;
    }
    model->refs++;
    p->limits->list[p->limits->n++] = one;
    p->clock = fmax(p->clock, model->clock);
    tvgp__policy_free_snapshots(p); /* what it remembers has fewer limits */
    return TVGP_OK;
}

tvgp_status tvgp__limits_set(tvgp_policy *p, size_t k, double limit) {
    if (k < 1 || k > tvgp__policy_limits(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "k = %zu is outside 1..%zu, the limits there are", k,
                               tvgp__policy_limits(p));
    TVGP__TRY(check_bound(p->ctx, limit));
    p->limits->list[k - 1].bound = limit;
    return TVGP_OK;
}

/* ---- declared actions --------------------------------------------------------------------------------------------- */

/* Marks the arms of the points; on a box they must lie in it. */
static tvgp_status find_arms(const tvgp_policy *p, size_t n, const double *X, uint8_t *is_declared) {
    const size_t dim = p->domain->dim;
    const int box = tvgp__domain_is(p->domain) == TVGP__BOX;
    for (size_t i = 0; i < n; i++) {
        const int64_t arm = box ? -1 : p->domain->ops->locate(p->domain, X + i * dim);
        if (box && p->domain->ops->contains(p->domain, X + i * dim))
            continue;
        if (arm < 0)
            return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "X[%zu] = (%g%s) is not a point of the domain", i, X[i * dim],
                                   dim > 1 ? ", .." : "");
        is_declared[arm] = 1;
    }
    return TVGP_OK;
}

tvgp_status tvgp__limits_declare(tvgp_policy *p, size_t n, const double *X) {
    const size_t dim = p->domain->dim, arms = tvgp__domain_entries(p->domain);
    double *points = NULL;
    uint8_t *is_declared = NULL;
    TVGP__TRY(check_policy(p));
    TVGP__TRY(tvgp__range_count(p->ctx, "n", n));
    TVGP__TRY(tvgp__range_values(p->ctx, "X", n * dim, X));
    if (!n && !p->limits)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, dim * sizeof *points, &points));
    tvgp_status status = tvgp__memory_alloc(p->ctx, arms, sizeof *is_declared, &is_declared);
    if (status == TVGP_OK)
        status = find_arms(p, n, X, is_declared);
    if (status == TVGP_OK)
        status = make_list(p);
    if (status < 0) {
        tvgp__memory_free(p->ctx, points);
        tvgp__memory_free(p->ctx, is_declared);
        return status;
    }
    if (n)
        memcpy(points, X, n * dim * sizeof *points);
    tvgp__memory_free(p->ctx, p->limits->declared);
    tvgp__memory_free(p->ctx, p->limits->is_declared);
    p->limits->declared = points;
    p->limits->is_declared = is_declared;
    p->limits->n_declared = n;
    return TVGP_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

void tvgp__limits_start(tvgp_policy *p) {
    for (size_t k = 0; k < tvgp__policy_limits(p); k++)
        p->limits->list[k].margin = config_of(p)->margin;
}

static void say_once(const tvgp_policy *p, size_t k, double y) {
    if (p->limits->list[k].broken_declared == 1)
        tvgp__context_log(p->ctx, "%s: an action that was declared safe gave %g in output %zu, beyond the limit %g",
                          p->ops->name, y, k + 1, p->limits->list[k].bound);
}

void tvgp__limits_told(tvgp_policy *p, size_t k, double y, const tvgp__ticket *ticket) {
    const tvgp__limits_config *c = config_of(p);
    tvgp__limit *one = &p->limits->list[k];
    const int beyond = tvgp__limits_risk_side(one) * (y - one->bound) < 0, declared = ticket && ticket->declared;
    one->told++;
    if (!ticket)
        return;
    one->broken += beyond && !declared;
    one->broken_declared += beyond && declared;
    if (beyond && declared)
        say_once(p, k, y);
    if (one->flags & TVGP_OF_MEAN || !(c->adapt > 0))
        return;
    const double share = (1 - c->confidence) / (double)p->limits->n;
    one->margin = fmax(0, one->margin + c->adapt * ((beyond && !declared) - share));
}
