/* SPDX-License-Identifier: MIT */
/** @file
 * Policies: algorithms that choose actions (tvgp_policy_ask) and learn from their outcomes (tvgp_policy_tell).
 *
 * Times are the caller's own: finite and non-decreasing, in any unit, with regular or irregular steps. The library never
 * reads a clock. On error a policy is unchanged: it makes the same decisions as if the call had not been made.
 */
#ifndef TVGP_POLICY_H
#define TVGP_POLICY_H

#include "option.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a policy.
 *
 * @param ctx             The context.
 * @param name            Name of the algorithm, for instance "auto-gp-ucb" (docs/policies lists all).
 * @param domain          The actions; kept alive.
 * @param kernel_or_null  Covariance between actions, over the domain's points; kept alive. NULL: the policy uses a default
 *                        kernel (Matern 5/2, categorical for categorical arms) and learns its parameters, the noise, and
 *                        mean and scale of the rewards; possible for policies with the option `fit` (docs/theory/hyperparameter-learning.md).
 *                        random and constant-arm ignore the kernel.
 * @param[out] out        The new policy; release it with tvgp_policy_destroy.
 * @retval TVGP_ERR_ARG          kernel_or_null is NULL and the policy cannot learn it, or the kernel is not defined at an arm.
 * @retval TVGP_ERR_NOTFOUND     No policy has this name; the message gives the most similar one.
 * @retval TVGP_ERR_DIM          The kernel and the domain have different dimensions.
 * @retval TVGP_ERR_UNSUPPORTED  The policy cannot play on such a domain.
 */
TVGP_API tvgp_status tvgp_policy_create(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain,
                                        const tvgp_kernel *kernel_or_null, tvgp_policy **out);

/** Creates a policy from one line of text, for command lines, configuration files and rows of a database, for instance
 * "auto-gp-ucb grid=0:1:101 noise=.01" (docs/reference/protocol.md#descriptions-a-policy-in-one-line lists all words). O(length of the text).
 *
 * @param ctx       The context.
 * @param text      A policy (default auto-gp-ucb), one domain, a kernel or none, constraints and options; at most 2^20 - 1 bytes.
 * @param[out] out  The new policy; release it with tvgp_policy_destroy.
 * @retval TVGP_ERR_ARG       A word cannot be read, or the domain is missing or given twice; the message names it.
 * @retval TVGP_ERR_OPTION    A value is not accepted.
 * @retval TVGP_ERR_NOTFOUND  No such policy or option.
 * @retval TVGP_ERR_LIMIT     A longer text, more than 64 coordinates or 16 constraints, or a number out of range.
 * @return otherwise as the functions that create domains, kernels and policies, and tvgp_policy_add_constraint.
 */
TVGP_API tvgp_status tvgp_policy_create_described(tvgp_ctx *ctx, const char *text, tvgp_policy **out);

/** Destroys a policy and its pending queries.
 *
 * A function that the policy is calling may destroy that policy: this takes effect when the call under way returns. It
 * must not destroy other objects that are in use by the call.
 *
 * @param policy  A policy, or NULL (no effect).
 */
TVGP_API void tvgp_policy_destroy(tvgp_policy *policy);

/** @name Options
 * Set options before the first ask or tell. docs/reference/options.md lists all options of all policies.
 * @{ */

/** Sets an option to a real number; an integer option accepts an integral value.
 *
 * @param policy  The policy.
 * @param key     Name of the option.
 * @param value   New value.
 * @retval TVGP_ERR_NOTFOUND   The policy has no such option; the message names policies that have it, or a similar name.
 * @retval TVGP_ERR_OPTION     The value is out of bounds, not an integer, or the option is a text.
 * @retval TVGP_ERR_NONFINITE  The value is NaN, or infinite where that is not allowed.
 * @retval TVGP_ERR_STATE      The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set_f64(tvgp_policy *policy, const char *key, double value);

/** Sets an option to an integer; an option with real values accepts it.
 *
 * @param policy  The policy.
 * @param key     Name of the option.
 * @param value   New value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The value is out of bounds, or the option is a text.
 * @retval TVGP_ERR_STATE     The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set_i64(tvgp_policy *policy, const char *key, int64_t value);

/** Sets an option to a text.
 *
 * @param policy  The policy.
 * @param key     Name of the option.
 * @param value   New value, copied.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The text is not one of the choices, or the option is a number.
 * @retval TVGP_ERR_STATE     The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set_str(tvgp_policy *policy, const char *key, const char *value);

/** Sets several options from one text, all or none, for instance "noise=.01 epsilon=.03 fit=off".
 *
 * @param policy  The policy.
 * @param text    Pairs key=value separated by blanks. Numbers have a decimal point in every locale; a list is one value with
 *                commas. A later pair overrides an earlier one.
 * @retval TVGP_ERR_NOTFOUND   The policy has no such option.
 * @retval TVGP_ERR_OPTION     A pair is malformed, or a value is not accepted; the message names it.
 * @retval TVGP_ERR_NONFINITE  A value is NaN, or infinite where that is not allowed.
 * @retval TVGP_ERR_STATE      The policy has started.
 */
TVGP_API tvgp_status tvgp_policy_set(tvgp_policy *policy, const char *text);

