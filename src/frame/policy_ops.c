/* SPDX-License-Identifier: MIT */
#include "frame/policy_ops.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/prior.h"
#include "search/argmax.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const tvgp__option tvgp__policy_options[TVGP__POLICY_OPTIONS] = {
    {"seed", TVGP_I64, 0, offsetof(tvgp__policy_config, seed), 0, 0, 0x1p53, NULL, "fixes every random choice"},
    {"pending.limit", TVGP_I64, 0, offsetof(tvgp__policy_config, pending_limit), 65536, 1, 0x1p31, NULL,
     "queries that may wait for an answer; beyond it the oldest is forgotten"},
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void defaults(const tvgp__policy_ops *ops, void *config) {
    tvgp__option_defaults(ops->groups, ops->n_groups, config);
    if (ops->defaults)
        ops->defaults(config);
}

tvgp_status tvgp__policy_new(tvgp_ctx *ctx, const tvgp__policy_ops *ops, const tvgp_domain *domain,
                             const tvgp_kernel *kernel, tvgp_policy **out) {
    TVGP__TRY(tvgp__prior_check(ctx, domain, kernel));
    tvgp_policy *p = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *p, &p));
    p->ctx = tvgp__context_retain(ctx);
    p->ops = ops;
    p->domain = tvgp__domain_retain(domain);
    p->kernel = tvgp__kernel_retain(kernel);
    p->clock = -INFINITY;
    tvgp_status status = tvgp__memory_alloc(ctx, 1, ops->config_size, &p->config);
    if (status < 0) {
        tvgp__policy_free(p);
        return status;
    }
    defaults(ops, p->config);
    *out = p;
    return TVGP_OK;
}

static void free_state(tvgp_policy *p) {
    if (p->state && p->ops->release)
        p->ops->release(p);
    tvgp__memory_free(p->ctx, p->state);
    p->state = NULL;
}

void tvgp__policy_free(tvgp_policy *p) {
    tvgp_ctx *ctx = p->ctx;
    free_state(p);
    tvgp__memory_free(ctx, p->config);
    while (p->n_priors)
        tvgp__prior_pop(p);
    tvgp__memory_free(ctx, p->priors);
    tvgp__memory_free(ctx, p->prior_mean);
    tvgp__memory_free(ctx, p->mask);
    tvgp__memory_free(ctx, p->tickets.list);
    tvgp__memory_free(ctx, p->proposals);
    tvgp__domain_release(p->domain);
    tvgp__kernel_release(p->kernel);
    tvgp__memory_free(ctx, p);
    tvgp__context_release(ctx);
}

/* Undoes start. */
static void stop(tvgp_policy *p) {
    free_state(p);
    p->started = 0;
    if (p->own_prior)
        tvgp__prior_pop(p);
    p->own_prior = 0;
}

/* Options are fixed from the first ask or tell on: the state is built from them. */
static tvgp_status start(tvgp_policy *p) {
    if (p->started)
        return TVGP_OK;
    if (p->ops->add_prior && !p->n_priors) {
        TVGP__TRY(tvgp__prior_push(p, p->kernel, NULL, 0));
        p->own_prior = 1;
    }
    tvgp_status status = tvgp__memory_alloc(p->ctx, 1, p->ops->state_size, &p->state);
    if (status == TVGP_OK && p->ops->start)
        status = p->ops->start(p);
    if (status == TVGP_OK)
        p->started = 1;
    else
        stop(p);
    return status;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__policy_settable(tvgp_policy *p) {
    if (p->started)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "options are fixed after the first ask or tell");
    return TVGP_OK;
}

tvgp_status tvgp__policy_option(const tvgp_policy *p, size_t i, tvgp_option_info *info) {
    size_t n = tvgp__option_count(p->ops->groups, p->ops->n_groups);
    if (i >= n)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "i = %zu is outside 0..%zu", i, n - 1);
    void *fresh = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, p->ops->config_size, &fresh));
    defaults(p->ops, fresh);
    tvgp__option_describe(p->ops->groups, p->ops->n_groups, i, fresh, info);
    tvgp__memory_free(p->ctx, fresh);
    return TVGP_OK;
}

