/* SPDX-License-Identifier: MIT */
/* Moments of a mixture of Gaussian processes, each with a prior mean, added one after the other (protocol/gaussian_mixture.h). */
#include "protocol/gaussian_mixture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/prior.h"

#include <string.h>

void tvgp__gaussian_mixture_moments(double share, double m, double v, double *mean, double *var) {
    double d = m - *mean;
    *mean += share * d;
    *var = (1 - share) * *var + share * v + share * (1 - share) * tvgp__valid_range_product(d, d);
}

tvgp_status tvgp__gaussian_mixture_open(tvgp__gaussian_mixture *x) {
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

void tvgp__gaussian_mixture_close(tvgp__gaussian_mixture *x) {
    tvgp__memory_free(x->policy->ctx, x->work);
}

/* The mean of prior i is added to `other`, the policy's own taken off. */
static tvgp_status add_mean(const tvgp__gaussian_mixture *x, size_t i) {
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
tvgp_status tvgp__gaussian_mixture_add(tvgp__gaussian_mixture *x, size_t i, double weight) {
    const tvgp__predictive_values *other = &x->other, *out = &x->out;
    const size_t dim = x->policy->domain->dim;
    const double share = weight / (x->total += weight);
    TVGP__TRY(add_mean(x, i));
    for (size_t k = 0; out->dmean && k < x->n * dim; k++) {
        const double apart = other->mean[k / dim] - out->mean[k / dim], slope = other->dmean[k] - out->dmean[k];
        out->dvar[k] += share * (other->dvar[k] - out->dvar[k]) + 2 * share * (1 - share) * apart * slope;
        out->dmean[k] += share * slope;
    }
    for (size_t k = 0; k < x->n; k++)
        tvgp__gaussian_mixture_moments(share, other->mean[k], other->var[k], &out->mean[k], &out->var[k]);
    return TVGP_OK;
}
