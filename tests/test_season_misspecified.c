/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb in robust mode, with a season, against the reference of the policy on arms x phases: at whole times
 * a period of four has four phases, so that a function that repeats is one over pairs that stands still. */
#include "cases.h"
#include "model/kalman_mixture.h"
#include "policy/ucb/ucb.h"
#include "ref/ref_auto.h"

#include <math.h>

enum { ARMS = 6, PERIOD = 4, PAIRS = ARMS * PERIOD, STEPS = 120 };
static const double NOISE = 0.05, LENGTH = 0.4;

static double X[ARMS], plain[PAIRS * PAIRS], seasonal[PAIRS * PAIRS];
static const double zero[PAIRS];

/* Pair (arm, phase) is arm * PERIOD + phase. */
static void fill_kernels(void) {
    for (int i = 0; i < PAIRS; i++)
        for (int j = 0; j < PAIRS; j++) {
            const double away = (X[i / PERIOD] - X[j / PERIOD]) / LENGTH;
            const double s = sin(3.14159265358979323846 * (i - j) / PERIOD);
            plain[i * PAIRS + j] = exp(-0.5 * away * away);
            seasonal[i * PAIRS + j] = plain[i * PAIRS + j] * exp(-2 * s * s);
        }
}

static tvgp_policy *open_policy(void) {
    for (size_t i = 0; i < ARMS; i++)
        X[i] = 0.2 * (double)i;
    tvgp_kernel *kernel = harness_se(1, 1, &LENGTH);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_arms(ARMS, 1, X), kernel);
    ASSERT_OK(tvgp_policy_set(
        policy,
        "noise=0.05 model.assume_misspecified=1 mixture.switching_probability=0 changepoint.hazard=0 season.period=4"));
    return policy;
}

/* The filters of model.assume_misspecified=1 with a season, in their order. */
static void open_reference(struct ref_auto *r) {
    static const double levels[] = {0.01, 1, 10}, forgets[] = {0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 1};
    static const double smooth[] = {0.01, 0.03, 0.1}, kept[] = {1, 0.9, 0.5};
    *r = (struct ref_auto){.n = PAIRS, .noise = NOISE, .jump = 0.02, .scale = 1};
    for (size_t l = 0; l < 3; l++) {
        for (size_t i = 0; i < 8; i++)
            ref_auto_add(r, 1, forgets[i], plain, zero, levels[l], 0.25);
        for (size_t i = 0; i < 3; i++)
            ref_auto_add(r, 2, smooth[i], plain, zero, levels[l], 0.25);
        for (size_t i = 0; i < 3; i++)
            ref_auto_add(r, 1, 1 - pow(kept[i], 2.0 / PERIOD), seasonal, zero, levels[l], 0.25);
    }
}

static void assert_same(tvgp_policy *policy, const struct ref_auto *r, int t) {
    const tvgp__kalman_mixture *b = (const tvgp__kalman_mixture *)((const tvgp__ucb *)policy->state)->posterior;
    double mean[ARMS], var[ARMS];
    ASSERT_OK(tvgp_policy_predict(policy, t, ARMS, X, mean, var));
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(mean[i], r->mean[i * PERIOD + (size_t)t % PERIOD], 1e-9);
        ASSERT_NEAR(var[i], r->var[i * PERIOD + (size_t)t % PERIOD], 1e-9);
    }
    ck_assert_uint_eq(b->J, r->J);
    for (size_t j = 0; j < b->J; j++) {
        ASSERT_NEAR(b->weight[j], r->weight[j], 1e-9);
        ASSERT_NEAR(b->member[j].b / b->member[j].a, r->filter[j].b / r->filter[j].a, 1e-9);
        ASSERT_NEAR(b->set.filter[j].k, r->filter[j].m[REF_AUTO_K], 1e-9);
        ASSERT_NEAR(b->member[j].stayed, r->filter[j].stayed, 1e-9);
    }
}

TEST(a_doubted_season_is_a_bank_on_arms_and_phases) {
    static struct ref_auto r;
    struct rnd rnd = {9};
    int newest = 0;
    tvgp_policy *policy = open_policy();
    fill_kernels();
    open_reference(&r);
    for (int step = 0, t = 1; step < STEPS; step++, t += 1 + (step % 5 == 0)) {
        const tvgp_query q = harness_ask(policy, t);
        const size_t arm = (size_t)q.arm, pair = arm * PERIOD + (size_t)t % PERIOD;
        ref_auto_ask(&r, newest ? t - newest : 0);
        if (step)
            assert_same(policy, &r, t);
        const double y =
            2 + (1 + X[arm]) * sin(1.5707963267948966 * t + 3 * X[arm]) + 0.1 * rnd_normal(&rnd) + (step % 40 == 39);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        ref_auto_tell(&r, pair, y, newest ? t - newest : 1);
        newest = t;
    }
    double season = 0;
    for (size_t j = 0; j < r.J; j++)
        season += j % 14 >= 11 ? r.weight[j] : 0;
    ck_assert_double_gt(season, 0.5); /* they are what is compared */
}

HARNESS_MAIN("season_doubt")
