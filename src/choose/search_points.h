/* SPDX-License-Identifier: MIT */
/* Points that a search tries first, in this order: the centre; the last maximiser; a Kronecker sequence (frac(shift + i
 * g^-k), g the root of g^(d+1) = g + 1: Roberts 2018); the space's own points and observed points of the highest bound,
 * and steps around each. */
#ifndef TVGP__CHOOSE_SEARCH_POINTS_H
#define TVGP__CHOOSE_SEARCH_POINTS_H

#include "base/numbers/random_stream.h"
#include "choose/search_space.h"

/* How many of what, for d free coordinates. */
typedef struct tvgp__search_points_plan {
    size_t raw, supports, moves; /* moves around each support */
    size_t known;                /* points of the space to begin with, each with its moves */
} tvgp__search_points_plan;

tvgp__search_points_plan tvgp__search_points_plan_of(size_t d, double effort);
size_t tvgp__search_points_most(const tvgp__search_points_plan *plan); /* how many there can be */

enum { TVGP__SEARCH_POINTS_FEASIBLE = 32, TVGP__SEARCH_POINTS_TRIED = 16384, TVGP__SEARCH_POINTS_KNOWN = 64 };

/* Fills X (most x dim) with feasible points; *n of them. support: n_support points. last may be NULL. NOTFOUND when nothing
 * is feasible, after TVGP__SEARCH_POINTS_TRIED raw points and all else. */
tvgp_status tvgp__search_points_draw(const tvgp__search_space *s, const tvgp__search_points_plan *plan,
                                     tvgp__random_stream *stream, const double *last, size_t n_support,
                                     const double *support, double *X, size_t *n);

/* The first n points of the sequence, its shift in the middle, with every point of the domain allowed. */
void tvgp__search_points_spread(const tvgp__search_space *s, size_t n, double *X);

#endif
