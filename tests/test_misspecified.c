/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb in robust mode: golden runs with every number of every filter, and invariants under any
 * outcomes. */
#include "cases.h"
#include "golden/golden_misspecified.h"
#include "model/kalman_mixture.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <string.h>

static const tvgp__kalman_mixture *bank_of(const tvgp_policy *policy) {
    return (const tvgp__kalman_mixture *)((const tvgp__ucb *)policy->state)->posterior;
}

static tvgp_policy *on_table(size_t n, const double *K, double noise, const char *options) {
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, n, K);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_indices(n), kernel);
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", noise));
    ASSERT_OK(tvgp_policy_set(policy, options));
    return policy;
}

/* ---- golden runs ------------------------------------------------------------------------------------------------- */

static void assert_ask(tvgp_policy *policy, const struct golden_misspecified_run *g,
                       const struct golden_misspecified_step *s, const tvgp_query *q) {
    double X[7], mean[7], var[7];
    ck_assert_int_eq(q->arm, s->arm);
    ASSERT_NEAR(harness_stat(policy, "width"), s->width, 1e-9);
    for (int i = 0; i < g->arms; i++)
        X[i] = i;
    ASSERT_OK(tvgp_policy_predict(policy, s->t, (size_t)g->arms, X, mean, var));
    ASSERT_ALL_NEAR((size_t)g->arms, mean, s->mean, 1e-9);
    ASSERT_ALL_NEAR((size_t)g->arms, var, s->var, 1e-9);
}

static void assert_told(const tvgp_policy *policy, const struct golden_misspecified_step *s) {
    const tvgp__kalman_mixture *b = bank_of(policy);
    ck_assert_int_eq((int)b->resets, s->resets);
    ck_assert_int_eq(b->slot_on, isfinite(s->log_weight[33]));
    for (size_t j = 0; j < b->J + (size_t)b->slot_on; j++) {
        ASSERT_NEAR(b->member[j].log_weight, s->log_weight[j], 1e-8);
        ASSERT_NEAR(b->member[j].a, s->a[j], 1e-8);
        ASSERT_NEAR(b->member[j].b, s->b[j], 1e-8);
    }
    if (b->slot_on) {
        ck_assert_int_eq((int)b->slot_arm, s->slot_arm);
        ck_assert_int_eq(b->confirmed, s->confirmed);
    }
    for (size_t j = 0; j < b->J; j++) {
        ASSERT_NEAR(b->set.filter[j].k, s->constant[j], 1e-8);
        ASSERT_NEAR(b->set.filter[j].kk, s->constant_var[j], 1e-8);
        ASSERT_NEAR(1 - b->member[j].stayed, s->jumped[j], 1e-8);
    }
}

TEST_EACH(golden_run, sizeof golden_misspecified / sizeof *golden_misspecified) {
    const struct golden_misspecified_run *g = &golden_misspecified[_i];
    size_t n = (size_t)g->arms;
    tvgp_policy *policy =
        on_table(n, g->K, g->noise, "model.assume_misspecified=1 changepoint.hazard=0.005"); /* as it was */
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, n, g->mean));
    for (int i = 0; i < g->steps; i++) {
        const struct golden_misspecified_step *s = &g->step[i];
        uint8_t mask[7];
        for (size_t arm = 0; arm < n; arm++)
            mask[arm] = (uint8_t)s->available[arm];
        ASSERT_OK(tvgp_policy_set_available(policy, n, mask));
        tvgp_query q = harness_ask(policy, s->t);
        assert_ask(policy, g, s, &q);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, s->y));
        assert_told(policy, s);
    }
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

enum { SIDE = 5, ARMS = SIDE * SIDE };

static double X[2 * ARMS];

static tvgp_policy *on_grid(const char *options) {
    const double l = 0.3;
    for (size_t i = 0; i < ARMS; i++) {
        X[2 * i] = (double)(i / SIDE) / SIDE;
        X[2 * i + 1] = (double)(i % SIDE) / SIDE;
    }
    tvgp_kernel *kernel = harness_se(2, 1, &l);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_arms(ARMS, 2, X), kernel);
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", 0.02));
    ASSERT_OK(tvgp_policy_set(policy, options));
    return policy;
}

/* Drifts, and is abruptly changed at 60. */
static double truth(size_t arm, double t) {
    double phase = 0.02 * t + (t >= 60 ? 9 : 0);
    return sin(3 * X[2 * arm] + phase) * cos(4 * X[2 * arm + 1] + 2 * phase);
}

