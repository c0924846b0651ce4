/* SPDX-License-Identifier: MIT */
/* The choice among the arms of all ranks, and access to single entries of vectors over them. */
#ifndef TVGP__PROTOCOL_ACROSS_RANKS_H
#define TVGP__PROTOCOL_ACROSS_RANKS_H

#include "protocol/policy_ops.h"

/* The best available arm of this rank by the rule of choose/rule.h: its index, score, net and offset, from these scores of all arms
 * here. They are of `posterior`, or of none (NULL). */
void tvgp__across_ranks_here(const tvgp_policy *p, const double *score, const tvgp__posterior *posterior,
                             tvgp__chosen *best);

/* The best of all ranks, of which at least one has an arm available: its index becomes its number among all. Its prior mean is known
 * from then on, and its moments to the posterior that `whose` (or NULL) names for its prior. Of shared arms there must be room for the
 * point of one. Collective. */
size_t tvgp__across_ranks_agree(tvgp_policy *p, tvgp__chosen *best,
                                tvgp__posterior *(*whose)(const tvgp_policy *, size_t prior));

/* The arm at x, whichever rank holds it; or -1. Collective. */
int64_t tvgp__across_ranks_locate(const tvgp_policy *p, const double *x);

/* Mean and variance of one arm at time t by the policy's `at`. Collective. */
tvgp_status tvgp__across_ranks_at(const tvgp_policy *p, double t, size_t arm, double *mean, double *var);

#endif