/** Reads an option with a real or integer value, at any time.
 *
 * @param policy      The policy.
 * @param key         Name of the option.
 * @param[out] value  Its value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The option is a text.
 */
TVGP_API tvgp_status tvgp_policy_get_f64(const tvgp_policy *policy, const char *key, double *value);

/** Reads an option with an integral value, at any time.
 *
 * @param policy      The policy.
 * @param key         Name of the option.
 * @param[out] value  Its value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The option is a text, or its value is not an integer.
 */
TVGP_API tvgp_status tvgp_policy_get_i64(const tvgp_policy *policy, const char *key, int64_t *value);

/** Reads an option with a text value, at any time.
 *
 * @param policy      The policy.
 * @param key         Name of the option.
 * @param[out] value  Its value, valid until the option is set again or the policy is destroyed.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such option.
 * @retval TVGP_ERR_OPTION    The option is a number.
 */
TVGP_API tvgp_status tvgp_policy_get_str(const tvgp_policy *policy, const char *key, const char **value);
/** @} */

/** @name Priors and historical data
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

/** Continues hyperparameter optimisation now, while the caller has time. New parameters are in use on return.
 *
 * With historical data it instead updates the prior mean if the next ask would have to; *evals is 0 then. Before the first
 * ask or tell there is nothing to do.
 *
 * @param policy      The policy.
 * @param max_evals   Largest number of evaluations of the marginal likelihood (about n^3 flops each for n observations, at most
 *                    fit.window), at least 1.
 * @param[out] evals  Number of evaluations made.
 * @retval TVGP_OK               Nothing is left to do until new outcomes arrive.
 * @retval TVGP_AGAIN            More evaluations are needed; call again.
 * @retval TVGP_ERR_ARG          max_evals is 0.
 * @retval TVGP_ERR_STATE        fit is off, and no historical data were learned.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no hyperparameters to learn.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_policy_fit(tvgp_policy *policy, size_t max_evals, size_t *evals);

/** Gives the kernel in use: the supplied one, or the one learned so far (at first the centre of the hyperprior, with scale 1).
 *
 * @param policy    The policy.
 * @param[out] out  A new reference; release it with tvgp_kernel_destroy.
 * @retval TVGP_ERR_UNSUPPORTED  The policy uses no kernel.
 */
TVGP_API tvgp_status tvgp_policy_kernel(const tvgp_policy *policy, tvgp_kernel **out);

/** Gives the present domain: the supplied one, the one of the snapshot (tvgp_policy_restore), or the larger one of
 * tvgp_policy_extend.
 *
 * @param policy    The policy.
 * @param[out] out  A new reference; release it with tvgp_domain_destroy.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_domain(const tvgp_policy *policy, tvgp_domain **out);

/** Gives the number of coordinates of the policy's points: the length of x in asks and tells. It never changes.
 *
 * @param policy    The policy.
 * @param[out] dim  The number of coordinates.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_dim(const tvgp_policy *policy, size_t *dim);

/** Gives the name of the policy's algorithm.
 *
 * @param policy     The policy.
 * @param[out] name  The name, valid as long as the context.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_name(const tvgp_policy *policy, const char **name);

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

/** Adds a prior to a policy that weighs several priors by their likelihood. Priors are numbered from 0.
 *
 * A policy without added priors has one: its own kernel and mean, with epsilon 0. A prior added during a run is conditioned
 * on all observations so far, of which the policy keeps up to prior.max_replayed. auto-gp-ucb accepts priors before the
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
 * @retval TVGP_ERR_LIMIT        More than prior.max_replayed observations came before, or a number is out of range.
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
 * @retval TVGP_ERR_LIMIT        More than prior.max_replayed observations came before.
 * @retval TVGP_ERR_CALLBACK     The function failed; statuses -1000 .. -1999 are returned unchanged.
 */
TVGP_API tvgp_status tvgp_policy_add_prior_fn(tvgp_policy *policy, const tvgp_kernel *kernel, tvgp_mean_fn mean_or_null,
                                              void *user, tvgp_destroy_fn destroy_or_null, double epsilon);

/** Changes the mean of an added prior, at any time (auto-gp-ucb: before the first ask or tell). What the prior has learned
 * stays, relative to its mean; outcomes count as described for tvgp_policy_set_prior_mean.
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

/** @name Conservative mode and constraints
 * @{ */

/** Starts at a known action, the incumbent, and bounds the loss against it (conservative bandits: Wu, Shariff, Lattimore,
 * Szepesvari 2016).
 *
 * An ask chooses the incumbent unless the cumulative loss of all other choices stays within max_loss_share of the
 * incumbent's cumulative reward, even if the next choice turns out one standard deviation worse than predicted. With costs
 * and a share of 0.1, at most 10 % is added to the incumbent's costs. Rewards or costs must all have the same sign. A call
 * during a run replaces the incumbent and starts counting again.
 *
 * An incumbent that is unavailable, out of bounds or unsafe is not asked, and then does not restrict the choice; on a box
 * this holds also while there are candidates or constraints. For arms with numbered contexts x stands for its action in any
 * context, and a context must be set at each ask. Costs one prediction at one point per ask. Statistics: incumbent.asked,
 * .loss, .loss_left, .gain and .gain_error.
 *
 * @param policy          The policy.
 * @param x_or_null       The incumbent (dim, copied): the point of an arm, on a box any point. NULL: none any more.
 * @param max_loss_share  Accepted loss, as a share of the incumbent's cumulative reward, >= 0. INFINITY: the incumbent never
 *                        restricts the choice.
 * @retval TVGP_ERR_NOTFOUND     x is not a point of the domain.
 * @retval TVGP_ERR_ARG          max_loss_share < 0.
 * @retval TVGP_ERR_NONFINITE    A number is NaN, or a coordinate is infinite.
 * @retval TVGP_ERR_LIMIT        A coordinate is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no model or several priors; contexts are measured; or arms are shared.
 */
