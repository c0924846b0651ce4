/* SPDX-License-Identifier: MIT */
/* The choice rule of the UCB family. The score of an action is a sum over terms, each of one posterior:
 *
 *   score = sum weight (prior mean + mean + width sd)     pending actions reduce the variance sd^2
 *   net   = factor reward(score) + offset                 only if features set offsets
 *
 * The available action of the highest net score is chosen. Scores that differ by at most a relative 1e-12 are tied, so that the choice
 * does not depend on the last bits of a threaded BLAS, unless they differ by more than 1e-3 of the scale of scores, which may have
 * a large offset in common. The lowest index wins a tie.
 *
 * The rule receives everything and knows no policy: policy/ucb/maximise.c sets up a tvgp__rule, policy/ucb/ucb_width.c computes the
 * width. On a box choose/rule_points.c computes the score together with its gradient and a bound. A change of TVGP__RULE_SCORE needs
 * the gradient changed too, the scale of the search in policy/ucb/maximise_box.c, and what bounds scores by slack: may_reach and narrow in
 * choose/rule.c. */
#ifndef TVGP__CHOOSE_RULE_H
#define TVGP__CHOOSE_RULE_H

#include "model/posterior/posterior.h"
#include "space/outcome/mean_function.h"

enum { TVGP__RULE_PENDING = 32 }; /* upper limit of pending actions that count */

#define TVGP__RULE_TIE 1e-12

/* The score of a mean, prior mean included, and an sd. A macro, since loops over arms are compiled for several processors. */
#define TVGP__RULE_SCORE(mean, sd, width) ((mean) + (width) * (sd))

/* The score of one action. The width is infinite if the policy chose by a draw: the score is then the mean. */
static inline double tvgp__rule_score(double mean, double sd, double width) {
    return isfinite(width) ? TVGP__RULE_SCORE(mean, sd, width) : mean;
}

/* One posterior whose score counts. A policy sets the first three members, tvgp__maximise_choose the others. */
typedef struct tvgp__rule_term {
    tvgp__posterior *posterior;
    const tvgp__mean_function *mean; /* its prior mean */
    double weight, width;
    const double *m, *v; /* on arms: mean and variance of each, to within `slack` */
    tvgp__slack slack;
    tvgp__predictive predictive, known; /* off the arms: with the pending actions as observations, and without */
    size_t first;                       /* where its weights begin among the weights of all predictives */
} tvgp__rule_term;

/* How features change scores, which are values of the process in the sense of a maximum. */
typedef struct tvgp__rule_offsets {
    const double *offset;             /* n, in the unit of the reward; NULL: scores stay as they are */
    const double *factor;             /* n, of the reward; NULL: 1 */
    const tvgp__outcome_ops *outcome; /* by which a value of the process becomes a reward; NULL: it is one */
    int minimises;                    /* the user's numbers have the other sign */
} tvgp__rule_offsets;

typedef struct tvgp__rule {
    size_t n;
    tvgp__rule_term *term; /* n */
    const uint8_t *mask;   /* of each action, whether it is available; NULL: all are */
    tvgp__rule_offsets offsets;
    const tvgp__points *pending; /* on arms: pending actions, at most TVGP__RULE_PENDING, within reach of all posteriors */
    double *columns, *shrunk;    /* on arms: workspace for pending->n columns and one more */
    double noise;                /* noise variance of a pending outcome */
    int same_noise;              /* whether it is the same for all arms, whatever the posterior says */
} tvgp__rule;

/* ---- arms: each posterior is at the time of the choice, and terms have m, v, slack and width ------------------------ */

/* Writes the net score of every arm. They are exact where the choice depends on it: a posterior may give bounds of its moments
 * (tvgp__slack), and then computes the exact ones of the arms that may win. */
void tvgp__rule_score_arms(const tvgp__rule *rule, double *score);
/* Makes all of them exact, for reading. One term. */
void tvgp__rule_score_exactly(const tvgp__rule *rule, double *score);

/* ---- any points ------------------------------------------------------------------------------------------------------ */

/* Mean + width sd of m <= TVGP__PREDICTIVE_BLOCK points (m x dim) of one predictive, with sd^2 = max(var, 1e-14 k(z, z)), and (unless NULL)
 * its gradient (m x dim), in which sd counts as constant where that raised the variance. Fails as kernels do. */
tvgp_status tvgp__rule_points_ucb(const tvgp__predictive *f, double width, size_t m, const double *Z, double *work,
                                  double *score, double *gradient);

/* Upper bounds of the same, in O(r) a point instead of r^2, plus the kernel, from the weights a of the mean
 * (tvgp__predictive_weights). Only of a predictive with `own`. work: m r. */
tvgp_status tvgp__rule_points_upper(const tvgp__predictive *f, double width, const double *a, size_t m, const double *Z,
                                    double *work, double *bound);

/* Terms have predictives and widths. Write scores of m <= TVGP__ASCENT_BLOCK points (m x dim), and unless NULL their gradients, without
 * offsets; upper bounds of the scores, from the weights of the means that begin at `first` of each term. work: as
 * predictives need; slope: m x dim with gradients. Fail as kernels and prior means do. */
tvgp_status tvgp__rule_points_score(const tvgp__rule *rule, size_t m, const double *Z, double *work, double *slope,
                                    double *score, double *gradient);
tvgp_status tvgp__rule_points_bound(const tvgp__rule *rule, size_t m, const double *Z, const double *weights, double *work,
                                    double *bound);

/* Adds the term at n points of these moments and prior means to their scores. */
void tvgp__rule_add(const tvgp__rule_term *term, size_t n, const double *mean, const double *var, const double *prior,
                    double *score);

/* ---- offsets --------------------------------------------------------------------------------------------------------- */

/* Makes scores of actions first, first + 1, .. net. `origin` is to be added to scores to make them values of the
 * process. */
void tvgp__rule_shift(const tvgp__rule_offsets *offsets, double origin, size_t first, size_t n, double *score);
/* Gives the score of a net score, for action i, which has this offset. */
double tvgp__rule_unshift(const tvgp__rule_offsets *offsets, double origin, double net, double offset, size_t i);

/* ---- the highest ------------------------------------------------------------------------------------------------------ */

/* Gives the index of the best of n scores among those with a non-zero mask (NULL: all; at least one is set), whatever the scores
 * are: infinities compare as numbers, NaN is below everything. scale: a standard deviation of what scores are of, or INFINITY. */
size_t tvgp__rule_highest(size_t n, const double *score, const uint8_t *mask, double scale);

/* Its two steps: the highest of those available that are numbers (-infinity: none is), and the first that ties with it; when
 * none does, as none is a number, the first available (n: none is). */
double tvgp__rule_most(size_t n, const double *score, const uint8_t *mask);
size_t tvgp__rule_first(size_t n, const double *score, const uint8_t *mask, double most, double scale);

#endif
