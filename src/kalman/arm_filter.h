/* SPDX-License-Identifier: MIT */
/* Kalman filters of independent arms with a common level. The prior of the reward of arm a is
 *   f_t(a) = c_t + sqrt(q) S_a + sqrt(1 - q) G_t(a),   S_a, G_t(a) ~ N(0, 1),   corr(G_t, G_t') = (1 - eps)^(|t - t'| / 2),
 * where c_t is an Ornstein-Uhlenbeck process of variance v_c and rate eps_c. The state z = (c, G_1, S_1, G_2, S_2, ..) holds the
 * observed arms; S is left out if q = 0, or if eps = 0, where G is constant too. The prior covariance D of z is diagonal
 * and stationary, so a filter stores K = D - P, the reduction by the data, where P is the posterior covariance:
 *   a step of time      z <- M z,  K <- M K M,   M diagonal: (1 - eps_c)^(dt / 2), (1 - eps)^(dt / 2) and 1
 *   an observation      h'z + noise:  g = P h,  s = h'P h + noise,  z <- z + g e / s,  K <- K + g g' / s
 * h has one entry for c and one or two of its arm, so g is read from as many columns of K. K = W R W + U U' with W diagonal. A filter
 * adds U to R at every sixteenth observation, each filter at another one. An arm without observations has zeros in K, so
 * the rank is the rank of the observed arms.
 *
 * An observation delayed by `age` observes E[f_(t - age) | z_t] = h(age)'z; the remaining variance counts as noise. An
 * observation costs r^2 flops for adding U to R and about 70 r for the rest, with r entries of z. */
#ifndef TVGP__KALMAN_ARM_FILTER_H
#define TVGP__KALMAN_ARM_FILTER_H

#include "base/visit.h"

/* TURN: observations between two additions of U to R. NONE: the slot of an arm that was not observed. */
enum { TVGP__ARM_FILTER_TURN = 16 };
#define TVGP__ARM_FILTER_NONE SIZE_MAX

/* The prior of one filter, and the noise variance it assumes. Rates are for one unit of time. */
typedef struct tvgp__arm_model {
    double rate, lasting, level, level_rate, noise; /* eps, q, v_c, eps_c, nu */
    double sd; /* of an arm's own part, in the unit of outcomes; only where it is not learned */
} tvgp__arm_model;

/* What an arm shows of the state: c times `level` plus the parts of the arm times `part`. */
typedef struct tvgp__arm_view {
    double level, part[2];
} tvgp__arm_view;

/* One filter. Vectors over the state have room for 1 + states x room entries. */
typedef struct tvgp__arm_filter {
    tvgp__arm_model model;
    size_t states;        /* parts of an arm: 1 (G), or 2 (G and S) */
    double *mean, *level; /* mean of the state; its row of K for c */
    double *own;          /* K within each arm: GG, or GG, GS, SS */
    double *R;            /* one triangle, of leading dimension `ld`; NULL: room for no arm */
    size_t ld;            /* 1 + states x room */
    int upper;            /* which triangle */
    size_t order;         /* the first entries of the state, which R covers; R is 0 beyond */
    double fade[2];       /* W: entries of c and of every G; those of S are 1 */
    double *U;            /* TURN columns of ld */
    size_t fresh;         /* columns of U in use */
} tvgp__arm_filter;

/* Filters of the same arms. */
typedef struct tvgp__arm_filters {
    tvgp_ctx *ctx;
    size_t count;
    size_t room, n; /* arms there is memory for; arms observed */
    size_t *arm;    /* room: their numbers, in order of their first observation; the place here is the slot */
    tvgp__arm_filter *filter;
    double *block, *gain, *fading; /* the vectors; workspace: g, entries of a diagonal */
    double *triangles;             /* every R, two in a rectangle */
} tvgp__arm_filters;

/* Makes filters of these models with room for no arm. NOMEM. */
tvgp_status tvgp__arm_filters_new(tvgp_ctx *ctx, size_t count, const tvgp__arm_model *models, tvgp__arm_filters *out);
void tvgp__arm_filters_free(tvgp__arm_filters *set);
/* Counts the bytes of the filters with room for this number of arms. */
double tvgp__arm_filters_bytes(const tvgp__arm_filters *set, size_t room);
/* Makes room for n arms, `most` at most. NOMEM: nothing has changed. */
tvgp_status tvgp__arm_filters_reserve(tvgp__arm_filters *set, size_t n, size_t most);
/* Gives `to`, made of the same models with room enough, the state of `from`. */
void tvgp__arm_filters_copy(const tvgp__arm_filters *from, tvgp__arm_filters *to);
/* Forgets all observations. */
void tvgp__arm_filters_reset(tvgp__arm_filters *set);
/* Saves or loads the state (base/visit.h) of arms below `arms`. */
void tvgp__arm_filters_visit(tvgp__arm_filters *set, size_t arms, tvgp__visit *v);

/* Finds the slot of an arm, or NONE; the second gives the arm one, for which there must be room. */
size_t tvgp__arm_filters_slot(const tvgp__arm_filters *set, size_t arm);
size_t tvgp__arm_filters_join(tvgp__arm_filters *set, size_t arm);

/* Gives what an arm shows of the state `elapsed` units later, or showed so long ago. */
tvgp__arm_view tvgp__arm_filter_view(const tvgp__arm_filter *f, double elapsed);
/* Moves a filter through time. */
void tvgp__arm_filter_advance(tvgp__arm_filters *set, tvgp__arm_filter *f, double elapsed);
/* Predicts what the view shows at an arm, by slot or NONE: mean and variance, with the variance that the view leaves. */
void tvgp__arm_filter_moments(const tvgp__arm_filters *set, const tvgp__arm_filter *f, const tvgp__arm_view *view,
                              size_t slot, double *mean, double *var);
/* Gives the part of the variance of an arm now, by slot or NONE, that all its later outcomes of this noise variance could remove, one
 * in each unit of time. The level is left out, since it is the same for all arms, and so is change within one unit. */
double tvgp__arm_filter_resolvable(const tvgp__arm_filters *set, const tvgp__arm_filter *f, size_t slot, double noise);
/* Takes in an observation with innovation e, of variance S with its noise. `number` counts the observations. */
void tvgp__arm_filter_observe(tvgp__arm_filters *set, tvgp__arm_filter *f, const tvgp__arm_view *view, size_t slot, double S,
                              double e, size_t number);
/* Forgets all arms: the prior, with the common level as `from`, a filter of the same model, knows it. There is an arm. */
void tvgp__arm_filter_restart(const tvgp__arm_filters *set, const tvgp__arm_filter *from, tvgp__arm_filter *f);
/* Writes the covariance of f at an arm, by slot or NONE, with f at every slot and, behind them, at another arm without a slot;
 * all of them at the later time of this view. */
void tvgp__arm_filter_column(const tvgp__arm_filters *set, const tvgp__arm_filter *f, const tvgp__arm_view *view,
                             size_t slot, double *out);

#endif
