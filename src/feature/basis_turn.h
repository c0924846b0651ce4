/* SPDX-License-Identifier: MIT */
/* Moves a posterior in weight space from the basis of some arms to the basis of more (feature/basis.h), when arms are added.
 * A function of weights w in the old features has the values V w at points, V = k(points, old pivots) L^-T, and so the
 * weights T w in the new ones, T = L'^-1 V of the new pivots. What the old basis left out of the new arms keeps its
 * prior. The information that observations had about it, a covariance of at most the root of both remainders, is lost. */
#ifndef TVGP__FEATURE_BASIS_TURN_H
#define TVGP__FEATURE_BASIS_TURN_H

#include "feature/basis.h"

typedef struct tvgp__basis_turn {
    tvgp_ctx *ctx;
    size_t r, r2, more; /* old and new rank; new arms */
    double *V;          /* r x more: old features of the new arms */
    double *T;          /* r2 x r */
    double *work;
} tvgp__basis_turn;

/* X: the points of all arms, the old ones first. NOMEM, the kernel's status. */
tvgp_status tvgp__basis_turn_new(const tvgp__basis *old, const tvgp__basis *fresh, const tvgp_kernel *kernel,
                                 const double *X, tvgp__basis_turn *out);
void tvgp__basis_turn_free(tvgp__basis_turn *t);

/* Turns weights: T w. */
void tvgp__basis_turn_vector(const tvgp__basis_turn *t, const double *w, double *out);

/* Turns a covariance: T A T' of a square A (r x r), of which only the lower triangle is read when `half`. */
void tvgp__basis_turn_square(const tvgp__basis_turn *t, int half, const double *A, double *out);

/* Turns a covariance whose lower triangle is packed by columns (gp/weight_space.h). */
void tvgp__basis_turn_packed(const tvgp__basis_turn *t, const double *A, double *out);

#endif
