/* SPDX-License-Identifier: MIT */
/* Choice by a joint draw of the posterior: moments against the dense posterior, propensities against brute force, the
 * inverse-propensity estimate of another policy's value, regret next to the upper bound. */
#include "arm_posterior.h"
#include "cases.h"
#include "choose/thompson.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 12, FEW = 5 };

static const struct ref_kernel smooth = {.kind = REF_SE, .dim = 1, .variance = 2, .l = {0.3}};

static void place(size_t n, double *X) {
    for (size_t i = 0; i < n; i++)
        X[i] = (double)i / (double)(n - 1);
}

static double correlation(double cov, double v, double w) {
    return cov / sqrt(v * w);
}

TEST(draws_have_the_moments_of_the_posterior) {
    enum { DRAWS = 100000 };
    static double sum[ARMS], square[ARMS][ARMS], score[ARMS];
    const tvgp__drift law = {TVGP__DRIFT_FORGETTING, 0.05, 0};
    double X[ARMS], mean[ARMS], var[ARMS];
    struct ref_gp ref;
    tvgp__posterior *post;
    tvgp__thompson *draws = NULL;
    place(ARMS, X);
    memset(sum, 0, sizeof sum);
    memset(square, 0, sizeof square);
    ref_gp_init(&ref, &smooth, law.rate, 20);
    ASSERT_OK(arm_posterior_new(ctx, MAKE_KERNEL(cases_kernel, ctx, &smooth), &law, 64, ARMS, X, &post));
    for (size_t i = 0; i < 8; i++) {
        const size_t arm = i * 5 % ARMS;
        ASSERT_OK(post->ops->prepare(post, &(tvgp__points){.n = 1, .arm = &arm}));
        tvgp__posterior_observe(post, &(tvgp__points){.n = 1, .arm = &arm}, 0, (double)i, sin((double)i), 0.1, 0);
        ref_gp_add(&ref, &X[arm], (double)i, sin((double)i), 0.1);
    }
    ASSERT_OK(tvgp__thompson_room(ctx, ARMS, NULL, 0, &draws));
    ASSERT_OK(tvgp__posterior_reach(post, &(tvgp__points){.n = ARMS, .arm = draws->arm}));
    post->ops->advance(post, 9);
    ref_gp_predict(&ref, ARMS, X, 9, mean, var);
    const tvgp__thompson_covariance covariance = tvgp__thompson_of_arms(post);
    for (uint64_t k = 0; k < DRAWS; k++) {
        memcpy(score, post->own.mean, sizeof score);
        tvgp__thompson_score(draws, &covariance, 7, k, INFINITY, score);
        for (size_t i = 0; i < ARMS; i++) {
            sum[i] += (score[i] - mean[i]) / DRAWS;
            for (size_t j = 0; j <= i; j++)
                square[i][j] += (score[i] - mean[i]) * (score[j] - mean[j]) / DRAWS;
        }
    }
    for (size_t i = 0; i < ARMS; i++) {
        ck_assert_double_le(fabs(sum[i]), 4 * sqrt(var[i] / DRAWS));
        ck_assert_double_le(fabs(square[i][i] / var[i] - 1), 4 * sqrt(2.0 / DRAWS));
        for (size_t j = 0; j < i; j++) {
            const double want = correlation(ref_gp_covariance(&ref, &X[i], &X[j], 9), var[i], var[j]);
            const double got = correlation(square[i][j], square[i][i], square[j][j]);
            ck_assert_double_le(fabs(got - want), 4 * (1 - want * want) / sqrt(DRAWS) + 1e-9);
        }
    }
    tvgp__thompson_free(ctx, draws);
    tvgp__posterior_free(post);
    ref_gp_free(&ref);
}

/* ---- policies --------------------------------------------------------------------------------------------------- */

static tvgp_policy *open_policy(const char *name, const struct ref_kernel *k, size_t n, const char *options) {
    double X[64];
    place(n, X);
    return harness_create(name, harness_arms(n, 1, X), MAKE_KERNEL(cases_kernel, ctx, k), options);
}

static size_t best_of(size_t n, const double *f) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (f[i] > f[best])
            best = i;
    return best;
}

/* How often each arm is the best under the dense posterior, by a plain Cholesky factor and other random numbers. */
static void brute_force(struct ref_gp *ref, const double *X, size_t times, double *share) {
    double mean[FEW], L[FEW][FEW] = {{0}}, f[FEW], z[FEW];
    struct rnd r = {11};
    ref_gp_predict(ref, FEW, X, 3, mean, f);
    for (size_t i = 0; i < FEW; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = ref_gp_covariance(ref, &X[i], &X[j], 3);
            for (size_t k = 0; k < j; k++)
                rest -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(rest) : rest / L[j][j];
        }
    memset(share, 0, FEW * sizeof *share);
    for (size_t k = 0; k < times; k++) {
        for (size_t i = 0; i < FEW; i++) {
            z[i] = rnd_normal(&r);
            f[i] = mean[i];
            for (size_t j = 0; j <= i; j++)
                f[i] += L[i][j] * z[j];
        }
        share[best_of(FEW, f)] += 1 / (double)times;
    }
}

