/* SPDX-License-Identifier: MIT */
/* Forgets by number: a posterior on arms of the last w observations, in the order they were told. With L L' = K + Sigma
 * over the window and V = L^-1 K(window, arms), mean = V' L^-1 y and var = k - colsum(V^2). The oldest row leaves L by
 * Givens rotations, which carry V along (Golub and Van Loan 2013, sec. 6.5.3); the newest enters as one row. Both cost
 * O(w arms), whatever was seen before; mean and var follow by one row and are summed afresh every w observations. */
#ifndef TVGP__POSTERIOR_SLIDING_WINDOW_H
#define TVGP__POSTERIOR_SLIDING_WINDOW_H

#include "posterior/posterior.h"

tvgp_status tvgp__sliding_window_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t w, size_t n, const double *X,
                                     tvgp__posterior **out);

#endif
