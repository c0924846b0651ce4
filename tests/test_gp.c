/* SPDX-License-Identifier: MIT */
/* tvgp_gp: golden posteriors and evidences; moments, covariances and likelihood of the dense reference as observations come and go; draws;
 * saved posteriors; errors. */
#include "cases.h"
#include "golden/golden_posterior.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 60, AT = 15, BLOCK = 140, MOST = 2 * BLOCK, POINTS = 300 };
enum time { NO_TIME, FORGETTING, WIENER, TIMES };

static tvgp_gp *make(const struct ref_kernel *space, enum time time, double rate, double noise) {
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, space);
    tvgp_kernel *over = time == FORGETTING ? MAKE_KERNEL(tvgp_kernel_forgetting, ctx, rate)
                        : time == WIENER   ? MAKE_KERNEL(tvgp_kernel_wiener, ctx, rate, 0)
                                           : NULL;
    return MAKE_GP(tvgp_gp_create, ctx, kernel, over, noise);
}

static void assert_evidence(tvgp_gp *gp, double want, double tolerance) {
    double value;
    ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &value));
    ASSERT_NEAR(value, want, tolerance);
}

/* Arms of a table, otherwise anywhere. */
static void points(const struct ref_kernel *k, struct rnd *r, size_t n, double *X) {
    for (size_t i = 0; i < n * k->dim; i++)
        X[i] = k->kind == REF_TABLE ? (double)rnd_below(r, CASES_ARMS) : rnd_uniform(r);
}

/* ---- golden numbers -------------------------------------------------------------------------------------------------- */

