/* SPDX-License-Identifier: MIT */
/* The posterior of a function that repeats while it forgets, in harmonics, against the dense one over arms and times. */
#include "cases.h"
#include "model/posterior_make.h"
#include "ref/ref_gp.h"

#include <math.h>

enum { ARMS = 12, STEPS = 2000, MOST_EVENTS = 2000 };
#define FLAT 1e150 /* a lengthscale over which nothing changes */

static const struct ref_kernel arms = {.kind = REF_SE, .dim = 2, .variance = 1.5, .l = {0.3, FLAT}};
static const struct ref_kernel day = {.kind = REF_PERIODIC, .dim = 2, .variance = 1, .l = {FLAT, 1}, .period = {1, 24}};
static const struct ref_kernel uneven = {
    .kind = REF_PERIODIC, .dim = 2, .variance = 1, .l = {FLAT, 0.45}, .period = {1, 10}};
static const struct ref_kernel half_day = {
    .kind = REF_PERIODIC, .dim = 2, .variance = 0.5, .l = {FLAT, 1}, .period = {1, 24}};
static const struct ref_kernel half_week = {
    .kind = REF_PERIODIC, .dim = 2, .variance = 0.5, .l = {FLAT, 1}, .period = {1, 168}};
static const struct ref_kernel both = {.kind = REF_SUM, .dim = 2, .a = &half_day, .b = &half_week};
static const struct ref_kernel by_day = {.kind = REF_PRODUCT, .dim = 2, .a = &arms, .b = &day};
static const struct ref_kernel by_uneven = {.kind = REF_PRODUCT, .dim = 2, .a = &arms, .b = &uneven};
static const struct ref_kernel by_both = {.kind = REF_PRODUCT, .dim = 2, .a = &arms, .b = &both};

static const struct scene {
    const struct ref_kernel *joint;
    tvgp__season season;
    double epsilon;
    int steps, late; /* late: one outcome in five is of the past, where that is exact */
} scenes[] = {
    {&by_day, {1, 1, {24}}, 0.002, STEPS, 0},
    {&by_day, {1, 1, {24}}, 0, 600, 1},
    {&by_uneven, {0.45, 1, {10}}, 0.01, 600, 0},
    {&by_both, {1, 2, {24, 168}}, 0.003, 600, 0},
};

static tvgp__posterior *open_posterior(const struct scene *s, double *X) {
    const double l = 0.3;
    tvgp__posterior *post;
    for (size_t i = 0; i < ARMS; i++)
        X[i] = (double)i / (ARMS - 1);
    const double *no_mean = NULL;
    const tvgp_kernel *kernels[] = {MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 1.5, 1, &l)};
    const tvgp__drift law = {.kind = TVGP__DRIFT_FORGETTING, .rate = s->epsilon};
    const tvgp__kalman_mixture_spec spec = {.n_drifts = 1,
                                            .n_priors = 1,
                                            .drifts = &law,
                                            .seasonal = 1,
                                            .season = s->season,
                                            .kernels = kernels,
                                            .means = &no_mean};
    ASSERT_OK(tvgp__kalman_mixture_new(ctx, &spec, 0.05, ARMS, X, &post));
    return post;
}

static void assert_same(tvgp__posterior *post, struct ref_gp *ref, const double *X, double t) {
    const double places[] = {0.013, 0.37, 0.99};
    double point[2 * ARMS], mean[ARMS], var[ARMS], want[ARMS], want_var[ARMS], column[ARMS], m, v;
    for (size_t i = 0; i < ARMS; i++) {
        point[2 * i] = X[i];
        point[2 * i + 1] = t;
    }
    ref_gp_predict(ref, ARMS, point, t, want, want_var);
    post->ops->at(post, t, ARMS, NULL, mean, var);
    ASSERT_ALL_NEAR(ARMS, mean, want, 1e-9);
    ASSERT_ALL_NEAR(ARMS, var, want_var, 1e-9);
    for (size_t i = 0; i < 3; i++) {
        point[2 * i] = places[i];
        ref_gp_predict(ref, 1, point + 2 * i, t, want, want_var);
        ASSERT_OK(tvgp__posterior_predict(post, t, 1, &places[i], &m, &v));
        ASSERT_NEAR(m, want[0], 1e-8); /* features are those of the arms */
        ASSERT_NEAR(v, want_var[0], 1e-8);
        point[2 * i] = X[i];
    }
    if (t > post->now)
        return;
    tvgp__posterior_finish(post);
    post->ops->column(post, 4, column);
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(column[i], ref_gp_covariance(ref, point + 8, point + 2 * i, t), 1e-9);
        ASSERT_NEAR(post->own.mean[i], mean[i], 1e-9);
    }
}

