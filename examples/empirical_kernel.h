/* SPDX-License-Identifier: MIT */
/* The empirical covariance of past readings as a kernel between arms. */
#ifndef EMPIRICAL_KERNEL_H
#define EMPIRICAL_KERNEL_H

#include "readings.h"
#include <tvgp.h>

/* Kernel over arm indices from rows 0 .. n - 1: the unbiased covariance, each pair of arms over the rows where both have a
 * value (a pair that never meets twice: 0; an arm seen less than twice: variance 1). With blanks such a matrix need not be
 * positive semi-definite; then its off-diagonal entries are scaled by 1 - *shrinkage, the least multiple of 1/1024 found by
 * bisection to make it one. Otherwise *shrinkage is 0. */
tvgp_status empirical_kernel(tvgp_ctx *ctx, const readings *r, size_t n, double *shrinkage, tvgp_kernel **out);

#endif
