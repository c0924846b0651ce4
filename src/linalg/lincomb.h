/* SPDX-License-Identifier: MIT */
/* Linear combinations of vectors at arbitrary addresses: a product with a matrix whose columns are added, removed and
 * reordered without copies. Limited by memory bandwidth, as a gemv is. Runs on one thread. */
#ifndef TVGP__LINALG_LINCOMB_H
#define TVGP__LINALG_LINCOMB_H

#include <stddef.h>

typedef struct tvgp__lincomb_term {
    double a;
    const double *x;
} tvgp__lincomb_term;

/* y += sum of a x over the terms, n entries each. */
void tvgp__lincomb_add(size_t n, size_t count, const tvgp__lincomb_term *term, double *y);

#endif
