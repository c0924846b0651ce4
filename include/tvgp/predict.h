/* SPDX-License-Identifier: MIT */
/** @file
 * Predictions of a policy. None of these functions changes a later decision.
 */
#ifndef TVGP_PREDICT_H
#define TVGP_PREDICT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Computes the posterior mean and latent variance at n points.
 *
 * @param policy     The policy.
 * @param t          Time, not before the newest time seen.
 * @param n          Number of points.
 * @param X_or_null  Points, n x dim, row-major. NULL: all arms in order of their numbers, available or not (faster); with shared
 *                   arms this rank's, with measured contexts the actions in the present context, on a box the
 *                   candidates including their means.
 * @param[out] mean  Posterior means (n); may be NULL.
 * @param[out] var   Posterior variances without noise (n); may be NULL.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no model, or a point is no arm and the prior mean is given per arm.
 * @retval TVGP_ERR_ARG          t is before the newest time seen; X_or_null is NULL on a box without candidates; or the kernel is
 *                               not defined at a point.
 * @retval TVGP_ERR_DIM          X_or_null is NULL and n is not the number of arms.
 * @retval TVGP_ERR_STATE        X_or_null is NULL and no measured context is set.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range.
 * @retval TVGP_ERR_CALLBACK     A function of the caller failed.
 */
TVGP_API tvgp_status tvgp_policy_predict(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *mean,
                                         double *var);

/** Predictions for n points, written by tvgp_policy_evaluate: an array for each quantity; NULL: not wanted. Members may be added at
 * the end. */
typedef struct tvgp_prediction {
    size_t struct_size; /**< sizeof(tvgp_prediction). */
    double *mean;       /**< Posterior means (n). */
    double *var;        /**< Posterior variances without noise (n). */
    double *dmean;      /**< Gradients of the mean by the point, n x dim, row-major. */
    double *dvar;       /**< Gradients of the variance by the point, n x dim, row-major. */
    double *score;      /**< Scores by which an ask at time t would choose (n), as in tvgp_query.score. */
    double *risk; /**< Sums over all constraints of the probability of violation, at most 1 (n), as in tvgp_query.risk. */
} tvgp_prediction;

/** Computes posterior moments, their gradients, scores and risks of n points. All wanted arrays are written, or none.
 *
 * The score is prior mean + mean + exploration coefficient x sd (GP-UCB: Srinivas, Krause, Kakade, Seeger 2010); with sense=min
 * minus. Pending actions count as observed at their mean. With choice=thompson it is the draw; with several priors the score of
 * the prior that would choose, or their weighted sum. Switching costs are not subtracted. For scores a copy of the policy is
 * asked: memory and time of tvgp_policy_clone and an ask. Risks cost one prediction for each constraint, and are 0 without
 * constraints.
 *
 * @param policy     The policy.
 * @param t          Time, not before the newest time seen.
 * @param n          Number of points.
 * @param X_or_null  Points, n x dim, row-major; NULL: all arms, as in tvgp_policy_predict.
 * @param[out] out   The arrays to write.
 * @retval TVGP_AGAIN            Scores: the ask returned it; nothing is written.
 * @retval TVGP_DONE             Scores: the ask returned it; nothing is written.
 * @retval TVGP_ERR_ARG          t is before the newest time seen; X_or_null is NULL on a box without candidates; the kernel is not
 *                               defined at a point; or out->struct_size is too small.
 * @retval TVGP_ERR_DIM          X_or_null is NULL and n is not the number of arms.
 * @retval TVGP_ERR_STATE        X_or_null is NULL and no measured context is set.
 * @retval TVGP_ERR_NOTFOUND     Scores: a point is no arm.
 * @retval TVGP_ERR_UNSUPPORTED  Moments and scores: the policy has no model, or a point is no arm and the prior mean is given per
 *                               arm. Gradients: several priors, a prior mean given per arm, or a kernel that is a table. Scores:
 *                               the policy does not choose by a score or cannot be copied, arms are shared, or points are given
 *                               with measured contexts or with candidates under choice=thompson.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range.
 * @retval TVGP_ERR_CALLBACK     A function of the caller failed; statuses -1000 .. -1999 are returned unchanged.
 * @return otherwise, with scores, as tvgp_policy_ask.
 */
TVGP_API tvgp_status tvgp_policy_evaluate(tvgp_policy *policy, double t, size_t n, const double *X_or_null,
                                          const tvgp_prediction *out);

/** Computes the probability that each arm is the best (sense=min: the lowest): the fraction of joint posterior draws in
 * which it is (Scott 2010). tvgp_shares turns it into shares of traffic.
 *
 * Arms that an ask would not consider (unavailable, of another context, unsafe) have probability 0. Pending queries and
 * switching costs have no effect. The draws depend on the option seed and the number of actions, so a repeated call gives the same numbers. A
 * copy of the policy is asked: memory and time of tvgp_policy_clone, an ask, and draws x arms x rank multiplications.
 *
 * @param policy     The policy.
 * @param t          Time, not before the newest time seen.
 * @param n          Number of points.
 * @param X_or_null  Points, n x dim, row-major; NULL: all arms, or the candidates.
 * @param draws      Number of draws, at least 1.
 * @param[out] p     Probabilities (n) that sum to 1.
 * @retval TVGP_AGAIN            As tvgp_policy_ask.
 * @retval TVGP_DONE             As tvgp_policy_ask.
 * @retval TVGP_ERR_UNSUPPORTED  Several priors, measured contexts, shared arms, or a box without candidates and X_or_null NULL.
 * @retval TVGP_ERR_LIMIT        More than 1024 candidates, or more than 2^24 draws.
 * @return otherwise as tvgp_policy_evaluate with scores.
 */
TVGP_API tvgp_status tvgp_policy_best_probability(tvgp_policy *policy, double t, size_t n, const double *X_or_null,
                                                  size_t draws, double *p);

/** Gives the best available action: the arm with the highest posterior mean (sense=min: lowest), ties to the lowest index.
 * On a box it searches the posterior mean within bounds and feasible set, or takes the best candidate.
 *
 * @param policy    The policy.
 * @param t         Time, not before the newest time seen.
 * @param[out] arm  The arm; -1 on a box, the row with candidates.
 * @param[out] x    Its coordinates (dim). May be NULL on arms and with candidates.
 * @retval TVGP_ERR_ARG          t is before the newest time seen, or x is NULL on a box.
 * @retval TVGP_ERR_NONFINITE    t is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        t is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no model.
 * @retval TVGP_ERR_STATE        A context must be set first, or no arm of it is available.
 * @retval TVGP_ERR_NOTFOUND     No feasible point (box).
 * @retval TVGP_ERR_CALLBACK     A function of the caller failed.
 */
TVGP_API tvgp_status tvgp_policy_best(tvgp_policy *policy, double t, int64_t *arm, double *x);

#ifdef __cplusplus
}
#endif
#endif
