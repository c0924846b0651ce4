/* SPDX-License-Identifier: MIT */
/* The core R of a filter's posterior covariance (model/kalman/kalman_filter.h), which filters share until one of them changes
 * it.
 *
 * A block of R is symmetric, so one triangle of it is stored. Two triangles fill a rectangle of r x (r + 1) numbers: one
 * below the diagonal, the other above it and shifted by one column. A core of two states has such a rectangle for its
 * blocks ff and uu, and a square for uf. Two cores of one state share a rectangle. */
#ifndef TVGP__MODEL_KALMAN_KALMAN_CORE_H
#define TVGP__MODEL_KALMAN_KALMAN_CORE_H

#include "base/visit.h"

/* One symmetric block, of which one triangle is kept. */
typedef struct tvgp__kalman_filter_triangle {
    double *A; /* column-major, leading dimension r */
    int upper; /* which triangle */
} tvgp__kalman_filter_triangle;

/* Products R phi that are kept while R stays as it is: a policy returns to few arms, and R changes at one observation in 16. More of them
 * were no faster. */
enum { TVGP__KALMAN_CORE_KEPT = 4 };

/* R over r weights, with its products at the arms looked at last. */
typedef struct tvgp__kalman_core {
    size_t users, states;                /* filters that share it, 0: it is free; 1 or 2 */
    tvgp__kalman_filter_triangle ff, uu; /* uu and uf with two states only */
    double *uf;
    double *z;    /* of the arm looked at; r each: ff phi, and with two states uf phi, uf' phi, uu phi */
    double *kept; /* `slots` of such products: of arm i in slot i modulo `slots` */
    size_t slots; /* 1 or TVGP__KALMAN_CORE_KEPT */
    size_t of[TVGP__KALMAN_CORE_KEPT]; /* whose products they are, from 1; 0: none */
} tvgp__kalman_core;

/* Counts the numbers that `ones` cores of one state and `twos` of two need; the second function assigns storage of that
 * size to them. */
size_t tvgp__kalman_core_room(size_t r, size_t ones, size_t twos);
void tvgp__kalman_core_lay_out(double *storage, size_t r, size_t ones, size_t twos, tvgp__kalman_core *cores);

/* Saves or loads R (base/visit.h). */
void tvgp__kalman_core_visit(tvgp__kalman_core *core, size_t r, tvgp__visit *v);

/* Sets R to 0, or its columns from `first` to before `end`. */
void tvgp__kalman_core_clear(tvgp__kalman_core *core, size_t r);
void tvgp__kalman_core_clear_columns(tvgp__kalman_core *core, size_t r, size_t first, size_t end);

/* Copies `from`, of rank r, to `to`, of rank r2 >= r, which is 0 in the further weights. */
void tvgp__kalman_core_widen(const tvgp__kalman_core *from, size_t r, tvgp__kalman_core *to, size_t r2);

/* Takes weight i out of the first n by the rotations c, s of linalg/chol.h on either side; row and column n - 1 are 0
 * then. work has room for n^2. */
void tvgp__kalman_core_leave(tvgp__kalman_core *core, size_t r, size_t n, size_t i, const double *c, const double *s,
                             double *work);

/* Computes to = (N x I) from (N x I)'; both may be the same core. */
void tvgp__kalman_core_transform(const tvgp__kalman_core *from, size_t r, const double N[2][2], tvgp__kalman_core *to);

/* Adds U U' to R. Column k of U has its f-part at U + 2 k r and its u-part behind it. */
void tvgp__kalman_core_add(tvgp__kalman_core *core, size_t r, size_t count, const double *U);

/* Finds the products of the blocks with phi of this arm, z: computed once for all users, and while R stays as it is. */
void tvgp__kalman_core_multiply(tvgp__kalman_core *core, size_t r, const double *phi, size_t arm);
/* Forgets the products: the next phi is not of an arm, or its arm has another one. */
void tvgp__kalman_core_forget(tvgp__kalman_core *core);

/* Sets the block of f (state 0) or u (1) from the lower triangle of A (r x r). */
void tvgp__kalman_core_put(tvgp__kalman_core *core, size_t r, size_t state, const double *A);

/* These are of a core of one state over blocks x r weights. fold adds share (h x I)' R (h x I) to the lower triangle of
 * S (r x r), with a workspace of r x r. spread sets R to (h x I) A (h x I)', where the lower triangle of A (r x r) is
 * read; h NULL: to A. */
void tvgp__kalman_core_fold(const tvgp__kalman_core *core, size_t blocks, size_t r, double share, const double *h,
                            double *work, double *S);
void tvgp__kalman_core_spread(tvgp__kalman_core *core, size_t blocks, size_t r, const double *h, const double *A);

/* Adds share (q x I)' R (q x I) to the lower triangle of S (r x r). */
void tvgp__kalman_core_gather(const tvgp__kalman_core *core, size_t r, double share, const double q[2], double *S);

#endif
