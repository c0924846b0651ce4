/* SPDX-License-Identifier: MIT */
/* Policies with default settings: the golden outcomes next to the reference, units, instalments, resets, bad data, lack of
 * memory. */
#include "golden/golden_learn_loop.h"
#include "harness.h"
#include "policy/ucb/ucb.h"
#include "ref/ref_fit.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tvgp_domain *line(size_t n) {
    const double lower = 0, upper = 1;
    return harness_grid(1, &lower, &upper, &n);
}

static tvgp_policy *told_nothing(const char *name, tvgp_domain *domain) {
    return MAKE_POLICY(tvgp_policy_create, ctx, name, domain, NULL);
}

static void tell(tvgp_policy *p, const tvgp_query *q, double y) {
    ASSERT_OK(tvgp_policy_tell_value(p, q->id, y));
}

/* ---- golden ------------------------------------------------------------------------------------------------------- */

/* The arm of the highest mean + 2 sd by the reference with these parameters, and by how much it is the highest. */
static int best_by_reference(const struct ref_optimum *o, size_t n, const double *x, const double *y, double *gap) {
    const struct ref_kernel kernel = {.kind = REF_MATERN52, .dim = 1, .variance = o->scale, .l = {o->lengthscale[0]}};
    struct ref_gp gp;
    double best = -INFINITY, second = -INFINITY;
    int arm = 0;
    ref_gp_init(&gp, &kernel, 0, n);
    for (size_t i = 0; i < n; i++)
        ref_gp_add(&gp, &x[i], 0, y[i] - o->mean, o->ratio * o->scale);
    for (int i = 0; i < 31; i++) {
        double mean, var;
        ref_gp_predict(&gp, 1, &golden_loop_arms[i], 0, &mean, &var);
        const double score = o->mean + mean + 2 * sqrt(var);
        second = score > best ? best : fmax(second, score);
        arm = score > best ? i : arm;
        best = fmax(best, score);
    }
    ref_gp_free(&gp);
    *gap = best - second;
    return arm;
}

/* The arms and outcomes of the golden run: at each step the parameters are an optimum of the reference too, the best it knows but
 * where few outcomes have two, and the choice follows from them. */
TEST(reference_run) {
    double x[GOLDEN_LOOP], y[GOLDEN_LOOP], gap;
    int compared = 0, other = 0;
    tvgp_policy *p = told_nothing("gp-ucb", harness_arms(31, 1, golden_loop_arms));
    harness_option(p, "fit.every", 1);
    harness_option(p, "fit.min_improvement", 0);
    harness_option(p, "fit.max_evals", 1000);
    ASSERT_OK(tvgp_policy_set_str(p, "width.schedule", "constant"));
    harness_option(p, "width.value", 2);
    for (int i = 0; i < GOLDEN_LOOP; i++) {
        const struct golden_learn_step *g = &golden_loop[i];
        const struct ref_fit fit = {.n = (size_t)i, .d = 1, .x = x, .y = y};
        tvgp_query q = harness_ask(p, i + 1);
        tvgp__ucb_learner(p)->hyper->rules.tol_gain = 1e-12;
        if (i >= 3) {
            const struct ref_optimum there = {.lengthscale = {harness_stat(p, "fit.lengthscale.0")},
                                              .ratio = harness_stat(p, "fit.noise_var") / harness_stat(p, "fit.variance")};
            const struct ref_optimum o = ref_fit_optimum(&fit, &there);
            const int arm = best_by_reference(&o, fit.n, x, y, &gap);
            ck_assert_double_le(o.objective - harness_stat(p, "fit.objective"), 0.1);
            if (o.objective - harness_stat(p, "fit.objective") > 1e-6)
                other++;
            else {
                ASSERT_NEAR(log(harness_stat(p, "fit.lengthscale.0")), log(o.lengthscale[0]), 1e-4);
                ASSERT_NEAR(log(harness_stat(p, "fit.noise_var") / harness_stat(p, "fit.variance")), log(o.ratio), 1e-4);
                ASSERT_NEAR(harness_stat(p, "fit.mean"), o.mean, 1e-4);
                ASSERT_NEAR(harness_stat(p, "fit.variance"), o.scale, 1e-4);
                ASSERT_NEAR(harness_stat(p, "fit.objective"), o.objective, 1e-8);
                compared += gap > 1e-4;
                ck_assert_msg(gap <= 1e-4 || q.arm == arm, "step %d: arm %d, the reference %d", i, (int)q.arm, arm);
            }
        }
        const tvgp_obs cancelled = {.id = q.id, .outcome = TVGP_CANCELLED}, obs = {.y = g->y};
        if (q.arm == g->arm)
            tell(p, &q, g->y);
        else {
            ASSERT_OK(tvgp_policy_tell(p, 1, &cancelled, NULL));
            ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &golden_loop_arms[g->arm]));
        }
        x[i] = golden_loop_arms[g->arm];
        y[i] = g->y;
    }
    ck_assert_int_ge(compared, 9);
    ck_assert_int_le(other, 2);
}

