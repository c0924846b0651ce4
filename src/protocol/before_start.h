/* SPDX-License-Identifier: MIT */
/* Predictions before there are data: the prior of the policy's kernel, or the mixture of the added priors. */
#ifndef TVGP__PROTOCOL_BEFORE_START_H
#define TVGP__PROTOCOL_BEFORE_START_H

#include "choose/search.h"
#include "protocol/policy_ops.h"

/* Before the first ask or tell: the policy's prior at time t, that of its kernel or the mixture of those added, by their
 * weights. Mean (relative to the policy's own) and variance at n points, and gradients unless they are NULL; needs no state. X NULL:
 * the arms that are here, which have points and are n, without gradients.
 * UNSUPPORTED: a mean that is known at arms only; DIM, ARG, the kernel's status. */
tvgp_status tvgp__before_start_predict(const tvgp_policy *, double t, size_t n, const double *X,
                                       const tvgp__predictive_values *out);
/* On a box: where the mean is best, by a search that scores nothing else. Fails as the search does. */
tvgp_status tvgp__before_start_best(tvgp_policy *, const tvgp__search_config *, uint64_t seed, double *x);

#endif
