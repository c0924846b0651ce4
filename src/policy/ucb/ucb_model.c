/* SPDX-License-Identifier: MIT */
/* A policy of the family as the model of a constraint (parts/features/constraints.h), which receives values and is never asked.
 * At an ask of the policy it learns from the values since the last one, as if it were asked itself. If that ask fails,
 * the model is as before. On a box values are not checked for outliers, because only the asked point is predicted there.
 */
#include "base/error.h"
#include "policy/ucb/ucb.h"

int tvgp__ucb_prunes(const tvgp_policy *p, int64_t since) {
    return ((const tvgp__ucb *)p->state)->box_search &&
           p->counts.unsolicited / TVGP__UCB_PRUNE_EVERY != since / TVGP__UCB_PRUNE_EVERY;
}

/* Values count as its asks. */
static tvgp_status maintain(tvgp_policy *p, int64_t since, tvgp__maintenance what) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__points none = {0};
    tvgp__learner *l = tvgp__ucb_learner(p);
    if (what == TVGP__MAINTAIN_BEGIN)
        return l ? tvgp__learner_step(l, p->counts.unsolicited, 0, &none) : tvgp__time_unit_reach(p);
    if (l)
        tvgp__learner_end(l, what == TVGP__MAINTAIN_KEEP ? TVGP_OK : TVGP_ERR_INTERRUPTED);
    if (what == TVGP__MAINTAIN_UNDO)
        return TVGP_OK;
    tvgp__time_unit_finish(p);
    if (tvgp__ucb_prunes(p, since))
        tvgp__posterior_prune_quietly(tvgp__ucb_posterior(p), c->box.tolerance, tvgp__ucb_noise(p) / (l ? l->scale : 1));
    return TVGP_OK;
}

/* A learner creates its posteriors by the policy. */
static void rebind(tvgp_policy *p) {
    tvgp__learner *l = tvgp__ucb_learner(p);
    if (l)
        l->spec.arg = p;
}

const tvgp__policy_model tvgp__ucb_model = {
    .maintain = maintain, .noise = tvgp__ucb_outcome_noise, .posterior = tvgp__ucb_posterior, .rebind = rebind};

const tvgp__policy_learns tvgp__ucb_learns = {.make_kernel = tvgp__learn_make_kernel,
                                              .fit = tvgp__learn_fit,
                                              .kernel_in_use = tvgp__learn_kernel,
                                              .rebuild = tvgp__ucb_rebuild};