TVGP_API tvgp_status tvgp_policy_set_incumbent(tvgp_policy *policy, const double *x_or_null, double max_loss_share);

/** Limits the sum of costs in each period, or removes the limit, at any time (Badanidiyuru, Kleinberg, Slivkins 2013; Balseiro,
 * Gur 2019; docs/guide/budgets.md).
 *
 * An ask maximises score - price x cost among the actions that are affordable. The price follows what is spent, so that the
 * money lasts. If no action is affordable, ask returns TVGP_AGAIN, or asks the cheapest (option budget.fallback). A period
 * begins at the first ask; what is left does not pass to the next. A new budget begins a new period and keeps costs and price.
 * tvgp_query.score excludes the price. An ask costs O(arms) more. Statistics: budget.left, .spent, .price and .refused.
 *
 * An ask returns TVGP_ERR_STATE until tvgp_policy_set_costs was called, and TVGP_ERR_UNSUPPORTED on a box without candidates.
 *
 * @param policy  The policy.
 * @param budget  Cost that may be spent in a period, > 0. INFINITY: no budget.
 * @param period  Length of a period, in units of t, > 0.
 * @param asks    Number of asks expected in a period, > 0.
 * @retval TVGP_ERR_ARG          budget, period or asks <= 0.
 * @retval TVGP_ERR_NONFINITE    A number is NaN, or period or asks is infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy does not choose by a score, or arms are shared.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint.
 */
TVGP_API tvgp_status tvgp_policy_set_budget(tvgp_policy *policy, double budget, double period, double asks);

/** Sets the expected costs of actions, in units of the budget, at any time. Candidates of another number need new costs. O(n).
 *
 * @param policy  The policy, which has a budget.
 * @param n       1, or the number of arms or candidates.
 * @param cost    Costs >= 0 (n), copied.
 * @retval TVGP_ERR_STATE      There is no budget.
 * @retval TVGP_ERR_DIM        n is neither 1 nor the number of arms or candidates.
 * @retval TVGP_ERR_ARG        A cost is below 0.
 * @retval TVGP_ERR_NONFINITE  A cost is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A cost is out of range.
 */
TVGP_API tvgp_status tvgp_policy_set_costs(tvgp_policy *policy, size_t n, const double *cost);

/** Sets what a unit of the reward of each action pays, such as the price of a sale, at any time (docs/guide/prices-and-revenue.md).
 *
 * Outcomes, predictions and the posterior stay rates. Choices, tvgp_query.score, tvgp_policy_best, tvgp_policy_best_probability and
 * the score of tvgp_policy_evaluate use payoff x rate. The score of an action is its payoff times the upper bound of its rate.
 * Costs of switching and prices of a budget have the unit of payoff x rate. Actions that are added later have payoff 1. O(n).
 *
 * @param policy           The policy, with outcome.type = poisson or binomial.
 * @param n                Number of actions: arms, or the actions of a product. 0: payoff 1 for all.
 * @param payoffs_or_null  Payoffs > 0 (n), copied.
 * @retval TVGP_ERR_UNSUPPORTED  The outcomes are no counts, the policy does not choose by a score, the domain is a box, or arms are
 *                               shared.
 * @retval TVGP_ERR_DIM          n is not the number of actions.
 * @retval TVGP_ERR_ARG          A payoff is <= 0.
 * @retval TVGP_ERR_NONFINITE    A payoff is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A payoff is out of range.
 * @retval TVGP_ERR_STATE        The policy is the model of a constraint.
 */
TVGP_API tvgp_status tvgp_policy_set_payoffs(tvgp_policy *policy, size_t n, const double *payoffs_or_null);

/** Reports the actual cost of a query, once, before or after its outcome; without it the expected cost counts. An outcome
 * TVGP_CANCELLED charges 0. The cost counts in the period in which the query was asked. O(uncharged queries).
 *
 * @param policy  The policy, which has a budget.
 * @param id      Id of the query.
 * @param cost    Its cost, >= 0.
 * @retval TVGP_ERR_TICKET     The query was not asked under this budget, was charged, or is older than the last pending.limit
 *                             uncharged queries.
 * @retval TVGP_ERR_ARG        cost is below 0.
 * @retval TVGP_ERR_NONFINITE  cost is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      cost is out of range.
 * @retval TVGP_ERR_STATE      There is no budget.
 */
TVGP_API tvgp_status tvgp_policy_charge(tvgp_policy *policy, int64_t id, double cost);

