/* SPDX-License-Identifier: MIT */
/* The posterior of somebody who does not know how fast things change: a bank of exact filters (filter/filter.h), one for
 * each law, noise level and kernel, weighed by their evidence, and the *slot*, the best hypothesis "f was redrawn at some
 * recent step". Mean and variance are the moments of the mixture.
 *
 * One observation (arm a, value y, noise variance v), L_j the log weights, old = L before it:
 * 1  L_j += log p(y; m_j[a], P_j[a,a] + level_j v), every filter and the slot conditioned on it: Bayes over the laws.
 * 2  c = ln hazard + logsumexp(old) + log p(y; prior): a redraw just before this observation. If c beats the slot, the slot
 *    becomes the prior conditioned on y alone, of the law, level and kernel that led; otherwise another arm than the one that
 *    made the slot confirms it. With `earn` there is a *witness*, the leader as it was before the observation that
 *    made the slot, which is told what other arms answer; the slot is confirmed while their answers speak for it rather than
 *    for the witness. One shock of any size, which other arms know nothing of, is then no redraw.
 * 3  A confirmed slot heavier than every filter replaces all their states; weights go back to those before the redraw.
 * 4  A filter below recycle / J times the leader takes the leader's state and that weight: the pruned form of "with
 *    probability `recycle` the law changes to another one now".
 * Laws may have a season (filter/filter.h). The slot and its witness have none; in step 4 those with a season take the
 * state of their own best, and those without of theirs: what is known of the other days is not in the state of a filter
 * without. p is Gaussian, or with `scale` Student's t: K and the noise have an unknown common factor, inverse gamma
 * (1/2, 1/2) per filter, and variances are multiplied by b / a. A redraw is scored with the leader's noise and factor.
 * With `constant` all arms share an unknown offset (filter/filter.h). With `jump` q the evidence admits that the
 * observed arm alone was drawn anew: p in 1 becomes (1 - q) p + q p(y; prior), and the factor learns in proportion to
 * the first term; the state takes the observation in full. An observation of the past counts as a blurred one of the
 * present (tvgp__filters_columns). */
#ifndef TVGP__BELIEF_BANK_H
#define TVGP__BELIEF_BANK_H

#include "belief/belief.h"
#include "filter/filters.h"

typedef struct tvgp__bank_spec {
    size_t n_laws, n_levels, n_priors;
    const tvgp__law *laws; /* the last `seasonal` of them, forgetting, of a function that repeats; of one kernel */
    size_t seasonal;
    tvgp__season season;
    const double *levels;              /* factors of the noise told; n_levels 0: 1 */
    const tvgp_kernel *const *kernels; /* n_priors */
    const double *const *means;        /* n_priors: NULL or one value per arm */
    double recycle, hazard;            /* 0: none */
    double pace;                       /* unit of time of laws that take one (law/law.h), and of the hazard; 0: 1 */
    int hazard_told;                   /* it is for 1 of the user's time, whatever the unit */
    double constant, jump;             /* 0: none */
    int scale;
    int earn;              /* a redraw is confirmed by evidence, not by any answer at another arm */
    tvgp__basis_rule rule; /* of the basis, or the atlas of a box; zero: to round-off */
    int64_t limit;         /* bytes of the filters; 0: no limit */
    tvgp__shard *shard;    /* the arms are shared, as in tvgp__filters_spec; or NULL */
    const char *name;      /* for the logger, as in tvgp__filters_spec */
    int no_arms;           /* a box: X only gives the scale of the variances */
    size_t rows;           /* support points there at most; 0: no limit */
} tvgp__bank_spec;

typedef struct tvgp__bank_member {
    double log_weight, weight; /* weights of all members add up to 1 */
    double a, b;               /* of the common factor */
    double stayed;             /* probability that the last observation was no jump of its arm */
    double before;             /* log weight before the observation */
    double spawn;              /* log weight to go back to when the slot wins */
    double S, e;               /* of the last observation: variance and innovation */
    int spoilt;                /* it takes another's state, in step 4 */
} tvgp__bank_member;

