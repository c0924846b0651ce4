/* SPDX-License-Identifier: MIT */
/* Policies on boxes with default settings: the exact posterior of what was learned, units, the same run on a grid of arms,
 * long logs, failed asks. */
#include "harness.h"

#include <math.h>
#include <string.h>

static const char *const learners[] = {"gp-ucb", "igp-ucb", "tv-gp-ucb", "r-gp-ucb", "br-gp-ucb", "sw-gp-ucb", "et-gp-ucb"};
enum { LEARNERS = sizeof learners / sizeof *learners };

static const double lower[] = {-1, 200}, upper[] = {1, 260};

static tvgp_policy *told_nothing(const char *name, size_t dim) {
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, harness_box(dim, lower, upper), NULL);
    (void)tvgp_policy_set_f64(p, "rank.tolerance", 0); /* of those that have one */
    return p;
}

static double drifting(const double *x, double t) {
    return sin(3 * x[0] + 0.02 * t) + 0.5 * cos((x[1] - 200) / 12 - 0.01 * t);
}

static void cancel(tvgp_policy *p, const tvgp_query *q) {
    const tvgp_obs cancelled = {.id = q->id, .outcome = TVGP_CANCELLED};
    ASSERT_OK(tvgp_policy_tell(p, 1, &cancelled, NULL));
}

/* n values at random points of the box that no caller asked for, at times 1 .. n. */
static void show(tvgp_policy *p, int n, double *X, double *t, double *y) {
    struct rnd r = {60};
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 2; d++)
            X[2 * i + d] = lower[d] + (upper[d] - lower[d]) * rnd_uniform(&r);
        t[i] = i + 1;
        y[i] = 30 * drifting(X + 2 * i, t[i]) + 200 + 2 * rnd_normal(&r);
        const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t[i], .y = y[i]};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, X + 2 * i));
    }
}

/* Predictions of the policy are those of a gp with the parameters in use and these observations, variances times the scale
 * found since. */
static void same_as_gp(tvgp_policy *p, int n, const double *X, const double *t, const double *y, int drift, double now) {
    tvgp_kernel *time = NULL;
    tvgp_kernel *space = MAKE_KERNEL(tvgp_policy_kernel, p);
    double scale = harness_stat(p, "fit.variance") / harness_parameter(space, 0), mean, var, exact_mean, exact_var;
    ASSERT_NEAR(harness_parameter(space, 2), harness_stat(p, "fit.lengthscale.1"), 1e-15);
    if (drift)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, harness_stat(p, "fit.rate"));
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, space, time, harness_stat(p, "fit.noise_var") / scale);
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, harness_stat(p, "fit.mean"), NULL));
    ASSERT_OK(tvgp_gp_add(gp, (size_t)n, X, drift ? t : NULL, y, NULL));
    struct rnd r = {61};
    for (int i = 0; i < 20; i++) {
        const double x[] = {2 * rnd_uniform(&r) - 1, 200 + 60 * rnd_uniform(&r)};
        ASSERT_OK(tvgp_policy_predict(p, now, 1, x, &mean, &var));
        ASSERT_OK(tvgp_gp_predict(gp, 1, x, now, &exact_mean, &exact_var));
        ASSERT_NEAR(mean, exact_mean, 1e-7);
        ASSERT_NEAR(var / scale, exact_var, 1e-7);
    }
}

TEST_EACH(posterior_is_exact, 2) {
    enum { N = 90 };
    double X[2 * N], t[N], y[N];
    size_t evals = 0;
    tvgp_policy *p = told_nothing(_i ? "tv-gp-ucb" : "gp-ucb", 2);
    ASSERT_NEAR(harness_stat(p, "fit.lengthscale.1"), 60 * 0.3 * pow(2, 0.25), 1e-12); /* ranges are those of the box */
    show(p, N, X, t, y);
    ASSERT_OK(tvgp_policy_fit(p, 200, &evals));
    ck_assert_uint_gt(evals, 3);
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
    same_as_gp(p, N, X, t, y, _i, N + 3);
}

