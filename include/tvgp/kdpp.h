/* SPDX-License-Identifier: MIT */
/* k-determinantal point processes: k of n points that are far from one another in the metric of a kernel. */
#ifndef TVGP_KDPP_H
#define TVGP_KDPP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws a set Z of k of the n points X (n x dim) with probability proportional to det K_Z: greedy start, then `steps` swaps
 * of a Markov chain whose law tends to this; 0 is the greedy set itself. After 1000 swaps the total-variation distance is
 * below 0.01 for n <= 8; n k (10 + k ln k) swaps are enough for any n. The same seed draws the same set.
 *
 * Writes the indices to `index` (room for k) and their number to *n_index: without swaps in the order of the greedy choice,
 * with swaps in no order that means anything. A repeated point counts once, under its lowest index. When K has
 * numerical rank r < k (residual variances at most 1e-12 of the largest), the result is the greedy set of r points.
 * O(n k^2 + steps k^2) time, O(n k) memory during the call.
 * Errors: ARG (NULL, k not in 1..n, steps < 0, a point the kernel is not defined at), NONFINITE, LIMIT, NOMEM; nothing is
 * written. */
TVGP_API tvgp_status tvgp_kdpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k,
                                      int64_t steps, uint64_t seed, size_t *index, size_t *n_index);

#ifdef __cplusplus
}
#endif
#endif
