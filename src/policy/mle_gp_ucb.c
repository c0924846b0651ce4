/* SPDX-License-Identifier: MIT */
/* MLE-GP-UCB (Ziomek, Adachi, Osborne, sec. 7): at each step the prior with the highest log marginal likelihood chooses;
 * with weights, the one with the highest posterior probability. */
#include "base/error.h"
#include "policy/builtin.h"
#include "policy/priors/multi_prior_ucb.h"

#include <math.h>

/* Evidences that agree to round-off count as tied: lowest index. */
static size_t most_likely(const tvgp__models *m) {
    size_t best = 0;
    for (size_t i = 1; i < m->count; i++) {
        double e = tvgp__models_log_posterior(m, i), top = tvgp__models_log_posterior(m, best);
        if (e > top + 1e-12 * fabs(top))
            best = i;
    }
    return best;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    (void)cap;
    *n = 1;
    return tvgp__multi_prior_ucb_ask_one(p, t, most_likely(&((tvgp__multi_prior_ucb *)p->state)->models), out);
}

static const tvgp__stat_group stats[] = {TVGP__MULTI_PRIOR_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__MULTI_PRIOR_UCB_GROUPS};

const tvgp__policy_ops tvgp__mle_gp_ucb = {
    TVGP__MULTI_PRIOR_UCB_OPS,
    .name = "mle-gp-ucb",
    .doc =
        TVGP__TEXT("several priors, the one of highest marginal likelihood chooses; a baseline, may settle on a wrong one"),
    TVGP__POLICY_TABLES(groups, stats),
    .n_series = TVGP__MULTI_PRIOR_UCB_ALL_ALIVE,
    TVGP__POLICY_SIZES(tvgp__multi_prior_ucb_config, tvgp__multi_prior_ucb),
    .start = tvgp__multi_prior_ucb_start,
    .ask = ask,
    .take = tvgp__multi_prior_ucb_take};
