/* SPDX-License-Identifier: MIT */
/* The periodic kernel. */
#ifndef TVGP__SPACE_KERNEL_PERIODIC_H
#define TVGP__SPACE_KERNEL_PERIODIC_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__periodic_new(tvgp_ctx *, size_t dim, double variance, const double *lengthscale, size_t n_lengthscale,
                               const double *period, size_t n_period, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__periodic_ops;

#endif
