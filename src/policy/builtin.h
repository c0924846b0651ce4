/* The policies the library comes with, one file each; the table in registry.c has one line for each. */
#ifndef TVGP__POLICY_BUILTIN_H
#define TVGP__POLICY_BUILTIN_H

#include "policy/policy.h"

extern const tvgp__policy_ops tvgp__gp_ucb, tvgp__igp_ucb, tvgp__tv_gp_ucb, tvgp__r_gp_ucb;
extern const tvgp__policy_ops tvgp__br_gp_ucb, tvgp__sw_gp_ucb, tvgp__w_gp_ucb, tvgp__ui_gp_ucb, tvgp__et_gp_ucb;
extern const tvgp__policy_ops tvgp__pe_gp_ucb, tvgp__mle_gp_ucb, tvgp__fb_gp_ucb, tvgp__rb_gp_ucb;
extern const tvgp__policy_ops tvgp__sparq_gp_ucb, tvgp__w_sparq_gp_ucb;
extern const tvgp__policy_ops tvgp__auto_gp_ucb;
extern const tvgp__policy_ops tvgp__random_arm, tvgp__constant_arm;
extern const tvgp__policy_ops tvgp__bkb;

/* gp-ucb's posterior, for the policies that only differ in memory or width. */
tvgp_status tvgp__gp_ucb_start(tvgp_policy *policy);

/* An available arm, uniformly; the draw depends on the seed and the number of actions asked. */
size_t tvgp__random_arm_draw(const tvgp_policy *policy);

#endif
