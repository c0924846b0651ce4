/* SPDX-License-Identifier: MIT */
/* The Nystrom posterior, "deterministic training conditional" (Seeger, Williams, Lawrence 2003; Quinonero-Candela, Rasmussen 2005,
 * sec. 5; Calandriello et al. 2019, eq. 3). A step has constant cost, because observations enter only through a dictionary S of m
 * points.
 *
 *   b(x) = L_S^-1 k_S(x), K_S = L_S L_S';   W = I + sum_i b(x_i) b(x_i)' / noise_i = L_W L_W';   c(x) = L_W^-1 b(x)
 *   mean(x) = b(x)' W^-1 sum_i b(x_i) y_i / noise_i      var(x) = k(x,x) - |b(x)|^2 + |c(x)|^2
 *
 * The prior variance is complete, so a point far from the data keeps it (no variance starvation). With every observed
 * point in S this is the exact posterior. K_S is factorised with pivoting: a point whose residual variance is at round-off is left
 * out. Leaving out residuals of at most d that have n pulls moves a variance by at most 2 sqrt(n d / noise) of itself.
 *
 * On arms, repeated observations of an arm count by their summed precision. A fit costs two triangular solves over all n arms (2 n m^2
 * flops), in blocks of arms that fit the cache, and 8 n m bytes for b at all arms; one more observation costs 2 n m flops.
 *
 * On a box the posterior is a function of the point (model/gp/predictive.h). With u observations: the rows b(x_i) of a dictionary cost
 * u m kernel values and u m^2 flops, W and its inverse u m^2 + m^3, one more observation 2 m^2, a variance m^2. Every row is evaluated by
 * itself, so the rows after loading a snapshot have the same bits as before. */
#ifndef TVGP__MODEL_NYSTROM_H
#define TVGP__MODEL_NYSTROM_H

#include "model/feature/basis.h"
#include "model/posterior/observations.h"
#include "model/posterior/posterior_ops.h"

/* An arm that was pulled. */
typedef struct tvgp__nystrom_arm {
    size_t arm;
    double precision, weighted; /* sum of 1 / noise, of y / noise */
} tvgp__nystrom_arm;

/* On arms: with f = Phi w and w ~ N(0, I), the posterior covariance is P = Phi (I - R) Phi'. A column of P is Phi c with
 * c = phi - R phi; an observation adds c c' / s to R. */
typedef struct tvgp__nystrom_weights {
    tvgp__basis basis; /* b at all arms; r = rank of the dictionary */
    double *R;         /* I - W^-1: lower triangle, packed by columns */
    double *phi, *c;   /* r each: features of the last arm used, the weights of its column */
    size_t slots;      /* features there is room for */
} tvgp__nystrom_weights;

/* On a box: features of a dictionary, and of the pulls. */
typedef struct tvgp__nystrom_rows {
    size_t r;          /* rank */
    double *X, *W;     /* r x dim: points of the dictionary; r x r: L_S^-1, lower triangle */
    double *b, *prior; /* pulls x r: features of each; k(x, x) */
    size_t b_slots, prior_slots;
} tvgp__nystrom_rows;

/* A point is an arm, or on a box the number of an observation. */
typedef struct tvgp__nystrom {
    tvgp__posterior base;
    int fixed;                /* 1: on arms; 0: on a box, whose points are the pulls */
    tvgp__observations pulls; /* oldest first, noise above 0; `arm` is the point: on a box, its position in the list */
    double alone;       /* log density of the pulls if f were 0: the part of the likelihood that no dictionary changes */
    size_t pulls_known; /* how many of the pulls the posterior takes into account */
    size_t distinct;    /* points among the pulls */
    int keeps;          /* variances right after a fit; set by the owner, before the first pull */
    size_t members, dropped; /* points in the dictionary; points that any dictionary left out because others span them */
    double *work;
    size_t work_slots;
    double *first; /* right after the last fit: variances (n) on arms, R on a box; NULL: not kept, or no pull yet */
    size_t first_slots;

    tvgp__nystrom_arm *arms; /* on arms: the distinct arms among the pulls, by first pull */
    size_t *position;        /* n: 1 + position in arms, 0 = not pulled */
    size_t arm_slots;
    tvgp__nystrom_weights features;
    tvgp__posterior *exact; /* the exact posterior of all pulls, in use until the first dictionary; or NULL */

    tvgp__nystrom_rows now, next; /* on a box: of the dictionary in use; of the one prepared */
    size_t next_pulls;            /* that `next` has rows of */
    double *u, *R;                /* r: mean of the weights; r x r: I - W^-1, symmetric */
    size_t u_slots, R_slots;
} tvgp__nystrom;

/* Creates it on n arms X (fixed = 1), or on a box, where n points X have the kernel's scale (tvgp_domain.scale). `observe` only
 * records: the posterior follows with fit or condition. The likelihood of a dictionary is of all pulls, also of assumed outcomes.
 * NOMEM, the kernel's status. */
tvgp_status tvgp__nystrom_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, int fixed, size_t n, const double *X,
                              tvgp__nystrom **out);

/* On arms, until the first fit, lets the exact posterior (model/arm_columns.h) stand in for the dictionary. Only before the first
 * pull. NOMEM, the kernel's status. */
tvgp_status tvgp__nystrom_begin_exact(tvgp__nystrom *d);

/* Notes pull number k >= pulls.n of point `point` that will be observed, before prepare; x: its coordinates, on a box. A noise variance
 * of 0 is raised to a least value, as precisions must be finite. The kernel's status; nothing that can be read changes. */
tvgp_status tvgp__nystrom_note(tvgp__nystrom *d, size_t k, size_t point, double y, double noise, const double *x);
/* Allocates and evaluates what a fit with this dictionary of m points will need, when `more` pulls have been observed by
 * then; the fit itself cannot fail. The points may belong to pulls noted but not observed. NOMEM, LIMIT, the kernel's
 * status; the posterior is unchanged in any case. */
tvgp_status tvgp__nystrom_prepare(tvgp__nystrom *d, size_t more, size_t m, const size_t *point);
/* Forgets the oldest pulls, and computes the posterior from the others, with a dictionary of these m >= 1 distinct points, which
 * must be the ones that prepare was called with last. */
void tvgp__nystrom_fit(tvgp__nystrom *d, size_t oldest, size_t m, const size_t *point);
/* Conditions it on the pulls observed since the last fit, with the dictionary of that fit. */
void tvgp__nystrom_condition(tvgp__nystrom *d);
/* Gives the variance of a point, of a pull noted or observed; or what it was right after the last fit, which needs `keeps`. */
double tvgp__nystrom_variance(const tvgp__nystrom *d, size_t point, int first);
/* Computes the effective dimension of the pulls: the sum over them of their variance divided by their noise. */
double tvgp__nystrom_dimension(const tvgp__nystrom *d);

#endif
