/* SPDX-License-Identifier: MIT */
/* The linear kernel. */
#ifndef TVGP__SPACE_KERNEL_LINEAR_H
#define TVGP__SPACE_KERNEL_LINEAR_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__linear_new(tvgp_ctx *, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
                             double bias, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__linear_ops;

#endif
