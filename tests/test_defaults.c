/* SPDX-License-Identifier: MIT */
/* policy: what holds when it is not given. Records zeroed except id and y against the same spelt out, members without their
 * flag, and a prior mean that is set again while queries wait. */
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <string.h>

static double X[CASES_ARMS * 2];
static const char *name;
static tvgp_policy *pair[2];

/* Two of the i-th policy. */
static void open_pair(int i) {
    const char *doc;
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X); /* for the coordinates */
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)i, &name, &doc));
    for (int k = 0; k < 2; k++)
        pair[k] = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
}

static size_t ask(int k, double t, size_t cap, tvgp_query *q) {
    size_t n = 0;
    tvgp_status status = tvgp_policy_ask(pair[k], t, cap, q, NULL, &n);
    ck_assert(status == TVGP_OK || status == TVGP_AGAIN);
    return n;
}

/* Policy 0 gets the outcomes as people report them; policy 1 the same with noise and time spelt out. Decisions, scores and predictions
 * are the same to the last bit. */
static void assert_same_run(void) {
    enum { CAP = 8 };
    struct rnd r = {5};
    tvgp_query q[2][CAP];
    double mean[2][CASES_ARMS] = {{0}}, var[2][CASES_ARMS] = {{0}};
    for (double t = 1; t < 40; t += 0.5) {
        size_t n = ask(0, t, CAP, q[0]);
        ck_assert_uint_eq(ask(1, t, CAP, q[1]), n);
        ck_assert_mem_eq(q[0], q[1], n * sizeof **q);
        for (size_t i = 0; i < n; i++) {
            const tvgp_obs zeroed = {.id = q[0][i].id, .y = rnd_normal(&r)};
            tvgp_obs other = zeroed;
            other.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME;
            other.noise_var = q[1][i].noise_var;
            other.t = t;
            ASSERT_OK(tvgp_policy_tell(pair[0], 1, &zeroed, NULL));
            ASSERT_OK(tvgp_policy_tell(pair[1], 1, &other, NULL));
        }
        const double *x = X + 2 * rnd_below(&r, CASES_ARMS), y = rnd_normal(&r);
        const tvgp_obs zeroed = tvgp_obs_value(0, y); /* no caller asked: at the newest time */
        const tvgp_obs other = tvgp_obs_unsolicited(t, y);
        ASSERT_OK(tvgp_policy_tell(pair[0], 1, &zeroed, x));
        ASSERT_OK(tvgp_policy_tell(pair[1], 1, &other, x));
    }
    for (int k = 0; k < 2; k++) {
        tvgp_status status = tvgp_policy_predict(pair[k], 41, CASES_ARMS, X, mean[k], var[k]);
        ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
    }
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
    ck_assert_mem_eq(var[0], var[1], sizeof var[0]);
}

TEST_EACH(zeroed_records, harness_policies()) {
    open_pair(_i);
    assert_same_run();
}

TEST(helpers) {
    const tvgp_obs value = tvgp_obs_value(7, 0.5), failed = tvgp_obs_outcome(8, TVGP_FAILED),
                   log = tvgp_obs_unsolicited(3, -1);
    ck_assert_mem_eq(&value, (&(tvgp_obs){.id = 7, .y = 0.5}), sizeof value);
    ck_assert_mem_eq(&failed, (&(tvgp_obs){.id = 8, .outcome = 2}), sizeof failed);
    ck_assert_mem_eq(&log, (&(tvgp_obs){.flags = 2, .y = -1, .t = 3}), sizeof log);
}

/* ---- the prior mean at any time --------------------------------------------------------------------------------- */

static int takes_priors(int k, double epsilon) {
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(1));
    tvgp_status status = tvgp_policy_add_prior(pair[k], kernel, 0, NULL, epsilon);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_STATE);
    return status == TVGP_OK;
}

/* Moves the level of policy 1: one value for all, or the same for each arm. */
static void set_level(double level, int each) {
    double all[CASES_ARMS];
    for (size_t i = 0; i < CASES_ARMS; i++)
        all[i] = level;
    ASSERT_OK(tvgp_policy_set_prior_mean(pair[1], each ? CASES_ARMS : 1, all));
}

/* A test of rb-gp-ucb takes the rewards of its priors as they are given. */
static int compares_rewards(void) {
    return strcmp(name, "rb-gp-ucb") == 0;
}

/* What both know of themselves. */
static void assert_same_statistics(void) {
    size_t n;
    const char *key;
    ASSERT_OK(tvgp_policy_stat_count(pair[0], &n));
    for (size_t i = 0; i < n; i++) {
        key = harness_stat_key(pair[0], i);
        double want = harness_stat(pair[0], key), got = harness_stat(pair[1], key);
        int same = isinf(want) ? got == want : harness_near(got, want, 1e-6);
        ck_assert_msg(same || (compares_rewards() && strncmp(key, "prior.", 6) == 0), "%s: %s is %g and %g", name, key, want,
                      got);
    }
}

/* A level that is known and moves is as good as none: every policy decides as without it, whatever waits meanwhile, and
 * priors that follow the policy's mean see all data relative to the mean of their time, also those added later. */
