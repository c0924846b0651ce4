/* SPDX-License-Identifier: MIT */
/* Many local maximisations at once: projected BFGS (linalg/bfgs.h) from every start, with all trial points evaluated as
 * one block. Integer coordinates stay fixed. Searches that cannot win stop early: after rounds 4, 8 and 16 the worse
 * half (never below 4); from round 4 those within .01 lengthscales of a better one; from round 9 those that promise less
 * than the best has. */
#ifndef TVGP__CHOOSE_ASCENT_H
#define TVGP__CHOOSE_ASCENT_H

#include "choose/search_space.h"

enum { TVGP__ASCENT_BLOCK = 128 };

/* What is maximised. */
typedef struct tvgp__ascent_target {
    /* Scores of m <= TVGP__ASCENT_BLOCK points and, unless NULL, their gradients (m x dim). */
    tvgp_status (*score)(void *user, size_t m, const double *Z, double *score, double *gradient);
    void *user;
    double scale; /* of scores: differences of 1e-9 of it mean nothing */
} tvgp__ascent_target;

/* Scores of any number of points, in blocks. What is no number is -infinity: below every score. */
tvgp_status tvgp__ascent_score(const tvgp__ascent_target *target, size_t dim, size_t n, const double *Z, double *score,
                               double *gradient);

/* Maximises from n feasible points X (n x dim), in place; score[i] is the score at the end. Errors: NOMEM, and those of
 * `score` and the space. */
tvgp_status tvgp__ascent_run(const tvgp__search_space *s, const tvgp__ascent_target *target, size_t n, double *X,
                             double *score);

#endif
