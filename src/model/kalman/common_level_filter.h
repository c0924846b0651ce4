/* SPDX-License-Identifier: MIT */
/* Kalman filters of independent arms with a common level, in numbered contexts. The prior of the reward of arm a in context h is
 *   f_t(a, h) = c_t + sqrt(v_E) E_h + sqrt(1 - p) (sqrt(q) S_a + sqrt(1 - q) G_t(a)) + sqrt(p) D_ah,
 * with E_h, S_a, G_t(a), D_ah ~ N(0, 1), corr(G_t, G_t') = (1 - eps)^(|t - t'| / 2), and an Ornstein-Uhlenbeck process c_t of variance
 * v_c and rate eps_c. The state z = (c, ..) holds the parts of what was observed: G and S of an arm, E of a context, D of a pair. S is
 * left out if q = 0, or if eps = 0, where G is constant too, and E and D if p = v_E = 0. The prior covariance D of z is diagonal and
 * stationary, so a filter stores K = D - P, the reduction by the data, where P is the posterior covariance:
 *   a step of time      z <- M z,  K <- M K M,   M diagonal: (1 - eps_c)^(dt / 2), (1 - eps)^(dt / 2) and 1
 *   an observation      h'z + noise:  g = P h,  s = h'P h + noise,  z <- z + g e / s,  K <- K + g g' / s
 * h has an entry for c and at most four others, so g is read from as many columns of K. K = W R W + U U' with W diagonal. A filter
 * adds U to R at every sixteenth observation, each filter at another one. A part without observations has zeros in K, so the rank is
 * the number of observed parts, and a part is integrated out by setting its row and column of K to 0.
 *
 * An observation delayed by `age` observes E[f_(t - age) | z_t] = h(age)'z; the remaining variance counts as noise. An
 * observation costs r^2 flops for adding U to R and about 70 r for the rest, with r entries of z. */
#ifndef TVGP__MODEL_KALMAN_COMMON_LEVEL_FILTER_H
#define TVGP__MODEL_KALMAN_COMMON_LEVEL_FILTER_H

#include "base/visit.h"

/* TURN: observations between two additions of U to R. NONE: no slot, or no item. PARTS: entries of h except the entry of c. */
enum { TVGP__COMMON_LEVEL_TURN = 16, TVGP__COMMON_LEVEL_PARTS = 4 };
#define TVGP__COMMON_LEVEL_NONE SIZE_MAX

/* What has a slot when it was observed. */
enum { TVGP__COMMON_LEVEL_ARM, TVGP__COMMON_LEVEL_CONTEXT, TVGP__COMMON_LEVEL_PAIR, TVGP__COMMON_LEVEL_TYPES };

/* The prior of one filter, and the noise variance it assumes. Rates are for one unit of time. */
typedef struct tvgp__arm_model {
    double rate, lasting, level, level_rate, noise; /* eps, q, v_c, eps_c, nu */
    double pair, context;                           /* p, v_E */
    double sd;     /* of an arm's own part, in the unit of outcomes; only where it is not learned */
    double weight; /* prior probability */
} tvgp__arm_model;

/* The coefficients of the parts of a reward in the state, at a time. */
typedef struct tvgp__arm_view {
    double level, part[2], context, pair; /* of c, of G and S, of E, of D */
} tvgp__arm_view;

/* An arm in a context: the numbers of both and of the pair, and their slots; or NONE. */
typedef struct tvgp__arm_entries {
    size_t item[TVGP__COMMON_LEVEL_TYPES], slot[TVGP__COMMON_LEVEL_TYPES];
} tvgp__arm_entries;

/* Numbers of slots. */
typedef struct tvgp__arm_extent {
    size_t arms, others; /* others: contexts and pairs */
} tvgp__arm_extent;

/* One filter. Vectors over the state have room for `ld` entries. */
typedef struct tvgp__common_level_filter {
    tvgp__arm_model model;
    size_t states, other; /* parts of an arm: 1 (G), or 2 (G and S); of a context and of a pair: 0 or 1 */
    double *mean, *level; /* mean of the state; its row of K for c */
    double *own, *next;   /* K of each entry, and of each with the next; next: two states only */
    double *R;            /* one triangle, of leading dimension `ld`; NULL: room for no arm */
    size_t ld;            /* 1 + states x room for arms + other x room for others */
    int upper;            /* which triangle */
    size_t order;         /* the first entries of the state, which R covers; R is 0 beyond */
    double fade[2];       /* W: entries of c and of every G; the others are 1 */
    const double *drifts; /* 1 for every G, otherwise 0 */
    double *U;            /* TURN columns of ld */
    size_t fresh;         /* columns of U in use */
} tvgp__common_level_filter;