/* ---- units -------------------------------------------------------------------------------------------------------- */

static const char *const learners[] = {"gp-ucb",    "igp-ucb",   "tv-gp-ucb",    "r-gp-ucb",
                                       "br-gp-ucb", "sw-gp-ucb", "et-gp-ucb",    "auto-gp-ucb",
                                       "ui-gp-ucb", "w-gp-ucb",  "sparq-gp-ucb", "w-sparq-gp-ucb"};
enum { LEARNERS = sizeof learners / sizeof *learners };

static double drifting(int64_t arm, double t) {
    double x = (double)arm / 20;
    return sin(6 * x + 0.02 * t) + 0.5 * cos(11 * x - 0.01 * t);
}

/* y -> a y + b, and -y where the least is looked for: the same arms, and parameters that follow, for every policy that learns. */
TEST_EACH(any_unit, LEARNERS) {
    enum { UNITS = 4 };
    static const double factor[UNITS] = {1, 1000, 1e-3, -1}, offset[UNITS] = {0, -7, 1e2, 0};
    tvgp_policy *p[UNITS];
    struct rnd r = {50};
    for (int i = 0; i < UNITS; i++)
        p[i] = told_nothing(learners[_i], line(21));
    for (int i = 0; i < UNITS && strstr(learners[_i], "sparq"); i++)
        harness_option(p[i], "side.round_factor", 0); /* one side query a round: in a set of more round-off breaks ties */
    ASSERT_OK(tvgp_policy_set_str(p[3], "sense", "min"));
    for (int t = 1; t <= 300; t++) {
        tvgp_query q = harness_ask(p[0], t);
        double y = drifting(q.arm, t) + 0.1 * rnd_normal(&r);
        tell(p[0], &q, y);
        for (int i = 1; i < UNITS; i++) {
            tvgp_query other = harness_ask(p[i], t);
            ck_assert_msg(other.arm == q.arm, "%s, unit %d, t %d: arm %d, was %d", learners[_i], i, t, (int)other.arm,
                          (int)q.arm);
            tell(p[i], &other, factor[i] * y + offset[i]);
        }
    }
    ck_assert_double_gt(harness_stat(p[0], "fit.adopted"), 0);
    for (int i = 1; i < UNITS; i++) {
        double a = factor[i];
        ck_assert_double_eq(harness_stat(p[i], "fit.adopted"), harness_stat(p[0], "fit.adopted"));
        ASSERT_NEAR(harness_stat(p[i], "fit.lengthscale.0") / harness_stat(p[0], "fit.lengthscale.0"), 1, 1e-8);
        ASSERT_NEAR(harness_stat(p[i], "fit.variance") / harness_stat(p[0], "fit.variance") / (a * a), 1, 1e-8);
        ASSERT_NEAR(harness_stat(p[i], "fit.noise_var") / harness_stat(p[0], "fit.noise_var") / (a * a), 1, 1e-8);
        ASSERT_NEAR((harness_stat(p[i], "fit.mean") - offset[i]) / a, harness_stat(p[0], "fit.mean"), 1e-8);
    }
}

