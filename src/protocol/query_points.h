/* SPDX-License-Identifier: MIT */
/* Points of pending queries, and those among which an ask chooses. On arms they are the domain's; elsewhere the policy
 * stores them (protocol/actions/action_set.h). */
#ifndef TVGP__PROTOCOL_QUERY_POINTS_H
#define TVGP__PROTOCOL_QUERY_POINTS_H

#include "protocol/policy_ops.h"

/* The points of the pending queries, in the same order; NULL on arms. */
static inline double **tvgp__query_points_pending(const tvgp_policy *p) {
    tvgp__action_set *w = p->within;
    return w ? &w->pending : NULL;
}

/* The point of a query. */
const double *tvgp__query_points_ticket(const tvgp_policy *, const tvgp__ticket *);

/* Stores the point of a new query; does nothing on arms. */
void tvgp__query_points_keep(tvgp_policy *, const tvgp__ticket *, const double *x);

/* The points among which an ask chooses, *n of them: arms that are here, actions in the context that holds, or candidates. NULL, and
 * *n = 0, on a whole box. */
const double *tvgp__query_points_choices(const tvgp_policy *, size_t *n);

/* The point of choice i; of shared arms one that is here or was met. */
const double *tvgp__query_points_choice(const tvgp_policy *, size_t i);

/* Where a search goes in the choice under way (protocol/actions/action_set.h), with what features take out; kernel NULL: the side of the domain is its
 * reach. */
tvgp__search_space tvgp__query_points_space(const tvgp_policy *, const tvgp_kernel *, double *reach);

/* Room for `most` more queries. NOMEM. */
tvgp_status tvgp__query_points_reserve(tvgp_policy *, size_t most);

#endif