/* An option set by name wins, whatever comes first, and without doubt nothing is different. */
TEST_EACH(options_win, 3) {
    static const char *const pairs[][2] = {
        {"", "model.assume_misspecified=0"},
        {"model.assume_misspecified=1",
         "drift.models=ou8+matern3 noise.factors=0.01,1,10 scale.learn=1 offset.variance=0.25 "
         "model.assume_misspecified=1"},
        {"model.assume_misspecified=1 drift.models=ou+matern scale.learn=0 noise.factors=1 offset.variance=0",
         "offset.variance=0 noise.factors=1 scale.learn=0 drift.models=ou+matern model.assume_misspecified=1"},
    };
    tvgp_policy *one = on_grid(pairs[_i][0]), *two = on_grid(pairs[_i][1]);
    struct rnd rnd = {3};
    for (double t = 1; t < 100; t++) {
        tvgp_query q = harness_ask(one, t), r = harness_ask(two, t);
        double y = truth((size_t)q.arm, t) + 0.14 * rnd_normal(&rnd);
        ck_assert_int_eq(q.arm, r.arm);
        ck_assert(memcmp(&q.score, &r.score, sizeof q.score) == 0);
        ASSERT_OK(tvgp_policy_tell_value(one, q.id, y));
        ASSERT_OK(tvgp_policy_tell_value(two, r.id, y));
        ck_assert(harness_stat(one, "log_marginal_likelihood") == harness_stat(two, "log_marginal_likelihood"));
    }
}

TEST(bad_levels) {
    static const char *const texts[] = {
        "", "1,", ",1", "0,1", "-1", "inf", "1;2", "1e-101", "1,one", "1e101", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"};
    tvgp_policy *policy = on_grid("");
    tvgp_query q;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ASSERT_OK(tvgp_policy_set_str(policy, "noise.factors", texts[i]));
        (void)harness_stat(policy, "rate"); /* statistics can be read all the same */
        ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 0, &q, NULL), "noise.factors", texts[i]);
    }
    ASSERT_OK(tvgp_policy_set_str(policy, "noise.factors", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"));
    ck_assert_double_eq(harness_stat(policy, "noise.factor.223"), 16);
    (void)harness_ask(policy, 0);
    ck_assert_double_eq(harness_stat(policy, "noise.factor.14"), 2);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_i64(policy, "model.assume_misspecified", 1), "fixed");
    policy = on_grid("");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(policy, "offset.variance", -1), "offset.variance", "-1");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_i64(policy, "model.assume_misspecified", 2), "model.assume_misspecified",
                 "2");
}

/* Kernel, noise and rewards in another unit: the same arms. Rewards and prior mean moved together: the same arms. */
TEST_EACH(unit_and_offset, 2) {
    double K[ARMS * ARMS], scaled[ARMS * ARMS], shift = _i ? 5 : 0, unit = _i ? 1 : 7;
    tvgp_policy_destroy(on_grid(""));
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j < ARMS; j++) {
            K[i * ARMS + j] = exp(-5 * (pow(X[2 * i] - X[2 * j], 2) + pow(X[2 * i + 1] - X[2 * j + 1], 2)));
            scaled[i * ARMS + j] = unit * unit * K[i * ARMS + j];
        }
    tvgp_policy *one = on_table(ARMS, K, 0.02, "model.assume_misspecified=1"),
                *two = on_table(ARMS, scaled, 0.02 * unit * unit, "model.assume_misspecified=1");
    struct rnd rnd = {5};
    ASSERT_OK(tvgp_policy_set_prior_mean(two, 1, &shift));
    for (double t = 1; t < 120; t++) {
        tvgp_query q = harness_ask(one, t), r = harness_ask(two, t);
        double y = truth((size_t)q.arm, t) + 0.14 * rnd_normal(&rnd);
        ck_assert_int_eq(q.arm, r.arm);
        ASSERT_NEAR(r.score, unit * q.score + shift, 1e-8);
        ASSERT_OK(tvgp_policy_tell_value(one, q.id, y));
        ASSERT_OK(tvgp_policy_tell_value(two, r.id, unit * y + shift));
    }
}

