/* SPDX-License-Identifier: MIT */
/* The built-in policies, in the order of the documentation (policy/builtin.h). */
#include "policy/builtin.h"

#include "base/registry.h"

#define POINTER(name) &tvgp__##name,
static const void *const types[] = {TVGP__BUILTINS(POINTER) NULL};

void tvgp__builtin_register(tvgp_ctx *ctx) {
    tvgp__registry_start(ctx, TVGP__TYPE_POLICY, types);
}
