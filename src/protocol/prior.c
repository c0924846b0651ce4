/* SPDX-License-Identifier: MIT */
/* The priors of a policy, their validity, their means and the moments of their mixture (protocol/prior.h). */
#include "protocol/prior.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/valid_range.h"
#include "protocol/across_ranks.h"
#include "protocol/query_points.h"
#include "space/kernel/kernel_visit.h"

#include <math.h>
#include <string.h>

enum { WEIGHTS = 64 }; /* that option prior.weights has at most */

/* Defined at the corners that are furthest apart, and a function of coordinates: its gradient exists. */
static tvgp_status check_on_box(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    double k = 0, c = 0, gradient[TVGP__SEARCH_SPACE_MOST] = {0};
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "lower", 1, domain->lower));
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "upper", 1, domain->upper));
    return tvgp__kernel_pull(kernel, 1, domain->lower, 1, domain->upper, &k, &c, gradient);
}

tvgp_status tvgp__prior_check(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    if (kernel->dim != domain->dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "kernel has dimension %zu, domain has %zu", kernel->dim, domain->dim);
    if (!tvgp__domain_is_box(domain)) /* in contexts nothing is searched, so the kernel need have no gradient */
        return tvgp__kernel_check(kernel, ctx, "arms", domain->n ? domain->n : domain->n_scale,
                                  domain->n ? domain->X : domain->scale);
    return check_on_box(ctx, domain, kernel);
}

tvgp_status tvgp__prior_push(tvgp_policy *p, const tvgp_kernel *kernel, const tvgp__mean_function_given *mean,
                             double epsilon) {
    tvgp__mean_function copy;
    TVGP__TRY(tvgp__prior_check(p->ctx, p->domain, kernel));
    TVGP__TRY(tvgp__valid_range_value(p->ctx, "epsilon", epsilon));
    if (epsilon < 0 || epsilon >= 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "epsilon = %.17g is outside [0, 1)", epsilon);
    TVGP__TRY(tvgp__memory_reserve(p->ctx, p->priors.n + 1, sizeof *p->priors.items, &p->priors.items, &p->priors.slots));
    TVGP__TRY(tvgp__policy_mean_new(p, mean, &copy));
    if (p->started)
        tvgp__policy_turn_mean(p, &copy);
    p->made_from.size = 0;
    p->priors.items[p->priors.n++] = (tvgp__prior){.kernel = tvgp__kernel_retain(kernel), .mean = copy, .epsilon = epsilon};
    return TVGP_OK;
}

void tvgp__prior_pop(tvgp_policy *p) {
    tvgp__prior *last = &p->priors.items[--p->priors.n];
    tvgp__kernel_release(last->kernel);
    tvgp__mean_function_free(p->ctx, &last->mean);
    tvgp__memory_free(p->ctx, last->past);
}

tvgp_status tvgp__policy_add_prior(tvgp_policy *p, const tvgp_kernel *kernel, const tvgp__mean_function_given *mean,
                                   double epsilon) {
    if (!p->ops->priors)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' takes no priors", p->ops->name);
    if (p->mean.forecast)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the prior is learned from historical data");
    const size_t before = p->priors.n;
    tvgp__mean_function none = {0};
    tvgp_status status = tvgp__prior_push(p, kernel, mean, epsilon);
    status = tvgp__policy_mean_share(p, status, p->priors.n > before ? &p->priors.items[before].mean : &none);
    if (status == TVGP_OK && p->started)
        status = p->ops->priors->add(p);
    if (status < 0 && p->priors.n > before)
        tvgp__prior_pop(p);
    return status;
}

/* ---- earlier means ------------------------------------------------------------------------------------------------ */

