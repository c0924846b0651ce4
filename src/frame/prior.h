/* SPDX-License-Identifier: MIT */
/* The priors a policy holds, and what makes one valid. */
#ifndef TVGP__FRAME_PRIOR_H
#define TVGP__FRAME_PRIOR_H

#include "frame/policy_ops.h"

/* DIM or ARG when the kernel does not fit the domain. */
tvgp_status tvgp__prior_check(tvgp_ctx *, const tvgp_domain *, const tvgp_kernel *);
/* The list of priors. */
tvgp_status tvgp__prior_push(tvgp_policy *, const tvgp_kernel *, const double *mean, size_t n_mean, double epsilon);
void tvgp__prior_pop(tvgp_policy *);

#endif
