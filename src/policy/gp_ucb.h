/* SPDX-License-Identifier: MIT */
/* gp-ucb's posterior, for the policies that only differ in memory or width. */
#ifndef TVGP__POLICY_GP_UCB_H
#define TVGP__POLICY_GP_UCB_H

#include "frame/policy_ops.h"

/* What is learned assumes that nothing changes, or (policies that start again) that it changes at an unknown rate. */
tvgp_status tvgp__gp_ucb_start(tvgp_policy *policy);
tvgp_status tvgp__gp_ucb_start_again(tvgp_policy *policy);

#endif
