/* SPDX-License-Identifier: MIT */
/* The library's own kernel types (space/kernel/kernel_types.h). */
#include "space/kernel/kernel_types.h"

#include "base/registry.h"
#include "space/kernel/categorical.h"
#include "space/kernel/combine.h"
#include "space/kernel/constant.h"
#include "space/kernel/linear.h"
#include "space/kernel/periodic.h"
#include "space/kernel/slice.h"
#include "space/kernel/stationary.h"
#include "space/kernel/table.h"
#include "space/kernel/table_points.h"
#include "space/kernel/time.h"

static const void *const types[] = {&tvgp__stationary_ops,      &tvgp__periodic_ops,    &tvgp__linear_ops,
                                    &tvgp__constant_ops,        &tvgp__categorical_ops, &tvgp__table_ops,
                                    &tvgp__table_points_ops,    &tvgp__combine_ops,     &tvgp__slice_ops,
                                    &tvgp__time_forgetting_ops, &tvgp__time_wiener_ops, NULL};

void tvgp__kernel_types_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_KERNEL, types);
}
