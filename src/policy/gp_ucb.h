/* SPDX-License-Identifier: MIT */
/* What gp-ucb has, for the policies that differ in law, memory or width alone: they learn, choose by a draw if told so, and
 * play on boxes too. */
#ifndef TVGP__POLICY_GP_UCB_H
#define TVGP__POLICY_GP_UCB_H

#include "play/ucb.h"

/* What is learned assumes that nothing changes, or (policies that start again) that it changes at an unknown rate. */
tvgp_status tvgp__gp_ucb_start(tvgp_policy *policy);
tvgp_status tvgp__gp_ucb_start_again(tvgp_policy *policy);

#define TVGP__GP_UCB_GROUPS      TVGP__UCB_GROUPS, TVGP__UCB_CHOICE, TVGP__UCB_ON_BOXES, TVGP__LEARN_GROUPS
#define TVGP__GP_UCB_STAT_GROUPS TVGP__UCB_STAT_GROUPS, TVGP__UCB_BOX_STATS, TVGP__LEARN_STAT_GROUPS
#define TVGP__GP_UCB_OPS         TVGP__UCB_OPS, TVGP__LEARN_OPS, TVGP__LEARN_SERIES, .on_boxes = 1

#endif
