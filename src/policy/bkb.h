/* SPDX-License-Identifier: MIT */
/* Lets a test of policy/bkb.c choose the random numbers by which arms enter the dictionary, to repeat another
 * implementation's run. */
#ifndef TVGP__POLICY_BKB_H
#define TVGP__POLICY_BKB_H

#include "protocol/policy_ops.h"

/* Returns the number in [0, 1) that decides on one observation when the dictionary is drawn for the step-th time; the one drawn
 * after the first outcomes is step 0. Plays are numbered from the oldest in use. */
typedef double (*tvgp__bkb_uniform)(void *user, uint64_t step, size_t pull);

/* Makes a bkb policy take its numbers from `uniform`; to be called before its first ask or tell. */
void tvgp__bkb_feed(tvgp_policy *policy, tvgp__bkb_uniform uniform, void *user);

#endif
