/* SPDX-License-Identifier: MIT */
/* The exact posterior without arms, against tvgp_gp and the plain reference: drift models, windows, aging noise, delayed outcomes,
 * deletions, pending points, pruning. */
#include "cases.h"
#include "model/exact.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { AT = 30, MANY = 400 };

static const double corners[] = {0.5, 0.5, 0, 0, 1, 1};

static tvgp__posterior *make(const tvgp_kernel *kernel, const tvgp__exact_spec *spec) {
    tvgp__posterior *p = NULL;
    ASSERT_OK(tvgp__exact_new(ctx, kernel, spec, 3, corners, &p));
    return p;
}

static void tell(tvgp__posterior *p, const double *x, double t, double y, double noise) {
    const tvgp__points points = {.n = 1, .X = x};
    ASSERT_OK(p->ops->prepare(p, &points));
    tvgp__posterior_observe(p, &points, 0, t, y, noise, 0);
}

static void predict(tvgp__posterior *p, double t, const double *z, double *mean, double *var) {
    p->ops->advance(p, fmax(t, p->now));
    ASSERT_OK(tvgp__posterior_predict(p, t, AT, z, mean, var));
}

static void assert_same(const double *mean, const double *var, const double *want_mean, const double *want_var,
                        double tolerance_mean, double tolerance_var) {
    ASSERT_ALL_NEAR(AT, mean, want_mean, tolerance_mean);
    ASSERT_ALL_NEAR(AT, var, want_var, tolerance_var);
}

/* ---- against the public posterior ------------------------------------------------------------------------------- */

/* Half of the points in a cluster, some repeated, told out of order; after every block the rows are those of tvgp_gp.
 * The outcomes are as near to a smooth function as their noise says: what rounding does to a mean grows with y'(K + noise)^-1 y,
 * n for such outcomes, n / noise for outcomes that ignore it (two ways of rounding then differ by 1e-9 at 1e-8). */
static void compare_with_gp(const struct ref_kernel *k, const tvgp__drift *drift, double noise, size_t limit) {
    struct rnd r = {(uint64_t)(1e6 * noise) + limit};
    double z[AT * 2], mean[AT], var[AT], want_mean[AT], want_var[AT], x[2] = {0.3, 0.3}, evidence;
    tvgp_kernel *time = NULL;
    rnd_fill(&r, AT * 2, z);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, k);
    if (drift->kind == TVGP__DRIFT_FORGETTING)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, drift->rate);
    if (drift->kind == TVGP__DRIFT_WIENER)
        time = MAKE_KERNEL(tvgp_kernel_wiener, ctx, drift->rate, 0);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, kernel, time, noise);
    tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.drift = *drift, .limit = limit});
    predict(p, 1, z, mean, var); /* nothing is known yet */
    ASSERT_OK(tvgp_gp_predict(gp, AT, z, 1, want_mean, want_var));
    assert_same(mean, var, want_mean, want_var, 1e-15, 1e-14);
    for (size_t i = 0; i < MANY; i++) {
        double t = 1 + (double)i / 8 + (i % 7 ? 0 : -fmin(3, (double)i / 8));
        if (i % 5)
            for (size_t d = 0; d < 2; d++)
                x[d] = i % 2 ? rnd_uniform(&r) : fmin(fmax(0.4 + 0.01 * rnd_normal(&r), 0), 1);
        double y = sin(4 * x[0]) * cos(3 * x[1]) + sqrt(noise) * rnd_normal(&r);
        tell(p, x, t, y, noise);
        ASSERT_OK(tvgp_gp_add(gp, 1, x, time ? &t : NULL, &y, NULL));
        if (limit && i >= limit)
            ASSERT_OK(tvgp_gp_drop(gp, 1));
        if (i % 40 != 39)
            continue;
        predict(p, 60, z, mean, var);
        ASSERT_OK(tvgp_gp_predict(gp, AT, z, 60, want_mean, want_var));
        assert_same(mean, var, want_mean, want_var, 1e-10, 1e-11);
        ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &evidence));
        ASSERT_NEAR(p->log_marginal_likelihood, evidence, 1e-10);
        ASSERT_OK(tvgp_gp_information_gain(gp, &evidence));
        ASSERT_NEAR(p->log_det_ratio, 2 * evidence, 1e-10);
        ck_assert_uint_eq(p->counts.observations, limit && i >= limit ? limit : i + 1);
    }
    ck_assert_uint_eq(p->counts.dropped, limit ? MANY - limit : 0);
    p->ops->reset(p);
    predict(p, 61, z, mean, var);
    ASSERT_OK(tvgp_gp_drop(gp, limit ? limit : MANY));
    ASSERT_OK(tvgp_gp_predict(gp, AT, z, 61, want_mean, want_var));
    assert_same(mean, var, want_mean, want_var, 1e-15, 1e-14);
    tvgp__posterior_free(p);
}