const double *tvgp__prior_mean_then(const tvgp_policy *p, size_t i, int64_t step) {
    const tvgp__prior *prior = &p->priors.items[i];
    size_t low = 0, high = prior->n_past;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (prior->past[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < prior->n_past && prior->past[low].step == step ? &prior->past[low].mean : NULL;
}

/* Those of actions that are no longer pending go. */
static void forget_past(const tvgp_policy *p, tvgp__prior *prior) {
    const tvgp__tickets *t = &p->tickets;
    size_t kept = 0, at = 0;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        while (at < prior->n_past && prior->past[at].step < t->list[i].step)
            at++;
        if (tvgp__tickets_pends(&t->list[i]) && at < prior->n_past && prior->past[at].step == t->list[i].step)
            prior->past[kept++] = prior->past[at++];
    }
    prior->n_past = kept;
}

/* The present mean at the point of a pending query. */
static tvgp_status mean_at_ticket(const tvgp_policy *p, const tvgp__mean_function *mean, const tvgp__ticket *ticket,
                                  double *out) {
    if (!tvgp__mean_function_is(mean))
        *out = ticket->prior_mean;
    else if (!tvgp__domain_has_arms(p->domain))
        return tvgp__prior_means(p, mean, 1, tvgp__query_points_ticket(p, ticket), out, NULL);
    else
        *out = tvgp__mean_function_known(mean, ticket->arm);
    return TVGP_OK;
}

/* Actions that are pending, and asked since the mean was set last, keep the mean of now. Those before them have theirs. */
static tvgp_status keep_past(const tvgp_policy *p, tvgp__prior *prior) {
    const tvgp__tickets *t = &p->tickets;
    forget_past(p, prior);
    tvgp_status status =
        tvgp__memory_reserve(p->ctx, t->pending + t->failed, sizeof *prior->past, &prior->past, &prior->past_slots);
    TVGP__TRY(tvgp__domain_agree(p->domain, status));
    size_t n = prior->n_past;
    const int64_t last = n ? prior->past[n - 1].step : 0;
    for (size_t i = t->first; i < t->first + t->count; i++) {
        const tvgp__ticket *ticket = &t->list[i];
        if (!tvgp__tickets_pends(ticket) || ticket->step <= last)
            continue;
        TVGP__TRY(mean_at_ticket(p, &prior->mean, ticket, &prior->past[n].mean));
        prior->past[n++].step = ticket->step;
    }
    prior->n_past = n;
    return TVGP_OK;
}

static tvgp_status check_follows(const tvgp_policy *p, size_t i) {
    const size_t added = tvgp__prior_added(p);
    if (!p->ops->priors)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' takes no priors", p->ops->name);
    if (i >= added)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "i = %zu is no prior: %zu were added", i, added);
    if (p->started && !p->ops->priors->follow)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                               "the means of the priors of policy '%s' are fixed after the first ask or tell", p->ops->name);
    return TVGP_OK;
}

tvgp_status tvgp__policy_set_added_prior_mean(tvgp_policy *p, size_t i, const tvgp__mean_function_given *given) {
    tvgp__mean_function fresh = {0};
    TVGP__TRY(check_follows(p, i));
    tvgp__prior *prior = &p->priors.items[i];
    tvgp_status status = tvgp__policy_mean_new(p, given, &fresh);
    TVGP__TRY(tvgp__policy_mean_share(p, status, &fresh));
    status = keep_past(p, prior);
    if (status < 0) {
        tvgp__mean_function_free(p->ctx, &fresh);
        return status;
    }
    if (p->started)
        tvgp__policy_turn_mean(p, &fresh);
    p->made_from.size = 0;
    tvgp__mean_function before = prior->mean;
    prior->mean = fresh;
    tvgp__mean_function_free(p->ctx, &before);
    return TVGP_OK;
}

/* ---- before there are data -------------------------------------------------------------------------------------- */

size_t tvgp__prior_added(const tvgp_policy *p) {
    return p->priors.own && p->priors.n == 1 ? 0 : p->priors.n;
}

size_t tvgp__prior_count(const tvgp_policy *p) {
    return p->priors.n ? p->priors.n : 1;
}

const tvgp__mean_function *tvgp__prior_mean_of(const tvgp_policy *p, size_t i) {
    return p->priors.n && tvgp__mean_function_is(&p->priors.items[i].mean) ? &p->priors.items[i].mean : &p->mean;
}

/* What the option prior.weights says, or NULL. */
static const char *text_of_weights(const tvgp_policy *p) {
    const tvgp__policy_priors *priors = p->ops->priors;
    return priors && priors->weights ? (const char *)p->config + priors->weights : NULL;
}

/* Returns the number of weights in the option; what is wrong with them in *why, or NULL. */
static size_t read_weights(const tvgp_policy *p, double *weight, const char **why) {
    const size_t n = tvgp__number_text_list(text_of_weights(p), WEIGHTS, weight);
    *why = n > WEIGHTS ? "has more than 64 numbers" : !n ? "is not a list of numbers with commas between" : NULL;
    for (size_t i = 0; !*why && i < n; i++)
        if (!(weight[i] >= TVGP__VALID_RANGE_LEAST && weight[i] <= TVGP__VALID_RANGE_MOST))
            *why = "has a number outside [1e-100, 1e100]";
    return *why ? 0 : n;
}

tvgp_status tvgp__prior_check_weights(const tvgp_policy *p) {
    double weight[WEIGHTS];
    const char *why;
    (void)read_weights(p, weight, &why);
    return why ? tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "option 'prior.weights' = '%.64s' %s", text_of_weights(p), why)
               : TVGP_OK;
}