tvgp_status tvgp__policy_set_mean(tvgp_policy *p, const double *mean) {
    double *copy = NULL;
    TVGP__TRY(tvgp__policy_settable(p));
    if (mean) {
        TVGP__TRY(tvgp__error_finite(p->ctx, "mean", p->domain->n, mean));
        TVGP__TRY(tvgp__memory_alloc(p->ctx, p->domain->n, sizeof *copy, &copy));
        memcpy(copy, mean, p->domain->n * sizeof *copy);
    }
    tvgp__memory_free(p->ctx, p->prior_mean);
    p->prior_mean = copy;
    return TVGP_OK;
}

tvgp_status tvgp__policy_set_available(tvgp_policy *p, const uint8_t *mask, size_t n) {
    if (!mask) {
        tvgp__memory_free(p->ctx, p->mask);
        p->mask = NULL;
        return TVGP_OK;
    }
    if (n != p->domain->n)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "mask has n = %zu entries, the domain has %zu arms", n, p->domain->n);
    size_t available = 0;
    for (size_t i = 0; i < n; i++)
        available += mask[i] != 0;
    if (!available)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "mask leaves 0 of %zu arms available, must be >= 1", n);
    if (!p->mask)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *mask, &p->mask));
    memcpy(p->mask, mask, n);
    return TVGP_OK;
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

static tvgp_status check_time(const tvgp_policy *p, const char *argument, double t) {
    TVGP__TRY(tvgp__error_finite(p->ctx, argument, 1, &t));
    if (t < p->clock)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "%s = %.17g is before %.17g, the newest time seen", argument, t,
                               p->clock);
    return TVGP_OK;
}

static void emit(tvgp_policy *p, const tvgp__proposal *proposal, double t, tvgp_query *q, double *x) {
    const tvgp__policy_config *config = p->config;
    int64_t *counter = proposal->kind == TVGP_ACTION ? &p->asked : &p->side_asked;
    (*counter)++;
    tvgp__ticket *ticket = tvgp__tickets_open(&p->tickets, (size_t)config->pending_limit);
    ticket->kind = proposal->kind;
    ticket->arm = proposal->arm;
    ticket->t = t;
    ticket->step = p->asked;
    ticket->mean = proposal->mean;
    ticket->sd = proposal->sd;
    ticket->width = proposal->width;
    ticket->prior = proposal->prior;
    *q = (tvgp_query){.id = ticket->id,
                      .kind = proposal->kind,
                      .arm = (int64_t)proposal->arm,
                      .t = t,
                      .noise_var = proposal->noise,
                      .score = proposal->score};
    if (x)
        memcpy(x, p->domain->X + proposal->arm * p->domain->dim, p->domain->dim * sizeof *x);
}

static tvgp_status propose(tvgp_policy *p, double t, size_t cap, size_t *n) {
    /* A policy never wants more at once than its domain has arms, and the action. */
    size_t most = cap < p->domain->n + 1 ? cap : p->domain->n + 1;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, most, sizeof *p->proposals, &p->proposals, &p->proposal_slots));
    TVGP__TRY(tvgp__tickets_reserve(p->ctx, &p->tickets, most));
    return p->ops->ask(p, t, most, p->proposals, n);
}

tvgp_status tvgp__policy_ask(tvgp_policy *p, double t, size_t cap, tvgp_query *q, double *x, size_t *n) {
    if (cap == 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "cap = 0 must be >= 1");
    TVGP__TRY(check_time(p, "t", t));
    const int first = !p->started;
    size_t proposed = 0;
    TVGP__TRY(start(p));
    tvgp_status status = propose(p, t, cap, &proposed);
    if (status < 0) {
        if (first)
            stop(p);
        return status;
    }
    p->clock = t;
    for (size_t i = 0; i < proposed; i++)
        emit(p, &p->proposals[i], t, &q[i], x ? x + i * p->domain->dim : NULL);
    *n = proposed;
    return status;
}

