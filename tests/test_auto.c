/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb against the same algorithm in plain loops, and the parts of it that other policies have. */
#include "cases.h"
#include "ref/ref_auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = REF_AUTO_ARMS, STEPS = 200 };

static const double eps[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 1};
static const double lam[] = {0.003, 0.01, 0.03, 0.1, 0.3};
static const struct ref_kernel kernels[] = {{.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.25, 0.25}},
                                            {.kind = REF_MATERN32, .dim = 2, .variance = 1.5, .l = {0.5, 0.5}},
                                            {.kind = REF_SE, .dim = 2, .variance = 0.7, .l = {0.1, 0.1}}};
static double X[ARMS * 2], K[3][ARMS * ARMS], mu[3][ARMS], own_mean[ARMS];

static const struct scene {
    int matern, scale;
    size_t priors; /* 0: the policy's own kernel */
    double unit;
    const char *doubts; /* options; NULL: none */
    size_t levels;
    double level[3], constant, jump, offset;
} scenes[] = {{0, 0, 0, 1, NULL, 1, {1}, 0, 0, 0},
              {1, 0, 0, 1, NULL, 1, {1}, 0, 0, 0},
              {1, 1, 0, 20, NULL, 1, {1}, 0, 0, 0},
              {0, 0, 3, 1, NULL, 1, {1}, 0, 0, 0},
              {1, 1, 2, 1, NULL, 1, {1}, 0, 0, 0},
              {1, 0, 0, 1, "offset.variance=0.5", 1, {1}, 0.5, 0, 2},
              {1, 0, 0, 1, "noise.factors=0.1,3", 2, {0.1, 3}, 0, 0, 0},
              {1, 1, 0, 3, "model.assume_misspecified=1", 3, {0.01, 1, 10}, 0.25, 0.02, 2},
              {1, 1, 2, 1, "model.assume_misspecified=1 noise.factors=4,.5", 2, {4, 0.5}, 0.25, 0.02, -1}};

static tvgp_policy *policy;
static struct ref_auto reference;

static void create(const char *name) {
    rnd_fill(&(struct rnd){5}, ARMS * 2, X);
    tvgp_domain *domain = harness_arms(ARMS, 2, X);
    policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, MAKE_KERNEL(cases_kernel, ctx, &kernels[0]));
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", 0.02));
}

static void open_scene(const struct scene *s) {
    const size_t doubts = s->doubts && strncmp(s->doubts, "model", 5) == 0;
    create("auto-gp-ucb");
    if (!doubts) {
        ASSERT_OK(tvgp_policy_set_str(policy, "drift.models", s->matern ? "ou+matern" : "ou"));
        ASSERT_OK(tvgp_policy_set_i64(policy, "scale.learn", s->scale));
    }
    for (size_t i = 0; i < ARMS; i++)
        own_mean[i] = 0.1 * (double)(i % 3);
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, ARMS, own_mean));
    ASSERT_OK(tvgp_policy_set(policy, s->doubts ? s->doubts : ""));
    ASSERT_OK(tvgp_policy_set(policy, "rank.tolerance=0"));
    const int named = s->doubts && strstr(s->doubts, "changepoint.hazard=");
    reference = (struct ref_auto){
        .n = ARMS, .noise = 0.02, .alpha = 0.01, .hazard = 0.005, .jump = s->jump, .scale = s->scale, .learned = !named};
    for (size_t p = 0; p < (s->priors ? s->priors : 1); p++) {
        double constant = 0;
        for (size_t i = 0; i < ARMS; i++) {
            mu[p][i] = p == 1 ? 0.3 * sin(5 * X[2 * i]) : 0;
            for (size_t j = 0; j < ARMS; j++)
                K[p][i * ARMS + j] = ref_kernel(&kernels[p], X + 2 * i, X + 2 * j);
            constant += s->constant * K[p][i * ARMS + i] / ARMS;
        }
        if (s->priors) {
            double mean[ARMS];
            for (size_t i = 0; i < ARMS; i++)
                mean[i] = own_mean[i] + mu[p][i];
            tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &kernels[p]);
            ASSERT_OK(tvgp_policy_add_prior(policy, kernel, p == 1 ? ARMS : 0, p == 1 ? mean : NULL, 0));
        }
        for (size_t i = 0; i < s->levels; i++) {
            for (size_t j = 0; j < sizeof eps / sizeof *eps; j++)
                if (j != 1 || !doubts)
                    ref_auto_add(&reference, 1, eps[j], K[p], mu[p], s->level[i], constant);
            for (size_t j = doubts; s->matern && j < sizeof lam / sizeof *lam - doubts; j++)
                ref_auto_add(&reference, 2, lam[j], K[p], mu[p], s->level[i], constant);
        }
    }
}

