/* SPDX-License-Identifier: MIT */
/* The policy framework: one ops table per algorithm (protocol/policy_ops.h). */
#include "protocol/policy_ops.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "base/registry.h"
#include "base/valid_range.h"
#include "protocol/policy_options.h"
#include "protocol/prior.h"
#include "space/domain/product.h"

#include <math.h>
#include <string.h>

static const char *const none[] = {""}, *const senses[] = {"max", "min", NULL};

const tvgp__option tvgp__policy_options[TVGP__POLICY_OPTIONS] = {
    {"seed", TVGP_I64, 0, offsetof(tvgp__policy_config, seed), 0, 0, 0x1p53, NULL,
     TVGP__TEXT("Seed of all random choices.")},
    {"pending.limit", TVGP_I64, TVGP_OPTION_ADVANCED, offsetof(tvgp__policy_config, pending_limit), 65536, 1, 0x1p31, NULL,
     TVGP__TEXT("Largest number of pending queries; beyond it the oldest is forgotten.")},
    {"pending.timeout", TVGP_F64, 0, offsetof(tvgp__policy_config, pending_timeout), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Age at which an ask closes a pending query as skipped, in units of time. 0: never.")},
    {"pending.timeout_value", TVGP_STR, TVGP__OPTION_TEXT | TVGP__OPTION_SHORT, offsetof(tvgp__policy_config, timeout_value),
     0, 0, 0, none,
     TVGP__TEXT("Outcome of a query older than pending.timeout, a number; of a count with exposure 1. Side queries and "
                "queries with a "
                "partial outcome are skipped. Empty: skipped.")},
    {"failed.width", TVGP_F64, 0, offsetof(tvgp__policy_config, failed_width), 2, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Distance below its prediction at which a query that failed is observed, in predictive standard deviations; "
                "values of "
                "constraints count as this far beyond the bound. 0: a failed query teaches nothing.")},
    {"time.max_step", TVGP_F64, 0, offsetof(tvgp__policy_config, max_step), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT(
         "Largest step from the newest time to a supplied time, in units of time; a later time is refused. 0: no limit.")},
    {"time.clamp", TVGP_I64, 0, offsetof(tvgp__policy_config, time_clamp), 0, 0, 1, NULL,
     TVGP__TEXT("Switch: an ask earlier than the newest time is moved to that time, for hosts whose clocks differ. 0: it is "
                "refused.")},
    {"context.clamp", TVGP_I64, 0, offsetof(tvgp__policy_config, context_clamp), 0, 0, 1, NULL,
     TVGP__TEXT(
         "Switch: a measured context outside its box is moved to the border, for requests that must not fail. 0: it is "
         "refused.")},
    {"sense", TVGP_STR, 0, offsetof(tvgp__policy_config, sense), TVGP__POLICY_MAX, 0, 0, senses,
     TVGP__TEXT("Direction of optimisation. Scores, predictions and statistics keep the caller's sign.")},
    {"outcome.type", TVGP_STR, 0, offsetof(tvgp__policy_config, outcome), 0, 0, 0, tvgp__outcome_types_names,
     TVGP__TEXT("Type of the outcomes: the Gaussian process models y (normal), ln y (lognormal), ln(y / reference) (ratio), "
                "ln(rate) "
                "(poisson) or logit(rate) (binomial) of a count y with an exposure, 1 unless supplied. Set it before a "
                "prior mean.")},
    {"exploration.floor", TVGP_F64, 0, offsetof(tvgp__policy_config, draws.floor), 0, 0, 1, NULL,
     TVGP__TEXT("Probability of a uniformly drawn action. 0: none.")},
    {"holdout.share", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(tvgp__policy_config, draws.holdout), 0, 0, 1, NULL,
     TVGP__TEXT("Probability that the incumbent is asked. 0: none.")},
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* ---- what a policy may leave out -------------------------------------------------------------------------------- */

static void no_defaults(void *config) {
    (void)config;
}

static tvgp_status no_spec(const tvgp_policy *p, double rate, tvgp__posterior_spec *spec) {
    (void)p, (void)rate, (void)spec;
    return TVGP_OK;
}

static tvgp_status no_start(tvgp_policy *p) {
    (void)p;
    return TVGP_OK;
}

static tvgp_status no_prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    (void)p, (void)n, (void)answers;
    return TVGP_OK;
}

static void no_take(tvgp_policy *p, const tvgp__answer *answer) {
    (void)p, (void)answer;
}

static void nothing(tvgp_policy *p) {
    (void)p;
}

static tvgp_status no_best(tvgp_policy *p, double t, double *x) {
    (void)t, (void)x;
    return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' has no model", p->ops->name);
}

