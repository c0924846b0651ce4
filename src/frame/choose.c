/* SPDX-License-Identifier: MIT */
#include "frame/choose.h"

#include "base/error.h"
#include "search/argmax.h"

#include <float.h>

enum { NUMBERS = 6 };

/* What goes with an arm. */
static void tell(const tvgp_policy *p, const double *score, const size_t *tag,
                 tvgp__belief *(*whose)(const tvgp_policy *, size_t tag), size_t place, double out[NUMBERS]) {
    const size_t of = tag ? tag[place] : 0;
    out[0] = score[place];
    out[1] = (double)of;
    if (!p->domain->shard)
        return;
    out[2] = tvgp__mean_at(&p->mean, place);
    if (whose)
        tvgp__belief_here(whose(p, of), place, out + 3);
}

/* The first arm that ties with the best of this rank as a rule does so with that of all. */
tvgp__choice tvgp__choose(tvgp_policy *p, const double *score, const size_t *tag,
                          tvgp__belief *(*whose)(const tvgp_policy *, size_t tag)) {
    const tvgp_domain *d = p->domain;
    const uint8_t *mask = p->available.mask;
    const size_t n = tvgp__domain_entries(d);
    const int any = p->available.count > 0;
    double most = tvgp__argmax_highest(n, score, mask), of_it[NUMBERS] = {0};
    size_t place = any ? tvgp__argmax_first(n, score, mask, most) : 0, arm = place, rank;
    tell(p, score, tag, whose, place, of_it);
    if (d->shard) {
        const double value = any ? fmax(most, -DBL_MAX) : -INFINITY, tied = most > -DBL_MAX ? of_it[0] : -INFINITY;
        of_it[0] = tied; /* a score may be no number */
        arm = tvgp__shard_best(d->shard, value, TVGP__ARGMAX_TIE, tied, place, NUMBERS, of_it, &most, &rank);
        if (arm == SIZE_MAX) {
            place = any ? tvgp__argmax_first(n, score, mask, most) : 0;
            tell(p, score, tag, whose, place, of_it);
            arm = tvgp__shard_send(d->shard, rank, place, NUMBERS, of_it);
        }
        tvgp__mean_know(&p->mean, arm, of_it[2]);
        of_it[1] = (double)tvgp__shard_index(d->shard, of_it[1], tag ? (double)p->n_priors : 1);
        if (whose)
            tvgp__belief_know(whose(p, (size_t)of_it[1]), arm, of_it + 3);
    }
    return (tvgp__choice){.arm = arm, .score = of_it[0], .tag = (size_t)of_it[1]};
}

tvgp__choice tvgp__choose_action(tvgp_policy *p, const double *score, const size_t *tag,
                                 tvgp__belief *(*whose)(const tvgp_policy *, size_t tag)) {
    tvgp__choice best = tvgp__choose(p, score, tag, whose);
    best.score += tvgp__switch_charged(p, best.arm);
    return best;
}

int64_t tvgp__choose_locate(const tvgp_policy *p, const double *x) {
    int64_t arm = p->domain->ops->locate(p->domain, x);
    if (!p->domain->shard)
        return arm;
    double found = (double)arm;
    tvgp__shard_max(p->domain->shard, &found, 1);
    return found < 0 ? -1 : (int64_t)tvgp__shard_index(p->domain->shard, found, (double)p->domain->total);
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
