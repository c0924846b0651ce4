/* SPDX-License-Identifier: MIT */
/* Minimising is maximising the negative: the same arms, the same bits, everything with the sign of a reward in the user's. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { ARMS = CASES_ARMS, STEPS = 60 };

static tvgp_policy *twin[2]; /* the second minimises the negative */
static const char *name;
static double X[ARMS * 2];

static double sign(int k) {
    return k ? -1 : 1;
}

static void set_prior_mean(int k, double level) {
    double mean[ARMS];
    for (size_t i = 0; i < ARMS; i++)
        mean[i] = sign(k) * (level + 0.1 * sin((double)i));
    ASSERT_OK(tvgp_policy_set_prior_mean(twin[k], ARMS, mean));
}

/* Where the policy takes priors: one of its own rate and mean. */
static void add_prior(int k, double level, double epsilon) {
    double mean = sign(k) * level;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(1));
    tvgp_status status = tvgp_policy_add_prior(twin[k], kernel, 1, &mean, epsilon);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_STATE);
}

/* The mean is given before the sense, which must not matter. */
static void open_twins(int i) {
    const char *doc;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)i, &name, &doc));
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    for (int k = 0; k < 2; k++) {
        twin[k] = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
        set_prior_mean(k, 2);
        add_prior(k, 2, 0);
        add_prior(k, 1.5, 0.02);
        ASSERT_OK(tvgp_policy_set_str(twin[k], "sense", k ? "min" : "max"));
    }
}

static int has_sign(const char *key) {
    int tests_rewards = strcmp(name, "rb-gp-ucb") == 0;
    return strcmp(key, "mean") == 0 ||
           (tests_rewards && (strncmp(key, "prior.statistic.", 16) == 0 || strncmp(key, "prior.threshold.", 16) == 0));
}

static void assert_same_statistics(void) {
    size_t n;
    ASSERT_OK(tvgp_policy_stat_count(twin[0], &n));
    for (size_t i = 0; i < n; i++) {
        const char *const key = harness_stat_key(twin[0], i);
        double value[2];
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_stat(twin[k], key, &value[k]));
        ck_assert_msg(value[1] == (has_sign(key) ? -value[0] : value[0]), "%s: %s is %.17g and %.17g", name, key, value[0],
                      value[1]);
    }
}

static void assert_same_predictions(double t) {
    static const double elsewhere[] = {0.123, 0.456};
    double mean[2][ARMS], var[2][ARMS];
    int64_t best[2];
    tvgp_status status[2];
    for (int k = 0; k < 2; k++)
        status[k] = tvgp_policy_best(twin[k], t, &best[k], NULL);
    ck_assert_int_eq(status[0], status[1]);
    if (status[0] == TVGP_ERR_UNSUPPORTED)
        return;
    ck_assert_int_eq(best[0], best[1]);
    for (int k = 0; k < 2; k++)
        ASSERT_OK(tvgp_policy_predict(twin[k], t, ARMS, X, mean[k], var[k]));
    for (size_t i = 0; i < ARMS; i++)
        ck_assert(mean[1][i] == -mean[0][i] && var[1][i] == var[0][i]);
    for (int k = 0; k < 2; k++)
        status[k] = tvgp_policy_predict(twin[k], t, 1, elsewhere, mean[k], var[k]);
    ck_assert_int_eq(status[0], status[1]);
    ck_assert(status[0] != TVGP_OK || (mean[1][0] == -mean[0][0] && var[1][0] == var[0][0]));
}

/* One ask of both, the same queries; and their outcomes. */
static void ask_and_answer(double t, struct rnd *r) {
    tvgp_query q[2][ARMS];
    size_t n[2];
    for (int k = 0; k < 2; k++)
        ASSERT_OK(tvgp_policy_ask(twin[k], t, ARMS, q[k], NULL, &n[k]));
    ck_assert_uint_eq(n[0], n[1]);
    for (size_t i = 0; i < n[0]; i++) {
        tvgp_obs o = {.id = q[0][i].id, .outcome = rnd_below(r, 10) ? TVGP_VALUE : TVGP_SKIPPED};
        double y = 2 + sin(0.1 * t + 3 * X[2 * q[0][i].arm]) + 0.1 * rnd_normal(r);
        ck_assert(q[0][i].arm == q[1][i].arm && q[0][i].kind == q[1][i].kind && q[1][i].score == -q[0][i].score);
        if (rnd_below(r, 10) == 0)
            continue; /* never answered */
        for (int k = 0; k < 2; k++) {
            o.y = sign(k) * y;
            ASSERT_OK(tvgp_policy_tell(twin[k], 1, &o, NULL));
        }
    }
}

TEST_EACH(the_negative_minimised, harness_policies()) {
    struct rnd r = {(uint64_t)_i};
    open_twins(_i);
    assert_same_predictions(0);
    for (int t = 1; t <= STEPS; t++) {
        ask_and_answer(t, &r);
        for (int k = 0; k < 2; k++) { /* now and then: unsolicited observations, another mean, another prior */
            const tvgp_obs o = {.y = sign(k) * (2 + cos(t)), .flags = TVGP_OBS_HAS_TIME, .t = t + 0.5};
            if (t % 7 == 3)
                ASSERT_OK(tvgp_policy_tell(twin[k], 1, &o, X + 2 * (t % ARMS)));
            if (t == 20)
                set_prior_mean(k, 1.8);
            if (t == 30)
                add_prior(k, 2.2, 0.1);
        }
        if (t % 5 == 0)
            assert_same_predictions(t + 0.5);
        assert_same_statistics();
    }
}

/* The first thing a policy receives is an unsolicited observation: relative to the mean, which is turned only then. */
TEST_EACH(told_before_asked, harness_policies()) {
    open_twins(_i);
    for (int k = 0; k < 2; k++) {
        const tvgp_obs o = {.y = sign(k) * 3, .flags = TVGP_OBS_HAS_TIME, .t = 0.5};
        ASSERT_OK(tvgp_policy_tell(twin[k], 1, &o, X + 2 * 3));
    }
    assert_same_predictions(1);
}

/* A cost with its least value in the middle: it is found, and bounds are lower ones. */
TEST(least_cost) {
    int64_t best;
    tvgp_domain *domain = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){21});
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, harness_se(1, 1, (const double[]){0.2}));
    tvgp_domain_destroy(domain);
    ASSERT_OK(tvgp_policy_set_str(policy, "sense", "min"));
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 1, &(double){5}));
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, 3, 1), "id = 3"); /* before the start: turns no mean */
    for (double t = 1; t <= 60; t++) {
        double x, want;
        tvgp_query q = harness_ask_at(policy, t, &x);
        want = 5 + harness_stat(policy, "mean") - harness_stat(policy, "width") * harness_stat(policy, "sd");
        ASSERT_NEAR(q.score, want, 1e-12);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 4 + 8 * (x - 0.6) * (x - 0.6)));
    }
    ASSERT_OK(tvgp_policy_best(policy, 60, &best, NULL));
    ck_assert_int_eq(best, 12); /* 0.6 */
    double mean, at = 0.6;
    ASSERT_OK(tvgp_policy_predict(policy, 60, 1, &at, &mean, NULL));
    ck_assert_double_eq_tol(mean, 4, 0.1);
}

HARNESS_MAIN("sense")
