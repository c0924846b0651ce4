/* SPDX-License-Identifier: MIT */
/* Side queries: golden runs of sparq-gp-ucb and w-sparq-gp-ucb, the windows, and an expert who gives outcomes in part, late or
 * never. */
#include "cases.h"
#include "golden/golden_policies.h"
#include "golden/golden_windows.h"
#include "policy/ucb/growing_windows.h"

#include <math.h>
#include <string.h>

enum { STEPS = 30, ARMS = 25, CAP = ARMS + 1 };

static tvgp_policy *policy;
static tvgp_query q[CAP];
static size_t n;

/* ---- golden runs ------------------------------------------------------------------------------------------------ */

static void create(const char *name) {
    const double lengthscale = 0.3;
    tvgp_domain *domain = harness_arms(ARMS, 2, golden_arms[0]);
    policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, harness_se(2, 1, &lengthscale));
    ASSERT_OK(tvgp_policy_set(
        policy,
        "noise=0.02 side.noise=0.02 width.bound=2 width.delta=0.05 side.round_factor=3 side.round_exponent=1 kdpp.steps=0"));
}

static const struct golden_run {
    const char *policy;
    const struct golden_step *steps;
    const struct golden_queries *queries;
    struct {
        const char *key;
        double value;
    } option[2];
    double total;
    const char *own; /* side.action_outcomes */
} runs[] = {
    {"sparq-gp-ucb", golden_sparq_000, golden_sparq_000_queries, {{"side.noise", 0.05}}, 236, "log_noise"},
    {"sparq-gp-ucb", golden_sparq_003, golden_sparq_003_queries, {{"side.noise", 0.02}}, 236, "excluded"},
    {"w-sparq-gp-ucb", golden_wsparq_ui, golden_wsparq_ui_queries, {{"alpha", 1}, {"alpha_tilde", 0.25}}, 96, NULL},
    {"w-sparq-gp-ucb",
     golden_wsparq_const,
     golden_wsparq_const_queries,
     {{"alpha", 1}, {"noise_growth.exponent", 0}},
     96,
     NULL},
};

static void create_golden(const struct golden_run *run) {
    create(run->policy);
    for (size_t i = 0; i < 2 && run->option[i].key; i++)
        ASSERT_OK(tvgp_policy_set_f64(policy, run->option[i].key, run->option[i].value));
    if (run->own)
        ASSERT_OK(tvgp_policy_set_str(policy, "side.action_outcomes", run->own));
}

static void assert_action(size_t step, const struct golden_step *g) {
    double mean, var;
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(q->kind, TVGP_ACTION);
    ck_assert_int_eq(q->arm, g->arm);
    ASSERT_OK(tvgp_policy_predict(policy, q->t, 1, golden_arms[q->arm], &mean, &var));
    ASSERT_NEAR(mean, g->mean, 1e-9);
    ASSERT_NEAR(var, g->sd * g->sd, 1e-9);
    ASSERT_NEAR(q->score, g->mean + g->width * g->sd, 1e-9);
    ASSERT_NEAR(harness_stat(policy, "width"), g->width, 1e-9);
    ck_assert_double_eq(golden_f[step][q->arm], g->y);
}

/* Reports outcomes of the n queries in q with the values of this step. */
static void answer(size_t step) {
    tvgp_obs obs[CAP];
    for (size_t i = 0; i < n; i++)
        obs[i] = (tvgp_obs){.id = q[i].id, .y = golden_f[step][q[i].arm]};
    ASSERT_OK(tvgp_policy_tell(policy, n, obs, NULL));
}

static void assert_round(size_t step, const struct golden_queries *g, size_t cap) {
    for (size_t done = 0; done < (size_t)g->n; done += n) {
        ck_assert_double_eq(harness_stat(policy, "side.due"), 1);
        ASSERT_OK(tvgp_policy_ask(policy, (double)(step + 1), cap, q, NULL, &n));
        ck_assert_uint_eq(n, (size_t)g->n - done < cap ? (size_t)g->n - done : cap);
        for (size_t i = 0; i < n; i++) {
            ck_assert_int_eq(q[i].kind, TVGP_SIDE);
            ck_assert_int_eq(q[i].arm, g->arm[done + i]);
        }
        answer(step);
    }
    ck_assert_double_eq(harness_stat(policy, "side.due"), 0);
}

