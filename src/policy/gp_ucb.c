/* SPDX-License-Identifier: MIT */
/* GP-UCB (Srinivas, Krause, Kakade, Seeger 2010): exact posterior of all data, with a static drift model and constant
 * noise. */
#include "policy/gp_ucb.h"
#include "policy/builtin.h"

tvgp_status tvgp__gp_ucb_start(tvgp_policy *p) {
    return tvgp__learn_start(p, &(tvgp__learn_spec){.drift = TVGP__DRIFT_STATIC});
}

tvgp_status tvgp__gp_ucb_start_again(tvgp_policy *p) {
    return tvgp__learn_start(p, &(tvgp__learn_spec){.drift = TVGP__DRIFT_FORGETTING});
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__GP_UCB_GROUPS, TVGP__UCB_RANK};

const tvgp__policy_ops tvgp__gp_ucb = {TVGP__GP_UCB_OPS,
                                       .name = "gp-ucb",
                                       .doc = TVGP__TEXT("exact posterior on all data; for things that do not change"),
                                       TVGP__POLICY_TABLES(groups, stats),
                                       TVGP__POLICY_SIZES(tvgp__ucb_config, tvgp__ucb),
                                       .start = tvgp__gp_ucb_start,
                                       .model = &tvgp__ucb_model,
                                       .ask = tvgp__ucb_ask,
                                       .take = tvgp__ucb_take,
                                       .visit = tvgp__ucb_visit};