TEST_EACH(golden_posterior_values, GOLDEN_POSTERIORS) {
    const struct golden_posterior *g = &golden_posteriors[_i];
    const double slope[] = {0.1, 0};
    tvgp_gp *gp = make(&g->kernel, NO_TIME, 0, 0.05);
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
    tvgp_gp *gp = make(&g->kernel, NO_TIME, 0, g->noise[0]);
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
    tvgp_gp *gp = make(&se, FORGETTING, 0.1, 0.05);
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

/* ---- against the reference ------------------------------------------------------------------------------------------- */

struct world {
    const struct ref_kernel *k;
    enum time time;
    struct rnd r;
    tvgp_gp *gp;
    struct ref_gp ref; /* of outcomes minus the prior mean */
    double intercept, slope[2];
};

static void world_open(struct world *w, const struct ref_kernel *k, enum time time) {
    *w = (struct world){.k = k, .time = time, .r = {(uint64_t)time + k->dim}};
    w->gp = make(k, time, 0.05, 0.02);
    ref_gp_init(&w->ref, k, time == FORGETTING ? 0.05 : 0, MOST);
    w->ref.rate = time == WIENER ? 0.05 : 0;
}

static double prior_mean(const struct world *w, const double *x) {
    return w->intercept + w->slope[0] * x[0] + (w->k->dim > 1 ? w->slope[1] * x[1] : 0);
}

/* The prior mean may change under the data. */
static void change_mean(struct world *w, double intercept, const double *slope) {
    const size_t n = w->ref.n, dim = w->k->dim;
    for (size_t i = 0; i < n; i++)
        w->ref.y[i] += prior_mean(w, w->ref.x + i * dim);
    w->intercept = intercept;
    memcpy(w->slope, slope, sizeof w->slope);
    ASSERT_OK(tvgp_gp_set_prior_mean(w->gp, intercept, slope));
    w->ref.n = 0;
    for (size_t i = 0; i < n; i++) {
        const double *x = w->ref.x + i * dim;
        ref_gp_add(&w->ref, x, w->ref.t[i], w->ref.y[i] - prior_mean(w, x), w->ref.noise[i]);
    }
}

/* n observations at once, some at places of before, their times in any order, with noises of their own or the usual one. */
static void add(struct world *w, size_t n, int own) {
    const size_t dim = w->k->dim;
    double X[BLOCK * 2], t[BLOCK], y[BLOCK], noise[BLOCK];
    points(w->k, &w->r, n, X);
    for (size_t i = 0; i < n; i++) {
        if (w->ref.n && rnd_below(&w->r, 4) == 0)
            memcpy(X + i * dim, w->ref.x + dim * rnd_below(&w->r, w->ref.n), dim * sizeof *X);
        t[i] = (double)rnd_below(&w->r, 50);
        y[i] = 3 * rnd_normal(&w->r);
        noise[i] = own ? 0.001 + rnd_uniform(&w->r) : 0.02;
        ref_gp_add(&w->ref, X + i * dim, w->time ? t[i] : 0, y[i] - prior_mean(w, X + i * dim), noise[i]);
    }
    ASSERT_OK(tvgp_gp_add(w->gp, n, X, w->time ? t : NULL, y, own ? noise : NULL));
}

static void drop(struct world *w, size_t n) {
    ASSERT_OK(tvgp_gp_drop(w->gp, n));
    ref_gp_drop(&w->ref, n);
}

static void assert_joint(struct world *w, const double *X, double t, const double *mean, const double *var) {
    double joint[AT], cov[AT * AT], alone[AT * AT];
    ASSERT_OK(tvgp_gp_predict_covariance(w->gp, AT, X, t, joint, cov));
    ASSERT_OK(tvgp_gp_predict_covariance(w->gp, AT, X, t, NULL, alone));
    ck_assert_mem_eq(cov, alone, sizeof cov);
    const double tolerance = w->ref.n > DATA ? 1e-11 : 1e-12;
    ASSERT_ALL_NEAR(AT, joint, mean, tolerance);
    for (size_t i = 0; i < AT; i++) {
        ASSERT_NEAR(cov[i * AT + i], var[i], tolerance);
        for (size_t j = 0; j < AT; j++) {
            ASSERT_NEAR(cov[i * AT + j], ref_gp_covariance(&w->ref, X + i * w->k->dim, X + j * w->k->dim, t), 1e-11);
            ck_assert(cov[i * AT + j] == cov[j * AT + i]);
        }
    }
}

/* More points than a block of predictions has, the first two the same. */
static void assert_matches(struct world *w, double t) {
    static double X[POINTS * 2], mean[POINTS], var[POINTS], want_mean[POINTS], want_var[POINTS], alone[POINTS];
    double value;
    size_t n;
    ASSERT_OK(tvgp_gp_size(w->gp, &n));
    ck_assert_uint_eq(n, w->ref.n);
    points(w->k, &w->r, POINTS, X);
    memcpy(X + w->k->dim, X, w->k->dim * sizeof *X);
    ASSERT_OK(tvgp_gp_predict(w->gp, POINTS, X, t, mean, var));
    ref_gp_predict(&w->ref, POINTS, X, t, want_mean, want_var);
    for (size_t i = 0; i < POINTS; i++)
        want_mean[i] += prior_mean(w, X + i * w->k->dim);
    ASSERT_ALL_NEAR(POINTS, mean, want_mean, 1e-11);
    ASSERT_ALL_NEAR(POINTS, var, want_var, 1e-11);
    ASSERT_OK(tvgp_gp_predict(w->gp, POINTS, X, t, alone, NULL));
    ck_assert_mem_eq(alone, mean, sizeof mean);
    ASSERT_OK(tvgp_gp_predict(w->gp, POINTS, X, t, NULL, alone));
    ck_assert_mem_eq(alone, var, sizeof var);
    assert_joint(w, X, t, mean, var);
    assert_evidence(w->gp, ref_gp_log_evidence(&w->ref), 1e-11);
    ASSERT_OK(tvgp_gp_information_gain(w->gp, &value));
    ASSERT_NEAR(value, ref_gp_information_gain(&w->ref), 1e-11);
}

/* Loop index -> kernel and time. Observations come in blocks, the oldest go; predictions between the observations are smoothed. */
TEST_EACH(equals_dense, TIMES *CASES_KERNELS) {
    static const size_t blocks[] = {3, 1, 5, 30, 2, BLOCK, 4};
    struct world w;
    world_open(&w, cases_kernel_at((size_t)_i / TIMES), (enum time)(_i % TIMES));
    assert_matches(&w, 0);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        change_mean(&w, (double)b, (const double[]){-0.5 * (double)b, (double)b / 3});
        add(&w, blocks[b], b % 2);
        assert_matches(&w, 60);
        if (b % 3 == 2) {
            drop(&w, 4);
            assert_matches(&w, 25);
        }
    }
    if (w.time == WIENER)
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_predict(w.gp, 1, w.ref.x, -1, &(double){0}, NULL), "-1");
    drop(&w, w.ref.n);
    assert_matches(&w, 0);
    ref_gp_free(&w.ref);
}

