/* SPDX-License-Identifier: MIT */
/* Cholesky factor K + Sigma = L L' of a Gram matrix. Rows are appended at the end and deleted anywhere. Appending costs
 * n^2 flops (one triangular solve). Deleting row i costs 3 (n - i)^2 flops of Givens rotations, which is stable because
 * the trailing factor is updated, not downdated (Golub and Van Loan 2013, sec. 6.5.3). */
#ifndef TVGP__LINALG_CHOL_H
#define TVGP__LINALG_CHOL_H

#include "base/visit.h"

typedef struct tvgp__chol {
    tvgp_ctx *ctx;
    double *L; /* lower triangle, column-major, leading dimension `capacity` */
    size_t n, capacity;
    size_t most;   /* capacity does not double beyond this; 0: no bound */
    size_t jitter; /* number of times a pivot needed added jitter */
} tvgp__chol;

void tvgp__chol_free(tvgp__chol *f);

/* Room for n rows, so that later calls up to n rows cannot fail for memory. NOMEM, LIMIT. */
tvgp_status tvgp__chol_reserve(tvgp__chol *f, size_t n);
/* The same without doubling. */
tvgp_status tvgp__chol_room(tvgp__chol *f, size_t n);

/* Its rows, for snapshots (base/visit.h); `most` of them. */
void tvgp__chol_visit(tvgp__chol *f, size_t most, tvgp__visit *v);

/* Appends the row of a point with cross-covariances k (n entries, overwritten by L^-1 k), prior variance and noise. When the
 * new pivot is at round-off, jitter of 1e-10, 1e-8, 1e-6 times the variance is tried; NUMERIC (factor unchanged) after that.
 */
tvgp_status tvgp__chol_append(tvgp__chol *f, double *k, double variance, double noise);

/* Appends m rows at once, which stand in their places below the factor as covariances (column-major, lower triangle, noise on
 * the diagonal); variance: their prior variances. 0 when a pivot would need jitter: the factor is as before, the rows gone. */
int tvgp__chol_extend(tvgp__chol *f, size_t m, const double *variance);

/* Appends the row (w, pivot) of the factor itself, w = L^-1 k. There must be room. */
void tvgp__chol_push(tvgp__chol *f, const double *w, double pivot);

/* The pivot rule of append alone: *square is the pivot's square with as much jitter as it needs; 1 when jitter was needed.
 */
tvgp_status tvgp__chol_pivot(tvgp_ctx *ctx, double variance, double *square, size_t *jitter);

/* L L' = K + diagonal, where both triangles hold K. Jitter (1e-10 of `largest`, and 100 times as much each time) is added until
 * that is positive definite; returns how often. K stays above the diagonal. */
size_t tvgp__chol_factorise(tvgp__chol *f, const double *diagonal, double largest);

/* Removes row i. c and s (n - 1 - i entries each) receive the rotations: rotation j mixed rows i + j and i + j + 1 of
 * anything that is L^-1 times something; apply them with tvgp__chol_carry. */
void tvgp__chol_delete(tvgp__chol *f, size_t i, double *c, double *s);

/* Carries V = L^-1 B along a deletion of row i: V holds row j of the m-column matrix at V + j * ld. Afterwards its last row
 * (the old number of rows minus 1) is what the deletion removed. Done in column panels that stay in the first-level cache.
 */
void tvgp__chol_carry(size_t n_before, size_t i, const double *c, const double *s, size_t m, double *V, size_t ld);

/* The same of `rows` rows from the first on, and in the same pass out (m) gains the sum of rows 0 .. rows - 2 as they are
 * then, with weights w. */
void tvgp__chol_carry_sum(size_t rows, const double *c, const double *s, const double *w, size_t m, double *V, size_t ld,
                          double *out);

/* w = L^-1 w and m = L^-1 e_s in one pass, for small factors, where a BLAS call costs as much as its work: up to 2 n^2
 * flops. The order of additions is fixed, so the bits do not depend on the machine. */
void tvgp__chol_solve_pair(const tvgp__chol *f, double *w, size_t s, double *m);

/* Computes V = L^-1 V for TVGP__CHOL_LANES vectors at once, stored by rows (n x lanes). Each costs n^2 / 2
 * multiply-adds, and L is read once. The order of additions is fixed, and a vector's result does not depend on the other
 * vectors. */
enum { TVGP__CHOL_LANES = 8 };
void tvgp__chol_solve_lanes(const tvgp__chol *f, double *V);

void tvgp__chol_solve(const tvgp__chol *f, int trans, size_t m, double *B, size_t ldb); /* B = op(L)^-1 B, B is n x m */
double tvgp__chol_log_det(const tvgp__chol *f);                                         /* log det L L' */
/* log det L L' - log det D, D diagonal: of ratios, which have no unit. */
double tvgp__chol_log_det_ratio(const tvgp__chol *f, const double *d);

/* log N(y; 0, L L') from z = L^-1 y (n entries) and log det L L'. */
double tvgp__chol_log_density(size_t n, const double *z, double log_det);

#endif