TEST(propensities_are_those_of_brute_force) {
    enum { ASKS = 40, DRAWS = 256 };
    const double y[] = {0.3, 0.5};
    double X[FEW], share[FEW];
    struct ref_gp ref;
    tvgp_policy *policy = open_policy("gp-ucb", &smooth, FEW, "choice=thompson noise=0.2 seed=3");
    place(FEW, X);
    ref_gp_init(&ref, &smooth, 0, 4);
    for (size_t i = 0; i < 2; i++) {
        const tvgp_obs obs = tvgp_obs_unsolicited((double)i, y[i]);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, &X[2 * i]));
        ref_gp_add(&ref, &X[2 * i], (double)i, y[i], 0.2);
    }
    brute_force(&ref, X, 1000000, share);
    double counted[FEW] = {0};
    for (size_t k = 0; k < ASKS; k++) {
        const tvgp_query q = harness_ask(policy, 3); /* never answered: the posterior stays */
        const double p = share[q.arm], expected = (1 + DRAWS * p) / (1 + DRAWS);
        ck_assert_double_le(fabs(q.propensity - expected), 3 * sqrt(p * (1 - p) / DRAWS));
        counted[q.arm]++;
    }
    for (size_t i = 0; i < FEW; i++) /* and the choices themselves */
        ck_assert_double_le(fabs(counted[i] / ASKS - share[i]), 3 * sqrt(share[i] * (1 - share[i]) / ASKS) + 1e-3);
    ref_gp_free(&ref);
}

/* What "always arm 2" would earn, from the log of a policy that learns and explores: E[1{arm = 2} y / propensity]. Also where
 * draws are held back. */
/* The fixed mixture of categorical arms, of numbers and of counts: reported propensities are the frequencies of choices, which are
 * asked again and again and never answered. */
TEST_EACH(propensities_of_filters, 2) {
    enum { ASKS = 3000, DRAWS = 1024 };
    double counted[FEW] = {0}, said[FEW] = {0};
    tvgp_domain *domain = harness_indices(FEW);
    tvgp_policy *policy =
        harness_create("auto-gp-ucb", domain, NULL, "choice=thompson propensity.draws=1024 seed=5 pending.limit=100000");
    if (_i)
        ASSERT_OK(tvgp_policy_set(policy, "outcome.type=binomial"));
    for (int k = 0; k < 40; k++) {
        const tvgp_query q = harness_ask(policy, k);
        const tvgp_obs number = tvgp_obs_value(q.id, sin(k) + .5 * (double)q.arm),
                       count = tvgp_obs_count(q.id, k % 4 + (double)q.arm, 20);
        ASSERT_OK(tvgp_policy_tell(policy, 1, _i ? &count : &number, NULL));
    }
    for (int k = 0; k < ASKS; k++) {
        const tvgp_query q = harness_ask(policy, 40);
        ck_assert(q.propensity > 0 && q.propensity <= 1);
        counted[q.arm] += 1. / ASKS;
        said[q.arm] = said[q.arm] > 0 ? said[q.arm] : q.propensity;
    }
    for (size_t i = 0; i < FEW; i++) {
        const double p = said[i], error = sqrt(p * (1 - p) * (1. / ASKS + 1. / DRAWS));
        if (p > 0)
            ck_assert_msg(fabs(counted[i] - p) <= 3 * error + 1e-3, "arm %zu: %g of the choices, propensity %g", i,
                          counted[i], p);
    }
}

TEST_EACH(inverse_propensities_estimate_another_policy, 2) {
    enum { RUNS = 400, STEPS = 12, TARGET = 2 };
    static const double truth[FEW] = {0.1, 0.4, 0.5, -0.2, 0.3};
    double sum = 0, squares = 0;
    struct rnd r = {5};
    for (size_t run = 0; run < RUNS; run++) {
        char options[96];
        double estimate = 0;
        snprintf(options, sizeof options, "choice=thompson noise=1 seed=%zu%s", run,
                 _i ? " width.schedule=constant width.value=0.8" : "");
        tvgp_policy *policy = open_policy("gp-ucb", &smooth, FEW, options);
        for (size_t t = 0; t < STEPS; t++) {
            const tvgp_query q = harness_ask(policy, (double)t);
            const double y = truth[q.arm] + rnd_normal(&r);
            ck_assert(q.propensity > 0 && q.propensity <= 1);
            if (q.arm == TARGET)
                estimate += y / q.propensity / STEPS;
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        }
        sum += estimate;
        squares += estimate * estimate;
    }
    const double mean = sum / RUNS, error = sqrt((squares / RUNS - mean * mean) / RUNS);
    ck_assert_double_le(error, 0.1);
    ck_assert_double_le(fabs(mean - truth[TARGET]), 3 * error);
}

