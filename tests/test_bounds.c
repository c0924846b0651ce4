/* SPDX-License-Identifier: MIT */
/* Where noise grows with age and there are many rows, variances are bounds until a caller looks (model/refit.h): the
 * bounds hold, what is looked at is exact, and no caller sees a difference. A posterior is compared with a twin that works
 * everything out at once, a policy with one whose posterior does, and with the scores of all arms, worked out from the
 * outside. */
#include "base/section.h"
#include "base/visit.h"
#include "cases.h"
#include "model/aging_noise.h"
#include "model/refit.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdlib.h>
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

/* ---- the posterior ------------------------------------------------------------------------------------------------ */

static const tvgp__noise_age drifts[] = {{.growth = TVGP__NOISE_AGE_LINEAR, .rate = 0.003},
                                         {.growth = TVGP__NOISE_AGE_LINEAR, .rate = 0.02, .from_last = 1},
                                         {.growth = TVGP__NOISE_AGE_POWER, .alpha = 0.5},
                                         {.growth = TVGP__NOISE_AGE_POWER, .alpha = 2},
                                         {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.02},
                                         {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.1, .from_last = 1}};
enum { LAWS = sizeof drifts / sizeof *drifts };

/* `arms`: it remembers that many; 0: all. */
static tvgp__posterior *open_posterior(const tvgp__noise_age *law, size_t arms, int lazy) {
    static const struct ref_kernel kernel = {.kind = REF_MATERN52, .dim = 2, .variance = 1.7, .l = {0.3, 0.5}};
    tvgp__posterior *p;
    ASSERT_OK(tvgp__aging_noise_new(ctx, MAKE_KERNEL(cases_kernel, ctx, &kernel), law, arms, ARMS, X, &p));
    ((tvgp__refit *)p)->lazy = lazy;
    return p;
}

static void tell(tvgp__posterior *p, size_t arm, double t, double y, double noise) {
    const tvgp__points points = {.n = 1, .arm = &arm};
    ASSERT_OK(p->ops->prepare(p, &points));
    tvgp__posterior_observe(p, &points, 0, t, y, noise, 0);
}

/* How far a bound is above what is exact, in the mean: it is to be of use. */
static double slack(const tvgp__posterior *p, const tvgp__posterior *exact) {
    double sum = 0;
    for (size_t i = 0; i < ARMS; i++) {
        ck_assert_msg(p->own.var[i] + p->own.off.var + 1e-13 >= exact->own.var[i],
                      "arm %zu: variance %g, its bound is less by %g", i, exact->own.var[i],
                      exact->own.var[i] - p->own.var[i]);
        ck_assert_double_le(fabs(p->own.mean[i] - exact->own.mean[i]), p->own.off.mean + 1e-12);
        sum += (p->own.var[i] - exact->own.var[i]) / exact->prior[i] / ARMS;
    }
    ck_assert_uint_eq(p->own.off.together > 0, p->counts.rank * ARMS > TVGP__REFIT_EAGER);
    ck_assert(p->own.off.together || (p->own.off.mean == 0 && p->own.off.var == 0));
    ASSERT_NEAR(p->log_marginal_likelihood, exact->log_marginal_likelihood, 1e-10);
    ASSERT_NEAR(p->log_det_ratio, exact->log_det_ratio, 1e-10);
    return sum;
}

/* Some arms, or all, are looked at. */
static void look(tvgp__posterior *p, const tvgp__posterior *exact) {
    size_t arm[11];
    const size_t n = 1 + rnd_below(&rnd, 11);
    for (size_t i = 0; i < n; i++)
        arm[i] = rnd_below(&rnd, ARMS);
    tvgp__posterior_refine(p, n, arm);
    for (size_t i = 0; i < n; i++) {
        ASSERT_NEAR(p->own.mean[arm[i]], exact->own.mean[arm[i]], 1e-10);
        ASSERT_NEAR(p->own.var[arm[i]], exact->own.var[arm[i]], 1e-10);
    }
    if (rnd_below(&rnd, 40))
        return;
    tvgp__posterior_refine(p, ARMS, NULL);
    ck_assert(p->own.off.mean == 0 && p->own.off.var == 0);
    slack(p, exact);
}

/* Other times may be asked about in between, later ones and again. */
static void ask_ahead(tvgp__posterior *p, tvgp__posterior *exact) {
    double mean[2][ARMS], var[2][ARMS];
    const double t = p->now + 3 * rnd_uniform(&rnd);
    p->ops->at(p, t, ARMS / 2, NULL, mean[0], var[0]);
    exact->ops->at(exact, t, ARMS / 2, NULL, mean[1], var[1]);
    ASSERT_ALL_NEAR(ARMS / 2, mean[0], mean[1], 1e-10);
    ASSERT_ALL_NEAR(ARMS / 2, var[0], var[1], 1e-10);
}

