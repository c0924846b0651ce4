/* SPDX-License-Identifier: MIT */
/* Limits next to a dense implementation: six runs on 31 points, at irregular times, with the arms asked and the safe sets exactly,
 * risks, means and standard deviations, margins and what was spent. */
#include "golden/golden_constraints.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>

enum { ARMS = 31, RUNS = sizeof golden_constraints / sizeof *golden_constraints, MOST = 3 };

static tvgp_policy *of_output(const struct golden_constraints_run *g, const tvgp_domain *domain, int k) {
    char options[128];
    tvgp_kernel *kernel = g->matern[k] ? MAKE_KERNEL(tvgp_kernel_matern, ctx, 1, 2.5, g->variance[k], 1, &g->lengthscale[k])
                                       : MAKE_KERNEL(tvgp_kernel_se, ctx, 1, g->variance[k], 1, &g->lengthscale[k]);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", domain, kernel);
    snprintf(options, sizeof options, "noise=%.17g epsilon=%.17g width.schedule=log width.c1=.8 width.c2=4", g->noise[k],
             g->epsilon[k]);
    ASSERT_OK(tvgp_policy_set(p, options));
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &g->prior_mean[k]));
    return p;
}

static double output(int k, double x, double t) {
    if (k == 0)
        return sin(5 * x + .07 * t) + .6 * x;
    return k == 1 ? .9 * cos(3 * x - .05 * t) + .25 : 1.4 * x * x - .5 + .3 * sin(.09 * t);
}

/* Of the reward and every limited output, at arm `arm`. */
static void check_beliefs(tvgp_policy *const *p, const struct golden_constraints_run *g,
                          const struct golden_constraints_step *s, double x) {
    double mean, var;
    for (int k = 0; k <= g->limits; k++) {
        ASSERT_OK(tvgp_policy_predict(p[k], s->t, 1, &x, &mean, &var));
        ASSERT_NEAR(mean, s->mean[k], 1e-9);
        ASSERT_NEAR(sqrt(var), s->sd[k], 1e-9);
    }
}

/* The set, by the risk of every arm and what is declared. */
static uint32_t safe_set(tvgp_policy *p, const struct golden_constraints_run *g, double t, double allowed) {
    double risk[ARMS];
    uint32_t safe = 0;
    ASSERT_OK(harness_risks(p, t, ARMS, NULL, risk));
    for (int arm = 0; arm < ARMS; arm++)
        safe |= (uint32_t)(risk[arm] <= allowed) << arm;
    for (int i = 0; i < g->seeds; i++)
        safe |= 1u << g->seed[i];
    return safe;
}

static double allowed_by(const struct golden_constraints_run *g, tvgp_policy *p, double n, double spent) {
    const char *per;
    double confidence;
    ASSERT_OK(tvgp_policy_get_f64(p, "constraint.confidence", &confidence));
    ASSERT_OK(tvgp_policy_get_str(p, "constraint.scope", &per));
    const double delta = 1 - confidence, pi = acos(-1);
    (void)g;
    return per[0] == 's'   ? delta
           : per[0] == 'r' ? 6 * delta / (pi * pi * n * n)
                           : fmax(1e-12, fmin(fmin(10 * delta, .5), delta * n - spent));
}

/* An output that is missing is left open; a reward is reported to be missing, as what is open counts as pending. */
static void tell(tvgp_policy *p, const struct golden_constraints_run *g, const struct golden_constraints_step *s, int64_t id,
                 double x) {
    tvgp_obs obs[MOST];
    size_t n = 0;
    for (int k = 0; k <= g->limits; k++)
        if (!(s->missing >> k & 1))
            obs[n++] = tvgp_obs_output(id, k, output(k, x, s->t));
        else if (k == 0)
            obs[n++] = tvgp_obs_outcome(id, TVGP_SKIPPED);
    ASSERT_OK(tvgp_policy_tell(p, n, obs, NULL));
}

static void check_step(tvgp_policy *const *p, const struct golden_constraints_run *g, int i, double before) {
    const struct golden_constraints_step *s = &g->step[i];
    const double x15 = 15 / 30., fallbacks = harness_stat(p[0], "safe.fallbacks"),
                 expanded = harness_stat(p[0], "safe.explored");
    double x, risk15;
    ck_assert_uint_eq(safe_set(p[0], g, s->t, allowed_by(g, p[0], i + 1, before)), s->safe);
    for (int k = 0; k < g->limits; k++) {
        char key[32];
        snprintf(key, sizeof key, "constraint.margin.%d", k + 1);
        ASSERT_NEAR(harness_stat(p[0], key), s->theta[k], 1e-12);
    }
    ASSERT_OK(harness_risks(p[0], s->t, 1, &x15, &risk15));
    ASSERT_NEAR(risk15, s->risk_at_15, 1e-9);
    tvgp_query q = harness_ask_at(p[0], s->t, &x);
    ck_assert_msg(q.arm == s->arm, "%s, step %d: arm %d, golden %d", g->name, i, (int)q.arm, s->arm);
    ASSERT_NEAR(q.risk, s->risk, 1e-9);
    ASSERT_NEAR(harness_stat(p[0], "safe.expected_violations"), s->spent, 1e-12);
    ck_assert_double_eq(harness_stat(p[0], "safe.count"), __builtin_popcount(s->safe));
    ck_assert_double_eq(harness_stat(p[0], "safe.fallbacks") - fallbacks, s->fallback);
    ck_assert_double_eq(harness_stat(p[0], "safe.explored") - expanded, s->expanded);
    check_beliefs(p, g, s, x);
    tell(p[0], g, s, q.id, x);
}

START_TEST(golden) {
    const struct golden_constraints_run *g = &golden_constraints[_i];
    tvgp_policy *p[MOST] = {0};
    double seeds[2];
    tvgp_domain *domain = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){ARMS});
    for (int k = 0; k <= g->limits; k++)
        p[k] = of_output(g, domain, k);
    for (int k = 1; k <= g->limits; k++)
        ASSERT_OK(tvgp_policy_add_constraint(p[0], p[k], g->flags[k - 1], g->bound[k - 1]));
    ASSERT_OK(tvgp_policy_set(p[0], g->options));
    for (int i = 0; i < g->seeds; i++)
        seeds[i] = g->seed[i] / 30.;
    ASSERT_OK(tvgp_policy_set_safe(p[0], (size_t)g->seeds, seeds));
    for (int i = 0; i < g->steps; i++)
        check_step(p, g, i, i ? g->step[i - 1].spent : 0);
}

int main(void) {
    golden_read_constraints();
    Suite *suite = suite_create("golden limits");
    for (int i = 0; i < RUNS; i++)
        tcase_add_loop_test(harness_case_of(suite, 0, "%s", golden_constraints[i].name), golden, i, i + 1);
    return harness_run(suite);
}
