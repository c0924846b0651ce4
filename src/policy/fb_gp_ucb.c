/* SPDX-License-Identifier: MIT */
/* Fully Bayesian GP-UCB (Ziomek, Adachi, Osborne, sec. 7): the scores of all priors, averaged with weights proportional
 * to their marginal likelihood. The heaviest prior counts as the one that chose. */
#include "choose/rule.h"
#include "policy/builtin.h"
#include "policy/priors/multi_prior_ucb.h"

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    const tvgp__multi_prior_ucb *s = p->state;
    (void)cap;
    *n = 1;
    return tvgp__multi_prior_ucb_ask_mean(p, t, tvgp__rule_highest(s->models.count, s->weight, NULL, INFINITY), out);
}

static const tvgp__stat_group stats[] = {TVGP__MULTI_PRIOR_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__MULTI_PRIOR_UCB_GROUPS};

const tvgp__policy_ops tvgp__fb_gp_ucb = {
    TVGP__MULTI_PRIOR_UCB_OPS,
    .name = "fb-gp-ucb",
    .doc = TVGP__TEXT("several priors, scores averaged by marginal likelihood; a baseline"),
    TVGP__POLICY_TABLES(groups, stats),
    .n_series = TVGP__MULTI_PRIOR_UCB_ALL_ALIVE,
    TVGP__POLICY_SIZES(tvgp__multi_prior_ucb_config, tvgp__multi_prior_ucb),
    .start = tvgp__multi_prior_ucb_start,
    .ask = ask,
    .take = tvgp__multi_prior_ucb_take};