/* ---- tell ------------------------------------------------------------------------------------------------------- */

static tvgp_status check_unsolicited(const tvgp_policy *p, const tvgp_obs *o, const double *x, size_t i) {
    if (o->outcome != TVGP_VALUE)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu] has id 0 and outcome %" PRId32 ", must be a value (0)", i,
                               o->outcome);
    if (isnan(o->t) && p->clock == -INFINITY)
        return tvgp__error_set(p->ctx, TVGP_ERR_NONFINITE, "obs[%zu].t is NaN and there was no ask yet that gives a time",
                               i);
    if (!x)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].id = 0 needs its point, but x is NULL", i);
    for (size_t d = 0; d < p->domain->dim; d++)
        if (!isfinite(x[i * p->domain->dim + d]))
            return tvgp__error_set(p->ctx, TVGP_ERR_NONFINITE, "x[%zu,%zu] = %g is not finite", i, d,
                                   x[i * p->domain->dim + d]);
    if (p->domain->ops->locate(p->domain, x + i * p->domain->dim) < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "x[%zu] = (%g%s) is not a point of the domain", i,
                               x[i * p->domain->dim], p->domain->dim > 1 ? ", .." : "");
    return TVGP_OK;
}

/* Everything that can be wrong with one record; marks its ticket so that a second record with the same id is found. */
static tvgp_status check_record(const tvgp_policy *p, const tvgp_obs *o, const double *x, size_t i) {
    if (o->outcome < TVGP_VALUE || o->outcome > TVGP_CANCELLED)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].outcome = %" PRId32 " is outside 0..3", i, o->outcome);
    if (o->outcome == TVGP_VALUE && !isfinite(o->y))
        return tvgp__error_set(p->ctx, TVGP_ERR_NONFINITE, "obs[%zu].y = %g is not finite", i, o->y);
    if (isinf(o->noise_var))
        return tvgp__error_set(p->ctx, TVGP_ERR_NONFINITE, "obs[%zu].noise_var = %g is not finite", i, o->noise_var);
    if (o->noise_var < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].noise_var = %g must be >= 0, or NaN", i, o->noise_var);
    if (isinf(o->t))
        return tvgp__error_set(p->ctx, TVGP_ERR_NONFINITE, "obs[%zu].t = %g is not finite", i, o->t);
    if (o->id == 0)
        return check_unsolicited(p, o, x, i);
    tvgp__ticket *ticket;
    TVGP__TRY(tvgp__tickets_find(p->ctx, &p->tickets, o->id, &ticket));
    ticket->taken = 1;
    return TVGP_OK;
}

static void unmark(tvgp_policy *p, const tvgp_obs *obs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (obs[i].id != 0)
            tvgp__tickets_peek(&p->tickets, obs[i].id)->taken = 0;
}

static void take(tvgp_policy *p, const tvgp_obs *o, const double *x) {
    tvgp__answer a = {.kind = TVGP_ACTION, .outcome = o->outcome, .y = o->y, .noise = o->noise_var, .t = o->t};
    if (o->id == 0) {
        a.arm = (size_t)p->domain->ops->locate(p->domain, x);
        if (isnan(a.t))
            a.t = p->clock;
        p->unsolicited++;
    } else {
        tvgp__ticket *ticket = tvgp__tickets_peek(&p->tickets, o->id);
        a.kind = ticket->kind;
        a.arm = ticket->arm;
        a.step = ticket->step;
        a.mean = ticket->mean;
        a.sd = ticket->sd;
        a.width = ticket->width;
        a.prior = ticket->prior;
        if (isnan(a.t))
            a.t = ticket->t;
        tvgp__tickets_close(&p->tickets, ticket);
        p->told[o->outcome]++;
    }
    if (o->outcome == TVGP_VALUE)
        p->clock = fmax(p->clock, a.t);
    if (p->ops->tell)
        p->ops->tell(p, &a);
}