/* The unknown: still, drifting, still, and abruptly changed twice. */
static double truth(size_t arm, size_t step) {
    double phase = step < 60 ? 0 : step < 100 ? 0.1 * (double)(step - 60) : 4;
    if (step >= 130)
        phase += step >= 165 ? 33 : 17;
    return 1.5 * sin(3 * X[2 * arm] + phase) * cos(4 * X[2 * arm + 1] + 2 * phase);
}

static void assert_agrees(void) {
    for (size_t j = 0; j < reference.J; j++) {
        char key[32];
        snprintf(key, sizeof key, "weight.%zu", j);
        ck_assert_double_eq_tol(harness_stat(policy, key), reference.weight[j], 1e-9);
    }
    ck_assert_double_eq_tol(harness_stat(policy, "changepoint.weight"),
                            reference.slot_on ? reference.weight[reference.J] : 0, 1e-9);
    double constant = 0, jumped = 0;
    for (size_t j = 0; j < reference.J + (size_t)reference.slot_on; j++) {
        constant += reference.weight[j] * reference.filter[j].m[REF_AUTO_K];
        jumped += reference.weight[j] * (1 - reference.filter[j].stayed);
    }
    ASSERT_NEAR(harness_stat(policy, "offset"), constant, 1e-9);
    if (reference.observations)
        ASSERT_NEAR(harness_stat(policy, "arm_change.posterior"), jumped, 1e-9);
    ck_assert_double_eq(harness_stat(policy, "resets"), (double)reference.resets);
    ASSERT_NEAR(harness_stat(policy, "width"), reference.width, 1e-9);
}

/* Irregular times, skipped outcomes, arms that are added and removed; every arm of the score, every weight, every reset. */
TEST_EACH(equals_plain_loops, sizeof scenes / sizeof *scenes) {
    static const double steps[] = {0, 0.5, 1, 1, 1, 2.3};
    const struct scene *s = &scenes[_i];
    struct rnd rnd = {41};
    double t = 10, newest = 9, mean[ARMS], var[ARMS];
    uint8_t mask[ARMS];
    open_scene(s);
    for (size_t step = 0; step < STEPS; step++) {
        double dt = step ? steps[rnd_below(&rnd, 6)] : 0;
        size_t best = ARMS;
        t += dt;
        for (size_t i = 0; i < ARMS; i++)
            mask[i] = rnd_uniform(&rnd) < 0.8;
        mask[step % ARMS] = 1;
        ASSERT_OK(tvgp_policy_set_available(policy, ARMS, mask));
        ref_auto_ask(&reference, dt);
        double highest = -INFINITY;
        for (size_t i = 0; i < ARMS; i++) {
            double score = own_mean[i] + reference.mean[i] + reference.width * sqrt(fmax(reference.var[i], 0));
            if (mask[i] && score > highest + 1e-12 * fabs(highest == -INFINITY ? 0 : highest)) {
                highest = score;
                best = i;
            }
        }
        tvgp_query q = harness_ask(policy, t);
        ck_assert_int_eq(q.arm, (int64_t)best);
        ASSERT_NEAR(q.score, highest, 1e-9);
        assert_agrees();
        if (step % 20 == 0) {
            ASSERT_OK(tvgp_policy_predict(policy, t, ARMS, X, mean, var));
            for (size_t i = 0; i < ARMS; i++) {
                ASSERT_NEAR(mean[i], own_mean[i] + reference.mean[i], 1e-9);
                ASSERT_NEAR(var[i], reference.var[i], 1e-9);
            }
        }
        if (step % 13 == 12) {
            ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_SKIPPED}, NULL));
            continue;
        }
        double y = own_mean[best] + s->offset + s->unit * (truth(best, step) + sqrt(0.02) * rnd_normal(&rnd));
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        ref_auto_tell(&reference, best, y - own_mean[best], t - newest);
        newest = t;
    }
    ck_assert_uint_ge(reference.resets, 1);
    ck_assert_uint_ge(reference.recycled, STEPS);
}

