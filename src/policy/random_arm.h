/* SPDX-License-Identifier: MIT */
/* An available arm, uniformly; the draw depends on the seed and the number of actions asked. */
#ifndef TVGP__POLICY_RANDOM_ARM_H
#define TVGP__POLICY_RANDOM_ARM_H

#include "frame/policy_ops.h"

size_t tvgp__random_arm_draw(const tvgp_policy *policy);

#endif
