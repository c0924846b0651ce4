/* SPDX-License-Identifier: MIT */
/** @file
 * Policies: algorithms that choose actions (tvgp_policy_ask) and learn from their outcomes (tvgp_policy_tell).
 *
 * Times are the caller's own: finite and non-decreasing, in any unit, with regular or irregular steps. The library never
 * reads a clock. On error a policy is unchanged: it makes the same decisions as if the call had not been made.
 */
#ifndef TVGP_POLICY_H
#define TVGP_POLICY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Creating and destroying
 * @{ */

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
 * @retval TVGP_ERR_LIMIT        t is out of range, a quota is exceeded, or a joint draw has more than 1024 points.
 * @retval TVGP_ERR_STATE        A context, a mean function or a feasible set must be set first; or no arm of the context is available.
 * @retval TVGP_ERR_NOTFOUND     No feasible point (box), or no safe action and constraint.fallback is "error".
 * @retval TVGP_ERR_NUMERIC      The posterior cannot be updated.
 * @retval TVGP_ERR_CALLBACK     A function of the caller failed; statuses -1000 .. -1999 are returned unchanged.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_policy_ask(tvgp_policy *policy, double t, size_t cap, tvgp_query *q, double *x, size_t *n);

/** Chooses one query; equals tvgp_policy_ask with cap = 1.
 *
 * @param policy  The policy.
 * @param t       Time, not before the newest time seen.
 * @param[out] q  The query.
 * @param[out] x  Its coordinates (dim). May be NULL on arms and with candidates.
 * @return As tvgp_policy_ask.
 */
TVGP_API tvgp_status tvgp_policy_ask_one(tvgp_policy *policy, double t, tvgp_query *q, double *x);

/** Chooses a slate of k different arms or candidates (GP-BUCB: Desautels, Krause, Burdick 2014): k asks, in each of which the
 * earlier items are excluded and pending. Costs k asks, and for k > 1 a clone of the policy.
 *
 * Each item is a query of its own with its own outcome; report an item that was not looked at as TVGP_SKIPPED. The
 * propensity is conditional on the earlier items. Constraints and the incumbent apply to each item in order.
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

/** Reports n outcomes, all or none.
 *
 * Outcomes may come for any of the pending queries, in any order, late or never. With id 0 a record is an unsolicited
 * observation at the point x. With constraints each record is the outcome of one output (tvgp_obs.output; 0: the reward);
 * outputs may come together, separately or never, and a query is pending until each has an outcome. An outcome without a
 * value ends its output; at output 0 it ends all outputs that are not reported in the same call. Once its reward is
 * reported, a query no longer counts as a pending action. An id may occur several times with different outputs, and with
 * TVGP_OBS_PARTIAL: a partial outcome is an observation of the query, which stays pending. TVGP_OBS_RIGHT_CENSORED and
 * TVGP_OBS_LEFT_CENSORED: the outcome is at least, or at most, y; its moments are matched with the prediction of the ask, so the
 * posterior is approximate.
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

/** Reports the value of one query; equals tvgp_policy_tell with one record.
 *
 * @param policy  The policy.
 * @param id      Id of the query.
 * @param y       Its reward.
 * @return As tvgp_policy_tell.
 */
TVGP_API tvgp_status tvgp_policy_tell_value(tvgp_policy *policy, int64_t id, double y);

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

/** @name Parts of a policy
 * @{ */

/** Gives the name of the policy's algorithm.
 *
 * @param policy     The policy.
 * @param[out] name  The name, valid as long as the context.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_name(const tvgp_policy *policy, const char **name);

/** Gives the number of coordinates of the policy's points: the length of x in asks and tells. It never changes.
 *
 * @param policy    The policy.
 * @param[out] dim  The number of coordinates.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_dim(const tvgp_policy *policy, size_t *dim);

/** Gives the present domain: the supplied one, the one of the snapshot (tvgp_policy_restore), or the larger one of
 * tvgp_policy_extend.
 *
 * @param policy    The policy.
 * @param[out] out  A new reference; release it with tvgp_domain_destroy.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_policy_domain(const tvgp_policy *policy, tvgp_domain **out);

/** Gives the kernel in use: the supplied one, or the one learned so far (at first the centre of the hyperprior, with scale 1).
 *
 * @param policy    The policy.
 * @param[out] out  A new reference; release it with tvgp_kernel_destroy.
 * @retval TVGP_ERR_UNSUPPORTED  The policy uses no kernel.
 */
TVGP_API tvgp_status tvgp_policy_kernel(const tvgp_policy *policy, tvgp_kernel **out);

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
/** @} */

#ifdef __cplusplus
}
#endif
#endif
