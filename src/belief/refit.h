/* SPDX-License-Identifier: MIT */
/* A posterior on arms computed afresh from a list of observations with a noise variance each: for noise that changes with
 * age, and for observations that are replaced. Repeated pulls of an arm are one row of summed precision and weighted mean
 * (the same posterior, as the noises are independent), so a fit costs rows^3 / 3 + rows^2 arms multiply-adds, rows <=
 * arms. */
#ifndef TVGP__BELIEF_REFIT_H
#define TVGP__BELIEF_REFIT_H

#include "belief/belief.h"
#include "linalg/chol.h"

/* An observation with a noise beyond this many prior variances says nothing: it is left out. */
#define TVGP__REFIT_LIMIT 0x1p53

/* First member of a posterior that is fitted this way. */
typedef struct tvgp__refit {
    tvgp__belief base;
    tvgp__chol factor; /* of K + Sigma over the rows */
    size_t slots;      /* room for rows */
    size_t *arm;       /* of each row */
    double *precision; /* rows: sum of 1 / noise */
    double *y;         /* rows: mean of the observations weighted by precision */
    double *z;         /* rows: L^-1 y */
    double *points;    /* rows x dim */
    double *V;         /* rows x a block of arms: workspace */
    size_t *row;       /* per arm: its row, from 1; 0: not observed; NULL when shared: rows are few, and sought */
    double apart;      /* what collapsing takes from the log evidence: depends on the observations alone */
} tvgp__refit;

/* A posterior whose observations are replaced by tvgp__refit_begin, add and end; observe adds one and fits again. */
tvgp_status tvgp__refit_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__belief **out);

/* Makes room for n observations in all (only as many as there are arms take room). NOMEM, LIMIT; nothing changed. */
tvgp_status tvgp__refit_room(tvgp__belief *p, size_t n);

/* Replaces all observations. Begin forgets those there are and sets the time. */
void tvgp__refit_begin(tvgp__belief *p, double now);
/* Then each observation is added, y relative to the prior mean; there must be room, and the kernel's row of the arm held. */
void tvgp__refit_add(tvgp__belief *p, size_t arm, double y, double noise);
/* Last, mean, variance, evidence and log_det_ratio are computed from them. Returns how often a diagonal had to be raised
 * because the system was singular (linalg/chol.h). */
size_t tvgp__refit_end(tvgp__belief *p);

/* ---- for methods built on it ------------------------------------------------------------------------------------ */

/* Allocates a posterior that is a struct of `size` bytes with a tvgp__refit as its first member; its release must end with
 * tvgp__refit_release. The rest are ops of such a posterior that it can use as they are. */
tvgp_status tvgp__refit_create(tvgp_ctx *ctx, const tvgp__belief_ops *ops, const tvgp_kernel *kernel, size_t n,
                               const double *X, size_t size, void *out);
void tvgp__refit_release(tvgp__belief *p);
void tvgp__refit_visit(tvgp__belief *p, tvgp__visit *v); /* also holds the kernel's rows */
tvgp_status tvgp__refit_share(tvgp__belief *p, tvgp__shard *shard);
void tvgp__refit_column(tvgp__belief *p, size_t arm, double *out);
tvgp_status tvgp__refit_form(tvgp__belief *p, double t, tvgp__form *out);

#endif
