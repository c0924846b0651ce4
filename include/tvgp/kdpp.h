/* SPDX-License-Identifier: MIT */
/** @file
 * Sampling from k-determinantal point processes: k of n points that are far apart in the metric of a kernel.
 */
#ifndef TVGP_KDPP_H
#define TVGP_KDPP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Draws a set Z of k of n points with probability proportional to det K_Z.
 *
 * The set starts as the greedy one; then a Markov chain proposes `steps` swaps. After 1000 swaps the total-variation
 * distance to the exact distribution is below 0.01 for n <= 8; n k (10 + k ln k) swaps suffice for any n (Anari,
 * Oveis Gharan, Rezaei 2016). The same seed draws the same set. A repeated point counts once, under its lowest index.
 * If K has numerical rank r < k (residual variances at most 1e-12 of the largest), the result is the greedy set of r
 * points. O(n k^2 + steps k^2) time, O(n k) memory during the call. Nothing is written on error.
 *
 * @param ctx           The context.
 * @param kernel        A kernel over dim coordinates.
 * @param n             Number of points.
 * @param X             Points, n x dim, row-major.
 * @param k             Size of the set, 1 .. n.
 * @param steps         Number of swaps. 0: the greedy set.
 * @param seed          Seed of the chain.
 * @param[out] index    Indices of the set (k): with steps = 0 in the order of the greedy choice, else in any order.
 * @param[out] n_index  Number of indices written.
 * @retval TVGP_ERR_ARG        k is not in 1 .. n, or the kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE  A coordinate is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range, or the quota of work is exceeded.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_kdpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k,
                                      size_t steps, uint64_t seed, size_t *index, size_t *n_index);

#ifdef __cplusplus
}
#endif
#endif
