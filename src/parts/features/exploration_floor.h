/* SPDX-License-Identifier: MIT */
/* Exploration floor and holdout share, which make the log of a deterministic policy usable for evaluation. With
 * probability f the action is drawn uniformly from the m that may be asked, with probability h it is the incumbent,
 * otherwise the policy's own choice. With pi(a) the probability of a by the policy itself,
 *   propensity(a) = f / m + h [a = incumbent] + (1 - f - h) pi(a).
 * Seed and number of the action determine the draw. Switching costs do not count in it. An incumbent that may not be asked is not held out.
 * The conservative mode (parts/features/conservative.h) may refuse the drawn action, and then knows the probability of the incumbent.
 */
#ifndef TVGP__PARTS_FEATURES_EXPLORATION_FLOOR_H
#define TVGP__PARTS_FEATURES_EXPLORATION_FLOOR_H

#include "protocol/guard_ops.h"

extern const tvgp__guard_ops tvgp__exploration_floor_ops;

#endif
