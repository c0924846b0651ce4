/* SPDX-License-Identifier: MIT */
/* Switching costs. Bandits with switching or movement costs subtract them from the reward (Dekel, Ding, Koren, Peres
 * 2014; Koren, Livni, Mansour 2017); here the choice is the maximiser of
 *   score(x) - cost [x is not the last action] - distance_cost |x - last|,
 * a term of the sum that a policy maximises, in the units of the reward. It does not look ahead. The last action is that of
 * protocol/last_action.h. A policy has this feature if its options set a cost. */
#ifndef TVGP__PARTS_FEATURES_SWITCHING_COST_H
#define TVGP__PARTS_FEATURES_SWITCHING_COST_H

#include "base/options.h"
#include "protocol/guard_ops.h"

extern const tvgp__guard_ops tvgp__switching_cost_ops;

#endif
