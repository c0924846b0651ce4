/* SPDX-License-Identifier: MIT */
/* A kernel on one coordinate that depends only on whether two values are equal. */
#ifndef TVGP__SPACE_KERNEL_CATEGORICAL_H
#define TVGP__SPACE_KERNEL_CATEGORICAL_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__categorical_new(tvgp_ctx *, double variance, double correlation, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__categorical_ops;

#endif
