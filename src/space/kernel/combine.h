/* SPDX-License-Identifier: MIT */
/* Sum and product of two kernels. */
#ifndef TVGP__SPACE_KERNEL_COMBINE_H
#define TVGP__SPACE_KERNEL_COMBINE_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__combine_new(tvgp_ctx *, int product, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__combine_ops;

#endif
