/* SPDX-License-Identifier: MIT */
/** @file
 * Domains: the set of actions among which a policy chooses.
 *
 * A finite domain numbers its points (arms) 0 to n - 1, where n is at most 2^31 - 1. A box has points but no arms.
 * A domain never changes after a policy uses it. Constructors write *out on success only; release the result with
 * tvgp_domain_destroy. Domains are reference counted: a policy keeps its domain alive.
 */
#ifndef TVGP_DOMAIN_H
#define TVGP_DOMAIN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a finite domain from explicit points.
 *
 * @param ctx       The context.
 * @param n         Number of arms, at least 1.
 * @param dim       Number of coordinates, at least 1.
 * @param X         Points, n x dim, row-major, copied.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG        n is 0.
 * @retval TVGP_ERR_DIM        dim is 0.
 * @retval TVGP_ERR_NONFINITE  A coordinate is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A size or a coordinate is out of range, or the quota of arms is exceeded.
 */
TVGP_API tvgp_status tvgp_domain_arms(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);

/** Creates n categorical arms. Their only coordinate is their index, as tvgp_kernel_table expects.
 *
 * @param ctx       The context.
 * @param n         Number of arms, at least 1.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG    n is 0.
 * @retval TVGP_ERR_LIMIT  n is out of range, or the quota of arms is exceeded.
 */
TVGP_API tvgp_status tvgp_domain_indices(tvgp_ctx *ctx, size_t n, tvgp_domain **out);

/** Creates a product grid. The last coordinate varies fastest.
 *
 * @param ctx       The context.
 * @param dim       Number of coordinates, at least 1.
 * @param lower     First value of each coordinate (dim).
 * @param upper     Last value of each coordinate (dim).
 * @param points    Number of equally spaced values of each coordinate (dim), both ends included; 1: only lower.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG        points[k] is 0, or lower[k] > upper[k].
 * @retval TVGP_ERR_DIM        dim is 0.
 * @retval TVGP_ERR_NONFINITE  A bound is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A size or a bound is out of range, or the quota of arms is exceeded.
 */
TVGP_API tvgp_status tvgp_domain_grid(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper,
                                      const size_t *points, tvgp_domain **out);

/** Creates a larger domain for tvgp_policy_extend: the arms of `domain` with their numbers, followed by n new ones.
 *
 * A product cannot be appended to; append to its actions and create the product again. Its arms keep their numbers. Indices
 * followed by the next numbers are indices.
 *
 * @param domain    A finite domain; not changed.
 * @param n         Number of new arms, at least 1.
 * @param X         Their points, n x dim, row-major, copied.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG          n is 0.
 * @retval TVGP_ERR_UNSUPPORTED  The domain is a box or a product.
 * @retval TVGP_ERR_NONFINITE    A coordinate is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A size or a coordinate is out of range, or the quota of arms is exceeded.
 */
TVGP_API tvgp_status tvgp_domain_append(const tvgp_domain *domain, size_t n, const double *X, tvgp_domain **out);

/** Creates every pair of an action and a context. The coordinates of a pair are the action's, then the
 * context's.
 *
 * With a finite domain of contexts, arm = action * contexts + context. With a box of contexts, contexts are measured
 * (tvgp_policy_set_context_point): the arms are the actions, and a point (action, context) is any action with any
 * point of the box, at most 64 coordinates.
 *
 * @param ctx       The context.
 * @param actions   A finite domain; the product keeps it alive.
 * @param contexts  A finite domain or a box; the product keeps it alive.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_LIMIT        More than 2^31 - 1 pairs, more than 64 coordinates with a box, or domains nested more
 *                               than 64 deep.
 * @retval TVGP_ERR_UNSUPPORTED  The actions are a box or have measured contexts, or the contexts have measured ones.
 */
TVGP_API tvgp_status tvgp_domain_product(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts,
                                         tvgp_domain **out);

/** Gives the action and the context of an arm of a product.
 *
 * @param domain        A product.
 * @param arm           An arm of the product.
 * @param[out] action   Its action; may be NULL.
 * @param[out] context  Its context; may be NULL.
 * @retval TVGP_ERR_UNSUPPORTED  The domain is no product of finite domains.
 * @retval TVGP_ERR_ARG          arm is not in 0 .. n - 1.
 */
TVGP_API tvgp_status tvgp_domain_split(const tvgp_domain *domain, int64_t arm, int64_t *action, int64_t *context);

/** Creates a box: all points with lower[k] <= x[k] <= upper[k].
 *
 * Policies choose any point of it and accept observations at any point of it. tvgp_query.arm is -1, so pass an array
 * for the coordinates to tvgp_policy_ask. A policy that cannot search a box is refused by tvgp_policy_create.
 *
 * @param ctx       The context.
 * @param dim       Number of coordinates, 1 to 64.
 * @param lower     Lower bounds (dim).
 * @param upper     Upper bounds (dim).
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG        lower[k] >= upper[k].
 * @retval TVGP_ERR_DIM        dim is 0.
 * @retval TVGP_ERR_LIMIT      dim > 64, or a bound is out of range.
 * @retval TVGP_ERR_NONFINITE  A bound is NaN or infinite.
 */
TVGP_API tvgp_status tvgp_domain_box(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out);

/** Restricts coordinate k of a box to integers, before the first use of the domain. The bounds move inwards to
 * integers, and the kernel is evaluated at the integer itself. The domain is unchanged on error.
 *
 * @param domain  A box.
 * @param k       A coordinate, 0 .. dim - 1.
 * @retval TVGP_ERR_UNSUPPORTED  The domain is no box.
 * @retval TVGP_ERR_ARG          k is out of range, no integer lies between the bounds, or a bound is beyond 2^53.
 * @retval TVGP_ERR_STATE        A policy uses the domain already.
 */
TVGP_API tvgp_status tvgp_domain_box_integer(tvgp_domain *domain, size_t k);

/** Gives the number of arms.
 *
 * @param domain  A domain.
 * @param[out] n  The number of arms; 0 for a box.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_domain_size(const tvgp_domain *domain, size_t *n);

/** Gives the number of coordinates of a point.
 *
 * @param domain    A domain.
 * @param[out] dim  The number of coordinates.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_domain_dim(const tvgp_domain *domain, size_t *dim);

/** Gives the coordinates of an arm.
 *
 * @param domain  A finite domain.
 * @param arm     An arm, 0 .. n - 1.
 * @param[out] x  The coordinates (dim).
 * @retval TVGP_ERR_ARG  arm is out of range.
 */
TVGP_API tvgp_status tvgp_domain_point(const tvgp_domain *domain, int64_t arm, double *x);

/** Gives the smallest and the largest value of each coordinate: the bounds of a box, or the range of the arms'
 * points. With shared arms it is the range on this rank. With measured contexts it is the range of the actions, then
 * the box's. O(n dim).
 *
 * @param domain      A domain.
 * @param[out] lower  Smallest values (dim).
 * @param[out] upper  Largest values (dim).
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_domain_bounds(const tvgp_domain *domain, double *lower, double *upper);

/** Gives the type of a domain: "arms", "indices", "grid", "box", "product", or the name of a registered type
 * (tvgp/extend.h).
 *
 * @param domain     A domain.
 * @param[out] type  The name, valid as long as the context.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_domain_type_name(const tvgp_domain *domain, const char **type);

/** Releases the caller's reference to a domain.
 *
 * @param domain  A domain, or NULL (no effect).
 */
TVGP_API void tvgp_domain_destroy(tvgp_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