/* A draw of reach w lies below mean + w sd everywhere in 19 cases of 20, and is the posterior's except one factor. */
TEST(draws_that_are_held_back) {
    enum { N = 40, DRAWS = 20000 };
    static double draw[N], square[N], cross[N];
    const double far = 1.5;
    const tvgp__drift still = {TVGP__DRIFT_STATIC, 0, 0};
    double X[N], column[N];
    size_t below = 0;
    tvgp__posterior *post;
    tvgp__thompson *draws = NULL;
    const size_t arm = 11;
    place(N, X);
    tvgp_kernel *kernel =
        MAKE_KERNEL(cases_kernel, ctx, &(struct ref_kernel){.kind = REF_SE, .dim = 1, .variance = 2, .l = {0.05}});
    ASSERT_OK(arm_posterior_new(ctx, kernel, &still, 0, N, X, &post));
    ASSERT_OK(post->ops->prepare(post, &(tvgp__points){.n = 1, .arm = &arm}));
    tvgp__posterior_observe(post, &(tvgp__points){.n = 1, .arm = &arm}, 0, 0, 3, 0.1, 0);
    ASSERT_OK(tvgp__thompson_room(ctx, N, NULL, 0, &draws));
    ASSERT_OK(tvgp__posterior_reach(post, &(tvgp__points){.n = N, .arm = draws->arm}));
    post->ops->column(post, 20, column);
    const tvgp__thompson_covariance covariance = tvgp__thompson_of_arms(post);
    for (uint64_t k = 0; k < DRAWS; k++) {
        int over = 0;
        memcpy(draw, post->own.mean, sizeof draw);
        tvgp__thompson_score(draws, &covariance, 7, k, far, draw);
        for (size_t i = 0; i < N; i++)
            over |= draw[i] > post->own.mean[i] + far * sqrt(post->own.var[i]);
        below += !over;
        for (size_t i = 0; i < N; i++) {
            square[i] += (draw[i] - post->own.mean[i]) * (draw[i] - post->own.mean[i]) / DRAWS;
            cross[i] += (draw[i] - post->own.mean[i]) * (draw[20] - post->own.mean[20]) / DRAWS;
        }
    }
    ck_assert_double_ge((double)below / DRAWS, 0.92);
    ck_assert_double_le((double)below / DRAWS, 0.97);
    const double factor = square[20] / post->own.var[20];
    ck_assert(factor > 0.1 && factor < 0.5);
    for (size_t i = 0; i < N; i++) {
        ck_assert_double_le(fabs(square[i] / post->own.var[i] - factor), 0.05 * factor);
        ck_assert_double_le(fabs(cross[i] - factor * column[i]), 0.05 * factor * 2);
    }
    tvgp__thompson_free(ctx, draws);
    tvgp__posterior_free(post);
}

/* A width that is given holds draws back, and never drives them on. */
TEST(a_width_that_is_told) {
    tvgp_policy *plain = open_policy("gp-ucb", &smooth, ARMS, "choice=thompson seed=4");
    tvgp_policy *wide =
        open_policy("gp-ucb", &smooth, ARMS, "choice=thompson seed=4 width.schedule=constant width.value=99");
    tvgp_policy *none = open_policy("gp-ucb", &smooth, ARMS, "choice=thompson seed=4 width.schedule=constant width.value=0");
    for (size_t t = 0; t < 30; t++) {
        const tvgp_query q = harness_ask(plain, (double)t), w = harness_ask(wide, (double)t),
                         s = harness_ask(none, (double)t);
        double X[ARMS], mean[ARMS], var[ARMS];
        ck_assert(q.arm == w.arm && q.score == w.score && q.propensity == w.propensity);
        place(ARMS, X);
        ASSERT_OK(tvgp_policy_predict(none, (double)t, ARMS, X, mean, var));
        ck_assert_double_eq(s.propensity, 1);
        ASSERT_NEAR(s.score, mean[best_of(ARMS, mean)], 1e-12);
        ASSERT_OK(tvgp_policy_tell_value(plain, q.id, sin((double)q.arm)));
        ASSERT_OK(tvgp_policy_tell_value(wide, w.id, sin((double)w.arm)));
        ASSERT_OK(tvgp_policy_tell_value(none, s.id, sin((double)s.arm)));
    }
}

/* ---- what every policy of the family does ----------------------------------------------------------------------- */

