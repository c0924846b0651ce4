/* SPDX-License-Identifier: MIT */
/* Moments of a mixture of Gaussian processes, each with a prior mean: taken in one after the other. */
#ifndef TVGP__FRAME_MIXTURE_H
#define TVGP__FRAME_MIXTURE_H

#include "frame/policy_ops.h"

/* At n points, with gradients unless dmean and dvar of `out` are NULL, relative to the policy's own mean. Open fills `other`,
 * zeroes `out`; then the moments of prior i, relative to its mean, are written to `other`, and add takes them in. */
typedef struct tvgp__mixture {
    const tvgp_policy *policy;
    size_t n;
    const double *X;
    tvgp__form_values out, other;
    double total; /* weight so far */
    double *work;
} tvgp__mixture;

tvgp_status tvgp__mixture_open(tvgp__mixture *);                         /* NOMEM; collective where arms are shared */
tvgp_status tvgp__mixture_add(tvgp__mixture *, size_t i, double weight); /* fails as tvgp__prior_means */
void tvgp__mixture_close(tvgp__mixture *);

/* Moments of (1 - share) N(mean, var) + share N(m, v), in place. */
void tvgp__mixture_moments(double share, double m, double v, double *mean, double *var);

#endif
