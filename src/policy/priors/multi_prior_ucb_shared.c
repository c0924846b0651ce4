/* SPDX-License-Identifier: MIT */
/* Several priors on shared arms: what they need of an arm travels together. */
#include "base/error.h"
#include "policy/priors/multi_prior_ucb.h"

#include <math.h>

static tvgp_status join(tvgp_policy *p) {
    const tvgp__models *m = &((const tvgp__multi_prior_ucb *)p->state)->models;
    for (size_t i = 0; i < m->count; i++)
        TVGP__TRY(tvgp__posterior_share(m->list[i].posterior, p->domain, p->ops->name));
    return TVGP_OK;
}

/* What an outcome reads of its arm in addition to the posteriors: the mixture's prediction, and the mean of each prior.
 */
static double *offer(tvgp_policy *p, size_t arm, int filled) {
    const tvgp__models *m = &((const tvgp__multi_prior_ucb *)p->state)->models;
    tvgp__shard *shard = p->domain->shard;
    double *out = arm == SIZE_MAX ? NULL : tvgp__shard_ride(shard, 2 + m->count);
    if (!out || !filled || !tvgp__shard_owns(shard, arm))
        return out;
    const size_t index = tvgp__shard_local(shard, arm);
    (void)tvgp__multi_prior_ucb_at(p, fmax(p->work.answers->t, m->now), 1, &index, &out[0], &out[1]);
    for (size_t i = 0; i < m->count; i++)
        out[2 + i] = tvgp__mean_function_at(&p->priors.items[i].mean, index);
    return out;
}

static void given(tvgp_policy *p, size_t arm, const double *in) {
    tvgp__multi_prior_ucb *s = p->state;
    s->next.is = in != NULL;
    if (!in)
        return;
    s->next.mean = in[0];
    s->next.var = in[1];
    for (size_t i = 0; i < s->models.count; i++)
        tvgp__mean_function_know(&p->priors.items[i].mean, arm, in[2 + i]);
}

static tvgp_status finish(tvgp_policy *p, size_t arm, tvgp_status status) {
    tvgp__multi_prior_ucb *s = p->state;
    const tvgp__models *m = &s->models;
    const int filled = status == TVGP_OK;
    for (size_t i = 0; i < m->count && status == TVGP_OK; i++)
        if (m->list[i].posterior)
            status = tvgp__posterior_offer_room(m->list[i].posterior);
    if (status == TVGP_OK)
        status = tvgp__shard_ride_room(p->domain->shard, 2 + m->count);
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            tvgp__posterior_offer(m->list[i].posterior, arm);
    const double *in = offer(p, arm, filled);
    TVGP__TRY(tvgp__shard_agree(p->domain->shard, status));
    given(p, arm, in);
    for (size_t i = 0; i < m->count; i++)
        if (m->list[i].posterior)
            tvgp__posterior_given(m->list[i].posterior, arm);
    return TVGP_OK;
}

const tvgp__policy_shared tvgp__multi_prior_ucb_shared = {
    .join = join, .reach = tvgp__multi_prior_ucb_reach, .finish = finish};
