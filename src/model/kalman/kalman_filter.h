/* SPDX-License-Identifier: MIT */
/* Exact Kalman filters of the values of all arms under stationary drift models (space/temporal/drift.h). Several filters, one
 * for each candidate drift model, share one basis of features (model/feature/basis.h).
 *
 * The state is s = (f), or s = (f, u) if the drift model has a derivative u. In weight space its posterior covariance is
 *   P = sum_p E_p x C_p - (N x I) R (N x I)' - U U',   Cov(Phi w) = Phi P Phi',
 * where C_p is the prior covariance of kernel p in the basis (I if there is one kernel; then E = I). A step of time
 * multiplies from the left: N <- M N, U <- (M x I) U, E_p <- M E_p M' (+ Q for the filter's own kernel). An observation
 * of h'(f, u) at an arm with weights phi appends the column u = c / sqrt(S), c = P (h x phi), to U. A filter adds its U
 * to R at every sixteenth observation, each filter at another one, so that no step does all of this work. A filter of at
 * most 32 weights does so whenever that reduces storage. Means and variances of all arms are kept as well, at O(A) a step.
 *
 * The mixture copies filters often and conditions few of them (model/kalman_mixture.h). A copy therefore shares R
 * with its source until one of the two adds to it (`users` of a core counts them), and costs O(A + r) instead of O(r^2).
 * If another copy of the same drift model and source was made since the last update, a copy borrows that copy's whole
 * state (`lender`) at no cost. A borrower gets its own state before the lender's changes, and before its own does.
 *
 * The observed quantity may be h'(f, u) + k, with an unknown constant k, the same at all arms and times. A filter keeps
 * its mean k, its variance kk, and its covariance with f and u, over the arms (fk) and in weights (pk).
 *
 * A filter may have a season (space/temporal/season.h). It then has one state and S r weights h(t) x phi, which decay: read S
 * r for r above (`size`). Mean and variances of the arms are computed from the weights' mean w and from R when time
 * advances. Without arms (n = 0, model/kalman/kalman_filters_points.h) the mean is kept in weights, `omega`, and phi'f is
 * observed.
 *
 * Flops of one observation, d = 1 or 2 states, A arms, rank r: 2 A r d for the columns of all arms, 2 r^2 for each R
 * with one state (8 r^2 with two) however many filters share it, r^2 d^2 for adding U to R; with a season 2 (S r)^2, and
 * at each step of time (S r)^2 + 2 A r^2. */
#ifndef TVGP__MODEL_KALMAN_KALMAN_FILTER_H
#define TVGP__MODEL_KALMAN_KALMAN_FILTER_H

#include "model/feature/basis.h"
#include "model/kalman/kalman_core.h"
#include "space/temporal/drift.h"
#include "space/temporal/season.h"

/* These spread the work of adding U to R. Every filter does it once in TURN observations. Its U has room for twice as
 * many columns, so that a filter with fewer than TURN of them can wait for its next turn. FEW_ARMS, FEW_TURN: with few arms
 * R is small and U would be as large, so filters add U more often, and also when it is full. SMALL: weights of a filter
 * that has no turns. */
enum {
    TVGP__KALMAN_FILTER_TURN = 16,
    TVGP__KALMAN_FILTER_FRESH = 2 * TVGP__KALMAN_FILTER_TURN,
    TVGP__KALMAN_FILTER_FEW_ARMS = 64,
    TVGP__KALMAN_FILTER_FEW_TURN = 8,
    TVGP__KALMAN_FILTER_SMALL = 32
};

