/* SPDX-License-Identifier: MIT */
/* A kernel with the same value for every pair of points: the factor of a product that has none of its own. */
#ifndef TVGP__SPACE_KERNEL_CONSTANT_H
#define TVGP__SPACE_KERNEL_CONSTANT_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__constant_new(tvgp_ctx *, size_t dim, double variance, tvgp_kernel **out);

/* A clone of which one parameter multiplies the whole (TVGP_PARAM_SCALES): as it is, or times a constant of 1. */
tvgp_status tvgp__constant_scaled(const tvgp_kernel *kernel, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__constant_ops;

#endif