/* ---- what it assumes --------------------------------------------------------------------------------------------- */

/* n values of the function at random arms and times 1 .. n, that no caller asked for. */
static void show(tvgp_policy *p, int n, uint64_t seed, double *X, double *t, double *y) {
    struct rnd r = {seed};
    for (int i = 0; i < n; i++) {
        int64_t arm = (int64_t)rnd_below(&r, 21);
        X[i] = (double)arm / 20;
        t[i] = i + 1;
        y[i] = 30 * drifting(arm, t[i]) + 200 + 2 * rnd_normal(&r);
        const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t[i], .y = y[i]};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &X[i]));
    }
}

/* After a fit the posterior is that of a gp with the parameters in use and all observations, variances times the scale found
 * since; tv-gp-ucb takes the rate. Of many observations under a static model the ones before the window are summed for each arm. */
TEST_EACH(posterior_is_exact, 3) {
    enum { MOST = 900 };
    double X[MOST], t[MOST], y[MOST], mean, var, exact_mean, exact_var, evidence;
    size_t evals = 0;
    const int drift = _i == 1, many = _i == 2, N = many ? MOST : 90;
    tvgp_policy *p = told_nothing(drift ? "tv-gp-ucb" : "gp-ucb", line(21));
    show(p, N, 60, X, t, y);
    ASSERT_OK(tvgp_policy_fit(p, 200, &evals));
    ck_assert_uint_gt(evals, 3);
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
    ck_assert_double_eq(harness_stat(p, "fit.pending"), 0);
    tvgp_kernel *time = NULL;
    tvgp_kernel *space = MAKE_KERNEL(tvgp_policy_kernel, p);
    double scale = harness_stat(p, "fit.variance") / harness_parameter(space, 0);
    if (!many)
        ASSERT_NEAR(scale, 1, 1e-9); /* shown the window itself */
    ASSERT_NEAR(harness_parameter(space, 1), harness_stat(p, "fit.lengthscale.0"), 1e-15);
    if (drift)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, harness_stat(p, "fit.rate"));
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, space, time, harness_stat(p, "fit.noise_var") / scale);
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, harness_stat(p, "fit.mean"), NULL));
    ASSERT_OK(tvgp_gp_add(gp, (size_t)N, X, drift ? t : NULL, y, NULL));
    ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &evidence));
    ck_assert_double_eq(harness_stat(p, "observations"), N);
    ASSERT_NEAR(harness_stat(p, "log_marginal_likelihood"), evidence, 1e-7);
    for (int i = 0; i <= 20; i++) {
        const double x = i < 20 ? (double)i / 20 : 0.333; /* off the arms too */
        ASSERT_OK(tvgp_policy_predict(p, N + 3, 1, &x, &mean, &var));
        ASSERT_OK(tvgp_gp_predict(gp, 1, &x, N + 3, &exact_mean, &exact_var));
        ASSERT_NEAR(mean, exact_mean, 1e-7);
        ASSERT_NEAR(var / scale, exact_var, 1e-7);
    }
}

/* The same of noise that grows: a dense process with the parameters in use and every noise as old as it is then, on arms and on
 * a box. */
