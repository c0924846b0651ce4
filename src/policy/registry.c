/* SPDX-License-Identifier: MIT */
#include "policy/registry.h"
#include "base/nearest.h"
#include "policy/builtin.h"

#include <string.h>

#define POINTER(name) &tvgp__##name,
static const tvgp__policy_ops *const builtins[] = {TVGP__BUILTINS(POINTER)};

size_t tvgp__registry_count(void) {
    return sizeof builtins / sizeof *builtins;
}

const tvgp__policy_ops *tvgp__registry_at(size_t i) {
    return builtins[i];
}

tvgp_status tvgp__registry_find(tvgp_ctx *ctx, const char *name, const tvgp__policy_ops **out) {
    const char *nearest = NULL;
    for (size_t i = 0; i < tvgp__registry_count(); i++) {
        if (strcmp(builtins[i]->name, name) == 0) {
            *out = builtins[i];
            return TVGP_OK;
        }
        tvgp__nearest_offer(name, builtins[i]->name, &nearest);
    }
    return tvgp__nearest_unknown(ctx, "policy", name, nearest, "tvgp_policy_name_at");
}

void tvgp__registry_introduce(tvgp_policy *policy) {
    policy->peers = builtins;
    policy->n_peers = tvgp__registry_count();
}
