/* SPDX-License-Identifier: MIT */
/* Predictions of the policies with several priors: moments of the mixture of the living priors, by marginal likelihood.
 */
#include "policy/priors/multi_prior_ucb.h"

#include "base/error.h"
#include "protocol/prior.h"

enum { AT_BLOCK = 64 };

/* A block of arms, so that the models take one step of time each and need no memory. */
static void at_block(const tvgp_policy *p, double t, size_t n, const size_t *arm, double *mean, double *var) {
    const tvgp__multi_prior_ucb *s = p->state;
    double total = 0, m[AT_BLOCK], v[AT_BLOCK];
    for (size_t k = 0; k < n; k++)
        mean[k] = var[k] = 0;
    for (size_t i = 0; i < s->models.count; i++) {
        const tvgp__model *model = &s->models.list[i];
        if (!(s->weight[i] > 0))
            continue;
        model->posterior->ops->at(model->posterior, t, n, arm, m, v);
        total += s->weight[i];
        for (size_t k = 0; k < n; k++)
            tvgp__prior_mixture_moments(s->weight[i] / total,
                                        m[k] + tvgp__mean_function_at(tvgp__prior_mean_of(p, i), arm[k]), v[k], &mean[k],
                                        &var[k]);
    }
    for (size_t k = 0; k < n; k++)
        mean[k] -= tvgp__mean_function_at(&p->mean, arm[k]);
}

tvgp_status tvgp__multi_prior_ucb_at(const tvgp_policy *p, double t, size_t n, const size_t *arm, double *mean,
                                     double *var) {
    size_t block[AT_BLOCK];
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < AT_BLOCK ? n - first : AT_BLOCK;
        for (size_t k = 0; k < m; k++)
            block[k] = arm ? arm[first + k] : first + k;
        at_block(p, t, m, block, mean + first, var + first);
    }
    return TVGP_OK;
}

tvgp_status tvgp__multi_prior_ucb_predict(tvgp_policy *p, double t, size_t n, const double *X,
                                          const tvgp__predictive_values *out) {
    const tvgp__multi_prior_ucb *s = p->state;
    tvgp__prior_mixture mix = {.policy = p, .n = n, .X = X, .out = *out};
    for (size_t i = 0; i < s->models.count; i++)
        if (s->weight[i] > 0 && tvgp__prior_mean_of(p, i)->by_arm && tvgp__domain_has_arms(p->domain))
            return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                                   "X holds a point that is not an arm, and the mean of prior %zu is known at arms only", i);
    tvgp_status status = tvgp__prior_mixture_open(&mix);
    for (size_t i = 0; i < s->models.count && status == TVGP_OK; i++) {
        tvgp__posterior *post = s->models.list[i].posterior;
        if (!(s->weight[i] > 0))
            continue;
        status = tvgp__domain_agree(p->domain, tvgp__kernel_check(post->kernel, p->ctx, "X", n, X));
        if (status == TVGP_OK)
            status = tvgp__posterior_values(post, t, n, X, &mix.other);
        if (status == TVGP_OK)
            status = tvgp__prior_mixture_add(&mix, i, s->weight[i]);
    }
    tvgp__prior_mixture_close(&mix);
    return status;
}
