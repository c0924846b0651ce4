/* SPDX-License-Identifier: MIT */
/* The common part of policies whose observations become noisier with age (w-gp-ucb, ui-gp-ucb): their start, and a
 * statistic. */
#ifndef TVGP__POLICY_UCB_AGING_POLICIES_H
#define TVGP__POLICY_UCB_AGING_POLICIES_H

#include "policy/ucb/ucb.h"
#include "space/temporal/noise_age.h"

/* Starts a policy with the posterior its op `spec` asks for. A policy that learns finds the rate at which noise grows too
 * (of a power, the exponent), unless `rate_given`. */
tvgp_status tvgp__aging_policies_start(tvgp_policy *policy, int rate_given);

/* Sets a learned rate in a growth of noise; for a power it is the exponent. NaN (none was learned) changes nothing. */
void tvgp__aging_policies_set_rate(tvgp__noise_age *age, double rate);

enum { TVGP__AGING_POLICIES_STATS = 1 };
extern const tvgp__stat tvgp__aging_policies_stats[TVGP__AGING_POLICIES_STATS];

#endif
