/* SPDX-License-Identifier: MIT */
/* The posterior of a fixed mixture: filters of independent arms with a common level, in contexts (model/kalman/common_level_filter.h), one
 * for each model of a grid, weighed by marginal likelihood. Nothing is optimised: the grid covers the rates of change, the
 * permanent part, the drift of the level, the noise and the part of contexts, and each filter learns the scale of the reward.
 *
 * Rewards count from the first outcome, the origin. Until an outcome differs from it the scale is unknown: filters are
 * conditioned on outcomes, and weights and factors stay as they are. The first outcome y that differs gives every filter
 * an inverse gamma prior of the factor of all its variances, a = 1, b = .3 (y - origin)^2. This and every later outcome,
 * of innovation e_j and variance S_j in filter j, updates
 *   ln p_j = ln Gamma(a + 1/2) - ln Gamma(a) - ln(2 pi b_j S_j) / 2 - (a + 1/2) ln(1 + e_j^2 / (2 b_j S_j))
 *   w_j <- w_j p_j / sum w p;   a <- a + 1/2;   b_j <- b_j + e_j^2 / (2 S_j);   w_j <- (1 - r w^2) w_j + r w^2 pi_j
 * pi_j is the prior probability of the model. An outcome with its own noise variance u has noise u a / b_j in filter j. The second outcome sets the unit also if it is equal
 * and u > 0; 3 u joins b. With f_j = b_j / a, the moments are
 *   mean = sum w_j m_j,   var = sum w_j (f_j v_j + (m_j - mean)^2),   noise = sum w_j f_j nu_j
 * The share w = var / (var + noise) belongs to the outcome's arm just before, so little information changes few weights.
 * Means are relative to the origin (member `origin` of tvgp__posterior).
 *
 * The filters are at the time of the newest outcome, the front, and predictions extrapolate. An outcome of a later query is exact,
 * however late it comes. One of an earlier query is a blurred observation of the front.
 *
 * Counts y of exposure E have a link and known noise instead of a factor to learn: f_j = s_j^2 for ever, with the prior
 * standard deviation s_j of an arm. The origin is the link of the first rate, away from 0. Each filter, with mean m and
 * variance v of the arm, takes a normal site (space/outcome/count.h) and has density p_j = integral of N(z; m, v) p(y | z). The
 * share is r w^2 with w = v I / (1 + v I), I the information of the count about z at the mean of the mixture.
 *
 * Abrupt changes: a model in which all arms may be redrawn has two filters, which divide its weight by Bayes' rule. If one
 * falls below h times the other, it restarts from the prior with the common level of the other, and gets h / (1 + h) of
 * the weight of both: all arms were redrawn just now. A change thus counts as far as later outcomes support it, and
 * the state before it is kept until they contradict that by 1 / h.
 *
 * Memory for r observed arms: J filters of r (r + 1) / 2 numbers, or of r (2 r + 1) with a permanent part. */
#ifndef TVGP__MODEL_ARM_MIXTURE_H
#define TVGP__MODEL_ARM_MIXTURE_H

#include "model/kalman/common_level_filter.h"
#include "model/posterior/posterior_ops.h"
#include "space/outcome/outcome.h"

enum { TVGP__ARM_MIXTURE_EXPOSURES = 32 };

typedef struct tvgp__arm_mixture_spec {
    size_t n;
    const tvgp__arm_model *models;     /* n of them */
    size_t dim;                        /* coordinates of an arm: 2 with its context */
    size_t contexts;                   /* arms are actions x contexts of this number; 1: there are none */
    size_t pairs;                      /* of these, states held at most */
    size_t abrupt;                     /* of these the last so many have abrupt changes */
    double hazard;                     /* h: probability per outcome that all arms are drawn again, in these */
    const tvgp__outcome_count *counts; /* outcomes are counts of this type; NULL: numbers */
    int turned;                        /* of counts: the process is minus their link, because they are minimised */
    double switching;                  /* r: probability per outcome that another model holds from now on, for w = 1 */
    int64_t limit;                     /* bytes of the filters, should all arms be observed; 0: no limit */
} tvgp__arm_mixture_spec;

