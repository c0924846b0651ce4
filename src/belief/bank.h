/* SPDX-License-Identifier: MIT */
/* Posterior under an unknown law of change: a bank of exact filters (gp/filter.h), one for each pair of law and kernel,
 * weighed by their evidence, and the *slot*, the best hypothesis "f was redrawn at some recent step". Mean and variance are
 * the moments of the mixture.
 *
 * One observation (arm a, value y, noise variance v), L_j the log weights, old = L before it:
 * 1  L_j += log N(y; m_j[a], P_j[a,a] + v), every filter and the slot conditioned on it: Bayes over the laws.
 * 2  c = ln hazard + logsumexp(old) + log N(y; prior): a redraw just before this observation. If c beats the slot, the slot
 *    becomes the prior conditioned on y alone, of the law and kernel that led; otherwise another arm than the one that made
 *    the slot confirms it.
 * 3  A confirmed slot heavier than every filter replaces all their states; weights go back to those before the redraw.
 * 4  A filter below recycle / J times the leader takes the leader's state and that weight: the pruned form of "with
 *    probability `recycle` the law changes to another one now".
 * With `scale`, K and the noise have an unknown common factor, inverse gamma (1/2, 1/2) per filter: evidence is Student t,
 * variances are multiplied by b / a.
 * An observation of the past counts as a blurred one of the present (tvgp__filters_columns). */
#ifndef TVGP__BELIEF_BANK_H
#define TVGP__BELIEF_BANK_H

#include "belief/belief.h"
#include "gp/filters.h"

typedef struct tvgp__bank_spec {
    size_t n_laws, n_priors;
    const tvgp__law *laws;
    const tvgp_kernel *const *kernels; /* n_priors */
    const double *const *means;        /* n_priors: NULL or one value per arm */
    double recycle, hazard;            /* 0: none */
    int scale;
} tvgp__bank_spec;

typedef struct tvgp__bank_member {
    double log_weight, weight; /* weights of all members add up to 1 */
    double a, b;               /* of the common factor */
    double before;             /* log weight before the observation */
    double spawn;              /* log weight to go back to when the slot wins */
} tvgp__bank_member;

typedef struct tvgp__bank {
    tvgp__belief base;
    tvgp__filters set; /* laws x priors filters (law fastest), then the slot */
    size_t J, n_laws;
    double recycle, hazard;
    int scale, anywhere;       /* anywhere: points that are not arms can be predicted */
    tvgp__bank_member *member; /* J + 1 */
    tvgp__filter **active;     /* workspace: J + 1 */
    double *rate, *weight;     /* J + 1: epsilon of each filter's law, its weight; 0 for a slot that is off */
    int slot_on, confirmed;
    size_t slot_arm, slot_made; /* arm, and number of observations taken then */
    double slot_time, newest;   /* times of the observation that made the slot and of the newest one */
    int64_t resets;
    double reset_time, redraw_time; /* last reset: when it was found, when the redraw is dated */
} tvgp__bank;

tvgp_status tvgp__bank_new(tvgp_ctx *ctx, const tvgp__bank_spec *spec, double noise, size_t n, const double *X,
                           tvgp__belief **out);

double tvgp__bank_heaviest(const tvgp__bank *b, size_t n); /* the highest log weight of the first n members */

double tvgp__bank_rate(const tvgp__bank *b); /* mean epsilon of the filters */
double
tvgp__bank_half_life(const tvgp__bank *b); /* of the mixture of the filters' correlations; infinite when it has none */
double tvgp__bank_effective(const tvgp__bank *b); /* 1 / sum of squared filter weights */
double tvgp__bank_factor(const tvgp__bank *b);    /* common factor of K and noise */

#endif
