/* SPDX-License-Identifier: MIT */
/** @file
 * Arms distributed over processes: one policy with more arms than one machine holds.
 *
 * The library needs two collective operations, which the caller or libtvgp_mpi (tvgp/mpi.h) provides. Every rank creates
 * the same policy with the same options and makes the same calls in the same order; only its arms differ.
 * docs/guide/distributed.md lists the policies that support this, and describes what happens if a rank fails.
 */
#ifndef TVGP_COMM_H
#define TVGP_COMM_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Communication between the ranks 0 .. size - 1.
 *
 * Both functions return 0, or -1000 to -1999 (any other value counts as TVGP_ERR_CALLBACK). A nonzero status is
 * returned by the library call under way and by every later call on the policies of the domain, which can then only be
 * destroyed. The same happens with TVGP_ERR_CALLBACK if a result is impossible, such as a maximum that is NaN.
 */
typedef struct tvgp_comm {
    size_t struct_size; /**< sizeof(tvgp_comm). */
    void *user;         /**< First argument of both functions. */
    int32_t rank;       /**< This rank, 0 .. size - 1. */
    int32_t size;       /**< Number of ranks. */
    int32_t (*bcast)(void *user, size_t bytes, void *data,
                     int32_t root);                       /**< Copies the bytes of rank `root` to all ranks. */
    int32_t (*max)(void *user, size_t n, double *values); /**< Replaces each of n values by its maximum over the ranks, with
                                                               the same bits on all. No value is NaN; -infinity may occur. */
} tvgp_comm;

/** Creates a domain of explicit arms that are distributed over the ranks. Collective.
 *
 * Arms are numbered over all ranks, lower ranks first. Arrays with one entry per arm
 * (tvgp_policy_set_available, tvgp_policy_set_prior_mean, tvgp_policy_add_prior) hold the arms of this rank; queries, best and
 * predictions are the same on all ranks.
 *
 * @param ctx       The context.
 * @param comm      The communication functions, copied; its `user` must outlive the domain and its policies.
 * @param n         Number of arms of this rank, at least 1.
 * @param dim       Number of coordinates, the same on all ranks.
 * @param X         Points of this rank, n x dim, row-major, copied.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG          n is 0, or the struct is invalid.
 * @retval TVGP_ERR_DIM          dim is 0 or differs between the ranks.
 * @retval TVGP_ERR_NONFINITE    A coordinate is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        More than 2^32 - 1 arms in all, a number out of range, or the quota of arms is exceeded.
 * @retval TVGP_ERR_UNSUPPORTED  The ranks calculate differently (other processors or libraries).
 * @retval TVGP_ERR_CALLBACK     A communication function failed; a status of its own is returned unchanged.
 */
TVGP_API tvgp_status tvgp_domain_arms_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t n, size_t dim, const double *X,
                                             tvgp_domain **out);

/** Creates a product grid that is distributed over the ranks by its first coordinate. Collective.
 *
 * @param ctx       The context.
 * @param comm      As for tvgp_domain_arms_shared.
 * @param dim       Number of coordinates, at least 1.
 * @param lower     First value of each coordinate (dim).
 * @param upper     Last value of each coordinate (dim).
 * @param points    Number of values of each coordinate (dim); points[0] is at least the number of ranks.
 * @param[out] out  The new domain.
 * @retval TVGP_ERR_ARG          points[k] is 0, lower[k] > upper[k], points[0] is less than the number of ranks, or the struct is
 *                               invalid.
 * @retval TVGP_ERR_DIM          dim is 0 or differs between the ranks.
 * @retval TVGP_ERR_NONFINITE    A bound is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range, or the quota of arms is exceeded.
 * @retval TVGP_ERR_UNSUPPORTED  The ranks calculate differently.
 * @retval TVGP_ERR_CALLBACK     A communication function failed.
 */
TVGP_API tvgp_status tvgp_domain_grid_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t dim, const double *lower,
                                             const double *upper, const size_t *points, tvgp_domain **out);

/** Gives the arms that this rank holds: first .. first + n - 1 of n_total. Without distribution these are all arms.
 *
 * @param domain        Any domain.
 * @param[out] first    First arm; may be NULL.
 * @param[out] n        Number of arms of this rank; may be NULL.
 * @param[out] n_total  Number of arms of all ranks; may be NULL.
 * @retval TVGP_ERR_ARG  domain is NULL.
 */
TVGP_API tvgp_status tvgp_domain_shard_range(const tvgp_domain *domain, size_t *first, size_t *n, size_t *n_total);

#ifdef __cplusplus
}
#endif
#endif