tvgp_status tvgp__policy_tell(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n) {
    if (n == 0)
        return TVGP_OK;
    tvgp_status status = TVGP_OK;
    const int first = !p->started;
    size_t checked = 0;
    while (checked < n && status == TVGP_OK) {
        status = check_record(p, &obs[checked], x, checked);
        checked += status == TVGP_OK;
    }
    if (status == TVGP_OK)
        status = start(p);
    if (status == TVGP_OK && p->ops->reserve)
        status = p->ops->reserve(p, n);
    unmark(p, obs, checked);
    if (status < 0) {
        if (first)
            stop(p);
        return status;
    }
    for (size_t i = 0; i < n; i++)
        take(p, &obs[i], x ? x + i * p->domain->dim : NULL);
    return TVGP_OK;
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

/* Predictions before the first ask or tell are the prior's: of a state that is thrown away again, so that options stay free.
 */
typedef struct {
    tvgp_policy *policy;
    int borrowed;
} model;

static tvgp_status open_model(tvgp_policy *p, double t, model *m) {
    if (!p->ops->arm_at)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' has no model", p->ops->name);
    TVGP__TRY(check_time(p, "t", t));
    *m = (model){.policy = p, .borrowed = !p->started};
    return start(p);
}

static void close_model(model *m) {
    if (m->borrowed)
        stop(m->policy);
}

static double prior_mean(const tvgp_policy *p, size_t arm) {
    return p->prior_mean ? p->prior_mean[arm] : 0;
}

/* Mean and variance of n points: arms from what is kept up to date, runs of other points from the posterior's general form.
 */
static tvgp_status predict_points(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    size_t dim = p->domain->dim;
    for (size_t i = 0, next; i < n; i = next) {
        int64_t arm = p->domain->ops->locate(p->domain, X + i * dim);
        next = i + 1;
        if (arm >= 0) {
            p->ops->arm_at(p, t, (size_t)arm, &mean[i], &var[i]);
            mean[i] += prior_mean(p, (size_t)arm);
            continue;
        }
        if (p->prior_mean)
            return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                                   "X[%zu] is not an arm, and the prior mean is known at arms only", i);
        while (next < n && p->domain->ops->locate(p->domain, X + next * dim) < 0)
            next++;
        TVGP__TRY(p->ops->predict(p, t, next - i, X + i * dim, mean + i, var + i));
    }
    return TVGP_OK;
}

tvgp_status tvgp__policy_predict(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    model m;
    double *both = NULL;
    TVGP__TRY(tvgp__kernel_check(p->kernel, "X", n, X));
    TVGP__TRY(open_model(p, t, &m));
    tvgp_status status = tvgp__memory_alloc(p->ctx, n, 2 * sizeof *both, &both);
    if (status == TVGP_OK)
        status = predict_points(p, t, n, X, both, both + n);
    if (status == TVGP_OK && mean)
        memcpy(mean, both, n * sizeof *mean);
    if (status == TVGP_OK && var)
        memcpy(var, both + n, n * sizeof *var);
    tvgp__memory_free(p->ctx, both);
    close_model(&m);
    return status;
}

tvgp_status tvgp__policy_best(tvgp_policy *p, double t, int64_t *arm, double *x) {
    model m;
    size_t n = p->domain->n, dim = p->domain->dim;
    double *score = NULL, var;
    TVGP__TRY(open_model(p, t, &m));
    tvgp_status status = tvgp__memory_alloc(p->ctx, n, sizeof *score, &score);
    if (status == TVGP_OK) {
        for (size_t i = 0; i < n; i++) {
            p->ops->arm_at(p, t, i, &score[i], &var);
            score[i] += prior_mean(p, i);
        }
        *arm = (int64_t)tvgp__argmax_of(n, score, p->mask);
        if (x)
            memcpy(x, p->domain->X + (size_t)*arm * dim, dim * sizeof *x);
    }
    tvgp__memory_free(p->ctx, score);
    close_model(&m);
    return status;
}