/* The papers' loop: the side queries of step t are asked at time t, after its action was given. With any cap. */
TEST_EACH(trajectory, sizeof runs / sizeof *runs) {
    const struct golden_run *run = &runs[_i];
    for (size_t cap = 1; cap <= CAP; cap = 5 * cap + 1) {
        create_golden(run);
        for (size_t step = 0; step < STEPS; step++) {
            ASSERT_OK(tvgp_policy_ask(policy, (double)(step + 1), CAP, q, NULL, &n));
            assert_action(step, &run->steps[step]);
            answer(step);
            assert_round(step, &run->queries[step], cap);
        }
        ck_assert_double_eq(harness_stat(policy, "side.asked"), run->total);
        ck_assert_double_eq(harness_stat(policy, "side.values"), run->total);
        ck_assert_double_eq(harness_stat(policy, "side.missing_values"), 0);
    }
}

/* ---- windows ---------------------------------------------------------------------------------------------------- */

TEST_EACH(golden_window_starts, GOLDEN_WINDOWS) {
    const struct golden_windows *g = &golden_windows[_i];
    tvgp__growing_windows w =
        tvgp__growing_windows_make((double)g->alpha[0] / g->alpha[1], (double)g->alpha_tilde[0] / g->alpha_tilde[1]);
    int64_t t = 1;
    for (int j = 0; j < g->n; j++) {
        ck_assert_int_eq(t, g->start[j]);
        t = tvgp__growing_windows_next(&w, t);
    }
    ck_assert_int_gt(t, 500);
}

/* Around perfect powers up to 2^53 the floor is that of exact integers: r^p at t = r^q, one less just below. */
TEST(window_edges) {
    static const struct {
        double alpha, alpha_tilde;
        int p, q;
    } ratios[] = {{1, 0.25, 1, 4},  {0.75, 0.25, 1, 3}, {0.5, 0.25, 1, 2},
                  {0.5, 0.2, 2, 5}, {0.25, 0.25, 1, 1}, {0.375, 0.25, 2, 3}};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        tvgp__growing_windows w = tvgp__growing_windows_make(ratios[i].alpha, ratios[i].alpha_tilde);
        ck_assert_uint_eq(w.p, (unsigned)ratios[i].p);
        ck_assert_uint_eq(w.q, (unsigned)ratios[i].q);
        for (int64_t r = 2; pow((double)r, ratios[i].q) < 0x1p52; r += 1 + r / 9) {
            int64_t t = 1, length = 1;
            for (int k = 0; k < ratios[i].q; k++)
                t *= r;
            for (int k = 0; k < ratios[i].p; k++)
                length *= r;
            ck_assert_int_eq(tvgp__growing_windows_next(&w, t), t + length + 1);
            ck_assert_int_eq(tvgp__growing_windows_next(&w, t - 1), t - 1 + (length - 1) + 1);
            ck_assert_int_eq(tvgp__growing_windows_next(&w, t + 1), t + 1 + length + (ratios[i].p == ratios[i].q) + 1);
        }
    }
    tvgp__growing_windows none = tvgp__growing_windows_make(1, 0);
    ck_assert_int_eq(tvgp__growing_windows_next(&none, 12345), 12347); /* t^0 = 1 */
    tvgp__growing_windows irrational = tvgp__growing_windows_make(1, 0.3141592653589793);
    ck_assert_uint_eq(irrational.q, 0);
    ck_assert_int_eq(tvgp__growing_windows_next(&irrational, 1000), 1000 + 8 + 1);
    tvgp__growing_windows steep = tvgp__growing_windows_make(1e-3, 0.3);
    ck_assert_int_eq(tvgp__growing_windows_next(&steep, 1000), (int64_t)1 << 53); /* never again */
}

/* ---- the protocol ----------------------------------------------------------------------------------------------- */

/* Plays `steps` answered steps with the side queries asked at the time of the action; the next action is not asked yet. */
static void play(size_t from, size_t steps) {
    for (size_t step = from; step < from + steps; step++) {
        do {
            ASSERT_OK(tvgp_policy_ask(policy, (double)(step + 1), CAP, q, NULL, &n));
            answer(step);
        } while (q->kind != TVGP_ACTION);
    }
}

