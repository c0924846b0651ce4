/* SPDX-License-Identifier: MIT */
/* The built-in policies by name. */
#ifndef TVGP__POLICY_REGISTRY_H
#define TVGP__POLICY_REGISTRY_H

#include "frame/policy_ops.h"

/* Built-in policies, in the order of the documentation. */
size_t tvgp__registry_count(void);
const tvgp__policy_ops *tvgp__registry_at(size_t i);
tvgp_status tvgp__registry_find(tvgp_ctx *ctx, const char *name, const tvgp__policy_ops **out);

/* Tells a new policy which others there are. */
void tvgp__registry_introduce(tvgp_policy *policy);

#endif
