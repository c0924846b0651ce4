/* SPDX-License-Identifier: MIT */
/* Whole runs of the policies against golden trajectories: decisions exactly, numbers to 1e-9. */
#include "golden/golden_policies.h"
#include "harness.h"

#include <string.h>

enum { STEPS = 30, ARMS = 25 };

struct setting {
    const char *key, *text; /* text or */
    double number;
};
struct run {
    const char *policy;
    const struct golden_step *steps;
    struct setting settings[8];
};

#define LOG_WIDTH                                                                                                           \
    {"width.c1", NULL, 0.4}, {                                                                                              \
        "width.c2", NULL, 4                                                                                                 \
    }
#define IGP_WIDTH                                                                                                           \
    {"width.bound", NULL, 2}, {"width.subgauss", NULL, 0.1}, {                                                              \
        "width.delta", NULL, 0.05                                                                                           \
    }

static const struct run runs[] = {
    {"gp-ucb", golden_gp_ucb, {{"noise", NULL, 0.02}, LOG_WIDTH}},
    {"igp-ucb", golden_igp_ucb, {{"noise", NULL, 1 + 2.0 / STEPS}, IGP_WIDTH}},
    {"gp-ucb", golden_igp_ucb, {{"noise", NULL, 1 + 2.0 / STEPS}, {"width.schedule", "igp", 0}, IGP_WIDTH}},
    {"tv-gp-ucb", golden_tv_gp_ucb, {{"noise", NULL, 0.02}, {"epsilon", NULL, 0.1}, LOG_WIDTH}},
    {"tv-gp-ucb", golden_gp_ucb, {{"noise", NULL, 0.02}, {"epsilon", NULL, 0}, LOG_WIDTH}},
    {"r-gp-ucb", golden_r_gp_ucb, {{"noise", NULL, 0.02}, {"reset.every", NULL, 8}, LOG_WIDTH}},
    {"br-gp-ucb", golden_br_gp_ucb, {{"noise", NULL, 0.02}, {"reset.every", NULL, 7}, IGP_WIDTH}},
    {"sw-gp-ucb", golden_sw_gp_ucb, {{"noise", NULL, 0.02}, {"window", NULL, 6}, {"width.schedule", "log", 0}, LOG_WIDTH}},
    {"sw-gp-ucb", golden_sw_igp, {{"noise", NULL, 0.02}, {"window", NULL, 6}, IGP_WIDTH}},
    {"w-gp-ucb", golden_w_gp_ucb_last, {{"noise", NULL, 0.02}, {"decay", NULL, 0.9}, LOG_WIDTH}},
    {"w-gp-ucb", golden_w_gp_ucb_last, {{"lambda", NULL, 0.02}, {"decay", NULL, 0.9}, LOG_WIDTH}},
    {"ui-gp-ucb",
     golden_w_gp_ucb_now,
     {{"noise", NULL, 0.02},
      {"noise_growth", "exponential", 0},
      {"noise_growth.rate", NULL, 0.10536051565782630123},
      LOG_WIDTH}},
    {"ui-gp-ucb", golden_ui_diag, {{"noise", NULL, 0.02}, {"noise_growth.rate", NULL, 0.03}, LOG_WIDTH}},
    {"ui-gp-ucb",
     golden_ui_wiener,
     {{"noise", NULL, 0.02}, {"noise_growth", "wiener-kernel", 0}, {"noise_growth.rate", NULL, 0.03}, LOG_WIDTH}},
    {"et-gp-ucb", golden_et_since, {{"noise", NULL, 0.02}, {"trigger.delta", NULL, 0.1}, LOG_WIDTH}},
    {"et-gp-ucb",
     golden_et_empty,
     {{"noise", NULL, 0.02}, {"trigger.delta", NULL, 0.5}, {"trigger.keep_last", NULL, 0}, LOG_WIDTH}},
    {"et-gp-ucb", golden_et_since_sn005, {{"noise", NULL, 0.005}, {"trigger.delta", NULL, 0.8}, LOG_WIDTH}},
};

/* Runs with a trigger, and what it saw. */
static const struct {
    const struct golden_step *steps;
    const struct golden_trigger *triggers;
} triggered[] = {
    {golden_et_since, golden_et_since_trigger},
    {golden_et_empty, golden_et_empty_trigger},
    {golden_et_since_sn005, golden_et_since_sn005_trigger},
};

static void set(tvgp_policy *policy, const struct setting *s) {
    size_t n;
    tvgp_option_info info;
    if (s->text != NULL) {
        ASSERT_OK(tvgp_policy_set_str(policy, s->key, s->text));
        return;
    }
    ASSERT_OK(tvgp_policy_option_count(policy, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_option_info(policy, i, &info));
        if (strcmp(info.key, s->key) == 0 && info.type == TVGP_I64)
            ASSERT_OK(tvgp_policy_set_i64(policy, s->key, (int64_t)s->number));
        else if (strcmp(info.key, s->key) == 0)
            ASSERT_OK(tvgp_policy_set_f64(policy, s->key, s->number));
    }
}

static tvgp_policy *create(const struct run *run) {
    const double lengthscale = 0.3;
    tvgp_domain *domain = harness_arms(ARMS, 2, golden_arms[0]);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, run->policy, domain, harness_se(2, 1, &lengthscale));
    for (const struct setting *s = run->settings; s->key != NULL; s++)
        set(policy, s);
    return policy;
}

/* mean and sd from predict, the width from the score: mean + width sd */
static void assert_step(tvgp_policy *policy, const tvgp_query *q, const double *x, const struct golden_step *g) {
    double mean, var;
    ck_assert_int_eq(q->arm, g->arm);
    ASSERT_OK(tvgp_policy_predict(policy, q->t, 1, x, &mean, &var));
    ASSERT_NEAR(mean, g->mean, 1e-9);
    ASSERT_NEAR(var, g->sd * g->sd, 1e-9);
    ASSERT_NEAR(q->score, g->mean + g->width * g->sd, 1e-9);
    ASSERT_NEAR((q->score - mean) / g->sd, g->width, 1e-9);
}

/* What the trigger saw in the outcome just told. */
static void assert_trigger(tvgp_policy *policy, const struct golden_trigger *g, double t, double resets) {
    ASSERT_NEAR(harness_stat(policy, "trigger.statistic"), g->statistic, 1e-9);
    ASSERT_NEAR(harness_stat(policy, "trigger.threshold"), g->threshold, 1e-9);
    ck_assert_double_eq(harness_stat(policy, "resets"), resets);
    if (g->reset)
        ck_assert_double_eq(harness_stat(policy, "reset.time"), t);
}

TEST_EACH(trajectory, sizeof runs / sizeof *runs) {
    const struct run *run = &runs[_i];
    tvgp_policy *policy = create(run);
    const struct golden_trigger *triggers = NULL;
    double resets = 0;
    for (size_t i = 0; i < sizeof triggered / sizeof *triggered; i++)
        if (triggered[i].steps == run->steps)
            triggers = triggered[i].triggers;
    for (size_t step = 0; step < STEPS; step++) {
        double x[2];
        tvgp_query q = harness_ask_at(policy, (double)(step + 1), x);
        assert_step(policy, &q, x, &run->steps[step]);
        ck_assert_double_eq(golden_f[step][q.arm], run->steps[step].y);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, golden_f[step][q.arm]));
        if (triggers != NULL) {
            resets += triggers[step].reset;
            assert_trigger(policy, &triggers[step], q.t, resets);
        }
    }
}

int main(void) {
    golden_read_policies();
    return HARNESS_RUN("golden policies", harness_setup, harness_teardown);
}
