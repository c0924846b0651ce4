/* SPDX-License-Identifier: MIT */
/* The settled part R of a filter's posterior covariance (filter/filter.h), which filters share until they change it.
 *
 * Blocks are symmetric and keep one triangle: two of them fill a rectangle of r x (r + 1) numbers, one below the diagonal, the
 * other above it and moved by one column. A core of two states is such a rectangle (ff, uu) and a square (uf); cores of one
 * state share rectangles by twos. */
#ifndef TVGP__FILTER_FILTER_CORE_H
#define TVGP__FILTER_FILTER_CORE_H

#include "base/visit.h"

typedef struct tvgp__filter_triangle {
    double *A; /* column-major, leading dimension r */
    int upper;
} tvgp__filter_triangle;

typedef struct tvgp__filter_core {
    size_t users, states;
    tvgp__filter_triangle ff, uu; /* uu and uf with two states */
    double *uf;
    double *z; /* r each: ff phi, and with two states uf phi, uf' phi, uu phi, when `multiplied` */
    int multiplied;
} tvgp__filter_core;

/* Numbers in the storage of `ones` cores of one state and `twos` of two, and its handing out. */
size_t tvgp__filter_core_room(size_t r, size_t ones, size_t twos);
void tvgp__filter_core_place(double *storage, size_t r, size_t ones, size_t twos, tvgp__filter_core *cores);

void tvgp__filter_core_visit(tvgp__filter_core *core, size_t r, tvgp__visit *v); /* base/visit.h */
void tvgp__filter_core_clear(tvgp__filter_core *core, size_t r);                 /* R = 0 */

/* `to`, of rank r2 >= r, becomes `from`, of rank r, and 0 beyond. */
void tvgp__filter_core_widen(const tvgp__filter_core *from, size_t r, tvgp__filter_core *to, size_t r2);

/* Weight i of the first n goes, by rotations of linalg/chol.h on either side; row and column n - 1 become 0. work: n^2. */
void tvgp__filter_core_leave(tvgp__filter_core *core, size_t r, size_t n, size_t i, const double *c, const double *s,
                             double *work);

/* to = (N x I) from (N x I)'; both may be the same. */
void tvgp__filter_core_transform(const tvgp__filter_core *from, size_t r, const double N[2][2], tvgp__filter_core *to);

/* R += U U'; column k has its f-part at U + 2 k r and its u-part behind it. */
void tvgp__filter_core_add(tvgp__filter_core *core, size_t r, size_t count, const double *U);

/* The products of the blocks with phi, once for all users. */
void tvgp__filter_core_multiply(tvgp__filter_core *core, size_t r, const double *phi);

/* The block of f (state 0) or u (1) becomes the lower triangle of A (r x r). */
void tvgp__filter_core_put(tvgp__filter_core *core, size_t r, size_t state, const double *A);

/* Of a core of one state over blocks x r weights. To S (r x r, lower triangle) is added share (h x I)' R (h x I); work: r x r.
 * Or R becomes (h x I) A (h x I)', of which the lower triangle of A (r x r) is read; h NULL: A. */
void tvgp__filter_core_fold(const tvgp__filter_core *core, size_t blocks, size_t r, double share, const double *h,
                            double *work, double *S);
void tvgp__filter_core_spread(tvgp__filter_core *core, size_t blocks, size_t r, const double *h, const double *A);

/* Adds share (q x I)' R (q x I) to the lower triangle of S (r x r). */
void tvgp__filter_core_gather(const tvgp__filter_core *core, size_t r, double share, const double q[2], double *S);

#endif
