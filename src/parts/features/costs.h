/* SPDX-License-Identifier: MIT */
/* Expected costs of actions, and the weight of cost against reward. The choice maximises score(a) - weight c(a), in the unit of
 * the reward, so a weight is a price that is fixed; a budget (parts/features/budget.h) finds the price itself and reads the costs here. */
#ifndef TVGP__PARTS_FEATURES_COSTS_H
#define TVGP__PARTS_FEATURES_COSTS_H

#include "base/options.h"
#include "protocol/guard_ops.h"

extern const tvgp__guard_ops tvgp__costs_ops;

/* As tvgp_policy_set_costs and tvgp_policy_set_cost_weight. */
tvgp_status tvgp__costs_set(tvgp_policy *, size_t n, const double *cost);
tvgp_status tvgp__costs_set_weight(tvgp_policy *, double weight);

/* The weight; 0: cost has none. */
double tvgp__costs_weight(const tvgp_policy *);

/* Whether there is a cost for each choice, as `reader` (what reads it) needs. UNSUPPORTED: a box without candidates; STATE: no costs,
 * or another number. */
tvgp_status tvgp__costs_check(const tvgp_policy *, const char *reader);

/* After the check: the cost of a choice; takes price x cost off the offsets of all. */
double tvgp__costs_of(const tvgp_policy *, size_t choice);
void tvgp__costs_take(const tvgp_policy *, double price, double *offset);

#endif
