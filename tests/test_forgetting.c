/* SPDX-License-Identifier: MIT */
/* The policies that forget: rules from a variation budget, triggers and their log lines. */
#include "cases.h"
#include "golden/golden_betas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tvgp_policy *policy;

static void open_policy(const char *name) {
    policy = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* T, gain, budget, v. */
static void set_budget(const double *g) {
    ASSERT_OK(tvgp_policy_set_i64(policy, "horizon", (int64_t)g[0]));
    ASSERT_OK(tvgp_policy_set_f64(policy, "information_gain", g[1]));
    ASSERT_OK(tvgp_policy_set_f64(policy, "variation_budget", g[2]));
}

/* ceil(gain^(1/4) sqrt(T / budget)): the golden ones, and both ends of 1 .. T. */
static const double windows[][4] = {{500, 66.1, 308.5, 4}, {500, 66.1, 1, 64}, {20, 1e6, 1, 20}, {20, 1, 1e6, 1}};

TEST_EACH(window_rule, 4) {
    const double *g = windows[_i];
    if (_i < 2) /* the table above is the golden one */
        ck_assert(memcmp(g, golden_zhou_window[_i], sizeof windows[0]) == 0);
    open_policy("sw-gp-ucb");
    set_budget(g);
    for (double t = 1; t <= 100; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin(t)));
        ck_assert_double_eq(harness_stat(policy, "observations"), fmin(t, g[3]));
    }
    tvgp_policy_destroy(policy);
    open_policy("br-gp-ucb");
    set_budget(g);
    for (double t = 1; t <= 100; t++) {
        tvgp_query q = harness_ask(policy, t);
        ck_assert_double_eq(harness_stat(policy, "observations"), fmod(t - 1, g[3]));
        ck_assert_double_eq(harness_stat(policy, "resets"), floor((t - 1) / g[3]));
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin(t)));
    }
}

/* 1 - gain^(-1/4) sqrt(budget / T), seen in the effective sample size: two observations weigh 1 + eta. */
TEST_EACH(decay_rule, 2) {
    const double *g = golden_deng_gamma[_i];
    open_policy("w-gp-ucb");
    set_budget(g);
    for (double t = 1; t <= 2; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 1));
    ASSERT_NEAR(harness_stat(policy, "observations.effective"), 1 + g[3], 1e-12);
}

/* When no caller says how much is to be forgotten: by 50 observations, or 3 % a step. */
TEST_EACH(unknown_horizon, 3) {
    static const char *const names[] = {"sw-gp-ucb", "br-gp-ucb", "w-gp-ucb"};
    open_policy(names[_i]);
    for (double t = 1; t <= 120; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 1));
    ck_assert_double_eq(harness_stat(policy, "observations"), _i == 0 ? 50 : _i == 1 ? 20 : 120);
    ck_assert_double_eq(harness_stat(policy, "resets"), _i == 1 ? 2 : 0);
    if (_i == 2)
        ASSERT_NEAR(harness_stat(policy, "observations.effective"), (1 - pow(0.97, 120)) / 0.03, 1e-10);
}

/* The ends of the options still mean never. */
TEST_EACH(never_forgets_when_told_so, 3) {
    open_policy(_i == 0 ? "sw-gp-ucb" : _i == 1 ? "br-gp-ucb" : "w-gp-ucb");
    if (_i == 0)
        ASSERT_OK(tvgp_policy_set_i64(policy, "window", (int64_t)1 << 31));
    else if (_i == 1)
        ASSERT_OK(tvgp_policy_set_i64(policy, "reset.every", (int64_t)1 << 53));
    else
        ASSERT_OK(tvgp_policy_set_f64(policy, "decay", 1));
    for (double t = 1; t <= 120; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 1));
    ck_assert_double_eq(harness_stat(policy, "observations"), 120);
    ck_assert_double_eq(harness_stat(policy, "resets"), 0);
}

/* Exact outcomes age from 1e-10 of the prior variance on: those too faint to be heard are given up, and an arm not looked at
 * for long is unknown again. */
TEST(exact_answers_fade) {
    static const double x[] = {0.1, 0.9};
    double mean, var;
    tvgp_kernel *kernel = harness_se(1, 1, (const double[]){0.05});
    policy = MAKE_POLICY(tvgp_policy_create, ctx, "w-gp-ucb", harness_arms(2, 1, x), kernel);
    ASSERT_OK(tvgp_policy_set(policy, "noise=0 decay=0.9"));
    for (double t = 1; t <= 1500; t++) /* arm 0 once, then arm 1 for ever: outcomes of age a have noise 1e-10 / 0.9^a */
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = t}, &x[t > 1]));
    harness_ask(policy, 1500);
    ck_assert_double_lt(harness_stat(policy, "observations"), 580); /* 1e-10 / 0.9^a > 2^53 for a > 567 */
    ASSERT_NEAR(harness_stat(policy, "observations.effective"), 10, 1e-9);
    ASSERT_OK(tvgp_policy_predict(policy, 1500, 1, x, &mean, &var));
    ASSERT_NEAR(var, 1, 1e-12);
}