/* What the filters are of. */
typedef struct tvgp__arm_items {
    size_t actions, contexts; /* contexts 1: there are none */
    size_t pairs;             /* slots of pairs at most: the one observed longest ago makes room for a new one */
} tvgp__arm_items;

/* Filters of the same arms. The slots of all types are in order of their first observation. */
typedef struct tvgp__common_level_filters {
    tvgp_ctx *ctx;
    size_t count;
    tvgp__arm_items items;
    tvgp__arm_extent room, n; /* slots there is memory for; slots in use */
    size_t pairs;             /* of n.others */
    size_t *item;             /* of each slot: arms, then contexts, then pairs are numbered on */
    size_t *before;           /* of each slot: slots of arms before it */
    size_t *used;             /* of each slot: the number of its last observation */
    uint32_t *slot;           /* of each item, plus 1; 0: none */
    tvgp__common_level_filter *filter;
    double *block, *gain, *fading; /* the vectors; workspace: g, entries of a diagonal */
    double *drifts[2][2];          /* of filters with this many states - 1 and others */
    double *triangles;             /* every R, two in a rectangle */
} tvgp__common_level_filters;

/* Makes filters of these models with room for nothing. NOMEM. */
tvgp_status tvgp__common_level_filters_new(tvgp_ctx *ctx, size_t count, const tvgp__arm_model *models,
                                           const tvgp__arm_items *items, tvgp__common_level_filters *out);
void tvgp__common_level_filters_free(tvgp__common_level_filters *set);
/* Counts the bytes of the filters should everything be observed. */
double tvgp__common_level_filters_bytes(const tvgp__common_level_filters *set);
/* Makes room for observations of n arms, each an action in a context. NOMEM: nothing has changed. */
tvgp_status tvgp__common_level_filters_reserve(tvgp__common_level_filters *set, size_t n, const size_t *arm);
/* Gives `to`, made of the same models for as many items or more, the state of `from`. NOMEM: nothing has changed. */
tvgp_status tvgp__common_level_filters_copy(const tvgp__common_level_filters *from, tvgp__common_level_filters *to);
/* Forgets all observations. */
void tvgp__common_level_filters_reset(tvgp__common_level_filters *set);
/* Saves or loads the state (base/visit.h). */
void tvgp__common_level_filters_visit(tvgp__common_level_filters *set, tvgp__visit *v);

/* Finds the entries of arm x contexts + context. */
tvgp__arm_entries tvgp__common_level_filters_find(const tvgp__common_level_filters *set, size_t arm);
/* The entries of an arm that was never observed, in this context. */
tvgp__arm_entries tvgp__common_level_filters_other(const tvgp__common_level_filters *set, size_t context);
/* Gives an arm the slots it lacks, for which there must be room. `number` counts the observations. */
tvgp__arm_entries tvgp__common_level_filters_join(tvgp__common_level_filters *set, size_t arm, size_t number);

/* Gives the coefficients of the state `elapsed` units later, or of the reward so long ago. */
tvgp__arm_view tvgp__common_level_filter_view(const tvgp__common_level_filter *f, double elapsed);
/* Moves a filter through time. */
void tvgp__common_level_filter_advance(tvgp__common_level_filters *set, tvgp__common_level_filter *f, double elapsed);
/* Predicts the reward of an arm by this view: mean and variance, with the variance that the view leaves. */
void tvgp__common_level_filter_moments(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                       const tvgp__arm_view *view, const tvgp__arm_entries *at, double *mean, double *var);
/* Gives the part of the variance of an arm at the time of this view that all its later outcomes of this noise variance could remove, one in each unit of
 * time. Level and context are left out, since they are the same for all arms, and so is change within one unit. */
double tvgp__common_level_filter_resolvable(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                            const tvgp__arm_view *view, const tvgp__arm_entries *at, double noise);
/* Takes in an observation with innovation e, of variance S with its noise. `number` counts the observations. */
void tvgp__common_level_filter_observe(tvgp__common_level_filters *set, tvgp__common_level_filter *f,
                                       const tvgp__arm_view *view, const tvgp__arm_entries *at, double S, double e,
                                       size_t number);
/* Forgets all arms: the prior, with the common level as `from`, a filter of the same model, knows it. There is an arm. */
void tvgp__common_level_filter_restart(const tvgp__common_level_filters *set, const tvgp__common_level_filter *from,
                                       tvgp__common_level_filter *f);
/* Sets the workspace to the gain of an arm, for which the second function gives covariances with other arms at the later time of
 * this view. */
void tvgp__common_level_filter_look(tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                    const tvgp__arm_view *view, const tvgp__arm_entries *at);
double tvgp__common_level_filter_covariance(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                            const tvgp__arm_view *view, const tvgp__arm_entries *at,
                                            const tvgp__arm_entries *with);

#endif
