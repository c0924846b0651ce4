/* SPDX-License-Identifier: MIT */
/* The library's own kernel types (kernel/kernel_types.h). */
#include "kernel/kernel_types.h"

#include "base/registry.h"
#include "kernel/categorical.h"
#include "kernel/combine.h"
#include "kernel/constant.h"
#include "kernel/linear.h"
#include "kernel/periodic.h"
#include "kernel/sites.h"
#include "kernel/slice.h"
#include "kernel/stationary.h"
#include "kernel/table.h"
#include "kernel/time.h"

static const void *const types[] = {&tvgp__stationary_ops,      &tvgp__periodic_ops,    &tvgp__linear_ops,
                                    &tvgp__constant_ops,        &tvgp__categorical_ops, &tvgp__table_ops,
                                    &tvgp__sites_ops,           &tvgp__combine_ops,     &tvgp__slice_ops,
                                    &tvgp__time_forgetting_ops, &tvgp__time_wiener_ops, NULL};

void tvgp__kernel_types_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_KERNEL, types);
}
