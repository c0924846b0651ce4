/* SPDX-License-Identifier: MIT */
/* A posterior on arms recomputed from a list of observations with a noise variance each: for noise that grows with age,
 * and for observations that are replaced. Repeated observations of an arm are one row of summed precision and weighted mean (an
 * equivalent posterior, because noises are independent).
 *
 * Up to 128 arms (TVGP__REFIT_EAGER = 128^2) each row becomes a posterior column v = (K[:, x] - sum_k v_k v_k[x]) / sqrt(s), whose entries at the
 * arms of later rows are the factor L of K + Sigma: rows^2 arms / 2 multiply-adds. More arms: rows^3 / 6 + rows^2 arms / 2, rows <= arms.
 *
 * Beyond TVGP__REFIT_FIRST rows, and TVGP__REFIT_EAGER rows x arms, a posterior with `lazy` leaves out the second part,
 * which is nearly all of it, because a choice reads few arms. Means are K(arms, rows) alpha with alpha = (K + Sigma)^-1
 * y. Variances are upper bounds, the lower of two:
 *   - the variance given the first TVGP__REFIT_FIRST rows alone, because more observations only reduce it. First come the most
 *     informative rows, by a pivoted Cholesky factorisation: the next has the largest d^2 / (d + noise), where d is what the rows before
 *     it leave of its arm's variance;
 *   - a bound from the last fit. If every earlier observation is present, with at most c (`grown`) times its noise, a variance v of then is
 *     at most c v, as (K^-1 + P / c)^-1 <= c (K^-1 + P)^-1. It is also at most prior - (prior - v) / c, as the left side is convex in 1 / c
 *     and the prior is its value at 0.
 * This costs rows^3 / 6 + rows arms + FIRST^2 (rows + arms) / 2 multiply-adds, and refine makes single arms exact for rows^2 / 2
 * each, TVGP__CHOL_LANES at a time. */
#ifndef TVGP__MODEL_REFIT_H
#define TVGP__MODEL_REFIT_H

#include "linalg/chol.h"
#include "linalg/log_product.h"
#include "model/posterior/posterior_ops.h"

/* An observation with a noise beyond this many prior variances says nothing: it is left out. */
#define TVGP__REFIT_LIMIT 0x1p53

enum { TVGP__REFIT_FIRST = 32, TVGP__REFIT_EAGER = 1 << 14 };

/* First member of a posterior that is fitted this way. */
typedef struct tvgp__refit {
    tvgp__posterior base;
    tvgp__chol factor;        /* of K + Sigma over the rows */
    size_t slots;             /* room for rows */
    size_t *arm;              /* of each row */
    double *precision;        /* rows: sum of 1 / noise */
    double *y;                /* rows: mean of the observations weighted by precision */
    double *z;                /* rows: L^-1 y */
    double *points;           /* rows x dim */
    double *V;                /* rows x a block of arms: workspace */
    size_t *row;              /* per arm: its row, from 1; 0: not observed; NULL when shared: rows are few, and sought */
    int lazy;                 /* whether variances may wait until they are read; not on shared arms */
    uint8_t *exact;           /* per arm, where lazy: mean and variance are exact */
    double *before;           /* per arm, where lazy: its variance, or a bound, when begin was called */
    double grown;             /* the most by which a noise of then has grown; infinite: not all of them are there */
    double apart;             /* what merging rows subtracts from the log likelihood: depends on the observations alone */
    tvgp__log_product merged; /* of the observations since the last fit, its part with a logarithm */
} tvgp__refit;

/* A posterior whose observations are replaced by tvgp__refit_begin, add and end; observe adds one and fits again. */
tvgp_status tvgp__refit_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__posterior **out);

/* Makes room for n observations in all (only as many as there are arms take room). NOMEM, LIMIT; nothing changed. */
tvgp_status tvgp__refit_room(tvgp__posterior *p, size_t n);
/* The same of a state that is loaded, which gets no more than it needs. */
tvgp_status tvgp__refit_room_loaded(tvgp__posterior *, size_t n);

/* Replaces all observations. Begin forgets those there are and sets the time. */
void tvgp__refit_begin(tvgp__posterior *p, double now);
/* Then each observation is added, y relative to the prior mean; there must be room, and the kernel's row of the arm held. */
void tvgp__refit_add(tvgp__posterior *p, size_t arm, double y, double noise);
/* Finally, computes mean, variance, log marginal likelihood and log_det_ratio. Returns how often a diagonal was raised
 * because the system was singular (linalg/chol.h). */
size_t tvgp__refit_end(tvgp__posterior *p);
/* Is called before it where all observations of before are among these again, with noises at most `grown` times theirs. */
void tvgp__refit_carry(tvgp__posterior *p, double grown);

/* ---- for methods built on it ------------------------------------------------------------------------------------ */

/* Allocates a posterior that is a struct of `size` bytes with a tvgp__refit as its first member; its release must end with
 * tvgp__refit_release. The rest are ops of such a posterior that it can use as they are. */
tvgp_status tvgp__refit_create(tvgp_ctx *ctx, const tvgp__posterior_ops *ops, const tvgp_kernel *kernel, size_t n,
                               const double *X, size_t size, void *out);
void tvgp__refit_release(tvgp__posterior *p);
void tvgp__refit_visit(tvgp__posterior *p, tvgp__visit *v); /* also holds the kernel's rows */
tvgp_status tvgp__refit_share(tvgp__posterior *p);
void tvgp__refit_refine(tvgp__posterior *p, size_t n, const size_t *arm);
void tvgp__refit_column(tvgp__posterior *p, size_t arm, double *out);
tvgp_status tvgp__refit_predictive(tvgp__posterior *p, double t, tvgp__predictive *out);

#endif