TEST_EACH(aging_posterior_is_exact, 8) {
    enum { N = 60, WAYS = 4 };
    static const char *const names[WAYS] = {"ui-gp-ucb", "ui-gp-ucb", "ui-gp-ucb", "w-gp-ucb"};
    static const char *const options[WAYS] = {"noise_growth=linear", "noise_growth=power", "noise_growth=exponential", ""};
    double X[N], t[N], y[N], mean, var, exact_mean, exact_var;
    const double lower = 0, upper = 1, when = N + 3;
    const int way = _i % WAYS, box = _i / WAYS;
    size_t evals = 0;
    tvgp_domain *domain = NULL;
    tvgp_policy *p = NULL;
    struct ref_gp gp;
    if (box)
        domain = harness_box(1, &lower, &upper);
    p = told_nothing(names[way], box ? domain : line(21));
    ASSERT_OK(tvgp_policy_set(p, options[way]));
    show(p, N, 63, X, t, y);
    ASSERT_OK(tvgp_policy_fit(p, 200, &evals));
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
    tvgp_kernel *space = MAKE_KERNEL(tvgp_policy_kernel, p);
    const double scale = harness_stat(p, "fit.variance") / harness_parameter(space, 0), rate = harness_stat(p, "fit.rate"),
                 noise = harness_stat(p, "fit.noise_var") / scale, now = way == 3 ? N : when;
    ck_assert_double_gt(rate, 0);
    const struct ref_kernel ref = {
        .kind = REF_MATERN52, .dim = 1, .variance = harness_parameter(space, 0), .l = {harness_parameter(space, 1)}};
    ref_gp_init(&gp, &ref, 0, N);
    for (int i = 0; i < N; i++) {
        const double age = now - t[i], grown = way == 0   ? noise + rate * age
                                               : way == 1 ? noise * (1 + (age > 0 ? pow(age, rate) : 0))
                                                          : noise * exp(rate * age);
        ref_gp_add(&gp, &X[i], 0, y[i] - harness_stat(p, "fit.mean"), grown);
    }
    for (int i = 0; i <= 20; i++) {
        const double x = i < 20 ? (double)i / 20 : 0.333;
        ASSERT_OK(tvgp_policy_predict(p, when, 1, &x, &mean, &var));
        ref_gp_predict(&gp, 1, &x, 0, &exact_mean, &exact_var);
        ASSERT_NEAR(mean, exact_mean + harness_stat(p, "fit.mean"), 1e-7);
        ASSERT_NEAR(var / scale, exact_var, 1e-7);
    }
    ref_gp_free(&gp);
}

/* A rate that is given is kept: by fit.epsilon, a square and a Wiener process always. */
TEST_EACH(told_growth, 4) {
    static const char *const options[] = {"noise_growth=linear noise_growth.rate=2 fit.epsilon=0",
                                          "noise_growth=exponential noise_growth.rate=.2 fit.epsilon=0",
                                          "noise_growth=quadratic", "noise_growth=wiener-kernel noise_growth.rate=.04"};
    const double rates[] = {2, 0.2, 2, 0.04};
    double X[40], t[40], y[40];
    size_t evals;
    tvgp_policy *p = told_nothing("ui-gp-ucb", line(21));
    ASSERT_OK(tvgp_policy_set(p, options[_i]));
    show(p, 40, 65, X, t, y);
    ASSERT_OK(tvgp_policy_fit(p, 200, &evals));
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
    ASSERT_NEAR(harness_stat(p, "fit.rate"), rates[_i], 1e-12);
}

/* One evaluation an ask, or all that are needed: the same parameters in the end, by way of a pending fit. The log is shown
 * in instalments. */
