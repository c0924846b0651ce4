/* SPDX-License-Identifier: MIT */
/* Policies from outside: what a table of tvgp/extend.h says becomes the ops of a policy. */
#ifndef TVGP__PLAY_FOREIGN_POLICY_H
#define TVGP__PLAY_FOREIGN_POLICY_H

#include "base/foreign.h"
#include "frame/policy_ops.h"

tvgp_status tvgp__foreign_policy_register(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user, tvgp_destroy_fn destroy);

#endif
