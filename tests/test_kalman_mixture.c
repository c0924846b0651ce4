/* SPDX-License-Identifier: MIT */
/* The filters of a bank against dense posteriors with the same kernel over space and time, and a bank of one filter against
 * tv-gp-ucb. */
#include "cases.h"
#include "choose/exploration_schedule.h"
#include "choose/rule.h"
#include "model/kalman_mixture.h"
#include "model/posterior/posterior.h"

#include <fenv.h>
#include <math.h>

enum { ARMS = 60, STEPS = 500, LAWS = 5 };

static const struct ref_kernel space = {.kind = REF_SE, .dim = 2, .variance = 1.3, .l = {0.25, 0.4}};
static const tvgp__drift drifts[LAWS] = {{TVGP__DRIFT_FORGETTING, 0, 0},
                                         {TVGP__DRIFT_FORGETTING, 0.03, 0},
                                         {TVGP__DRIFT_FORGETTING, 1, 0},
                                         {TVGP__DRIFT_MATERN32, 0.02, 0},
                                         {TVGP__DRIFT_MATERN32, 0.3, 0}};
static const double NOISE = 0.02;
static double X[ARMS * 2];

static tvgp__kalman_mixture *open_bank(size_t n_drifts, const tvgp__drift *law) {
    tvgp__posterior *posterior;
    const double *no_mean = NULL;
    rnd_fill(&(struct rnd){5}, sizeof X / sizeof *X, X);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &space);
    const tvgp_kernel *shared = kernel;
    const tvgp__kalman_mixture_spec spec = {
        .n_drifts = n_drifts, .n_priors = 1, .drifts = law, .kernels = &shared, .means = &no_mean};
    ASSERT_OK(tvgp__kalman_mixture_new(ctx, &spec, NOISE, ARMS, X, &posterior));
    return (tvgp__kalman_mixture *)posterior;
}

static void open_reference(struct ref_gp *ref, const tvgp__drift *law, size_t capacity) {
    ref_gp_init(ref, &space, law->kind == TVGP__DRIFT_FORGETTING ? law->rate : 0, capacity);
    ref->lambda = law->kind == TVGP__DRIFT_MATERN32 ? law->rate : 0;
}

/* Mean, variance and a column of every filter; then the weights and the moments of the mixture, now and later, at arms and
 * between them. */
static void assert_matches(tvgp__kalman_mixture *b, struct ref_gp *ref, double t, size_t arm) {
    enum { POINTS = 70 };
    double evidence[LAWS], most = -INFINITY, sum = 0, weight[LAWS], mean[LAWS], var[LAWS];
    double Z[POINTS * 2], predicted[POINTS], predicted_var[POINTS], column[ARMS];
    tvgp__posterior *p = &b->base;
    tvgp__posterior_finish(p);
    p->ops->column(p, arm, column);
    tvgp__kalman_filters_spread(&b->set, tvgp__kalman_mixture_active(b), b->active);
    for (size_t j = 0; j < LAWS; j++)
        for (size_t i = 0; i < ARMS; i += 7) {
            ref_gp_predict(&ref[j], 1, X + 2 * i, t, &mean[j], &var[j]);
            ASSERT_NEAR(b->set.filter[j].mean[i], mean[j], 1e-9);
            ASSERT_NEAR(b->set.filter[j].var[i], var[j], 1e-9);
            ASSERT_NEAR(b->set.filter[j].g[0][i], ref_gp_covariance(&ref[j], X + 2 * arm, X + 2 * i, t), 1e-9);
        }
    for (size_t j = 0; j < LAWS; j++)
        most = fmax(most, evidence[j] = ref_gp_log_evidence(&ref[j]));
    for (size_t j = 0; j < LAWS; j++)
        sum += weight[j] = exp(evidence[j] - most);
    for (size_t j = 0; j < LAWS; j++)
        ASSERT_NEAR(b->weight[j], weight[j] / sum, 1e-9);
    ASSERT_NEAR(p->log_marginal_likelihood, most + log(sum / LAWS), 1e-9);
    rnd_fill(&(struct rnd){9}, POINTS * 2, Z);
    for (int later = 0; later < 2; later++) {
        double at = t + 1.7 * later;
        ASSERT_OK(tvgp__posterior_predict(p, at, POINTS, Z, predicted, predicted_var));
        for (size_t i = 0; i < 8; i++) {
            double m = 0, square = 0, arm_mean = 0, arm_square = 0, got, got_var;
            for (size_t j = 0; j < LAWS; j++) {
                ref_gp_predict(&ref[j], 1, Z + 2 * 9 * i, at, &mean[j], &var[j]);
                m += weight[j] / sum * mean[j];
                square += weight[j] / sum * (var[j] + mean[j] * mean[j]);
                ref_gp_predict(&ref[j], 1, X + 2 * i, at, &mean[j], &var[j]);
                arm_mean += weight[j] / sum * mean[j];
                arm_square += weight[j] / sum * (var[j] + mean[j] * mean[j]);
            }
            ASSERT_NEAR(predicted[9 * i], m, 1e-9);
            ASSERT_NEAR(predicted_var[9 * i], square - m * m, 1e-9);
            p->ops->at(p, at, 1, &i, &got, &got_var);
            ASSERT_NEAR(got, arm_mean, 1e-9);
            ASSERT_NEAR(got_var, arm_square - arm_mean * arm_mean, 1e-9);
            if (!later) {
                ASSERT_NEAR(p->own.mean[i], arm_mean, 1e-9);
                ASSERT_NEAR(p->own.var[i], arm_square - arm_mean * arm_mean, 1e-9);
            }
        }
    }
}

