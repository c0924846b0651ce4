/* SPDX-License-Identifier: MIT */
/* Kernels over time: forgetting and Wiener. */
#ifndef TVGP__SPACE_KERNEL_TIME_H
#define TVGP__SPACE_KERNEL_TIME_H

#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__time_forgetting_new(tvgp_ctx *, double epsilon, tvgp_kernel **out);
tvgp_status tvgp__time_wiener_new(tvgp_ctx *, double rate, double origin, tvgp_kernel **out);
int tvgp__time_is(const tvgp_kernel *); /* one of these two */

extern const tvgp__kernel_ops tvgp__time_forgetting_ops;
extern const tvgp__kernel_ops tvgp__time_wiener_ops;

#endif