/* Both at t + 1: the same side queries come first, then AGAIN while one is open, then the action. */
TEST_EACH(asked_before_the_action, 2) {
    create(_i ? "w-sparq-gp-ucb" : "sparq-gp-ucb");
    play(0, 7); /* 7 is the start of a window */
    ASSERT_OK(tvgp_policy_ask(policy, 8, CAP, q, NULL, &n));
    size_t asked = n, none;
    ck_assert_uint_eq(asked, 6); /* 3 ln 7 = 5.8; all but one action are distinct */
    for (size_t i = 0; i < asked; i++) {
        ck_assert_int_eq(q[i].kind, TVGP_SIDE);
        ck_assert_double_eq(q[i].t, 8);
        ck_assert_double_eq(q[i].noise_var, 0.02);
        tvgp_query other;
        ck_assert_int_eq(tvgp_policy_ask(policy, 8, 1, &other, NULL, &none), TVGP_AGAIN);
        ck_assert_uint_eq(none, 0);
        if (i % 2)
            ASSERT_OK(tvgp_policy_tell_value(policy, q[i].id, 1));
        else
            ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q[i].id, .outcome = TVGP_SKIPPED}, NULL));
    }
    ASSERT_OK(tvgp_policy_ask(policy, 8, CAP, q, NULL, &n));
    ck_assert(n == 1 && q->kind == TVGP_ACTION);
    ck_assert_double_eq(harness_stat(policy, "side.missing_values"), 3);
}

/* No side query has an outcome: at the same time the action is held back, at a later one it comes, with the outcomes so far. */
TEST_EACH(never_answered, 2) {
    create(_i ? "w-sparq-gp-ucb" : "sparq-gp-ucb");
    play(0, 7);
    size_t none;
    ASSERT_OK(tvgp_policy_ask(policy, 8, CAP, q, NULL, &n));
    ASSERT_OK(tvgp_policy_tell_value(policy, q[2].id, 0.7));
    int64_t arm = q[2].arm;
    ck_assert_int_eq(tvgp_policy_ask(policy, 8, 1, q, NULL, &none), TVGP_AGAIN);
    ASSERT_OK(tvgp_policy_ask(policy, 8.5, CAP, q, NULL, &n));
    ck_assert(n == 1 && q->kind == TVGP_ACTION);
    double mean, var; /* one outcome, and for sparq the newest own observation, the only one within the limit */
    ck_assert_double_eq(harness_stat(policy, "observations"), _i ? 1 : 2);
    ASSERT_OK(tvgp_policy_predict(policy, 8.5, 1, golden_arms[arm], &mean, &var));
    ck_assert_double_lt(var, 0.021);
    for (size_t step = 7; step < 200; step++) { /* a user without an expert: actions go on for ever */
        size_t actions = 0;
        for (int k = 0; k < 2; k++) {
            tvgp_status status = tvgp_policy_ask(policy, (double)step + 0.5 * k + 2, CAP, q, NULL, &n);
            ck_assert_int_eq(status, TVGP_OK);
            if (q->kind != TVGP_ACTION)
                continue;
            actions++;
            ASSERT_OK(tvgp_policy_tell_value(policy, q->id, sin((double)q->arm)));
        }
        ck_assert_uint_ge(actions, 1);
    }
    ck_assert_double_ge(harness_stat(policy, "pending"), 100);
}

/* A plain loop that takes every query for an action still gets everything it needs. */
TEST_EACH(one_at_a_time, 2) {
    create(_i ? "w-sparq-gp-ucb" : "sparq-gp-ucb");
    int64_t actions = 0, side = 0;
    for (size_t step = 0; step < 300; step++) {
        ASSERT_OK(tvgp_policy_ask_one(policy, (double)step, q, NULL));
        actions += q->kind == TVGP_ACTION;
        side += q->kind == TVGP_SIDE;
        ASSERT_OK(tvgp_policy_tell_value(policy, q->id, cos((double)q->arm)));
    }
    ck_assert_double_eq(harness_stat(policy, "asked"), (double)actions);
    ck_assert_double_eq(harness_stat(policy, "side.values"), (double)side);
    ck_assert(actions > 20 && side > actions / 2);
}

