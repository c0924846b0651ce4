/* SPDX-License-Identifier: MIT */
/* Maximises a score over a box: many candidates, local ascents from the best that are apart from each other, unit steps
 * in integer coordinates, and random search from the best points if a set is given as a function. Error rates are in
 * docs/theory/search.md.
 *
 *  1  candidates (choose/search_points.h)
 *  2  starts: 16 min(d, 4) candidates, best score first, each farther than .1 sqrt(d) lengthscales from those taken. Scores
 *     are computed in the order of an upper bound, until it falls below the last start: the same starts at less cost
 *  3  with a set: from the best 8, 40 rounds of 16 random points around each; with constraints from the best 3, until 1e-4
 *     lengthscales apart, and only points with a higher score are tested
 *  4  ascents (choose/ascent.h); from the best 8 each coordinate is tried at both ends of its side, greedily, followed by
 *     another ascent if that gained: in many dimensions the maxima lie in corners
 *  5  integer coordinates: from the best 16, +-1 steps until none is better, then another ascent of the rest
 *  6  the best; of those within 1e-9 of the scale the lowest start; on the lattice of 2^-20 of a side */
#ifndef TVGP__CHOOSE_SEARCH_H
#define TVGP__CHOOSE_SEARCH_H

#include "base/options.h"
#include "choose/ascent.h"
#include "choose/search_points.h"

typedef struct tvgp__search_config {
    double effort;
} tvgp__search_config;
enum { TVGP__SEARCH_OPTIONS = 1 };
extern const tvgp__option tvgp__search_options[TVGP__SEARCH_OPTIONS];

typedef struct tvgp__search {
    tvgp__search_space space;
    tvgp__ascent_target target;
    /* OPTIONAL: at least the score, for less work; user is the target's. */
    tvgp_status (*bound)(void *user, size_t m, const double *Z, double *bound);
    size_t n_support;
    const double *support; /* observed points */
    const double *last;    /* the last maximiser, or NULL */
    uint64_t seed, step;
} tvgp__search;

/* x (dim), which is within bounds and set, and its score, which is a number. NOTFOUND when nothing feasible is found, NUMERIC
 * when no score is a number; NOMEM, LIMIT, and whatever the functions return. */
tvgp_status tvgp__search_run(const tvgp__search_config *config, const tvgp__search *problem, double *x, double *score);

/* NUMERIC, with its message. */
tvgp_status tvgp__search_none(tvgp_ctx *ctx);

#endif
