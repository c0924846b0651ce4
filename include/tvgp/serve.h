/* SPDX-License-Identifier: MIT */
/** @file
 * Serving decisions: shares of traffic, the arm of a user, and the value of another policy from a log of decisions
 * (docs/guide/shares-and-evaluation.md). No function needs a policy.
 */
#ifndef TVGP_SERVE_H
#define TVGP_SERVE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Turns probabilities into shares of traffic: share_a = (1 - floor) p_a^power / sum_i p_i^power + floor / n. O(n).
 *
 * @param n           Number of arms, at least 1. Omit arms that may not be used.
 * @param p           Numbers >= 0 (n), one of them positive, for instance of tvgp_policy_best_probability.
 * @param power       In [0.1, 100]. 1 keeps the probabilities; 2 suits arms that serve many users before outcomes arrive.
 * @param floor       Total share that is spread equally over all arms, in [0, 1].
 * @param[out] share  Shares (n) that sum to 1; unchanged on error. May be p.
 * @retval TVGP_ERR_ARG        n is 0, a pointer is NULL, an argument is out of bounds, or no p is positive.
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 */
TVGP_API tvgp_status tvgp_shares(size_t n, const double *p, double power, double floor, double *share);

/** Assigns a user to an arm by weighted rendezvous hashing: argmin_a -ln(1 - U_a) / share_a with U from
 * tvgp_random_uniform(seed, 1000, key, n). O(n).
 *
 * Of many keys a fraction share_a gets arm a. A user keeps the arm, in every process and language, unless its share
 * shrinks or another share grows.
 *
 * @param n         Number of arms, at least 1.
 * @param share     Numbers >= 0 (n), one of them positive; they need not sum to 1.
 * @param seed      Seed of the experiment.
 * @param key       Key of the user.
 * @param[out] arm  The arm, 0 .. n - 1; unchanged on error.
 * @retval TVGP_ERR_ARG        n is 0, a pointer is NULL, a share is negative, or none is positive.
 * @retval TVGP_ERR_NONFINITE  A share is NaN or infinite.
 */
TVGP_API tvgp_status tvgp_assign(size_t n, const double *share, uint64_t seed, uint64_t key, int64_t *arm);

/** Estimates of the mean outcome of a target policy. Every _se is a standard error, infinite if one record is not
 * enough. k is the weight of a record by age (the weights sum to 1), w the target probability of the logged arm over its
 * propensity. */
typedef struct tvgp_value_estimate {
    size_t struct_size; /**< Set it to sizeof(tvgp_value_estimate) before the call. */
    size_t used;        /**< Number of records with an outcome. */
    size_t missing;     /**< Number of records without one, which are left out. */
    double dm;          /**< Direct method: mean of the model over the target's arms. Precise, but as biased as the model. */
    double ips;         /**< Inverse propensity weighting: sum k w y. */
    double ips_se;      /**< Standard error of ips. */
    double snips;       /**< Self-normalised: sum k w y / sum k w; 0 if the target agrees with no record. */
    double snips_se;    /**< Standard error of snips. */
    double dr;          /**< Doubly robust: dm + sum k w (y - model). Unbiased if the propensities are right. */
    double dr_se;       /**< Standard error of dr. */
    double ess;         /**< Effective sample size: (sum k w)^2 / sum (k w)^2. */
    double mean_weight; /**< sum k w; about 1 if the propensities are right. */
    double expected;    /**< Smallest propensity / sum k^2: expected number of records of the rarest arm. */
    int32_t reliable;   /**< 1 if expected >= 10; otherwise intervals from the standard errors are too narrow. */
} tvgp_value_estimate;

/** Estimates what a target policy would have earned on logged decisions (Dudik, Langford, Li 2011; Swaminathan, Joachims
 * 2015). O(n arms), no memory.
 *
 * Records weigh 2^(-(now - t) / half_life). The result is the value of the target's decisions given the logged data, not
 * of the target in its own closed loop. A missing outcome is harmless only if it does not depend on the outcome's value.
 *
 * @param ctx            The context.
 * @param n              Number of records, at least 1.
 * @param arms           Number of arms, at least 1.
 * @param t              Times (n).
 * @param arm            Chosen arms (n), 0 .. arms - 1.
 * @param y              Outcomes (n); NaN: missing.
 * @param propensity     Probabilities of the choices (n), in (0, 1], as in tvgp_query.
 * @param target         Probabilities with which the target would have chosen, n x arms, row-major; rows sum to 1.
 * @param model_or_null  Posterior means at the time of each decision, before its outcome, n x arms; NULL: 0, so that dm is 0 and
 *                       dr equals ips.
 * @param now            Time of the estimate, not before any t.
 * @param half_life      Half-life of the weights, in units of t, > 0; INFINITY: equal weights.
 * @param[out] out       The estimates; unchanged on error.
 * @retval TVGP_ERR_ARG        A count is 0, no record has an outcome, struct_size or half_life is invalid, or a record has an invalid
 *                             propensity, arm, time or target (the message names it).
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range.
 */
TVGP_API tvgp_status tvgp_off_policy_value(tvgp_ctx *ctx, size_t n, size_t arms, const double *t, const int64_t *arm,
                                           const double *y, const double *propensity, const double *target,
                                           const double *model_or_null, double now, double half_life,
                                           tvgp_value_estimate *out);

#ifdef __cplusplus
}
#endif
#endif
