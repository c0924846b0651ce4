/* SPDX-License-Identifier: MIT */
/* Mixture of Kalman filters for an unknown rate of change: J exact filters (model/kalman/kalman_filter.h), one for each drift
 * model, noise factor and kernel, weighed by marginal likelihood. One more filter holds the best *hypothesis* "all arms
 * changed abruptly at this recent step". Mean and variance are the moments of the mixture.
 *
 * An observation (arm a, value y, noise variance v) has these effects, where L_j are the log weights and old = L before it:
 *  1  Bayes' rule: L_j += log p(y; m_j[a], P_j[a,a] + level_j v). Every filter and the hypothesis are conditioned on y.
 *  2  c = ln h + logsumexp(old) + log p(y; prior) is the weight of an abrupt change just before y. If c exceeds the weight of
 *     the hypothesis, the hypothesis becomes the prior conditioned on y alone, with the drift model, factor and kernel of the
 *     heaviest filter. Otherwise, if a is another arm than the one of the hypothesis, the hypothesis is confirmed. With `earn`
 *     it is compared with a *witness*, the heaviest filter as it was before the observation of the hypothesis. Both are
 *     conditioned on the outcomes of other arms, and the hypothesis is confirmed while these are more probable under it. One
 *     outlier at one arm is then no abrupt change.
 *  3  A confirmed hypothesis that is heavier than every filter replaces the states of all. Weights return to their values
 *     before the change.
 *  4  A filter whose weight falls below recycle / J times the largest weight takes the heaviest filter's state, and that weight:
 *     this is "with probability `recycle` the drift model changes now", pruned.
 *
 * Drift models may have a season (model/kalman/kalman_filter.h); hypothesis and witness have none. In step 4 a filter takes the
 * state of the heaviest one of its own kind, with a season or without, because a filter without one has no information
 * about other phases.
 *
 * h = 1 - (1 - h_t)^elapsed is the probability of an abrupt change since the previous observation. Its rate h_t is
 * learned: a gamma prior of mean `hazard` with the weight of one change, h_t = (1 + resets) / (1 / hazard + time since
 * the first observation). A rate that was set by name stays.
 *
 * p is Gaussian. With `scale` it is Student's t: kernel and noise have one unknown factor, inverse gamma (1/2, 1/2) in
 * each filter, and variances are multiplied by b / a; an abrupt change is scored with the noise and the factor of the heaviest
 * filter. With `constant` all arms share an unknown offset (model/kalman/kalman_filter.h). With `jump` q the observed arm
 * alone may have changed abruptly: p in step 1 becomes (1 - q) p + q p(y; prior), and the factor learns in proportion to the
 * first term, while the state takes the whole observation. An observation of the past counts as a blurred one of the
 * present (tvgp__kalman_filters_columns), unless a single drift model inserts it at its own time
 * (model/kalman_mixture_delayed.h). */
#ifndef TVGP__MODEL_KALMAN_MIXTURE_H
#define TVGP__MODEL_KALMAN_MIXTURE_H

#include "model/kalman/kalman_filters.h"
#include "model/posterior/posterior_ops.h"

/* What a mixture is created with. */
typedef struct tvgp__kalman_mixture_spec {
    size_t n_drifts, n_levels, n_priors;
    const tvgp__drift *drifts; /* the last `seasonal` of them are forgetting and have the season */
    size_t seasonal;           /* 0 where there are several kernels */
    tvgp__season season;
    const double *levels;              /* what the declared noise may have to be multiplied by; n_levels 0: by 1 */
    const tvgp_kernel *const *kernels; /* n_priors of them */
    const double *const *means;        /* n_priors prior means: NULL, or one value for each arm */
    double recycle, hazard;            /* 0: the drift model never changes; nothing is ever redrawn */
    double time_unit; /* the unit of time of drift models that take one (space/temporal/drift.h), and of the hazard; 0: 1 */
    int hazard_given; /* 1: the hazard is for 1 of the user's time, and stays; 0: it is learned */
    double constant, jump;          /* prior variance of the offset, as in tvgp__kalman_filters_spec; q; 0: there is none */
    int scale;                      /* whether the factor is unknown */
    int earn;                       /* whether outcomes of other arms must support a redraw */
    tvgp__basis_rule rule;          /* accuracy of the basis, or of the inducing points of a box; zero: round-off */
    int64_t limit;                  /* bytes of the filters; 0: no limit */
    const tvgp_domain *domain;      /* OPTIONAL: of the arms, as in tvgp__kalman_filters_spec */
    tvgp__basis_progress *progress; /* of the basis on arms, as in tvgp__kalman_filters_spec */
    const char *name;               /* for the logger, as in tvgp__kalman_filters_spec */
    int no_arms;                    /* a box: X only says how large variances are */
    int alone;                      /* one filter, which the op `extend` creates again with more arms */
    size_t rows;                    /* how many support points a box may have; 0: any number */
    size_t
        late; /* with one drift model on a box: how many observations back a late one is exact (model/kalman_mixture_delayed.h) */
} tvgp__kalman_mixture_spec;

/* What a mixture stores with each filter. */
typedef struct tvgp__kalman_mixture_member {
    double log_weight, weight; /* the weights of all members add up to 1 */
    double a, b;               /* what is known of the common factor: inverse gamma (a, b) */
    double stayed;             /* probability that the last observation was no jump of its arm */
    double before;             /* log weight before the last observation */
    double spawn;              /* log weight it goes back to when the slot wins */
    double S, e;               /* variance and innovation of the last observation */
    int spoilt;                /* whether it takes another's state, in step 4 */
} tvgp__kalman_mixture_member;