/* What the statistics say after an abrupt change, and what becomes of outcomes that were asked before it. */
TEST(redraws_are_dated) {
    tvgp_query q, late = {0};
    create("auto-gp-ucb");
    for (double t = 1; t < 100; t++) {
        ASSERT_OK(tvgp_policy_ask_one(policy, t, &q, NULL));
        if (t == 58)
            late = q;
        else
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, (t < 60 ? 1 : -1) * sin(9 * X[2 * q.arm])));
        if (t == 59) {
            ck_assert_double_eq(harness_stat(policy, "resets"), 0);
            ck_assert_double_gt(harness_stat(policy, "half_life"), 1000);
            ck_assert_double_eq(harness_stat(policy, "changepoint.last_reset"), -INFINITY);
        }
    }
    ck_assert_double_eq(harness_stat(policy, "resets"), 1);
    ck_assert_double_eq(harness_stat(policy, "changepoint.last_reset"), 60);
    ck_assert_double_eq(harness_stat(policy, "reset.step"), 59);
    ck_assert_double_ge(harness_stat(policy, "reset.time"), 61);
    ck_assert_double_eq(harness_stat(policy, "scale"), 1);
    ASSERT_OK(tvgp_policy_tell_value(policy, late.id, 100));
    ck_assert_double_eq(harness_stat(policy, "ignored"), 1);
}

TEST(priors_are_fixed_at_the_start) {
    double x[2] = {0.123, 0.456}, mean, var;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &kernels[1]);
    create("auto-gp-ucb");
    ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0));
    ASSERT_OK(tvgp_policy_predict(policy, 1, 1, x, &mean, &var)); /* one prior: between the arms too */
    ASSERT_NEAR(var, 1.5, 1e-12);
    tvgp_query q = harness_ask(policy, 1);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_prior(policy, kernel, 0, NULL, 0), "priors");
    tvgp_policy_destroy(policy);
    create("auto-gp-ucb");
    ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0));
    ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0));
    ASSERT_OK(tvgp_policy_ask_one(policy, 1, &q, NULL));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_predict(policy, 1, 1, x, &mean, &var), "not an arm");
}

/* Every statistic is a number: without a slot, and with one that outweighs the filters by more than a double can say. */
TEST_EACH(statistics_are_numbers, 8) {
    static const char *const keys[] = {"scale",           "rate", "half_life", "filters", "changepoint.weight", "width",
                                       "information_gain"};
    create("auto-gp-ucb");
    ASSERT_OK(tvgp_policy_set_i64(policy, "scale.learn", _i & 1));
    ASSERT_OK(tvgp_policy_set_f64(policy, "changepoint.hazard", _i & 2 ? 0 : 0.005));
    ASSERT_OK(tvgp_policy_set_f64(policy, "mixture.switching_probability",
                                  _i & 4 ? 0.01 : 0)); /* with it filters take the slot's place */
    for (double t = 1; t <= 40; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, t == 30 ? 1e6 : 0.1 * sin(t)));
        if (t ==
            30) /* once more from the same arm: nothing but an abrupt change explains it, and no other arm confirms it */
            ASSERT_OK(
                tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = 1e6, .flags = TVGP_OBS_HAS_TIME, .t = t + 0.5}, X + 2 * q.arm));
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            ck_assert_msg(!isnan(harness_stat(policy, keys[i])), "%s at t = %g", keys[i], t);
        ck_assert(harness_stat(policy, "rate") <= 1 && harness_stat(policy, "rate") >= 0);
        ck_assert(harness_stat(policy, "filters") <= 14.0001 && harness_stat(policy, "filters") >= 0.9999);
        if (t == 30 && _i == 0)
            ck_assert_double_eq(harness_stat(policy, "changepoint.weight"), 1);
    }
}

/* tv-gp-ucb: drift models, their rates, and the exploration coefficient. */
TEST(laws_of_tv_gp_ucb) {
    static const struct {
        const char *law;
        double epsilon, rate, want; /* epsilon the width sees */
    } rows[] = {{"forgetting", 0.03, 0, 0.03},
                {"forgetting", 0.03, 0.2, 0.2},
                {"matern32", 0.03, 0, 0.03},
                {"matern32", 0.03, 0.1, 0.0825},
                {"matern32", 0.03, 4, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tvgp_query q;
        create("tv-gp-ucb");
        ASSERT_OK(tvgp_policy_set_str(policy, "time.kernel", rows[i].law));
        ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", rows[i].epsilon));
        ASSERT_OK(tvgp_policy_set_f64(policy, "time.rate", rows[i].rate));
        ASSERT_OK(tvgp_policy_set_str(policy, "width.schedule", "rate"));
        for (int t = 0; t < 7; t++) {
            ASSERT_OK(tvgp_policy_ask_one(policy, t, &q, NULL));
            ASSERT_NEAR(harness_stat(policy, "width"), sqrt(0.8 + 0.5 * log(1 / (rows[i].want + 1.0 / (t + 101)))), 1e-12);
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 0.5));
        }
    }
    create("tv-gp-ucb");
    tvgp_query q;
    ASSERT_OK(tvgp_policy_set_f64(policy, "time.rate", 1));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 1, &q, NULL), "time.rate", "[0, 1)");
}

HARNESS_MAIN("auto-gp-ucb")
