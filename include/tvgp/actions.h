/* SPDX-License-Identifier: MIT */
/** @file
 * Actions that a policy may choose now: availability, contexts, bounds, candidates, and arms that are added.
 */
#ifndef TVGP_ACTIONS_H
#define TVGP_ACTIONS_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Arms
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
 * @param larger            A domain that begins with the arms of the policy's domain (tvgp_domain_append); the kernel must
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
/** @} */

/** @name Contexts
 * @{ */

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
/** @} */

/** @name Boxes
 * @{ */

/** Restricts asks and tvgp_policy_best on a box to bounds, at any time. lower[k] = upper[k] fixes a coordinate.
 * Observations from the whole domain stay in use.
 *
 * @param policy         The policy.
 * @param lower_or_null  Lower bounds (dim, copied); NULL: the domain's.
 * @param upper_or_null  Upper bounds (dim, copied); NULL: the domain's.
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

#ifdef __cplusplus
}
#endif
#endif