TEST(instalments) {
    enum { N = 300 };
    double X[N], t[N], y[N];
    tvgp_policy *p[2];
    int pending = 0;
    for (int i = 0; i < 2; i++) {
        p[i] = told_nothing("tv-gp-ucb", line(21));
        harness_option(p[i], "fit.max_evals", i ? 1 : 1000);
        show(p[i], N, 61, X, t, y);
        tvgp__ucb_learner(p[i])->hyper->rules.tol_gain = 1e-10;
        for (int k = 0; k < 100; k++) {
            tvgp_query q = harness_ask(p[i], N + 1); /* never answered: nothing new to learn */
            const tvgp_obs cancelled = {.id = q.id, .outcome = TVGP_CANCELLED};
            ASSERT_OK(tvgp_policy_tell(p[i], 1, &cancelled, NULL));
            pending += i && harness_stat(p[i], "fit.pending") == 1;
        }
        ck_assert_double_eq(harness_stat(p[i], "fit.count"), 1);
        ck_assert_double_eq(harness_stat(p[i], "fit.adopted"), 1);
        ck_assert_double_eq(harness_stat(p[i], "fit.pending"), 0);
        ck_assert_double_eq(harness_stat(p[i], "observations"), N);
    }
    ck_assert_int_gt(pending, 8);
    ASSERT_NEAR(harness_stat(p[1], "fit.lengthscale.0"), harness_stat(p[0], "fit.lengthscale.0"), 1e-12);
    ASSERT_NEAR(harness_stat(p[1], "fit.objective"), harness_stat(p[0], "fit.objective"), 1e-12);
}

/* Saved at any moment of an adoption, also while outcomes that were put together are shown, it goes on bit by bit. */
TEST(adoptions_survive) {
    enum { N = 260, STEPS = 40, MOST = 1 << 18 };
    static char bytes[MOST];
    double X[N], t[N], y[N];
    int pending = 0;
    tvgp_policy *p = told_nothing("gp-ucb", line(21));
    show(p, N, 63, X, t, y);
    for (int step = N + 1; step <= N + STEPS; step++) {
        tvgp_policy *other = told_nothing("gp-ucb", line(21));
        size_t n;
        ASSERT_OK(tvgp_policy_save(p, sizeof bytes, bytes, &n));
        ASSERT_OK(tvgp_policy_load(other, n, bytes));
        pending += harness_stat(p, "fit.pending") == 1;
        for (int k = 0; k < 12; k++) {
            const tvgp_query q = harness_ask(p, step), again = harness_ask(other, step);
            ck_assert(q.arm == again.arm && q.score == again.score);
            ck_assert(harness_stat(p, "log_marginal_likelihood") == harness_stat(other, "log_marginal_likelihood"));
            const tvgp_obs cancelled = {.id = q.id, .outcome = TVGP_CANCELLED};
            ASSERT_OK(tvgp_policy_tell(other, 1, &cancelled, NULL));
            ASSERT_OK(tvgp_policy_tell(p, 1, &cancelled, NULL));
        }
        ASSERT_OK(tvgp_policy_load(p, n, bytes));
        const tvgp_query q = harness_ask(p, step);
        tell(p, &q, drifting(q.arm, step));
    }
    ck_assert_int_gt(pending, 2);
}

/* fit.every = -1: asks never fit; tvgp_policy_fit does, as far as it is let. */
TEST(when_the_caller_is_idle) {
    enum { N = 60 };
    double X[N], t[N], y[N];
    size_t evals = 77;
    tvgp_policy *p = told_nothing("auto-gp-ucb", line(21));
    harness_option(p, "fit.every", -1);
    ASSERT_OK(tvgp_policy_fit(p, 5, &evals)); /* before the first ask there is nothing to do */
    ck_assert_uint_eq(evals, 0);
    show(p, N, 62, X, t, y);
    for (int k = 0; k < 3; k++)
        (void)harness_ask(p, N + 1);
    ck_assert_double_eq(harness_stat(p, "fit.count"), 0);
    ck_assert_int_eq(tvgp_policy_fit(p, 2, &evals), TVGP_AGAIN);
    ck_assert_uint_le(evals, 2);
    while (tvgp_policy_fit(p, 2, &evals) == TVGP_AGAIN)
        ck_assert_uint_le(evals, 2);
    ck_assert_double_eq(harness_stat(p, "fit.count"), 1);
    ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
    ASSERT_OK(tvgp_policy_fit(p, 2, &evals));
    ck_assert_uint_eq(evals, 0);
}

