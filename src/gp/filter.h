/* SPDX-License-Identifier: MIT */
/* Exact Kalman filters of stationary laws of change (gp/law.h) over the arms, several on one basis (gp/basis.h).
 *
 * The state s = (f) or (f, u) of a filter has posterior covariance, in weight space,
 *   P = sum_p E_p x C_p - (N x I) R (N x I)' - U U',   Cov(Phi w) = Phi P Phi',
 * C_p the prior covariance of kernel p in the basis (I when there is one kernel; then E = I). Time multiplies from the left:
 * N <- M N, U <- (M x I) U, E_p <- M E_p M' (+ Q for the filter's own kernel). An observation of h'(f, u) at an arm with
 * weights phi appends the column u = c / sqrt(S), c = P (h x phi), to U; U is added to R when it is full. R is shared by
 * filters of which one was copied from the other, so that a copy costs O(A + r) and not O(r^2). Means and variances of all
 * arms are kept beside it, O(A) a step.
 *
 * Flops of one observation, d = 1 or 2 states, A arms, rank r: 2 A r d for the columns of all arms, 2 r^2 for each R with
 * one state (8 r^2 with two) whatever the number of filters that share it, r^2 d^2 for adding U to R. */
#ifndef TVGP__GP_FILTER_H
#define TVGP__GP_FILTER_H

#include "gp/basis.h"
#include "gp/filter_core.h"
#include "gp/law.h"

enum { TVGP__FILTER_FRESH = 16 }; /* columns of U */

typedef struct tvgp__filter {
    tvgp__law law;
    size_t prior; /* its kernel */
    size_t states;
    double *mean;            /* n each: f, u */
    double *var;             /* n each: of f, of u, their covariance */
    double *E;               /* priors x 4 */
    tvgp__filter_core *core; /* NULL: R = 0 */
    double N[2][2];
    size_t fresh;
    double *U;                 /* 2 r x FRESH: f-part, u-part */
    double h[2], *c[2], *g[2]; /* the last columns: of P, and of all arms */
} tvgp__filter;

typedef struct tvgp__filters {
    tvgp_ctx *ctx;
    tvgp__basis basis;
    size_t priors, count;
    tvgp__filter *filter; /* count of them */
    double *variance;     /* priors x n: k_p(x, x) */
    double *mean;         /* priors x n: prior means */
    double largest;       /* of the variances */
    size_t jitter;        /* how often an exact observation of what is known was helped */
    double *C;            /* priors x r x r, lower triangles; NULL with one prior */
    tvgp__filter_core *cores;
    double *phi, *c, *G; /* workspace: phi and its products with C; columns, 2 count times r and n */
    double *block;       /* the doubles above, from one allocation */
} tvgp__filters;

/* The prior state of this law and kernel. */
void tvgp__filter_start(tvgp__filters *set, tvgp__filter *f, const tvgp__law *law, size_t prior);
void tvgp__filter_advance(tvgp__filters *set, tvgp__filter *f, double elapsed);

/* Variance S and innovation e of an observation y at the arm of the last columns; S is helped by jitter at round-off. */
void tvgp__filter_innovation(tvgp__filters *set, const tvgp__filter *f, size_t arm, double y, double noise, double *S,
                             double *e);
/* Uses up the columns. */
void tvgp__filter_condition(tvgp__filters *set, tvgp__filter *f, double S, double e);

/* State <- that of `from`. One state from two keeps f; two from one adds u ~ (0, K), uncorrelated with f. */
void tvgp__filter_copy(tvgp__filters *set, tvgp__filter *f, tvgp__filter *from);

/* Mean and variance of an arm after a step of time. */
void tvgp__filter_arm_at(const tvgp__filters *set, const tvgp__filter *f, const tvgp__law_transition *t, size_t arm,
                         double *mean, double *var);

/* The state of f in weight space `elapsed` later (one kernel of prior mean zero only): the mean (r), and `share` of what is
 * known of the covariance, I - P, is added to the lower triangle of S. Uses set->phi. */
void tvgp__filter_weights(const tvgp__filters *set, const tvgp__filter *f, double elapsed, double share, double *mean,
                          double *S);

#endif
