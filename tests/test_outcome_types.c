/* SPDX-License-Identifier: MIT */
/* Types of outcomes: a policy on ln y makes the decisions of a twin that is given ln y itself, and every number that leaves
 * it is the twin's in the user's unit. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 5, STEPS = 60 };
static const double low = 0, high = 1;
static const char *const senses[] = {"max", "min"};

/* ---- policies ---------------------------------------------------------------------------------------------------- */

typedef enum place { NAMES, LINE, BOX, PLACES } place;

static tvgp_policy *make(place where, const char *options) {
    tvgp_domain *domain;
    tvgp_kernel *kernel = NULL;
    if (where == NAMES)
        domain = harness_indices(ARMS);
    else if (where == LINE)
        domain = harness_grid(1, &low, &high, (const size_t[]){ARMS});
    else
        domain = harness_box(1, &low, &high);
    if (where != NAMES)
        kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 0.5, 1, (const double[]){0.3});
    tvgp_policy *p = harness_create(where == NAMES ? "auto-gp-ucb" : "tv-gp-ucb", domain, kernel, options);
    if (where != NAMES)
        ASSERT_OK(tvgp_policy_set(p, "noise=0.05 epsilon=0.02"));
    return p;
}

/* One on outcomes of a type, and its twin on their logarithms. */
typedef struct pair {
    tvgp_policy *policy, *twin;
    int ratio;
} pair;

static pair make_pair(place where, const char *type, const char *options) {
    char text[200];
    pair two = {.twin = make(where, options), .ratio = strcmp(type, "ratio") == 0};
    snprintf(text, sizeof text, "outcome.type=%s %s", type, options);
    two.policy = make(where, text);
    return two;
}

/* Both are given the outcome e^z. */
static void tell(const pair *two, const tvgp_query *q, const tvgp_query *other, double z, double reference) {
    const tvgp_obs obs = two->ratio ? tvgp_obs_ratio(q->id, exp(z) * reference, reference) : tvgp_obs_value(q->id, exp(z));
    ASSERT_OK(tvgp_policy_tell(two->policy, 1, &obs, NULL));
    ASSERT_OK(tvgp_policy_tell_value(two->twin, other->id, z));
}

static double mean_of(double m, double v) {
    return exp(m + v / 2);
}
static double var_of(double m, double v) {
    return expm1(v) * exp(2 * m + v);
}

/* ---- every number that leaves ------------------------------------------------------------------------------------- */

static void compare_predictions(const pair *two, double t) {
    const double X[] = {0, 0.25, 0.5, 1};
    enum { N = sizeof X / sizeof *X };
    double mean[2][N], var[2][N], score[2][N], sd[N];
    ASSERT_OK(tvgp_policy_predict(two->policy, t, N, X, mean[0], var[0]));
    ASSERT_OK(tvgp_policy_predict(two->twin, t, N, X, mean[1], var[1]));
    ASSERT_OK(harness_scores(two->policy, t, N, X, score[0], NULL, sd));
    ASSERT_OK(harness_scores(two->twin, t, N, X, score[1], NULL, NULL));
    for (size_t i = 0; i < N; i++) {
        ASSERT_NEAR(mean[0][i], mean_of(mean[1][i], var[1][i]), 1e-9);
        ASSERT_NEAR(var[0][i], var_of(mean[1][i], var[1][i]), 1e-9);
        ASSERT_NEAR(sd[i], sqrt(var[0][i]), 1e-9);
        ASSERT_NEAR(score[0][i], exp(score[1][i]), 1e-9);
    }
}

static double value_at(double x, double t) {
    return 0.5 * sin(6 * x + 0.02 * t) + 0.1 * sin(3 * t);
}

/* A type, a sense and a place in turn. */
TEST_EACH(like_a_twin_on_logarithms, 4 * PLACES) {
    const char *type = _i % 2 ? "ratio" : "lognormal", *sense = senses[_i / 2 % 2];
    const place where = (place)(_i / 4);
    char options[64];
    snprintf(options, sizeof options, "sense=%s model.assume_misspecified=0", sense);
    if (where != NAMES)
        snprintf(options, sizeof options, "sense=%s", sense);
    const pair two = make_pair(where, type, options);
    const double prior = 2, linked = log(2);
    ASSERT_OK(tvgp_policy_set_prior_mean(two.policy, 1, &prior));
    ASSERT_OK(tvgp_policy_set_prior_mean(two.twin, 1, &linked));
    for (int t = 0; t < STEPS; t++) {
        double x, y;
        tvgp_query q, other;
        ASSERT_OK(tvgp_policy_ask_one(two.policy, t, &q, &x));
        ASSERT_OK(tvgp_policy_ask_one(two.twin, t, &other, &y));
        ASSERT_NEAR(x, y, 1e-6);
        ASSERT_NEAR(q.score, exp(other.score), 1e-6);
        double m, v;
        ASSERT_OK(tvgp_policy_predict(two.twin, t, 1, &x, &m, &v));
        ASSERT_NEAR(q.noise_var, var_of(m, other.noise_var), 1e-6);
        tell(&two, &q, &other, value_at(x, t), 1 + t % 7);
    }
    if (where != NAMES)
        compare_predictions(&two, STEPS);
    ASSERT_NEAR(harness_stat(two.policy, "mean"), exp(harness_stat(two.twin, "mean")), 1e-9);
}

