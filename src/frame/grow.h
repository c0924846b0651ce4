/* SPDX-License-Identifier: MIT */
/* A live policy on a larger domain. */
#ifndef TVGP__FRAME_GROW_H
#define TVGP__FRAME_GROW_H

#include "frame/policy_ops.h"

/* tvgp_policy_extend. */
tvgp_status tvgp__grow_policy(tvgp_policy *policy, const tvgp_domain *larger, const double *new_mean_or_null);

#endif