TEST(filters_equal_dense) {
    static const double steps[] = {0, 0.3, 1, 2.7};
    struct rnd rnd = {11};
    struct ref_gp ref[LAWS];
    tvgp__kalman_mixture *b = open_bank(LAWS, drifts);
    double t = 1000;
    for (size_t j = 0; j < LAWS; j++)
        open_reference(&ref[j], &drifts[j], STEPS);
    b->base.ops->advance(&b->base, t);
    assert_matches(b, ref, t, 3);
    for (size_t step = 1; step <= STEPS; step++) {
        size_t arm = rnd_below(&rnd, ARMS);
        double y = rnd_normal(&rnd), noise = rnd_uniform(&rnd) < 0.2 ? 4 * NOISE : NOISE;
        t += step == 300 ? 200 : steps[rnd_below(&rnd, 4)];
        tvgp__posterior_observe(&b->base, &(tvgp__points){.n = 1, .arm = (size_t[]){arm}}, 0, t, y, noise, 0);
        for (size_t j = 0; j < LAWS; j++)
            ref_gp_add(&ref[j], X + 2 * arm, t, y, noise);
        if (step % 83 == 0 || step < 4 || step == STEPS)
            assert_matches(b, ref, t, arm);
    }
    ck_assert_uint_eq(b->base.counts.observations, STEPS);
    b->base.ops->reset(&b->base);
    for (size_t j = 0; j < LAWS; j++)
        ref_gp_drop(&ref[j], STEPS);
    assert_matches(b, ref, t, 3);
    for (size_t j = 0; j < LAWS; j++)
        ref_gp_free(&ref[j]);
    tvgp__posterior_free(&b->base);
}

