/* SPDX-License-Identifier: MIT */
/* The exact posterior of arms that do not change, of all observations or of the last w: one column for each observed arm
 * (gp/columns.h). An observation of arm x with noise variance v takes the column p = P[:, x], s = p[x] + v, adds p p'/s to R and
 * p (y - mean[x])/s to the mean. Mean and all variances cost O(n) a step in addition. In a window the oldest observation leaves the
 * record of its arm, which goes with the last one. */
#ifndef TVGP__POSTERIOR_ARM_COLUMNS_H
#define TVGP__POSTERIOR_ARM_COLUMNS_H

#include "posterior/posterior.h"

/* On n arms X; window 0: all observations count. */
tvgp_status tvgp__arm_columns_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t window, size_t n, const double *X,
                                  tvgp__posterior **out);

#endif
