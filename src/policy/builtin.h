/* SPDX-License-Identifier: MIT */
/* The built-in policies, in the order of the documentation. A new one is a line here and a file in this directory. */
#ifndef TVGP__POLICY_BUILTIN_H
#define TVGP__POLICY_BUILTIN_H

#include "protocol/policy_ops.h"

/* A build of few of them has a list of its own (src/package/small.cmake). */
/* clang-format off */
#ifdef TVGP__BUILTIN_LIST
#include TVGP__BUILTIN_LIST
#else
#define TVGP__BUILTINS(X) \
    X(gp_ucb) \
    X(igp_ucb) \
    X(tv_gp_ucb) \
    X(r_gp_ucb) \
    X(br_gp_ucb) \
    X(sw_gp_ucb) \
    X(w_gp_ucb) \
    X(ui_gp_ucb) \
    X(et_gp_ucb) \
    X(auto_gp_ucb) \
    X(sparq_gp_ucb) \
    X(w_sparq_gp_ucb) \
    X(pe_gp_ucb) \
    X(mle_gp_ucb) \
    X(fb_gp_ucb) \
    X(rb_gp_ucb) \
    X(bkb) \
    X(random_arm) \
    X(constant_arm)
#endif
/* clang-format on */

#define TVGP__BUILTIN_DECLARE(name) extern const tvgp__policy_ops tvgp__##name;
TVGP__BUILTINS(TVGP__BUILTIN_DECLARE)

/* Registers all of them in a new context. */
void tvgp__builtin_register(tvgp_ctx *ctx);

#endif
