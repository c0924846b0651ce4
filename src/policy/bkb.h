/* SPDX-License-Identifier: MIT */
/* Test seam of policy/bkb.c: the uniform numbers behind the dictionaries may come from outside. */
#ifndef TVGP__POLICY_BKB_H
#define TVGP__POLICY_BKB_H

#include "frame/policy_ops.h"

/* Uniform number of a pull (0 = oldest in use; with inclusion per-arm: of a distinct arm) at the step-th dictionary, the one
 * of the first answers being step 0. */
typedef double (*tvgp__bkb_uniform)(void *user, uint64_t step, size_t pull);

/* Before the first ask or tell of a bkb policy. */
void tvgp__bkb_feed(tvgp_policy *policy, tvgp__bkb_uniform uniform, void *user);

#endif
