/* SPDX-License-Identifier: MIT */
/* Thompson sampling (Thompson 1933; Russo, Van Roy, Kazerouni, Osband, Wen 2018, "A tutorial on Thompson sampling"):
 * chooses the arm that is best in a joint draw of the posterior.
 *   m   arms, or candidates, that may be asked
 *   P   their posterior covariance; of a mixture that of its moments
 *   F   F F' = P by pivoted Cholesky on columns of the posterior, down to 1e-13 of the largest prior variance: `rank` columns,
 *       m rank^2 flops
 *   z   independent standard normal numbers; mean + F z is a draw
 *   sd  the arms' posterior standard deviations
 * A mixture of filters (op `draws` of the posterior) draws a filter by its weight, and then each arm alone, with the part of its
 * variance that later outcomes could remove: what no outcome can tell is no reason to try an arm.
 *
 * Seed and action determine a draw. The further draws that count the probability of a choice come from the same stream.
 *
 * With many arms some draws are far above their mean. A draw may therefore be restricted to w standard deviations: it is
 * mean + v F z with v = min(1, w / M), where max_i (F z)_i / sd_i stays below M in 19 draws of 20. With this frequency
 * the draw is below the upper bound of width w at all arms. (GP-TS, Chowdhury and Gopalan 2017, alg. 2, scales draws as
 * GP-UCB scales its bound.) M is counted from draws of another stream: given the posterior, v is a number, and
 * propensities belong to the actual draws. */
#ifndef TVGP__CHOOSE_THOMPSON_H
#define TVGP__CHOOSE_THOMPSON_H

#include "model/posterior/posterior.h"

/* The memory of the draws of one policy. */
typedef struct tvgp__thompson {
    size_t m, rank;
    size_t *arm; /* those that may be asked */
    size_t arm_slots, slots;
    uint64_t paid;                               /* the call that counted its draws (base/quota.h) */
    double *factor;                              /* F, column-major; behind it the arrays below */
    double *mean, *residual, *draw, *z, *column; /* m each, of all arms; column excepted */
    size_t filters, drawn;                       /* there is room for; in the draw at hand: 0 if it is joint */
    double *weight, *filter_mean, *filter_sd;    /* filters; m for each of them, less the mean of the mixture */
    void (*turn)(const void *of, double origin, size_t arm,
                 double *draw); /* makes a reward of a draw; NULL: it stays a value */
    const void *of;
    double origin; /* of draws that become rewards */
} tvgp__thompson;

/* Number of draws of a choice, without the draws of its propensity. */
enum { TVGP__THOMPSON_DRAWS = 66 };

/* The posterior covariance of what is drawn from. */
typedef struct tvgp__thompson_covariance {
    void (*column)(void *of, size_t arm, double *out); /* with all arms, also those that may not be asked */
    void *of;
    const double *var;        /* of all arms */
    double largest;           /* the scale of tolerances: a prior variance */
    double left;              /* of a variance at most so much is in no column */
    tvgp__posterior *mixture; /* draws take one of its filters; or NULL */
    double width;             /* by which their standard deviations are multiplied */
} tvgp__thompson_covariance;

/* That of a posterior on arms, which is at the time of the draw and has all arms within reach. */
tvgp__thompson_covariance tvgp__thompson_of_arms(tvgp__posterior *posterior);

/* Makes *s (NULL: a new one) ready for draws of the arms in the mask (NULL: of all n), and of this many filters. NOMEM, LIMIT. */
tvgp_status tvgp__thompson_room(tvgp_ctx *ctx, size_t n, const uint8_t *mask, size_t filters, tvgp__thompson **s);
void tvgp__thompson_free(tvgp_ctx *ctx, tvgp__thompson *s);

/* Draws: `score` holds the arms' means, prior mean included, and then the draw. `far` is w above, infinite where nothing holds
 * draws back. */
void tvgp__thompson_score(tvgp__thompson *s, const tvgp__thompson_covariance *covariance, uint64_t seed, uint64_t step,
                          double far, double *score);

/* Returns the estimated probability with which this arm is chosen: (1 + k) / (1 + draws), where k of `draws` further
 * draws have it as their best, too. Counting the draw that chose it makes E[1 / propensity] = (1 - (1 - p)^(draws + 1))
 * / p for an arm of probability p. */
double tvgp__thompson_propensity(tvgp__thompson *s, uint64_t seed, uint64_t step, size_t arm, size_t draws);

/* Counts in how many draws, from a stream of their own and never held back, each of these arms is best: count[arm]. `score`:
 * the arms' means, prior mean included. INTERRUPTED. */
tvgp_status tvgp__thompson_count(tvgp_ctx *ctx, tvgp__thompson *s, const tvgp__thompson_covariance *covariance,
                                 uint64_t seed, uint64_t step, size_t draws, const double *score, double *count);

#endif