/* Predictions of a dense posterior over the data a test says are in use. */
static void assert_posterior(size_t m, const size_t *arm, const double *y, const double *noise) {
    const double lengthscale = 0.3;
    double mean[ARMS], var[ARMS], want_mean[ARMS], want_var[ARMS];
    ck_assert_double_eq(harness_stat(policy, "observations"), (double)m);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, harness_se(2, 1, &lengthscale), NULL, 1);
    for (size_t i = 0; i < m; i++)
        ASSERT_OK(tvgp_gp_add(gp, 1, golden_arms[arm[i]], NULL, &y[i], &noise[i]));
    ASSERT_OK(tvgp_gp_predict(gp, ARMS, golden_arms[0], 0, want_mean, want_var));
    ASSERT_OK(tvgp_policy_predict(policy, 1e6, ARMS, golden_arms[0], mean, var));
    ASSERT_ALL_NEAR(ARMS, mean, want_mean, 1e-10);
    ASSERT_ALL_NEAR(ARMS, var, want_var, 1e-10);
}

/* NaN: not given. */
static void tell_answer(const tvgp_query *query, double y, double noise, double t) {
    tvgp_obs obs = tvgp_obs_value(query->id, y);
    obs.flags = (isnan(noise) ? 0U : TVGP_OBS_HAS_NOISE) | (isnan(t) ? 0U : TVGP_OBS_HAS_TIME);
    obs.noise_var = isnan(noise) ? 0 : noise;
    obs.t = isnan(t) ? 0 : t;
    ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
}

/* sparq-gp-ucb: an outcome that comes too late counts by its time, noise (1 + age^2), for the next action. */
TEST(late_answers_of_sparq) {
    tvgp_query late[CAP], action;
    create("sparq-gp-ucb");
    ASSERT_OK(tvgp_policy_set_str(policy, "side.action_outcomes", "excluded"));
    play(0, 9);
    ASSERT_OK(tvgp_policy_ask(policy, 9, CAP, late, NULL, &n)); /* the round of step 9 */
    ck_assert_uint_ge(n, 4);
    tell_answer(&late[0], 0.4, 0.3, NAN); /* in time, with a noise of its own */
    assert_posterior(1, (size_t[]){(size_t)late[0].arm}, (double[]){0.4}, (double[]){0.3});
    ASSERT_OK(tvgp_policy_ask(policy, 10, 1, &action, NULL, &n));
    ck_assert_int_eq(action.kind, TVGP_ACTION);
    ASSERT_OK(tvgp_policy_tell_value(policy, action.id, 0.1)); /* the newest own observation is at 10: age 1 */
    tell_answer(&late[1], 0.6, NAN, NAN);
    assert_posterior(2, (size_t[]){(size_t)late[0].arm, (size_t)late[1].arm}, (double[]){0.4, 0.6},
                     (double[]){0.3 * 2, 0.02 * 2});
    ASSERT_OK(tvgp_policy_ask(policy, 10, CAP, q, NULL, &n)); /* the round of step 10 replaces what has served */
    ck_assert_int_eq(q->kind, TVGP_SIDE);
    tell_answer(&q[0], 0.5, NAN, NAN);
    tell_answer(&late[2], 0.7, NAN, NAN);
    tell_answer(&late[3], 0.8, NAN, 8); /* the expert says when it was: age 2 */
    assert_posterior(4, (size_t[]){(size_t)late[1].arm, (size_t)q[0].arm, (size_t)late[2].arm, (size_t)late[3].arm},
                     (double[]){0.6, 0.5, 0.7, 0.8}, (double[]){0.02 * 2, 0.02, 0.02 * 2, 0.02 * 5});
    ck_assert_double_eq(harness_stat(policy, "side.delayed"), 2); /* late[1] came before the next round was drawn */
    ck_assert_double_eq(harness_stat(policy, "ignored"), 0);
}