/* y -> a y + b: the same points, and parameters that follow. Each asks for itself; all receive the outcome of the first one's point. */
TEST_EACH(any_unit, LEARNERS) {
    static const double factor[] = {1000, 1e-3}, offset[] = {-7, 1e2};
    tvgp_policy *p[3];
    struct rnd r = {50};
    for (int i = 0; i < 3; i++)
        p[i] = told_nothing(learners[_i], 2);
    for (int t = 1; t <= 80; t++) {
        double x[2], other[2];
        tvgp_query q = harness_ask_at(p[0], t, x);
        double y = drifting(x, t) + 0.1 * rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(p[0], q.id, y));
        for (int i = 1; i < 3; i++) {
            q = harness_ask_at(p[i], t, other);
            for (int d = 0; d < 2; d++)
                ck_assert_msg(fabs(x[d] - other[d]) <= 1e-4 * (upper[d] - lower[d]), "%s, t %d: %.9g, was %.9g",
                              learners[_i], t, other[d], x[d]);
            cancel(p[i], &q);
            const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = factor[i - 1] * y + offset[i - 1]};
            ASSERT_OK(tvgp_policy_tell(p[i], 1, &obs, x));
        }
    }
    ck_assert_double_gt(harness_stat(p[0], "fit.adopted"), 0);
    for (int i = 1; i < 3; i++) {
        double a = factor[i - 1];
        ck_assert_double_eq(harness_stat(p[i], "fit.adopted"), harness_stat(p[0], "fit.adopted"));
        ASSERT_NEAR(harness_stat(p[i], "fit.lengthscale.1") / harness_stat(p[0], "fit.lengthscale.1"), 1, 1e-6);
        ASSERT_NEAR(harness_stat(p[i], "fit.variance") / harness_stat(p[0], "fit.variance") / (a * a), 1, 1e-6);
        ASSERT_NEAR(harness_stat(p[i], "fit.noise_var") / harness_stat(p[0], "fit.noise_var") / (a * a), 1, 1e-6);
        ASSERT_NEAR((harness_stat(p[i], "fit.mean") - offset[i - 1]) / a, harness_stat(p[0], "fit.mean"), 1e-6);
    }
}

/* With the points of a grid as candidates on the box, and on the grid itself as arms: the same asks. Two pending at a time, told in pairs. */
TEST_EACH(like_a_grid_of_arms, LEARNERS) {
    const size_t points[] = {9, 9};
    const char *name = learners[_i];
    tvgp_policy *box = told_nothing(name, 2);
    struct rnd r = {70};
    tvgp_policy *arms = MAKE_POLICY(tvgp_policy_create, ctx, name, harness_grid(2, lower, upper, points), NULL);
    harness_set_grid(box, NULL, NULL, 9);
    harness_option(box, "forget.tolerance", 0);
    for (int step = 0; step < 28; step += 2) {
        tvgp_query on_box[2], on_arms[2];
        double x[4], y[4];
        for (int k = 0; k < 2; k++) {
            on_box[k] = harness_ask_at(box, step + 1, x + 2 * k);
            on_arms[k] = harness_ask_at(arms, step + 1, y + 2 * k);
            ck_assert_mem_eq(x + 2 * k, y + 2 * k, 2 * sizeof *x);
            ASSERT_NEAR(on_box[k].score, on_arms[k].score, 1e-6);
            ASSERT_NEAR(on_box[k].noise_var, on_arms[k].noise_var, 1e-6);
        }
        for (int k = 0; k < 2; k++) {
            double value = 7 * drifting(x + 2 * k, step) + 0.1 * rnd_normal(&r);
            ASSERT_OK(tvgp_policy_tell_value(box, on_box[k].id, value));
            ASSERT_OK(tvgp_policy_tell_value(arms, on_arms[k].id, value));
        }
    }
    ck_assert_double_gt(harness_stat(box, "fit.adopted"), 0);
    static const char *const keys[] = {"fit.adopted", "fit.objective",     "fit.variance",
                                       "fit.mean",    "fit.lengthscale.0", "width"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ASSERT_NEAR(harness_stat(box, keys[i]), harness_stat(arms, keys[i]), 1e-6);
}

/* A log longer than the ring, shown in instalments across its end: still the posterior of what the ring holds. */
TEST(long_log) {
    enum { N = 420, KEEP = 300 };
    double X[2 * N], t[N], y[N], x[2];
    tvgp_policy *p = told_nothing("gp-ucb", 2);
    harness_option(p, "fit.every", -1);
    harness_option(p, "fit.stored_observations", KEEP);
    harness_option(p, "fit.window", 60);
    show(p, N, X, t, y);
    size_t evals;
    ASSERT_OK(tvgp_policy_fit(p, 300, &evals));
    ck_assert_double_eq(harness_stat(p, "observations"), KEEP);
    double scale = harness_stat(p, "fit.variance"); /* of the window, by predictions made as the log was shown */
    ck_assert_double_gt(scale, 0);
    same_as_gp(p, KEEP, X + 2 * (N - KEEP), t, y + N - KEEP, 0, N);
    (void)harness_ask_at(p, N + 1, x);
}

/* What forgetting has made worthless is not shown to a new posterior, and predictions do not mind. */
TEST(faded_log) {
    enum { N = 600 };
    double X[2 * N], t[N], y[N], mean[2], var[2];
    const double x[] = {0.3, 222};
    for (int keep = 0; keep < 2; keep++) {
        tvgp_policy *p = told_nothing("tv-gp-ucb", 2);
        harness_option(p, "rank.tolerance", 0); /* rows */
        harness_option(p, "fit.every", -1);
        harness_option(p, "fit.epsilon", 0);
        harness_option(p, "epsilon", 0.1);
        harness_option(p, "fit.window", 60);
        if (keep)
            harness_option(p, "rows.limit", 1e9); /* nothing counts as faded among that many */
        show(p, N, X, t, y);
        size_t evals;
        ASSERT_OK(tvgp_policy_fit(p, 300, &evals));
        ASSERT_OK(tvgp_policy_predict(p, N + 1, 1, x, &mean[keep], &var[keep]));
        ck_assert_double_lt(harness_stat(p, "observations"), (keep ? N + 1 : 0.5 * N));
    }
    ASSERT_NEAR(mean[0], mean[1], 1e-6);
    ASSERT_NEAR(var[0], var[1], 1e-6);
}

/* Noise at n places, told at times from `first` + 1 on. */
static void show_noise(tvgp_policy *p, int first, int n, double *X, double *y) {
    struct rnd r = {62 + (uint64_t)first};
    for (int i = first; i < first + n; i++) {
        for (int d = 0; d < 2; d++)
            X[2 * i + d] = lower[d] + (upper[d] - lower[d]) * rnd_uniform(&r);
        y[i] = rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = i + 1, .y = y[i]}, X + 2 * i));
    }
}

