/* SPDX-License-Identifier: MIT */
/* The functions of gp-ucb, for the policies that differ from it only in drift model, memory or exploration coefficient. All of
 * them can learn hyperparameters, can choose by a draw of the posterior, and support boxes. */
#ifndef TVGP__POLICY_GP_UCB_H
#define TVGP__POLICY_GP_UCB_H

#include "policy/ucb/ucb.h"

/* The op `start`. Where the model is to be learned, the first assumes that the function never changes. The second is for
 * policies that start again now and then, and learns a rate of change as well. */
tvgp_status tvgp__gp_ucb_start(tvgp_policy *policy);
tvgp_status tvgp__gp_ucb_start_again(tvgp_policy *policy);

#define TVGP__GP_UCB_GROUPS      TVGP__UCB_GROUPS, TVGP__UCB_CHOICE, TVGP__UCB_ON_BOXES, TVGP__LEARN_GROUPS, TVGP__UCB_LOG
#define TVGP__GP_UCB_STAT_GROUPS TVGP__UCB_STAT_GROUPS, TVGP__UCB_BOX_STATS, TVGP__LEARN_STAT_GROUPS, TVGP__UCB_LOG_STATS
#define TVGP__GP_UCB_OPS                                                                                                    \
    TVGP__UCB_OPS, .learns = &tvgp__ucb_learns, .series = tvgp__ucb_series, .n_series = TVGP__UCB_SERIES, .on_boxes = 1

#endif
