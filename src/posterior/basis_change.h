/* SPDX-License-Identifier: MIT */
/* Changes the recursive posterior (posterior/recursive.h) from one column per observation to weights, whose size is
 * constant. The change would be one long step, so it is spread over many. New weights are built next to the columns in
 * use, and each step adds the next few columns to them, oldest first. A column that was added and then changes (time
 * passes, delayed feedback is inserted before it) changes in the weights as well. */
#ifndef TVGP__POSTERIOR_BASIS_CHANGE_H
#define TVGP__POSTERIOR_BASIS_CHANGE_H

#include "gp/columns.h"
#include "gp/delayed.h"
#include "gp/weight_space.h"

typedef struct tvgp__basis_change {
    tvgp__weight_space weights;
    tvgp__delayed late; /* limit 0: none is kept */
    tvgp__drift law;
    size_t limit; /* of late */
    size_t stage; /* how much of its memory has been allocated; TVGP__BASIS_CHANGE_READY: all of it */
    size_t share; /* columns that one step adds */
    size_t done;  /* how many of the columns, from the oldest on, have been added to the weights */
    /* 1 + number of observations when `stage` was reached: the next stage waits for another observation, so that a call that
     * fails and is repeated does not advance twice. */
    size_t as_of;
    double *U; /* r x share: workspace */
} tvgp__basis_change;

enum { TVGP__BASIS_CHANGE_READY = 2 };

/* Starts the change of a posterior from columns to weights. `rank` is a complete search (feature/basis.h), which has
 * found how many weights are needed; it is used up. On shared arms all ranks call it together. NOMEM. */
tvgp_status tvgp__basis_change_new(tvgp__basis_search *rank, const tvgp__drift *law, size_t late_limit,
                                   tvgp__basis_change **out);

/* Allocates a part of the memory of the new weights at each call, so that no single step allocates all of it; with few
 * arms the first call does. Call it before a step until `stage` is TVGP__BASIS_CHANGE_READY. NOMEM. */
tvgp_status tvgp__basis_change_prepare(tvgp__basis_change *a);
/* Gives up the change, or what is left of one that has come to its end. */
void tvgp__basis_change_free(tvgp_ctx *ctx, tvgp__basis_change *a);

/* Adds the next `share` columns to the weights, or with `all` every remaining one. Returns 1 when none remains: the
 * weights then hold the same posterior as the columns, and `late` the data for delayed feedback. On shared arms all
 * ranks call it together. */
int tvgp__basis_change_fill(tvgp__basis_change *a, const tvgp__columns *c, int all, const double *arm_mean, double now);

/* Applies to the new weights the step of time just applied to the columns: the drift model multiplied the mean by m, and
 * the oldest `dropped` columns were dropped. */
void tvgp__basis_change_move(tvgp__basis_change *a, double m, size_t dropped);
/* Empties the weights, because columns that had been added have changed; adding starts from the oldest again. */
void tvgp__basis_change_clear(tvgp__basis_change *a);

/* Saves the weights and how far they have come (base/visit.h). */
void tvgp__basis_change_visit(tvgp__basis_change *a, const tvgp__columns *c, tvgp__visit *v);

#endif
