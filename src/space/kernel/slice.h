/* SPDX-License-Identifier: MIT */
/* A kernel on some coordinates of a larger point. */
#ifndef TVGP__SPACE_KERNEL_SLICE_H
#define TVGP__SPACE_KERNEL_SLICE_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__slice_new(tvgp_ctx *, size_t dim, size_t first, const tvgp_kernel *inner, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__slice_ops;

#endif
