/* SPDX-License-Identifier: MIT */
/* policy: the protocol. Queries, batches, delayed and skipped outcomes, unsolicited observations, pending actions, times,
 * availability. The dense reference says what the outcomes must be. */
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <string.h>

static const double noise = 0.02;
static double X[CASES_ARMS * 2];
static tvgp_policy *policy;
static struct ref_gp ref;

static void open_policy(const char *name, double epsilon) {
    const struct ref_kernel *k = cases_kernel_at(0);
    (void)MAKE_DOMAIN(cases_domain, ctx, k, X); /* for the coordinates */
    policy = MAKE_POLICY(cases_policy, ctx, name, k);
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", noise));
    if (epsilon > 0)
        ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", epsilon));
    ref_gp_init(&ref, k, epsilon, 400);
}

static void close_policy(void) {
    tvgp_policy_destroy(policy);
    ref_gp_free(&ref);
}

static tvgp_query ask(double t) {
    double x[2];
    tvgp_query q = harness_ask_at(policy, t, x);
    ck_assert(q.arm >= 0 && q.arm < CASES_ARMS && q.t == t);
    ck_assert_mem_eq(x, X + 2 * q.arm, sizeof x);
    return q;
}

static void assert_posterior(double t) {
    double mean[CASES_ARMS], var[CASES_ARMS], want_mean[CASES_ARMS], want_var[CASES_ARMS];
    ASSERT_OK(tvgp_policy_predict(policy, t, CASES_ARMS, X, mean, var));
    ref_gp_predict(&ref, CASES_ARMS, X, t, want_mean, want_var);
    ASSERT_ALL_NEAR(CASES_ARMS, mean, want_mean, 1e-10);
    ASSERT_ALL_NEAR(CASES_ARMS, var, want_var, 1e-10);
}

TEST(queries) {
    open_policy("gp-ucb", 0);
    for (int64_t id = 1; id <= 20; id++) {
        tvgp_query q = ask((double)id);
        ck_assert_int_eq(q.id, id);
        ck_assert(q.kind == TVGP_ACTION && q.flags == 0 && q.noise_var == noise && isfinite(q.score));
        ck_assert(q.propensity == 1 && q.risk == 0);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin((double)id)));
        ref_gp_add(&ref, X + 2 * q.arm, q.t, sin((double)id), noise);
    }
    assert_posterior(20);
    tvgp_query q[3];
    double x[6];
    size_t n = 99;
    ASSERT_OK(tvgp_policy_ask(policy, 21, 3, q, x, &n));
    ck_assert(n >= 1 && n <= 3 && q[0].id == 21);
    ASSERT_OK(tvgp_policy_ask(policy, 22, 1, q, NULL, &n)); /* without coordinates */
    ck_assert(n == 1 && q[0].id > 21);
    ASSERT_OK(tvgp_policy_ask_one(policy, 22, q, NULL));
    close_policy();
}

TEST(tickets) {
    open_policy("gp-ucb", 0);
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, 1, 0.5), "1");
    tvgp_query q = ask(1);
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, 2, 0.5), "2");
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, -1, 0.5), "-1");
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, INT64_MAX, 0.5), "9223372036854775807");
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 0.5));
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, q.id, 0.5), "1");
    q = ask(2);
    tvgp_obs twice[] = {tvgp_obs_value(q.id, 1), tvgp_obs_value(q.id, 1)};
    ck_assert_int_eq(tvgp_policy_tell(policy, 2, twice, NULL), TVGP_ERR_TICKET);
    ASSERT_OK(tvgp_policy_tell(policy, 1, twice, NULL)); /* the refused batch did not use it up */
    ASSERT_OK(tvgp_policy_tell(policy, 0, twice, NULL)); /* an empty batch is a batch */
    close_policy();
}

