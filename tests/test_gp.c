/* SPDX-License-Identifier: MIT */
/* tvgp_gp: golden posteriors and evidences, growth, drops, times, against the plain dense reference. */
#include "cases.h"
#include "golden/golden_posterior.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <string.h>

enum { DATA = 60, AT = 15 };

static tvgp_gp *make(const struct ref_kernel *space, double epsilon, double noise) {
    tvgp_kernel *time = NULL;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, space);
    if (epsilon > 0)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, epsilon);
    return MAKE_GP(tvgp_gp_create, ctx, kernel, time, noise);
}

static void assert_evidence(tvgp_gp *gp, double want, double tolerance) {
    double value;
    ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &value));
    ASSERT_NEAR(value, want, tolerance);
}

TEST_EACH(golden_posterior_values, GOLDEN_POSTERIORS) {
    const struct golden_posterior *g = &golden_posteriors[_i];
    const double slope[] = {0.1, 0};
    tvgp_gp *gp = make(&g->kernel, 0, 0.05);
    double mean[4], var[4];
    if (g->affine) {
        ASSERT_NEAR(0.4 + slope[0] * golden_x[0][0], golden_prior_mean_x[0], 1e-15); /* the mean the file was made with */
        ASSERT_OK(tvgp_gp_set_prior_mean(gp, 0.4, slope));
        ASSERT_OK(tvgp_gp_predict(gp, 4, golden_xs[0], 0, mean, var));
        ASSERT_ALL_NEAR(4, mean, golden_prior_mean_xs, 1e-14);
    }
    ASSERT_OK(tvgp_gp_add(gp, 7, golden_x[0], NULL, golden_y, g->noise));
    ASSERT_OK(tvgp_gp_predict(gp, 4, golden_xs[0], 0, mean, var));
    ASSERT_ALL_NEAR(4, mean, g->mean, 1e-12);
    ASSERT_ALL_NEAR(4, var, g->var, 1e-12);
    assert_evidence(gp, g->evidence, 1e-12);
}

TEST_EACH(golden_evidence_values, GOLDEN_EVIDENCES) {
    const struct golden_posterior *g = &golden_evidences[_i];
    tvgp_gp *gp = make(&g->kernel, 0, g->noise[0]);
    int same = 1; /* one noise for all goes through the default */
    for (size_t i = 1; i < 7; i++)
        same = same && g->noise[i] == g->noise[0];
    ASSERT_OK(tvgp_gp_add(gp, 7, golden_x[0], NULL, golden_y, same ? NULL : g->noise));
    assert_evidence(gp, g->evidence, 1e-12);
    struct ref_gp ref; /* and the reference used elsewhere is right too */
    ref_gp_init(&ref, &g->kernel, 0, 7);
    for (size_t i = 0; i < 7; i++)
        ref_gp_add(&ref, golden_x[i], 0, golden_y[i], g->noise[i]);
    ASSERT_NEAR(ref_gp_log_evidence(&ref), g->evidence, 1e-12);
    ref_gp_free(&ref);
}

TEST(golden_forgetting) {
    const struct ref_kernel se = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.4, 0.4}};
    const double t[] = {1, 2, 3, 4, 5, 6, 7};
    double mean[4], var[4];
    tvgp_gp *gp = make(&se, 0.1, 0.05);
    struct ref_gp ref;
    ref_gp_init(&ref, &se, 0.1, 7);
    ASSERT_OK(tvgp_gp_add(gp, 7, golden_x[0], t, golden_y, NULL));
    ASSERT_OK(tvgp_gp_predict(gp, 4, golden_xs[0], 8, mean, var));
    ASSERT_ALL_NEAR(4, mean, golden_tv_mean, 1e-12);
    ASSERT_ALL_NEAR(4, var, golden_tv_var, 1e-12);
    for (size_t i = 0; i < 7; i++)
        ref_gp_add(&ref, golden_x[i], t[i], golden_y[i], 0.05);
    ref_gp_predict(&ref, 4, golden_xs[0], 8, mean, var);
    ASSERT_ALL_NEAR(4, mean, golden_tv_mean, 1e-12);
    ASSERT_ALL_NEAR(4, var, golden_tv_var, 1e-12);
    ref_gp_free(&ref);
}

