/* SPDX-License-Identifier: MIT */
/* The choice among the arms of all ranks, and access to single entries of vectors over them (protocol/across_ranks.h). */
#include "protocol/across_ranks.h"

#include "base/error.h"
#include "choose/rule.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The first of its scores that ties with `most`. */
static void look(const tvgp_policy *p, tvgp__chosen *best, double most, const tvgp__posterior *posterior) {
    const size_t n = tvgp__policy_choices(p);
    const int in_unit = posterior && !p->terms.offsets.factor; /* a payoff has another unit than the process */
    const double scale = in_unit ? sqrt(posterior->largest * posterior->unit) : INFINITY;
    best->index = p->available.count > 0 ? tvgp__rule_first(n, best->scores, p->available.mask, most, scale) : 0;
    best->score = best->scores[best->index];
    best->offset = p->terms.offsets.offset ? p->terms.offsets.offset[best->index] : 0;
}

void tvgp__across_ranks_here(const tvgp_policy *p, const double *score, const tvgp__posterior *posterior,
                             tvgp__chosen *best) {
    best->net = tvgp__rule_most(tvgp__policy_choices(p), score, p->available.mask);
    best->scores = score;
    look(p, best, best->net, posterior);
}

enum { NUMBERS = 7 };

/* The numbers sent to all ranks: score, prior, prior mean, offset, and the moments of the posterior. */
static void pack(const tvgp_policy *p, const tvgp__chosen *best, const tvgp__posterior *posterior, double out[NUMBERS]) {
    const double of_it[NUMBERS] = {best->score, best->prior, tvgp__mean_function_at(&p->mean, best->index), best->offset};
    memcpy(out, of_it, sizeof of_it);
    if (posterior)
        tvgp__posterior_here(posterior, best->index, out + 4);
}

/* The first arm that ties with the best of this rank as a rule does so with that of all. */
size_t tvgp__across_ranks_agree(tvgp_policy *p, tvgp__chosen *best,
                                tvgp__posterior *(*whose)(const tvgp_policy *, size_t prior)) {
    tvgp__shard *shard = p->domain->shard;
    double of_it[NUMBERS], most;
    size_t rank;
    if (!shard)
        return best->index;
    const tvgp__posterior *posterior = whose ? whose(p, best->prior) : NULL;
    const double value = p->available.count > 0 ? fmax(best->net, -DBL_MAX) : -INFINITY;
    pack(p, best, posterior, of_it);
    of_it[0] = best->net > -DBL_MAX ? best->score : -INFINITY; /* a score may be no number */
    size_t arm = tvgp__shard_best(shard, value, TVGP__RULE_TIE, of_it[0], best->index, NUMBERS, of_it, &most, &rank);
    if (arm == SIZE_MAX) {
        if (best->scores)
            look(p, best, most, posterior);
        pack(p, best, posterior, of_it);
        arm = tvgp__shard_send(shard, rank, best->index, NUMBERS, of_it);
    }
    best->index = arm;
    best->score = of_it[0];
    best->offset = of_it[3];
    best->prior = (uint32_t)tvgp__shard_index(shard, of_it[1], p->priors.n ? (double)p->priors.n : 1);
    tvgp__mean_function_know(&p->mean, arm, of_it[2]);
    if (whose)
        tvgp__posterior_know(whose(p, best->prior), arm, of_it + 4);
    return arm;
}

int64_t tvgp__across_ranks_locate(const tvgp_policy *p, const double *x) {
    double found = (double)p->domain->ops->locate(p->domain, x);
    tvgp__domain_max(p->domain, &found, 1);
    return found < 0 ? -1 : (int64_t)tvgp__shard_index(p->domain->shard, found, (double)p->domain->total);
}

tvgp_status tvgp__across_ranks_at(const tvgp_policy *p, double t, size_t arm, double *mean, double *var) {
    tvgp__shard *shard = p->domain->shard;
    double both[2] = {0, 0};
    TVGP__TRY(p->ops->at(p, t, (size_t)tvgp__shard_owns(shard, arm), &(size_t){tvgp__shard_local(shard, arm)}, &both[0],
                         &both[1])); /* where arms are shared it cannot fail */
    tvgp__shard_give(shard, arm, both, 2);
    *mean = both[0];
    *var = both[1];
    return TVGP_OK;
}