/** Adds a constraint on a further output of an action, which is learned and kept during the run
 * (docs/guide/constraints.md). Call it before the first ask or tell.
 *
 * Output k, in order of adding from 1, must be at least or at most `bound`. From now on ask considers only actions that are
 * declared safe, or whose risk (the sum over all constraints of the probability of violation) is at most
 * 1 - constraint.confidence. Report outputs with tvgp_obs.output or tvgp_policy_tell_values.
 *
 * The policy keeps the model. The caller's handle may be destroyed at any time; until then it serves for predictions,
 * statistics, the kernel and tvgp_policy_set_prior_mean. Other calls on it return TVGP_ERR_STATE. The option sense of the model has
 * no effect.
 *
 * @param policy  The policy.
 * @param model   A policy on the same domain that models the output and has never been asked: gp-, igp-, tv-, sw-, w-, ui-,
 *                auto-, pe-, mle-, fb- or rb-gp-ucb. Observations that it already has are used. If it has none and no rows.limit
 *                was set, it takes the one that was set for the policy.
 * @param flags   TVGP_AT_LEAST or TVGP_AT_MOST; add TVGP_OF_MEAN to constrain the noiseless value instead of measurements.
 * @param bound   The bound, in units of the output.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has side queries or shared arms, or the model is another kind of policy.
 * @retval TVGP_ERR_STATE        The policy has started or is a model itself; or the model was asked, belongs to a constraint, has
 *                               constraints, or has another domain or context.
 * @retval TVGP_ERR_ARG          flags has an unknown bit.
 * @retval TVGP_ERR_NONFINITE    limit is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        More than 16 constraints, or bound is out of range.
 */
TVGP_API tvgp_status tvgp_policy_add_constraint(tvgp_policy *policy, tvgp_policy *model, uint32_t flags, double bound);

/** Changes the bound of the constraint on an output, at any time, from the next ask and for values reported from now on.
 *
 * @param policy  The policy.
 * @param output  Output of the constraint, from 1.
 * @param bound   The new bound.
 * @retval TVGP_ERR_ARG        There is no such constraint.
 * @retval TVGP_ERR_NONFINITE  bound is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      bound is out of range.
 */
TVGP_API tvgp_status tvgp_policy_set_constraint(tvgp_policy *policy, int32_t output, double bound);

/** Declares actions safe, at any time; replaces earlier declarations.
 *
 * Declared actions may be asked whatever the model predicts: at the start of a run, and when no other action is safe.
 * Violations by them are counted (statistic constraint.caller_safe_violations.k) and change nothing. With measured
 * contexts the action of a point is declared in all contexts.
 *
 * @param policy     The policy.
 * @param n          Number of actions; 0: none.
 * @param X_or_null  Their points, n x dim, row-major, copied.
 * @retval TVGP_ERR_NOTFOUND     A point is not in the domain.
 * @retval TVGP_ERR_NONFINITE    A coordinate is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A coordinate is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The policy cannot have constraints.
 */
TVGP_API tvgp_status tvgp_policy_set_safe(tvgp_policy *policy, size_t n, const double *X_or_null);

/** Reports the reward and all outputs of a query; equals tvgp_policy_tell with n records.
 *
 * @param policy  The policy.
 * @param id      Id of the query.
 * @param n       1 + number of constraints.
 * @param y       Reward, then output 1, 2, .. (n).
 * @retval TVGP_ERR_DIM        n is not 1 + number of constraints.
 * @retval TVGP_ERR_TICKET     The query is unknown or has an outcome already.
 * @retval TVGP_ERR_NONFINITE  A value is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A value is out of range.
 * @retval TVGP_ERR_NUMERIC    The posterior cannot be updated.
 */
TVGP_API tvgp_status tvgp_policy_tell_values(tvgp_policy *policy, int64_t id, size_t n, const double *y);
/** @} */

/** @name Restricting and changing the set of actions
 * @{ */

/** Sets which arms may be asked, at any time. Unavailable arms still learn from others.
 *
 * @param policy        The policy.
 * @param n             Number of arms.
 * @param mask_or_null  One byte per arm (n), 0: unavailable; copied. NULL: all arms are available.
 * @retval TVGP_ERR_DIM  n is not the number of arms.
 * @retval TVGP_ERR_ARG  No arm is available.
 */
TVGP_API tvgp_status tvgp_policy_set_available(tvgp_policy *policy, size_t n, const uint8_t *mask_or_null);

/** Adds arms to a running policy by moving it to a larger domain (docs/guide/changing-arms.md).
 *
 * The posterior of the new arms is the one they would have if they had existed, unasked, from the start; it agrees to
 * 1e-10, and where the posterior is kept in weights or as a covariance matrix to 1e-7. Pending queries stay valid. The
 * new arms are available. To remove arms use tvgp_policy_set_available. Before the first ask or tell every policy can be extended; later all with a
 * supplied kernel except bkb, and auto-gp-ucb with several priors or with a season; auto-gp-ucb with default settings on
 * categorical arms.
 *
 * @param policy            The policy.
 * @param larger            A domain whose first arms are those of the policy's domain (tvgp_domain_append); the kernel must
 *                          be defined at all of them.
 * @param new_mean_or_null  Prior means of the new arms, one each; NULL: the policy's common mean, or zero.
 * @retval TVGP_ERR_UNSUPPORTED  The policy cannot be extended now, a prior has a mean per arm, or the domain is a box.
 * @retval TVGP_ERR_ARG          `larger` does not begin with the arms of the domain; the kernel is not defined at an arm; or
 *                               new_mean_or_null is NULL although the mean is per arm.
 * @retval TVGP_ERR_DIM          `larger` has another dimension.
 * @retval TVGP_ERR_NONFINITE    A mean is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A mean is out of range.
 */