static tvgp_status no_extend(tvgp_policy *p, const tvgp_domain *larger) {
    (void)larger;
    return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' keeps the arms it has", p->ops->name);
}

static void no_visit(tvgp_policy *p, tvgp__visit *v) {
    if (p->ops->state_size)
        tvgp__visit_try(v, tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' cannot be saved", p->ops->name));
}

static tvgp_status make_kernel(tvgp_policy *p) {
    if (p->ops->learns)
        return p->ops->learns->make_kernel(p);
    return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "kernel is NULL: the policy learns none");
}

const tvgp__policy_ops tvgp__policy_defaults = {.defaults = no_defaults,
                                                .spec = no_spec,
                                                .start = no_start,
                                                .prepare = no_prepare,
                                                .take = no_take,
                                                .end_batch = nothing,
                                                .best = no_best,
                                                .extend = no_extend,
                                                .release = nothing,
                                                .visit = no_visit};

/* ---- life ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__policy_find(tvgp_ctx *ctx, const char *name, const tvgp__policy_ops **out) {
    tvgp__nearest_name nearest = {.typed = name};
    const tvgp__policy_ops *found = tvgp__registry_find(ctx, TVGP__TYPE_POLICY, name, &nearest);
    if (!found)
        return tvgp__nearest_name_unknown(ctx, "policy", &nearest, "tvgp_policy_name_at");
    *out = found;
    return TVGP_OK;
}

static tvgp_status build(tvgp_ctx *ctx, const tvgp__policy_ops *ops, const tvgp_domain *domain, const tvgp_kernel *kernel,
                         tvgp_policy **out) {
    if (!domain->n && !ops->on_boxes)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' plays on arms, the domain %s", ops->name,
                               tvgp__product_measured(domain) ? "has measured contexts" : "is a box");
    kernel = ops->without_kernel ? NULL : kernel;
    if (domain->shared && !ops->shared)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' does not play on shared arms", ops->name);
    if (kernel)
        TVGP__TRY(tvgp__prior_check(ctx, domain, kernel));
    tvgp_policy *p = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *p, &p));
    p->ctx = tvgp__context_retain(ctx);
    p->ops = ops;
    p->domain = tvgp__domain_retain(domain);
    p->kernel = kernel ? tvgp__kernel_retain(kernel) : NULL;
    p->given.kernel = kernel != NULL;
    p->clock = -INFINITY;
    p->handle.refs = 1;
    tvgp__available_init(&p->available, domain);
    tvgp_status status = tvgp__action_set_new(domain, &p->within);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, 1, ops->config_size, &p->config);
    if (status == TVGP_OK) {
        tvgp__policy_options_defaults(ops, p->config);
        status = kernel || ops->without_kernel ? TVGP_OK : make_kernel(p);
        p->created = p->kernel ? tvgp__kernel_retain(p->kernel) : NULL;
    }
    if (status == TVGP_OK)
        status = tvgp__policy_mean_new(p, &(tvgp__mean_function_given){0}, &p->mean);
    if (status < 0)
        tvgp__policy_free(p);
    else
        *out = p;
    return status;
}

tvgp_status tvgp__policy_new(tvgp_ctx *ctx, const tvgp__policy_ops *ops, const tvgp_domain *domain,
                             const tvgp_kernel *kernel, tvgp_policy **out) {
    tvgp_policy *p = NULL;
    tvgp_status status = tvgp__domain_agree(domain, build(ctx, ops, domain, kernel, &p));
    if (status == TVGP_OK)
        *out = p;
    else if (p)
        tvgp__policy_free(p);
    return status;
}

static void free_state(tvgp_policy *p) {
    if (p->state)
        TVGP__POLICY_OP(p->ops, release)(p);
    tvgp__memory_free(p->ctx, p->state);
    p->state = NULL;
}

void tvgp__policy_free_snapshots(tvgp_policy *p) {
    if (!p->snapshots)
        return;
    if (p->snapshots->aside)
        tvgp__policy_free(p->snapshots->aside);
    tvgp__memory_free(p->ctx, p->snapshots->defaults);
    tvgp__memory_free(p->ctx, p->snapshots);
    p->snapshots = NULL;
}

static void free_outputs(tvgp_policy *p) {
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        if (--p->outputs->model[k]->handle.refs == 0)
            tvgp__policy_free(p->outputs->model[k]);
    tvgp__memory_free(p->ctx, p->outputs);
    p->outputs = NULL;
}

void tvgp__policy_free(tvgp_policy *p) {
    tvgp_ctx *ctx = p->ctx;
    free_state(p);
    tvgp__memory_free(ctx, p->config);
    while (p->priors.n)
        tvgp__prior_pop(p);
    tvgp__memory_free(ctx, p->priors.items);
    tvgp__mean_function_free(ctx, &p->mean);
    tvgp__available_free(ctx, &p->available);
    free_outputs(p);
    tvgp__action_set_free(ctx, p->within);
    tvgp__guard_drop_all(p);
    tvgp__memory_free(ctx, p->work.offsets);
    tvgp__memory_free(ctx, p->tickets.list);
    tvgp__memory_free(ctx, p->work.chosen);
    tvgp__memory_free(ctx, p->work.answers);
    tvgp__memory_free(ctx, p->work.arms);
    tvgp__memory_free(ctx, p->made_from.bytes);
    tvgp__policy_free_snapshots(p);
    tvgp__domain_release(p->domain);
    tvgp__kernel_release(p->kernel);
    tvgp__kernel_release(p->created);
    tvgp__memory_free(ctx, p);
    tvgp__context_release(ctx);
}

static int outputs_busy(const tvgp_policy *p) {
    int busy = 0;
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        busy |= p->outputs->model[k]->handle.busy;
    return busy;
}

static void mark_outputs(const tvgp_policy *p, int16_t busy) {
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++)
        p->outputs->model[k]->handle.busy = busy;
}

int tvgp__policy_is_busy(const tvgp_policy *p) {
    return p->handle.busy || (p->outputs && outputs_busy(p));
}

void tvgp__policy_enter(tvgp_policy *p) {
    p->handle.busy = TVGP__POLICY_BUSY;
    if (p->outputs)
        mark_outputs(p, TVGP__POLICY_BUSY);
}

void tvgp__policy_leave(tvgp_policy *p) {
    const int doomed = p->handle.busy == TVGP__POLICY_DOOMED;
    p->handle.busy = 0;
    if (p->outputs)
        mark_outputs(p, 0);
    if (doomed)
        tvgp__policy_free(p);
}

void tvgp__policy_give_up(tvgp_policy *p) {
    if (p->handle.refs > 1)
        p->handle.refs--;
    else if (p->handle.busy)
        p->handle.busy = TVGP__POLICY_DOOMED;
    else
        tvgp__policy_free(p);
}

/* Means are the policy's from start to stop, before and after it the user's. */
static void turn_means(tvgp_policy *p) {
    tvgp__policy_turn_mean(p, &p->mean);
    for (size_t i = 0; i < p->priors.n; i++)
        tvgp__policy_turn_mean(p, &p->priors.items[i].mean);
}