/* Any subset in any order, late or never; the data count at the time they were asked for, or at their own time. */
TEST(late_and_out_of_order) {
    open_policy("tv-gp-ucb", 0.1);
    struct rnd r = {1};
    tvgp_query open[12];
    double t = 0;
    for (int round = 0; round < 12; round++) {
        for (size_t i = 0; i < 12; i++)
            open[i] = ask(t += (double)rnd_below(&r, 3) / 2);
        for (size_t left = 12; left > 3;) { /* three of each dozen are never answered */
            size_t pick = rnd_below(&r, left);
            tvgp_obs obs = tvgp_obs_value(open[pick].id, rnd_normal(&r));
            double then = open[pick].t, var = noise;
            if (left % 4 == 0) {
                obs.t = then -= 0.25; /* measured a little earlier */
                obs.flags |= TVGP_OBS_HAS_TIME;
            }
            if (left % 5 == 0) {
                obs.noise_var = var = 0.3;
                obs.flags |= TVGP_OBS_HAS_NOISE;
            }
            ref_gp_add(&ref, X + 2 * open[pick].arm, then, obs.y, var);
            ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
            open[pick] = open[--left];
            assert_posterior(t);
            double pending;
            ASSERT_OK(tvgp_policy_stat(policy, "pending", &pending));
            ck_assert_double_eq(pending, (double)left + 3 * round);
        }
    }
    assert_posterior(t + 3.5);
    close_policy();
}

TEST(no_value) {
    open_policy("tv-gp-ucb", 0.1);
    ASSERT_OK(tvgp_policy_set_f64(policy, "failed.width", 0));
    for (int32_t outcome = TVGP_SKIPPED; outcome <= TVGP_CANCELLED; outcome++) {
        tvgp_query q = ask(outcome);
        tvgp_obs obs = {.id = q.id, .outcome = outcome, .y = NAN}; /* y is not read */
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
        assert_posterior(outcome);
        ck_assert_int_eq(tvgp_policy_tell(policy, 1, &obs, NULL), TVGP_ERR_TICKET);
        q = ask(outcome);
        ref_gp_add(&ref, X + 2 * q.arm, q.t, 1, noise);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
        assert_posterior(outcome);
    }
    close_policy();
}

/* id 0: before the first ask, between asks, with own time and noise, mixed with outcomes in one batch. */
TEST(unsolicited) {
    open_policy("tv-gp-ucb", 0.1);
    double x[3 * 2];
    for (size_t i = 0; i < 3; i++) {
        memcpy(x + 2 * i, X + 2 * (5 + i), 2 * sizeof *x);
        ref_gp_add(&ref, x + 2 * i, (double)i, 2 - (double)i, i == 1 ? 0.5 : noise);
    }
    tvgp_obs obs[3];
    for (size_t i = 0; i < 3; i++)
        obs[i] = tvgp_obs_unsolicited((double)i, 2 - (double)i);
    obs[1].noise_var = 0.5;
    obs[1].flags |= TVGP_OBS_HAS_NOISE;
    ASSERT_OK(tvgp_policy_tell(policy, 3, obs, x));
    assert_posterior(2);
    ck_assert_int_eq(tvgp_policy_ask_one(policy, 1.9, &(tvgp_query){0}, NULL), TVGP_ERR_ARG); /* its time counts */
    tvgp_query q = ask(4);
    obs[0] = tvgp_obs_value(0, -1); /* the newest time seen, 4 */
    obs[1] = tvgp_obs_value(q.id, 3);
    obs[2] = tvgp_obs_unsolicited(3, 0.5);
    memset(x + 2, 0xff, 2 * sizeof *x); /* the row of an outcome is not read */
    ref_gp_add(&ref, x, 4, -1, noise);
    ref_gp_add(&ref, X + 2 * q.arm, 4, 3, noise);
    ref_gp_add(&ref, x + 4, 3, 0.5, noise);
    ASSERT_OK(tvgp_policy_tell(policy, 3, obs, x));
    assert_posterior(5);
    close_policy();
}

