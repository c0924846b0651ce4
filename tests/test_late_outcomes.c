/* SPDX-License-Identifier: MIT */
/* Outcomes that arrive in parts or not at all: pending.timeout_value is what the caller could report by hand, a partial outcome is an
 * observation of a query that stays pending. Logs, snapshots and failures are exact to the byte. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 30, LINES = 3 * STEPS, LONGEST = 300, MOST_BYTES = 1 << 19 };

static char lines[LINES][LONGEST];
static size_t n_lines;

static const char *const timed[] = {
    "auto-gp-ucb indices=3 pending.timeout=4 pending.timeout_value=-.5",
    "auto-gp-ucb indices=3 outcome.type=binomial pending.timeout=4 pending.timeout_value=0",
    "tv-gp-ucb grid=0:1:7 se=.3 noise=.05 pending.timeout=4 pending.timeout_value=0",
    "gp-ucb grid=0:1:7 se=.3 outcome.type=poisson pending.timeout=4 pending.timeout_value=1",
    "auto-gp-ucb box=0:1 sense=min pending.timeout=4 pending.timeout_value=2",
    "w-sparq-gp-ucb grid=0:1:5 se=.3 pending.timeout=4 pending.timeout_value=0",
    "gp-ucb grid=0:1:5 se=.3 at_most=3 safe=.5 pending.timeout=4 pending.timeout_value=0",
};
enum { TIMED = sizeof timed / sizeof *timed };

static void record(tvgp_event e, const double *x) {
    size_t needed;
    e.n = (int64_t)n_lines + 1;
    ck_assert_uint_lt(n_lines, LINES);
    ASSERT_OK(tvgp_event_format(ctx, &e, (size_t)e.size, x, LONGEST, lines[n_lines++], &needed));
}

static tvgp_query ask(tvgp_policy *policy, double t, const char *text) {
    double x[4];
    tvgp_query q;
    const tvgp_status status = tvgp_policy_ask_one(policy, t, &q, x);
    ck_assert_msg(status == TVGP_OK, "%s: %s", text, tvgp_ctx_errmsg(ctx));
    record((tvgp_event){.kind = TVGP_EVENT_ASK, .id = q.id, .arm = q.arm, .t = t, .propensity = q.propensity}, NULL);
    return q;
}

static void tell(tvgp_policy *policy, tvgp_obs o) {
    const tvgp_status status = tvgp_policy_tell(policy, 1, &o, NULL);
    ck_assert_msg(status == TVGP_OK, "%s", tvgp_ctx_errmsg(ctx));
    record((tvgp_event){.kind = TVGP_EVENT_TELL,
                        .id = o.id,
                        .outcome = o.outcome,
                        .flags = o.flags,
                        .y = o.y,
                        .noise_var = o.noise_var,
                        .exposure = o.exposure,
                        .output = (int32_t)o.output},
           NULL);
}

/* The log on another handle, which a worker replaces by a snapshot now and then. Every state is that of a clone. */
static void assert_replays(const char *text, tvgp_policy *played) {
    tvgp_policy *policy = harness_described(text), *twin;
    for (size_t i = 0; i < n_lines; i++) {
        tvgp_event e;
        size_t n_x;
        ASSERT_OK(tvgp_event_parse(ctx, lines[i], 0, &e, NULL, &n_x));
        twin = MAKE_POLICY(tvgp_policy_clone, policy);
        ck_assert_msg(tvgp_policy_apply(policy, 1, &e, 0, NULL) == TVGP_OK, "%s: %s: %s", text, lines[i],
                      tvgp_ctx_errmsg(ctx));
        ASSERT_OK(tvgp_policy_apply(twin, 1, &e, 0, NULL));
        ASSERT_SAME_STATE(policy, twin, "%s: after line %zu", text, i);
        tvgp_policy_destroy(twin);
        if (i % 7 == 6) {
            const struct saved state = harness_saved(policy, 0);
            policy = harness_described(text);
            ASSERT_OK(tvgp_policy_load(policy, state.n, state.bytes));
        }
    }
    ASSERT_SAME_STATE(policy, played, "%s: after all lines", text);
    n_lines = 0;
}

/* ---- no outcome --------------------------------------------------------------------------------------------------- */

/* Reports few outcomes; the others time out. */
static tvgp_policy *play_timed(const char *text) {
    tvgp_policy *policy = harness_described(text);
    n_lines = 0;
    for (int step = 0; step < STEPS; step++) {
        const tvgp_query q = ask(policy, step, text);
        if (step % 4 == 1)
            tell(policy, tvgp_obs_value(q.id, step % 8 == 1));
    }
    return policy;
}

TEST_EACH(timed_out_replays, TIMED) {
    tvgp_policy *policy = play_timed(timed[_i]);
    const double closed = harness_stat(policy, "pending.timed_out");
    ck_assert_msg(closed > 10 && harness_stat(policy, "pending") <= 5, "%s: %g closed", timed[_i], closed);
    ck_assert_msg(strstr(timed[_i], "at_most") || harness_stat(policy, "skipped") == 0, "%s", timed[_i]);
    assert_replays(timed[_i], policy);
}