TEST_EACH(like_the_public_posterior, 9) {
    static const tvgp__drift drifts[] = {{.kind = TVGP__DRIFT_STATIC},
                                         {.kind = TVGP__DRIFT_FORGETTING, .rate = 0.05},
                                         {.kind = TVGP__DRIFT_WIENER, .rate = 0.1}};
    compare_with_gp(cases_kernel_at((size_t)_i / 3 * 3), &drifts[_i % 3], 0.01, 0);
    compare_with_gp(cases_kernel_at((size_t)_i / 3 * 3), &drifts[_i % 3], 0.01, 50); /* 350 deletions */
}

/* Exact outcomes: the library's own noise floor of 1e-10 is the same as an observation with that noise. */
TEST(nearly_no_noise) {
    const tvgp__drift drift = {.kind = TVGP__DRIFT_FORGETTING, .rate = 0.02};
    compare_with_gp(cases_kernel_at(2), &drift, 1e-8, 0);
    struct rnd r = {8};
    double z[AT * 2], mean[AT], var[AT], other_mean[AT], other_var[AT], x[2] = {0};
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(2));
    rnd_fill(&r, AT * 2, z);
    tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.drift = drift}),
                    *q = make(kernel, &(tvgp__exact_spec){.drift = drift});
    for (size_t i = 0; i < 100; i++) {
        double y = rnd_normal(&r);
        rnd_fill(&r, i % 3 ? 2 : 0, x);
        tell(p, x, (double)i, y, 0);
        tell(q, x, (double)i, y, 1e-10 * 1.7);
    }
    predict(p, 100, z, mean, var);
    predict(q, 100, z, other_mean, other_var);
    ck_assert_mem_eq(mean, other_mean, sizeof mean);
    ck_assert_mem_eq(var, other_var, sizeof var);
    ck_assert(p->counts.jitter == 0 && isfinite(p->log_marginal_likelihood));
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

/* A batch in any order, with gaps, across a window that overflows inside it and a reset in its middle. */
TEST(batches) {
    struct rnd r = {5};
    double X[40 * 2], z[AT * 2], mean[AT], var[AT], want_mean[AT], want_var[AT];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    rnd_fill(&r, 80, X);
    rnd_fill(&r, AT * 2, z);
    for (int reset = 0; reset < 2; reset++) {
        tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.limit = 12}),
                        *q = make(kernel, &(tvgp__exact_spec){.limit = 12});
        const tvgp__points points = {.n = 40, .X = X};
        for (size_t round = 0; round < 3; round++) {
            ASSERT_OK(p->ops->prepare(p, &points));
            for (size_t k = 0; k < 30; k++) {
                size_t i = k * 7 % 40;
                if (reset && k == 20) {
                    p->ops->reset(p);
                    q->ops->reset(q);
                }
                tvgp__posterior_observe(p, &points, i, 0, sin((double)i), 0.01, 0);
                tell(q, X + 2 * i, 0, sin((double)i), 0.01);
            }
            predict(p, 1, z, mean, var);
            predict(q, 1, z, want_mean, want_var);
            assert_same(mean, var, want_mean, want_var, 1e-12, 1e-12);
        }
        tvgp__posterior_free(p);
        tvgp__posterior_free(q);
    }
}

