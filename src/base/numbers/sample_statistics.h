/* SPDX-License-Identifier: MIT */
/* Statistics of a sample. */
#ifndef TVGP__BASE_SAMPLE_STATISTICS_H
#define TVGP__BASE_SAMPLE_STATISTICS_H

#include <stddef.h>

/* Sum of squares about the mean over n - 1, exact to round-off whatever the offset; 0 for n < 2. */
double tvgp__sample_statistics_variance(size_t n, const double *y);

/* Puts x in ascending order. */
void tvgp__sample_statistics_sort(size_t n, double *x);

/* The median, of an even number the mean of the two in the middle; 0 for n = 0. Sorts x. */
double tvgp__sample_statistics_median(size_t n, double *x);

/* Median of the positive steps between sorted times; 1 if there is none. work: n. O(n) for times that are already
 * sorted, O(n^2) for their steps. */
double tvgp__sample_statistics_step(size_t n, const double *t, double *work);

#endif