/* The same, told the kernel in use and that many points, of n outcomes. */
static void same_as_told(tvgp_policy *p, double points, int n, const double *X, const double *y, double now) {
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_policy_kernel, p);
    const double scale = harness_stat(p, "fit.variance") / harness_parameter(kernel, 0),
                 offset = harness_stat(p, "fit.mean");
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_box(2, lower, upper), kernel);
    harness_option(twin, "noise", harness_stat(p, "fit.noise_var") / scale);
    harness_option(twin, "rows.limit", points);
    harness_option(twin, "rank.limit", points);
    for (int i = 0; i < n; i++)
        ASSERT_OK(tvgp_policy_tell(twin, 1, &(tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = i, .y = y[i] - offset}, X + 2 * i));
    for (int i = 0; i < n; i++) {
        double mean[2], var[2];
        ASSERT_OK(tvgp_policy_predict(p, now, 1, X + 2 * i, &mean[0], &var[0]));
        ASSERT_OK(tvgp_policy_predict(twin, now, 1, X + 2 * i, &mean[1], &var[1]));
        ASSERT_NEAR(mean[0] - offset, mean[1], 1e-8);
        ASSERT_NEAR(var[0] / scale, var[1], 1e-8);
    }
}

/* Where points were dropped a new posterior is conditioned on the newest outcomes alone: the window, and two for each point. It equals
 * a posterior with its kernel and these outcomes. */
TEST(newest_alone) {
    enum { N = 400, MORE = 60, LIMIT = 26, POINTS = 20, WINDOW = 50, SHOWN = WINDOW + 2 * POINTS };
    static double X[2 * (N + MORE)], y[N + MORE];
    size_t evals;
    tvgp_policy *p = told_nothing("gp-ucb", 2);
    harness_option(p, "rank.tolerance", 0.01);
    harness_option(p, "rank.limit", LIMIT);
    harness_option(p, "fit.every", -1);
    harness_option(p, "fit.min_improvement", 0);
    harness_option(p, "fit.window", WINDOW);
    harness_option(p, "prior.lengthscale", 0.01);
    show_noise(p, 0, N, X, y);
    ck_assert_double_eq(harness_stat(p, "rank"), POINTS);
    ASSERT_OK(tvgp_policy_fit(p, 300, &evals));
    show_noise(p, N, MORE, X, y);
    ASSERT_OK(tvgp_policy_fit(p, 300, &evals));
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 2);
    ck_assert_double_eq(harness_stat(p, "observations"), SHOWN);
    same_as_told(p, POINTS, SHOWN, X + 2 * (N + MORE - SHOWN), y + N + MORE - SHOWN, N + MORE);
}

/* However few points the support has, an ask shows a new posterior 512 outcomes at most. */
TEST(shown_by_and_by) {
    enum { N = 800, AT_ONCE = 512 };
    static double X[2 * N], t[N], y[N];
    double x[2];
    int asks = 0;
    tvgp_policy *p = told_nothing("gp-ucb", 2);
    harness_option(p, "rank.tolerance", 0.01);
    harness_option(p, "fit.max_evals", 1000);
    show(p, N, X, t, y);
    do {
        const tvgp_query q = harness_ask_at(p, N + ++asks, x);
        cancel(p, &q);
    } while (harness_stat(p, "fit.pending") > 0);
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
    ck_assert_int_gt(asks, N / AT_ONCE);
    ck_assert_int_le(asks, 16 * N / AT_ONCE);
}

