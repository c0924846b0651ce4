/* SPDX-License-Identifier: MIT */
/* What a policy that forgets holds does not depend on how long it ran, how slowly it forgets or how often it is asked; and
 * what late.limit means to its user. Bytes only: time is for bench_flat. */
#include "harness.h"

#include <string.h>

enum { ARMS = 10 };

static tvgp_policy *open_policy(const char *name, int64_t late_limit) {
    double X[ARMS];
    const double l = 0.3;
    struct rnd rnd = {7};
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    rnd_fill(&rnd, ARMS, X);
    ASSERT_OK(tvgp_domain_arms(ctx, ARMS, 1, X, &domain));
    ASSERT_OK(tvgp_kernel_matern(ctx, 1, 1.5, 1, &l, 1, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, name, domain, kernel, &policy));
    if (strcmp(name, "ui-gp-ucb") == 0)
        ASSERT_OK(tvgp_policy_set_str(policy, "growth", "wiener-kernel"));
    else if (strcmp(name, "tv-gp-ucb") != 0)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel, NULL, 0, 0.1));
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    ASSERT_OK(tvgp_policy_set_i64(policy, "late.limit", late_limit));
    return policy;
}

static size_t bytes_held(void) {
    size_t bytes;
    ASSERT_OK(tvgp_ctx_memory(ctx, &bytes));
    return bytes;
}

/* Asked every dt from t on: 12 kB at most, and after a tenth of the steps nothing more. */
START_TEST(ten_arms_hold_twelve_kilobytes) {
    static const struct {
        double epsilon, t, dt;
        size_t steps;
    } runs[] = {{0.03, 0, 1, 20000}, {1e-4, 0, 1, 300000}, {0.03, 1.7e9, 1e-3, 100000}, {0.5, 0, 0.25, 20000}};
    tvgp_policy *policy = open_policy("tv-gp-ucb", 64);
    ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", runs[_i].epsilon));
    struct rnd rnd = {11};
    size_t early = 0;
    for (size_t step = 0; step < runs[_i].steps; step++) {
        tvgp_query q = harness_ask(policy, runs[_i].t + runs[_i].dt * (double)step);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, rnd_normal(&rnd)));
        ck_assert_uint_le(bytes_held(), 12000);
        if (step == runs[_i].steps / 10)
            early = bytes_held();
    }
    ck_assert_uint_eq(bytes_held(), early);
    tvgp_policy_destroy(policy);
}
END_TEST

/* The option reaches the posterior of those that have it, and the statistic counts. */
START_TEST(late_limit) {
    static const char *const names[] = {"tv-gp-ucb", "ui-gp-ucb", "pe-gp-ucb", "mle-gp-ucb"};
    for (int64_t limit = 0; limit < 8; limit += 3) {
        tvgp_policy *policy = open_policy(names[_i], limit);
        tvgp_query late = harness_ask(policy, 0);
        for (int64_t step = 1; step <= 5; step++) {
            tvgp_query q = harness_ask(policy, (double)step);
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 0.5));
        }
        ASSERT_OK(tvgp_policy_tell_value(policy, late.id, 2));
        ck_assert_double_eq(harness_stat(policy, "late_widened"), limit < 5);
        tvgp_policy_destroy(policy);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("flat");
    TCase *tc = harness_case(suite, "memory and late answers");
    tcase_add_loop_test(tc, ten_arms_hold_twelve_kilobytes, 0, 4);
    tcase_add_loop_test(tc, late_limit, 0, 4);
    return harness_run(suite);
}