TVGP_API tvgp_status tvgp_policy_extend(tvgp_policy *policy, const tvgp_domain *larger, const double *new_mean_or_null);

/** Sets the present context of a product of finite domains, at any time. Asks and tvgp_policy_best stay within it.
 * Observations inform all contexts. tvgp_query.arm is an arm of the product; tvgp_domain_split gives its action. If no arm of the
 * context is available, ask and best return TVGP_ERR_STATE.
 *
 * @param policy   The policy.
 * @param context  0 .. contexts - 1; -1: any context.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has no numbered contexts.
 * @retval TVGP_ERR_ARG          context is out of range.
 */
TVGP_API tvgp_status tvgp_policy_set_context(tvgp_policy *policy, int64_t context);

/** Sets the present measured context of a product of actions and a box, at any time (contextual GP-UCB: Krause, Ong 2011,
 * eq. 1). It must be set before the first ask or best. Asks and tvgp_policy_best choose among the actions in this context;
 * pending queries keep theirs. Observations inform all contexts. O(observations^2) flops per action and ask.
 *
 * @param policy  The policy.
 * @param n       Dimension of the box.
 * @param z       The context (n, copied), in units of the box.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has no measured contexts.
 * @retval TVGP_ERR_DIM          n is not the dimension of the box.
 * @retval TVGP_ERR_NONFINITE    A coordinate is NaN or infinite.
 * @retval TVGP_ERR_ARG          A coordinate is outside the box and option context.clamp is 0; or not an integer where the box
 *                               requires it.
 * @retval TVGP_ERR_LIMIT        A coordinate is out of range.
 */
TVGP_API tvgp_status tvgp_policy_set_context_point(tvgp_policy *policy, size_t n, const double *z);

/** Restricts asks and tvgp_policy_best on a box to bounds, at any time. lower[k] = upper[k] fixes a coordinate.
 * Observations from the whole domain stay in use.
 *
 * @param policy         The policy.
 * @param lower_or_null  Lower bounds (dim, copied); NULL: those of the domain.
 * @param upper_or_null  Upper bounds (dim, copied); NULL: those of the domain.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has arms.
 * @retval TVGP_ERR_NONFINITE    A bound is NaN or infinite.
 * @retval TVGP_ERR_ARG          A bound is outside the domain, lower[k] > upper[k], or no integer lies between them.
 */
TVGP_API tvgp_status tvgp_policy_set_bounds(tvgp_policy *policy, const double *lower_or_null, const double *upper_or_null);

/** Decides which points of a box may be asked.
 *
 * The function must not call the policy (TVGP_ERR_REENTRANT) and must remain valid until it is replaced or the policy is
 * destroyed.
 *
 * @param user     Pointer given with the function.
 * @param n        Number of points.
 * @param X        Points, n x dim, row-major.
 * @param[out] ok  1 where the point may be asked, otherwise 0 (n).
 * @return 0, or -1000 to -1999, which the library call under way then returns (other values: TVGP_ERR_CALLBACK).
 */
typedef int32_t (*tvgp_feasible_fn)(void *user, size_t n, const double *X, uint8_t *ok);

/** Restricts asks and tvgp_policy_best on a box to a set given by a function, at any time.
 *
 * If no feasible point is found (among 16,384 points spread over the bounds and more around observed points), ask and best
 * return TVGP_ERR_NOTFOUND.
 *
 * @param policy            The policy.
 * @param feasible_or_null  The function; NULL: all points.
 * @param user              First argument of the function.
 * @param destroy_or_null   Called with user when the function was replaced and the policy and its clones no longer use it; not
 *                          called on error.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has arms.
 */
TVGP_API tvgp_status tvgp_policy_set_feasible(tvgp_policy *policy, tvgp_feasible_fn feasible_or_null, void *user,
                                              tvgp_destroy_fn destroy_or_null);

/** Sets the alternatives of the next request on a box, at any time: from now on asks and tvgp_policy_best choose among these
 * n points, and tvgp_query.arm is the row (GP version of Li et al. 2010, alg. 1; docs/guide/candidates.md).
 *
 * Points outside tvgp_policy_set_bounds or tvgp_policy_set_feasible are not asked; if none is left, ask and best return
 * TVGP_ERR_NOTFOUND. Ties go to the first row. Pending queries keep their point, mean and row. Observations are accepted at
 * any point of the box, and predictions at points do not include the means. O(observations^2) flops per point and ask, or
 * one joint draw with choice=thompson, for which n is at most 1024 (ask returns TVGP_ERR_LIMIT). No allocation after the
 * first ask with a list of this size.
 *
 * @param policy        The policy.
 * @param n             Number of points, at most 65,536; 0: the whole box again.
 * @param X_or_null     Points, n x dim, row-major, copied.
 * @param mean_or_null  Added to the prior mean at each point (n, copied), for instance a price to subtract; NULL: 0.
 * @retval TVGP_ERR_UNSUPPORTED  The domain has arms.
 * @retval TVGP_ERR_ARG          X_or_null is NULL and n > 0; an array is given and n is 0; or a point is outside the box or not an
 *                               integer where the box requires it.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        n > 65,536, or a mean is out of range.
 */