/* ---- failures ----------------------------------------------------------------------------------------------------- */

static int refuse; /* 1: the next call of the callback fails */

static int32_t anywhere(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)user;
    (void)X;
    memset(ok, 1, n);
    return refuse ? -1234 : 0;
}

/* Restarts by count, where there are any. */
static void restart_often(tvgp_policy *p) {
    if (harness_has(p, "reset.every"))
        harness_option(p, "reset.every", 7);
}

/* After n observations: asks that fail in the search, after something was learned or when the policy is to start again, have
 * not happened. A twin that was spared asks the same bits. Returns how many asks found an adoption under way. */
static int fail_searches(const char *name, int n, int evals) {
    enum { MOST = 900 };
    tvgp_policy *p = told_nothing(name, 2), *twin = told_nothing(name, 2);
    struct rnd r = {90};
    static double X[2 * MOST], t[MOST], y[MOST];
    double x[2], other[2];
    int pending = 0;
    tvgp_policy *both[] = {p, twin};
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_policy_set_feasible(both[k], anywhere, NULL, NULL));
        harness_option(both[k], "fit.max_evals", evals);
        harness_option(both[k], "search.effort", 0.05);
        harness_option(both[k], "fit.window", 60);
        restart_often(both[k]);
        show(both[k], n, X, t, y);
    }
    for (int step = 0; step < 32; step++) {
        tvgp_query q, spared = harness_ask_at(twin, n + 1 + step, other);
        refuse = 1;
        for (int k = 0; k < step % 3; k++) {
            const double known = harness_stat(p, "observations"), resets = harness_stat(p, "resets");
            ck_assert_int_eq(tvgp_policy_ask_one(p, n + 1 + step, &q, x), -1234);
            ck_assert(harness_stat(p, "observations") == known && harness_stat(p, "resets") == resets);
        }
        refuse = 0;
        q = harness_ask_at(p, n + 1 + step, x);
        pending += harness_stat(p, "fit.pending") == 1;
        ck_assert_mem_eq(x, other, sizeof x);
        ck_assert_double_eq(q.score, spared.score);
        double value = 30 * drifting(x, n + 1 + step) + 200 + rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, value));
        ASSERT_OK(tvgp_policy_tell_value(twin, spared.id, value));
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 0);
    static const char *const keys[] = {"fit.count", "fit.evals", "fit.adopted", "fit.variance", "fit.mean", "observations"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert_double_eq(harness_stat(p, keys[i]), harness_stat(twin, keys[i]));
    return pending;
}

TEST_EACH(failed_search, LEARNERS) {
    (void)fail_searches(learners[_i], 100, 3);
}

/* A log that is shown over many asks: what a failed one had shown is not shown again. */
TEST(failed_search_in_instalments) {
    ck_assert_int_gt(fail_searches("gp-ucb", 800, 1000), 15);
    if (harness_all())
        ck_assert_int_gt(fail_searches("r-gp-ucb", 800, 1000), 2);
}

/* A static function of three inputs, one of which does nothing: found, and told apart. */
TEST(finds_what_matters) {
    static const double low[3] = {0}, high[3] = {1, 1, 1000};
    struct rnd r = {92};
    double x[3], best = -INFINITY;
    int64_t arm;
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_box(3, low, high), NULL);
    ASSERT_OK(tvgp_policy_set_str(p, "sense", "min"));
    for (int t = 1; t <= 60; t++) {
        tvgp_query q = harness_ask_at(p, t, x);
        double cost = 5e4 * (pow(x[0] - 0.3, 2) + pow(x[1] - 0.62, 2)) - 3e5 + 300 * rnd_normal(&r);
        best = fmax(best, -cost);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, cost));
    }
    ASSERT_OK(tvgp_policy_best(p, 61, &arm, x));
    ck_assert_double_lt(fabs(x[0] - 0.3), 0.05);
    ck_assert_double_lt(fabs(x[1] - 0.62), 0.05);
    ck_assert_double_gt(harness_stat(p, "fit.lengthscale.2") / 1000, 1.3 * harness_stat(p, "fit.lengthscale.0"));
}

TEST(errors) {
    tvgp_policy *p = NULL;
    tvgp_query q;
    double x[2];
    tvgp_domain *domain = harness_box(2, lower, upper);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "pe-gp-ucb", domain, NULL, &p), "kernel is NULL", "learns none");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "bkb", domain, NULL, &p), "kernel is NULL", "learns none");
    p = told_nothing("gp-ucb", 2);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "off"));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(p, 1, &q, x), "fit = off", "without a kernel");
    tvgp_policy_destroy(p);
}

HARNESS_MAIN("box_learn")