/* Without noise a repeated point makes the Gram matrix singular: jitter, counted, and finite outcomes. */
TEST(exact_repeats) {
    const double x[] = {0.2, 0.3}, y[] = {1, 1, 1.5};
    tvgp_gp *gp = make(cases_kernel_at(0), NO_TIME, 0, 0);
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
    tvgp_gp *gp = make(cases_kernel_at(2), FORGETTING, 0.1, 0.1);
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

/* Where some need jitter, many at once are one by one to the last bit. */
TEST(many_repeats) {
    enum { MANY = 40 };
    double X[MANY * 2], y[MANY], mean[2], var[2];
    const double at[] = {0.4, 0.6};
    size_t jitter[2];
    struct rnd r = {3};
    rnd_fill(&r, MANY * 2, X);
    rnd_fill(&r, MANY, y);
    memcpy(X + MANY, X, MANY * sizeof *X);
    for (size_t k = 0; k < 2; k++) {
        tvgp_gp *gp = make(cases_kernel_at(1), NO_TIME, 0, 0);
        for (size_t i = 0, n = k ? MANY : 1; i < MANY; i += n)
            ASSERT_OK(tvgp_gp_add(gp, n, X + 2 * i, NULL, y + i, NULL));
        ASSERT_OK(tvgp_gp_jitter(gp, &jitter[k]));
        ASSERT_OK(tvgp_gp_predict(gp, 1, at, 0, &mean[k], &var[k]));
    }
    ck_assert(jitter[0] == jitter[1] && jitter[0] >= 1);
    ck_assert(mean[0] == mean[1] && var[0] == var[1]);
}

/* ---- draws ----------------------------------------------------------------------------------------------------------- */

/* Means and covariances of the draws are within five standard errors. */
TEST_EACH(draws, CASES_KERNELS) {
    enum { DRAWS = 4000 };
    const struct ref_kernel *k = cases_kernel_at((size_t)_i);
    struct world w;
    double X[AT * 2], mean[AT], cov[AT * AT], *f = malloc(DRAWS * AT * sizeof *f), few[3 * AT];
    world_open(&w, k, NO_TIME);
    add(&w, 30, 1);
    ref_gp_free(&w.ref);
    tvgp_gp *gp = w.gp;
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, 3, NULL));
    points(k, &w.r, AT, X);
    memcpy(X + k->dim, X, k->dim * sizeof *X);
    ASSERT_OK(tvgp_gp_predict_covariance(gp, AT, X, 0, mean, cov));
    ASSERT_OK(tvgp_gp_sample(gp, AT, X, 0, DRAWS, 7, f));
    ASSERT_OK(tvgp_gp_sample(gp, AT, X, 0, 3, 7, few));
    ck_assert_mem_eq(f, few, sizeof few);
    ASSERT_OK(tvgp_gp_sample(gp, AT, X, 0, 3, 8, few));
    ck_assert(few[0] != f[0]);
    for (size_t i = 0; i < AT; i++)
        for (size_t j = 0; j <= i; j++) {
            const double a = cov[i * (AT + 1)], b = cov[j * (AT + 1)], c = cov[i * AT + j];
            double sum = 0, product = 0;
            for (size_t d = 0; d < DRAWS; d++) {
                sum += f[d * AT + i];
                product += (f[d * AT + i] - mean[i]) * (f[d * AT + j] - mean[j]);
            }
            ASSERT_NEAR(sum / DRAWS, mean[i], 5 * sqrt(a / DRAWS) + 1e-6);
            ASSERT_NEAR(product / DRAWS, c, 5 * sqrt((a * b + c * c) / DRAWS) + 1e-6);
        }
    for (size_t d = 0; d < DRAWS; d++)
        ASSERT_NEAR(f[d * AT], f[d * AT + 1], 1e-5); /* the same point */
    free(f);
}

/* ---- saved posteriors ------------------------------------------------------------------------------------------------ */

static uint8_t *saved(const tvgp_gp *gp, size_t *n) {
    size_t again;
    ASSERT_OK(tvgp_gp_save(gp, 0, NULL, n));
    uint8_t *bytes = malloc(*n);
    ASSERT_OK(tvgp_gp_save(gp, *n, bytes, &again));
    ck_assert_uint_eq(again, *n);
    return bytes;
}

