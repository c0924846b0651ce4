/* SPDX-License-Identifier: MIT */
/* WGP-UCB (Deng, Zhou, Kim, Tewari, Gupta, Shroff 2022): weighted kernel regression with weights eta^-t and regulariser
 * lambda eta^-t, which is the posterior with noise lambda eta^-age. Observations are kept until their weight is below
 * round-off. */
#include "policy/builtin.h"
#include "policy/gp_ucb.h"
#include "policy/ucb/aging_policies.h"
#include "policy/ucb/variation_budget.h"

#include <math.h>

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__variation_budget rule;
    double decay, lambda;
} config;

static const tvgp__option own[] = {
    {"decay", TVGP_F64, 0, offsetof(config, decay), 0, 0, 1, NULL,
     TVGP__TEXT(
         "Factor eta of an observation's weight per unit of time. 0: 1 - information_gain^(-1/4) sqrt(variation_budget / "
         "horizon), .97 without horizon.")},
    {"half_life", TVGP_F64, TVGP__OPTION_HALF_LIFE | TVGP__OPTION_OF_FACTOR, offsetof(config, decay), 0, 0, INFINITY, NULL,
     TVGP__TEXT("Half-life of the weight of an observation, in units of time; another form of decay. 0: by the rule of "
                "decay; inf: no "
                "decay.")},
    {"lambda", TVGP_F64, 0, offsetof(config, lambda), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Noise variance of an observation of age 0. 0: the option noise.")},
};

static tvgp_status spec(const tvgp_policy *p, double rate, tvgp__posterior_spec *out) {
    const config *c = p->config;
    double eta = c->decay > 0 ? c->decay : tvgp__variation_budget_decay(&c->rule, c->ucb.width.horizon);
    out->age = (tvgp__noise_age){.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = -log(eta), .from_last = 1};
    tvgp__aging_policies_set_rate(&out->age, rate);
    return TVGP_OK;
}

static tvgp_status start(tvgp_policy *p) {
    return tvgp__aging_policies_start(p, 0);
}

static void take(tvgp_policy *p, const tvgp__answer *answer) {
    const config *c = p->config;
    tvgp__answer weighted = *answer;
    if (isnan(weighted.noise) && c->lambda > 0)
        weighted.noise = c->lambda;
    tvgp__ucb_take(p, &weighted);
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS, {tvgp__aging_policies_stats, TVGP__AGING_POLICIES_STATS}};
static const tvgp__option_group groups[] = {
    TVGP__GP_UCB_GROUPS,
    TVGP__OPTION_GROUP(own, 0),
    {tvgp__variation_budget_options, TVGP__VARIATION_BUDGET_OPTIONS, offsetof(config, rule)}};

const tvgp__policy_ops tvgp__w_gp_ucb = {TVGP__GP_UCB_OPS,
                                         .name = "w-gp-ucb",
                                         .doc = TVGP__TEXT("gp-ucb with weights that decay; for drift of a known budget"),
                                         TVGP__POLICY_TABLES(groups, stats),
                                         TVGP__POLICY_SIZES(config, tvgp__ucb),
                                         .spec = spec,
                                         .start = start,
                                         .model = &tvgp__ucb_model,
                                         .ask = tvgp__ucb_ask,
                                         .take = take,
                                         .visit = tvgp__ucb_visit};
