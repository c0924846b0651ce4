/* SPDX-License-Identifier: MIT */
/* The recursive posterior on arms: exact for static, forgetting and Wiener laws, without any growing matrix of
 * observations.
 *
 * The posterior covariance stays P = kappa K - R with R of low rank. A step of time multiplies the mean by m and R by m^2;
 * an observation of arm x with noise variance v takes the column p = P[:, x], s = p[x] + v, adds p p'/s to R and p (y -
 * mean[x])/s to the mean (Kalman update of a Gauss-Markov field). Two forms of R, the same numbers to round-off:
 *   columns  R = sum_i D_i g_i g_i', one n-vector per observation; D_i = m^2 since then, left out below 2^-53. An arm observed
 *            before starts from its own last column, and under a static law all its observations share one.
 *   weights  K = Phi Phi' (pivoted Cholesky, rank r), R = Phi R_w Phi'. A column costs 2 n r + 4 r^2 flops, for ever.
 * Of many arms a column made of weights is read from a part of the features only (feature/arm_bounds.h): mean and variances of
 * the arms are then within known bounds, and exact, from the weights themselves, of the arms for which somebody asks
 * (`sharpen`), which are those that may be the best. Making all of them exact costs r^2 / 2 flops an arm; columns are exact
 * for a while then. It starts with columns and changes to weights once they are four times the rank (few arms: twice),
 * which is looked for a few pivots at a time; of few arms whose law forgets it is in weights from the first observation.
 * Mean and all variances cost O(n) a step beside it.
 *
 * An answer of the past is inserted among the later observations, exactly (gp/innovation.h), when at most late_limit of
 * them came since; beyond that it counts as a blurred one of the present, y = m f_now[x] + noise of variance v + q k(x, x),
 * in `widened`. Columns are their own record; beside weights the last late_limit innovations are kept (gp/delayed.h).
 *
 * Off the arms the weights form leaves out what Phi does not span: about 1e-9 between the arms, up to 1e-7 outside their
 * hull. */
#ifndef TVGP__POSTERIOR_RECURSIVE_H
#define TVGP__POSTERIOR_RECURSIVE_H

#include "posterior/basis_change.h"
#include "posterior/posterior.h"

typedef struct tvgp__recursive {
    tvgp__posterior base;
    tvgp__drift law;
    double tolerance;      /* of the rank */
    size_t late_limit;     /* observations that a late answer may go back and still be exact */
    tvgp__columns columns; /* R as columns */
    int in_weights;        /* R is in weights instead */
    size_t exact;          /* of the next observations the columns are made in full */
    size_t looked;         /* the arm that the weights look at, from 1; 0: R has changed since */
    tvgp__weight_space weights;
    tvgp__delayed late;        /* with weights, under a law in which order matters */
    tvgp__basis_search *rank;  /* with columns */
    double *work;              /* n: the column being made */
    tvgp__basis_change *found; /* the change has begun; NULL: columns stay */
    tvgp__basis_change *idle;  /* put away by a snapshot */
} tvgp__recursive;

/* Creates a recursive posterior on n arms under a law of change, which knows nothing yet. noise: the usual noise
 * variance; it decides how much of the kernel matrix the low-rank factor Phi may leave out. late_limit: an observation
 * whose time lies before so many others that were taken already is still exact; one from further back is blurred, as the
 * head of this file says. */
tvgp_status tvgp__recursive_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__drift *law, double noise,
                                size_t late_limit, size_t n, const double *X, tvgp__posterior **out);

/* ---- recursive_weights.c: the form in weights, which recursive.c is built on ------------------------------------- */

/* Observations with full columns after all arms were made exact, which costs as much. */
enum { TVGP__RECURSIVE_FULL = 64 };

/* The law moves nothing. */
int tvgp__recursive_is_static(const tvgp__recursive *p);
/* Beside weights the last observations are kept, for late answers. */
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