/* A policy with the outcomes of a smooth function, in another unit and with much noise: it has no query yet. */
static tvgp_policy *informed(const char *option, double unit, const double *K) {
    tvgp_policy *policy = on_table(ARMS, K, 1, option);
    struct rnd rnd = {11};
    for (int i = 0; i < 400; i++) {
        const double x = i % ARMS, y = sin(0.7 * x) + rnd_normal(&rnd);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = unit * y, .flags = TVGP_OBS_HAS_TIME, .t = 1}, &x));
    }
    return policy;
}

/* The factor learns the unit: pending queries and the information gain use the noise that includes it. */
TEST_EACH(pending_in_another_unit, 2) {
    const char *const option = _i ? "model.assume_misspecified=1" : "scale.learn=1";
    const double unit = 1e5;
    double K[ARMS * ARMS];
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j < ARMS; j++)
            K[i * ARMS + j] = exp(-0.1 * pow((double)i - (double)j, 2));
    tvgp_policy *one = informed(option, 1, K), *large = informed(option, unit, K);
    const double before = harness_stat(one, "information_gain"), large_before = harness_stat(large, "information_gain");
    tvgp_query q[6], r[6];
    for (int k = 0; k < 6; k++) {
        q[k] = harness_ask(one, 2);
        r[k] = harness_ask(large, 2);
        ck_assert_int_eq(q[k].arm, r[k].arm);
        ASSERT_NEAR(r[k].score / unit, q[k].score, 0.01);
        ASSERT_NEAR(r[k].noise_var / (unit * unit) / q[k].noise_var, 1, 0.05);
        ck_assert(q[k].noise_var > 0.7 && q[k].noise_var < 1.4); /* of 1, which was given */
    }
    for (int k = 0; k < 6; k++) {
        ASSERT_OK(tvgp_policy_tell_value(one, q[k].id, 1));
        ASSERT_OK(tvgp_policy_tell_value(large, r[k].id, unit));
    }
    const double gain = harness_stat(one, "information_gain") - before;
    ASSERT_NEAR((harness_stat(large, "information_gain") - large_before) / gain, 1, 0.05);
}

static tvgp_policy *informed_on_box(const char *option, double unit) {
    const double lower = 0, upper = 1, l = .2;
    struct rnd rnd = {11};
    tvgp_kernel *kernel = harness_se(1, 1, &l);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_box(1, &lower, &upper), kernel);
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", 1));
    ASSERT_OK(tvgp_policy_set(policy, option));
    for (int i = 0; i < 200; i++) {
        const double x = (i % 20) / 20.0, y = sin(7 * x) + rnd_normal(&rnd);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.y = unit * y, .flags = TVGP_OBS_HAS_TIME, .t = 1}, &x));
    }
    return policy;
}

/* The same on a box. */
TEST_EACH(pending_in_another_unit_on_box, 2) {
    const char *const option = _i ? "model.assume_misspecified=1" : "scale.learn=1";
    const double unit = 1e5;
    tvgp_policy *one = informed_on_box(option, 1), *large = informed_on_box(option, unit);
    for (int k = 0; k < 6; k++) {
        double x, z;
        tvgp_query q, r;
        ASSERT_OK(tvgp_policy_ask_one(one, 2, &q, &x));
        ASSERT_OK(tvgp_policy_ask_one(large, 2, &r, &z));
        ASSERT_NEAR(z, x, 0.01);
        ASSERT_NEAR(r.score / unit, q.score, 0.02);
        ASSERT_NEAR(r.noise_var / (unit * unit) / q.noise_var, 1, 0.05);
        ck_assert(q.noise_var > 0.7 && q.noise_var < 1.4);
    }
}

/* The risk that a measured output breaks a constraint counts the noise with the factor of its model. */
TEST_EACH(risk_in_another_unit, 2) {
    const char *const option = _i ? "model.assume_misspecified=1" : "scale.learn=1";
    double K[ARMS * ARMS], risk[2][ARMS];
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j < ARMS; j++)
            K[i * ARMS + j] = exp(-0.1 * pow((double)i - (double)j, 2));
    for (int k = 0; k < 2; k++) {
        const double unit = k ? 1e5 : 1;
        tvgp_policy *p = on_table(ARMS, K, 1, ""), *model = informed(option, unit, K);
        ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 2 * unit));
        ASSERT_OK(harness_risks(p, 1, ARMS, NULL, risk[k]));
    }
    ASSERT_ALL_NEAR(ARMS, risk[1], risk[0], 0.01);
}

