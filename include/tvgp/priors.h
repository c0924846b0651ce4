/* SPDX-License-Identifier: MIT */
/** @file
 * Prior knowledge of a policy about rewards: prior means, historical data, several priors, and learned hyperparameters.
 */
#ifndef TVGP_PRIORS_H
#define TVGP_PRIORS_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Prior means
 * @{ */

/** Sets the prior mean of the rewards, at any time.
 *
 * An outcome counts relative to the mean that was in use when its query was asked; an unsolicited observation relative to
 * the present mean. Asks, predictions and best use the present mean.
 *
 * @param policy        The policy.
 * @param n             1 (one value for all actions) or the number of arms.
 * @param mean_or_null  Means (n, copied); NULL with n = 0: zero, the default.
 * @retval TVGP_ERR_STATE      The mean is learned from historical data.
 * @retval TVGP_ERR_DIM        n is neither 1 nor the number of arms.
 * @retval TVGP_ERR_ARG        mean_or_null is NULL and n > 0.
 * @retval TVGP_ERR_NONFINITE  A mean is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A mean is out of range.
 */
TVGP_API tvgp_status tvgp_policy_set_prior_mean(tvgp_policy *policy, size_t n, const double *mean_or_null);

/** Computes a prior mean at points of a box.
 *
 * The function must not call the policy (TVGP_ERR_REENTRANT) and must remain valid until it is replaced or the policy is
 * destroyed.
 *
 * @param user                   Pointer given with the function.
 * @param n                      Number of points.
 * @param X                      Points, n x dim, row-major.
 * @param[out] mean              Means (n).
 * @param[out] gradient_or_null  Gradients, n x dim, row-major, unless NULL.
 * @return 0, or -1000 to -1999, which the library call under way then returns.
 */
typedef int32_t (*tvgp_mean_fn)(void *user, size_t n, const double *X, double *mean, double *gradient_or_null);

/** Sets the prior mean of a policy on a box to a function, at any time. It replaces tvgp_policy_set_prior_mean and is
 * replaced by it; outcomes count as described there. The function is called once, at one point, to check it.
 *
 * @param policy           The policy.
 * @param mean_or_null     The function; NULL: zero.
 * @param user             First argument of the function.
 * @param destroy_or_null  Called with user when the mean was replaced and the policy and its clones no longer use it; not called
 *                         on error.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has arms.
 * @retval TVGP_ERR_CALLBACK     The function returned a status outside -1000 .. -1999; others are returned unchanged.
 * @retval TVGP_ERR_NONFINITE    The function wrote NaN or infinity.
 */
TVGP_API tvgp_status tvgp_policy_set_prior_mean_fn(tvgp_policy *policy, tvgp_mean_fn mean_or_null, void *user,
                                                   tvgp_destroy_fn destroy_or_null);

/** Computes the prior mean of every arm at a time: the configured one, or the forecast learned from historical data.
 * Observations of the run do not enter; tvgp_policy_predict gives the posterior mean.
 *
 * @param policy     The policy.
 * @param t          Time, any.
 * @param n          Number of arms.
 * @param[out] mean  Prior means (n).
 * @retval TVGP_ERR_DIM          n is not the number of arms.
 * @retval TVGP_ERR_UNSUPPORTED  The domain is a box or has measured contexts.
 * @retval TVGP_ERR_NONFINITE    t is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        t is out of range.
 */
TVGP_API tvgp_status tvgp_policy_prior_mean(const tvgp_policy *policy, double t, size_t n, double *mean);
/** @} */

/** @name Historical data and hyperparameters
 * @{ */

/** Learns a prior from historical records: the mean of every arm over time, with level and seasons, and the
 * covariance of its forecast errors, which becomes the kernel. The prior is updated during the run (docs/theory/hyperparameter-learning.md).
 *
 * It replaces the prior mean, the noise variance if none was set, and hyperparameter optimisation. Periods are found, and
 * levels and seasons forget as fast as would have forecast the records best. It may be called before the first ask or later:
 * then the posterior is computed again from the prior and the newest observations (history.max_replayed) since the last
 * call. Earlier historical data are forgotten. If less than 30 % of the cells (arm and time) have a record, the policy's
 * kernel supplies the correlations between arms. The newest 8192 times are used. The options history.*, fit and
 * season.period cannot be changed afterwards.
 *
 * Only sums over the records are kept. Cost in values read, which the quota of work counts, with cells = rows x arms and
 * P <= 3 periods:
 * - period search: at most P + 1 rounds of rows / 3 x cells; above 4096 rows of 64 x cells + 3 rows^2;
 * - forecasts: origins x (6 + 15 P) x cells, with 10 origins, or 0.6 rows / longest period if that is more;
 * - covariance: arms x cells + 12 (P + 1) x cells;
 * - replay, if it decides model.assume_misspecified: all of that for the older rows, and 8 to 22 times
 *   min(rows / 3, 1000) x arms^2.
 *
 * @param policy  The policy.
 * @param n       Number of records.
 * @param obs     Records (n), in any order, each with id 0 and a time. Records without a value are skipped, noise
 *                variances are ignored.
 * @param x       Arm of each record, n x dim.
 * @retval TVGP_ERR_ARG          No record has a value; or a record has no time, an id, an output, or a point that is no arm.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number or the median time step is out of range; the sums exceed 64 MB or memory.limit; or the
 *                               quota of work is exceeded.
 * @retval TVGP_ERR_OPTION       history.periods is no list of periods.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no options history.*; the domain is a box, has measured contexts or shared arms;
 *                               several priors, season.period or a hyperparameter optimisation were requested.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_policy_learn_history(tvgp_policy *policy, size_t n, const tvgp_obs *obs, const double *x);

/** Learns a prior from a table of historical values; otherwise as tvgp_policy_learn_history.
 *
 * @param policy     The policy.
 * @param rows       Number of times.
 * @param t_or_null  Times (rows); NULL: -rows .. -1, so that the run begins at 0.
 * @param value      Values, rows x arms, row-major; NaN where nothing was recorded.
 * @retval TVGP_ERR_ARG          The table has no value.
 * @retval TVGP_ERR_NONFINITE    A value is infinite, or a time is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        As for tvgp_policy_learn_history.
 * @retval TVGP_ERR_OPTION       history.periods is no list of periods.
 * @retval TVGP_ERR_UNSUPPORTED  As for tvgp_policy_learn_history.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_policy_learn_history_table(tvgp_policy *policy, size_t rows, const double *t_or_null,
                                                     const double *value);

/** Does work on hyperparameters that the next ask would do, while the caller has time.
 *
 * It decides nothing: an optimisation begins, and its result is adopted, at the ask at which this would happen without these calls.
 * With fit.every=-1, and before the first ask, it instead begins after any new outcome and does all that there is to do.
 * For asks without this work, call it after each outcome while nothing else waits:
 * @code
 * while (tvgp_policy_fit(policy, 1, &evals) == TVGP_AGAIN && idle())
 *     ;
 * @endcode
 * With historical data it instead updates the prior mean if the next ask would have to; *evals is 0 then. Before the first
 * ask or tell there is nothing to do.
 *
 * @param policy      The policy.
 * @param max_evals   Largest number of pieces, at least 1. A piece is one evaluation of the marginal likelihood (about n^3 flops for
 *                    n observations, at most fit.window), or a sixteenth of what an ask would do to take over new hyperparameters.
 * @param[out] evals  Number of evaluations made.
 * @retval TVGP_OK               Nothing is left to do before the next ask.
 * @retval TVGP_AGAIN            More is left to do; call again.
 * @retval TVGP_ERR_ARG          max_evals is 0.
 * @retval TVGP_ERR_STATE        fit is off, and no historical data were learned.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no hyperparameters to learn.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_policy_fit(tvgp_policy *policy, size_t max_evals, size_t *evals);
/** @} */

/** @name Several priors
 * @{ */

/** Adds a prior to a policy that weighs several priors by their likelihood. Priors are numbered from 0.
 *
 * A policy without added priors has one: its own kernel and mean, with epsilon 0. A prior added during a run is conditioned
 * on all observations so far, of which the policy keeps up to 65,536. auto-gp-ucb accepts priors before the
 * first ask or tell only, infers the rate (epsilon is not used), and keeps the differences between their means and its own
 * mean as of the first ask or tell.
 *
 * @param policy        The policy.
 * @param kernel        Covariance over the domain's points; kept alive.
 * @param n_mean        1, or the number of arms (on a box 1).
 * @param mean_or_null  Means (n_mean, copied); NULL with n_mean = 0: the policy's own mean, also when that changes.
 * @param epsilon       Rate of change, in [0, 1); correlation (1 - epsilon)^(dt / 2).
 * @retval TVGP_ERR_ARG          The kernel is not defined at an arm, epsilon is out of bounds, or mean_or_null is NULL and
 *                               n_mean > 0.
 * @retval TVGP_ERR_DIM          The kernel has another dimension, or n_mean is neither 1 nor the number of arms.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_UNSUPPORTED  The policy uses one prior only.
 * @retval TVGP_ERR_STATE        auto-gp-ucb has started.
 * @retval TVGP_ERR_LIMIT        More than 65,536 observations came before, or a number is out of range.
 */
TVGP_API tvgp_status tvgp_policy_add_prior(tvgp_policy *policy, const tvgp_kernel *kernel, size_t n_mean,
                                           const double *mean_or_null, double epsilon);

/** Adds a prior with a mean function, on a box; otherwise as tvgp_policy_add_prior.
 *
 * Functions are not saved. Load a snapshot into a policy to which the priors were added already; otherwise the next ask
 * returns TVGP_ERR_STATE.
 *
 * @param policy           The policy.
 * @param kernel           Covariance; kept alive.
 * @param mean_or_null     The function; NULL: the policy's own mean.
 * @param user             First argument of the function.
 * @param destroy_or_null  Called with user when the policy and its clones no longer use the function; not called on error.
 * @param epsilon          Rate of change, in [0, 1).
 * @retval TVGP_ERR_ARG          epsilon is out of bounds.
 * @retval TVGP_ERR_DIM          The kernel has another dimension.
 * @retval TVGP_ERR_NONFINITE    epsilon or a value of the function is NaN or infinite.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has arms, or the policy accepts no mean function.
 * @retval TVGP_ERR_STATE        auto-gp-ucb has started.
 * @retval TVGP_ERR_LIMIT        More than 65,536 observations came before.
 * @retval TVGP_ERR_CALLBACK     The function failed; statuses -1000 .. -1999 are returned unchanged.
 */
TVGP_API tvgp_status tvgp_policy_add_prior_fn(tvgp_policy *policy, const tvgp_kernel *kernel, tvgp_mean_fn mean_or_null,
                                              void *user, tvgp_destroy_fn destroy_or_null, double epsilon);

/** Changes the mean of an added prior, at any time (auto-gp-ucb: before the first ask or tell). The prior keeps
 * its observations, relative to its mean; outcomes count as described for tvgp_policy_set_prior_mean.
 *
 * @param policy        The policy.
 * @param i             The prior, in order of adding, from 0.
 * @param n             1, or the number of arms (on a box 1).
 * @param mean_or_null  Means (n, copied); NULL with n = 0: the policy's own mean, also when that changes.
 * @retval TVGP_ERR_ARG          i is not below the number of added priors, or mean_or_null is NULL and n > 0.
 * @retval TVGP_ERR_DIM          n is neither 1 nor the number of arms.
 * @retval TVGP_ERR_NONFINITE    A mean is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A mean is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy uses one prior only.
 * @retval TVGP_ERR_STATE        auto-gp-ucb has started, or the mean is learned from historical data.
 */
TVGP_API tvgp_status tvgp_policy_set_added_prior_mean(tvgp_policy *policy, size_t i, size_t n, const double *mean_or_null);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
