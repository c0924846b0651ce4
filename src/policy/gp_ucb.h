/* SPDX-License-Identifier: MIT */
/* gp-ucb's posterior, for the policies that only differ in memory or width. */
#ifndef TVGP__POLICY_GP_UCB_H
#define TVGP__POLICY_GP_UCB_H

#include "frame/policy_ops.h"

tvgp_status tvgp__gp_ucb_start(tvgp_policy *policy);

#endif