/* A batch with one bad record leaves everything as it was, and the queries open. */
TEST(batches_are_atomic) {
    open_policy("tv-gp-ucb", 0.1);
    double x[4 * 2] = {0}, before[2][CASES_ARMS], after[2][CASES_ARMS];
    const double nowhere[2] = {0.123, 0.456};
    for (double t = 1; t <= 3; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, ask(t).id, t));
    tvgp_query open[2] = {ask(4), ask(5)};
    memcpy(x + 4, X, 2 * sizeof *x);
    ASSERT_OK(tvgp_policy_predict(policy, 6, CASES_ARMS, X, before[0], before[1]));
    const tvgp_obs good[4] = {tvgp_obs_value(open[0].id, 1), tvgp_obs_value(open[1].id, 2), tvgp_obs_value(0, 3),
                              tvgp_obs_value(0, 4)};
    for (int bad = 0; bad < 8; bad++) {
        tvgp_obs batch[4];
        memcpy(batch, good, sizeof batch);
        memcpy(x + 6, bad == 0 ? nowhere : X + 2, 2 * sizeof *x);
        tvgp_obs *last = &batch[3];
        if (bad == 1)
            last->y = NAN;
        last->flags = bad == 4 ? TVGP_OBS_HAS_TIME : bad == 2 || bad == 3 ? TVGP_OBS_HAS_NOISE : 0;
        if (bad == 2)
            last->noise_var = -0.1;
        if (bad == 3)
            last->noise_var = INFINITY;
        if (bad == 4)
            last->t = -INFINITY;
        if (bad == 5)
            last->outcome = 4;
        if (bad == 6)
            last->id = open[0].id;
        if (bad == 7)
            last->id = 77;
        static const tvgp_status want[] = {TVGP_ERR_NOTFOUND,  TVGP_ERR_NONFINITE, TVGP_ERR_ARG,    TVGP_ERR_NONFINITE,
                                           TVGP_ERR_NONFINITE, TVGP_ERR_ARG,       TVGP_ERR_TICKET, TVGP_ERR_TICKET};
        ck_assert_int_eq(tvgp_policy_tell(policy, 4, batch, x), want[bad]);
        ASSERT_OK(tvgp_policy_predict(policy, 6, CASES_ARMS, X, after[0], after[1]));
        ck_assert_mem_eq(before, after, sizeof before);
    }
    ck_assert_int_eq(tvgp_policy_tell(policy, 4, good, NULL), TVGP_ERR_ARG); /* id 0 needs x */
    ASSERT_OK(tvgp_policy_tell(policy, 4, good, x));
    close_policy();
}

/* The dense upper confidence bound: mean of what was given, sd with what is pending hallucinated. */
static double best_score(const struct ref_gp *pending, double t, size_t asked, const uint8_t *mask) {
    double width = sqrt(0.8 * log(4 * (double)(asked + 1))), best = -INFINITY, mean, var;
    for (size_t i = 0; i < CASES_ARMS; i++) {
        ref_gp_predict(&ref, 1, X + 2 * i, t, &mean, NULL);
        ref_gp_predict((struct ref_gp *)pending, 1, X + 2 * i, t, NULL, &var);
        if (mask == NULL || mask[i])
            best = fmax(best, mean + width * sqrt(fmax(var, 0)));
    }
    return best;
}

/* Static: at times of their own; drifting: at the same time. */
TEST_EACH(pending_actions_spread, 2) {
    const double epsilon = _i ? 0.05 : 0;
    open_policy(_i ? "tv-gp-ucb" : "gp-ucb", epsilon);
    struct ref_gp pending;
    struct rnd r = {4};
    ref_gp_init(&pending, ref.space, epsilon, 400);
    double t = 0;
    size_t asked = 0;
    for (int round = 0; round < 6; round++) {
        tvgp_query open[8];
        t += 0.7;
        for (size_t i = 0; i < 8; i++) {
            t += _i ? 0 : 0.5;
            double want = best_score(&pending, t, asked++, NULL);
            open[i] = ask(t);
            ASSERT_NEAR(open[i].score, want, 1e-9);
            ref_gp_add(&pending, X + 2 * open[i].arm, t, 0, noise);
            for (size_t j = 0; j < i && round == 0; j++) /* nothing told: each goes elsewhere */
                ck_assert_int_ne(open[i].arm, open[j].arm);
            assert_posterior(t); /* but predictions are of what was given */
        }
        for (size_t i = 0; i < 8; i++) {
            double y = rnd_normal(&r);
            ASSERT_OK(tvgp_policy_tell_value(policy, open[7 - i].id, y));
            ref_gp_add(&ref, X + 2 * open[7 - i].arm, open[7 - i].t, y, noise);
        }
        assert_posterior(t);
    }
    ref_gp_free(&pending);
    close_policy();
}