TEST_EACH(harmonics_are_the_dense_posterior, sizeof scenes / sizeof *scenes) {
    const struct scene *s = &scenes[_i];
    struct rnd r = {5};
    struct ref_gp ref;
    double X[ARMS], t = 3.25;
    tvgp__posterior *post = open_posterior(s, X);
    ref_gp_init(&ref, s->joint, s->epsilon, MOST_EVENTS);
    for (int step = 0; step < s->steps; step++) {
        const size_t arm = rnd_below(&r, ARMS);
        t += step % 7 ? 3 * rnd_uniform(&r) * rnd_uniform(&r) : 0; /* some at one time, some far apart */
        const double when = s->late && step % 5 == 4 ? t - 20 * rnd_uniform(&r) : t;
        const double point[] = {X[arm], when};
        const double y = sin(when / 4 + 3 * X[arm]) + 0.2 * rnd_normal(&r);
        const tvgp__points points = {.n = 1, .arm = &arm};
        ASSERT_OK(post->ops->prepare(post, &points));
        if (step % 3)
            post->ops->advance(post, t);
        tvgp__posterior_observe(post, &points, 0, when, y, 0.05, 0);
        ref_gp_add(&ref, point, when, y, 0.05);
        if (step % (s->steps / 10) == 0)
            assert_same(post, &ref, X, step % 2 ? t : t + 5 * rnd_uniform(&r));
    }
    post->ops->advance(post, t + 1);
    assert_same(post, &ref, X, t + 1);
    ASSERT_NEAR(post->log_marginal_likelihood, ref_gp_log_evidence(&ref), 1e-9);
    ck_assert_uint_eq(post->counts.widened, 0);
    ref_gp_free(&ref);
    post->ops->reset(post);
    ref_gp_init(&ref, s->joint, s->epsilon, 1);
    assert_same(post, &ref, X, t + 1);
    ref_gp_free(&ref);
    tvgp__posterior_free(post);
}

/* q_j = (2 - [j = 0]) e^-a I_j(a), by its own series; and their sum at any angle is the kernel. */
TEST(weights_of_harmonics) {
    static const double lengthscales[] = {0.3, 0.5, 1, 3, 1000};
    for (size_t i = 0; i < 5; i++) {
        double q[TVGP__SEASON_MOST + 1];
        const double a = 1 / (lengthscales[i] * lengthscales[i]);
        const size_t count = tvgp__season_weights(lengthscales[i], q);
        ck_assert_uint_le(count, TVGP__SEASON_MOST);
        for (size_t j = 0; j <= count; j++) {
            double term = exp(-a), sum = 0;
            for (size_t k = 1; k <= j; k++)
                term *= a / 2 / (double)k;
            for (size_t k = 1; k < 200; k++) {
                sum += term;
                term *= a / 2 / (double)k * (a / 2) / (double)(k + j);
            }
            ASSERT_NEAR(q[j], (j ? 2 : 1) * sum, 1e-14);
        }
        for (double angle = 0; angle < 7; angle += 0.1) {
            double sum = 0;
            for (size_t j = 0; j <= count; j++)
                sum += q[j] * cos((double)j * angle);
            ASSERT_NEAR(sum, exp(-2 * sin(angle / 2) * sin(angle / 2) * a), 2e-13);
        }
    }
}

/* Under forgetting an outcome of the past is blurred: it says less than it would, and is counted. */
TEST(late_answers_under_forgetting) {
    const struct scene s = {.season = {1, 1, {24}}, .epsilon = 0.05};
    double X[ARMS], mean, var, blurred;
    const size_t arm = 3;
    const tvgp__points points = {.n = 1, .arm = &arm};
    tvgp__posterior *post = open_posterior(&s, X);
    post->ops->advance(post, 50);
    ASSERT_OK(post->ops->prepare(post, &points));
    tvgp__posterior_observe(post, &points, 0, 26, 1, 0.05, 0); /* a day ago */
    ck_assert_uint_eq(post->counts.widened, 1);
    post->ops->at(post, 50, 1, &arm, &mean, &blurred);
    post->ops->reset(post);
    tvgp__posterior_observe(post, &points, 0, 50, 1, 0.05, 0);
    post->ops->at(post, 50, 1, &arm, &mean, &var);
    ck_assert(var < blurred && blurred < 1.5);
    tvgp__posterior_free(post);
}

/* ---- the policy ------------------------------------------------------------------------------------------------- */

static tvgp_policy *open_policy(const char *options) {
    const double lower = 0, upper = 1, l = 0.3;
    const size_t points = ARMS;
    return harness_create("tv-gp-ucb", harness_grid(1, &lower, &upper, &points), harness_se(1, 1, &l), options);
}

static double regret_of(const char *options) {
    tvgp_policy *policy = open_policy(options);
    double lost = 0;
    for (int t = 0; t < 20 * 24; t++) {
        const tvgp_query q = harness_ask(policy, t);
        const double x = (double)q.arm / (ARMS - 1), peak = 0.5 + 0.45 * sin(6.283185307179586 * t / 24);
        const double value = exp(-0.5 * pow((x - peak) / 0.2, 2));
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, value));
        lost += t >= 240 ? 1 - value : 0;
    }
    return lost / 240;
}

TEST(a_season_is_learned) {
    const double drift = regret_of("noise=0.01 epsilon=0.1");
    ck_assert_double_lt(regret_of("noise=0.01 epsilon=0.001 season.period=24"), 0.5 * drift);
    ck_assert_double_lt(regret_of("noise=0.01 epsilon=0.001 season.period=24,168"), 0.5 * drift);
    ck_assert_double_lt(regret_of("noise=0.01 epsilon=0.001 season.period=24 choice=thompson propensity.draws=0"),
                        0.7 * drift);
}

TEST(a_smooth_law_has_no_season) {
    tvgp_query q;
    tvgp_policy *smooth = open_policy("season.period=24 time.kernel=matern32");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(smooth, 0, &q, NULL), "season");
}

HARNESS_MAIN("harmonic")