/* w-sparq-gp-ucb: outcomes within the window count by their time, those to an older window are counted and ignored. */
TEST(late_answers_of_wsparq) {
    tvgp_query late[CAP], action, old;
    create("w-sparq-gp-ucb");
    play(0, 7); /* window 7, 8 */
    ck_assert_double_eq(harness_stat(policy, "window.start"), 7);
    ck_assert_double_eq(harness_stat(policy, "window"), 4);
    ASSERT_OK(tvgp_policy_ask(policy, 7, CAP, late, NULL, &n));
    ck_assert_uint_ge(n, 3);
    tell_answer(&late[0], 0.4, NAN, NAN);
    ASSERT_OK(tvgp_policy_ask(policy, 8, 1, &action, NULL, &n));
    tell_answer(&action, 0.1, NAN, NAN);
    tell_answer(&late[1], 0.6, NAN, NAN); /* age 1: noise (1 + 1) */
    assert_posterior(3, (size_t[]){(size_t)late[0].arm, (size_t)late[1].arm, (size_t)action.arm}, (double[]){0.4, 0.6, 0.1},
                     (double[]){0.04, 0.04, 0.02});
    ASSERT_OK(tvgp_policy_ask(policy, 8.5, 1, &old, NULL, &n)); /* step 9, a window start; told later than step 10 */
    ck_assert_int_eq(old.kind, TVGP_ACTION);
    ASSERT_OK(tvgp_policy_ask(policy, 9, 1, &action, NULL, &n));
    tell_answer(&action, 0.2, NAN, NAN); /* step 10 opens the window of 9 */
    ck_assert_double_eq(harness_stat(policy, "window.start"), 9);
    tell_answer(&late[2], 0.9, NAN, NAN); /* an older window */
    ck_assert_double_eq(harness_stat(policy, "ignored"), 1);
    tell_answer(&old, 0.3, NAN, NAN); /* the window's own start: serves while nothing was answered */
    assert_posterior(2, (size_t[]){(size_t)action.arm, (size_t)old.arm}, (double[]){0.2, 0.3}, (double[]){0.02, 0.02 * 1.5});
    ASSERT_OK(tvgp_policy_ask(policy, 9, CAP, q, NULL, &n));
    ck_assert_int_eq(q->kind, TVGP_SIDE);
    tell_answer(&q[0], 0.5, NAN, NAN);
    assert_posterior(2, (size_t[]){(size_t)q[0].arm, (size_t)action.arm}, (double[]){0.5, 0.2}, (double[]){0.02, 0.02});
}

/* Own data serve when everything is skipped: those with noise (1 + age^2) <= noise ln t; the window for w-sparq. */
TEST_EACH(all_skipped, 2) {
    size_t arm[10];
    double y[10];
    create(_i ? "w-sparq-gp-ucb" : "sparq-gp-ucb");
    for (size_t step = 1; step <= 10; step++) {
        ASSERT_OK(tvgp_policy_ask(policy, (double)step, CAP, q, NULL, &n));
        while (q->kind == TVGP_SIDE) {
            tvgp_obs skip[CAP];
            for (size_t i = 0; i < n; i++)
                skip[i] = (tvgp_obs){.id = q[i].id, .outcome = TVGP_SKIPPED};
            ASSERT_OK(tvgp_policy_tell(policy, n, skip, NULL));
            ASSERT_OK(tvgp_policy_ask(policy, (double)step, CAP, q, NULL, &n));
        }
        arm[step - 1] = (size_t)q->arm;
        y[step - 1] = sin((double)step);
        ASSERT_OK(tvgp_policy_tell_value(policy, q->id, y[step - 1]));
    }
    if (_i) /* the window of 9: steps 9 and 10 */
        assert_posterior(2, arm + 8, y + 8, (double[]){0.02 * 2, 0.02});
    else /* ln 10 = 2.3: ages 0 and 1 */
        assert_posterior(2, arm + 8, y + 8, (double[]){0.02 * 2, 0.02});
    ck_assert_double_eq(harness_stat(policy, "side.values"), 0);
    ck_assert_double_eq(harness_stat(policy, "side.missing_values"), harness_stat(policy, "side.asked"));
}

/* Side queries go to arms that exist, also when one goes while a round is being asked. */
TEST(unavailable_arms) {
    uint8_t mask[ARMS];
    create("sparq-gp-ucb");
    play(0, 12);
    memset(mask, 1, sizeof mask);
    ASSERT_OK(tvgp_policy_ask(policy, 12, 1, q, NULL, &n));
    tvgp_query first = *q;
    ASSERT_OK(tvgp_policy_tell_value(policy, first.id, 0));
    for (size_t i = 0; i < ARMS; i++)
        mask[i] = golden_arms[i][0] > 0.5;
    ASSERT_OK(tvgp_policy_set_available(policy, ARMS, mask));
    for (int round = 0; round < 5; round++) {
        ASSERT_OK(tvgp_policy_ask(policy, 12 + round, CAP, q, NULL, &n));
        for (size_t i = 0; i < n; i++)
            ck_assert(mask[q[i].arm]);
        answer(12);
    }
}

