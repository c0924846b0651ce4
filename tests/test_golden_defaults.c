/* SPDX-License-Identifier: MIT */
/* Default settings on categorical arms compared with a dense implementation (the covariance of all outcomes, no Kalman filter): five
 * games, with late and missing outcomes, unavailable arms, irregular times, other units, and outcomes of two values. Three of
 * them return a constant share of the weight to the prior. */
#include "golden/golden_defaults.h"
#include "harness.h"
#include "model/arm_mixture.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = sizeof golden_defaults / sizeof *golden_defaults, FILTERS = 45, MOST = 8, STEPS = 50 };

/* |a - b| of numbers that have the unit of the reward; `origin` is the first outcome. */
static void check_reward(const char *what, int i, double a, double b, double sd, double origin) {
    const double tolerance = 1e-9 * sd + 1e-15 * fabs(origin);
    ck_assert_msg(fabs(a - b) <= tolerance, "step %d: %s is %.17g, golden %.17g, apart %.3g", i + 1, what, a, b, a - b);
}

static double series(const tvgp_policy *p, const char *name, int i) {
    char key[32];
    snprintf(key, sizeof key, "%s.%d", name, i);
    return harness_stat(p, key);
}

/* The coefficient without the factor of calibration, from the weights. */
static double uncalibrated(const tvgp_policy *p, int observations) {
    double sum = 0;
    for (int j = 0; j < FILTERS; j++)
        sum += series(p, "weight", j) * sqrt(.8 - .5 * log(series(p, "rate", j) + 1. / (observations + 101)));
    return sum;
}

static void check_mixture(const tvgp_policy *p, const struct golden_default_step *s) {
    ck_assert_double_eq(harness_stat(p, "observations"), s->observations);
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(series(p, "weight", s->filter[k]), s->weight[k], 1e-9);
    ASSERT_NEAR(harness_stat(p, "width"), s->coefficient, 1e-9);
    ASSERT_NEAR(harness_stat(p, "width") / uncalibrated(p, s->observations), s->factor, 1e-9);
    ASSERT_NEAR(harness_stat(p, "scale") / s->scale, 1, 1e-9);
    if (s->unit > 0)
        ASSERT_NEAR(harness_stat(p, "time.unit") / s->unit, 1, 1e-9);
}

static void check_step(tvgp_policy *p, const struct golden_default_run *g, int i, double origin, tvgp_query *q) {
    const struct golden_default_step *s = &g->step[i];
    double mean[MOST], var[MOST], most = 0;
    uint8_t mask[MOST];
    for (int k = 0; k < g->arms; k++) {
        mask[k] = !(s->closed >> k & 1);
        most = fmax(most, s->sd[k]);
    }
    ASSERT_OK(tvgp_policy_set_available(p, (size_t)g->arms, s->closed ? mask : NULL));
    *q = harness_ask(p, s->t);
    ck_assert_msg(q->arm == s->arm, "%s, step %d: arm %d, golden %d", g->name, i + 1, (int)q->arm, s->arm);
    check_mixture(p, s);
    ASSERT_OK(tvgp_policy_predict(p, s->t, (size_t)g->arms, NULL, mean, var));
    for (int k = 0; k < g->arms; k++) {
        check_reward("mean", i, mean[k], s->mean[k], most, origin);
        check_reward("sd", i, sqrt(var[k]), s->sd[k], most, origin);
    }
    check_reward("score", i, q->score, s->score, most, origin);
    check_reward("level", i, harness_stat(p, "offset"), s->level, most, origin);
    ASSERT_NEAR(q->noise_var / s->noise, 1, 1e-9);
}

START_TEST(golden) {
    const struct golden_default_run *g = &golden_defaults[_i];
    tvgp_query q[STEPS];
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_indices((size_t)g->arms), NULL);
    const double origin = g->step[0].outcome[g->step[0].arm];
    for (int i = 0; i < g->steps; i++) {
        check_step(p, g, i, origin, &q[i]);
        ((tvgp__arm_mixture *)((tvgp__ucb *)p->state)->posterior)->constant_share = g->constant_share;
        for (int k = 0; k <= i; k++) {
            tvgp_obs obs = tvgp_obs_value(q[k].id, g->step[k].outcome[g->step[k].arm]);
            if (g->step[k].delay >= 0 && k + g->step[k].delay == i)
                ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        }
        const tvgp_obs skipped = tvgp_obs_outcome(q[i].id, TVGP_SKIPPED);
        if (g->step[i].delay < 0)
            ASSERT_OK(tvgp_policy_tell(p, 1, &skipped, NULL));
    }
}

int main(void) {
    golden_read_defaults();
    Suite *suite = suite_create("golden defaults");
    for (int i = 0; i < RUNS; i++)
        tcase_add_loop_test(harness_case_of(suite, 0, "%s", golden_defaults[i].name), golden, i, i + 1);
    return harness_run(suite);
}
