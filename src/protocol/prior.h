/* SPDX-License-Identifier: MIT */
/* The priors of a policy, their validity, their means and the moments of their mixture. */
#ifndef TVGP__PROTOCOL_PRIOR_H
#define TVGP__PROTOCOL_PRIOR_H

#include "protocol/policy_ops.h"

/* DIM or ARG when the kernel does not fit the domain. */
tvgp_status tvgp__prior_check(tvgp_ctx *, const tvgp_domain *, const tvgp_kernel *);
/* The list of priors. */
tvgp_status tvgp__prior_push(tvgp_policy *, const tvgp_kernel *, const tvgp__mean_function_given *, double epsilon);
void tvgp__prior_pop(tvgp_policy *);
/* How many were added; the policy's own, which start makes where there are none, is one of them when others came later. */
size_t tvgp__prior_added(const tvgp_policy *);
/* Returns the number of priors: those added, or 1 for the policy's own kernel; and the sum of their weights. */
size_t tvgp__prior_count(const tvgp_policy *);
double tvgp__prior_total_weight(const tvgp_policy *);

/* A mean at n points (X NULL: the arms that are here, which are n), and its gradient unless NULL. UNSUPPORTED: it has a value for each arm, and a point is none, or a gradient
 * is wanted; and as its function does. */
tvgp_status tvgp__prior_means(const tvgp_policy *, const tvgp__mean_function *, size_t n, const double *X, double *out,
                              double *gradient);
/* The weight of prior i before data, relative to the others: 1 by default. OPTION: prior.weights is no list of weights.
 */
double tvgp__prior_weight(const tvgp_policy *, size_t i);
tvgp_status tvgp__prior_check_weights(const tvgp_policy *);
double tvgp__prior_mean(const tvgp_policy *, size_t arm); /* and the policy's own mean in it */
/* The mean of prior i that held when action `step`, which is pending, was asked; NULL: that of now, or the policy's. */
const double *tvgp__prior_mean_then(const tvgp_policy *, size_t i, int64_t step);
const tvgp__mean_function *tvgp__prior_mean_of(const tvgp_policy *, size_t i); /* of prior i: its own, or the policy's */

/* Visits the added priors (base/visit.h). Kernels that cannot be saved are taken from the policy `beside`. */
void tvgp__prior_visit(tvgp_policy *, const tvgp_policy *beside, tvgp__visit *v);

/* ---- the mixture of the priors ---- moments of Gaussian processes, each with a prior mean, added one after the other. */

/* At n points, with gradients unless dmean and dvar of `out` are NULL, relative to the policy's own mean. Open fills `other`,
 * zeroes `out`; then the moments of prior i, relative to its mean, are written to `other`, and add takes them in. */
typedef struct tvgp__prior_mixture {
    const tvgp_policy *policy;
    size_t n;
    const double *X;
    tvgp__predictive_values out, other;
    double total; /* weight so far */
    double *work;
} tvgp__prior_mixture;

tvgp_status tvgp__prior_mixture_open(tvgp__prior_mixture *); /* NOMEM; collective where arms are shared */
tvgp_status tvgp__prior_mixture_add(tvgp__prior_mixture *, size_t i, double weight); /* fails as tvgp__prior_means */
void tvgp__prior_mixture_close(tvgp__prior_mixture *);

/* Moments of (1 - share) N(mean, var) + share N(m, v), in place. */
void tvgp__prior_mixture_moments(double share, double m, double v, double *mean, double *var);

#endif
