/* SPDX-License-Identifier: MIT */
/* What new users do wrong first. Each ends in a good result, or in a message or a statistic that names the remedy. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 21, STEPS = 400 };

static char logged[8192]; /* the lines since the setup, as many as there is room for */

static void keep(void *user, const char *message) {
    (void)user;
    if (strlen(logged) + strlen(message) + 2 > sizeof logged)
        return;
    strcat(logged, message);
    strcat(logged, "\n");
}

static void setup(void) {
    harness_setup();
    logged[0] = '\0';
    ASSERT_OK(tvgp_ctx_set_logger(ctx, keep, NULL, NULL));
}

static void assert_logged(const char *says) {
    ck_assert_msg(strstr(logged, says) != NULL, "'%s' was not logged: %s", says, logged);
}

/* lengthscale 0: nothing is given. */
static tvgp_policy *create(const char *name, double lengthscale, const char *options) {
    tvgp_kernel *kernel = NULL;
    tvgp_domain *domain = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){ARMS});
    if (lengthscale > 0)
        kernel = harness_se(1, 1, &lengthscale);
    return harness_create(name, domain, kernel, options);
}

/* Values between 0 and 1 with a peak that wanders. */
static double truth(double x, double t) {
    const double away = (x - 0.5 - 0.35 * sin(0.02 * t)) / 0.2;
    return exp(-0.5 * away * away);
}

/* Regret per step, in units of the peak's height, when the rewards told are offset + unit * value + noise and time is `tick` a
 * step. Playing at random has about 0.58. */
static double play(tvgp_policy *policy, double offset, double unit, double tick) {
    struct rnd r = {7};
    double regret = 0;
    for (int t = 1; t <= STEPS; t++) {
        double x;
        tvgp_query q = harness_ask_at(policy, t * tick, &x);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, offset + unit * (truth(x, t) + 0.1 * rnd_normal(&r))));
        regret += (1 - truth(x, t)) / STEPS;
    }
    return regret;
}

static double play_once(const char *name, double lengthscale, const char *options, double offset, double unit, double tick) {
    tvgp_policy *policy = create(name, lengthscale, options);
    const double regret = play(policy, offset, unit, tick);
    return regret;
}

/* Rewards around 200: learned when nothing is given; with a kernel around 0, statistic and log say so, and set_prior_mean
 * mends it. */
TEST(rewards_far_from_zero) {
    ck_assert_double_lt(play_once("auto-gp-ucb", 0, "", 200, 1, 1), 0.15);
    ck_assert_double_lt(play_once("tv-gp-ucb", 0, "", 200, 1, 1), 0.25);
    tvgp_policy *policy = create("tv-gp-ucb", 0.2, "half_life=60");
    play(policy, 200, 1, 1);
    ck_assert_double_gt(harness_stat(policy, "surprise"), 2);
    assert_logged("surprise");
    assert_logged("without a kernel, or with fit=map, they are learned");
    policy = create("tv-gp-ucb", 0.2, "half_life=60");
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 1, (const double[]){200}));
    ck_assert_double_lt(play(policy, 200, 1, 1), 0.25);
}

/* Rewards in hundredths or in hundreds: the same arms when the scale is learned; with a supplied scale the surprise is far from 1. */
TEST(another_unit) {
    const double one = play_once("auto-gp-ucb", 0, "", 0, 1, 1);
    ck_assert_double_lt(one, 0.15);
    ck_assert_double_lt(fabs(play_once("auto-gp-ucb", 0, "", 0, 100, 1) - one), 0.02);
    ck_assert_double_lt(fabs(play_once("auto-gp-ucb", 0, "", 0, 0.01, 1) - one), 0.02);
    tvgp_policy *policy = create("tv-gp-ucb", 0.2, "half_life=60");
    play(policy, 0, 100, 1);
    ck_assert_double_gt(harness_stat(policy, "surprise"), 25);
    assert_logged("kernel variance");
}

/* A record of zeros except id and value is the usual outcome: not exact, not at time 0. */
TEST(zeroed_record) {
    tvgp_policy *zeroed = create("tv-gp-ucb", 0.2, "half_life=60"), *usual = create("tv-gp-ucb", 0.2, "half_life=60");
    for (int t = 1; t <= 50; t++) {
        const tvgp_query q = harness_ask(zeroed, t), twin = harness_ask(usual, t);
        tvgp_obs obs;
        memset(&obs, 0, sizeof obs);
        obs.id = q.id;
        obs.y = truth((double)q.arm / (ARMS - 1), t);
        ck_assert_int_eq(q.arm, twin.arm);
        ASSERT_OK(tvgp_policy_tell(zeroed, 1, &obs, NULL));
        ASSERT_OK(tvgp_policy_tell_value(usual, twin.id, obs.y));
    }
}

/* The name swapped and nothing else: the policies that forget do forget, and those that lack their priors say so. */
TEST(name_swapped) {
    const double stuck = play_once("gp-ucb", 0.2, "", 0, 1, 1);
    ck_assert_double_gt(stuck, 0.2);
    ck_assert_double_lt(play_once("sw-gp-ucb", 0.2, "", 0, 1, 1), stuck - 0.02);
    ck_assert_double_lt(play_once("w-gp-ucb", 0.2, "", 0, 1, 1), stuck - 0.02);
    tvgp_policy *policy = create("br-gp-ucb", 0.2, "");
    play(policy, 0, 1, 1);
    ck_assert_double_gt(harness_stat(policy, "resets"), 0);
    play_once("pe-gp-ucb", 0.2, "", 0, 1, 1);
    assert_logged("tvgp_policy_add_prior");
}

