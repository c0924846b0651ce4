/* SPDX-License-Identifier: MIT */
/* What the recursive posterior keeps aside for its change from columns to weights: everything the change needs, so that it
 * cannot fail when it comes. */
#ifndef TVGP__BELIEF_ASIDE_H
#define TVGP__BELIEF_ASIDE_H

#include "gp/columns.h"
#include "gp/late.h"
#include "gp/weights.h"

typedef struct tvgp__aside {
    tvgp__weights weights;
    tvgp__late late; /* limit 0: none is kept */
    double *U;       /* room for the columns in weights */
} tvgp__aside;

/* Of the rank a complete search has found, for so many columns. NOMEM. Of shared arms: collective, the same on all ranks. */
tvgp_status tvgp__aside_new(const tvgp__basis_search *rank, size_t columns, const tvgp__law *law, size_t late_limit,
                            tvgp__aside **out);
void tvgp__aside_free(tvgp_ctx *ctx, tvgp__aside *a);

/* The columns' R in the weights; in late the last observations and the states before and after them. Collective. */
void tvgp__aside_fill(tvgp__aside *a, const tvgp__columns *c, const double *arm_mean, double now);

#endif