TVGP_API tvgp_status tvgp_policy_set_candidates(tvgp_policy *policy, size_t n, const double *X_or_null,
                                                const double *mean_or_null);
/** @} */

/** @name Ask and tell
 * @{ */

/** Chooses the next actions, or side queries, for time t.
 *
 * Several asks without a tell in between are allowed: pending actions count as observed at their mean (Desautels, Krause,
 * Burdick 2014), so that choices spread. At most pending.limit queries are pending; beyond, the oldest is forgotten.
 *
 * Costs O(arms) for the scores and one update of the posterior for each new query; on a box a search of a few hundred points of
 * O(rows^2) each (docs/guide/sizing.md). Where hyperparameters are learned, some asks in addition run a part of an optimisation:
 * at most fit.max_evals evaluations of O(fit.window^3). On error later decisions are unchanged.
 *
 * @param policy  The policy.
 * @param t       Time, not before the newest time seen.
 * @param cap     Largest number of queries, at least 1. On a box one action, or up to cap side queries.
 * @param[out] q  The queries (cap).
 * @param[out] x  Coordinates of each query, cap x dim, row-major. May be NULL on arms and with candidates.
 * @param[out] n  Number of queries written.
 * @retval TVGP_AGAIN            Nothing can be asked until outcomes arrive; *n is 0.
 * @retval TVGP_DONE             The policy has finished; *n is 0.
 * @retval TVGP_ERR_ARG          cap is 0, t is before the newest time seen, or x is NULL on a box.
 * @retval TVGP_ERR_NONFINITE    t is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        t is out of range, search.grid or a quota is exceeded, or a joint draw has more than 1024 points.
 * @retval TVGP_ERR_STATE        A context, a mean function or a feasible set must be set first; or no arm of the context is available.
 * @retval TVGP_ERR_NOTFOUND     No feasible point (box), or no safe action and constraint.fallback is "error".
 * @retval TVGP_ERR_NUMERIC      The posterior cannot be updated.
 * @retval TVGP_ERR_CALLBACK     A function of the caller failed; statuses -1000 .. -1999 are returned unchanged.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_policy_ask(tvgp_policy *policy, double t, size_t cap, tvgp_query *q, double *x, size_t *n);

/** Chooses a slate of k different arms or candidates (GP-BUCB: Desautels, Krause, Burdick 2014): k asks, in each of which the
 * earlier items are excluded and pending. Costs k asks, and for k > 1 the writing of a snapshot.
 *
 * Each item is a query of its own with its own outcome; report an item that was not looked at as TVGP_SKIPPED. The
 * propensity is conditional on the earlier items. Constraints and the incumbent apply to each item in order. If memory is
 * refused both to an ask and to taking back the earlier items, these stay pending.
 *
 * @param policy  The policy.
 * @param t       Time, not before the newest time seen.
 * @param k       Number of items, 1 to 32. 1 equals tvgp_policy_ask_one.
 * @param[out] q  The queries (k), with consecutive ids.
 * @param[out] x  Coordinates of each item, k x dim, row-major; may be NULL.
 * @param[out] n  Number of items: fewer than k if fewer may be asked.
 * @retval TVGP_AGAIN            As tvgp_policy_ask; *n is 0.
 * @retval TVGP_DONE             As tvgp_policy_ask; *n is 0.
 * @retval TVGP_ERR_ARG          k is not in 1 .. 32, or t is before the newest time seen.
 * @retval TVGP_ERR_UNSUPPORTED  A box without candidates, shared arms, switching costs, or a policy that has side queries or
 *                               cannot be saved.
 * @retval TVGP_ERR_LIMIT        k exceeds pending.limit.
 * @return otherwise as tvgp_policy_ask.
 */
TVGP_API tvgp_status tvgp_policy_ask_slate(tvgp_policy *policy, double t, size_t k, tvgp_query *q, double *x, size_t *n);

/** Reports n outcomes, all or none.
 *
 * Outcomes may come for any of the pending queries, in any order, late or never. With id 0 a record is an unsolicited
 * observation at the point x. With constraints each record is the outcome of one output (tvgp_obs.output; 0: the reward);
 * outputs may come together, separately or never, and a query is pending until each has an outcome. An outcome without a
 * value ends its output; at output 0 it ends all outputs that are not reported in the same call. Once its reward is
 * reported, a query no longer counts as a pending action. An id may occur several times with different outputs, and with
 * TVGP_OBS_PARTIAL: a partial outcome is an observation of the query, which stays pending.
 *
 * Unsolicited observations of one call are used in the order of their times, equal times in the order of the call; outcomes of
 * queries keep their places. On a box, of unsolicited observations at more than rows.limit different points only the newest are
 * used, and more than 256 records are used in pieces, so that memory does not depend on n; meanwhile the former state is kept.
 *
 * Costs one update of the posterior for each value: O(arms x min(rank of the kernel, observations in use)) on arms, O(rows^2) on
 * a box (docs/guide/sizing.md). Hyperparameters are optimised in asks, not here. On error the policy is unchanged.
 *
 * @param policy     The policy.
 * @param n          Number of outcomes. 0: nothing is done, TVGP_OK.
 * @param obs        The outcomes (n).
 * @param x_or_null  Point of each record, n x dim, row-major; read for records with id 0 only. A point that differs from an arm by
 *                   rounding counts as the arm: by at most 1e-6 of the largest value of each coordinate.
 * @retval TVGP_ERR_TICKET     An id is unknown, or its output has an outcome already or occurs twice in the call, even with equal
 *                             outcomes; then no record is used.
 * @retval TVGP_ERR_ARG        A member has an invalid value (message) or is not 0 without its flag, there is no such constraint,
 *                             x_or_null is needed, or a partial outcome is of no query, no value, or (except counts) without a
 *                             noise variance.
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range, or a quota is exceeded.
 * @retval TVGP_ERR_NOTFOUND   The point of an unsolicited observation is not in the domain.
 * @retval TVGP_ERR_NUMERIC    The posterior cannot be updated.
 * @retval TVGP_ERR_CALLBACK   A function of the caller failed; statuses -1000 .. -1999 are returned unchanged.
 */
