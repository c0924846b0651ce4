/* SPDX-License-Identifier: MIT */
/* Predictions of a policy at a time. */
#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "protocol/across_ranks.h"
#include "protocol/prior.h"

#include "protocol/before_start.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

/* Before the first ask or tell predictions are the prior's, and means have the user's sign: options stay free. */
static tvgp_status check(tvgp_policy *p, double t) {
    if (!p->ops->at)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' has no model", p->ops->name);
    TVGP__TRY(tvgp__policy_check_time(p, "t", t));
    tvgp__policy_forecast(p, t);
    return TVGP_OK;
}

static double shown(const tvgp_policy *p, double x) {
    return p->started ? tvgp__policy_turn(p, x) : x;
}

/* The prior mean at n points is added to mean, its gradient to dmean; either may be NULL. */
static tvgp_status add_mean(const tvgp_policy *p, size_t n, const double *X, double *mean, double *dmean) {
    size_t dim = p->domain->dim;
    double *work = NULL;
    tvgp_status status = tvgp__scratch_take(p->ctx, n * (dim + 1), &work);
    status = tvgp__domain_agree(p->domain, status);
    if (status == TVGP_OK)
        status = tvgp__prior_means(p, &p->mean, n, X, work, dmean ? work + n : NULL);
    for (size_t i = 0; status == TVGP_OK && mean && i < n; i++)
        mean[i] += work[i];
    for (size_t i = 0; status == TVGP_OK && dmean && i < n * dim; i++)
        dmean[i] += work[n + i];
    tvgp__scratch_give(p->ctx, work);
    return status;
}

/* Relative to the prior mean: arms from what is kept up to date, runs of other points from the posterior's predictive distribution. */
static tvgp_status predict_posterior(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    size_t dim = p->domain->dim;
    if (!tvgp__domain_has_arms(p->domain))
        return p->ops->predict(p, t, n, X, &(tvgp__predictive_values){.mean = mean, .var = var});
    for (size_t i = 0, next; i < n; i = next) {
        int64_t arm = tvgp__across_ranks_locate(p, X + i * dim);
        next = i + 1;
        if (arm >= 0) {
            TVGP__TRY(tvgp__across_ranks_at(p, t, (size_t)arm, &mean[i], &var[i]));
            continue;
        }
        while (next < n && tvgp__across_ranks_locate(p, X + next * dim) < 0)
            next++;
        TVGP__TRY(
            p->ops->predict(p, t, next - i, X + i * dim, &(tvgp__predictive_values){.mean = mean + i, .var = var + i}));
    }
    return TVGP_OK;
}

static tvgp_status predict_points(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    TVGP__TRY(p->started ? predict_posterior(p, t, n, X, mean, var)
                         : tvgp__before_start_predict(p, t, n, X, &(tvgp__predictive_values){.mean = mean, .var = var}));
    TVGP__TRY(add_mean(p, n, X, mean, NULL));
    for (size_t i = 0; i < n; i++)
        mean[i] = shown(p, mean[i]);
    return TVGP_OK;
}

/* Nothing is looked up and no kernel is called (O(n) where the posterior keeps them up to date). */
tvgp_status tvgp__policy_predict_arms(tvgp_policy *p, double t, double *mean, double *var, double *own) {
    size_t n = tvgp__policy_choices(p);
    const double *X = tvgp__domain_has_arms(p->domain) ? NULL : tvgp__query_points_choices(p, &n);
    const tvgp__predictive_values values = {.mean = mean, .var = var};
    if (!p->started)
        TVGP__TRY(tvgp__before_start_predict(p, t, n, X, &values));
    else
        TVGP__TRY(X ? p->ops->predict(p, t, n, X, &values) : p->ops->at(p, t, n, NULL, mean, var));
    if (!X) {
        tvgp__mean_function_add(&p->mean, n, mean);
        for (size_t i = 0; shown(p, 1) < 0 && i < n; i++)
            mean[i] = 0 - mean[i];
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__policy_mean_actions(p, &p->mean, own));
    for (size_t i = 0; i < n; i++)
        mean[i] = shown(p, mean[i] + own[i]) + tvgp__policy_turn(p, tvgp__policy_extra(p, i));
    return TVGP_OK;
}