/* Central differences of the predictions. */
TEST(gradients_of_numbers_that_are_shown) {
    const pair two = make_pair(BOX, "lognormal", "sense=min");
    const double h = 1e-5;
    for (int t = 0; t < 20; t++) {
        double x;
        tvgp_query q = harness_ask_at(two.policy, t, &x);
        ASSERT_OK(tvgp_policy_tell_value(two.policy, q.id, exp(value_at(x, t))));
    }
    for (double x = 0.1; x < 1; x += 0.2) {
        const double near[] = {x - h, x + h};
        double mean, var, dmean, dvar, m[2], v[2];
        ASSERT_OK(harness_gradients(two.policy, 20, 1, &x, &mean, &var, &dmean, &dvar));
        ASSERT_OK(tvgp_policy_predict(two.policy, 20, 2, near, m, v));
        ASSERT_NEAR(dmean, (m[1] - m[0]) / (2 * h), 1e-5);
        ASSERT_NEAR(dvar, (v[1] - v[0]) / (2 * h), 1e-5);
    }
}

/* A noise variance w of y is ln(1 + w / y^2). */
TEST(noise_of_an_outcome) {
    const pair two = make_pair(LINE, "lognormal", "");
    for (int t = 0; t < 10; t++) {
        double x;
        tvgp_query q, other;
        ASSERT_OK(tvgp_policy_ask_one(two.policy, t, &q, &x));
        ASSERT_OK(tvgp_policy_ask_one(two.twin, t, &other, NULL));
        tvgp_obs obs = tvgp_obs_value(q.id, exp(value_at(x, t))), log_obs = tvgp_obs_value(other.id, value_at(x, t));
        obs.flags = log_obs.flags = TVGP_OBS_HAS_NOISE;
        obs.noise_var = t;
        log_obs.noise_var = log1p(t / (obs.y * obs.y));
        ASSERT_OK(tvgp_policy_tell(two.policy, 1, &obs, NULL));
        ASSERT_OK(tvgp_policy_tell(two.twin, 1, &log_obs, NULL));
    }
    compare_predictions(&two, 10);
}

/* ---- costs in the unit of the reward ------------------------------------------------------------------------------ */

/* The plain loop: the arm of the best score less what leaving costs. */
TEST_EACH(moving_costs_the_same_unit, 2) {
    static const char *const options[] = {"sense=max switch.cost=0.3", "sense=min switch.cost=0.3 switch.distance_cost=0.2"};
    char text[200];
    snprintf(text, sizeof text, "outcome.type=lognormal %s", options[_i]);
    tvgp_policy *p = make(_i < 2 ? LINE : NAMES, text);
    const double sign = _i ? -1 : 1, way = _i ? 0.2 : 0, X[ARMS] = {0, 0.25, 0.5, 0.75, 1};
    int64_t last = -1;
    int moved = 0;
    for (int t = 0; t < STEPS; t++) {
        double score[ARMS], best = -INFINITY;
        int64_t want = -1;
        ASSERT_OK(harness_scores(p, t, ARMS, X, score, NULL, NULL));
        for (int64_t a = 0; a < ARMS; a++) {
            const double net = sign * score[a] - (last >= 0 && a != last ? 0.3 + way * fabs(X[a] - X[last]) : 0);
            want = net > best ? a : want;
            best = fmax(best, net);
        }
        tvgp_query q = harness_ask(p, t);
        ck_assert_int_eq(q.arm, want);
        ASSERT_NEAR(q.score, score[want], 1e-9);
        moved += last >= 0 && q.arm != last;
        last = q.arm;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, exp(3 * value_at(X[q.arm], 3 * t))));
    }
    ck_assert_int_gt(moved, 2);
}

/* ---- constraints --------------------------------------------------------------------------------------------------- */

