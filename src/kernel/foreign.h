/* SPDX-License-Identifier: MIT */
/* Types of kernels from outside the library, in a list of the context. */
#ifndef TVGP__KERNEL_FOREIGN_H
#define TVGP__KERNEL_FOREIGN_H

#include "kernel/kernel_ops.h"
#include "tvgp/extend.h"

tvgp_status tvgp__foreign_register(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy);
tvgp_status tvgp__foreign_new(tvgp_ctx *ctx, const char *type, size_t dim, void *data, tvgp_kernel **out);

/* The ops of a registered type; NULL: nobody registered it. */
const tvgp__kernel_ops *tvgp__foreign_find(const tvgp_ctx *ctx, const char *name);

#endif