double tvgp__prior_weight(const tvgp_policy *p, size_t i) {
    double weight[WEIGHTS];
    const char *why;
    return text_of_weights(p) && i < read_weights(p, weight, &why) ? weight[i] : 1;
}

double tvgp__prior_total_weight(const tvgp_policy *p) {
    double sum = 0;
    for (size_t i = 0; i < tvgp__prior_count(p); i++)
        sum += tvgp__prior_weight(p, i);
    return sum;
}

double tvgp__prior_mean(const tvgp_policy *p, size_t arm) {
    const double total = tvgp__prior_total_weight(p);
    double sum = 0;
    for (size_t i = 0; i < tvgp__prior_count(p); i++)
        sum += tvgp__mean_function_at(tvgp__prior_mean_of(p, i), arm) * tvgp__prior_weight(p, i) / total;
    return sum;
}

tvgp_status tvgp__prior_means(const tvgp_policy *p, const tvgp__mean_function *mean, size_t n, const double *X, double *out,
                              double *gradient) {
    if (!X) {
        memset(out, 0, n * sizeof *out);
        tvgp__mean_function_add(mean, n, out);
        return TVGP_OK;
    }
    if (!mean->by_arm)
        return tvgp__mean_function_points(mean, p->ctx, p->domain->dim, n, X, out, gradient);
    if (gradient)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the prior mean is known at arms only and has no gradient");
    for (size_t k = 0; k < n; k++) {
        const int64_t arm = tvgp__across_ranks_locate(p, X + k * p->domain->dim);
        if (arm < 0)
            return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                                   "X[%zu] is not an arm, and the prior mean is known at arms only", k);
        out[k] = tvgp__mean_function_known(mean, (size_t)arm);
    }
    return TVGP_OK;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

/* A kernel that can be is in the snapshot; others are known by their hash, and must be there already. */
static void visit_kernel(tvgp__prior *prior, const tvgp_policy *beside, size_t i, tvgp__visit *v) {
    uint64_t hash = 0, own, other = 0;
    size_t length = 0;
    if (prior->kernel)
        tvgp__visit_try(v, tvgp__kernel_visit_hash(prior->kernel, &hash));
    if (!tvgp__visit_fine(v))
        return;
    own = hash;
    if (v->purpose != TVGP__VISIT_LOAD && tvgp__kernel_visit_possible(prior->kernel)) {
        tvgp__visit size = {.ctx = v->ctx, .purpose = TVGP__VISIT_SIZE};
        tvgp__kernel_visit(&size, &prior->kernel);
        length = size.at;
    }
    tvgp__visit_u64(v, &hash);
    tvgp__visit_count(v, &length, SIZE_MAX, 1);
    if (v->purpose != TVGP__VISIT_LOAD) {
        if (length)
            tvgp__kernel_visit(v, &prior->kernel);
        return;
    }
    size_t next = v->at + length;
    if (tvgp__visit_fine(v) && (hash != own || !prior->kernel)) {
        tvgp__kernel_release(prior->kernel);
        prior->kernel = NULL;
        if (i < beside->priors.n)
            tvgp__visit_try(v, tvgp__kernel_visit_hash(beside->priors.items[i].kernel, &other));
        if (i < beside->priors.n && other == hash)
            prior->kernel = tvgp__kernel_retain(beside->priors.items[i].kernel);
        else if (length)
            tvgp__kernel_visit(v, &prior->kernel);
        else
            tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_STATE,
                                               "the kernel of prior %zu is not in the snapshot: add the prior first", i));
    }
    if (tvgp__visit_fine(v))
        tvgp__visit_go(v, next);
}

