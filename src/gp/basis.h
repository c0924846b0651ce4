/* SPDX-License-Identifier: MIT */
/* Weight space: K = Phi Phi' over the arms (pivoted Cholesky, numerical rank r), f = Phi w with w ~ N(0, I_r). With several
 * kernels Phi spans the sum of their K's. */
#ifndef TVGP__GP_BASIS_H
#define TVGP__GP_BASIS_H

#include "kernel/kernel_ops.h"

typedef struct tvgp__basis {
    tvgp_ctx *ctx;
    size_t n, r;   /* r >= 1; 0: none */
    double *Phi;   /* n x r, column-major */
    size_t *pivot; /* r arms; rows pivot of Phi are lower triangular */
    double *L;     /* r x r: those rows */
} tvgp__basis;

/* Residual variance at which the rank is complete: an error d of K moves the posterior by about d / noise, so smaller noise
 * asks for a smaller residual, down to round-off. `largest` is the largest prior variance. */
double tvgp__basis_tolerance(double largest, double noise);

/* Factorises the sum of the kernels' Gram matrices if its rank is at most max_rank; out->r is 0 when it is not. NOMEM, a
 * kernel's status. */
tvgp_status tvgp__basis_new(tvgp_ctx *ctx, size_t n_kernels, const tvgp_kernel *const *kernels, size_t n, const double *X,
                            double tolerance, size_t max_rank, tvgp__basis *out);
void tvgp__basis_free(tvgp__basis *b);

void tvgp__basis_row(const tvgp__basis *b, size_t arm, double *phi); /* row `arm` of Phi */

/* The weights of a function given at all arms, from its values at the pivots: w = L^-1 f[pivot]. */
void tvgp__basis_weights(const tvgp__basis *b, const double *f, double *w);

/* The points of the pivots, r x dim, from those of the arms. */
void tvgp__basis_points(const tvgp__basis *b, size_t dim, const double *X, double *out);

#endif