/* The risk of a limit on y with a lognormal model is that of its logarithm. */
TEST_EACH(limits_have_a_type_of_their_own, 2) {
    const uint32_t flags = TVGP_AT_MOST | (_i ? TVGP_OF_MEAN : 0);
    const pair two = make_pair(LINE, "lognormal", "");
    tvgp_policy *reward = make(LINE, ""), *other = make(LINE, "");
    const double X[ARMS] = {0, 0.25, 0.5, 0.75, 1}, limit = 1.3;
    double risk[2][ARMS];
    ASSERT_OK(tvgp_policy_add_constraint(reward, two.policy, flags, limit));
    ASSERT_OK(tvgp_policy_add_constraint(other, two.twin, flags, log(limit)));
    ASSERT_OK(tvgp_policy_set_safe(reward, 1, X));
    ASSERT_OK(tvgp_policy_set_safe(other, 1, X));
    for (int t = 0; t < 30; t++) {
        tvgp_query q, r;
        ASSERT_OK(tvgp_policy_ask_one(reward, t, &q, NULL));
        ASSERT_OK(tvgp_policy_ask_one(other, t, &r, NULL));
        ck_assert_int_eq(q.arm, r.arm);
        ASSERT_NEAR(q.risk, r.risk, 1e-9);
        const double z = value_at(X[q.arm], 0), values[] = {X[q.arm], exp(z)}, logs[] = {X[q.arm], z};
        ASSERT_OK(tvgp_policy_tell_values(reward, q.id, 2, values));
        ASSERT_OK(tvgp_policy_tell_values(other, r.id, 2, logs));
    }
    ASSERT_OK(harness_risks(reward, 30, ARMS, X, risk[0]));
    ASSERT_OK(harness_risks(other, 30, ARMS, X, risk[1]));
    ASSERT_ALL_NEAR(ARMS, risk[0], risk[1], 1e-9);
}

/* ---- history, copies ------------------------------------------------------------------------------------------------ */

TEST(learns_a_table_of_outcomes) {
    enum { ROWS = 90 };
    double table[2][ROWS * ARMS], mean[2][ARMS];
    const pair two = make_pair(NAMES, "lognormal", "sense=min");
    struct rnd r = {7};
    for (size_t i = 0; i < ROWS * ARMS; i++) {
        table[1][i] = (double)(i % ARMS) * 0.3 + 0.5 * sin((double)(i / ARMS) * 0.3) + 0.2 * rnd_normal(&r);
        table[0][i] = exp(table[1][i]);
    }
    ASSERT_OK(tvgp_policy_learn_history_table(two.policy, ROWS, NULL, table[0]));
    ASSERT_OK(tvgp_policy_learn_history_table(two.twin, ROWS, NULL, table[1]));
    ASSERT_OK(tvgp_policy_prior_mean(two.policy, 3, ARMS, mean[0]));
    ASSERT_OK(tvgp_policy_prior_mean(two.twin, 3, ARMS, mean[1]));
    for (size_t a = 0; a < ARMS; a++)
        ASSERT_NEAR(mean[0][a], exp(mean[1][a]), 1e-9);
    for (int t = 0; t < 40; t++) {
        const tvgp_query q = harness_ask(two.policy, t), other = harness_ask(two.twin, t);
        ck_assert_int_eq(q.arm, other.arm);
        tell(&two, &q, &other, table[1][(size_t)t * ARMS + (size_t)q.arm], 1);
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------------------ */

TEST(refuses_by_name_and_value) {
    tvgp_policy *p = make(NAMES, "outcome.type=ratio"), *log_p = make(NAMES, "outcome.type=lognormal"),
                *plain = make(NAMES, "");
    const double mean[ARMS] = {1, 1, -2, 1, 1};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_prior_mean(p, ARMS, mean), "mean[2]", "-2", "ratio");
    tvgp_query q = harness_ask(p, 0);
    tvgp_obs obs = tvgp_obs_value(q.id, 3);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0]", "reference");
    obs = tvgp_obs_ratio(q.id, -3, 2);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].y", "-3", "> 0");
    obs = tvgp_obs_ratio(q.id, 3, 0);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].reference", "0", "> 0");
    obs = tvgp_obs_ratio(q.id, 3, NAN);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_tell(p, 1, &obs, NULL), "obs[0].reference");
    obs = tvgp_obs_ratio(q.id, 3, 2);
    ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    q = harness_ask(log_p, 0);
    obs = tvgp_obs_ratio(q.id, 3, 2);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(log_p, 1, &obs, NULL), "reference (8)", "lognormal");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell_value(log_p, q.id, 0), "obs[0].y", "> 0");
    ASSERT_OK(tvgp_policy_tell(log_p, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_FAILED}, NULL));
    q = harness_ask(plain, 0);
    obs = tvgp_obs_ratio(q.id, 3, 2);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(plain, 1, &obs, NULL), "reference (8)", "normal");
}

TEST(the_type_comes_before_a_mean) {
    tvgp_policy *p = make(NAMES, ""), *q = make(BOX, "outcome.type=lognormal");
    const double mean = 2, X[] = {0.5};
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &mean));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_str(p, "outcome.type", "lognormal"), "outcome.type", "prior mean");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_candidates(q, 1, X, &mean), "lognormal", "candidates");
}

HARNESS_MAIN("outcome_types")
