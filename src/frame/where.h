/* SPDX-License-Identifier: MIT */
/* Points: those of pending queries, and those among which an ask chooses. On arms they are the domain's; elsewhere the policy keeps
 * them (frame/within.h). */
#ifndef TVGP__FRAME_WHERE_H
#define TVGP__FRAME_WHERE_H

#include "frame/policy_ops.h"

/* The points of the pending queries, which move with their tickets; NULL on arms. */
static inline double **tvgp__where_pending(const tvgp_policy *p) {
    tvgp__within *w = p->within;
    return w ? &w->pending : NULL;
}

/* The point of a query. */
const double *tvgp__where_ticket(const tvgp_policy *, const tvgp__ticket *);

/* Stores the point of a new query; does nothing on arms. */
void tvgp__where_keep(tvgp_policy *, const tvgp__ticket *, const double *x);

/* The points among which an ask chooses, *n of them: arms that are here, actions in the context that holds, or candidates. NULL, and
 * *n = 0, on a whole box. */
const double *tvgp__where_choices(const tvgp_policy *, size_t *n);

/* The point of choice i; of shared arms one that is here or was met. */
const double *tvgp__where_choice(const tvgp_policy *, size_t i);

/* Where a search goes in the choice under way (frame/within.h), with what features take out; kernel NULL: the side of the domain is its
 * reach. */
tvgp__space tvgp__where_space(const tvgp_policy *, const tvgp_kernel *, double *reach);

/* Room for `most` more queries. NOMEM. */
tvgp_status tvgp__where_reserve(tvgp_policy *, size_t most);

#endif
