/* SPDX-License-Identifier: MIT */
/* Where noise grows with age and there are many rows, variances are bounds until a caller looks (model/refit.h). No caller of a policy
 * sees a difference: it is compared with one whose posterior works everything out at once, and with the scores of all arms, worked out
 * from the outside. tests/test_models.c compares the posterior. */
#include "cases.h"
#include "model/refit.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, ARMS = SIDE * SIDE, STEPS = 200, WAITING = 5 };

static struct rnd rnd;
static double X[2 * ARMS];

static void open_world(uint64_t seed) {
    rnd.state = seed;
    rnd_fill(&rnd, 2 * ARMS, X);
}

static double function(size_t arm, double t) {
    return sin(6 * X[2 * arm] + 0.01 * t) * cos(5 * X[2 * arm + 1] - 0.02 * t);
}

static const struct {
    const char *policy, *growth; /* growth: of ui-gp-ucb */
} played[] = {{"ui-gp-ucb", "linear"}, {"ui-gp-ucb", "power"}, {"ui-gp-ucb", "exponential"}, {"w-gp-ucb", NULL}};
enum { PLAYED = sizeof played / sizeof *played };

static tvgp_policy *open_policy(int which, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, played[which].policy, domain, kernel);
    if (played[which].growth)
        ASSERT_OK(tvgp_policy_set_str(p, "noise_growth", played[which].growth));
    if (played[which].growth && kernel)
        ASSERT_OK(tvgp_policy_set_f64(p, "noise_growth.rate", 0.005));
    if (!played[which].growth && kernel)
        ASSERT_OK(tvgp_policy_set_f64(p, "decay", 0.98));
    if (kernel)
        ASSERT_OK(tvgp_policy_set_f64(p, "noise", 0.05));
    return p;
}

static tvgp__refit *posterior_of(const tvgp_policy *p) {
    return (tvgp__refit *)tvgp__ucb_posterior(p);
}

static void reload(tvgp_policy *policy) {
    const struct saved state = harness_saved(policy, 0);
    ASSERT_OK(tvgp_policy_load(policy, state.n, state.bytes));
}

/* Both are asked the same, with some outcomes late, and say the same. */
static void ask_both(tvgp_policy *p[2], double t, tvgp_query q[2]) {
    for (int k = 0; k < 2; k++)
        q[k] = harness_ask(p[k], t);
    posterior_of(p[1])->lazy = 0; /* there is one from the first ask on */
    ck_assert_int_eq((int)q[0].arm, (int)q[1].arm);
    ASSERT_NEAR(q[0].score, q[1].score, 1e-9);
    ASSERT_NEAR(harness_stat(p[0], "mean"), harness_stat(p[1], "mean"), 1e-9);
    ASSERT_NEAR(harness_stat(p[0], "sd"), harness_stat(p[1], "sd"), 1e-9);
}

/* Told the kernel: actions pend, arms come and go, moving costs, and the one is saved and loaded in between. */
TEST_EACH(choices_are_those_of_all_scores, 2 * PLAYED) {
    const double l = 0.15;
    tvgp_policy *p[2];
    tvgp_query waiting[WAITING][2];
    size_t n_waiting = 0, rows = 0;
    open_world(50 + (uint64_t)_i);
    tvgp_domain *domain = harness_arms(ARMS, 2, X);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_matern, ctx, 2, 2.5, 1, 1, &l);
    for (int k = 0; k < 2; k++) {
        p[k] = open_policy(_i % PLAYED, domain, kernel);
        if (_i >= PLAYED)
            ASSERT_OK(tvgp_policy_set_f64(p[k], "switch.cost", 0.05));
    }
    for (size_t step = 0; step < STEPS; step++) {
        const double t = (double)step;
        uint8_t mask[ARMS];
        for (size_t i = 0; i < ARMS; i++)
            mask[i] = rnd_below(&rnd, 4) > 0;
        const int masked = rnd_below(&rnd, 3) == 0;
        mask[rnd_below(&rnd, ARMS)] = 1;
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_set_available(p[k], ARMS, masked ? mask : NULL));
        ask_both(p, t, waiting[n_waiting++]);
        if (rnd_below(&rnd, 4) == 0)
            reload(p[0]);
        const size_t i = rnd_below(&rnd, n_waiting);
        if (n_waiting < WAITING && rnd_below(&rnd, 3) == 0)
            continue;
        const double y = function((size_t)waiting[i][0].arm, t) + 0.2 * rnd_normal(&rnd);
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_tell_value(p[k], waiting[i][k].id, y));
        memcpy(waiting[i], waiting[--n_waiting], sizeof *waiting);
        rows = posterior_of(p[0])->factor.n > rows ? posterior_of(p[0])->factor.n : rows;
    }
    ck_assert_uint_gt(rows * ARMS, TVGP__REFIT_EAGER); /* otherwise nothing was tested */
}

/* The best score of all arms, from what the policy says of each. */
static double best_score(tvgp_policy *p, double t, double width, size_t arm, double *of_arm) {
    double mean[ARMS], var[ARMS], best = -INFINITY;
    ASSERT_OK(tvgp_policy_predict(p, t, ARMS, X, mean, var));
    for (size_t i = 0; i < ARMS; i++)
        best = fmax(best, mean[i] + width * sqrt(fmax(var[i], 0)));
    *of_arm = mean[arm] + width * sqrt(fmax(var[arm], 0));
    return best;
}

/* With default settings: the posterior is another one after each adoption. */
TEST_EACH(choices_while_it_learns, PLAYED) {
    size_t bounded = 0;
    open_world(90 + (uint64_t)_i);
    tvgp_policy *p = open_policy(_i, harness_arms(ARMS, 2, X), NULL);
    for (size_t step = 0; step < 200; step++) {
        double own;
        const double t = (double)step;
        const tvgp_query q = harness_ask(p, t);
        const tvgp__posterior *post = ((const tvgp__ucb *)p->state)->posterior;
        bounded += post->own.off.together > 0;
        if (step > 2) {
            const double best = best_score(p, t, harness_stat(p, "width"), (size_t)q.arm, &own);
            ASSERT_NEAR(own, best, 1e-8);
            ASSERT_NEAR(q.score, best, 1e-8);
        }
        if (step % 40 == 39)
            reload(p);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, function((size_t)q.arm, 3 * t) + 0.3 * rnd_normal(&rnd)));
        if (step % 5 == 0) /* others are reported too */
            for (size_t k = 0; k < 2; k++) {
                const size_t arm = rnd_below(&rnd, ARMS);
                const tvgp_obs obs = tvgp_obs_unsolicited(t, function(arm, 3 * t) + 0.3 * rnd_normal(&rnd));
                ASSERT_OK(tvgp_policy_tell(p, 1, &obs, X + 2 * arm));
            }
    }
    ck_assert_uint_gt(bounded, 20);
}

HARNESS_MAIN("bounds of variances")
