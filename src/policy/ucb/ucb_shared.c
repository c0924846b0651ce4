/* SPDX-License-Identifier: MIT */
/* The family on shared arms. */
#include "base/error.h"
#include "policy/ucb/ucb.h"

static tvgp_status join(tvgp_policy *p) {
    if (((const tvgp__ucb_config *)p->config)->choice.rule == TVGP__CHOICE_THOMPSON)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "policy '%s' with choice=thompson draws all arms together: not on shared arms", p->ops->name);
    if (tvgp__ucb_learner(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' learns its kernel: not on shared arms",
                               p->ops->name);
    return tvgp__posterior_share(((tvgp__ucb *)p->state)->posterior, p->domain, p->ops->name);
}

static tvgp_status finish(tvgp_policy *p, size_t arm, tvgp_status status) {
    tvgp__posterior *posterior = ((tvgp__ucb *)p->state)->posterior;
    if (status == TVGP_OK)
        status = tvgp__posterior_offer_room(posterior);
    tvgp__posterior_offer(posterior, arm);
    TVGP__TRY(tvgp__domain_agree(p->domain, status));
    tvgp__posterior_given(posterior, arm);
    return TVGP_OK;
}

const tvgp__policy_shared tvgp__ucb_shared = {.join = join, .reach = tvgp__ucb_reach, .finish = finish};