/* Saved, and loaded into another one that takes its place. */
static tvgp__posterior *reloaded(tvgp__posterior *p, const tvgp__noise_age *law, size_t arms) {
    tvgp__posterior *fresh = open_posterior(law, arms, 1);
    tvgp__visit v = {.ctx = ctx, .purpose = TVGP__VISIT_SIZE, .version = TVGP__SECTION_VERSION};
    tvgp__posterior_visit(p, &v);
    const size_t size = v.at;
    uint8_t *bytes = malloc(size);
    v = (tvgp__visit){.ctx = ctx, .purpose = TVGP__VISIT_SAVE, .version = TVGP__SECTION_VERSION, .out = bytes, .end = size};
    tvgp__posterior_visit(p, &v);
    v = (tvgp__visit){.ctx = ctx,
                      .purpose = TVGP__VISIT_LOAD,
                      .version = TVGP__SECTION_VERSION,
                      .in = bytes,
                      .end = size,
                      .section = "test"};
    tvgp__posterior_visit(fresh, &v);
    ASSERT_OK(v.status);
    free(bytes);
    tvgp__posterior_free(p);
    return fresh;
}

TEST_EACH(bounds_hold, LAWS) {
    const tvgp__noise_age *law = &drifts[_i];
    open_world(7 + (uint64_t)_i);
    const size_t arms = _i % 2 ? 0 : 80;
    tvgp__posterior *p = open_posterior(law, arms, 1), *exact = open_posterior(law, arms, 0);
    double sum = 0, column[2][ARMS];
    size_t seen = 0;
    for (size_t step = 0; step < STEPS; step++) {
        const size_t arm = rnd_uniform(&rnd) < 0.3 ? rnd_below(&rnd, 5) : rnd_below(&rnd, ARMS);
        const double t = (double)step - (rnd_below(&rnd, 6) ? 0 : 9 * rnd_uniform(&rnd)), y = rnd_normal(&rnd);
        const double noise = _i % 3 || rnd_below(&rnd, 5) ? 0.05 : rnd_below(&rnd, 20) ? 0.5 : 0;
        tell(p, arm, t, y, noise);
        tell(exact, arm, t, y, noise);
        if (rnd_below(&rnd, 12) == 0)
            ask_ahead(p, exact);
        p->ops->advance(p, (double)step + 1);
        exact->ops->advance(exact, (double)step + 1);
        tvgp__posterior_finish(p);
        tvgp__posterior_finish(exact);
        sum += p->own.off.together ? slack(p, exact) : 0;
        seen += p->own.off.together > 0;
        look(p, exact);
        ASSERT_OK(tvgp__posterior_reach(p, &(tvgp__points){.n = 1, .arm = &arm}));
        ASSERT_OK(tvgp__posterior_reach(exact, &(tvgp__points){.n = 1, .arm = &arm}));
        p->ops->column(p, arm, column[0]);
        exact->ops->column(exact, arm, column[1]);
        ASSERT_ALL_NEAR(ARMS, column[0], column[1], 1e-10);
        if (rnd_below(&rnd, 15) == 0)
            p = reloaded(p, law, arms);
        if (step == 160) {
            p->ops->reset(p);
            exact->ops->reset(exact);
        }
    }
    ck_assert_uint_gt(seen, 30);
    ck_assert_double_lt(sum / (double)seen, 0.3);
    tvgp__posterior_free(p);
    tvgp__posterior_free(exact);
}

/* What comes out for an arm does not depend on which arms are looked at next to it, to the last bit. */
TEST(looking_beside_changes_no_bit) {
    open_world(3);
    tvgp__posterior *p = open_posterior(&drifts[4], 0, 1), *other = open_posterior(&drifts[4], 0, 1);
    for (size_t step = 0; step < 120; step++) {
        tell(p, step, (double)step, function(step, 0), 0.05);
        tell(other, step, (double)step, function(step, 0), 0.05);
    }
    tvgp__posterior_finish(p);
    tvgp__posterior_finish(other);
    tvgp__posterior_refine(other, ARMS, NULL);
    for (size_t i = ARMS; i-- > 0;) {
        tvgp__posterior_refine(p, 1, &i);
        ck_assert_mem_eq(&p->own.mean[i], &other->own.mean[i], sizeof *p->own.mean);
        ck_assert_mem_eq(&p->own.var[i], &other->own.var[i], sizeof *p->own.var);
    }
    tvgp__posterior_free(p);
    tvgp__posterior_free(other);
}

/* ---- policies ----------------------------------------------------------------------------------------------------- */

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