TEST(pending_limit) {
    open_policy("gp-ucb", 0);
    ASSERT_OK(tvgp_policy_set_i64(policy, "pending.limit", 5));
    for (int64_t id = 1; id <= 8; id++)
        ck_assert_int_eq(ask((double)id).id, id);
    for (int64_t id = 1; id <= 3; id++)
        ck_assert_int_eq(tvgp_policy_tell_value(policy, id, 0), TVGP_ERR_TICKET);
    assert_posterior(8);
    for (int64_t id = 8; id >= 4; id--)
        ASSERT_OK(tvgp_policy_tell_value(policy, id, 0));
    close_policy();
}

TEST(times) {
    open_policy("tv-gp-ucb", 0.1);
    tvgp_query q = ask(-1e9); /* any origin */
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
    ref_gp_add(&ref, X + 2 * q.arm, -1e9, 1, noise);
    for (int repeat = 0; repeat < 3; repeat++) {
        q = ask(-1e9 + 2);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 2));
        ref_gp_add(&ref, X + 2 * q.arm, -1e9 + 2, 2, noise);
    }
    assert_posterior(-1e9 + 2);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(policy, -1e9 + 1, &q, NULL), "t = ");
    ck_assert_int_eq(tvgp_policy_ask_one(policy, NAN, &q, NULL), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_policy_ask_one(policy, INFINITY, &q, NULL), TVGP_ERR_NONFINITE);
    double mean;
    ck_assert_int_eq(tvgp_policy_predict(policy, -1e9 + 1, 1, X, &mean, NULL), TVGP_ERR_ARG);
    assert_posterior(-1e9 + 10); /* looking ahead does not move the clock */
    assert_posterior(-1e9 + 3);
    q = ask(1e9); /* everything is forgotten */
    ck_assert_int_eq(q.arm, 0);
    close_policy();
}

/* Of two equal policies the first has time.max_step. It refuses times too far ahead, and goes on as if they had never been supplied. */
TEST(times_too_far_ahead) {
    enum { FAR = 1000000000 };
    tvgp_policy *twin[2];
    tvgp_query q[2];
    double mean, var, x[2];
    int64_t arm;
    for (int k = 0; k < 2; k++) {
        open_policy("tv-gp-ucb", 0.1);
        ref_gp_free(&ref);
        twin[k] = policy;
    }
    ASSERT_OK(tvgp_policy_set_f64(twin[0], "time.max_step", 5));
    for (double t = 100; t <= 160; t += 5) { /* the first time is free, a step of 5 is allowed */
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_ask_one(twin[k], t, &q[k], NULL));
        ck_assert(q[0].arm == q[1].arm && q[0].score == q[1].score);
        const tvgp_obs far = {.id = q[0].id, .y = 1, .t = FAR, .flags = TVGP_OBS_HAS_TIME};
        const tvgp_obs batch[2] = {tvgp_obs_unsolicited(t + 5, 1), tvgp_obs_unsolicited(t + 10.5, 1)};
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(twin[0], t + 5.1, &q[0], NULL), "plausible step is 5");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(twin[0], 1, &far, NULL), "time.max_step");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(twin[0], 2, batch, X), "obs[1].t = ");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_predict(twin[0], FAR, 1, X, &mean, &var), "t = 1000000000");
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_best(twin[0], FAR, &arm, x), "too far");
        ck_assert_double_eq(harness_stat(twin[0], "clock"), t);
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_tell_value(twin[k], q[k].id, sin(t)));
    }
    ASSERT_OK(tvgp_policy_ask_one(twin[1], FAR, &q[1], NULL)); /* without the option */
}

