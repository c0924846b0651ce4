/* SPDX-License-Identifier: MIT */
/* A basis that grows by the points visited, for posteriors in weight space on boxes. With support points S, L L' = k(S,
 * S) and features b(z) = L^-1 k(S, z), a function of prior k is f(z) = b'w + rest, w ~ N(0, I), where the rest has
 * variance k(z, z) - |b|^2 and is independent of w. A point whose rest is too large joins S: L gains the row (b, root of
 * the rest), and w a component with its prior. Otherwise the rest counts as noise of the observation (the fully
 * independent training conditional, Snelson and Ghahramani 2006). That moves the posterior mean near z by about rest e /
 * s, where s is the variance and e the innovation, and the variance by at most the rest. Both must be small against the
 * posterior variance (tvgp__inducing_points_refines).
 *
 * Below 1e-10 k(z, z), L would become singular, as its points come in no chosen order. A point that joins with less gets
 * a pivot of this variance, and the owner subtracts the difference from the observation's noise: all other covariances
 * stay exact.
 *
 * With a limit, the point not visited for longest leaves. Rotations make L without its row triangular again
 * (linalg/chol.h), and the last weight is cut off. The posterior of the remaining support is unchanged; only the deleted
 * point's own share is lost. */
#ifndef TVGP__MODEL_FEATURE_INDUCING_POINTS_H
#define TVGP__MODEL_FEATURE_INDUCING_POINTS_H

#include "linalg/chol.h"
#include "space/kernel/kernel_ops.h"

enum { TVGP__INDUCING_POINTS_SPARE = 32 }; /* spare rows of W and X, in addition to those of the support points */

typedef struct tvgp__inducing_points {
    tvgp_ctx *ctx;
    const tvgp_kernel *kernel; /* borrowed */
    size_t limit;              /* support points; 0: none */
    double leaves;       /* variance of a rest that is none the less noise, as model/feature/basis.h has it; 0: round-off */
    double share;        /* of the posterior variance that a rest may be, tvgp__inducing_points_refines; 0: any */
    size_t many;         /* support points from which on it is as there for features; 0: never */
    tvgp__chol factor;   /* L */
    size_t slots;        /* room for support points */
    double *W;           /* L^-1, leading dimension slots + SPARE */
    double *X;           /* (slots + SPARE) x dim */
    double *own;         /* k(x, x) of the support */
    size_t *visited;     /* when, by visits */
    double *turn;        /* c and s of the last rotations, slots each */
    size_t visits, left; /* counts */
} tvgp__inducing_points;

void tvgp__inducing_points_init(tvgp__inducing_points *a, tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t limit);
void tvgp__inducing_points_free(tvgp__inducing_points *a);
/* Takes all points out of the support. */
void tvgp__inducing_points_clear(tvgp__inducing_points *a);
/* Gives the leading dimension of W. */
size_t tvgp__inducing_points_ld(const tvgp__inducing_points *a);

/* Allocates room for n = `slots` support points. NOMEM, LIMIT. */
tvgp_status tvgp__inducing_points_reserve(tvgp__inducing_points *a, size_t slots);
/* Says how many of n support points the limit lets stay. */
size_t tvgp__inducing_points_stays(const tvgp__inducing_points *a, size_t n);
/* Says how much room to make for n: a quarter more, and no more than may stay; where only few may, for all of them at once. */
size_t tvgp__inducing_points_room(const tvgp__inducing_points *a, size_t n);

/* Writes the features b (may be k) of a point with k(S, z) in k and k(z, z) = own, and returns the variance of the rest,
 * >= 0. */
double tvgp__inducing_points_features(const tvgp__inducing_points *a, const double *k, double own, double *b);
/* Tells whether a point of which so much is left over joins the support. */
int tvgp__inducing_points_takes(const tvgp__inducing_points *a, double rest, double own);
/* Tells the same of a point that it does not take, from its observation: the innovation, the noise variance, and the posterior
 * variance that features explain. While there are few support points, larger innovations are expected still to come. */
int tvgp__inducing_points_refines(const tvgp__inducing_points *a, double rest, double own, double innovation, double noise,
                                  double var);

/* Adds a point to the support; in b its features (tvgp__inducing_points_features) get one more at the end. There must be room. Returns by
 * how much the pivot is above the rest. */
double tvgp__inducing_points_join(tvgp__inducing_points *a, const double *x, double own, double rest, double *b);

/* Notes a visit to a point z that does not join: the support point most correlated with it counts as visited now, so that
 * it is not the next to leave. k is k(S, z). */
void tvgp__inducing_points_pass(tvgp__inducing_points *a, const double *k);

/* Finds the support point that has not been visited for longest, which is the one to leave. */
size_t tvgp__inducing_points_oldest(const tvgp__inducing_points *a);
/* Removes support point i. The rotations this takes are left in a->turn: the owner applies them to all it holds in
 * weights. */
void tvgp__inducing_points_leave(tvgp__inducing_points *a, size_t i);

void tvgp__inducing_points_visit(tvgp__inducing_points *a, tvgp__visit *v); /* base/visit.h */

#endif
