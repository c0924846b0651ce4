/* SPDX-License-Identifier: MIT */
/* The recursive posterior on arms: exact for static, forgetting and Wiener drift models, without a growing matrix of
 * observations.
 *
 * The posterior covariance is P = kappa K - R with R of low rank. A step of time multiplies the mean by m and R by m^2.
 * An observation of arm x with noise variance v uses the column p = P[:, x], s = p[x] + v, adds p p'/s to R and p (y -
 * mean[x])/s to the mean (Kalman update of a Gauss-Markov field). Two forms of R, the same numbers up to round-off:
 *   columns  R = sum_i D_i g_i g_i', one n-vector per observation; D_i = m^2 since then, left out below 2^-53. An arm observed
 *            before starts from its own last column, and under a static drift model all its observations share one.
 *   weights  K = Phi Phi' (pivoted Cholesky, rank r), R = Phi R_w Phi'. A column costs 2 n r + 4 r^2 flops.
 * With many arms, a column from weights is computed from a part of the features only (feature/arm_bounds.h). Mean and variances are then
 * known within bounds, and exact only for the arms that `sharpen` names, those that may be the best. Making all exact costs r^2 / 2 flops an
 * arm; columns are exact for a while then. The posterior changes from columns to weights when there are four times as many as the rank (few
 * arms: twice). Mean and all variances cost O(n) a step in addition.
 *
 * Delayed feedback is inserted exactly among the later observations (gp/innovation.h) if at most late_limit came since.
 * Otherwise it counts as a blurred observation of the present, y = m f_now[x] + noise of variance v + q k(x, x), in
 * `widened`. Columns are their own record; with weights the last late_limit innovations are kept (gp/delayed.h).
 *
 * Between the arms the weights form leaves out what Phi does not span: about 1e-9, up to 1e-7 outside their hull. */
#ifndef TVGP__POSTERIOR_RECURSIVE_H
#define TVGP__POSTERIOR_RECURSIVE_H

#include "posterior/basis_change.h"
#include "posterior/posterior.h"

typedef struct tvgp__recursive {
    tvgp__posterior base;
    tvgp__drift law;
    double tolerance;      /* of the rank */
    size_t late_limit;     /* number of observations back to which delayed feedback is exact */
    tvgp__columns columns; /* R as columns */
    int in_weights;        /* R is in weights instead */
    size_t exact;          /* of the next observations the columns are made in full */
    size_t looked;         /* the arm that the weights look at, from 1; 0: R has changed since */
    tvgp__weight_space weights;
    tvgp__delayed late;        /* with weights, under a drift model in which order matters */
    tvgp__basis_search *rank;  /* with columns */
    double *work;              /* n: the column being made */
    tvgp__basis_change *found; /* the change has begun; NULL: columns stay */
    tvgp__basis_change *idle;  /* put away by a snapshot */
} tvgp__recursive;

/* Creates a recursive posterior on n arms under a drift model, without observations. noise: the usual noise variance,
 * which decides how much of the kernel matrix the low-rank factor Phi may leave out. late_limit: delayed feedback is
 * exact if at most so many observations have a later time; otherwise it is blurred, as described in the head of this
 * file. */
tvgp_status tvgp__recursive_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__drift *law, double noise,
                                size_t late_limit, size_t n, const double *X, tvgp__posterior **out);

/* ---- recursive_weights.c: the form in weights, which recursive.c is built on ------------------------------------- */

/* Observations with full columns after all arms were made exact, which costs as much. */
enum { TVGP__RECURSIVE_FULL = 64 };

/* Says whether the drift model is static. */
int tvgp__recursive_is_static(const tvgp__recursive *p);
/* Says whether the last observations are kept with the weights, for delayed feedback. */
int tvgp__recursive_keeps_late(const tvgp__recursive *p);

/* Writes the posterior column of an arm. */
void tvgp__recursive_weights_column(tvgp__recursive *p, size_t arm, double *out);
/* Writes m2 P + q K of m arms with all arms, m x n. NOMEM. */
tvgp_status tvgp__recursive_weights_columns(tvgp__recursive *p, double m2, double q, size_t m, const size_t *arm,
                                            double *out);
/* Takes an observation in order of time, of seen->arm; the rest of *seen is written. */
void tvgp__recursive_weights_condition(tvgp__recursive *p, double y, double noise, tvgp__innovation *seen);
/* The op `sharpen`. */
void tvgp__recursive_sharpen(tvgp__posterior *b, size_t n, const size_t *arm);

#endif