/* A round is due and none of the arms it may ask about is available: there is none, and the outcomes of the last one serve on. */
TEST(no_expert) {
    uint8_t unknown[ARMS];
    double answers = 0;
    create("sparq-gp-ucb");
    ASSERT_OK(tvgp_policy_set_str(policy, "side.action_outcomes", "excluded"));
    memset(unknown, 1, sizeof unknown);
    for (size_t actions = 0; actions < 9;) {
        ASSERT_OK(tvgp_policy_ask(policy, (double)(actions + 1), CAP, q, NULL, &n));
        answer(actions);
        if (q->kind == TVGP_SIDE)
            answers = (double)n;
        unknown[q->arm] = (uint8_t)(unknown[q->arm] && q->kind == TVGP_SIDE);
        actions += q->kind == TVGP_ACTION;
    }
    ck_assert_double_ge(answers, 4);
    ck_assert_double_eq(harness_stat(policy, "side.due"), 1);
    ASSERT_OK(tvgp_policy_set_available(policy, ARMS, unknown));
    ASSERT_OK(tvgp_policy_ask(policy, 10, CAP, q, NULL, &n));
    ck_assert(n == 1 && q->kind == TVGP_ACTION && unknown[q->arm]);
    ck_assert_double_eq(harness_stat(policy, "observations"), answers);
    ck_assert_double_eq(harness_stat(policy, "side.due"), 0);
    const double distinct = harness_stat(policy, "distinct");
    answer(9);
    ck_assert_double_eq(harness_stat(policy, "distinct"), distinct + 1);
}

/* Arms at the same place are one point; several actions told at once owe one round. */
TEST(distinct_points) {
    const double X[] = {0, 0, 0, 1}, lengthscale = 0.5, four[] = {0, 0, 0, 1};
    policy = MAKE_POLICY(tvgp_policy_create, ctx, "sparq-gp-ucb", harness_arms(4, 1, X), harness_se(1, 1, &lengthscale));
    tvgp_obs seen[4];
    for (size_t i = 0; i < 4; i++)
        seen[i] = (tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 0};
    ASSERT_OK(tvgp_policy_tell(policy, 4, seen, four));
    ck_assert_double_eq(harness_stat(policy, "distinct"), 2);
    ck_assert_double_eq(harness_stat(policy, "side.due"), 0); /* no caller asked: nothing is owed */
    tvgp_query action[3];
    for (size_t i = 0; i < 3; i++)
        ASSERT_OK(tvgp_policy_ask_one(policy, 1, &action[i], NULL));
    for (size_t i = 0; i < 3; i++)
        seen[i] = (tvgp_obs){.id = action[i].id, .y = 1};
    ASSERT_OK(tvgp_policy_tell(policy, 3, seen, NULL));
    ASSERT_OK(tvgp_policy_ask(policy, 1, 5, q, NULL, &n));
    ck_assert(n == 2 && q[0].kind == TVGP_SIDE && q[1].kind == TVGP_SIDE && q[0].arm + q[1].arm == 3);
    ASSERT_OK(tvgp_policy_ask(policy, 2, 5, q, NULL, &n));
    ck_assert(n == 1 && q->kind == TVGP_ACTION);
}

TEST(bad_options) {
    create("w-sparq-gp-ucb");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(policy, "alpha_tilde", 1.0 / 3), "alpha_tilde", "0.33");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(policy, "alpha_tilde", -0.1), "alpha_tilde", "[0,");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(policy, "alpha", -1), "alpha", "[0,");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(policy, "side.noise", -1), "side.noise");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_i64(policy, "kdpp.steps", -2), "kdpp.steps");
    ASSERT_OK(tvgp_policy_set_f64(policy, "alpha_tilde", 0));
    play(0, 1);
    ASSERT_OK(tvgp_policy_ask(policy, 1, CAP, q, NULL, &n));
    ck_assert_int_eq(q->kind, TVGP_SIDE);
    ASSERT_FAILS(TVGP_ERR_ARG,
                 tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q->id, .flags = TVGP_OBS_HAS_NOISE, .noise_var = -1}, NULL),
                 "obs[0].noise_var", "-1");
    ck_assert_double_eq(harness_stat(policy, "side.values"), 0);
    ASSERT_OK(tvgp_policy_tell_value(policy, q->id, 1));
}

int main(void) {
    golden_read_policies();
    golden_read_windows();
    return HARNESS_RUN("expert", harness_setup, harness_teardown);
}