static void assert_matches(tvgp_gp *gp, struct ref_gp *ref, const double *X, double t) {
    double mean[AT], var[AT], want_mean[AT], want_var[AT], value;
    size_t n;
    ASSERT_OK(tvgp_gp_size(gp, &n));
    ck_assert_uint_eq(n, ref->n);
    ASSERT_OK(tvgp_gp_predict(gp, AT, X, t, mean, var));
    ref_gp_predict(ref, AT, X, t, want_mean, want_var);
    ASSERT_ALL_NEAR(AT, mean, want_mean, 1e-11);
    ASSERT_ALL_NEAR(AT, var, want_var, 1e-11);
    assert_evidence(gp, ref_gp_log_evidence(ref), 1e-11);
    ASSERT_OK(tvgp_gp_information_gain(gp, &value));
    ASSERT_NEAR(value, ref_gp_information_gain(ref), 1e-11);
}

/* Observations come in blocks, repeated points and times in any order among them, and the oldest go. */
TEST_EACH(growing_and_dropping, 2 * CASES_KERNELS) {
    const struct ref_kernel *k = cases_kernel_at((size_t)(_i / 2));
    const double epsilon = _i % 2 ? 0.05 : 0;
    struct rnd r = {(uint64_t)_i};
    double X[AT * 2], at[AT * 2];
    tvgp_gp *gp = make(k, epsilon, 0.02);
    struct ref_gp ref;
    ref_gp_init(&ref, k, epsilon, 2 * DATA);
    for (size_t i = 0; i < AT * k->dim; i++)
        at[i] = k->kind == REF_TABLE ? (double)rnd_below(&r, CASES_ARMS) : rnd_uniform(&r);
    assert_matches(gp, &ref, at, 0);
    for (size_t step = 0; ref.n < DATA; step++) {
        size_t n = 1 + rnd_below(&r, 5);
        double t[5], y[5], noise[5];
        for (size_t i = 0; i < n * k->dim; i++)
            X[i] = k->kind == REF_TABLE ? (double)rnd_below(&r, CASES_ARMS)
                                        : (rnd_uniform(&r) < 0.3 ? at[i % k->dim] : rnd_uniform(&r));
        for (size_t i = 0; i < n; i++) {
            t[i] = (double)rnd_below(&r, 50); /* not sorted, repeated */
            y[i] = 3 * rnd_normal(&r);
            noise[i] = step % 2 ? 0.02 : 0.001 + rnd_uniform(&r);
            ref_gp_add(&ref, X + i * k->dim, t[i], y[i], noise[i]);
        }
        ASSERT_OK(tvgp_gp_add(gp, n, X, epsilon > 0 ? t : NULL, y, step % 2 ? NULL : noise));
        assert_matches(gp, &ref, at, 60);
        if (step % 3 == 2) {
            size_t gone = rnd_below(&r, 4);
            ref_gp_drop(&ref, gone);
            ASSERT_OK(tvgp_gp_drop(gp, gone));
            assert_matches(gp, &ref, at, 25); /* between the observations: smoothing */
        }
    }
    ASSERT_OK(tvgp_gp_drop(gp, ref.n));
    ref_gp_drop(&ref, ref.n);
    assert_matches(gp, &ref, at, 0);
    ref_gp_free(&ref);
}

TEST(wiener_time) {
    const struct ref_kernel *k = cases_kernel_at(0);
    tvgp_kernel *time = MAKE_KERNEL(tvgp_kernel_wiener, ctx, 0.3, 0);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, MAKE_KERNEL(cases_kernel, ctx, k), time, 0.02);
    struct ref_gp ref;
    ref_gp_init(&ref, k, 0, DATA);
    ref.rate = 0.3;
    struct rnd r = {9};
    double x[AT * 2];
    for (size_t i = 0; i < DATA; i++) {
        double t = (double)i / 3, y = rnd_normal(&r);
        rnd_fill(&r, 2, x);
        ref_gp_add(&ref, x, t, y, 0.02);
        ASSERT_OK(tvgp_gp_add(gp, 1, x, &t, &y, NULL));
    }
    rnd_fill(&r, AT * 2, x);
    assert_matches(gp, &ref, x, 25);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_predict(gp, 1, x, -1, x, NULL), "-1");
    ref_gp_free(&ref);
}

