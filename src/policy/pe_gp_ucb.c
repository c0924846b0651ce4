/* SPDX-License-Identifier: MIT */
/* PE-GP-UCB (Ziomek, Adachi, Osborne, alg. 1): the most optimistic prior chooses, and is eliminated when its predictions
 * are refuted,
 *   x_t, p_t = argmax mean_p(x) + width_p sd_p(x) over available arms and living priors,
 *   p_t is eliminated if |sum of y - mean over its actions| > sqrt(xi_t n_p) + sum of coefficient sd over its actions, n_p of them.
 * mean, sd and coefficient belong to the choice. */
#include "policy/builtin.h"
#include "policy/priors/multi_prior_ucb.h"

#include <math.h>

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    (void)cap;
    *n = 1;
    return tvgp__multi_prior_ucb_ask_best(p, t, out);
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    const tvgp__prior_record *r = tvgp__multi_prior_ucb_credit(p, a);
    if (r)
        tvgp__multi_prior_ucb_test(p, a->prior, fabs(r->error),
                                   sqrt(tvgp__multi_prior_ucb_xi(p, a) * r->answered) + r->bonus, a->t);
    tvgp__multi_prior_ucb_take(p, a);
}

static const tvgp__stat_group stats[] = {TVGP__MULTI_PRIOR_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__MULTI_PRIOR_UCB_GROUPS};

const tvgp__policy_ops tvgp__pe_gp_ucb = {
    TVGP__MULTI_PRIOR_UCB_OPS,
    .name = "pe-gp-ucb",
    .doc =
        TVGP__TEXT("several priors, the most optimistic chooses until it is refuted; for an unknown kernel, mean or rate"),
    TVGP__POLICY_TABLES(groups, stats),
    .n_series = TVGP__MULTI_PRIOR_UCB_SERIES,
    TVGP__POLICY_SIZES(tvgp__multi_prior_ucb_config, tvgp__multi_prior_ucb),
    .start = tvgp__multi_prior_ucb_start,
    .ask = ask,
    .take = take};
