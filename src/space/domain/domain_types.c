/* SPDX-License-Identifier: MIT */
/* The library's own domain types (space/domain/domain_types.h). */
#include "space/domain/domain_types.h"

#include "base/registry.h"
#include "space/domain/arms.h"
#include "space/domain/box.h"
#include "space/domain/grid.h"
#include "space/domain/product.h"

static const void *const types[] = {&tvgp__arms_ops, &tvgp__grid_ops, &tvgp__box_ops, &tvgp__product_ops, NULL};

void tvgp__domain_types_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_DOMAIN, types);
}