/* With time.clamp an ask that is earlier than the newest time is the ask at that time. */
TEST(times_that_go_back) {
    tvgp_policy *twin[2];
    tvgp_query q[2];
    double x[2][2];
    for (int k = 0; k < 2; k++) {
        open_policy("tv-gp-ucb", 0.1);
        ref_gp_free(&ref);
        twin[k] = policy;
    }
    ASSERT_OK(tvgp_policy_set(twin[0], "time.clamp=1 time.max_step=5"));
    for (int step = 0; step < 20; step++) {
        const double t = step % 3 == 2 ? step - 2.5 : step, newest = step % 3 == 2 ? step - 1 : step;
        ASSERT_OK(tvgp_policy_ask_one(twin[0], t, &q[0], x[0]));
        ASSERT_OK(tvgp_policy_ask_one(twin[1], newest, &q[1], x[1]));
        ck_assert_mem_eq(&q[0], &q[1], sizeof *q);
        ck_assert_double_eq(q[0].t, newest);
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_tell_value(twin[k], q[k].id, sin(step)));
    }
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(twin[1], 0, &q[1], NULL), "newest time");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(twin[0], 99, &q[0], NULL), "plausible step is 5");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_ask_one(twin[0], NAN, &q[0], NULL), "t");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_ask_one(twin[0], -INFINITY, &q[0], NULL), "t");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(twin[0], -1e101, &q[0], NULL), "t");
}

TEST(availability) {
    open_policy("gp-ucb", 0);
    struct rnd r = {6};
    uint8_t mask[CASES_ARMS];
    for (size_t step = 0; step < 60; step++) {
        size_t available = 0;
        for (size_t i = 0; i < CASES_ARMS; i++)
            available += mask[i] = (uint8_t)(rnd_uniform(&r) < 0.2 ? 1 + rnd_below(&r, 255) : 0);
        if (available == 0)
            mask[step % CASES_ARMS] = 1;
        ASSERT_OK(tvgp_policy_set_available(policy, CASES_ARMS, step % 7 == 6 ? NULL : mask));
        double want = best_score(&ref, (double)step, step, step % 7 == 6 ? NULL : mask), mean = 0;
        tvgp_query q = ask((double)step);
        ck_assert(step % 7 == 6 || mask[q.arm]);
        ASSERT_NEAR(q.score, want, 1e-10);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, cos((double)q.arm)));
        ref_gp_add(&ref, X + 2 * q.arm, q.t, cos((double)q.arm), noise);

        int64_t arm;
        double x[2], best = -INFINITY, got;
        ASSERT_OK(tvgp_policy_best(policy, q.t, &arm, x));
        for (size_t i = 0; i < CASES_ARMS; i++) {
            ref_gp_predict(&ref, 1, X + 2 * i, q.t, &mean, NULL);
            best = step % 7 == 6 || mask[i] ? fmax(best, mean) : best;
        }
        ck_assert(step % 7 == 6 || mask[arm]);
        ref_gp_predict(&ref, 1, x, q.t, &got, NULL);
        ASSERT_NEAR(got, best, 1e-10);
        ck_assert_mem_eq(x, X + 2 * arm, sizeof x);
    }
    close_policy();
}

/* A prior mean per arm shifts what is predicted and chosen. */
TEST(prior_mean) {
    open_policy("tv-gp-ucb", 0.1);
    double m[CASES_ARMS], mean[CASES_ARMS], want, off[2] = {0.5, 0.5}, x[2];
    int64_t arm;
    for (size_t i = 0; i < CASES_ARMS; i++)
        m[i] = (double)i / 4;
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, CASES_ARMS, m));
    ck_assert_int_eq(ask(1).arm, CASES_ARMS - 1);
    ASSERT_OK(tvgp_policy_best(policy, 1, &arm, x));
    ck_assert_int_eq(arm, CASES_ARMS - 1);
    ASSERT_OK(tvgp_policy_tell_value(policy, 1, -3));
    ref_gp_add(&ref, X + 2 * (CASES_ARMS - 1), 1, -3 - m[CASES_ARMS - 1], noise);
    ASSERT_OK(tvgp_policy_predict(policy, 2, CASES_ARMS, X, mean, NULL));
    for (size_t i = 0; i < CASES_ARMS; i++) {
        ref_gp_predict(&ref, 1, X + 2 * i, 2, &want, NULL);
        ASSERT_NEAR(mean[i], want + m[i], 1e-12);
    }
    ck_assert_int_eq(tvgp_policy_predict(policy, 2, 1, off, mean, NULL), TVGP_ERR_UNSUPPORTED);
    close_policy();
}

HARNESS_MAIN("policy")
