/* SPDX-License-Identifier: MIT */
/* What a policy that forgets holds does not depend on how long it ran, how slowly it forgets or how often it is asked; and
 * what delay.exact_observations means to its user; what many policies share. Bytes only: time is for bench_flat. */
#include "harness.h"

#include <math.h>
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
    ASSERT_OK(tvgp_kernel_matern(ctx, 1, 1.5, 1, 1, &l, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, name, domain, kernel, &policy));
    if (strcmp(name, "ui-gp-ucb") == 0)
        ASSERT_OK(tvgp_policy_set_str(policy, "noise_growth", "wiener-kernel"));
    else if (strcmp(name, "tv-gp-ucb") != 0)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0.1));
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    ASSERT_OK(tvgp_policy_set_i64(policy, "delay.exact_observations", late_limit));
    return policy;
}

static size_t bytes_held(void) {
    size_t bytes;
    ASSERT_OK(tvgp_ctx_memory(ctx, &bytes));
    return bytes;
}

/* Asked every dt from t on: 13,600 bytes at most, and after a tenth of the steps nothing more. */
TEST_EACH(ten_arms_hold_thirteen_kilobytes, 4) {
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
        ck_assert_uint_le(bytes_held(), 13600);
        if (step == runs[_i].steps / 10)
            early = bytes_held();
    }
    ck_assert_uint_eq(bytes_held(), early);
    tvgp_policy_destroy(policy);
}

/* The option reaches the posterior of those that have it, and the statistic counts. */
TEST_EACH(late_limit, 4) {
    static const char *const names[] = {"tv-gp-ucb", "ui-gp-ucb", "pe-gp-ucb", "mle-gp-ucb"};
    for (int64_t limit = 0; limit < 8; limit += 3) {
        tvgp_policy *policy = open_policy(names[_i], limit);
        tvgp_query late = harness_ask(policy, 0);
        for (int64_t step = 1; step <= 5; step++) {
            tvgp_query q = harness_ask(policy, (double)step);
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 0.5));
        }
        ASSERT_OK(tvgp_policy_tell_value(policy, late.id, 2));
        ck_assert_double_eq(harness_stat(policy, "delay.approximated"), limit < 5);
        tvgp_policy_destroy(policy);
    }
}

/* ---- many policies ---------------------------------------------------------------------------------------------- */

enum { FLEET = 3, LINE = 50, STEPS = 200 };

/* Policies on one domain of 50 arms on a line. */
static void open_fleet(tvgp_ctx *c, int64_t limit, size_t n, tvgp_policy **policy) {
    double X[LINE];
    const double l = 0.1;
    struct rnd rnd = {7};
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    rnd_fill(&rnd, LINE, X);
    ASSERT_OK(tvgp_domain_arms(c, LINE, 1, X, &domain));
    ASSERT_OK(tvgp_kernel_se(c, 1, 1, 1, &l, &kernel));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_create(c, "tv-gp-ucb", domain, kernel, &policy[i]));
        ASSERT_OK(tvgp_policy_set_i64(policy[i], "delay.exact_observations", limit));
    }
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
}

/* Plays on from step `from`; the arms, if wanted. */
static void play(tvgp_policy *policy, uint64_t seed, size_t from, size_t to, int64_t *arm) {
    struct rnd rnd = {seed + 1000 * from};
    for (size_t t = from; t < to; t++) {
        tvgp_query q = harness_ask(policy, (double)t);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin((double)q.arm) + 0.1 * rnd_normal(&rnd)));
        if (arm)
            arm[t] = q.arm;
    }
}

/* What they can share they hold once, whoever goes first; and each decides as it would alone. */
TEST_EACH(fleet, 2) {
    const int64_t limit = _i ? 64 : 0;
    const size_t most = _i ? 42000 : 14400; /* R is 50 x 51 / 2 numbers, with late outcomes three times */
    tvgp_policy *policy[FLEET], *alone;
    tvgp_ctx *other;
    int64_t together[STEPS], single[STEPS];
    size_t held[FLEET + 1];
    open_fleet(ctx, limit, FLEET, policy);
    held[0] = bytes_held();
    for (size_t i = 0; i < FLEET; i++) {
        play(policy[i], i, 0, STEPS / 2, i == 1 ? together : NULL);
        held[i + 1] = bytes_held();
    }
    ck_assert_uint_ge(held[1] - held[0], most); /* the first holds what is shared */
    for (size_t i = 1; i < FLEET; i++)
        ck_assert_uint_le(held[i + 1] - held[i], most);
    tvgp_policy_destroy(policy[0]);
    tvgp_policy_destroy(policy[2]);
    play(policy[1], 1, STEPS / 2, STEPS, together);
    tvgp_policy_destroy(policy[1]);
    ASSERT_OK(tvgp_ctx_create(NULL, &other));
    open_fleet(other, limit, 1, &alone);
    play(alone, 1, 0, STEPS / 2, single);
    play(alone, 1, STEPS / 2, STEPS, single);
    ck_assert_mem_eq(together, single, sizeof single);
    tvgp_policy_destroy(alone);
    tvgp_ctx_destroy(other);
}

HARNESS_MAIN("flat")