TEST_EACH(aging_noise, 3) {
    static const tvgp__noise_age ages[] = {{.growth = TVGP__NOISE_AGE_LINEAR, .rate = 0.02},
                                           {.growth = TVGP__NOISE_AGE_POWER, .alpha = 1.5},
                                           {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.5, .from_last = 1}};
    const struct ref_kernel *k = cases_kernel_at(3);
    const tvgp__noise_age *age = &ages[_i];
    struct rnd r = {(uint64_t)_i};
    struct ref_gp ref;
    double x[200], y[100], z[AT * 2], mean[AT], var[AT], want_mean[AT], want_var[AT];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, k);
    rnd_fill(&r, 200, x);
    rnd_fill(&r, 100, y);
    rnd_fill(&r, AT * 2, z);
    tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.age = age});
    for (size_t i = 0; i < 100; i++) {
        tell(p, x + 2 * i, (double)(i ^ 1), y[i], 0.01); /* every other one late */
        if (i % 25 != 24)
            continue;
        double now = (double)i + 4, at = age->from_last ? (double)(i % 2 ? i : i + 1) : now;
        ref_gp_init(&ref, k, 0, 100);
        for (size_t j = 0; j <= i; j++)
            ref_gp_add(&ref, x + 2 * j, 0, y[j], tvgp__noise_age_noise(age, 0.01, at - (double)(j ^ 1)));
        predict(p, now, z, mean, var);
        ref_gp_predict(&ref, AT, z, 0, want_mean, want_var);
        assert_same(mean, var, want_mean, want_var, 1e-10, 1e-10);
        if (p->counts.observations == i + 1) /* the marginal likelihood of those in use */
            ASSERT_NEAR(p->log_marginal_likelihood, ref_gp_log_evidence(&ref), 1e-9);
        ref_gp_free(&ref);
    }
    const size_t n = p->counts.rank;
    ck_assert(_i == 2 ? n < 100 : n == 100); /* e^50 times the noise: not heard */
    ck_assert_uint_eq(n + p->counts.dropped, 100);
    tvgp__posterior_free(p);
}

/* ---- pending points --------------------------------------------------------------------------------------------- */

/* As if the posterior mean of its own time had been given, at that time. */
TEST_EACH(pending_points, 4) {
    const tvgp__drift drift = {.kind = _i % 2 ? TVGP__DRIFT_FORGETTING : TVGP__DRIFT_WIENER, .rate = 0.04};
    struct rnd r = {11};
    double x[160], z[AT * 2], mean[AT], var[AT], want_mean[AT], want_var[AT], then, spread;
    const double times[] = {80, 82, 85};
    tvgp__predictive form;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(2));
    rnd_fill(&r, 160, x);
    rnd_fill(&r, AT * 2, z);
    tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.drift = drift}),
                    *q = make(kernel, &(tvgp__exact_spec){.drift = drift});
    for (size_t i = 0; i < 77 * (size_t)(_i / 2); i++) {
        double y = rnd_normal(&r);
        tell(p, x + 2 * i, (double)i, y, 0.01);
        tell(q, x + 2 * i, (double)i, y, 0.01);
    }
    p->ops->advance(p, 90);
    ASSERT_OK(p->ops->predictive(p, 90, &form));
    ASSERT_OK(p->ops->anywhere->pend(p, &form, 90, 3, x + 154, times, 0.01));
    ASSERT_OK(tvgp__predictive_predict(&form, AT, z, &(tvgp__predictive_values){.mean = mean, .var = var}));
    for (size_t i = 0; i < 3; i++) {
        double at[AT * 2] = {x[154 + 2 * i], x[155 + 2 * i]}, all_mean[AT], all_var[AT];
        predict(q, times[i], at, all_mean, all_var);
        then = all_mean[0];
        spread = all_var[0];
        ck_assert(spread > 0);
        tell(q, x + 154 + 2 * i, times[i], then, 0.01);
    }
    predict(q, 90, z, want_mean, want_var);
    assert_same(mean, var, want_mean, want_var, 1e-12, 1e-12);
    tell(p, z, 91, 0.5, 0.01); /* and no trace of them is left */
    ASSERT_OK(p->ops->predictive(p, 92, &form));
    ck_assert_uint_eq(form.r, 77 * (size_t)(_i / 2) + 1);
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