/* c1 ln(c2 t) below 0 counts as 0: never NaN. */
TEST_EACH(negative_width, 5) {
    static const char *const names[] = {"br-gp-ucb", "sw-gp-ucb", "w-gp-ucb", "ui-gp-ucb", "et-gp-ucb"};
    open_policy(names[_i]);
    ASSERT_OK(tvgp_policy_set(policy, "width.schedule=log width.c2=0.4"));
    for (double t = 1; t <= 3; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_NEAR(harness_stat(policy, "width"), sqrt(fmax(0, 0.8 * log(0.4 * t))), 1e-15);
        ASSERT_NEAR(q.score, harness_stat(policy, "mean") + harness_stat(policy, "width") * harness_stat(policy, "sd"),
                    1e-15);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
    }
}

/* ---- triggers --------------------------------------------------------------------------------------------------- */

struct heard {
    int lines;
    char last[300];
};
static void listen(void *user, const char *message) {
    struct heard *heard = user;
    heard->lines++;
    strncpy(heard->last, message, sizeof heard->last - 1);
}

/* sqrt(2 ln(2 pi^2 t'^2 / (6 delta))) (sd + sqrt(noise)), delta 0.1 */
static double threshold(double steps, double sd, double noise) {
    const double pi = 3.14159265358979323846;
    return sqrt(2 * log(2 * pi * pi * steps * steps / 6 / 0.1)) * (sd + sqrt(noise));
}

/* On no data the prior is what an observation is compared with, around the prior mean. */
TEST(first_observation) {
    double mean[CASES_ARMS];
    for (size_t i = 0; i < CASES_ARMS; i++)
        mean[i] = 5;
    open_policy("et-gp-ucb");
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, CASES_ARMS, mean));
    tvgp_query q = harness_ask(policy, 1);
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 4.5));
    ASSERT_NEAR(harness_stat(policy, "trigger.statistic"), 0.5, 1e-14);
    ASSERT_NEAR(harness_stat(policy, "trigger.threshold"), threshold(1, 1, 0.01), 1e-14);
    ck_assert_double_eq(harness_stat(policy, "resets"), 0);
}

TEST_EACH(what_a_trigger_does, 2) {
    struct heard heard = {0};
    char number[32];
    int keep = _i;
    ASSERT_OK(tvgp_ctx_set_logger(ctx, listen, &heard, NULL));
    open_policy("et-gp-ucb");
    ASSERT_OK(tvgp_policy_set_i64(policy, "trigger.keep_last", keep));
    for (double t = 1; t <= 5; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 0.1));
    ck_assert_int_eq(heard.lines, 0);
    tvgp_query before = harness_ask(policy, 6), q = harness_ask(policy, 6.5);
    double sd = harness_stat(policy, "sd"), mean = harness_stat(policy, "mean");
    const tvgp_obs answer = {.id = q.id, .y = 9, .flags = TVGP_OBS_HAS_NOISE, .noise_var = 0.04};
    ASSERT_OK(tvgp_policy_tell(policy, 1, &answer, NULL));
    ASSERT_NEAR(harness_stat(policy, "trigger.statistic"), 9 - mean, 1e-14);
    ASSERT_NEAR(harness_stat(policy, "trigger.threshold"), threshold(7, sd, 0.04), 1e-14);
    ck_assert_double_eq(harness_stat(policy, "resets"), 1);
    ck_assert_double_eq(harness_stat(policy, "reset.step"), 7);
    ck_assert_double_eq(harness_stat(policy, "reset.time"), 6.5);
    ck_assert_double_eq(harness_stat(policy, "observations"), keep);
    /* One line: who, when, why. */
    snprintf(number, sizeof number, "%g", harness_stat(policy, "trigger.threshold"));
    ck_assert_int_eq(heard.lines, 1);
    ck_assert(strstr(heard.last, "et-gp-ucb") && strstr(heard.last, "6.5") && strstr(heard.last, number));
    /* An outcome to a query of before says nothing about what is now; it is not tested either. */
    ASSERT_OK(tvgp_policy_tell_value(policy, before.id, 100));
    ck_assert_double_eq(harness_stat(policy, "resets"), 1);
    ck_assert_double_eq(harness_stat(policy, "ignored"), 1);
    ck_assert_double_eq(harness_stat(policy, "observations"), keep);
    /* t' counts again from the trigger. */
    q = harness_ask(policy, 7);
    sd = harness_stat(policy, "sd");
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 0));
    ASSERT_NEAR(harness_stat(policy, "trigger.threshold"), threshold(1, sd, 0.01), 1e-14);
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
}

/* Unsolicited observations were not predicted either: it is learnt, not tested. Nor is the lack of an outcome. */
TEST(only_answers_are_tested) {
    double X[CASES_ARMS * 2];
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    open_policy("et-gp-ucb");
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = 50, .flags = TVGP_OBS_HAS_TIME, .t = 0}, X));
    ASSERT_OK(
        tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = harness_ask(policy, 1).id, .outcome = TVGP_SKIPPED, .y = 70}, NULL));
    ck_assert_double_eq(harness_stat(policy, "resets"), 0);
    ck_assert_double_eq(harness_stat(policy, "trigger.statistic"), 0);
    ck_assert_double_eq(harness_stat(policy, "observations"), 1);
}

int main(void) {
    golden_read_betas();
    return HARNESS_RUN("forgetting", harness_setup, harness_teardown);
}