typedef struct tvgp__bank {
    tvgp__belief base;
    tvgp__filters set; /* laws x levels x priors filters (law fastest), then the slot, and with `earn` the witness */
    size_t J, n_laws;
    double recycle, hazard, jump, pace;
    int hazard_told;
    int scale, doubts_noise;   /* whether factors, and noise levels other than 1, are possible */
    int anywhere;              /* points that are not arms can be predicted */
    tvgp__bank_member *member; /* J + 1 */
    tvgp__filter **active;     /* workspace: J + 2 */
    double *rate, *weight;     /* J + 1: epsilon of each filter's law, its weight; 0 for a slot that is off */
    int earn, slot_on, confirmed;
    double earned;              /* evidence of the slot over the witness */
    tvgp__bank_member witness;  /* of set.filter[J + 1], with `earn` */
    size_t slot_arm, slot_made; /* arm, and number of observations taken then */
    double slot_time, newest;   /* times of the observation that made the slot and of the newest one */
    int64_t resets;
    struct tvgp__bank_box *box;     /* belief/bank_box.h; NULL: there are arms */
    double reset_time, redraw_time; /* last reset: when it was found, when the redraw is dated */
} tvgp__bank;

extern const tvgp__belief_ops tvgp__bank_ops, tvgp__bank_on_box;

tvgp_status tvgp__bank_new(tvgp_ctx *ctx, const tvgp__bank_spec *spec, double noise, size_t n, const double *X,
                           tvgp__belief **out);

/* `fresh`, made for the same options and more arms (the old ones first), takes over what `from` knows. UNSUPPORTED (several
 * kernels, or the mean of one), NOMEM, the kernel's status; both are unchanged then. */
tvgp_status tvgp__bank_extend(const tvgp__belief *from, tvgp__belief *fresh);

/* Ops of a bank (belief/belief.h says what each does): correlation in time and unit of time, in bank_facts.c;
 * predictions, a column of the posterior covariance and the posterior as a function of the point, in bank_predict.c. */
double tvgp__bank_correlation(const tvgp__belief *base, double from, double to);
void tvgp__bank_pace(tvgp__belief *base, double unit);
void tvgp__bank_at(tvgp__belief *base, double t, size_t n, const size_t *arm, double *mean, double *var);
void tvgp__bank_column(tvgp__belief *base, size_t arm, double *out);
tvgp_status tvgp__bank_form(tvgp__belief *base, double t, tvgp__form *out);

/* Writes the moments of the mixture of weights at time t into u, S, cross (r, r x r, r, of zeros), shift and extra.
 * means: (J + 1) x r. */
void tvgp__bank_moments(const tvgp__bank *b, double t, double *u, double *S, double *cross, double *means, tvgp__form *out);

/* Lists the filters that have a weight in b->active, and counts them. */
size_t tvgp__bank_active(tvgp__bank *b);

/* Gives the highest log weight of the first n members. */
double tvgp__bank_heaviest(const tvgp__bank *b, size_t n);

/* These sum up a bank in one number each, for its statistics and for its predictions. */
double tvgp__bank_rate(const tvgp__bank *b); /* mean epsilon of the filters */
double
tvgp__bank_half_life(const tvgp__bank *b); /* of the mixture of the filters' correlations; infinite when it has none */
double tvgp__bank_effective(const tvgp__bank *b); /* 1 / sum of squared filter weights */
/* Gives the learned factor by which both K and the noise are multiplied: the mean over the filters by weight; 1 when none is
 * learned. */
double tvgp__bank_factor(const tvgp__bank *b);
double tvgp__bank_level(const tvgp__bank *b);    /* factor of the noise told, beside that */
double tvgp__bank_unit(const tvgp__bank *b);     /* both together */
double tvgp__bank_constant(const tvgp__bank *b); /* the constant */
double tvgp__bank_jumped(const tvgp__bank *b);   /* probability that the last observation was a jump of its arm alone */
double tvgp__bank_member_factor(const tvgp__bank *b, size_t j);

#endif