static tvgp_status check_arms(const tvgp_policy *p, size_t n) {
    const size_t arms = tvgp__policy_choices(p);
    if (!arms)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "X is NULL: a box has no arms");
    if (n != arms)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "X is NULL and n = %zu: the arms are %zu", n, arms);
    return p->within ? tvgp__policy_check_functions(p) : TVGP_OK;
}

static tvgp_status predict(tvgp_policy *p, double t, size_t n, const double *X, const tvgp__outcome_ops *type, double *mean,
                           double *var) {
    double *both = NULL;
    const int all = !X && n;
    TVGP__TRY(check(p, t));
    tvgp_status status = all ? check_arms(p, n) : tvgp__kernel_check(p->kernel, p->ctx, "X", n, X);
    TVGP__TRY(tvgp__domain_agree(p->domain, status));
    if (!n)
        return TVGP_OK;
    status = tvgp__scratch_take(p->ctx, n * (size_t)(2 + all), &both);
    status = tvgp__domain_agree(p->domain, status);
    if (status == TVGP_OK)
        status =
            all ? tvgp__policy_predict_arms(p, t, both, both + n, both + 2 * n) : predict_points(p, t, n, X, both, both + n);
    if (status == TVGP_OK)
        tvgp__outcome_show(type, n, both, both + n);
    if (status == TVGP_OK && mean)
        memcpy(mean, both, n * sizeof *mean);
    if (status == TVGP_OK && var)
        memcpy(var, both + n, n * sizeof *var);
    tvgp__scratch_give(p->ctx, both);
    return status;
}

tvgp_status tvgp__policy_predict(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    return predict(p, t, n, X, tvgp__policy_outcome(p), mean, var);
}

tvgp_status tvgp__policy_predict_process(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    return predict(p, t, n, X, NULL, mean, var);
}

tvgp_status tvgp__policy_predict_now(tvgp_policy *p, double t, const double *x, double *mean, double *var) {
    *mean = *var = NAN;
    if (p->domain->shared)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "unsolicited observations with outcome.type = %s and shared arms",
                               tvgp__policy_outcome(p)->name);
    return p->ops->at ? tvgp__policy_predict_process(p, fmax(t, p->clock), 1, x, mean, var) : TVGP_OK;
}

/* Values and gradients in the user's unit, by the chain rule. */
static void show_gradient(const tvgp__outcome_ops *type, size_t n, size_t dim, const tvgp__predictive_values *v) {
    for (size_t i = 0; type && i < n; i++) {
        tvgp__outcome_moments at;
        type->moments(v->mean[i], fmax(v->var[i], 0), &at);
        for (size_t d = i * dim; d < (i + 1) * dim; d++) {
            const double dmean = v->dmean[d], dvar = v->dvar[d];
            v->dmean[d] = at.mean_by[0] * dmean + at.mean_by[1] * dvar;
            v->dvar[d] = at.var_by[0] * dmean + at.var_by[1] * dvar;
        }
        v->mean[i] = at.mean;
        v->var[i] = at.var;
    }
}

tvgp_status tvgp__policy_predict_gradient(tvgp_policy *p, double t, size_t n, const double *X,
                                          const tvgp__predictive_values *out) {
    const size_t dim = p->domain->dim;
    if (!p->ops->gradients)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' gives no gradients", p->ops->name);
    if (p->mean.by_arm)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the prior mean is known at arms only and has no gradient");
    const int all = !X && n;
    tvgp_status status = all ? check_arms(p, n) : tvgp__kernel_check(p->kernel, p->ctx, "X", n, X);
    TVGP__TRY(tvgp__domain_agree(p->domain, status));
    TVGP__TRY(check(p, t));
    if (!n)
        return TVGP_OK;
    if (all)
        X = tvgp__query_points_choices(p, &n);
    TVGP__TRY(p->started ? p->ops->predict(p, t, n, X, out) : tvgp__before_start_predict(p, t, n, X, out));
    TVGP__TRY(add_mean(p, n, X, out->mean, out->dmean));
    for (size_t i = 0; i < n; i++)
        out->mean[i] = shown(p, out->mean[i]);
    for (size_t i = 0; i < n * dim; i++)
        out->dmean[i] = shown(p, out->dmean[i]);
    show_gradient(tvgp__policy_outcome(p), n, dim, out);
    return TVGP_OK;
}
