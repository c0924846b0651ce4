/* SPDX-License-Identifier: MIT */
/* Serving decisions: shares of traffic from probabilities, the arm of one user, and the value that another policy would have had,
 * estimated from a log of decisions (docs/guide/shares-and-evaluation.md). None of these functions needs a policy. */
#ifndef TVGP_SERVE_H
#define TVGP_SERVE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turns probabilities into shares of traffic: share_a = (1 - floor) p_a^power / sum_i p_i^power + floor / n. Power 1 keeps the
 * probabilities, power 2 is a good choice where an arm serves many users before outcomes arrive.
 * p: n numbers >= 0 (tvgp_policy_best_probability), of which one is positive; they need not sum to 1. power: in [0.1, 100].
 * floor: in [0, 1], spread over all n entries, so leave out arms that may not be used. share: n numbers that sum to 1; may be p.
 * Errors: ARG (n = 0, a NULL array, an argument out of bounds, no positive p), NONFINITE; share is unchanged then. O(n). */
TVGP_API tvgp_status tvgp_shares(size_t n, const double *p, double power, double floor, double *share);

/* Assigns the user with this key to an arm: argmin_a -ln(1 - U_a) / share_a, where U is tvgp_random_uniform(seed, 1000, key, n)
 * (weighted rendezvous hashing). Of many keys a fraction share_a gets arm a. A user keeps the arm unless its share shrinks or
 * another share grows, in every process and language. share: n numbers >= 0 that need not sum to 1. *arm: 0 .. n - 1.
 * Errors: ARG (n = 0, a NULL pointer, a share below 0, no positive share), NONFINITE; *arm is unchanged then. O(n). */
TVGP_API tvgp_status tvgp_assign(size_t n, const double *share, uint64_t seed, uint64_t key, int64_t *arm);

/* Estimates of the mean outcome of a target policy; every _se is a standard error, infinite where one record is not enough.
 * k: weight of a record by age, summing to 1. w: target probability of the logged arm over its propensity. */
typedef struct tvgp_value_estimate {
    size_t struct_size; /* set it to sizeof(tvgp_value_estimate) before the call */
    size_t used;        /* records with an outcome */
    size_t missing;     /* records without one (NaN), left out */
    double dm;          /* direct method: mean of the model over the target's arms; precise, and as wrong as the model */
    double ips, ips_se; /* inverse propensity: sum k w y */
    double snips;       /* self-normalised: sum k w y / sum k w; 0 if the target agrees with no record */
    double snips_se;
    double dr, dr_se;   /* doubly robust: dm + sum k w (y - model); unbiased if the propensities are right */
    double ess;         /* effective sample size: (sum k w)^2 / sum (k w)^2 */
    double mean_weight; /* sum k w: about 1 if the propensities are right */
    double expected;    /* smallest propensity / sum k^2: the expected visits of the rarest action */
    int32_t reliable;   /* 1 if expected >= 10; otherwise intervals from the standard errors are too narrow */
} tvgp_value_estimate;

/* Estimates what a target policy would have earned on n logged decisions (Dudik, Langford, Li 2011; Swaminathan, Joachims 2015).
 * Record i: time t, arm in 0 .. arms - 1, outcome y (NaN: missing, which is harmless only if it does not depend on the outcome),
 * propensity in (0, 1] as in tvgp_query. target (n x arms): the probabilities with which the target chooses there, summing to 1.
 * model_or_null (n x arms): the posterior means at the time of the decision, from before its outcome; NULL counts as 0, and then dm
 * is 0 and dr is ips. Records weigh 2^(-(now - t) / half_life); half_life in (0, inf], inf: all the same. The result is the value of the
 * target's decisions given the logged data, not of the target in its own closed loop.
 * Errors: ARG (naming the record: propensity, arm, target, t > now; n or arms = 0; no outcome at all; half_life; struct_size),
 * NONFINITE, LIMIT; *out is unchanged then. O(n arms), no memory. */
TVGP_API tvgp_status tvgp_estimate_value(tvgp_ctx *ctx, size_t n, size_t arms, const double *t, const int64_t *arm,
                                         const double *y, const double *propensity, const double *target,
                                         const double *model_or_null, double now, double half_life,
                                         tvgp_value_estimate *out);

#ifdef __cplusplus
}
#endif
#endif
