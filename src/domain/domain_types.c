/* SPDX-License-Identifier: MIT */
/* The library's own domain types (domain/domain_types.h). */
#include "domain/domain_types.h"

#include "base/registry.h"
#include "domain/arms.h"
#include "domain/box.h"
#include "domain/grid.h"
#include "domain/product.h"

static const void *const types[] = {&tvgp__arms_ops, &tvgp__grid_ops, &tvgp__box_ops, &tvgp__product_ops, NULL};

void tvgp__domain_types_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_DOMAIN, types);
}