/* Without resets and copies the constant is only ever known better; one of almost no variance is none. */
TEST(constant) {
    double before[64];
    tvgp_policy *policy = on_grid("model.assume_misspecified=1 mixture.switching_probability=0 changepoint.hazard=0"),
                *none = on_grid("model.assume_misspecified=1 offset.variance=0"),
                *tiny = on_grid("model.assume_misspecified=1 offset.variance=1e-13");
    for (double t = 1; t < 150; t++) {
        tvgp_query q = harness_ask(policy, t);
        const tvgp__kalman_mixture *b = bank_of(policy);
        for (size_t j = 0; j < b->J; j++)
            before[j] = b->set.filter[j].kk;
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 5 + truth((size_t)q.arm, t)));
        for (size_t j = 0; j < b->J; j++)
            ck_assert(b->set.filter[j].kk <= before[j] && b->set.filter[j].kk > 0);
        tvgp_query r = harness_ask(none, t), s = harness_ask(tiny, t);
        ck_assert_int_eq(r.arm, s.arm);
        ASSERT_OK(tvgp_policy_tell_value(none, r.id, truth((size_t)r.arm, t)));
        ASSERT_OK(tvgp_policy_tell_value(tiny, s.id, truth((size_t)s.arm, t)));
        ASSERT_SAME_PREDICTIONS(tiny, none, t, ARMS, X, 1e-8);
    }
    ck_assert_double_gt(harness_stat(policy, "offset"), 2);
}

/* Log density of y by Student's t with 2 a degrees of freedom. */
static double student(double y, double mean, double S, double a, double b) {
    double e = y - mean;
    return lgamma(a + 0.5) - lgamma(a) - 0.5 * log(2 * 3.14159265358979323846 * b * S) -
           (a + 0.5) * log(1 + e * e / (2 * b * S));
}

/* Without copies and abrupt changes the marginal likelihood is the product of the mixture's predictive densities. */
TEST(evidence) {
    tvgp_policy *policy = on_grid("drift.models=ou8+matern3 scale.learn=1 noise.factors=0.01,1,10 offset.variance=0.25 "
                                  "mixture.switching_probability=0 changepoint.hazard=0");
    double want = 0;
    for (double t = 1; t < 80; t++) {
        tvgp_query q = harness_ask(policy, t);
        const tvgp__kalman_mixture *b = bank_of(policy);
        double y = truth((size_t)q.arm, t), sum = 0;
        for (size_t j = 0; j < b->J; j++) {
            const tvgp__kalman_filter *f = &b->set.filter[j], *state = tvgp__kalman_filter_state(f);
            double v = state->var[q.arm] + 2 * state->fk[q.arm] + f->kk + 0.02 * f->level;
            sum += b->weight[j] * exp(student(y, state->mean[q.arm] + f->k, v, b->member[j].a, b->member[j].b));
        }
        want += log(sum);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        ASSERT_NEAR(harness_stat(policy, "log_marginal_likelihood"), want, 1e-10);
    }
}

/* Long runs: covariances kept over the arms are those of the cores, variances do not fall below 0, memory stays from where the
 * unit of time is final and the outcomes that were kept for it are gone. */
TEST_EACH(long_run, 2) {
    enum { FINAL = TVGP__MEDIAN_GAP_MANY };
    const size_t steps = !_i ? 20000 : harness_all() ? 100000 : 30000;
    tvgp_policy *policy = on_grid(_i ? "model.assume_misspecified=1" : "");
    struct rnd rnd = {7};
    double column[ARMS];
    size_t bytes = 0, now;
    for (size_t step = 0; step < steps; step++) {
        tvgp_query q = harness_ask(policy, (double)step);
        double y = step % 4000 == 3999 ? 30 : truth((size_t)q.arm, 0.3 * (double)step) + 0.14 * rnd_normal(&rnd);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        ASSERT_OK(tvgp_ctx_memory(ctx, &now));
        if (step == FINAL)
            bytes = now;
        ck_assert(step <= FINAL || now == bytes);
        if (step % 9973)
            continue;
        tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)((tvgp__ucb *)policy->state)->posterior;
        b->base.ops->column(&b->base, (size_t)q.arm, column);
        tvgp__kalman_filters_spread(&b->set, tvgp__kalman_mixture_active(b), b->active);
        for (size_t j = 0; j < b->J; j++) {
            const tvgp__kalman_filter *f = &b->set.filter[j], *state = tvgp__kalman_filter_state(f);
            ck_assert(b->member[j].b > 0 && b->member[j].a <= 0.5 + 0.5 * (double)(step + 1));
            ck_assert(b->weight[j] >= 0 && b->weight[j] <= 1);
            for (size_t i = 0; i < ARMS; i++)
                ck_assert(state->var[i] >= -1e-9 && state->var[i] + 2 * state->fk[i] + f->kk >= -1e-9);
            ck_assert_double_eq_tol(f->g[0][q.arm] + f->g_k, state->var[q.arm] + 2 * state->fk[q.arm] + f->kk, 1e-9);
        }
    }
}