typedef struct tvgp__arm_mixture {
    tvgp__posterior base;
    tvgp__common_level_filters set;
    size_t models, abrupt; /* filter models + i is the second one of model models - abrupt + i */
    double switching, hazard, time_unit;
    double front;         /* the time of the filters; -infinity before the first outcome */
    int differs;          /* whether an outcome has shown the unit: it differed from the origin, or stated its noise */
    int constant_share;   /* w is 1: where all arms may change abruptly, so that one outlier does not seem such a change */
    double a, *b;         /* of the factors; b: one for each filter */
    double *rate;         /* eps of each filter; the members below stand behind */
    double *weight;       /* w */
    double *prior;        /* pi of each model */
    double *density;      /* workspace */
    double *variance;     /* workspace */
    tvgp__arm_view *view; /* of each filter, as set last */
    double *column;       /* workspace of covariances (arm_mixture_predict.c) */
    size_t column_slots;
    int has_means;                                /* whether the workspace has the means of all filters at `now` */
    const tvgp__outcome_count *counts;            /* as in the spec */
    double sign;                                  /* -1: turned; otherwise 1 */
    double exposure[TVGP__ARM_MIXTURE_EXPOSURES]; /* of the counts seen last, by number; 0: not that many */
    int64_t limit;                                /* as in the spec */
} tvgp__arm_mixture;

extern const tvgp__posterior_ops tvgp__arm_mixture_ops, tvgp__arm_mixture_of_counts;

/* Makes the kernel of independent arms, of points with or without the coordinate of a context. NOMEM. */
tvgp_status tvgp__arm_mixture_kernel(tvgp_ctx *ctx, size_t dim, tvgp_kernel **out);

/* Makes the posterior on n arms X. LIMIT (the limit of the spec), NOMEM. */
tvgp_status tvgp__arm_mixture_new(tvgp_ctx *ctx, const tvgp__arm_mixture_spec *spec, size_t n, const double *X,
                                  tvgp__posterior **out);

/* Gives the time from the front to t in units. */
double tvgp__arm_mixture_units(const tvgp__arm_mixture *g, double t);
/* Sets the views of all filters to a time before or after the front. */
void tvgp__arm_mixture_look(tvgp__arm_mixture *g, double t);
/* Gives the moments of the mixture by these views for the entries of an arm; relative to the origin. */
void tvgp__arm_mixture_mix(tvgp__arm_mixture *g, const tvgp__arm_entries *at, double *mean, double *var);
/* Counts the arms whose moments and covariances suffice for all arms: slots, or in contexts the arms, and one more. */
size_t tvgp__arm_mixture_entries(const tvgp__arm_mixture *g);

/* Ops in arm_mixture_predict.c. */
void tvgp__arm_mixture_at(tvgp__posterior *base, double t, size_t n, const size_t *arm, double *mean, double *var);
void tvgp__arm_mixture_column(tvgp__posterior *base, size_t arm, double *out);
void tvgp__arm_mixture_draws(tvgp__posterior *base, size_t m, const size_t *arm, double *weight, double *mean, double *sd);
tvgp_status tvgp__arm_mixture_covariance(tvgp__posterior *base, double t, size_t m, const size_t *arm, double *out);
tvgp_status tvgp__arm_mixture_predictive(tvgp__posterior *base, double t, tvgp__predictive *out);

/* These sum up the mixture in one number each, for statistics. */
double tvgp__arm_mixture_factor(const tvgp__arm_mixture *g, size_t j); /* f_j */
double tvgp__arm_mixture_scale(const tvgp__arm_mixture *g);            /* sum w_j f_j */
double tvgp__arm_mixture_level(const tvgp__arm_mixture *g);            /* the mean of the common level, with the origin */
double tvgp__arm_mixture_rate(const tvgp__arm_mixture *g);             /* sum w_j eps_j */
double tvgp__arm_mixture_level_rate(const tvgp__arm_mixture *g);       /* sum w_j eps_c,j */
double tvgp__arm_mixture_effective(const tvgp__arm_mixture *g);        /* 1 / sum w_j^2 */
double tvgp__arm_mixture_contextual(const tvgp__arm_mixture *g);       /* sum of w_j with a part of contexts */
/* Gives the time after which the correlation of an arm's own part is a half in the mixture; infinite when it never is. */
double tvgp__arm_mixture_half_life(const tvgp__arm_mixture *g);

#endif
