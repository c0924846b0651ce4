/* SPDX-License-Identifier: MIT */
/* The predictive function: a posterior at one time as a function of the point, for predictions and searches (Rasmussen
 * and Williams 2006, eq. 2.25, 2.26, and 9.1 for gradients). With r points X, c > 0 and a lower triangular factor L =
 * W^-1:
 *
 *   v(z) = L^-1 (c o k(X, z))    mean(z) = u'v    var(z) = kappa k(z, z) - v'S v
 *   with q = S v and g(h) = c o W'h:   dmean = sum_j g(u)_j dk(x_j, z)/dz    dvar = kappa dk(z, z)/dz - 2 sum_j g(q)_j dk(..)
 *   plus an unknown constant with variance e and covariance w with v's weights: var + e + 2 w'v, q = S v - w
 *
 * Rows of observations: X observed, c the drift model's correlation with their times, L of K + Sigma, u = L^-1 y, no S.
 * Weight space: X pivots, c = 1, L of their Gram matrix, u the mean of the weights, S the reduction of their covariance.
 *
 * A later time under a drift step (m, q) multiplies `fade` by m and updates kappa. Points are processed in blocks of
 * 256. A point costs one triangular product (or solve), a symmetric product with S, and a triangular product for
 * gradients: r^2 flops each.
 *
 * If a search needs many scores, M = W'S W, a = W'u, b = W'w and k = c o k(X, z) give them in one product, 2 r^2 flops:
 *
 *   mean(z) = a'k    var(z) = kappa k(z, z) + e + 2 b'k - k'M k    dvar = kappa dk(z, z)/dz - 2 sum_j (M k - b)_j dk(..)
 *
 * This form loses digits, since k'M k contains terms up to 1 / (least pivot of L)^2. Predictions therefore use v. */
#ifndef TVGP__MODEL_GP_PREDICTIVE_H
#define TVGP__MODEL_GP_PREDICTIVE_H

#include "space/kernel/kernel_ops.h"

enum { TVGP__PREDICTIVE_BLOCK = 256 };

typedef struct tvgp__predictive {
    tvgp_ctx *ctx;             /* of memory and messages; the kernel's may be another */
    const tvgp_kernel *kernel; /* borrowed, as are the arrays below unless they lie in `memory` */
    size_t r, ld;              /* points; leading dimension of the factor */
    const double *X;           /* r x dim */
    const double *c;           /* r; NULL: 1 */
    double fade;               /* multiplies c */
    const double *factor;      /* r x r, lower triangle, column-major: L, or W when `inverse` */
    int inverse;
    const double *own;    /* r: prior variance plus noise of each row at its own time, for bounds of scores; NULL: no rows */
    const double *leaves; /* of L, for many points (linalg/trisolve.h); NULL: none */
    const double *u;      /* r */
    const double *S;      /* r x r, lower triangle; NULL: identity */
    size_t ldS;           /* its leading dimension */
    double scale;         /* multiplies S */
    double kappa;
    const double *cross;  /* r: covariance of the weights with a constant that is added; NULL: 0. Only with S */
    double extra;         /* variance of the constant */
    double shift, spread; /* added to the mean; multiplies the variance */
    double *memory;       /* what is the predictive's own; NULL: nothing */
    double *lent;         /* what it has of the context's work space (base/scratch.h); NULL: nothing */
    struct {
        const double *M, *a, *b; /* r x r, r, r, with c and fade; NULL: tvgp__predictive_condense was not called */
    } condensed;
} tvgp__predictive;

/* The predictive of r points with c = 1, factor L and no S; the caller changes what is different. r = 0: the prior. */
tvgp__predictive tvgp__predictive_of(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t r, const double *X, const double *L,
                                     size_t ld, const double *u);
void tvgp__predictive_free(tvgp__predictive *f);

/* Doubles of workspace for m <= TVGP__PREDICTIVE_BLOCK points at a time: as many for every r that its factor has room for. */
size_t tvgp__predictive_work(const tvgp__predictive *f, size_t m);

/* What is wanted at n points, NULL where it is not: var is not below 0; gradients are n x dim. */
typedef struct tvgp__predictive_values {
    double *mean, *var, *dmean, *dvar;
} tvgp__predictive_values;

/* Values at n points, in blocks; work for min(n, TVGP__PREDICTIVE_BLOCK) points. Fails as kernels do. */
tvgp_status tvgp__predictive_evaluate(const tvgp__predictive *f, size_t n, const double *Z, double *work,
                                      const tvgp__predictive_values *out);

/* The same with a workspace of its own. NOMEM. */
tvgp_status tvgp__predictive_predict(const tvgp__predictive *f, size_t n, const double *Z,
                                     const tvgp__predictive_values *out);

/* Mean and the whole covariance (n x n) of n points together: n r^2 + n^2 r multiply-adds; with doubles of workspace. Fails as kernels
 * do. */
size_t tvgp__predictive_joint_work(const tvgp__predictive *f, size_t n);
tvgp_status tvgp__predictive_joint(const tvgp__predictive *f, size_t n, const double *Z, double *work, double *mean,
                                   double *covariance);

/* Covariances of n points with m <= TVGP__PREDICTIVE_BLOCK of them, by index: m x n. NOMEM; fails as kernels do. */
tvgp_status tvgp__predictive_covariance(const tvgp__predictive *f, size_t n, const double *Z, size_t m, const size_t *which,
                                        double *out);

/* Prepares a predictive for many scores: M, a and b above, in memory of tvgp__predictive_condensed numbers, about 2 r^3 flops. That is 0
 * for a predictive that does not gain by it (no S) or whose pivots are so small that digits would be lost. */
size_t tvgp__predictive_condensed(const tvgp__predictive *f);
void tvgp__predictive_condense(tvgp__predictive *f, double *memory);

/* Mean and variance at n points in the kernel, where the predictive was condensed: not the last digits of tvgp__predictive_evaluate. */
tvgp_status tvgp__predictive_moments(const tvgp__predictive *f, size_t n, const double *Z, double *work, double *mean,
                                     double *var);

/* The weights of the kernel in the mean, a = c o W'u: mean(z) = a'k(X, z). r entries. */
void tvgp__predictive_weights(const tvgp__predictive *f, double *a);

/* A block of m <= TVGP__PREDICTIVE_BLOCK points, opened in `work`: in the kernel if the predictive was condensed. Each of K, V, Q, H is m x
 * r, with the r entries of a point together. */
typedef struct tvgp__predictive_block {
    int in_kernel; /* 1: V and Q are not there, and H is M k */
    size_t m;
    const double *Z;
    double *prior, *var, *weight; /* m each: k(z, z), variance (negative by rounding at most), workspace */
    double *K, *V, *Q, *H;        /* k, v, q, workspace of the gradient */
} tvgp__predictive_block;

/* Opens a block (fails as kernels do); the mean of its point i; G (m x dim) = sum_j h_j dk(x_j, z)/dz over the rows h of H, in weights of c o
 * W'h, and with `weight` (m) its share of dk(z, z)/dz. */
tvgp_status tvgp__predictive_open(const tvgp__predictive *f, size_t m, const double *Z, double *work,
                                  tvgp__predictive_block *b);
double tvgp__predictive_mean(const tvgp__predictive *f, const tvgp__predictive_block *b, size_t i);
tvgp_status tvgp__predictive_pull(const tvgp__predictive *f, const tvgp__predictive_block *b, const double *weight,
                                  double *G);

#endif