/* The same as reports by hand before each ask. */
TEST_EACH(timed_out_by_hand, 3) {
    const char *const pairs[][2] = {
        {"auto-gp-ucb indices=4 pending.timeout=4 pending.timeout_value=0", "auto-gp-ucb indices=4"},
        {"tv-gp-ucb grid=0:1:9 se=.2 pending.timeout=4 pending.timeout_value=0", "tv-gp-ucb grid=0:1:9 se=.2"},
        {"gp-ucb indices=3 se=1 outcome.type=binomial pending.timeout=4 pending.timeout_value=0",
         "gp-ucb indices=3 se=1 outcome.type=binomial"},
    };
    tvgp_policy *policy = harness_described(pairs[_i][0]), *hand = harness_described(pairs[_i][1]);
    for (int step = 0; step < STEPS; step++) {
        tvgp_query old[STEPS];
        size_t n = 0;
        if (step)
            ASSERT_OK(tvgp_policy_pending(hand, STEPS, old, NULL, &n));
        tvgp_obs obs[STEPS];
        size_t late = 0;
        for (size_t i = 0; i < n; i++)
            if (old[i].t < step - 4)
                obs[late++] = tvgp_obs_value(old[i].id, 0);
        ASSERT_OK(tvgp_policy_tell(hand, late, obs, NULL));
        const tvgp_query a = harness_ask(policy, step), b = harness_ask(hand, step);
        ck_assert_msg(memcmp(&a, &b, sizeof a) == 0, "%s: step %d asks %lld, by hand %lld", pairs[_i][0], step,
                      (long long)a.arm, (long long)b.arm);
        if (step % 4 == 1) {
            ASSERT_OK(tvgp_policy_tell_value(policy, a.id, step % 8 == 1));
            ASSERT_OK(tvgp_policy_tell_value(hand, b.id, step % 8 == 1));
        }
    }
}

/* An ask that fails at any allocation leaves the state as it was, also if it had reported outcomes. */
TEST_EACH(timed_out_all_or_none, TIMED) {
    tvgp_policy *policy = play_timed(timed[_i]);
    double x[4];
    tvgp_query q, expected;
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_clone, policy);
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t k = 1; status == TVGP_ERR_NOMEM; k++) {
        memory.fail_in = k;
        status = tvgp_policy_ask_one(policy, STEPS + 20, &q, x);
        memory.fail_in = 0;
        if (status == TVGP_ERR_NOMEM)
            ASSERT_SAME_STATE(policy, twin, "%s: allocation %zu", timed[_i], k);
    }
    ASSERT_OK(status);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(twin, -1, &expected, x), "is before");
    ASSERT_OK(tvgp_policy_ask_one(twin, STEPS + 20, &expected, x));
    ck_assert_mem_eq(&q, &expected, sizeof q);
    ASSERT_SAME_STATE(policy, twin, "%s", timed[_i]);
}

/* A slate closes old queries as well. */
TEST(timed_out_before_a_slate) {
    tvgp_policy *policy = harness_described("auto-gp-ucb indices=4 pending.timeout=1 pending.timeout_value=0");
    tvgp_query q[2];
    size_t n;
    for (int step = 0; step < 6; step++)
        ASSERT_OK(tvgp_policy_ask_slate(policy, step, 2, q, NULL, &n));
    ck_assert(harness_stat(policy, "values") == 8 && harness_stat(policy, "pending.timed_out") == 8 &&
              harness_stat(policy, "pending") == 4);
}

TEST(timeout_value_is_refused) {
    const char *const wrong[][2] = {{"pending.timeout_value=many", "must be a number"},
                                    {"pending.timeout_value=inf", "must be a number"},
                                    {"pending.timeout_value=1e200", "must be a number"},
                                    {"pending.timeout_value=-1 outcome.type=poisson", "outcome.type = poisson"},
                                    {"pending.timeout_value=2 outcome.type=binomial", "outcome.type = binomial"},
                                    {"pending.timeout_value=0 outcome.type=lognormal", "outcome.type = lognormal"},
                                    {"pending.timeout_value=1 outcome.type=ratio", "outcome.type = ratio"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[120];
        tvgp_query q;
        snprintf(text, sizeof text, "auto-gp-ucb indices=3 %s", wrong[i][0]);
        tvgp_policy *policy = harness_described(text);
        ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 0, &q, NULL), "pending.timeout_value", wrong[i][1]);
        ASSERT_OK(tvgp_policy_set_str(policy, "pending.timeout_value", ""));
        ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, NULL));
    }
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

static tvgp_obs part_of(int64_t id, double y, double exposure) {
    tvgp_obs o = tvgp_obs_count(id, y, exposure);
    o.flags |= TVGP_OBS_PARTIAL;
    return o;
}

static tvgp_obs noisy_part_of(int64_t id, double y, double noise_var) {
    tvgp_obs o = tvgp_obs_value(id, y);
    o.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_PARTIAL;
    o.noise_var = noise_var;
    return o;
}

