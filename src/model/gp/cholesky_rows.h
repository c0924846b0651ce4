/* SPDX-License-Identifier: MIT */
/* Observations as rows of a Cholesky factor, in order of arrival: L L' = K + Sigma, z = L^-1 (y - m), and each row's
 * arm, time, value and noise variance. An owner that derives more from the rows (L^-1, its product with the covariances
 * of arms) applies the rotations that a deleted row returns. Adding a row costs n^2 flops, deleting row i 3 (n - i)^2
 * (linalg/chol.h). */
#ifndef TVGP__MODEL_GP_CHOLESKY_ROWS_H
#define TVGP__MODEL_GP_CHOLESKY_ROWS_H

#include "linalg/chol.h"

typedef struct tvgp__cholesky_rows {
    size_t dim;
    tvgp__chol factor;     /* of the rows that count: factor.n */
    size_t slots;          /* room, that of the factor */
    double *X;             /* slots x dim: points */
    double *t, *y, *noise; /* slots each: times, values, noise variances */
    double *z;             /* slots */
    double *turn;          /* 2 slots: cosines, then sines, of the row that left last; otherwise free for the owner */
} tvgp__cholesky_rows;

/* One row; x: dim. */
typedef struct tvgp__row {
    const double *x;
    double t, y, noise;
} tvgp__row;

tvgp__cholesky_rows tvgp__cholesky_rows_of(tvgp_ctx *ctx, size_t dim);
void tvgp__cholesky_rows_free(tvgp__cholesky_rows *r);

/* Makes room for n rows in all. NOMEM, LIMIT; the rows are unchanged. */
tvgp_status tvgp__cholesky_rows_reserve(tvgp__cholesky_rows *r, size_t n);

/* Writes down what row `index` is; it does not count by that. */
void tvgp__cholesky_rows_note(tvgp__cholesky_rows *r, size_t index, const tvgp__row *row);

/* Adds a row at the end, for which there is room. k: its covariances with those before, which become L^-1 k; variance:
 * its own; residual: y less the prior mean. Fails as tvgp__chol_append, and the rows are unchanged then. */
tvgp_status tvgp__cholesky_rows_append(tvgp__cholesky_rows *r, const tvgp__row *row, double *k, double variance,
                                       double residual);

/* The pivot of a row. */
static inline double tvgp__cholesky_rows_pivot(const tvgp__cholesky_rows *r, size_t index) {
    return r->factor.L[index * (r->factor.capacity + 1)];
}

/* Takes a row out; r->turn has the rotations (tvgp__chol_carry). */
void tvgp__cholesky_rows_drop(tvgp__cholesky_rows *r, size_t index);

/* What is written of the first n rows closes the gap where one was; the factor stays. */
void tvgp__cholesky_rows_close_gap(tvgp__cholesky_rows *r, size_t index, size_t n);

#endif