void tvgp__policy_stop(tvgp_policy *p) {
    if (!p->state)
        return;
    free_state(p);
    tvgp__guard_stop(p);
    p->started = 0;
    if (p->priors.own)
        tvgp__prior_pop(p);
    p->priors.own = 0;
    turn_means(p);
}

/* Whether the text of pending.timeout_value is an outcome. */
static tvgp_status check_timeout_value(const tvgp_policy *p) {
    const tvgp__policy_config *c = p->config;
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    tvgp_obs o = {.outcome = TVGP_VALUE};
    double z, noise;
    if (!*c->timeout_value)
        return TVGP_OK;
    if (!tvgp__number_text_read(c->timeout_value, &o.y) || !(fabs(o.y) <= TVGP__VALID_RANGE_MOST))
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "option 'pending.timeout_value' = '%s' must be a number or empty",
                               c->timeout_value);
    if (type && (type->needs || type->match(p->ctx, &o, 0, 0, 1, &z, &noise) != TVGP_OK))
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION,
                               "option 'pending.timeout_value' = %s is no outcome with outcome.type = %s", c->timeout_value,
                               type->name);
    return TVGP_OK;
}

static tvgp_status build_state(tvgp_policy *p) {
    TVGP__TRY(check_timeout_value(p));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, p->ops->state_size, &p->state));
    p->made_from.size = 0;
    turn_means(p);
    tvgp_status status = tvgp__guard_start(p);
    if (status == TVGP_OK && p->ops->priors && !p->priors.n) {
        status = tvgp__prior_push(p, p->kernel, &(tvgp__mean_function_given){0}, 0);
        p->priors.own = status == TVGP_OK;
    }
    return status == TVGP_OK ? TVGP__POLICY_OP(p->ops, start)(p) : status;
}

tvgp_status tvgp__policy_start(tvgp_policy *p) {
    tvgp__domain_begin(p->domain);
    tvgp_status status = tvgp__domain_end(p->domain, build_state(p));
    if (status == TVGP_OK && p->domain->shared)
        status = p->ops->shared->join(p);
    if (status == TVGP_OK)
        p->started = 1;
    else
        tvgp__policy_stop(p);
    return status;
}

/* ---- further outputs ---------------------------------------------------------------------------------------------- */

