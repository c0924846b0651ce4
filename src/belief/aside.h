/* SPDX-License-Identifier: MIT */
/* Spreads the change of the recursive posterior from columns to weights over many steps, so that no step is long and none can
 * fail. Everything the change needs is kept aside, and so are the weights, which take in the columns in instalments, the oldest
 * first. What happens meanwhile to columns that are in the weights already must happen to these too. */
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
    size_t as_of; /* observations when the stage came, from 1: a call that failed after that has not brought the next */
    double *U;    /* r x share: workspace */
} tvgp__aside;

enum { TVGP__ASIDE_READY = 2 };

/* Begins, with the rank that a complete search has found, which must end or begin again. NOMEM. On shared arms it is collective,
 * the same on all ranks. */
tvgp_status tvgp__aside_new(tvgp__basis_search *rank, const tvgp__law *law, size_t late_limit, tvgp__aside **out);

/* Allocates what the next stage needs; where arms are few all stages come with the first. NOMEM. */
tvgp_status tvgp__aside_prepare(tvgp__aside *a);
void tvgp__aside_free(tvgp_ctx *ctx, tvgp__aside *a);

/* Takes in one instalment when it is ready, or all. Returns 1 when R of the columns is in the weights, and in late are the last
 * observations with the states before and after them. Collective. */
int tvgp__aside_fill(tvgp__aside *a, const tvgp__columns *c, int all, const double *arm_mean, double now);

/* Takes a step of time, in which the oldest `dropped` columns went. */
void tvgp__aside_move(tvgp__aside *a, double m, size_t dropped);
/* Starts again, because columns changed that were in the weights. */
void tvgp__aside_clear(tvgp__aside *a);

/* Saves the weights and how far they have come (base/visit.h). */
void tvgp__aside_visit(tvgp__aside *a, const tvgp__columns *c, tvgp__visit *v);

#endif
