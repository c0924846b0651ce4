/* SPDX-License-Identifier: MIT */
/* What a policy of the family does as the model of a limit (frame/limits.h), which is told and never asked: every tell does what an ask
 * would do for what it believes. On a box answers are not watched for outliers, as only what is asked is predicted there. */
#include "base/error.h"
#include "play/ucb.h"

/* The answers count as its asks. */
static tvgp_status learn(tvgp_policy *p) {
    const tvgp__points none = {0};
    tvgp__learned *l = tvgp__ucb_learned(p), before;
    if (!l)
        return TVGP_OK;
    TVGP__TRY(tvgp__learned_step(l, p->unsolicited, 0, &none, &before));
    tvgp__learned_end(l, &before, TVGP_OK);
    return TVGP_OK;
}

/* The unit of time, as an ask at the present would find it. */
static tvgp_status pace(tvgp_policy *p, double t) {
    tvgp__pace_mark before;
    if (tvgp__domain_is(p->domain) == TVGP__ARMS) {
        tvgp__pace_ask(p, t);
        return TVGP_OK;
    }
    if (!((const tvgp__ucb *)p->state)->pace)
        return TVGP_OK;
    TVGP__TRY(tvgp__pace_open(p, t, &before));
    tvgp__pace_close(p, t, &before, TVGP_OK);
    return TVGP_OK;
}

void tvgp__ucb_tend(tvgp_policy *p) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__learned *l = tvgp__ucb_learned(p);
    tvgp_status status = learn(p);
    if (status == TVGP_OK)
        status = pace(p, p->clock);
    if (status < 0)
        tvgp__error_forget(p->ctx, status);
    if (tvgp__domain_is(p->domain) != TVGP__ARMS && p->unsolicited % TVGP__UCB_PRUNE_EVERY == 0)
        tvgp__belief_prune(tvgp__ucb_inner(p), c->box.tolerance, tvgp__ucb_noise(p) / (l ? l->scale : 1));
}

tvgp_status tvgp__ucb_covariance(tvgp_policy *p, double t, size_t m, const size_t *arm, double *out) {
    return tvgp__belief_covariance(((tvgp__ucb *)p->state)->posterior, t, m, arm, out);
}

/* What learns makes its posteriors by the policy. */
void tvgp__ucb_moved(tvgp_policy *p) {
    tvgp__learned *l = tvgp__ucb_learned(p);
    if (l)
        l->spec.arg = p;
}

tvgp_status tvgp__ucb_freeze(tvgp_policy *p, double t) {
    return tvgp__belief_freeze(((tvgp__ucb *)p->state)->posterior, t);
}

void tvgp__ucb_thaw(tvgp_policy *p) {
    tvgp__belief_thaw(((tvgp__ucb *)p->state)->posterior);
}
