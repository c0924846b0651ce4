#include "base/error.h"
#include "base/nearest.h"
#include "policy/builtin.h"

#include <string.h>

/* clang-format off */
static const tvgp__policy_ops *const builtins[] = {
    &tvgp__gp_ucb,
    &tvgp__igp_ucb,
    &tvgp__tv_gp_ucb,
    &tvgp__r_gp_ucb,
    &tvgp__br_gp_ucb,
    &tvgp__sw_gp_ucb,
    &tvgp__w_gp_ucb,
    &tvgp__ui_gp_ucb,
    &tvgp__et_gp_ucb,
    &tvgp__auto_gp_ucb,
    &tvgp__sparq_gp_ucb,
    &tvgp__w_sparq_gp_ucb,
    &tvgp__pe_gp_ucb,
    &tvgp__mle_gp_ucb,
    &tvgp__fb_gp_ucb,
    &tvgp__rb_gp_ucb,
    &tvgp__bkb,
    &tvgp__random_arm,
    &tvgp__constant_arm,
};
/* clang-format on */

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
    return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown policy '%.64s'; nearest is '%s'", name, nearest);
}
