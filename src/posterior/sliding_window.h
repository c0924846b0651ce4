/* SPDX-License-Identifier: MIT */
/* Posterior on arms from the last w observations, in order of arrival. With L L' = K + Sigma over the window and V =
 * L^-1 K(window, arms), mean = V' L^-1 y and var = k - colsum(V^2). The oldest row leaves L by Givens rotations, which
 * also update V (Golub and Van Loan 2013, sec. 6.5.3); the newest enters as one row. Both cost O(w arms), however many
 * came before. Mean and var change by one row and are summed again every w observations. */
#ifndef TVGP__POSTERIOR_SLIDING_WINDOW_H
#define TVGP__POSTERIOR_SLIDING_WINDOW_H

#include "posterior/posterior.h"

tvgp_status tvgp__sliding_window_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t w, size_t n, const double *X,
                                     tvgp__posterior **out);

#endif