static const char *const family[] = {"gp-ucb",       "igp-ucb",        "tv-gp-ucb", "r-gp-ucb",  "br-gp-ucb",
                                     "sw-gp-ucb",    "w-gp-ucb",       "ui-gp-ucb", "et-gp-ucb", "auto-gp-ucb",
                                     "sparq-gp-ucb", "w-sparq-gp-ucb", "bkb"};

/* Only what may be asked is drawn; the same seed gives the same choices; without draws the probability is not known. */
TEST_EACH(masks_and_seeds, sizeof family / sizeof *family) {
    uint8_t mask[ARMS] = {0};
    mask[1] = mask[4] = mask[9] = 1;
    tvgp_policy *a = open_policy(family[_i], &smooth, ARMS, "choice=thompson seed=9 propensity.draws=20");
    tvgp_policy *b = open_policy(family[_i], &smooth, ARMS, "choice=thompson seed=9 propensity.draws=0");
    ASSERT_OK(tvgp_policy_set_available(a, ARMS, mask));
    ASSERT_OK(tvgp_policy_set_available(b, ARMS, mask));
    for (size_t t = 0; t < 40; t++) {
        const tvgp_query q = harness_ask(a, (double)t), s = harness_ask(b, (double)t);
        ck_assert(mask[q.arm] && q.arm == s.arm && q.score == s.score);
        if (q.kind == TVGP_ACTION && t > 1) {
            ck_assert(q.propensity >= 1.0 / 21 && q.propensity <= 1);
            ck_assert_double_eq(s.propensity, 0);
        }
        const double y = sin((double)q.arm + (double)t / 20);
        ASSERT_OK(tvgp_policy_tell_value(a, q.id, y));
        ASSERT_OK(tvgp_policy_tell_value(b, s.id, y));
    }
}

TEST(deterministic_and_random_choices) {
    uint8_t mask[ARMS] = {0};
    mask[1] = mask[4] = mask[9] = 1;
    tvgp_policy *even = open_policy("random", &smooth, ARMS, ""), *sure = open_policy("gp-ucb", &smooth, ARMS, "");
    ck_assert_double_eq(harness_ask(even, 0).propensity, 1.0 / ARMS);
    ASSERT_OK(tvgp_policy_set_available(even, ARMS, mask));
    ck_assert_double_eq(harness_ask(even, 0).propensity, 1.0 / 3);
    ck_assert_double_eq(harness_ask(sure, 0).propensity, 1);
}

TEST(a_box_has_no_arms_to_draw) {
    const double lower = 0, upper = 1;
    double x;
    tvgp_query q;
    tvgp_domain *domain = harness_box(1, &lower, &upper);
    tvgp_policy *policy = harness_create("gp-ucb", domain, MAKE_KERNEL(cases_kernel, ctx, &smooth), "choice=thompson");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(policy, 0, &q, &x), "choice", "thompson", "box");
    ASSERT_OK(tvgp_policy_set(policy, "choice=ucb"));
    ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, &x));
}

/* A field that drifts as the policy assumes: the draw loses little against the upper bound. */
static double regret_of(const char *options, uint64_t seed) {
    enum { N = 40, STEPS = 250 };
    const double epsilon = 0.03;
    const struct ref_kernel k = {.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.2}};
    double X[N], L[N][N] = {{0}}, f[N], regret = 0;
    struct rnd r = {seed};
    place(N, X);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = ref_kernel(&k, &X[i], &X[j]) + (i == j ? 1e-8 : 0);
            for (size_t m = 0; m < j; m++)
                rest -= L[i][m] * L[j][m];
            L[i][j] = i == j ? sqrt(rest) : rest / L[j][j];
        }
    tvgp_policy *policy = open_policy("tv-gp-ucb", &k, N, options);
    for (size_t t = 0; t < STEPS; t++) {
        double z[N];
        for (size_t i = 0; i < N; i++)
            z[i] = rnd_normal(&r);
        for (size_t i = 0; i < N; i++) {
            double fresh = 0;
            for (size_t j = 0; j <= i; j++)
                fresh += L[i][j] * z[j];
            f[i] = t ? sqrt(1 - epsilon) * f[i] + sqrt(epsilon) * fresh : fresh;
        }
        const tvgp_query q = harness_ask(policy, (double)t);
        regret += f[best_of(N, f)] - f[q.arm];
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, f[q.arm] + 0.1 * rnd_normal(&r)));
    }
    return regret;
}

TEST(regret_beside_the_upper_bound) {
    double bound = 0, draw = 0;
    for (uint64_t run = 1; run <= 10; run++) {
        bound += regret_of("noise=0.01 epsilon=0.03", run);
        draw += regret_of("noise=0.01 epsilon=0.03 choice=thompson propensity.draws=0", run);
    }
    ck_assert_msg(draw <= 1.3 * bound, "%g against %g", draw, bound);
}

HARNESS_MAIN("thompson")
