/* TV-GP-UCB (Bogunovic, Scarlett, Cevher 2016, alg. 2): kernel k(x,x') (1 - epsilon)^(|t-t'|/2), predicted at the time of
 * the ask; forgetting law x constant noise x all memory. */
#include "base/error.h"
#include "gp/recursive.h"
#include "policy/builtin.h"
#include "policy/ucb.h"

#include <math.h>

typedef struct {
    tvgp__ucb_config ucb;
    double epsilon;
} config;

static const tvgp__option own[] = {
    {"epsilon", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(config, epsilon), 0.03, 0, 1, NULL,
     "rate of change per unit of time: correlation (1 - epsilon)^(dt/2)"},
};

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    const tvgp__law law = {.kind = TVGP__LAW_FORGETTING, .rate = c->epsilon};
    tvgp__posterior *posterior = NULL;
    TVGP__TRY(tvgp__recursive_new(p->ctx, p->kernel, &law, c->ucb.noise, p->domain->n, p->domain->X, &posterior));
    return tvgp__ucb_start(p, posterior);
}

static const tvgp__stat_group stats[] = {TVGP__UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__UCB_GROUPS, TVGP__OPTION_GROUP(own, 0)};

const tvgp__policy_ops tvgp__tv_gp_ucb = {TVGP__UCB_OPS,
                                          .name = "tv-gp-ucb",
                                          .doc = "forgets smoothly at a known rate; for steady drift",
                                          .groups = groups,
                                          .n_groups = sizeof groups / sizeof *groups,
                                          .stats = stats,
                                          .n_stats = sizeof stats / sizeof *stats,
                                          .config_size = sizeof(config),
                                          .state_size = sizeof(tvgp__ucb),
                                          .start = start,
                                          .ask = tvgp__ucb_ask,
                                          .tell = tvgp__ucb_tell};
