/* SPDX-License-Identifier: MIT */
/** @file
 * Safety of a policy's choices: constraints on further outputs (docs/guide/constraints.md) and losses against a known action.
 */
#ifndef TVGP_CONSTRAINT_H
#define TVGP_CONSTRAINT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * @retval TVGP_ERR_NONFINITE    bound is NaN or infinite.
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

#ifdef __cplusplus
}
#endif
#endif
