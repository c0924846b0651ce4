/* SPDX-License-Identifier: MIT */
/* Predictions before there are data: the prior of the policy's kernel, or the mixture of the added priors
 * (protocol/before_start.h). */
#include "protocol/before_start.h"
#include "protocol/query_points.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/valid_range.h"
#include "protocol/prior.h"

#include <math.h>
#include <string.h>

/* A predictive without rows. */
static tvgp_status form_of(const tvgp_policy *p, const tvgp_kernel *kernel, const tvgp__posterior_spec *spec, double t,
                           tvgp__predictive *out) {
    const size_t arms = p->domain->n, n = arms ? arms : p->domain->n_scale;
    double *variance = NULL, sum = 0;
    *out = tvgp__predictive_of(p->ctx, kernel, 0, NULL, NULL, 0, NULL);
    out->kappa = tvgp__drift_kappa(&spec->drift, t);
    if (!(spec->offset > 0))
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *variance, &variance));
    tvgp_status status = tvgp__kernel_diag(kernel, n, arms ? p->domain->X : p->domain->scale, variance);
    for (size_t i = 0; status == TVGP_OK && i < n; i++)
        sum += variance[i] / (double)n;
    out->extra = fmin(spec->offset * sum, TVGP__VALID_RANGE_MOST);
    tvgp__memory_free(p->ctx, variance);
    return status;
}

/* Moments of prior i at the points, relative to its mean. */
static tvgp_status moments(const tvgp_policy *p, const tvgp_kernel *kernel, const tvgp__posterior_spec *spec, double t,
                           size_t n, const double *X, const tvgp__predictive_values *out) {
    tvgp__predictive predictive;
    X = X ? X : p->domain->X;
    tvgp_status status = tvgp__kernel_check(kernel, p->ctx, "X", n, X);
    if (status == TVGP_OK)
        status = form_of(p, kernel, spec, t, &predictive);
    if (status == TVGP_OK)
        status = tvgp__predictive_predict(&predictive, n, X, out);
    return tvgp__domain_agree(p->domain, status);
}

/* A new hold. */
static tvgp_status kernel_of(const tvgp_policy *p, size_t i, tvgp_kernel **out) {
    if (!p->priors.n)
        return tvgp__policy_kernel_in_use(p, out);
    *out = tvgp__kernel_retain(p->priors.items[i].kernel);
    return TVGP_OK;
}

tvgp_status tvgp__before_start_predict(const tvgp_policy *p, double t, size_t n, const double *X,
                                       const tvgp__predictive_values *out) {
    tvgp__posterior_spec spec = {0};
    tvgp__prior_mixture mix = {.policy = p, .n = n, .X = X, .out = *out};
    TVGP__TRY(TVGP__POLICY_OP(p->ops, spec)(p, NAN, &spec));
    tvgp_status status = tvgp__prior_mixture_open(&mix);
    for (size_t i = 0; status == TVGP_OK && i < tvgp__prior_count(p); i++) {
        tvgp_kernel *kernel = NULL;
        status = kernel_of(p, i, &kernel);
        if (status == TVGP_OK)
            status = moments(p, kernel, &spec, t, n, X, &mix.other);
        if (status == TVGP_OK)
            status = tvgp__prior_mixture_add(&mix, i, tvgp__prior_weight(p, i));
        tvgp__kernel_release(kernel);
    }
    tvgp__prior_mixture_close(&mix);
    return status;
}

/* slope: workspace for a gradient. */
static tvgp_status add_means(const tvgp_policy *p, size_t n, const double *Z, double *value, double *gradient,
                             double *slope) {
    const size_t all = n * p->domain->dim;
    const double total = tvgp__policy_turn(p, tvgp__prior_total_weight(p));
    double own[TVGP__ASCENT_BLOCK];
    memset(value, 0, n * sizeof *value);
    if (gradient)
        memset(gradient, 0, all * sizeof *gradient);
    for (size_t i = 0; i < tvgp__prior_count(p); i++) {
        TVGP__TRY(tvgp__prior_means(p, tvgp__prior_mean_of(p, i), n, Z, own, gradient ? slope : NULL));
        const double share = tvgp__prior_weight(p, i) / total;
        for (size_t k = 0; k < n; k++)
            value[k] += share * own[k];
        for (size_t k = 0; gradient && k < all; k++)
            gradient[k] += share * slope[k];
    }
    return TVGP_OK;
}

/* The mean of all priors by their weights. */
static tvgp_status score(void *user, size_t n, const double *Z, double *value, double *gradient) {
    const tvgp_policy *p = user;
    double *slope = NULL;
    TVGP__TRY(tvgp__scratch_take(p->ctx, TVGP__ASCENT_BLOCK * p->domain->dim, &slope));
    tvgp_status status = add_means(p, n, Z, value, gradient, slope);
    tvgp__scratch_give(p->ctx, slope);
    return status;
}

/* The search is over lengthscales and up to sds of the kernel, which is released. */
static tvgp_status search(tvgp_policy *p, tvgp_kernel *kernel, const tvgp__search_config *config, uint64_t seed, double *x) {
    double reach[TVGP__SEARCH_SPACE_MOST], variance = 0, value;
    tvgp__search s = {
        .space = tvgp__query_points_space(p, kernel, reach), .target = {.score = score, .user = p}, .seed = seed};
    tvgp_status status = tvgp__kernel_diag(kernel, 1, p->domain->upper, &variance);
    tvgp__kernel_release(kernel);
    TVGP__TRY(status);
    s.target.scale = sqrt(fmax(variance, TVGP__VALID_RANGE_LEAST));
    return tvgp__search_run(config, &s, x, &value);
}

tvgp_status tvgp__before_start_best(tvgp_policy *p, const tvgp__search_config *config, uint64_t seed, double *x) {
    tvgp_kernel *kernel = NULL;
    TVGP__TRY(kernel_of(p, 0, &kernel));
    return search(p, kernel, config, seed, x);
}