static void assert_same(tvgp_gp *a, tvgp_gp *b, const double *X) {
    double mean[2][AT], var[2][AT], value[2], noise[2], intercept[2];
    tvgp_gp *const both[] = {a, b};
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_gp_predict(both[k], AT, X, 25, mean[k], var[k]));
        ASSERT_OK(tvgp_gp_log_marginal_likelihood(both[k], &value[k]));
        ASSERT_OK(tvgp_gp_noise(both[k], &noise[k], &intercept[k]));
    }
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
    ck_assert_mem_eq(var[0], var[1], sizeof var[0]);
    ck_assert(value[0] == value[1] && noise[0] == noise[1] && intercept[0] == intercept[1]);
}

/* Before observations and after them: the restored posterior equals the saved one, also when both continue. */
TEST_EACH(save_and_restore, TIMES *CASES_KERNELS) {
    struct world w;
    double X[AT * 2], y[AT], t[AT] = {0};
    world_open(&w, cases_kernel_at((size_t)_i / TIMES), (enum time)(_i % TIMES));
    points(w.k, &w.r, AT, X);
    for (size_t i = 0; i < AT; i++)
        y[i] = rnd_normal(&w.r);
    for (int full = 0; full < 2; full++) {
        size_t n, m;
        if (full) {
            add(&w, 30, 1);
            ASSERT_OK(tvgp_gp_set_prior_mean(w.gp, -2, _i % 2 ? (const double[]){0.5, -1} : NULL));
        }
        uint8_t *bytes = saved(w.gp, &n);
        tvgp_gp *again = MAKE_GP(tvgp_gp_restore, ctx, n, bytes);
        assert_same(w.gp, again, X);
        uint8_t *twice = saved(again, &m);
        ck_assert_uint_eq(n, m);
        ck_assert_mem_eq(bytes, twice, n);
        free(bytes);
        free(twice);
        for (int k = 0; k < 2; k++) {
            ASSERT_OK(tvgp_gp_add(k ? again : w.gp, AT, X, w.time ? t : NULL, y, NULL));
            ASSERT_OK(tvgp_gp_drop(k ? again : w.gp, 2));
        }
        assert_same(w.gp, again, X);
    }
    ref_gp_free(&w.ref);
}

/* A small posterior with a slope, times and a table, whose points are indices. */
static tvgp_gp *small(void) {
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, 3, (const double[]){1, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 1});
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, table, MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.1), 0.1);
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, 1, (const double[]){0.5}));
    ASSERT_OK(tvgp_gp_add(gp, 3, (const double[]){0, 1, 2}, (const double[]){0, 1, 2}, (const double[]){1, 0, -1}, NULL));
    return gp;
}

/* Every byte in turn is changed, and the end is cut off anywhere: an error, or a posterior that can be used. */
TEST(forged) {
    tvgp_gp *gp = small(), *again = NULL;
    size_t n;
    double mean, var;
    uint8_t *bytes = saved(gp, &n);
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[i] ^= (uint8_t)(1 << bit);
            const tvgp_status status = tvgp_gp_restore(ctx, n, bytes, &again);
            ck_assert(status == TVGP_ERR_FORMAT || status == TVGP_ERR_VERSION);
            bytes[i] ^= (uint8_t)(1 << bit);
        }
    for (size_t m = 0; m < n; m++)
        ck_assert_int_eq(tvgp_gp_restore(ctx, m, bytes, &again), TVGP_ERR_FORMAT);
    ck_assert(again == NULL);
    again = MAKE_GP(tvgp_gp_restore, ctx, n, bytes);
    ASSERT_OK(tvgp_gp_predict(again, 1, &(double){2}, 3, &mean, &var));
    free(bytes);
    tvgp_gp_destroy(again);
}

static int32_t one_block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    (void)data, (void)X, (void)Z;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = 1;
    return 0;
}

static int32_t always(void *user) {
    (void)user;
    return 1;
}

