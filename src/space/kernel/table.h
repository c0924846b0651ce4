/* SPDX-License-Identifier: MIT */
/* A kernel given as a table over arms. */
#ifndef TVGP__SPACE_KERNEL_TABLE_H
#define TVGP__SPACE_KERNEL_TABLE_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__table_new(tvgp_ctx *, size_t n_arms, const double *K, tvgp_kernel **out);

extern const tvgp__kernel_ops tvgp__table_ops;

#endif
