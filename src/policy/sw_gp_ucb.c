/* SPDX-License-Identifier: MIT */
/* SW-GP-UCB (Zhou, Shroff 2021, alg. 2): gp-ucb on the last W observations with the information-gain coefficient. W follows
 * from the variation budget unless it is set. */
#include "policy/builtin.h"
#include "policy/gp_ucb.h"
#include "policy/ucb/variation_budget.h"

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__variation_budget rule;
    int64_t window;
} config;

static const tvgp__option own[] = {
    {"window", TVGP_I64, 0, offsetof(config, window), 0, 0, 0x1p31, NULL,
     TVGP__TEXT(
         "Number of newest observations kept. 0: ceil(information_gain^(1/4) sqrt(horizon / variation_budget)), 50 without "
         "horizon.")},
};

static void defaults(void *c) {
    ((config *)c)->ucb.width.schedule = TVGP__EXPLORATION_SCHEDULE_IGP;
}

static tvgp_status spec(const tvgp_policy *p, double rate, tvgp__posterior_spec *out) {
    const config *c = p->config;
    (void)rate;
    out->window = (size_t)(c->window ? c->window : tvgp__variation_budget_steps(&c->rule, c->ucb.width.horizon));
    return TVGP_OK;
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {
    TVGP__GP_UCB_GROUPS,
    TVGP__OPTION_GROUP(own, 0),
    {tvgp__variation_budget_options, TVGP__VARIATION_BUDGET_OPTIONS, offsetof(config, rule)}};

const tvgp__policy_ops tvgp__sw_gp_ucb = {
    TVGP__GP_UCB_OPS,
    .name = "sw-gp-ucb",
    .doc = TVGP__TEXT("gp-ucb on the last W observations; for change that cannot be modelled"),
    TVGP__POLICY_TABLES(groups, stats),
    TVGP__POLICY_SIZES(config, tvgp__ucb),
    .defaults = defaults,
    .spec = spec,
    .start = tvgp__gp_ucb_start_again,
    .model = &tvgp__ucb_model,
    .ask = tvgp__ucb_ask,
    .take = tvgp__ucb_take,
    .visit = tvgp__ucb_visit};