/* One filter: what it is of, its state, and its columns at the arm looked at last. n, r and `size` are those of its set. */
typedef struct tvgp__kalman_filter {
    struct tvgp__kalman_filter *lender; /* the filter whose members `mean` to `pk` it reads (not k and kk); NULL: its own */
    size_t borrowers;                   /* how many filters have it as their lender */
    const struct tvgp__kalman_filter *source; /* the filter it was copied from last */
    size_t copied_at; /* set->updates at that copy, until it is conditioned and has a turn of its own; then 0 */
    tvgp__drift drift;
    size_t prior;            /* the number of its kernel */
    double level;            /* factor of the noise variances it receives */
    size_t states;           /* 1: f; 2: f and u */
    double *mean;            /* of f, then of u; n each */
    double *var;             /* variance of f, of u, and their covariance; n each */
    double *E;               /* priors x 4 */
    tvgp__kalman_core *core; /* R; NULL: 0 */
    double N[2][2];
    size_t fresh;                   /* columns of U */
    double *U;                      /* 2 r x tvgp__kalman_filter_room: the f-part of a column, and behind it the u-part */
    double k, kk, *fk, *pk;         /* the constant: mean, variance, covariances with f, u: n each, r each */
    double *m;                      /* 2: the entries of mean at the arm looked at */
    double h[2], *c[2], *g[2], g_k; /* the last columns: P (h x phi), the same at all arms, and that of the constant */
    double own[2];                  /* the entries of g at the arm looked at */
    double added;                   /* the variance that time has added since the observation, over k(x, x) */
    double *omega;                  /* where there are no arms: mean of f and u in weights, r each */
    double *w;                      /* with a season: mean of the weights, `size` of them; otherwise NULL */
    double seen_mean, seen_var;     /* with a season: moments of h'f at the arm looked at, without prior mean and constant */
} tvgp__kalman_filter;

/* Filters on one basis, with all the memory they need. n is the number of arms, r the rank of the basis. */
typedef struct tvgp__kalman_filters {
    tvgp_ctx *ctx;
    tvgp__basis basis;
    size_t priors, count;        /* kernels; filters */
    size_t updates;              /* how often a filter was conditioned; it begins at 1 */
    tvgp__kalman_filter *filter; /* count of them */
    double *variance;            /* priors x n: k_p(x, x) */
    double *mean;                /* priors x n: prior means */
    double *constant;            /* priors: prior variance of the constant */
    int constants;               /* whether there is a constant */
    double largest;              /* the largest of the variances */
    size_t jitter;               /* how often the observation of what was known exactly was helped by jitter */
    double *C;                   /* priors x r x r, lower triangles; NULL with one prior */
    tvgp__kalman_core *cores;    /* `ones` of one state, then `twos` of two, then `seasons` */
    size_t ones, twos, turn;     /* turn: those with this number modulo TURN add U to R next */
    double *R;                   /* the numbers of the cores */
    size_t touched, columns;     /* cores whose pages have been touched, from the last one on, and columns of the next */
    size_t arm;                  /* the arm looked at */
    double *rest;        /* priors: the part of its variance that features do not explain, which counts as its noise */
    double left;         /* the largest such part of any arm; 0: no more than round-off */
    double *at;          /* priors x 2: k_p(x, x) and prior means of the arm; behind them the filters' m, then phi */
    double *phi, *c, *G; /* workspace: phi and its products with C; columns, 2 count times r and n */
    double *sum;         /* r: workspace of a mixture */
    double *square;      /* where there are no arms: workspace of r^2 */
    double *block;       /* the allocation that the doubles above are in */
    size_t room;         /* the rank there is memory for */
    tvgp__season season;
    size_t seasons, season_states, size; /* how many filters have a season; S; S r */
    struct {
        double t, *now, *h; /* the present; the S features of the season now, and at the time last looked at */
        double *x;          /* size: the latter times phi of the arm looked at */
        double *mean, *cross,
            *R;             /* f then: mean, covariance with the constant (r each), what is known of it (r x r, lower) */
        double *phi, *work; /* workspace: r, r x r */
    } then;
} tvgp__kalman_filters;

