/* SPDX-License-Identifier: MIT */
/* The policy `random`, whose draw other policies use while they have no data. */
#ifndef TVGP__POLICY_RANDOM_ARM_H
#define TVGP__POLICY_RANDOM_ARM_H

#include "protocol/policy_ops.h"

/* Draws one of the available arms, all with the same probability. The same seed and number of actions asked give the same
 * arm. */
size_t tvgp__random_arm_draw(const tvgp_policy *policy);

#endif
