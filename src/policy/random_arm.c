/* SPDX-License-Identifier: MIT */
/* Uniform over the available arms: the row without which no table of regrets is honest. */
#include "policy/random_arm.h"
#include "base/error.h"
#include "base/stream.h"
#include "policy/builtin.h"

size_t tvgp__random_arm_draw(const tvgp_policy *p) {
    const tvgp__policy_config *c = p->config;
    tvgp__stream stream = tvgp__stream_open((uint64_t)c->seed, TVGP__STREAM_ARM, (uint64_t)p->asked);
    size_t available = 0, arm = 0;
    for (size_t i = 0; i < p->domain->n; i++)
        available += !p->available.mask || p->available.mask[i];
    for (size_t left = (size_t)tvgp__stream_below(&stream, available);; arm++)
        if ((!p->available.mask || p->available.mask[arm]) && left-- == 0)
            return arm;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out, size_t *n) {
    (void)t;
    (void)cap;
    *out = (tvgp__proposal){.kind = TVGP_ACTION, .arm = tvgp__random_arm_draw(p)};
    *n = 1;
    return TVGP_OK;
}

static const tvgp__option_group groups[] = {{tvgp__policy_options, TVGP__POLICY_OPTIONS, 0}};

const tvgp__policy_ops tvgp__random_arm = {.struct_size = sizeof tvgp__random_arm,
                                           .name = "random",
                                           .doc = "uniform over the available arms; the baseline of every comparison",
                                           .groups = groups,
                                           .n_groups = sizeof groups / sizeof *groups,
                                           .config_size = sizeof(tvgp__policy_config),
                                           .ask = ask};
