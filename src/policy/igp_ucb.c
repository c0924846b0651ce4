/* SPDX-License-Identifier: MIT */
/* IGP-UCB (Chowdhury, Gopalan 2017): gp-ucb with the information-gain coefficient. The paper uses the noise variance 1 + 2/T.
 */
#include "policy/builtin.h"
#include "policy/gp_ucb.h"

static void defaults(void *config) {
    ((tvgp__ucb_config *)config)->width.schedule = TVGP__EXPLORATION_SCHEDULE_IGP;
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__GP_UCB_GROUPS, TVGP__UCB_RANK};

const tvgp__policy_ops tvgp__igp_ucb = {TVGP__GP_UCB_OPS,
                                        .name = "igp-ucb",
                                        .doc = TVGP__TEXT("gp-ucb with the coefficient of the RKHS analysis"),
                                        TVGP__POLICY_TABLES(groups, stats),
                                        TVGP__POLICY_SIZES(tvgp__ucb_config, tvgp__ucb),
                                        .defaults = defaults,
                                        .start = tvgp__gp_ucb_start,
                                        .model = &tvgp__ucb_model,
                                        .ask = tvgp__ucb_ask,
                                        .take = tvgp__ucb_take,
                                        .visit = tvgp__ucb_visit};