/* Gives the filter whose members hold the state of f: itself or its lender. */
static inline const tvgp__kalman_filter *tvgp__kalman_filter_state(const tvgp__kalman_filter *f) {
    return f->lender ? f->lender : f;
}
static inline int tvgp__kalman_filter_few(const tvgp__kalman_filters *set, size_t r) {
    const size_t n = set->basis.n;
    return n && n <= TVGP__KALMAN_FILTER_FEW_ARMS && r > TVGP__KALMAN_FILTER_SMALL && !set->basis.shard && !set->seasons;
}
/* Returns the observations between two turns of a filter of r weights. */
static inline size_t tvgp__kalman_filter_turn(const tvgp__kalman_filters *set, size_t r) {
    return tvgp__kalman_filter_few(set, r) ? TVGP__KALMAN_FILTER_FEW_TURN : TVGP__KALMAN_FILTER_TURN;
}
/* Returns how many columns a U has room for. A filter of few weights (is_small of kalman_filter.c) adds U to R before it has
 * more than r + 1 columns; the rest is room for a basis that comes out a little smaller when arms come. */
static inline size_t tvgp__kalman_filter_room(const tvgp__kalman_filters *set, size_t r) {
    const size_t most = tvgp__kalman_filter_few(set, r) ? TVGP__KALMAN_FILTER_FEW_TURN : TVGP__KALMAN_FILTER_FRESH;
    return r + 4 < most ? r + 4 : most;
}
/* Counts the weights of a filter: r, or with a season `size`. */
size_t tvgp__kalman_filter_rank(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f);

/* Gives a filter the prior state of this drift model, kernel and noise factor, with the columns it would have at the
 * current arm. */
void tvgp__kalman_filter_start(tvgp__kalman_filters *set, tvgp__kalman_filter *f, const tvgp__drift *drift, size_t prior,
                               double level);
/* Moves the state of a filter through time. */
void tvgp__kalman_filter_advance(tvgp__kalman_filters *set, tvgp__kalman_filter *f, double elapsed);

/* Says how much of the variance S of a late observation comes from what has changed since. */
double tvgp__kalman_filter_blur(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f);
/* Predicts an observation at the arm of the last columns, without its noise and what features leave: returns the variance, >= 0. */
double tvgp__kalman_filter_expect(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double *mean);
/* Compares an observation y of this noise, at the arm of the last columns, with the prediction of f: writes the variance
 * S of y and the innovation e. Jitter is added to S if it is round-off. */
void tvgp__kalman_filter_innovation(tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double y, double noise,
                                    double *S, double *e);
/* Takes the observation in, of which S and e were found: the filter must have been spread (tvgp__kalman_filters_spread). */
void tvgp__kalman_filter_condition(tvgp__kalman_filters *set, tvgp__kalman_filter *f, double S, double e);

/* Gives f the state of `from`, and keeps the drift model, kernel and noise factor of f. If f has one state and `from`
 * two, u is lost; if f has two and `from` one, u ~ (0, K) is uncorrelated with f. Between a filter with a season and one
 * without, the present posterior of f is transferred. The copy is made on write, as described above. */
void tvgp__kalman_filter_copy(tvgp__kalman_filters *set, tvgp__kalman_filter *f, tvgp__kalman_filter *from);

/* Adds U to R in those filters whose turn it is. It is called after each observation. */
void tvgp__kalman_filter_turns(tvgp__kalman_filters *set);

/* Predicts what is observed at an arm after a step of time: mean and variance without noise. */
void tvgp__kalman_filter_arm_at(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f,
                                const tvgp__drift_transition *t, size_t arm, double *mean, double *var);

/* Predicts the state of f in weight space `elapsed` later, for one kernel of prior mean zero: writes the mean (r), and adds
 * `share` of what is known, I - P, to the lower triangle of S (r x r), and `share` of the covariance with the constant to
 * cross (r). Overwrites set->phi. */
void tvgp__kalman_filter_weights(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double elapsed, double share,
                                 double *mean, double *S, double *cross);

#endif