static double log_add(double x, double y) {
    return fmax(x, y) + log1p(exp(-fabs(x - y)));
}

/* One outcome, however far off, costs a filter little: its marginal likelihood is never below ln q + the likelihood of an arm drawn
 * again. Its state takes the outcome in full. */
TEST_EACH(one_jump, 4) {
    const double far[] = {3, 100, 1e6, 1e100}, y = far[_i], q = 0.02;
    double before[64], nats[64], mean[64];
    tvgp_policy *policy = on_grid("model.assume_misspecified=1 mixture.switching_probability=0 changepoint.hazard=0");
    for (double t = 1; t < 60; t++) {
        tvgp_query query = harness_ask(policy, t);
        ASSERT_OK(tvgp_policy_tell_value(policy, query.id, 0.1 * truth((size_t)query.arm, 0)));
    }
    tvgp_query last = harness_ask(policy, 60);
    const tvgp__kalman_mixture *b = bank_of(policy);
    size_t lead = 0, arm = (size_t)last.arm;
    for (size_t j = 1; j < b->J; j++)
        lead = b->member[j].log_weight > b->member[lead].log_weight ? j : lead;
    const double S0 = 1 + b->set.constant[0] + 0.02 * b->set.filter[lead].level;
    const double anew = student(y, 0, S0, b->member[lead].a, b->member[lead].b);
    for (size_t j = 0; j < b->J; j++) {
        const tvgp__kalman_filter *f = &b->set.filter[j], *state = tvgp__kalman_filter_state(f);
        double S = state->var[arm] + 2 * state->fk[arm] + f->kk + 0.02 * f->level;
        before[j] = b->member[j].log_weight;
        mean[j] = state->mean[arm] + f->k + (1 - 0.02 * f->level / S) * (y - state->mean[arm] - f->k);
        nats[j] =
            log_add(log(1 - q) + student(y, state->mean[arm] + f->k, S, b->member[j].a, b->member[j].b), log(q) + anew);
    }
    ASSERT_OK(tvgp_policy_tell_value(policy, last.id, y));
    for (size_t j = 0; j < b->J; j++) {
        double moved = b->member[j].log_weight - before[j] - (b->member[0].log_weight - before[0]);
        ck_assert(b->member[j].stayed >= 0 && b->member[j].stayed <= 1 && isfinite(b->member[j].log_weight));
        if (_i < 3) /* beyond, squares are kept in the range */
            ck_assert_double_eq_tol(moved, nats[j] - nats[0], 1e-9);
        ck_assert(nats[j] >= log(q) + anew);
        ck_assert_double_eq_tol((tvgp__kalman_filter_state(&b->set.filter[j])->mean[arm] + b->set.filter[j].k) / y,
                                mean[j] / y, 1e-9);
    }
}

/* Everything changes abruptly: the reset comes with the first or second outcome from another arm than the one that noticed. */
TEST(redraw) {
    tvgp_policy *policy = on_grid("model.assume_misspecified=1");
    size_t first = ARMS, others = 0;
    double resets = 0;
    for (double t = 1; t < 90 && harness_stat(policy, "resets") == resets; t++) {
        tvgp_query q = harness_ask(policy, t);
        size_t arm = (size_t)q.arm;
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, t < 60 ? truth(arm, 0) : -1 - truth(arm, 40)));
        resets = t < 60 ? harness_stat(policy, "resets") : resets;
        first = t == 60 ? arm : first;
        others += t > 60 && arm != first;
    }
    ck_assert_double_eq(harness_stat(policy, "resets"), resets + 1);
    ck_assert(others >= 1 && others <= 2);
}