/* The prior mean may change under the data, and mean or variance alone may be asked for. */
TEST(mean_changes) {
    const struct ref_kernel *k = cases_kernel_at(3);
    const double slope[] = {-1, 2};
    struct rnd r = {10};
    double X[DATA * 2], y[DATA], at[AT * 2], mean[AT], var[AT], want[AT];
    tvgp_gp *gp = make(k, 0, 0.1);
    struct ref_gp ref;
    ref_gp_init(&ref, k, 0, DATA);
    rnd_fill(&r, DATA * 2, X);
    rnd_fill(&r, AT * 2, at);
    rnd_fill(&r, DATA, y);
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, 7, NULL));
    ASSERT_OK(tvgp_gp_add(gp, DATA, X, NULL, y, NULL));
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, 0.5, slope));
    for (size_t i = 0; i < DATA; i++)
        ref_gp_add(&ref, X + 2 * i, 0, y[i] - (0.5 - X[2 * i] + 2 * X[2 * i + 1]), 0.1);
    ref_gp_predict(&ref, AT, at, 0, want, NULL);
    ASSERT_OK(tvgp_gp_predict(gp, AT, at, 0, mean, NULL));
    for (size_t i = 0; i < AT; i++)
        ASSERT_NEAR(mean[i], want[i] + 0.5 - at[2 * i] + 2 * at[2 * i + 1], 1e-11);
    ref_gp_predict(&ref, AT, at, 0, NULL, want);
    ASSERT_OK(tvgp_gp_predict(gp, AT, at, 0, NULL, var));
    ASSERT_ALL_NEAR(AT, var, want, 1e-11);
    assert_evidence(gp, ref_gp_log_evidence(&ref), 1e-11);
    ref_gp_free(&ref);
}

/* Without noise a repeated point makes the Gram matrix singular: jitter, counted, and finite outcomes. */
TEST(exact_repeats) {
    const double x[] = {0.2, 0.3}, y[] = {1, 1, 1.5};
    tvgp_gp *gp = make(cases_kernel_at(0), 0, 0);
    size_t jitter;
    for (size_t i = 0; i < 3; i++) {
        ASSERT_OK(tvgp_gp_add(gp, 1, x, NULL, y + i, NULL));
        ASSERT_OK(tvgp_gp_jitter(gp, &jitter));
        ck_assert_uint_eq(jitter, i);
    }
    double mean, var, value;
    ASSERT_OK(tvgp_gp_predict(gp, 1, x, 0, &mean, &var));
    ck_assert(mean >= 1 && mean <= 1.5);
    ck_assert(var >= 0 && var < 1e-9);
    ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &value));
    ck_assert(isfinite(value));
    ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp_gp_information_gain(gp, &value), "noise");
}

/* A block with one bad entry is refused whole. */
TEST(add_is_atomic) {
    struct rnd r = {12};
    double X[10], at[AT * 2], mean[2][AT], var[2][AT], t[5] = {1, 2, 3, 4, 5}, y[5] = {1, 2, 3, 4, 5},
                                                       noise[5] = {1, 1, 1, 1, 1};
    tvgp_gp *gp = make(cases_kernel_at(2), 0.1, 0.1);
    rnd_fill(&r, 10, X);
    rnd_fill(&r, AT * 2, at);
    ASSERT_OK(tvgp_gp_add(gp, 5, X, t, y, NULL));
    ASSERT_OK(tvgp_gp_predict(gp, AT, at, 6, mean[0], var[0]));
    double *bad[] = {X + 9, t + 4, y + 4, noise + 4};
    for (size_t i = 0; i < 4; i++) {
        double keep = *bad[i];
        *bad[i] = i % 2 ? NAN : INFINITY;
        ck_assert_int_eq(tvgp_gp_add(gp, 5, X, t, y, noise), TVGP_ERR_NONFINITE);
        *bad[i] = keep;
    }
    noise[4] = -1;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_add(gp, 5, X, t, y, noise), "noise_var", "-1", "0");
    ck_assert_int_eq(tvgp_gp_add(gp, 5, X, NULL, y, NULL), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_drop(gp, 6), "6", "5");
    ASSERT_OK(tvgp_gp_predict(gp, AT, at, 6, mean[1], var[1]));
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
    ck_assert_mem_eq(var[0], var[1], sizeof var[0]);
}

