/* SPDX-License-Identifier: MIT */
/* BR-GP-UCB (Zhou, Shroff 2021, alg. 1): gp-ucb with the information-gain coefficient, restarted every H actions. H follows
 * from the variation budget unless it is set. */
#include "base/error.h"
#include "policy/builtin.h"
#include "policy/gp_ucb.h"
#include "policy/ucb/variation_budget.h"

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__variation_budget rule;
    int64_t every;
} config;

static const tvgp__option own[] = {
    {"reset.every", TVGP_I64, 0, offsetof(config, every), 0, 0, 0x1p53, NULL,
     TVGP__TEXT(
         "Number of actions between resets. 0: ceil(information_gain^(1/4) sqrt(horizon / variation_budget)), 50 without "
         "horizon.")},
};

static void defaults(void *c) {
    ((config *)c)->ucb.width.schedule = TVGP__EXPLORATION_SCHEDULE_IGP;
}

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    ((tvgp__ucb *)p->state)->every = c->every ? c->every : tvgp__variation_budget_steps(&c->rule, c->ucb.width.horizon);
    return tvgp__gp_ucb_start_again(p);
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {
    TVGP__GP_UCB_GROUPS,
    TVGP__UCB_RANK,
    TVGP__OPTION_GROUP(own, 0),
    {tvgp__variation_budget_options, TVGP__VARIATION_BUDGET_OPTIONS, offsetof(config, rule)}};

const tvgp__policy_ops tvgp__br_gp_ucb = {TVGP__GP_UCB_OPS,
                                          .name = "br-gp-ucb",
                                          .doc = TVGP__TEXT("gp-ucb restarted as often as a budget of change asks for"),
                                          TVGP__POLICY_TABLES(groups, stats),
                                          TVGP__POLICY_SIZES(config, tvgp__ucb),
                                          .defaults = defaults,
                                          .start = start,
                                          .ask = tvgp__ucb_ask,
                                          .take = tvgp__ucb_take,
                                          .visit = tvgp__ucb_visit};