/* Parameters that are right except a mean 3 sd off: the optimisation gains nothing in its objective, and is adopted all the
 * same. */
TEST(stale_mean) {
    for (int stale = 0; stale < 2; stale++) {
        enum { N = 60 };
        double X[N], t[N], y[N];
        size_t evals;
        tvgp_policy *p = told_nothing("gp-ucb", line(21));
        harness_option(p, "fit.every", 1);
        harness_option(p, "fit.min_improvement", 4);
        show(p, N, 64, X, t, y);
        tvgp__ucb_learner(p)->hyper->rules.tol_gain = 1e-9;
        ASSERT_OK(tvgp_policy_fit(p, 1000, &evals));
        tvgp__learner *l = tvgp__ucb_learner(p);
        double right = l->in_use.point.mean;
        if (stale)
            l->in_use.point.mean += 3 * sqrt(l->in_use.point.scale);
        double before = harness_stat(p, "fit.adopted");
        tvgp_query q = harness_ask(p, N + 1);
        tell(p, &q, 30 * drifting(q.arm, N + 1) + 200);
        for (int k = 2; k < 6; k++)
            (void)harness_ask(p, N + k);
        ck_assert_double_eq(harness_stat(p, "fit.adopted") - before, stale);
        ASSERT_NEAR(harness_stat(p, "fit.mean"), right, 0.05);
    }
}

/* A kernel given: its family stays, off by default; with fit = map its lengthscale is where the prior is. */
TEST(kernel_given) {
    enum { N = 80 };
    double X[N], t[N], y[N];
    const double l = 0.3, variance = 2;
    size_t evals;
    tvgp_domain *domain = line(21);
    tvgp_kernel *se = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, variance, 1, &l);
    tvgp_kernel *sum = MAKE_KERNEL(tvgp_kernel_sum, ctx, se, MAKE_KERNEL(tvgp_kernel_linear, ctx, 1, variance, 1, &l, 0.5));
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, se);
    (void)harness_ask(p, 1);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_fit(p, 5, &evals), "fit = off");
    ck_assert_ptr_eq(MAKE_KERNEL(tvgp_policy_kernel, p), se);
    /* a sum has no factor of its own: it gets one */
    for (int noise = 0; noise < 2; noise++) {
        p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", domain, sum);
        ASSERT_OK(tvgp_policy_set_str(p, "fit", "map"));
        harness_option(p, "fit.noise", noise);
        harness_option(p, "noise", 4);
        harness_option(p, "epsilon", 0.02);
        harness_option(p, "fit.epsilon", 0);
        show(p, N, 63, X, t, y);
        ASSERT_OK(tvgp_policy_fit(p, 300, &evals));
        ck_assert_double_eq(harness_stat(p, "fit.adopted"), 1);
        ASSERT_NEAR(harness_stat(p, "fit.rate"), 0.02, 1e-12); /* trusted */
        if (!noise)
            ck_assert_double_eq(harness_stat(p, "fit.noise_var"), 4);
        else
            ck_assert_double_ne(harness_stat(p, "fit.noise_var"), 4);
        ck_assert_double_ne(harness_stat(p, "fit.lengthscale.0"), l);
    }
}

/* A table of covariances has no parameters: factor, noise and mean are learned. */
TEST(table_kernel) {
    enum { ARMS = 12, STEPS = 60 };
    double K[ARMS * ARMS];
    struct rnd r = {70};
    for (size_t i = 0; i < ARMS * ARMS; i++)
        K[i] = pow(0.8, fabs((double)(i / ARMS) - (double)(i % ARMS)));
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, ARMS, K);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_indices(ARMS), table);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "map"));
    int best = 0;
    for (int t = 1; t <= STEPS; t++) {
        tvgp_query q = harness_ask(p, t);
        best += t > 40 && q.arm == 7;
        tell(p, &q, 5000 - 100 * fabs((double)q.arm - 7) + 10 * rnd_normal(&r));
    }
    ck_assert_int_ge(best, 15);
    double variance = harness_stat(p, "fit.variance");
    ck_assert_msg(variance > 3e3 && variance < 3e6, "variance %g", variance);
}

