/* SPDX-License-Identifier: MIT */
/* GP-UCB (Srinivas, Krause, Kakade, Seeger 2010): exact posterior on all data; static kernel x constant noise x all memory.
 */
#include "policy/gp_ucb.h"
#include "base/error.h"
#include "belief/recursive.h"
#include "policy/builtin.h"
#include "policy/ucb.h"

tvgp_status tvgp__gp_ucb_start(tvgp_policy *p) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__law law = {.kind = TVGP__LAW_STATIC};
    tvgp__belief *posterior = NULL;
    TVGP__TRY(tvgp__recursive_new(p->ctx, p->kernel, &law, c->noise, 0, p->domain->n, p->domain->X, &posterior));
    return tvgp__ucb_start(p, posterior);
}

static const tvgp__stat_group stats[] = {TVGP__UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__UCB_GROUPS};

const tvgp__policy_ops tvgp__gp_ucb = {TVGP__UCB_OPS,
                                       .name = "gp-ucb",
                                       .doc = "exact posterior on all data; for things that do not change",
                                       .groups = groups,
                                       .n_groups = sizeof groups / sizeof *groups,
                                       .stats = stats,
                                       .n_stats = sizeof stats / sizeof *stats,
                                       .config_size = sizeof(tvgp__ucb_config),
                                       .state_size = sizeof(tvgp__ucb),
                                       .start = tvgp__gp_ucb_start,
                                       .ask = tvgp__ucb_ask,
                                       .take = tvgp__ucb_take};