TVGP_API tvgp_status tvgp_policy_tell(tvgp_policy *policy, size_t n, const tvgp_obs *obs, const double *x_or_null);

/** Lists the pending queries, oldest first. After a restart they show what was under way when the snapshot was saved. A
 * query that pending.timeout will close is listed until the next ask. The policy is unchanged.
 *
 * @param policy          The policy.
 * @param cap             Largest number of queries to write.
 * @param[out] q_or_null  The queries (cap), as they were asked; NULL: only *n is written.
 * @param[out] x_or_null  Coordinates of each query, cap x dim, row-major; may be NULL.
 * @param[out] n          Number of queries written; with q_or_null NULL the number of pending queries.
 * @retval TVGP_ERR_ARG  n is NULL.
 */
TVGP_API tvgp_status tvgp_policy_pending(const tvgp_policy *policy, size_t cap, tvgp_query *q_or_null, double *x_or_null,
                                         size_t *n);

/** Chooses one query; equals tvgp_policy_ask with cap = 1.
 *
 * @param policy  The policy.
 * @param t       Time, not before the newest time seen.
 * @param[out] q  The query.
 * @param[out] x  Its coordinates (dim). May be NULL on arms and with candidates.
 * @return As tvgp_policy_ask.
 */
TVGP_API tvgp_status tvgp_policy_ask_one(tvgp_policy *policy, double t, tvgp_query *q, double *x);

/** Reports the value of one query; equals tvgp_policy_tell with one record.
 *
 * @param policy  The policy.
 * @param id      Id of the query.
 * @param y       Its reward.
 * @return As tvgp_policy_tell.
 */
TVGP_API tvgp_status tvgp_policy_tell_value(tvgp_policy *policy, int64_t id, double y);
/** @} */

/** @name Saving and restoring
 * Snapshots continue bit for bit with the same library on the same machine (docs/guide/persistence.md, docs/reference/snapshot-format.md).
 * @{ */

/** Saves the state: options, prior means, priors, mask, context, bounds, candidates, pending queries and everything learned.
 * Functions (mean, feasible set) are not saved. The policy is unchanged, and after the first save nothing is allocated.
 *
 * With shared arms each rank writes its part. With a buffer the call is collective; store the part of rank 0, which holds
 * the manifest, last.
 *
 * @param policy          The policy.
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the snapshot; NULL: only *needed is written.
 * @param[out] needed     Size of the snapshot, in bytes.
 * @retval TVGP_ERR_BUFFER       The buffer is too small; *needed is written.
 * @retval TVGP_ERR_UNSUPPORTED  A registered policy without save.
 */
TVGP_API tvgp_status tvgp_policy_save(const tvgp_policy *policy, size_t capacity, void *buffer_or_null, size_t *needed);

/** Loads a state that tvgp_policy_save wrote, at any time. From here on the policy continues as the saved one would have.
 *
 * The policy must have the same name, domain and kernel; options and priors come from the snapshot. Functions are those of
 * this policy. If the saved policy had a function and this one has none, the next ask returns TVGP_ERR_STATE until it is
 * set. Repeated loads allocate nothing once a state of this size was held. With shared arms the bytes are the parts of all
 * ranks in any order, at least those with this rank's arms and rank 0's; the number of ranks may differ; collective.
 *
 * @param policy  The policy.
 * @param n       Its size, in bytes.
 * @param bytes   The snapshot (n).
 * @retval TVGP_ERR_FORMAT   The bytes are no valid snapshot; the message names section and byte.
 * @retval TVGP_ERR_VERSION  A newer format.
 * @retval TVGP_ERR_STATE    The snapshot is of another policy, domain or kernel (message); or its parts do not fit together.
 * @retval TVGP_ERR_LIMIT    A quota is exceeded.
 */
TVGP_API tvgp_status tvgp_policy_load(tvgp_policy *policy, size_t n, const void *bytes);

/** Saves the state together with domain and kernel; otherwise as tvgp_policy_save.
 *
 * @param policy          The policy.
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the snapshot; NULL: only *needed is written.
 * @param[out] needed     Size of the snapshot, in bytes.
 * @retval TVGP_ERR_BUFFER       The buffer is too small; *needed is written.
 * @retval TVGP_ERR_UNSUPPORTED  A registered policy, kernel or domain without save.
 */