/* Resets while one outcome at t = 60 is off by `shock`, and everything changes abruptly at 80 and 110 when `redrawn`. */
static double resets_of(const char *options, double shock, int redrawn) {
    tvgp_policy *policy = on_grid(options);
    struct rnd rnd = {23};
    for (double t = 1; t < 140; t++) {
        tvgp_query q = harness_ask(policy, t);
        double phase = redrawn ? (t >= 80) * 40 + (t >= 110) * 55 : 0;
        double y = sin(3 * X[2 * q.arm] + phase) * cos(4 * X[2 * q.arm + 1] + 2 * phase) + 0.14 * rnd_normal(&rnd);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, t == 60 ? y - shock : y));
    }
    double resets = harness_stat(policy, "resets");
    return resets;
}

/* Any outcome elsewhere confirms the shock of one arm as an abrupt change; marginal likelihood does not, and still finds what
 * is one. */
TEST(confirmed_by_evidence) {
    const double shocks[] = {2, 5, 20, 100};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_double_ge(resets_of("", shocks[i], 0), 1);
        ck_assert_double_eq(resets_of("changepoint.confirm_by=likelihood", shocks[i], 0), 0);
    }
    ck_assert_double_eq(resets_of("changepoint.confirm_by=likelihood", 0, 1), 2);
    ck_assert_double_eq(resets_of("model.assume_misspecified=1 changepoint.confirm_by=likelihood", 0, 1), 2);
    ck_assert_double_eq(resets_of("model.assume_misspecified=1 changepoint.confirm_by=likelihood", 5, 1), 2);
}

/* The posterior as a function of the point is, at the arms, what the filters say of them, now and later; its gradients are
 * those of its values. */
/* Where hyperparameters are learned an abrupt change is confirmed by marginal likelihood, unless the option is set by name. */
TEST_EACH(default_confirmation, 6) {
    static const struct {
        const char *options;
        int earn;
    } cases[] = {{"", 0},
                 {"model.assume_misspecified=1", 0},
                 {"fit=map", 1},
                 {"fit=noise", 1},
                 {"fit=map changepoint.confirm_by=other_arm", 0},
                 {"changepoint.confirm_by=likelihood", 1}};
    tvgp_policy *policy = on_grid(cases[_i].options);
    (void)harness_ask(policy, 0);
    const tvgp__ucb *u = policy->state;
    const tvgp__posterior *inner = u->learner ? u->learner->in_use.posterior : u->posterior;
    ck_assert_int_eq(((const tvgp__kalman_mixture *)inner)->earn, cases[_i].earn);
}

/* What the rate of abrupt changes is learned from stays when hyperparameters are adopted. */
TEST(rate_survives_adoption) {
    tvgp_policy *policy = on_grid("fit=map changepoint.confirm_by=other_arm");
    struct rnd rnd = {23};
    double adopted = 0;
    for (double t = 5; t < 150; t++) {
        const tvgp_query q = harness_ask(policy, t);
        const double off = t > 80 ? 30 : 0;
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, truth((size_t)q.arm, t) + off + 0.1 * rnd_normal(&rnd)));
        const tvgp__kalman_mixture *bank =
            (const tvgp__kalman_mixture *)((const tvgp__ucb *)policy->state)->learner->in_use.posterior;
        if (harness_stat(policy, "fit.adopted") > adopted) {
            adopted = harness_stat(policy, "fit.adopted");
            ck_assert_double_eq((double)bank->resets, harness_stat(policy, "resets"));
            ck_assert_double_eq(bank->first, 5);
        }
    }
    ck_assert_double_gt(adopted, 1);
}

