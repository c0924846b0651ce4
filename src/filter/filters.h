/* SPDX-License-Identifier: MIT */
/* A set of filters: its memory, and the columns of all of them at once. */
#ifndef TVGP__FILTER_FILTERS_H
#define TVGP__FILTER_FILTERS_H

#include "filter/filter.h"

#include <stdint.h>

typedef struct tvgp__filters_spec {
    size_t priors;
    const tvgp_kernel *const *kernels;
    const double *const *means; /* entries may be NULL: zero */
    double constant;            /* prior variance of the constant, in mean prior variances of the filter's kernel; 0: none */
    size_t n;
    const double *X;
    double noise;          /* the least that is to be told: the rank depends on it */
    tvgp__basis_rule rule; /* and on this: what the features leave of an arm is noise of its answers */
    size_t ones, twos;     /* filters of one state; of which each may have two */
    /* Filters with a season: the last `seasonal` of every `every` among the first `kinds`; none where it has no period. Of one
     * kernel, and arms that are not shared. */
    tvgp__season season;
    size_t kinds, every, seasonal;
    tvgp__shard *shard; /* the arms are shared: n and X are those here; or NULL */
    int64_t limit;      /* bytes that may be held, also for a while; 0: no limit */
    const char *name;   /* of whom the logger is told what it will cost, where that is much; NULL: of nobody */
} tvgp__filters_spec;

/* Room for ones + twos filters, none started. NOMEM, a kernel's status; LIMIT before more is allocated than `limit`. Collective:
 * what a rank failed at the others hear of at the next tvgp__shard_agree, which must be outside if nobody else failed. */
tvgp_status tvgp__filters_new(tvgp_ctx *ctx, const tvgp__filters_spec *spec, tvgp__filters *out);

void tvgp__filters_free(tvgp__filters *set);

/* Bytes of such filters at rank r; their memory for the rank there is, NOMEM; and where in it everything stands, also at a
 * rank up to `room`. */
double tvgp__filters_bytes(const tvgp__filters *set, size_t r);
int tvgp__filters_seasonal(const tvgp__filters_spec *spec, size_t i); /* whether filter i has a season */
tvgp_status tvgp__filters_allocate(tvgp__filters *set, const tvgp__filters_spec *spec);
void tvgp__filters_place(tvgp__filters *set, const tvgp__filters_spec *spec);

/* `set`, made as `from` was but for more arms (X, the old ones first) and not started, takes over what `from` knows: of one
 * kernel, and prior mean zero. NOMEM, the kernel's status. */
tvgp_status tvgp__filters_extend(const tvgp__filters *from, const tvgp_kernel *kernel, const double *X, tvgp__filters *set);

/* All that changes (base/visit.h). The first `kinds` filters keep law, kernel and noise level for good, the others have those of
 * one of them. */
void tvgp__filters_visit(tvgp__filters *set, size_t kinds, tvgp__visit *v);

/* Looks at an arm: phi, priors, and means of all filters there. Collective. */
void tvgp__filters_look(tvgp__filters *set, size_t arm);

/* Columns of P of filters, in the order of the set, at the arm looked at as it was `age` ago: in weights, and the entries at
 * the arm, which is all that an innovation needs. With age > 0 the observation counts as one of the present,
 * E[f_(now - age) | state now] = h'(f, u), blurred by the rest of the prior variance. */
void tvgp__filters_columns(tvgp__filters *set, size_t n, tvgp__filter *const *list, double age);

/* At all arms, in f->g, as needed to condition some of them. Uses up the columns. */
void tvgp__filters_spread(tvgp__filters *set, size_t n, tvgp__filter *const *list);

#endif
