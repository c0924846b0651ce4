/* SPDX-License-Identifier: MIT */
/* Turns a policy that the caller registered (tvgp/extend.h) into one of the library: its table of functions becomes the
 * ops of a policy. */
#ifndef TVGP__PARTS_FOREIGN_FOREIGN_POLICY_H
#define TVGP__PARTS_FOREIGN_FOREIGN_POLICY_H

#include "parts/foreign/foreign_type.h"
#include "protocol/policy_ops.h"

/* Registers the table in the context, for good; it says what tvgp_ctx_register_policy documents. */
tvgp_status tvgp__foreign_policy_register(tvgp_ctx *ctx, const tvgp_policy_type *type, void *user, tvgp_destroy_fn destroy);

#endif
