/* SPDX-License-Identifier: MIT */
/* The feasible region of a search on a box: bounds, integer coordinates and a set given as a function. Lengths are in
 * lengthscales of the kernel. */
#ifndef TVGP__CHOOSE_SEARCH_SPACE_H
#define TVGP__CHOOSE_SEARCH_SPACE_H

#include "base/context.h"

enum { TVGP__SEARCH_SPACE_MOST = 64 }; /* dimensions */

/* ok[i] = whether X_i (n x dim) may be asked. 0, or a status to be passed on. */
typedef int32_t (*tvgp__search_space_feasible)(void *user, size_t n, const double *X, uint8_t *ok);

/* Points that a model has judged safe. */
typedef struct tvgp__search_space_safe {
    tvgp_status (*keep)(void *of, size_t n, const double *X,
                        uint8_t *ok); /* takes out of `ok` what is not; NULL: all points are */
    void *of;
    size_t n_known; /* points to begin with, which may be asked: n_known x dim */
    const double *known;
} tvgp__search_space_safe;

typedef struct tvgp__search_space {
    tvgp_ctx *ctx;
    size_t dim;
    const double *low, *high;    /* of the domain: results lie on its lattice of 2^-20 of a side */
    const double *lower, *upper; /* of this search, inside; equal: fixed */
    const double *reach;         /* lengthscales */
    const uint8_t *whole;        /* NULL: none */
    tvgp__search_space_feasible feasible;
    void *user;
    tvgp__search_space_safe safe;
} tvgp__search_space;

/* Whether there are points within the bounds that may not be asked. */
static inline int tvgp__search_space_limited(const tvgp__search_space *s) {
    return s->feasible || s->safe.keep;
}

int tvgp__search_space_fixed(const tvgp__search_space *s, size_t d);
int tvgp__search_space_whole(const tvgp__search_space *s, size_t d);

size_t tvgp__search_space_free(const tvgp__search_space *s); /* coordinates that are not fixed */

/* x into the bounds, whole coordinates rounded. */
void tvgp__search_space_clip(const tvgp__search_space *s, double *x);

/* Moves x to the lattice of results, within the bounds. Integer coordinates are on it already. */
void tvgp__search_space_snap(const tvgp__search_space *s, double *x);

/* Square of the distance in lengthscales over the free coordinates. */
double tvgp__search_space_distance(const tvgp__search_space *s, const double *x, const double *z);

/* ok[i] = whether X_i is feasible, which everything is without a function. The function's own status, or CALLBACK. */
tvgp_status tvgp__search_space_test(const tvgp__search_space *s, size_t n, const double *X, uint8_t *ok);

/* Keeps the feasible ones of *n points, in order. Fails as test does. */
tvgp_status tvgp__search_space_keep(const tvgp__search_space *s, size_t *n, double *X);

#endif