/* The same rate, width and noise, no recycling, no abrupt changes: the same arms. */
TEST_EACH(one_filter_is_tv_gp_ucb, 2) {
    const tvgp__drift *law = &drifts[_i];
    struct rnd rnd = {21};
    double score[ARMS], t = 0;
    tvgp__kalman_mixture *b = open_bank(1, law);
    tvgp__exploration_schedule_config width = {.schedule = TVGP__EXPLORATION_SCHEDULE_RATE};
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &space);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", harness_arms(ARMS, 2, X), kernel);
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", NOISE));
    ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", law->rate));
    ASSERT_OK(tvgp_policy_set_str(policy, "width.schedule", "rate"));
    for (size_t step = 0; step < STEPS; step++) {
        t += 2 * rnd_uniform(&rnd);
        b->base.ops->advance(&b->base, t);
        tvgp__posterior_finish(&b->base);
        tvgp__exploration_schedule_inputs in = {
            .observations = (double)step, .n_rates = 1, .rate = b->rate, .rate_weight = b->weight};
        for (size_t i = 0; i < ARMS; i++)
            score[i] = tvgp__rule_score(b->base.own.mean[i], sqrt(fmax(b->base.own.var[i], 0)),
                                        tvgp__exploration_schedule_at(&width, &in));
        tvgp_query q = harness_ask(policy, t);
        ck_assert_int_eq(q.arm, (int64_t)tvgp__rule_highest(ARMS, score, NULL, INFINITY));
        ASSERT_NEAR(q.score, score[q.arm], 1e-9);
        double y = sin(0.02 * t + (double)q.arm) + sqrt(NOISE) * rnd_normal(&rnd);
        tvgp__posterior_observe(&b->base, &(tvgp__points){.n = 1, .arm = (size_t[]){(size_t)q.arm}}, 0, t, y, NOISE, 0);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
    }
    tvgp_policy_destroy(policy);
    tvgp__posterior_free(&b->base);
}

/* A single outcome of the past has nothing to be late for: exact. */
TEST_EACH(one_late_answer, LAWS) {
    struct ref_gp ref;
    double mean, var;
    tvgp__kalman_mixture *b = open_bank(1, &drifts[_i]);
    open_reference(&ref, &drifts[_i], 1);
    b->base.ops->advance(&b->base, 12);
    tvgp__posterior_observe(&b->base, &(tvgp__points){.n = 1, .arm = (size_t[]){4}}, 0, 3.5, 0.8, NOISE, 0);
    ref_gp_add(&ref, X + 8, 3.5, 0.8, NOISE);
    tvgp__posterior_finish(&b->base);
    for (size_t i = 0; i < ARMS; i++) {
        ref_gp_predict(&ref, 1, X + 2 * i, 12, &mean, &var);
        ASSERT_NEAR(b->base.own.mean[i], mean, 1e-9);
        ASSERT_NEAR(b->base.own.var[i], var, 1e-9);
    }
    ref_gp_free(&ref);
    tvgp__posterior_free(&b->base);
}

/* Where nothing changes except abrupt changes, an outcome that comes late says what it would say at the time of the newest
 * one: no time has gone by in which everything could have been abruptly changed. */
TEST(no_redraw_before_a_late_answer) {
    static const struct {
        size_t arm;
        double t, y;
    } told[] = {{4, 5, 1}, {9, 2, -3}, {17, 4, 2.5}, {9, 6, -3}, {30, 6, 1.5}};
    tvgp__posterior *b[2];
    for (size_t k = 0; k < 2; k++) {
        tvgp__kalman_mixture *bank = open_bank(1, drifts);
        bank->hazard = 0.2;
        feclearexcept(FE_INVALID);
        b[k] = &bank->base;
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            tvgp__posterior_observe(b[k], &(tvgp__points){.n = 1, .arm = (size_t[]){told[i].arm}}, 0,
                                    k ? fmax(told[i].t, 5) : told[i].t, told[i].y, NOISE, 0);
        ck_assert_double_gt(bank->weight[bank->J], 1e-6); /* of the abrupt change between 5 and 6 */
        ck_assert(!fetestexcept(FE_INVALID));             /* no logarithm of a probability below 0 */
    }
    ASSERT_NEAR(b[0]->log_marginal_likelihood, b[1]->log_marginal_likelihood, 1e-12);
    tvgp__posterior_finish(b[0]);
    tvgp__posterior_finish(b[1]);
    ASSERT_ALL_NEAR(ARMS, b[0]->own.mean, b[1]->own.mean, 1e-12);
    ASSERT_ALL_NEAR(ARMS, b[0]->own.var, b[1]->own.var, 1e-12);
    for (size_t k = 0; k < 2; k++)
        tvgp__posterior_free(b[k]);
}

