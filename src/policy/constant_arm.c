/* SPDX-License-Identifier: MIT */
/* Plays one arm. With the best arm in hindsight it is the comparator of static regret. While that arm is unavailable,
 * the next available one above it is played (cyclically). */
#include "base/error.h"
#include "policy/builtin.h"
#include "protocol/feature_options.h"

typedef struct {
    tvgp__policy_config common;
    int64_t arm;
} config;

static const tvgp__option own[] = {
    {"arm", TVGP_I64, 0, offsetof(config, arm), 0, 0, 0x1p31, NULL, TVGP__TEXT("Arm that is played, from 0.")},
};

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    if ((size_t)c->arm >= p->domain->n)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "option 'arm' = %lld is outside [0, %zu]", (long long)c->arm,
                               p->domain->n - 1);
    return TVGP_OK;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    size_t arm = (size_t)((const config *)p->config)->arm;
    (void)t;
    (void)cap;
    while (p->available.mask && !p->available.mask[arm])
        arm = (arm + 1) % p->domain->n;
    *out = (tvgp__chosen){.kind = TVGP_ACTION, .index = arm, .propensity = 1};
    *n = 1;
    return TVGP_OK;
}

static const tvgp__option_group groups[] = {
    {tvgp__policy_options, TVGP__POLICY_OPTIONS, 0}, TVGP__FEATURE_OPTIONS_CONSTRAINED, TVGP__OPTION_GROUP(own, 0)};

const tvgp__policy_ops tvgp__constant_arm = {
    .name = "constant-arm",
    .doc = TVGP__TEXT("plays one given arm; the best one in hindsight is the other baseline"),
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .config_size = sizeof(config),
    .without_kernel = 1,
    .start = start,
    .ask = ask};
