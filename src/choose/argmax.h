/* SPDX-License-Identifier: MIT */
/* The choice rule: the highest score, ties to the lowest index. Scores within a relative 1e-12 count as tied, so that
 * the choice does not depend on the last bits of a threaded BLAS; but not further apart than 1e-3 of the scale of scores, which may
 * have a large offset in common. */
#ifndef TVGP__CHOOSE_ARGMAX_H
#define TVGP__CHOOSE_ARGMAX_H

#include <stddef.h>
#include <stdint.h>

#define TVGP__ARGMAX_TIE 1e-12

/* How far below the highest score others tie with it; scale: a standard deviation of what scores are of. */
double tvgp__argmax_tie(double most, double scale);

/* Upper confidence bound of every arm: mean + width sqrt(max(var, 0)). */
void tvgp__argmax_ucb(size_t n, const double *mean, const double *var, double width, double *score);

/* The first from `from` on whose score is at least the bound; n: none is. */
size_t tvgp__argmax_next(size_t n, size_t from, const double *score, double bound);

/* Index of the best of n scores of this scale among those with a non-zero mask (NULL: all; at least one is set), whatever the
 * scores are: infinities compare as numbers, NaN is below everything. `of`: the scale is infinite. */
size_t tvgp__argmax_scaled(size_t n, const double *score, const uint8_t *mask, double scale);
size_t tvgp__argmax_of(size_t n, const double *score, const uint8_t *mask);

/* Its two steps: the highest of those available that are numbers (-infinity: none is), and the first that ties with it; when
 * none does, as none is a number, the first available (n: none is). */
double tvgp__argmax_highest(size_t n, const double *score, const uint8_t *mask);
size_t tvgp__argmax_first(size_t n, const double *score, const uint8_t *mask, double most, double scale);

#endif
