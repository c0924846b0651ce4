/* SPDX-License-Identifier: MIT */
/* Linear combinations of vectors that lie anywhere in memory: a product with a matrix whose columns come, go and change
 * places without being copied. Bound by memory as a gemv is; never on more than one thread. */
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
