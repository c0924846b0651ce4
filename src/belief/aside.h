/* SPDX-License-Identifier: MIT */
/* What the recursive posterior keeps aside for its change from columns to weights: everything the change needs, so that it
 * cannot fail when it comes, and the weights themselves, which take in the columns in instalments, the oldest first. What
 * happens meanwhile to columns that are in the weights already must happen to these too. */
#ifndef TVGP__BELIEF_ASIDE_H
#define TVGP__BELIEF_ASIDE_H

#include "gp/columns.h"
#include "gp/late.h"
#include "gp/weights.h"

typedef struct tvgp__aside {
    tvgp__weights weights;
    tvgp__late late; /* limit 0: none is kept */
    tvgp__law law;
    size_t limit; /* of late */
    size_t stage; /* of what there must be; TVGP__ASIDE_READY: all */
    size_t share; /* columns at a time */
    size_t done;  /* the oldest columns, which are in the weights */
    double *U;    /* r x share: workspace */
} tvgp__aside;

enum { TVGP__ASIDE_READY = 2 };

/* Of the rank a complete search has found, which must end or begin again. NOMEM. Of shared arms: collective, the same on all ranks. */
tvgp_status tvgp__aside_new(tvgp__basis_search *rank, const tvgp__law *law, size_t late_limit, tvgp__aside **out);

/* The next stage; of few arms all come with the first. NOMEM. */
tvgp_status tvgp__aside_prepare(tvgp__aside *a);
void tvgp__aside_free(tvgp_ctx *ctx, tvgp__aside *a);

/* When it is ready one instalment, or all. 1: R of the columns is in the weights; in late are the last observations and the states before and
 * after them. Collective. */
int tvgp__aside_fill(tvgp__aside *a, const tvgp__columns *c, int all, const double *arm_mean, double now);

/* A step of time, in which the oldest `dropped` columns went; and columns change that are in the weights: they come anew. */
void tvgp__aside_move(tvgp__aside *a, double m, size_t dropped);
void tvgp__aside_clear(tvgp__aside *a);

/* Weights and how far they have come (base/visit.h). */
void tvgp__aside_visit(tvgp__aside *a, const tvgp__columns *c, tvgp__visit *v);

#endif