TEST(anywhere) {
    enum { DIM = 2 };
    const double h = 1e-5;
    double mean[ARMS], var[ARMS], own[ARMS], own_var[ARMS], dmean[ARMS * DIM], dvar[ARMS * DIM];
    tvgp_policy *policy = on_grid("model.assume_misspecified=1");
    struct rnd rnd = {13};
    for (double t = 1; t < 70; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 2 + truth((size_t)q.arm, t) + 0.14 * rnd_normal(&rnd)));
    }
    tvgp__posterior *b = ((tvgp__ucb *)policy->state)->posterior;
    for (double t = 69; t < 75; t += 3) {
        tvgp__predictive form;
        ASSERT_OK(tvgp__posterior_predict(b, t, ARMS, X, mean, var));
        b->ops->at(b, t, ARMS, NULL, own, own_var);
        ASSERT_ALL_NEAR(ARMS, mean, own, 1e-8);
        ASSERT_ALL_NEAR(ARMS, var, own_var, 1e-8);
        ASSERT_OK(b->ops->predictive(b, t, &form));
        ASSERT_OK(tvgp__predictive_predict(&form, ARMS, X, &(tvgp__predictive_values){.dmean = dmean, .dvar = dvar}));
        for (size_t i = 0; i < ARMS * DIM; i++) {
            double Z[2 * DIM], m[2], v[2];
            memcpy(Z, X + i / DIM * DIM, DIM * sizeof *Z);
            memcpy(Z + DIM, Z, DIM * sizeof *Z);
            Z[i % DIM] -= h;
            Z[DIM + i % DIM] += h;
            ASSERT_OK(tvgp__predictive_predict(&form, 2, Z, &(tvgp__predictive_values){.mean = m, .var = v}));
            ASSERT_NEAR((m[1] - m[0]) / (2 * h), dmean[i], 1e-5);
            ASSERT_NEAR((v[1] - v[0]) / (2 * h), dvar[i], 1e-5);
        }
        tvgp__predictive_free(&form);
    }
}

/* ---- what it costs ------------------------------------------------------------------------------------------------ */

static size_t lines;
static void count_lines(void *user, const char *line) {
    lines += strstr(line, "filters: some") != NULL;
    ck_assert(user == NULL && strncmp(line, "auto-gp-ucb: ", 13) == 0);
}

/* A bank is not begun when it would not fit; the same policy goes on with more room. */
TEST(memory_limit) {
    size_t before, held;
    tvgp_query q;
    tvgp_policy *policy = on_grid("");
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    (void)harness_ask(policy, 0);
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    held -= before;
    tvgp_policy_destroy(policy);
    policy = on_grid("");
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    for (size_t limit = 1; limit < held / 2; limit *= 2) {
        size_t after;
        ASSERT_OK(tvgp_policy_set_i64(policy, "memory.limit", (int64_t)limit));
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(policy, 0, &q, NULL), "memory.limit", "25 arms", "15 filters");
        ASSERT_OK(tvgp_ctx_memory(ctx, &after));
        before = limit == 1 ? after : before; /* what a start leaves next to the state */
        ck_assert_uint_eq(after, before);
    }
    ASSERT_OK(tvgp_policy_set_i64(policy, "memory.limit", (int64_t)held));
    (void)harness_ask(policy, 0);
}

/* On a box the unit of a supplied kernel is learned unless scale.learn is set; on a grid it is not. */
TEST_EACH(unit_on_boxes, 4) {
    static const char *const options[] = {"", "scale.learn=1", "scale.learn=0"};
    const double lower = 0, upper = 1, l = 0.3;
    const size_t points = 9;
    const int grid = _i == 3;
    tvgp_domain *domain = grid ? harness_grid(1, &lower, &upper, &points) : harness_box(1, &lower, &upper);
    tvgp_policy *policy = harness_create("auto-gp-ucb", domain, harness_se(1, 1, &l), options[grid ? 0 : _i]);
    for (int t = 0; t < 12; t++) {
        double x;
        tvgp_query q = harness_ask_at(policy, t, &x);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 30 * sin(3 * x)));
    }
    const double scale = harness_stat(policy, "scale");
    if (_i < 2)
        ck_assert_double_gt(scale, 10);
    else
        ck_assert_double_eq(scale, 1);
}

/* Much of it is given beforehand, in one line; little is not worth one. */
TEST(forecasts) {
    enum { MANY = 700 };
    static double Z[MANY];
    const double l = 0.1;
    tvgp_policy *policy;
    tvgp_ctx_set_logger(ctx, count_lines, NULL, NULL);
    lines = 0;
    policy = on_grid("model.assume_misspecified=1");
    (void)harness_ask(policy, 0);
    ck_assert_uint_eq(lines, 0);
    rnd_fill(&(struct rnd){19}, MANY, Z);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_matern, ctx, 1, 0.5, 1, 1, &l);
    policy = harness_create("auto-gp-ucb", harness_arms(MANY, 1, Z), kernel, "rank.tolerance=0");
    (void)harness_ask(policy, 0);
    ck_assert_uint_eq(lines, 1);
    ck_assert_double_eq(harness_stat(policy, "rank"), MANY);
    tvgp_ctx_set_logger(ctx, NULL, NULL, NULL);
}

int main(void) {
    golden_read_misspecified();
    return HARNESS_RUN("doubt", harness_setup, harness_teardown);
}