static tvgp_gp *one_by_one(const struct ref_kernel *k, double epsilon, double noise, size_t n, const double *X,
                           const double *t, const double *y) {
    tvgp_gp *gp = make(k, epsilon, noise);
    for (size_t i = 0; i < n; i++)
        ASSERT_OK(tvgp_gp_add(gp, 1, X + i * k->dim, epsilon > 0 ? t + i : NULL, y + i, NULL));
    return gp;
}

/* Many observations at once are what they are one by one, also after others, for any kernel, with and without time; and more
 * points at once than a block holds are what they are one by one. */
TEST_EACH(many_at_once, 2 * CASES_KERNELS) {
    enum { MANY = 230, POINTS = 300 };
    const struct ref_kernel *k = cases_kernel_at((size_t)_i / 2);
    const double epsilon = _i % 2 ? 0.02 : 0;
    static double X[MANY * 2], Z[POINTS * 2], t[MANY], y[MANY], mean[POINTS], var[POINTS];
    struct rnd r = {(uint64_t)_i};
    for (size_t i = 0; i < MANY * k->dim; i++)
        X[i] = k->kind == REF_TABLE ? (double)rnd_below(&r, CASES_ARMS) : rnd_uniform(&r);
    for (size_t i = 0; i < POINTS * k->dim; i++)
        Z[i] = k->kind == REF_TABLE ? (double)rnd_below(&r, CASES_ARMS) : 2 * rnd_uniform(&r);
    for (size_t i = 0; i < MANY; i++) {
        t[i] = (double)i / 3;
        y[i] = rnd_normal(&r);
    }
    tvgp_gp *slow = one_by_one(k, epsilon, 0.1, MANY, X, t, y), *fast = make(k, epsilon, 0.1);
    static const size_t ends[] = {3, 33, 140, MANY};
    for (size_t e = 0, from = 0; e < 4; from = ends[e++])
        ASSERT_OK(tvgp_gp_add(fast, ends[e] - from, X + from * k->dim, epsilon > 0 ? t + from : NULL, y + from, NULL));
    double want[2];
    ASSERT_OK(tvgp_gp_log_marginal_likelihood(slow, want));
    assert_evidence(fast, want[0], 1e-11);
    ASSERT_OK(tvgp_gp_predict(fast, POINTS, Z, 80, mean, var));
    for (size_t i = 0; i < POINTS; i++) {
        ASSERT_OK(tvgp_gp_predict(slow, 1, Z + i * k->dim, 80, want, want + 1));
        ASSERT_NEAR(mean[i], want[0], 1e-10);
        ASSERT_NEAR(var[i], want[1], 1e-11);
    }
}

/* Where some need jitter, many at once are one by one to the last bit. */
TEST(many_repeats) {
    enum { MANY = 40 };
    double X[MANY * 2], y[MANY], mean[2], var[2];
    struct rnd r = {3};
    rnd_fill(&r, MANY * 2, X);
    rnd_fill(&r, MANY, y);
    for (size_t i = MANY / 2; i < MANY; i++)
        memcpy(X + 2 * i, X + 2 * (i - MANY / 2), 2 * sizeof *X);
    tvgp_gp *slow = one_by_one(cases_kernel_at(1), 0, 0, MANY, X, NULL, y), *fast = make(cases_kernel_at(1), 0, 0);
    ASSERT_OK(tvgp_gp_add(fast, MANY, X, NULL, y, NULL));
    size_t jitter[2];
    ASSERT_OK(tvgp_gp_jitter(slow, jitter));
    ASSERT_OK(tvgp_gp_jitter(fast, jitter + 1));
    ck_assert_uint_eq(jitter[0], jitter[1]);
    ck_assert_uint_ge(jitter[0], 1);
    const double at[] = {0.4, 0.6};
    ASSERT_OK(tvgp_gp_predict(slow, 1, at, 0, mean, var));
    ASSERT_OK(tvgp_gp_predict(fast, 1, at, 0, mean + 1, var + 1));
    ck_assert_mem_eq(mean, mean + 1, sizeof *mean);
    ck_assert_mem_eq(var, var + 1, sizeof *var);
}

int main(void) {
    golden_read_posterior();
    return HARNESS_RUN("gp", harness_setup, harness_teardown);
}
