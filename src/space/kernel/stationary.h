/* SPDX-License-Identifier: MIT */
/* Stationary kernels: squared exponential, Matern, rational quadratic. Arguments other than handles and outputs are
 * checked here, as in the other constructors. */
#ifndef TVGP__SPACE_KERNEL_STATIONARY_H
#define TVGP__SPACE_KERNEL_STATIONARY_H

#include "space/kernel/kernel_ops.h"

enum { TVGP__SE, TVGP__MATERN12, TVGP__MATERN32, TVGP__MATERN52, TVGP__RATIONAL_QUADRATIC };

tvgp_status tvgp__stationary_new(tvgp_ctx *, int family, size_t dim, double variance, double shape,
                                 const double *lengthscale, size_t n_lengthscale, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__stationary_ops;

#endif