TEST_EACH(moving_level, harness_policies()) {
    open_pair(_i);
    struct rnd r = {11};
    tvgp_query wait[6], q[2];
    double asked_at[6], level = 0, mean[2], var[2];
    size_t waiting = 0;
    int several = compares_rewards() ? 0 : takes_priors(0, 0.02) + takes_priors(1, 0.02);
    ck_assert(several == 0 || several == 2);
    for (int step = 0; step < 120; step++) {
        double t = step;
        if (step % 3 == 0)
            set_level(level = 20 * rnd_normal(&r), step % 2);
        if (step == 60 && several)
            ck_assert_int_eq(takes_priors(0, 0.3), takes_priors(1, 0.3));
        while (ask(0, t, 1, &q[0]) == 0) { /* side queries wait for their outcome, not longer */
            ck_assert_uint_eq(ask(1, t, 1, &q[1]), 0);
            t += 0.25;
        }
        ck_assert_uint_eq(ask(1, t, 1, &q[1]), 1);
        ck_assert_msg(q[0].arm == q[1].arm && q[0].id == q[1].id, "%s, step %d", name, step);
        wait[waiting] = q[0];
        asked_at[waiting++] = level;
        if (step % 5 == 0) {
            const double *x = X + 2 * rnd_below(&r, CASES_ARMS), y = rnd_normal(&r);
            ASSERT_OK(tvgp_policy_tell(pair[0], 1, (const tvgp_obs[]){tvgp_obs_value(0, y)}, x));
            ASSERT_OK(tvgp_policy_tell(pair[1], 1, (const tvgp_obs[]){tvgp_obs_value(0, y + level)}, x));
        }
        if (waiting < 6 && step % 4)
            continue;
        size_t pick = rnd_below(&r, waiting);
        double y = rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(pair[0], wait[pick].id, y));
        ASSERT_OK(tvgp_policy_tell_value(pair[1], wait[pick].id, y + asked_at[pick]));
        wait[pick] = wait[--waiting];
        asked_at[pick] = asked_at[waiting];
        const double *x = X + 2 * rnd_below(&r, CASES_ARMS);
        tvgp_status status = tvgp_policy_predict(pair[0], t, 1, x, &mean[0], &var[0]);
        ck_assert_int_eq(tvgp_policy_predict(pair[1], t, 1, x, &mean[1], &var[1]), status);
        if (status != TVGP_OK)
            continue;
        ASSERT_NEAR(mean[1], mean[0] + level, 1e-9);
        ASSERT_NEAR(var[1], var[0], 1e-9);
    }
    assert_same_statistics();
}

/* A mean per arm that is set again between ask and tell: the dense posterior of the differences says what must come. */
TEST(moving_means) {
    enum { TV = 2 };
    struct ref_gp ref;
    struct rnd r = {13};
    double m[CASES_ARMS], then[4], want[CASES_ARMS], mean[CASES_ARMS];
    tvgp_query q[4];
    open_pair(TV);
    ck_assert_str_eq(name, "tv-gp-ucb");
    ASSERT_OK(tvgp_policy_set(pair[0], "epsilon=0.1 noise=0.02"));
    ref_gp_init(&ref, cases_kernel_at(0), 0.1, 400);
    for (double t = 0; t < 40; t++) {
        for (size_t i = 0; i < 4; i++) {
            rnd_fill(&r, CASES_ARMS, m);
            ASSERT_OK(tvgp_policy_set_prior_mean(pair[0], CASES_ARMS, m));
            ck_assert_uint_eq(ask(0, t, 1, &q[i]), 1);
            then[i] = m[q[i].arm];
        }
        for (size_t i = 4; i-- > 0;) {
            double y = rnd_normal(&r);
            ASSERT_OK(tvgp_policy_tell_value(pair[0], q[i].id, y));
            ref_gp_add(&ref, X + 2 * q[i].arm, t, y - then[i], 0.02);
        }
        ASSERT_OK(tvgp_policy_predict(pair[0], t, CASES_ARMS, X, mean, NULL));
        ref_gp_predict(&ref, CASES_ARMS, X, t, want, NULL);
        for (size_t i = 0; i < CASES_ARMS; i++)
            ASSERT_NEAR(mean[i], m[i] + want[i], 1e-10);
    }
    const double off[2] = {0.5, 0.5};
    ck_assert_int_eq(tvgp_policy_predict(pair[0], 40, 1, off, mean, NULL), TVGP_ERR_UNSUPPORTED);
    ASSERT_OK(tvgp_policy_set_prior_mean(pair[0], 0, NULL));
    ASSERT_OK(tvgp_policy_predict(pair[0], 40, 1, off, want, NULL));
    ASSERT_OK(tvgp_policy_set_prior_mean(pair[0], 1, (const double[]){3})); /* one value is known everywhere */
    ASSERT_OK(tvgp_policy_predict(pair[0], 40, 1, off, mean, NULL));
    ASSERT_NEAR(mean[0], want[0] + 3, 1e-14);
    ref_gp_free(&ref);
}

/* A prior with a mean of its own does not care for the policy's. */
TEST_EACH(own_mean_stays, 4) {
    static const char *const family[] = {"pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};
    const double own = 0.7, off[2] = {0.5, 0.5};
    double mean[2], var[2];
    tvgp_query q[2];
    open_pair(0);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    for (int k = 0; k < 2; k++) {
        pair[k] = MAKE_POLICY(cases_policy, ctx, family[_i], cases_kernel_at(0));
        ASSERT_OK(tvgp_policy_add_prior(pair[k], kernel, 1, &own, 0.02));
    }
    for (double t = 0; t < 30; t++) {
        set_level(t - 9, 0);
        for (int k = 0; k < 2; k++) {
            ck_assert_uint_eq(ask(k, t, 1, &q[k]), 1);
            ASSERT_OK(tvgp_policy_tell_value(pair[k], q[k].id, sin(t) + (double)q[k].arm / 9));
            ASSERT_OK(tvgp_policy_predict(pair[k], t, 1, off, &mean[k], &var[k]));
        }
        ck_assert_int_eq(q[0].arm, q[1].arm);
        ASSERT_NEAR(mean[1], mean[0], 1e-12);
        ASSERT_NEAR(var[1], var[0], 1e-12);
    }
}

HARNESS_MAIN("defaults")
