/* SPDX-License-Identifier: MIT */
#include "frame/choose.h"

#include "base/error.h"
#include "search/argmax.h"

#include <float.h>

tvgp__choice tvgp__choose(const tvgp_policy *p, const double *score, const size_t *tag, tvgp__belief *posterior) {
    const tvgp_domain *d = p->domain;
    const uint8_t *mask = p->available.mask;
    const size_t n = tvgp__domain_entries(d);
    size_t rank = 0, place = 0;
    double most = tvgp__argmax_highest(n, score, mask);
    if (d->shard)
        most = tvgp__shard_highest(d->shard, p->available.count ? fmax(most, -DBL_MAX) : -INFINITY, TVGP__ARGMAX_TIE, &rank);
    if (p->available.count)
        place = tvgp__argmax_first(n, score, mask, most);
    double of_it[5] = {score[place], tag ? (double)tag[place] : 0};
    if (posterior)
        tvgp__belief_here(posterior, place, of_it + 2);
    size_t arm = tvgp__shard_send(d->shard, rank, place, d->X, 5, of_it);
    if (posterior && d->shard)
        tvgp__belief_know(posterior, arm, of_it + 2);
    return (tvgp__choice){.arm = arm, .score = of_it[0], .tag = (size_t)of_it[1]};
}

int64_t tvgp__choose_locate(const tvgp_policy *p, const double *x) {
    int64_t arm = p->domain->ops->locate(p->domain, x);
    if (!p->domain->shard)
        return arm;
    double found = (double)arm;
    tvgp__shard_max(p->domain->shard, &found, 1);
    return (int64_t)found;
}

tvgp_status tvgp__choose_at(const tvgp_policy *p, double t, size_t arm, double *mean, double *var) {
    tvgp__shard *shard = p->domain->shard;
    double both[2] = {0, 0};
    TVGP__TRY(p->ops->at(p, t, (size_t)tvgp__shard_owns(shard, arm), &(size_t){tvgp__shard_place(shard, arm)}, &both[0],
                         &both[1])); /* where arms are shared it cannot fail */
    tvgp__shard_give(shard, arm, both, 2);
    *mean = both[0];
    *var = both[1];
    return TVGP_OK;
}
