/* SPDX-License-Identifier: MIT */
/* Plays the policy of docs/project/adding-a-policy.md, whose code is extracted from the page and compiled into this program. */
#include "harness.h"
#include "protocol/policy_ops.h"
#include <math.h>

extern const tvgp__policy_ops tvgp__epsilon_greedy;

TEST(the_page_is_a_working_policy) {
    enum { STEPS = 200, ARMS = 21 };
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    ck_assert_int_eq(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain), TVGP_OK);
    ck_assert_int_eq(tvgp_kernel_se(ctx, 1, 1, 1, &lengthscale, &kernel), TVGP_OK);
    ck_assert_int_eq(tvgp__policy_new(ctx, &tvgp__epsilon_greedy, domain, kernel, &policy), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_set_f64(policy, "explore", 0.2), TVGP_OK);
    int best = 0;
    for (int t = 1; t <= STEPS; t++) {
        tvgp_query q;
        double x;
        ck_assert_int_eq(tvgp_policy_ask_one(policy, t, &q, &x), TVGP_OK);
        ck_assert_int_eq(tvgp_policy_tell_value(policy, q.id, -fabs(x - 0.7)), TVGP_OK);
        best += t > STEPS / 2 && q.arm == 14;
    }
    ck_assert_int_ge(best, STEPS / 2 * 7 / 10); /* 80 % of the steps are greedy, and a few random ones hit */
    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}

HARNESS_MAIN("adding a policy")
