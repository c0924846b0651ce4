/* SPDX-License-Identifier: MIT */
/* tvgp_gp_predict_covariance against the plain dense reference, tvgp_gp_sample against that covariance, and tvgp_gp_save. */
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DATA = 30, AT = 12 };

static tvgp_gp *make(const struct ref_kernel *space, int timed) {
    tvgp_kernel *time = NULL;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, space);
    if (timed)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.05);
    return MAKE_GP(tvgp_gp_create, ctx, kernel, time, 0.02);
}

static void points(const struct ref_kernel *k, struct rnd *r, size_t n, double *X) {
    for (size_t i = 0; i < n * k->dim; i++)
        X[i] = k->kind == REF_TABLE ? (double)rnd_below(r, CASES_ARMS) : rnd_uniform(r);
}

/* Observations of the posterior and of the reference; the oldest three leave. */
static void fill(tvgp_gp *gp, struct ref_gp *ref, const struct ref_kernel *k, int timed, struct rnd *r) {
    double X[DATA * 2], t[DATA], y[DATA], noise[DATA];
    points(k, r, DATA, X);
    for (size_t i = 0; i < DATA; i++) {
        t[i] = timed ? (double)rnd_below(r, 20) : 0;
        y[i] = rnd_normal(r);
        noise[i] = 0.01 + rnd_uniform(r);
        ref_gp_add(ref, X + i * k->dim, t[i], y[i], noise[i]);
    }
    ASSERT_OK(tvgp_gp_add(gp, DATA, X, timed ? t : NULL, y, noise));
    ASSERT_OK(tvgp_gp_drop(gp, 3));
    ref_gp_drop(ref, 3);
}

TEST_EACH(covariance, 2 * CASES_KERNELS) {
    const struct ref_kernel *k = cases_kernel_at((size_t)(_i / 2));
    const int timed = _i % 2;
    struct rnd r = {(uint64_t)_i};
    struct ref_gp ref;
    tvgp_gp *gp = make(k, timed);
    double X[AT * 2], mean[AT], var[AT], joint[AT], cov[AT * AT], alone[AT * AT];
    ref_gp_init(&ref, k, timed ? 0.05 : 0, DATA);
    for (int full = 0; full < 2; full++) {
        if (full)
            fill(gp, &ref, k, timed, &r);
        points(k, &r, AT, X);
        memcpy(X + k->dim, X, k->dim * sizeof *X); /* a repeated point */
        ASSERT_OK(tvgp_gp_predict(gp, AT, X, 25, mean, var));
        ASSERT_OK(tvgp_gp_predict_covariance(gp, AT, X, 25, joint, cov));
        ASSERT_OK(tvgp_gp_predict_covariance(gp, AT, X, 25, NULL, alone));
        ck_assert_mem_eq(cov, alone, sizeof cov);
        for (size_t i = 0; i < AT; i++) {
            ASSERT_NEAR(joint[i], mean[i], 1e-12);
            ASSERT_NEAR(cov[i * AT + i], var[i], 1e-12);
            for (size_t j = 0; j < AT; j++) {
                ASSERT_NEAR(cov[i * AT + j], ref_gp_covariance(&ref, X + i * k->dim, X + j * k->dim, 25), 1e-11);
                ck_assert(cov[i * AT + j] == cov[j * AT + i]);
            }
        }
    }
    ref_gp_free(&ref);
}

/* Means and covariances of the draws are within five standard errors. */
TEST_EACH(draws, CASES_KERNELS) {
    enum { DRAWS = 4000 };
    const struct ref_kernel *k = cases_kernel_at((size_t)_i);
    struct rnd r = {(uint64_t)_i};
    struct ref_gp ref;
    tvgp_gp *gp = make(k, 0);
    double X[AT * 2], mean[AT], cov[AT * AT], *f = malloc(DRAWS * AT * sizeof *f), few[3 * AT];
    ref_gp_init(&ref, k, 0, DATA);
    fill(gp, &ref, k, 0, &r);
    ref_gp_free(&ref);
    ASSERT_OK(tvgp_gp_set_prior_mean(gp, 3, NULL));
    points(k, &r, AT, X);
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

/* Before observations and after them: the restored posterior equals the saved one, also when both go on. */
TEST_EACH(save_and_restore, 2 * CASES_KERNELS) {
    const struct ref_kernel *k = cases_kernel_at((size_t)(_i / 2));
    const int timed = _i % 2;
    struct rnd r = {(uint64_t)_i};
    struct ref_gp ref;
    tvgp_gp *gp = make(k, timed), *again;
    double X[AT * 2], y[AT], t[AT] = {0};
    ref_gp_init(&ref, k, timed ? 0.05 : 0, DATA);
    points(k, &r, AT, X);
    for (int full = 0; full < 2; full++) {
        size_t n, m;
        if (full) {
            fill(gp, &ref, k, timed, &r);
            ASSERT_OK(tvgp_gp_set_prior_mean(gp, -2, _i % 3 ? (const double[]){0.5, -1} : NULL));
        }
        uint8_t *bytes = saved(gp, &n);
        again = MAKE_GP(tvgp_gp_restore, ctx, n, bytes);
        assert_same(gp, again, X);
        uint8_t *twice = saved(again, &m);
        ck_assert_uint_eq(n, m);
        ck_assert_mem_eq(bytes, twice, n);
        free(bytes);
        free(twice);
        for (size_t i = 0; i < AT; i++)
            y[i] = rnd_normal(&r);
        ASSERT_OK(tvgp_gp_add(gp, AT, X, timed ? t : NULL, y, NULL));
        ASSERT_OK(tvgp_gp_add(again, AT, X, timed ? t : NULL, y, NULL));
        ASSERT_OK(tvgp_gp_drop(gp, 2));
        ASSERT_OK(tvgp_gp_drop(again, 2));
        assert_same(gp, again, X);
    }
    ref_gp_free(&ref);
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

HARNESS_MAIN("gp_joint")