TEST(refused) {
    static const tvgp_kernel_type type = {.struct_size = sizeof type, .name = "unsaved", .block = one_block};
    tvgp_gp *gp = small(), *other;
    const double off = 0.5, nan_at = NAN, far = 1e200;
    double out[4] = {7, 7, 7, 7};
    uint8_t bytes[8] = {0};
    size_t needed = 0;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_predict_covariance(gp, 1, &off, 0, NULL, out), "X[0]");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_predict_covariance(gp, 1, &nan_at, 0, NULL, out), "X[0]");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_predict_covariance(gp, 1, &(double){0}, 0, out, NULL), "covariance is NULL");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_predict_covariance(gp, 1, &(double){0}, far, NULL, out), "t");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_sample(gp, 1, &off, 0, 1, 1, out), "X[0]");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_sample(gp, 1, &nan_at, 0, 1, 1, out), "X[0]");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_sample(gp, 1, &(double){0}, far, 1, 1, out), "t");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, always, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, tvgp_gp_sample(gp, 1, &(double){0}, 0, 1 << 20, 1, out), "interrupted");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    ck_assert(out[0] == 7 && out[3] == 7);
    ASSERT_OK(tvgp_gp_sample(gp, 0, NULL, 0, 1, 1, NULL)); /* nothing to draw */
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_gp_save(gp, sizeof bytes, bytes, &needed), "capacity = 8");
    ck_assert_uint_gt(needed, 100);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_gp_restore(ctx, sizeof bytes, bytes, &other), "header");
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &type, NULL, NULL));
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_of_type, ctx, "unsaved", 1, NULL);
    other = MAKE_GP(tvgp_gp_create, ctx, kernel, NULL, 1);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_gp_save(other, 0, NULL, &needed), "unsaved");
    tvgp_gp_destroy(other);
}

/* Where the type of a kernel is not registered, and under a quota. */
TEST(restored_elsewhere) {
    tvgp_ctx *empty;
    tvgp_kernel *kernel;
    tvgp_gp *gp, *out = NULL;
    uint8_t bytes[4096];
    size_t n;
    ASSERT_OK(tvgp_ctx_create(NULL, &empty));
    ASSERT_OK(cases_kernel(ctx, cases_kernel_at(CASES_KERNELS), &kernel));
    ASSERT_OK(tvgp_gp_create(ctx, kernel, NULL, 1, &gp));
    ASSERT_OK(tvgp_gp_save(gp, sizeof bytes, bytes, &n));
    ck_assert_int_eq(tvgp_gp_restore(empty, n, bytes, &out), TVGP_ERR_UNSUPPORTED);
    tvgp_gp_destroy(gp);
    tvgp_kernel_destroy(kernel);
    gp = small();
    ASSERT_OK(tvgp_gp_save(gp, sizeof bytes, bytes, &n));
    ASSERT_OK(tvgp_ctx_set_quota(empty, 1, 0, 0));
    ck_assert_int_eq(tvgp_gp_restore(empty, n, bytes, &out), TVGP_ERR_LIMIT);
    ASSERT_OK(tvgp_ctx_set_quota(empty, 0, 0, 0));
    ASSERT_OK(tvgp_gp_restore(empty, n, bytes, &out));
    tvgp_gp_destroy(out);
    tvgp_gp_destroy(gp);
    tvgp_ctx_destroy(empty);
}

/* A snapshot of a policy is none of a posterior, and the other way round. */
TEST(of_another_kind) {
    tvgp_gp *gp = small(), *out;
    uint8_t bytes[4096];
    size_t n;
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create_described, ctx, "gp-ucb grid=0:1:3 se=.2");
    ASSERT_OK(tvgp_policy_save_full(policy, sizeof bytes, bytes, &n));
    ck_assert_int_lt(tvgp_gp_restore(ctx, n, bytes, &out), 0);
    tvgp_policy_destroy(policy);
    ASSERT_OK(tvgp_gp_save(gp, sizeof bytes, bytes, &n));
    ck_assert_int_lt(tvgp_policy_restore(ctx, n, bytes, NULL, NULL, &policy), 0);
}

/* Every allocation fails once; which call is number `what`. */
TEST_EACH(lack_of_memory, 3) {
    tvgp_gp *gp = small(), *again = NULL;
    const double X[] = {0, 1, 2};
    double cov[9], f[6] = {7};
    size_t n, fail = 1;
    uint8_t *bytes = saved(gp, &n);
    for (;; fail++) {
        memory.fail_in = fail;
        const tvgp_status status = _i == 0   ? tvgp_gp_predict_covariance(gp, 3, X, 3, NULL, cov)
                                   : _i == 1 ? tvgp_gp_sample(gp, 3, X, 3, 2, 1, f)
                                             : tvgp_gp_restore(ctx, n, bytes, &again);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        ck_assert(f[0] == 7 && again == NULL);
    }
    ck_assert_uint_ge(fail, 2);
    free(bytes);
    tvgp_gp_destroy(again);
}

int main(void) {
    golden_read_posterior();
    return HARNESS_RUN("gp", harness_setup, harness_teardown);
}