static void visit_past(const tvgp_policy *p, tvgp__prior *prior, tvgp__visit *v) {
    size_t n = prior->n_past;
    tvgp__visit_count(v, &n, SIZE_MAX, 16);
    if (tvgp__visit_loads(v)) {
        prior->n_past = 0;
        if (!tvgp__visit_fine(v) ||
            !tvgp__visit_try(v, tvgp__memory_reserve(p->ctx, n, sizeof *prior->past, &prior->past, &prior->past_slots)))
            return;
        prior->n_past = n;
    }
    for (size_t i = 0; tvgp__visit_fine(v) && i < n; i++) {
        tvgp__visit_int(v, &prior->past[i].step, i ? prior->past[i - 1].step + 1 : 1, (int64_t)1 << 62);
        tvgp__visit_real(v, &prior->past[i].mean, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    }
}

void tvgp__prior_visit(tvgp_policy *p, const tvgp_policy *beside, tvgp__visit *v) {
    size_t n = tvgp__prior_added(p);
    tvgp__visit_count(v, &n, p->ops->priors ? INT32_MAX : 0, 32);
    while (tvgp__visit_loads(v) && p->priors.n - (size_t)p->priors.own > n)
        tvgp__prior_pop(p);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__memory_reserve(p->ctx, n, sizeof *p->priors.items, &p->priors.items, &p->priors.slots));
    for (size_t i = 0; tvgp__visit_fine(v) && i < n; i++) {
        tvgp__prior *prior = &p->priors.items[i];
        if (i == p->priors.n) {
            *prior = (tvgp__prior){0};
            if (!tvgp__visit_try(v, tvgp__policy_mean_new(p, &(tvgp__mean_function_given){0}, &prior->mean)))
                return;
            p->priors.n++;
        }
        visit_kernel(prior, beside, i, v);
        tvgp__visit_real(v, &prior->epsilon, 0, 1);
        tvgp__mean_function_visit(&prior->mean, tvgp__domain_entries(p->domain), v);
        if (!tvgp__domain_has_arms(p->domain))
            tvgp__mean_function_visit_function(&prior->mean, v);
        visit_past(p, prior, v);
        if (tvgp__visit_loads(v))
            tvgp__visit_made(v, tvgp__prior_check(p->ctx, p->domain, prior->kernel),
                             "the kernel of a prior does not fit the domain");
    }
}

/* ---- the mixture of the priors ------------------------------------------------------------------------------------ */

void tvgp__prior_mixture_moments(double share, double m, double v, double *mean, double *var) {
    double d = m - *mean;
    *mean += share * d;
    *var = (1 - share) * *var + share * v + share * (1 - share) * tvgp__valid_range_product(d, d);
}

tvgp_status tvgp__prior_mixture_open(tvgp__prior_mixture *x) {
    const size_t n = x->n, dim = x->policy->domain->dim, slopes = x->out.dmean ? n * dim : 0;
    const tvgp_status status =
        tvgp__memory_alloc(x->policy->ctx, 3 * n, (1 + (x->out.dmean ? dim : 0)) * sizeof *x->work, &x->work);
    TVGP__TRY(tvgp__domain_agree(x->policy->domain, status));
    x->other = (tvgp__predictive_values){.mean = x->work + n + slopes, .var = x->work + 2 * n + slopes};
    memset(x->out.mean, 0, n * sizeof *x->out.mean);
    memset(x->out.var, 0, n * sizeof *x->out.var);
    if (!slopes)
        return TVGP_OK;
    x->other.dmean = x->other.var + n;
    x->other.dvar = x->other.dmean + slopes;
    memset(x->out.dmean, 0, slopes * sizeof *x->out.dmean);
    memset(x->out.dvar, 0, slopes * sizeof *x->out.dvar);
    return TVGP_OK;
}

void tvgp__prior_mixture_close(tvgp__prior_mixture *x) {
    tvgp__memory_free(x->policy->ctx, x->work);
}

/* The mean of prior i is added to `other`, the policy's own taken off. */
static tvgp_status add_mean_of(const tvgp__prior_mixture *x, size_t i) {
    const tvgp_policy *p = x->policy;
    const tvgp__mean_function *const means[] = {tvgp__prior_mean_of(p, i), &p->mean};
    const double sign[] = {1, -1};
    double *slope = x->other.dmean ? x->work + x->n : NULL;
    for (size_t way = 0; means[0] != means[1] && way < 2; way++) {
        TVGP__TRY(tvgp__prior_means(p, means[way], x->n, x->X, x->work, slope));
        for (size_t k = 0; k < x->n; k++)
            x->other.mean[k] += sign[way] * x->work[k];
        for (size_t k = 0; slope && k < x->n * p->domain->dim; k++)
            x->other.dmean[k] += sign[way] * slope[k];
    }
    return TVGP_OK;
}

/* With D = m - mean: dvar += share (dv - dvar) + 2 share (1 - share) D dD. */
tvgp_status tvgp__prior_mixture_add(tvgp__prior_mixture *x, size_t i, double weight) {
    const tvgp__predictive_values *other = &x->other, *out = &x->out;
    const size_t dim = x->policy->domain->dim;
    const double share = weight / (x->total += weight);
    TVGP__TRY(add_mean_of(x, i));
    for (size_t k = 0; out->dmean && k < x->n * dim; k++) {
        const double apart = other->mean[k / dim] - out->mean[k / dim], slope = other->dmean[k] - out->dmean[k];
        out->dvar[k] += share * (other->dvar[k] - out->dvar[k]) + 2 * share * (1 - share) * apart * slope;
        out->dmean[k] += share * slope;
    }
    for (size_t k = 0; k < x->n; k++)
        tvgp__prior_mixture_moments(share, other->mean[k], other->var[k], &out->mean[k], &out->var[k]);
    return TVGP_OK;
}