/* Each reset replaces the function by another: segments keep them apart, and the noise is not made to explain the jumps. */
TEST(resets_are_segments) {
    struct rnd r = {71};
    tvgp_policy *p = told_nothing("r-gp-ucb", line(21));
    harness_option(p, "reset.every", 15);
    for (int t = 1; t <= 150; t++) {
        tvgp_query q = harness_ask(p, t);
        int segment = (t - 1) / 15;
        tell(p, &q, 3 * sin(7 * (double)q.arm / 20 + 2.4 * segment) + 0.05 * rnd_normal(&r));
    }
    ck_assert_double_eq(harness_stat(p, "resets"), 9);
    ck_assert_double_lt(harness_stat(p, "fit.noise_var") / harness_stat(p, "fit.variance"), 0.05);
    ck_assert_double_gt(harness_stat(p, "fit.lengthscale.0"), 0.1);
}

/* ---- bad data ----------------------------------------------------------------------------------------------------- */

/* Equal values, one arm, an offset of 1e9, an outlier, exact outcomes, huge and tiny values: predictions stay numbers. */
TEST_EACH(bad_data, LEARNERS) {
    for (int kind = 0; kind < 8; kind++) {
        struct rnd r = {80};
        tvgp_policy *p = told_nothing(learners[_i], line(kind == 1 ? 1 : 21));
        for (int t = 1; t <= 40; t++) {
            tvgp_query q = harness_ask(p, kind == 7 ? 1 : t);
            double y = sin((double)q.arm) + 0.1 * rnd_normal(&r), mean, var;
            y = kind == 0              ? 5
                : kind == 2            ? 1e9 + y
                : kind == 3 && t == 12 ? 1e6
                : kind == 5            ? 1e90 * y
                : kind == 6            ? 1e-90 * y
                                       : y;
            const tvgp_obs exact = {.id = q.id, .flags = TVGP_OBS_HAS_NOISE, .y = sin((double)q.arm)};
            if (kind == 4)
                ASSERT_OK(tvgp_policy_tell(p, 1, &exact, NULL));
            else
                tell(p, &q, y);
            const double x = 0.37;
            ASSERT_OK(tvgp_policy_predict(p, t, 1, &x, &mean, &var));
            ck_assert_msg(isfinite(mean) && isfinite(var) && var >= 0, "%s, kind %d, t %d: %g, %g", learners[_i], kind, t,
                          mean, var);
        }
        static const char *const stats[] = {"fit.objective", "fit.mean", "fit.variance", "fit.noise_var", "fit.rate"};
        for (size_t i = 0; i < 5; i++)
            ck_assert_msg(isfinite(harness_stat(p, stats[i])), "%s kind %d: %s", learners[_i], kind, stats[i]);
    }
}

/* ---- errors, lack of memory --------------------------------------------------------------------------------------- */

