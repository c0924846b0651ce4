/* SPDX-License-Identifier: MIT */
/* A list of places: arms, points of a box, or actions in measured contexts, each with its arm and its point, so that who goes
 * through them need not know which they are. */
#ifndef TVGP__PLAY_PLACES_H
#define TVGP__PLAY_PLACES_H

#include "base/visit.h"
#include "domain/domain_ops.h"

typedef struct tvgp__places {
    tvgp_ctx *ctx;
    size_t dim, stride; /* coordinates of a point; from point to point, with what the owner has behind them */
    size_t n;
    size_t *arm; /* n: of all arms; SIZE_MAX on a box */
    double *X;   /* n x stride */
    size_t arm_slots, point_slots;
} tvgp__places;

/* An empty list, with `behind` numbers behind each point. */
tvgp__places tvgp__places_of(const tvgp_domain *domain, size_t behind);
void tvgp__places_free(tvgp__places *list);

/* Makes room for n places in all. NOMEM; the list is then as it was. */
tvgp_status tvgp__places_reserve(tvgp__places *list, size_t n);

/* Adds a place at the end, for which there must be room. */
void tvgp__places_add(tvgp__places *list, size_t arm, const double *x);

/* Drops the first place. O(n). */
void tvgp__places_drop(tvgp__places *list);

/* The coordinates of place i. */
double *tvgp__places_point(const tvgp__places *list, size_t i);

/* Whether a place of the list has exactly these coordinates. O(n). */
int tvgp__places_has(const tvgp__places *list, const double *x);

/* Parts of a snapshot (base/visit.h): how many places there are, at most `most`, and then the places. What is behind the points
 * is not in it. */
void tvgp__places_visit_count(tvgp__places *list, const tvgp_domain *domain, size_t most, tvgp__visit *v);
void tvgp__places_visit(tvgp__places *list, const tvgp_domain *domain, tvgp__visit *v);

#endif