tvgp_status tvgp__policy_set_context_point(tvgp_policy *p, const double *z, size_t n) {
    int64_t *clamped = ((const tvgp__policy_config *)p->config)->context_clamp ? &p->counts.clamped : NULL;
    tvgp__action_set *w = p->within;
    TVGP__TRY(tvgp__action_set_set_context(w, p->domain, z, n, clamped));
    z = w->bounds + p->domain->dim - n;
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++) /* the same domain: it cannot fail */
        (void)tvgp__action_set_set_context(p->outputs->model[k]->within, p->domain, z, n, NULL);
    return TVGP_OK;
}

/* The model starts, so that its options are fixed, and is in the context that holds. */
static tvgp_status begin(const tvgp_policy *p, tvgp_policy *model) {
    const tvgp__action_set *w = p->within;
    const size_t measured = tvgp__product_measured(p->domain);
    if (!model->started)
        TVGP__TRY(tvgp__policy_start(model));
    if (w && w->in_context)
        (void)tvgp__action_set_set_context(model->within, model->domain, w->bounds + p->domain->dim - measured, measured,
                                           NULL);
    return TVGP_OK;
}

tvgp_status tvgp__policy_add_output(tvgp_policy *p, tvgp_policy *model) {
    if (!p->outputs)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *p->outputs, &p->outputs));
    TVGP__TRY(begin(p, model));
    model->handle.refs++;
    p->outputs->model[p->outputs->n++] = model;
    p->clock = fmax(p->clock, model->clock);
    tvgp__policy_free_snapshots(p); /* what it remembers has fewer outputs */
    return TVGP_OK;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__policy_set_prior_mean(tvgp_policy *p, const tvgp__mean_function_given *given) {
    tvgp__mean_function fresh = {0};
    if (p->mean.forecast)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the prior mean is learned from historical data");
    tvgp_status status = tvgp__policy_mean_new(p, given, &fresh);
    TVGP__TRY(tvgp__policy_mean_share(p, status, &fresh));
    if (p->started)
        tvgp__policy_turn_mean(p, &fresh);
    tvgp__mean_function before = p->mean;
    p->mean = fresh;
    tvgp__mean_function_free(p->ctx, &before);
    return TVGP_OK;
}

tvgp_status tvgp__policy_check_functions(const tvgp_policy *p) {
    TVGP__TRY(tvgp__action_set_check(p->within, p->ctx));
    TVGP__TRY(tvgp__mean_function_check(&p->mean, p->ctx));
    for (size_t i = 0; i < p->priors.n; i++)
        TVGP__TRY(tvgp__mean_function_check(&p->priors.items[i].mean, p->ctx));
    return TVGP_OK;
}

tvgp_status tvgp__policy_admit(tvgp_policy *p) {
    const size_t n = tvgp__policy_choices(p);
    uint8_t *ok = NULL;
    TVGP__TRY(tvgp__available_check(&p->available, p->ctx));
    if (!p->within)
        return TVGP_OK;
    TVGP__TRY(tvgp__policy_check_functions(p));
    if (!tvgp__domain_is_box(p->domain))
        return TVGP_OK;
    TVGP__TRY(tvgp__action_set_admit(p->within, p->domain, &ok));
    tvgp__available_among(&p->available, n, ok);
    if (n && !p->available.count)
        return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "none of the %zu candidates is within the bounds and feasible", n);
    return TVGP_OK;
}

tvgp_status tvgp__policy_check_free(const tvgp_policy *p) {
    if (p->handle.refs > 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                               "the policy is the model of a constraint: only the policy with the constraint may call it");
    return TVGP_OK;
}

/* The model of a constraint has no limit of its own: it may have no outcome for a long time. */
tvgp_status tvgp__policy_check_step(const tvgp_policy *p, const char *argument, double clock, double t) {
    const double most = ((const tvgp__policy_config *)p->config)->max_step;
    if (clock == -INFINITY || t - clock <= most || tvgp__policy_models(p))
        return TVGP_OK;
    return tvgp__error_set(p->ctx, TVGP_ERR_ARG,
                           "%s = %.17g is too far after %.17g, the newest time seen: the largest plausible step is %.17g "
                           "(option 'time.max_step')",
                           argument, t, clock, most);
}

tvgp_status tvgp__policy_check_time(const tvgp_policy *p, const char *argument, double t) {
    if (!(fabs(t) <= TVGP__VALID_RANGE_MOST))
        return tvgp__valid_range_value(p->ctx, argument, t);
    if (t < p->clock)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "%s = %.17g is before %.17g, the newest time seen", argument, t,
                               p->clock);
    return ((const tvgp__policy_config *)p->config)->max_step > 0 ? tvgp__policy_check_step(p, argument, p->clock, t)
                                                                  : TVGP_OK;
}
