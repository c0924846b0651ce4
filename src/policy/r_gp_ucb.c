/* SPDX-License-Identifier: MIT */
/* R-GP-UCB (Bogunovic, Scarlett, Cevher 2016, alg. 1): gp-ucb that forgets everything every N actions, before action N +
 * 1, 2N + 1, ..; N = ceil(min(T, 12 epsilon^(-1/4))) unless it is set. */
#include "base/error.h"
#include "policy/builtin.h"
#include "policy/gp_ucb.h"

#include <math.h>

typedef struct {
    tvgp__ucb_config ucb;
    int64_t every;
    double epsilon;
} config;

static const tvgp__option own[] = {
    {"reset.every", TVGP_I64, 0, offsetof(config, every), 0, 0, 0x1p53, NULL,
     TVGP__TEXT("Number of actions between resets. 0: ceil(min(horizon, 12 epsilon^(-1/4))).")},
    {"epsilon", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(config, epsilon), 0.03, 0, 1, NULL,
     TVGP__TEXT("Rate of change per action, for reset.every=0.")},
    {"half_life", TVGP_F64, TVGP_OPTION_OPEN_LOWER | TVGP__OPTION_HALF_LIFE, offsetof(config, epsilon), 0, 0, INFINITY, NULL,
     TVGP__TEXT(
         "Half-life of the correlation of the function's values, in actions; another form of epsilon. inf: no change.")},
};

static int64_t rule(const config *c) {
    int64_t horizon = c->ucb.width.horizon;
    if (c->every)
        return c->every;
    if (c->epsilon > 0) {
        double n = fmin(ceil(12 * pow(c->epsilon, -0.25)), 0x1p53);
        return horizon && n > (double)horizon ? horizon : (int64_t)n;
    }
    return horizon;
}

static tvgp_status start(tvgp_policy *p) {
    ((tvgp__ucb *)p->state)->every = rule(p->config);
    return tvgp__gp_ucb_start_again(p);
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__GP_UCB_GROUPS, TVGP__OPTION_GROUP(own, 0), TVGP__UCB_RANK};

const tvgp__policy_ops tvgp__r_gp_ucb = {
    TVGP__GP_UCB_OPS,
    .name = "r-gp-ucb",
    .doc = TVGP__TEXT("gp-ucb restarted every N actions; for drift of known rate, at little cost"),
    TVGP__POLICY_TABLES(groups, stats),
    TVGP__POLICY_SIZES(config, tvgp__ucb),
    .start = start,
    .ask = tvgp__ucb_ask,
    .take = tvgp__ucb_take,
    .visit = tvgp__ucb_visit};