/* ---- pruning ---------------------------------------------------------------------------------------------------- */

/* Next to one that keeps everything: mean and sd within twice the tolerance (in noise sds), and the rows stay few. */
TEST(pruning) {
    enum { STEPS = 600 };
    const tvgp__drift drift = {.kind = TVGP__DRIFT_FORGETTING, .rate = 0.1};
    struct rnd r = {13};
    double x[2], z[AT * 2], mean[AT], var[AT], want_mean[AT], want_var[AT], worst = 0;
    size_t n = 0, most = 0;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    rnd_fill(&r, AT * 2, z);
    tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.drift = drift}),
                    *q = make(kernel, &(tvgp__exact_spec){.drift = drift});
    for (size_t i = 0; i < STEPS; i++) {
        double y = sin((double)i / 20) + 0.1 * rnd_normal(&r);
        rnd_fill(&r, 2, x);
        tell(p, x, (double)i, y, 0.01);
        tell(q, x, (double)i, y, 0.01);
        p->ops->advance(p, (double)i + 1);
        if (i % 8 == 0)
            ASSERT_OK(tvgp__posterior_prune(p, 1e-3, 0.01));
        n = p->counts.rank;
        most = n > most ? n : most;
        if (i % 50 != 49)
            continue;
        predict(p, (double)i + 1, z, mean, var);
        predict(q, (double)i + 1, z, want_mean, want_var);
        for (size_t k = 0; k < AT; k++) {
            worst = fmax(worst, fabs(mean[k] - want_mean[k]) / 0.1);
            worst = fmax(worst, fabs(sqrt(var[k]) - sqrt(want_var[k])) / 0.1);
        }
    }
    ck_assert_msg(worst < 2e-3, "off by %g noise sds", worst);
    ck_assert_msg(worst > 0, "nothing was dropped");
    ck_assert_msg(most < 250, "%d rows", (int)most);
    ck_assert_uint_eq(p->counts.dropped + n, STEPS);
    ASSERT_OK(tvgp__posterior_prune(p, 0, 0.01)); /* never */
    ck_assert_uint_eq(p->counts.dropped + n, STEPS);
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

/* Each allocation fails once: prepare changes nothing, and the next goes on. */
TEST(failing_memory) {
    struct rnd r = {17};
    double X[200], z[AT * 2], mean[AT], var[AT], want_mean[AT], want_var[AT];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    rnd_fill(&r, 200, X);
    rnd_fill(&r, AT * 2, z);
    tvgp__posterior *p = make(kernel, &(tvgp__exact_spec){.limit = 0}), *q = make(kernel, &(tvgp__exact_spec){.limit = 0});
    size_t failed = 0;
    for (size_t i = 0; i < 100; i++) {
        const tvgp__points points = {.n = 1, .X = X + 2 * i};
        for (memory.fail_in = 1; p->ops->prepare(p, &points) != TVGP_OK; failed++)
            memory.fail_in = failed % 13 + 2;
        memory.fail_in = 0;
        tvgp__posterior_observe(p, &points, 0, 0, sin((double)i), 0.01, 0);
        tell(q, X + 2 * i, 0, sin((double)i), 0.01);
    }
    ck_assert(failed > 3);
    predict(p, 0, z, mean, var);
    predict(q, 0, z, want_mean, want_var);
    ck_assert_mem_eq(mean, want_mean, sizeof mean);
    ck_assert_mem_eq(var, want_var, sizeof var);
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

HARNESS_MAIN("exact")
