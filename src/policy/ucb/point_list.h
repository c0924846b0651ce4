/* SPDX-License-Identifier: MIT */
/* A list of arms, points of a box, or actions in measured contexts, each with its arm and its point, so that code that
 * iterates over them need not distinguish these. */
#ifndef TVGP__POLICY_UCB_POINT_LIST_H
#define TVGP__POLICY_UCB_POINT_LIST_H

#include "base/visit.h"
#include "space/domain/domain_ops.h"

typedef struct tvgp__point_list {
    tvgp_ctx *ctx;
    size_t dim, stride; /* coordinates of a point; from point to point, with what the owner has behind them */
    size_t n;
    size_t *arm; /* n: of all arms; SIZE_MAX on a box */
    double *X;   /* n x stride */
    size_t arm_slots, point_slots;
} tvgp__point_list;

/* An empty list, with `behind` numbers behind each point. */
tvgp__point_list tvgp__point_list_of(const tvgp_domain *domain, size_t behind);
void tvgp__point_list_free(tvgp__point_list *list);

/* Makes room for n points in all. NOMEM; the list is then as it was. */
tvgp_status tvgp__point_list_reserve(tvgp__point_list *list, size_t n);

/* Adds a point at the end, for which there must be room. */
void tvgp__point_list_add(tvgp__point_list *list, size_t arm, const double *x);

/* Drops the first point. O(n). */
void tvgp__point_list_drop(tvgp__point_list *list);

/* The coordinates of point i. */
double *tvgp__point_list_point(const tvgp__point_list *list, size_t i);

/* Whether a point of the list has exactly these coordinates. O(n). */
int tvgp__point_list_has(const tvgp__point_list *list, const double *x);

/* Parts of a snapshot (base/visit.h): how many points there are, at most `most`, and then the points. Data that belong to
 * the points are not in it. */
void tvgp__point_list_visit_count(tvgp__point_list *list, const tvgp_domain *domain, size_t most, tvgp__visit *v);
void tvgp__point_list_visit(tvgp__point_list *list, const tvgp_domain *domain, tvgp__visit *v);

#endif
