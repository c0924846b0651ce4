/* SPDX-License-Identifier: MIT */
#ifndef TVGP__MODEL_ARM_COLUMNS_H
#define TVGP__MODEL_ARM_COLUMNS_H

#include "model/posterior/posterior_ops.h"

/* On n arms X; window 0: all observations count. */
tvgp_status tvgp__arm_columns_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t window, size_t n, const double *X,
                                  tvgp__posterior **out);

#endif