/* A mixture of Kalman filters. */
typedef struct tvgp__kalman_mixture {
    tvgp__posterior base;
    tvgp__kalman_filters
        set; /* drift models x factors x priors filters (the drift model varies fastest), the slot, and with `earn` the witness */
    size_t J, n_drifts;
    double recycle, hazard, jump, time_unit; /* as in the spec */
    int hazard_given;
    double usual;                        /* the factor is inverse gamma (1/2, usual / 2) at first */
    int scale, doubts_noise;             /* whether factors, and noise levels other than 1, are possible */
    int anywhere;                        /* whether points that are not arms can be predicted */
    tvgp__kalman_mixture_member *member; /* J + 1: of the filters and the slot */
    tvgp__kalman_filter **active;        /* workspace: J + 2 */
    double *rate, *weight; /* J + 1: epsilon of each filter's drift model, and its weight; 0 for a slot that is not in use */
    int earn, slot_on, confirmed;        /* as in the spec; whether there is a redraw in the slot; whether it is confirmed */
    double earned;                       /* log likelihood of the slot minus the log likelihood of the witness */
    tvgp__kalman_mixture_member witness; /* for set.filter[J + 1], with `earn` */
    size_t slot_arm, slot_made;          /* the arm that made the slot, and how many observations there were by then */
    double slot_time, newest;            /* times of the observation that made the slot, and of the newest one */
    int64_t resets;                      /* how often step 3 happened */
    double first;                        /* time of the first observation; -infinity before it */
    struct tvgp__kalman_mixture_box *box;      /* model/kalman_mixture_box.h; NULL: there are arms */
    struct tvgp__kalman_mixture_delayed *late; /* model/kalman_mixture_delayed.h; NULL: late observations are blurred */
    double reset_time, redraw_time;            /* of the last reset: when it was found, and when the redraw was */
    double noise;                              /* the smallest noise variance and the accuracy of the basis, for more arms */
    tvgp__basis_rule rule;
    /* The op `extend`; NULL: the policy creates the larger one (tvgp__kalman_mixture_extend). */
    tvgp_status (*again)(const tvgp__posterior *, size_t n, const double *X, tvgp__posterior **out);
} tvgp__kalman_mixture;

extern const tvgp__posterior_ops tvgp__kalman_mixture_ops, tvgp__kalman_mixture_on_box;

/* Creates a mixture for outcomes with this noise variance, on n arms X. LIMIT (the limit of the spec), NOMEM, the
 * kernels' status. */
tvgp_status tvgp__kalman_mixture_new(tvgp_ctx *ctx, const tvgp__kalman_mixture_spec *spec, double noise, size_t n,
                                     const double *X, tvgp__posterior **out);

/* Gives `fresh`, which was made for the same options and more arms (the old ones first), what `from` knows. UNSUPPORTED
 * (there are several kernels, or one has a mean), NOMEM, the kernel's status; both are unchanged then. */
tvgp_status tvgp__kalman_mixture_extend(const tvgp__posterior *from, tvgp__posterior *fresh);

/* Ops of a mixture (model/posterior/posterior.h says what each does): correlation in time and unit of time, in kalman_mixture_facts.c;
 * predictions, a column of the posterior covariance and the posterior as a function of the point, in kalman_mixture_predict.c. */
double tvgp__kalman_mixture_correlation(const tvgp__posterior *base, double from, double to);
void tvgp__kalman_mixture_set_unit(tvgp__posterior *base, double unit);
void tvgp__kalman_mixture_at(tvgp__posterior *base, double t, size_t n, const size_t *arm, double *mean, double *var);
void tvgp__kalman_mixture_column(tvgp__posterior *base, size_t arm, double *out);
tvgp_status tvgp__kalman_mixture_predictive(tvgp__posterior *base, double t, tvgp__predictive *out);

/* Writes the moments of the mixture of weights at time t into u, S, cross (r, r x r, r, of zeros), shift and extra.
 * means: (J + 1) x r. */
void tvgp__kalman_mixture_moments(const tvgp__kalman_mixture *b, double t, double *u, double *S, double *cross,
                                  double *means, tvgp__predictive *out);

/* Lists the filters that have a weight in b->active, and counts them. */
size_t tvgp__kalman_mixture_active(tvgp__kalman_mixture *b);

/* Gives the highest log weight of the first n members. */
double tvgp__kalman_mixture_heaviest(const tvgp__kalman_mixture *b, size_t n);

/* These sum up a mixture in one number each, for its statistics and for its predictions. */
double tvgp__kalman_mixture_rate(const tvgp__kalman_mixture *b); /* the mean epsilon of the filters */
/* Gives the time after which the mixture of the filters' correlations is a half; infinite when it never is. */
double tvgp__kalman_mixture_half_life(const tvgp__kalman_mixture *b);
double
tvgp__kalman_mixture_effective(const tvgp__kalman_mixture *b); /* how many filters count: 1 / sum of squared weights */
/* Gives the learned factor by which both K and the noise are multiplied: the mean over the filters by weight; 1 when none is
 * learned. */
double tvgp__kalman_mixture_factor(const tvgp__kalman_mixture *b);
double tvgp__kalman_mixture_level(const tvgp__kalman_mixture *b); /* the mean factor of the declared noise, on top of it */
double tvgp__kalman_mixture_unit(const tvgp__kalman_mixture *b);  /* the product of these two */
double tvgp__kalman_mixture_constant(const tvgp__kalman_mixture *b); /* the mean of the offset of all arms */
double tvgp__kalman_mixture_jumped(
    const tvgp__kalman_mixture *b); /* probability that the last observation was a jump of its arm alone */
/* Gives the mean of the factor as filter j has learned it; 1 when none is learned. */
double tvgp__kalman_mixture_member_factor(const tvgp__kalman_mixture *b, size_t j);

#endif