/* Time in milliseconds, the rate per hour: the log says it; with default settings, the unit is found. */
TEST(unit_of_time) {
    play_once("tv-gp-ucb", 0.2, "half_life=60", 0, 1, 3.6e6);
    assert_logged("unit of t");
    ck_assert_double_lt(play_once("tv-gp-ucb", 0, "", 0, 1, 3.6e6), 0.25);
    const double steps = play_once("auto-gp-ucb", 0, "", 0, 1, 1), ticks[] = {1e-3, 0.1, 60, 1000, 3.6e6};
    ck_assert_double_lt(steps, 0.15);
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        ASSERT_NEAR(play_once("auto-gp-ucb", 0, "", 0, 1, ticks[i]) / steps, 1, 0.015);
        ASSERT_NEAR(play_once("tv-gp-ucb", 0, "", 0, 1, ticks[i]) / play_once("tv-gp-ucb", 0, "", 0, 1, 1), 1, 0.015);
    }
}

/* A lengthscale that is wrong by a factor of five: default settings are better, and the surprise shows one that is
 * too long. */
TEST(wrong_lengthscale) {
    const double learned = play_once("tv-gp-ucb", 0, "", 0, 1, 1);
    ck_assert_double_lt(learned, play_once("tv-gp-ucb", 0.04, "half_life=60", 0, 1, 1));
    tvgp_policy *policy = create("gp-ucb", 2, "noise=0.0001");
    play(policy, 0, 1, 1);
    ck_assert_double_gt(harness_stat(policy, "surprise"), 4);
}

/* The loop held wrong: an arm or an old id reported, an outcome reported twice, time that goes back, a value that is none, outcomes that are
 * never told. */
TEST(loop_held_wrong) {
    tvgp_policy *policy = create("gp-ucb", 0.2, "pending.timeout=5");
    const tvgp_query q = harness_ask(policy, 10);
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, q.arm + 100, 1), "id = ");
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, q.id, 1), "already has its outcome");
    const tvgp_obs elsewhere = tvgp_obs_unsolicited(10, 1);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(policy, 1, &elsewhere, (const double[]){0.123}), "not a point");
    for (int t = 11; t < 30; t++)
        harness_ask(policy, t);
    ck_assert_double_le(harness_stat(policy, "pending"), 6);
    ck_assert_double_ge(harness_stat(policy, "pending.timed_out"), 13);
}

/* And: costs told to a policy that maximises. The remedy is one option. */
TEST(costs_told) {
    tvgp_policy *policy = create("auto-gp-ucb", 0, "sense=min");
    struct rnd r = {7};
    double regret = 0;
    for (int t = 1; t <= STEPS; t++) {
        double x;
        tvgp_query q = harness_ask_at(policy, t, &x);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 50 - 10 * truth(x, t) + rnd_normal(&r)));
        regret += (1 - truth(x, t)) / STEPS;
    }
    ck_assert_double_lt(regret, 0.15);
}

/* And: costs told as they are where the work to be done swings by far more than what a setting does. Sums of what a policy that
 * minimises pays over 6 x 5 settings while the work grows from 1 to 240 (0), or is ten times as much from half time on (1). */
static double pay(const char *name, int jump, uint64_t seed) {
    enum { LOADED = 230 };
    const double low[] = {0, 0}, high[] = {1, 1};
    struct rnd r = {seed};
    double paid = 0;
    tvgp_policy *policy = harness_create(name, harness_grid(2, low, high, (const size_t[]){6, 5}), NULL, "sense=min");
    for (int t = 0; t < LOADED; t++) {
        const double work = jump ? (t < LOADED / 2 ? 1 : 10) : pow(240, (double)t / LOADED);
        double x[2];
        tvgp_query q = harness_ask_at(policy, t, x);
        double cost = 1 + 6 * pow(x[0] - 0.6 - 0.2 * sin(0.01 * t), 2) + 5 * pow(x[1] - 0.4, 2);
        cost += (x[0] < 0.3 ? 1.5 : 0) + (x[1] > 0.9 ? 2 : 0);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, work * cost * exp(0.1 * rnd_normal(&r))));
        paid += work * cost;
    }
    return paid;
}

/* et-gp-ucb with default settings: wherever the others learn, and where the load is not divided out, never above random by 5 %. */
TEST(forgets_no_faster_than_it_learns) {
    static const double world[][3] = {{0, 1, 1}, {200, 1, 1}, {0, 100, 1}, {0, 0.01, 1}, {0, 1, 3.6e6}};
    for (int i = 0; i < 5; i++)
        ck_assert_double_lt(play_once("et-gp-ucb", 0, "", world[i][0], world[i][1], world[i][2]),
                            1.05 * play_once("random", 0, "", world[i][0], world[i][1], world[i][2]));
    for (int jump = 0; jump < 2; jump++) {
        double random = 0, triggered = 0;
        for (uint64_t seed = 7; seed < 10; seed++) {
            random += pay("random", jump, seed);
            triggered += pay("et-gp-ucb", jump, seed);
        }
        ck_assert_msg(triggered < 1.05 * random, "%g, random %g", triggered, random);
    }
    logged[0] = '\0';
    play_once("et-gp-ucb", 0.2, "", 200, 1, 1); /* with a kernel around 0 */
    assert_logged("it forgets faster than it learns here");
    ck_assert_ptr_null(strstr(strstr(logged, "it forgets faster") + 1, "it forgets faster"));
}

int main(void) {
    return HARNESS_RUN("first mistakes", setup, harness_teardown);
}
