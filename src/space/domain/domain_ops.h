/* SPDX-License-Identifier: MIT */
/* Domains behind one ops table. A finite domain holds its points as one n x dim array: everything a posterior on arms
 * needs. A box has no arms: n is 0, X is NULL, lower and upper are set. The same holds for arms times a box, whose arms
 * have an index (total) but no point until the context is known. */
#ifndef TVGP__SPACE_DOMAIN_DOMAIN_OPS_H
#define TVGP__SPACE_DOMAIN_DOMAIN_OPS_H

#include "base/shard.h"
#include "base/visit.h"
#include "tvgp/domain.h"

typedef struct tvgp__domain_ops {
    const char *type; /* what a snapshot calls it */
    /* OPTIONAL: its members; a visitor that loads makes *domain from them by the domain's own constructor. */
    void (*visit)(tvgp__visit *, tvgp_domain **domain);
    /* Index of the arm at x, or -1 where it is not, or another rank holds it: exact comparison, lowest index. */
    int64_t (*locate)(tvgp_domain *, const double *x);
    /* OPTIONAL: whether x may be asked, for a domain without arms. */
    int (*contains)(const tvgp_domain *, const double *x);
    /* OPTIONAL: releases what the domain holds, not the domain itself. */
    void (*release)(tvgp_domain *);
} tvgp__domain_ops;

/* First member of every domain. */
struct tvgp_domain {
    tvgp_ctx *ctx;
    const tvgp__domain_ops *ops;
    size_t n, dim;
    double *X;          /* n x dim */
    tvgp__shard *shard; /* how arms are shared; or NULL */
    size_t total;       /* arms that queries name, on all ranks: n when nothing is shared; of arms times a box the arms */
    int shared;         /* the arms are distributed over processes: n and X are of this one */
    int indices;        /* points are names, without distances */
    const double *lower, *upper; /* of a domain without points of its own, dim each; otherwise NULL */
    const double *scale; /* of the same: both corners and the middle, of arms times a box with each (n_scale x dim), at which
                            variances are looked up */
    size_t n_scale;
    const uint8_t *whole; /* of the same: which coordinates take whole numbers */
    size_t references;
};

/* Where a policy plays: at points of the domain's own, of which a posterior keeps moments; anywhere between bounds, where no arm has
 * a number; or neither, at arms that have points once the rest of them is known (space/domain/product.h). */
static inline int tvgp__domain_has_arms(const tvgp_domain *domain) {
    return domain->n > 0;
}
static inline int tvgp__domain_is_box(const tvgp_domain *domain) {
    return !domain->total;
}

/* The coordinates that an observation stores: none where it names an arm. */
static inline size_t tvgp__domain_stored(const tvgp_domain *domain) {
    return domain->n ? 0 : domain->dim;
}

/* What has one value for each arm (masks, means) has as many entries here: 0 on a box. */
static inline size_t tvgp__domain_entries(const tvgp_domain *domain) {
    return domain->n ? domain->n : domain->total;
}

/* ---- shared arms: operations of all processes (ranks) together; no operation on another domain ------------------------- */

/* The worst status of all ranks, on all of them; without failure this rank's own. Collective. */
static inline tvgp_status tvgp__domain_agree(const tvgp_domain *domain, tvgp_status own) {
    return tvgp__shard_agree(domain->shard, own);
}
/* Around work in which the ranks agree before common operations (base/shard.h). */
static inline void tvgp__domain_begin(const tvgp_domain *domain) {
    tvgp__shard_begin(domain->shard);
}
static inline tvgp_status tvgp__domain_end(const tvgp_domain *domain, tvgp_status status) {
    return tvgp__shard_end(domain->shard, status);
}
/* The status of a collective call that failed before. */
static inline tvgp_status tvgp__domain_heard(const tvgp_domain *domain) {
    return tvgp__shard_heard(domain->shard);
}
/* The largest of the ranks' values, each of n. Collective. */
static inline void tvgp__domain_max(const tvgp_domain *domain, double *values, size_t n) {
    tvgp__shard_max(domain->shard, values, n);
}
/* The number of the arm at an index here. */
static inline size_t tvgp__domain_arm(const tvgp_domain *domain, size_t index) {
    return tvgp__shard_arm(domain->shard, index);
}
/* The point of an arm that is here or was met. Meets an arm, for which there must be room: its point becomes known on all ranks
 * (collective). Room for `more` arms to be met: NOMEM. */
static inline const double *tvgp__domain_point(const tvgp_domain *domain, size_t arm) {
    return tvgp__shard_point(domain->shard, domain->X, domain->dim, arm);
}
static inline void tvgp__domain_meet(const tvgp_domain *domain, size_t arm) {
    tvgp__shard_meet(domain->shard, domain->X, arm);
}
static inline tvgp_status tvgp__domain_room(const tvgp_domain *domain, size_t more) {
    return tvgp__shard_room(domain->shard, more);
}

/* Allocates a domain struct of `size` bytes with its X, checks n and dim: ARG, DIM, LIMIT, NOMEM. */
tvgp_status tvgp__domain_new(tvgp_ctx *ctx, const tvgp__domain_ops *ops, size_t n, size_t dim, size_t size, void *out);
tvgp_domain *tvgp__domain_retain(const tvgp_domain *domain);
void tvgp__domain_release(tvgp_domain *domain);

#endif
