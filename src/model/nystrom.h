/* SPDX-License-Identifier: MIT */
/* The Nystrom posterior on arms, "deterministic training conditional" (Seeger, Williams, Lawrence 2003;
 * Quinonero-Candela, Rasmussen 2005, sec. 5; Calandriello et al. 2019, eq. 3). A step has constant cost, because
 * observations enter only through a dictionary S of m points.
 *
 *   b(x) = L_S^-1 k_S(x), K_S = L_S L_S';   W = I + sum_i b(x_i) b(x_i)' / noise_i = L_W L_W';   c(x) = L_W^-1 b(x)
 *   mean(x) = b(x)' W^-1 sum_i b(x_i) y_i / noise_i      var(x) = k(x,x) - |b(x)|^2 + |c(x)|^2
 *
 * The prior variance is complete, so a point far from the data keeps it (no variance starvation). With every observed
 * point in S this is the exact posterior. Repeated observations of an arm count by their summed precision.
 *
 * A fit costs two triangular solves over all n arms (2 n m^2 flops), in blocks of arms that fit the cache, and 8 n m
 * bytes for b at all arms. Conditioning on one more observation with an unchanged dictionary costs 2 n m flops. K_S is
 * factorised with pivoting: a point whose residual variance is at round-off is left out. Leaving out residuals of at
 * most d that have n plays moves a variance by at most 2 sqrt(n d / noise) of itself. */
#ifndef TVGP__MODEL_NYSTROM_H
#define TVGP__MODEL_NYSTROM_H

#include "model/dictionary.h"
#include "model/feature/basis.h"

/* What is known about an arm that was pulled. */
typedef struct tvgp__nystrom_arm {
    size_t arm, count;
    double precision, weighted; /* sum of 1 / noise, of y / noise */
} tvgp__nystrom_arm;

/* With f = Phi w and w ~ N(0, I), the posterior covariance is P = Phi (I - R) Phi'. A column of P is Phi c with c = phi - R phi; an
 * observation adds c c' / s to R. */
typedef struct tvgp__nystrom_weights {
    tvgp__basis basis;
    double *R;       /* lower triangle, packed by columns */
    double *phi, *c; /* r each: features of the last arm looked at, the weights of its column */
} tvgp__nystrom_weights;

typedef struct tvgp__nystrom {
    tvgp__dictionary dict;
    tvgp__nystrom_arm *arms;        /* the distinct arms among the pulls, by first pull */
    size_t *position;               /* n: 1 + position in arms, 0 = not pulled */
    size_t arm_slots;               /* of dict.distinct */
    tvgp__nystrom_weights features; /* b at all arms; R = I - W^-1; r = rank of the dictionary */
    size_t feature_slots;
    double *work;
    size_t work_size;
    double *first;          /* n: variances right after the last fit; NULL: not kept, or no pull yet */
    tvgp__posterior *exact; /* the exact posterior of all pulls, in use until the first dictionary; or NULL */
    double noise;           /* by which its tolerance is set */
} tvgp__nystrom;

/* Of the ops, `observe` only records: mean and var follow with `fit` or `condition` of the dictionary. */
tvgp_status tvgp__nystrom_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__nystrom **out);

/* Until the first fit, lets the exact posterior (model/arm_columns.h) stand in for the dictionary; `noise` sets its
 * tolerance. Only before the first pull. NOMEM, the kernel's status. */
tvgp_status tvgp__nystrom_begin_exact(tvgp__nystrom *d, double noise);

/* On a box (model/nystrom_box.c): n points X with the kernel's scale (tvgp_domain.scale). NOMEM, the kernel's status. */
tvgp_status tvgp__nystrom_box_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X,
                                  tvgp__posterior **out);

#endif