/* Batches whose outcomes come in parts; some end without the last part, by the caller or by time. */
TEST_EACH(parts_replay, 5) {
    const char *const text[] = {
        "auto-gp-ucb indices=3 outcome.type=binomial pending.timeout=9 pending.timeout_value=0",
        "gp-ucb grid=0:1:5 se=.3 outcome.type=poisson",
        "auto-gp-ucb indices=3 pending.timeout=9 pending.timeout_value=0",
        "tv-gp-ucb grid=0:1:7 se=.3 at_most=3",
        "auto-gp-ucb box=0:1",
    };
    const int counts = strstr(text[_i], "outcome.type") != NULL;
    tvgp_policy *policy = harness_described(text[_i]);
    n_lines = 0;
    for (int step = 0; step < 20; step++) {
        const int64_t id = ask(policy, step, text[_i]).id;
        tell(policy, counts ? part_of(id, step % 3, 10) : noisy_part_of(id, step % 3, .2));
        if (step >= 2 && step % 5 != 4)
            tell(policy, counts ? part_of(id - 2, 1, 5) : noisy_part_of(id - 2, 1, .1));
        if (step >= 2 && step % 5 < 3)
            tell(policy, step % 5 == 2 ? tvgp_obs_outcome(id - 2, TVGP_SKIPPED)
                         : counts      ? tvgp_obs_count(id - 2, 1, 6)
                                       : tvgp_obs_value(id - 2, .5));
    }
    ck_assert(harness_stat(policy, "partial") > 20 && harness_stat(policy, "values") < 10);
    assert_replays(text[_i], policy);
}

/* The parts of a count of a normal rate together are nearly the whole; of a noisy value exactly the weighted mean. */
TEST(parts_are_the_whole) {
    double mean[2][2], var[2][2];
    for (int parts = 0; parts < 2; parts++) {
        tvgp_policy *policy = harness_described("gp-ucb indices=2 se=1:.5 outcome.type=binomial"),
                    *normal = harness_described("gp-ucb indices=2 se=1 noise=.1");
        const int64_t id = harness_ask(policy, 0).id, same = harness_ask(normal, 0).id;
        const tvgp_obs counts[] = {part_of(id, 28, 100), part_of(id, 33, 100), tvgp_obs_count(id, 29, 100)};
        const tvgp_obs values[] = {noisy_part_of(same, 1, .2), noisy_part_of(same, 4, .2)};
        const tvgp_obs whole = tvgp_obs_count(id, 90, 300), value = noisy_part_of(same, 2.5, .1);
        ASSERT_OK(tvgp_policy_tell(policy, parts ? 3 : 1, parts ? counts : &whole, NULL));
        ASSERT_OK(tvgp_policy_tell(normal, parts ? 2 : 1, parts ? values : &value, NULL));
        ASSERT_OK(tvgp_policy_predict(policy, 0, 2, NULL, mean[parts], var[parts]));
        ck_assert(harness_stat(policy, "pending") == 0 && harness_stat(normal, "pending") == 1);
        double m[2], v[2];
        ASSERT_OK(tvgp_policy_predict(normal, 0, 2, NULL, m, v));
        const size_t arm = 0; /* ties: the lowest */
        ck_assert_double_eq_tol(v[arm], 1 / 11., 1e-12);
        ck_assert_double_eq_tol(m[arm], 2.5 * 10 / 11, 1e-12);
    }
    ck_assert_double_eq_tol(mean[0][0], mean[1][0], .1 * sqrt(var[0][0]));
    ck_assert_double_eq_tol(sqrt(var[0][0]), sqrt(var[1][0]), .1 * sqrt(var[0][0]));
}

TEST(parts_that_are_refused) {
    tvgp_policy *policy = harness_described("gp-ucb indices=2 se=1 noise=.1");
    const int64_t id = harness_ask(policy, 0).id;
    tvgp_obs plain = {.id = id, .flags = TVGP_OBS_PARTIAL, .y = 1}, gone = plain, nowhere = noisy_part_of(0, 1, .1),
             batch[] = {noisy_part_of(id, 1, .1), tvgp_obs_value(id, 2), noisy_part_of(id, 1, .1)};
    const double x = 0;
    const struct saved before = harness_saved(policy, 0);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(policy, 1, &plain, NULL), "obs[0]", "noise variance", "TVGP_OBS_HAS_NOISE");
    gone.outcome = TVGP_SKIPPED;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(policy, 1, &gone, NULL), "outcome 1");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(policy, 1, &nowhere, &x), "id 0");
    plain.flags = 128;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(policy, 1, &plain, NULL), "bits beyond 127");
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell(policy, 3, batch, NULL), "already has its outcome");
    ck_assert(harness_same(before, harness_saved(policy, 0)));
    ASSERT_OK(tvgp_policy_tell(policy, 2, batch, NULL));
    ck_assert(harness_stat(policy, "partial") == 1 && harness_stat(policy, "values") == 1 &&
              harness_stat(policy, "pending") == 0);
}

HARNESS_MAIN("late_outcomes")
