/* SPDX-License-Identifier: MIT */
/* Moments of a mixture of Gaussian processes, each with a prior mean, added one after the other. */
#ifndef TVGP__PROTOCOL_GAUSSIAN_MIXTURE_H
#define TVGP__PROTOCOL_GAUSSIAN_MIXTURE_H

#include "protocol/policy_ops.h"

/* At n points, with gradients unless dmean and dvar of `out` are NULL, relative to the policy's own mean. Open fills `other`,
 * zeroes `out`; then the moments of prior i, relative to its mean, are written to `other`, and add takes them in. */
typedef struct tvgp__gaussian_mixture {
    const tvgp_policy *policy;
    size_t n;
    const double *X;
    tvgp__predictive_values out, other;
    double total; /* weight so far */
    double *work;
} tvgp__gaussian_mixture;

tvgp_status tvgp__gaussian_mixture_open(tvgp__gaussian_mixture *); /* NOMEM; collective where arms are shared */
tvgp_status tvgp__gaussian_mixture_add(tvgp__gaussian_mixture *, size_t i, double weight); /* fails as tvgp__prior_means */
void tvgp__gaussian_mixture_close(tvgp__gaussian_mixture *);

/* Moments of (1 - share) N(mean, var) + share N(m, v), in place. */
void tvgp__gaussian_mixture_moments(double share, double m, double v, double *mean, double *var);

#endif
