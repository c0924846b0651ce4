/* SPDX-License-Identifier: MIT */
/* Kernels of types that the caller registered (tvgp_kernel_register). */
#ifndef TVGP__PARTS_FOREIGN_FOREIGN_KERNEL_H
#define TVGP__PARTS_FOREIGN_FOREIGN_KERNEL_H

#include "parts/foreign/foreign_type.h"
#include "space/kernel/kernel_ops.h"

tvgp_status tvgp__foreign_kernel_register(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy);
tvgp_status tvgp__foreign_kernel_new(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out);

#endif