TVGP_API tvgp_status tvgp_policy_save_full(const tvgp_policy *policy, size_t capacity, void *buffer_or_null, size_t *needed);

/** Creates a policy from a snapshot. A full snapshot (tvgp_policy_save_full) suffices alone. Set functions again afterwards.
 *
 * @param ctx             The context.
 * @param n               Its size, in bytes.
 * @param bytes           The snapshot (n).
 * @param domain_or_null  The domain; NULL: the one in the snapshot.
 * @param kernel_or_null  The kernel; NULL: the one in the snapshot, or none if the policy was created without.
 * @param[out] out        The new policy; release it with tvgp_policy_destroy.
 * @retval TVGP_ERR_FORMAT       The bytes are no valid snapshot.
 * @retval TVGP_ERR_VERSION      A newer format.
 * @retval TVGP_ERR_STATE        The snapshot lacks domain or kernel, or the given one differs.
 * @retval TVGP_ERR_NOTFOUND     The policy's algorithm is not registered in this context.
 * @retval TVGP_ERR_UNSUPPORTED  The type of the kernel or the domain is not registered in this context.
 * @retval TVGP_ERR_LIMIT        A quota is exceeded.
 */
TVGP_API tvgp_status tvgp_policy_restore(tvgp_ctx *ctx, size_t n, const void *bytes, const tvgp_domain *domain_or_null,
                                         const tvgp_kernel *kernel_or_null, tvgp_policy **out);

/** Creates an independent policy in the same state, with the same domain, kernel and functions.
 *
 * @param policy    The policy.
 * @param[out] out  The new policy; release it with tvgp_policy_destroy.
 * @retval TVGP_ERR_UNSUPPORTED  A registered policy without save.
 */
TVGP_API tvgp_status tvgp_policy_clone(const tvgp_policy *policy, tvgp_policy **out);
/** @} */

/** @name Reading what a policy has learned
 * None of these functions changes a later decision.
 * @{ */

/** Computes the posterior mean and latent variance at n points.
 *
 * @param policy     The policy.
 * @param t          Time, not before the newest time seen.
 * @param n          Number of points.
 * @param X_or_null  Points, n x dim, row-major. NULL: all arms in order of their numbers, available or not (faster); with shared
 *                   arms those of this rank, with measured contexts the actions in the present context, on a box the
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
 * @retval TVGP_ERR_LIMIT        t is out of range, or search.grid is exceeded.
 * @retval TVGP_ERR_UNSUPPORTED  The policy has no model.
 * @retval TVGP_ERR_STATE        A context must be set first, or no arm of it is available.
 * @retval TVGP_ERR_NOTFOUND     No feasible point (box).
 * @retval TVGP_ERR_CALLBACK     A function of the caller failed.
 */
TVGP_API tvgp_status tvgp_policy_best(tvgp_policy *policy, double t, int64_t *arm, double *x);

/** Reads a statistic. docs/reference/options.md lists all statistics of all policies.
 *
 * A statistic of each of several items is listed for the first one, for instance prior.alive.0; prior.alive.3 is that of
 * prior 3.
 *
 * @param policy      The policy.
 * @param key         Name of the statistic.
 * @param[out] value  Its value.
 * @retval TVGP_ERR_NOTFOUND  The policy has no such statistic; the message gives the most similar name.
 */
TVGP_API tvgp_status tvgp_policy_stat(const tvgp_policy *policy, const char *key, double *value);
/** @} */

/** @name Introspection
 * @{ */

/** Gives the number of policies that are registered in a context.
 *
 * @param ctx     The context.
 * @param[out] n  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_count(const tvgp_ctx *ctx, size_t *n);

/** Gives name and description of a registered policy.
 *
 * @param ctx        The context.
 * @param i          0 .. count - 1.
 * @param[out] name  Its name, valid as long as the context.
 * @param[out] doc   Its description, valid as long as the context.
 * @retval TVGP_ERR_ARG  i is too large.
 */
TVGP_API tvgp_status tvgp_policy_name_at(const tvgp_ctx *ctx, size_t i, const char **name, const char **doc);

/** Gives the number of options of a policy.
 *
 * @param policy  The policy.
 * @param[out] n  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_option_count(const tvgp_policy *policy, size_t *n);

/** Describes option i of a policy.
 *
 * @param policy     The policy.
 * @param i          0 .. count - 1.
 * @param[out] info  The description.
 * @retval TVGP_ERR_ARG  i is too large.
 */
TVGP_API tvgp_status tvgp_policy_option_info(const tvgp_policy *policy, size_t i, tvgp_option_info *info);

/** Gives the number of statistics of a policy.
 *
 * @param policy  The policy.
 * @param[out] n  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_stat_count(const tvgp_policy *policy, size_t *n);

/** Describes statistic i of a policy.
 *
 * @param policy     The policy.
 * @param i          0 .. count - 1.
 * @param[out] info  The description.
 * @retval TVGP_ERR_ARG  i is too large.
 */
TVGP_API tvgp_status tvgp_policy_stat_info(const tvgp_policy *policy, size_t i, tvgp_stat_info *info);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