/* Variances kept over the arms and those of the cores do not part in long runs. */
TEST_EACH(stays_consistent, LAWS) {
    struct rnd rnd = {31};
    double column[ARMS];
    tvgp__kalman_mixture *b = open_bank(1, &drifts[_i]);
    for (size_t step = 0; step < 20000; step++)
        tvgp__posterior_observe(&b->base, &(tvgp__points){.n = 1, .arm = (size_t[]){rnd_below(&rnd, ARMS)}}, 0, (double)step,
                                rnd_normal(&rnd), NOISE, 0);
    tvgp__posterior_finish(&b->base);
    for (size_t i = 0; i < ARMS; i++) {
        b->base.ops->column(&b->base, i, column);
        ck_assert_double_gt(b->base.own.var[i], 0);
        ck_assert_double_eq_tol(column[i], b->base.own.var[i], 1e-11);
    }
    tvgp__posterior_free(&b->base);
}

TEST_EACH(half_life, LAWS) {
    const double root = 1.6783469900166605; /* (1 + x) e^-x = 1/2 */
    const double want[LAWS] = {INFINITY, 2 * log(2) / -log(0.97), 0, root / 0.02, root / 0.3};
    tvgp__kalman_mixture *b = open_bank(1, &drifts[_i]);
    double got = tvgp__kalman_mixture_half_life(b);
    ck_assert(got == want[_i] || fabs(got - want[_i]) <= 1e-12 * (1 + want[_i]));
    ASSERT_NEAR(tvgp__kalman_mixture_rate(b), _i < 3 ? drifts[_i].rate : 0.825 * drifts[_i].rate, 1e-15);
    tvgp__posterior_free(&b->base);
}

/* Features from the whole Gram matrix give that matrix back, like those of the search; rows of the pivots are L. */
TEST_EACH(whole_basis, 2) {
    enum { MANY = 90 };
    static double Z[MANY * 2];
    const double tolerance = 1e-12;
    const struct ref_kernel rough = {.kind = REF_MATERN32, .dim = 2, .variance = 1.3, .l = {0.2, 0.3}};
    const struct ref_kernel *forms[] = {&rough, &space};
    tvgp_kernel *kernel[2];
    tvgp__basis whole, stepwise;
    rnd_fill(&(struct rnd){17}, MANY * 2, Z);
    for (size_t i = 0; i < 2; i++)
        kernel[i] = MAKE_KERNEL(cases_kernel, ctx, forms[i]);
    const size_t count = (size_t)_i + 1;
    tvgp__basis_search s = tvgp__basis_search_of(ctx, count, (const tvgp_kernel *const *)kernel, MANY, Z, tolerance);
    ASSERT_OK(tvgp__basis_search_on(&s, MANY));
    ASSERT_OK(tvgp__basis_of(&s, &stepwise));
    tvgp__basis_search_end(&s);
    ASSERT_OK(tvgp__basis_search_on(&s, 40));
    ck_assert(!s.complete);
    ASSERT_OK(tvgp__basis_search_whole(&s));
    ck_assert(s.complete);
    ASSERT_OK(tvgp__basis_of(&s, &whole));
    for (const tvgp__basis *b = &whole; b; b = b == &whole ? &stepwise : NULL)
        for (size_t i = 0; i < MANY; i++)
            for (size_t j = 0; j < MANY; j++) {
                double sum = 0, k = 0;
                for (size_t c = 0; c < count; c++)
                    k += ref_kernel(forms[c], Z + 2 * i, Z + 2 * j);
                for (size_t c = 0; c < b->r; c++)
                    sum += b->Phi[c * MANY + i] * b->Phi[c * MANY + j];
                ck_assert_double_eq_tol(sum, k, 1e-11);
            }
    for (size_t j = 0; j < whole.r; j++)
        for (size_t i = 0; i < whole.r; i++) {
            ck_assert(whole.L[j * whole.r + i] == whole.Phi[j * MANY + whole.pivot[i]]);
            ck_assert(i >= j || whole.L[j * whole.r + i] == 0);
        }
    tvgp__basis_free(&whole);
    tvgp__basis_free(&stepwise);
    tvgp__basis_search_end(&s);
}

HARNESS_MAIN("bank of filters")
