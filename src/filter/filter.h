/* SPDX-License-Identifier: MIT */
/* Exact Kalman filters of stationary laws of change (law/law.h) over the arms, several on one basis (feature/basis.h).
 *
 * The state s = (f) or (f, u) of a filter has posterior covariance, in weight space,
 *   P = sum_p E_p x C_p - (N x I) R (N x I)' - U U',   Cov(Phi w) = Phi P Phi',
 * C_p the prior covariance of kernel p in the basis (I when there is one kernel; then E = I). Time multiplies from the left:
 * N <- M N, U <- (M x I) U, E_p <- M E_p M' (+ Q for the filter's own kernel). An observation of h'(f, u) at an arm with
 * weights phi appends the column u = c / sqrt(S), c = P (h x phi), to U; every sixteenth observation U is added to R, of each
 * filter in its turn, so that no step does the work of sixteen; of 32 weights or less, as soon as a filter has fewer numbers
 * with them in an R of its own. Means and variances of all arms are kept beside it, O(A) a step.
 *
 * A bank makes copies that may never be conditioned (belief/bank.h). So copies are made on write: one
 * shares R with its source until one of the two adds to it (`users` of a core), and costs O(A + r) instead of O(r^2). One whose
 * law and source are those of another copy, made since the last update, borrows its whole state (`lender`) and costs nothing:
 * borrowers get a state of their own before the lender's changes, and before theirs does.
 *
 * What is observed may be h'(f, u) + k with one unknown constant k for all arms, which stands still: mean k, variance kk, and
 * its covariance with f and u, over the arms (fk) and in weights (pk), are kept as they are.
 *
 * A filter may have a season (law/season.h): one state and the weights h(t) x phi, S times r of them, which forget. What stands
 * above for r is then S r (size); mean and variances of the arms follow from the weights' mean w and from R when time moves.
 *
 * Without arms (n = 0, filter/filters_atlas.h) the mean is kept in weights, `omega`, and an observation is one of phi'f.
 *
 * Flops of one observation, d = 1 or 2 states, A arms, rank r: 2 A r d for the columns of all arms, 2 r^2 for each R with
 * one state (8 r^2 with two) whatever the number of filters that share it, r^2 d^2 for adding U to R; with a season 2 (S r)^2,
 * and at each step of time (S r)^2 + 2 A r^2. */
#ifndef TVGP__FILTER_FILTER_H
#define TVGP__FILTER_FILTER_H

#include "feature/basis.h"
#include "filter/filter_core.h"
#include "law/law.h"
#include "law/season.h"

/* These spread the work of adding U to R: every filter has its turn to do it once in TURN observations, and its U has room
 * for FRESH columns, so that a filter with fewer than TURN of them can wait for its next turn. */
enum { TVGP__FILTER_TURN = 16, TVGP__FILTER_FRESH = 2 * TVGP__FILTER_TURN };

typedef struct tvgp__filter {
    struct tvgp__filter *lender;       /* whose state it reads, from mean to pk but for k and kk; NULL: it has its own */
    size_t borrowers;                  /* filters whose lender it is */
    const struct tvgp__filter *source; /* of the last copy */
    size_t copied_at; /* set->updates then, and the source adds to R for both; 0: it was conditioned since */
    tvgp__law law;
    size_t prior; /* its kernel */
    double level; /* factor of the noise it is told */
    size_t states;
    double *mean;            /* n each: f, u */
    double *var;             /* n each: of f, of u, their covariance */
    double *E;               /* priors x 4 */
    tvgp__filter_core *core; /* NULL: R = 0 */
    double N[2][2];
    size_t fresh;
    double *U;                      /* 2 r x tvgp__filter_room: f-part, u-part */
    double k, kk, *fk, *pk;         /* the constant: mean, variance; n each, r each: covariances with f, u */
    double *m;                      /* 2: entries of mean at the arm looked at */
    double h[2], *c[2], *g[2], g_k; /* the last columns: of P, of all arms, of the constant */
    double own[2];                  /* the entries of g at the arm looked at */
    double *omega;                  /* without arms: mean of f, u in weights, r each */
    double *w;                      /* size, with a season: mean of the weights; or NULL */
    double seen_mean, seen_var; /* with a season: h'f at the arm of the last columns, beside the prior mean; g_k is apart */
} tvgp__filter;