TEST(errors) {
    size_t evals = 7;
    double value;
    tvgp_query q;
    tvgp_domain *domain = line(21);
    tvgp_policy *p = NULL;
    static const char *const others[] = {"pe-gp-ucb", "bkb"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, others[i], domain, NULL, &p), "kernel is NULL", "learns none");
    ck_assert_ptr_null(p);
    p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_fit(p, 0, &evals), "max_evals = 0");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_fit(p, 1, NULL), "evals is NULL");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_stat(p, "fit.lengthscale.1", &value), "fit.lengthscale.1");
    ASSERT_OK(tvgp_policy_stat(p, "fit.lengthscale.0", &value));
    ASSERT_NEAR(value, 0.3, 1e-15);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "off"));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(p, 1, &q, NULL), "fit = off", "without a kernel");
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "map"));
    harness_option(p, "fit.stored_observations", 100);
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(p, 1, &q, NULL), "fit.stored_observations = 100", "fit.window = 200");
    harness_option(p, "fit.stored_observations", 300);
    ASSERT_OK(tvgp_policy_add_prior(p, MAKE_KERNEL(tvgp_policy_kernel, p), 0, NULL, 0));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 1, &q, NULL), "priors", "fit = map");
    p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", domain, NULL);
    harness_option(p, "prior.lengthscale", 0.1);
    (void)harness_ask(p, 1);
    ASSERT_NEAR(harness_stat(p, "fit.lengthscale.0"), 0.1, 1e-15);
    p = harness_create("tv-gp-ucb", domain, NULL, "prior.lengthscale=0.1 fit.prior_lengthscale=gamma");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(p, 1, &q, NULL), "prior.lengthscale = 0.1", "gamma");
    tvgp_policy_destroy(p);
}

/* Both priors of lengthscales are accepted where at most one has an effect: with a supplied kernel, whatever is learned. */
TEST_EACH(priors_without_effect, 3) {
    static const char *const fits[] = {"fit=off", "fit=noise", "fit=map"};
    char both[128];
    tvgp_policy *p[2];
    tvgp_domain *domain = line(11);
    const double length = 0.2;
    const int learned = _i == 2; /* the gamma prior has an effect then */
    tvgp_kernel *kernel = harness_se(1, 1, &length);
    for (int i = 0; i < 2; i++) {
        p[i] = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, kernel);
        snprintf(both, sizeof both, "%s %s %s", fits[_i], i || learned ? "fit.prior_lengthscale=gamma" : "",
                 i ? "prior.lengthscale=0.1" : "");
        ASSERT_OK(tvgp_policy_set(p[i], both));
    }
    for (int t = 1; t < 20; t++) {
        const tvgp_query plain = harness_ask(p[0], t), q = harness_ask(p[1], t);
        ck_assert(q.arm == plain.arm && q.score == plain.score);
        tell(p[0], &plain, drifting(plain.arm, t));
        tell(p[1], &q, drifting(q.arm, t));
    }
}

/* A gamma prior of lengthscales: a policy without observations uses its mode, and outcomes move it, from any kernel. */
TEST(gamma_prior) {
    static const char *const settings[] = {"fit.prior_lengthscale=gamma", "fit.prior_lengthscale=gamma "
                                                                          "fit.prior_lengthscale_shape=15 "
                                                                          "fit.prior_lengthscale_rate=3.75"};
    for (int i = 0; i < 4; i++) {
        const double length = 2;
        struct rnd r = {17};
        tvgp_domain *domain = line(31);
        tvgp_policy *p = harness_create("tv-gp-ucb", domain, i < 2 ? NULL : harness_se(1, 1, &length), settings[i % 2]);
        ASSERT_OK(tvgp_policy_set_str(p, "fit", "map"));
        tvgp_query q = harness_ask(p, 0);
        ASSERT_NEAR(harness_stat(p, "fit.lengthscale.0"), i % 2 ? 4 : 0.5, 1e-14);
        for (int t = 1; t <= 60; t++) {
            tell(p, &q, sin(20 * (double)q.arm / 30) + 0.1 * rnd_normal(&r));
            q = harness_ask(p, t);
        }
        const double found = harness_stat(p, "fit.lengthscale.0");
        ck_assert_msg(i % 2 ? found > 1.5 && found < 4 : found < 0.35, "lengthscale %g", found);
        const tvgp_query other = harness_ask(MAKE_POLICY(tvgp_policy_clone, p), 61);
        q = harness_ask(p, 61);
        ck_assert(q.arm == other.arm && q.score == other.score);
    }
}

int main(void) {
    golden_read_learn_loop();
    return HARNESS_RUN("learn", harness_setup, harness_teardown);
}