typedef struct tvgp__filters {
    tvgp_ctx *ctx;
    tvgp__basis basis;
    size_t priors, count;
    size_t updates;           /* how often a filter was conditioned, from 1 */
    tvgp__filter *filter;     /* count of them */
    double *variance;         /* priors x n: k_p(x, x) */
    double *mean;             /* priors x n: prior means */
    double *constant;         /* priors: prior variance of the constant */
    int constants;            /* whether there is one */
    double largest;           /* of the variances */
    size_t jitter;            /* how often an exact observation of what is known was helped */
    double *C;                /* priors x r x r, lower triangles; NULL with one prior */
    tvgp__filter_core *cores; /* ones of one state, as many as filters; twos of two, as many as filters that may have two */
    size_t ones, twos, turn;
    double *R;           /* theirs */
    size_t arm;          /* looked at */
    double *rest;        /* priors: what its features leave of its variance, which counts as noise; 0 to round-off */
    double left;         /* how much of it they leave of any arm at most; 0: round-off */
    double *at;          /* priors x 2: its k_p(x, x) and prior means; behind them the filters' m, then phi */
    double *phi, *c, *G; /* workspace: phi and its products with C; columns, 2 count times r and n */
    double *square;      /* without arms: workspace of r^2 */
    double *block;       /* the doubles above, from one allocation */
    size_t room;         /* the rank there is memory for */
    tvgp__season season;
    size_t seasons, season_states, size; /* filters with a season, cores behind the others; S; S r */
    struct {
        double t, *now, *h;       /* the present; S: its features, those of the time last looked at */
        double *x;                /* size: those with an arm's */
        double *mean, *cross, *R; /* r, r, r x r (lower): f then, its covariance with the constant, what is known of it */
        double *phi, *work;       /* r, r x r */
    } then;
} tvgp__filters;

/* Where the state of a filter stands. */
static inline const tvgp__filter *tvgp__filter_state(const tvgp__filter *f) {
    return f->lender ? f->lender : f;
}
/* Columns that a U has room for: a filter of few weights (is_small of filter.c) adds U to R before it has more than r + 1. The
 * others are for a basis that comes out a little smaller when arms come. */
static inline size_t tvgp__filter_room(size_t r) {
    return r + 4 < TVGP__FILTER_FRESH ? r + 4 : TVGP__FILTER_FRESH;
}
/* Weights of a filter: r, or with a season size. */
size_t tvgp__filter_rank(const tvgp__filters *set, const tvgp__filter *f);

/* The prior state of this law, kernel and noise level, as it would have been looked at. */
void tvgp__filter_start(tvgp__filters *set, tvgp__filter *f, const tvgp__law *law, size_t prior, double level);
void tvgp__filter_advance(tvgp__filters *set, tvgp__filter *f, double elapsed);

/* The part of S that is how much has changed since the time of a late observation. */
double tvgp__filter_blur(const tvgp__filters *set, const tvgp__filter *f);
/* Variance S and innovation e of an observation y at the arm of the last columns, whose noise is told; S is helped by jitter
 * at round-off. */
void tvgp__filter_innovation(tvgp__filters *set, const tvgp__filter *f, double y, double noise, double *S, double *e);
/* Of filters that were spread. */
void tvgp__filter_condition(tvgp__filters *set, tvgp__filter *f, double S, double e);

/* State <- that of `from`; law, kernel and level stay. One state from two keeps f; two from one adds u ~ (0, K), uncorrelated
 * with f; to or from a season it is what is known of f now. Copies are made on write. */
void tvgp__filter_copy(tvgp__filters *set, tvgp__filter *f, tvgp__filter *from);

/* Adds U to R where it is the filter's turn; after each observation. */
void tvgp__filter_turns(tvgp__filters *set);

/* Mean and variance of what is observed at an arm, after a step of time. */
void tvgp__filter_arm_at(const tvgp__filters *set, const tvgp__filter *f, const tvgp__law_transition *t, size_t arm,
                         double *mean, double *var);

/* The state of f in weight space `elapsed` later (one kernel of prior mean zero only): the mean (r), and `share` of what is
 * known of the covariance, I - P, is added to the lower triangle of S, of that with the constant to cross (r). Uses
 * set->phi. */
void tvgp__filter_weights(const tvgp__filters *set, const tvgp__filter *f, double elapsed, double share, double *mean,
                          double *S, double *cross);

#endif
