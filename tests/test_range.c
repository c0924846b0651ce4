/* SPDX-License-Identifier: MIT */
/* The stated range at every door: what is beyond it gives LIMIT and changes nothing, its ends are let in; and what once broke
 * outside or near it. */
#include "cases.h"

#include <math.h>
#include <string.h>

static const double one = 1, beyond = 1.0000001e100, below = 9.9e-101, least = 1e-100, most = 1e100;
static void *const untouched = &(char){0};
static const size_t all = (size_t)-1, too_many = (size_t)1 << 31;

#define BEYOND(type, call, ...)                                                                                             \
    do {                                                                                                                    \
        type *out = untouched;                                                                                              \
        ASSERT_FAILS(TVGP_ERR_LIMIT, call, __VA_ARGS__);                                                                    \
        ck_assert_ptr_eq(out, untouched);                                                                                   \
    } while (0)

/* A dimension for which the size of the kernel wraps around was a few bytes too small a block, written beyond its end. */
TEST(dimensions) {
    const size_t wrap[] = {all, all / 8, all / 16 + 1, too_many};
    for (size_t i = 0; i < 4; i++) {
        BEYOND(tvgp_kernel, tvgp_kernel_se(ctx, wrap[i], 1, 1, &one, &out), "dim", "2147483647");
        BEYOND(tvgp_kernel, tvgp_kernel_matern(ctx, wrap[i], 1.5, 1, 1, &one, &out), "dim");
        BEYOND(tvgp_kernel, tvgp_kernel_rational_quadratic(ctx, wrap[i], 1, 1, 1, &one, &out), "dim");
        BEYOND(tvgp_kernel, tvgp_kernel_periodic(ctx, wrap[i], 1, 1, &one, 1, &one, &out), "dim");
        BEYOND(tvgp_kernel, tvgp_kernel_linear(ctx, wrap[i], 1, 1, &one, 0, &out), "dim");
        BEYOND(tvgp_domain, tvgp_domain_arms(ctx, 1, wrap[i], &one, &out), "dim");
        BEYOND(tvgp_domain, tvgp_domain_grid(ctx, wrap[i], &one, &one, &too_many, &out), "dim");
    }
}

/* Counts are compared with the limit before an array is read: the ones here have one entry. */
TEST(counts_before_arrays) {
    double value = 7;
    size_t index = 7, n = 7;
    const tvgp_obs obs = {.id = 1};
    tvgp_kernel *k = harness_se(1, 1, &one);
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, k, NULL, 1);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_indices(2), k);
    const size_t counts[] = {all, too_many};
    for (size_t i = 0; i < 2; i++) {
        size_t m = counts[i];
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kdpp_sample(ctx, k, m, &one, 1, 0, 1, &index, &n), "n", "2147483647");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kernel_gram(k, m, &one, 1, &one, &value), "n", "2147483647");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kernel_gram(k, 1, &one, m, &one, &value), "m", "2147483647");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_add(gp, m, &one, NULL, &one, NULL), "n", "2147483647");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_predict(gp, m, &one, 0, &value, NULL), "n", "2147483647");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_predict(p, 0, m, &one, &value, NULL), "n", "2147483647");
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_tell(p, m, &obs, NULL), "n", "2147483647");
        BEYOND(tvgp_domain, tvgp_domain_arms(ctx, m, 1, &one, &out), "n", "2147483647");
        BEYOND(tvgp_kernel, tvgp_kernel_table(ctx, m, &one, &out), "n_arms", "2147483647");
    }
    ck_assert(value == 7 && index == 7 && n == 7);
}

TEST(kernels) {
    const double beyonds[] = {beyond, below, INFINITY};
    for (size_t i = 0; i < 2; i++) {
        const double *bad = &beyonds[i];
        BEYOND(tvgp_kernel, tvgp_kernel_se(ctx, 1, *bad, 1, &one, &out), "variance", "1e100");
        BEYOND(tvgp_kernel, tvgp_kernel_se(ctx, 1, 1, 1, bad, &out), "lengthscale", "1e-100");
        BEYOND(tvgp_kernel, tvgp_kernel_matern(ctx, 1, 2.5, *bad, 1, &one, &out), "variance");
        BEYOND(tvgp_kernel, tvgp_kernel_rational_quadratic(ctx, 1, *bad, 1, 1, &one, &out), "alpha");
        BEYOND(tvgp_kernel, tvgp_kernel_periodic(ctx, 1, 1, 1, &one, 1, bad, &out), "period");
        BEYOND(tvgp_kernel, tvgp_kernel_linear(ctx, 1, 1, 1, &one, *bad, &out), "bias");
        BEYOND(tvgp_kernel, tvgp_kernel_table(ctx, 1, bad, &out), "K");
        BEYOND(tvgp_kernel, tvgp_kernel_wiener(ctx, *bad, 0, &out), "rate");
    }
    BEYOND(tvgp_kernel, tvgp_kernel_wiener(ctx, 1, -beyond, &out), "origin");
    const double ends[] = {least, most};
    for (size_t i = 0; i < 2; i++) {
        double K[4];
        const double x[] = {-most, most};
        tvgp_kernel *k = MAKE_KERNEL(tvgp_kernel_periodic, ctx, 1, ends[i], 1, &ends[i], 1, &ends[i]);
        ASSERT_OK(tvgp_kernel_gram(k, 2, x, 2, x, K));
        ck_assert(K[0] == ends[i] && K[1] >= 0 && K[1] <= ends[i]);
    }
}

/* Variances beyond the range at a point: of linear kernels, sums, products, and in space and time together. */
TEST(variances) {
    tvgp_gp *gp;
    const double x = 1e51, time = 1e60, slope = 1e60, at = 1e50;
    double value = 7;
    tvgp_kernel *linear = MAKE_KERNEL(tvgp_kernel_linear, ctx, 1, 1, 1, &one, 0);
    tvgp_kernel *wide = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 6e99, 1, &one);
    tvgp_kernel *sum = MAKE_KERNEL(tvgp_kernel_sum, ctx, wide, wide);
    tvgp_kernel *product = MAKE_KERNEL(tvgp_kernel_product, ctx, wide, wide);
    tvgp_kernel *wiener = MAKE_KERNEL(tvgp_kernel_wiener, ctx, 1, 0);
    tvgp_domain *far = harness_arms(1, 1, &x);
    tvgp_domain *near = harness_arms(1, 1, &one);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kernel_gram(linear, 1, &x, 1, &one, &value), "X[0]", "1e100");
    BEYOND(tvgp_policy, tvgp_policy_create(ctx, "gp-ucb", far, linear, &out), "arms[0]", "1e100");
    BEYOND(tvgp_policy, tvgp_policy_create(ctx, "gp-ucb", near, sum, &out), "arms[0]", "1.2e+100");
    BEYOND(tvgp_policy, tvgp_policy_create(ctx, "gp-ucb", near, product, &out), "arms[0]", "1e100");
    gp = MAKE_GP(tvgp_gp_create, ctx, wide, wiener, 1);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_add(gp, 1, &one, &time, &one, NULL), "variance", "1e100");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_predict(gp, 1, &one, time, &value, NULL), "variance", "1e100");
    ASSERT_OK(tvgp_gp_add(gp, 1, &at, (const double[]){0}, &one, NULL));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_set_prior_mean(gp, 0, &slope), "mean", "1e100");
    ASSERT_OK(tvgp_gp_predict(gp, 1, &at, 0, &value, NULL));
    ck_assert(isfinite(value));
    tvgp_domain *domains[] = {far, near};
    for (size_t i = 0; i < 2; i++)
        tvgp_domain_destroy(domains[i]);
}

TEST(policies) {
    double X[CASES_ARMS * 2], mean[CASES_ARMS] = {0}, value = 7;
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "pe-gp-ucb", cases_kernel_at(0));
    mean[3] = -beyond;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_prior_mean(p, CASES_ARMS, mean), "mean[3]");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "noise", beyond), "noise", "1e+100");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "noise", below), "noise", "1e-100");
    ASSERT_OK(tvgp_policy_set_f64(p, "noise", least));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(p, beyond, &(tvgp_query){0}, NULL), "t = ");
    tvgp_query q = harness_ask(p, -most);
    const tvgp_obs bad[] = {{.id = q.id, .y = beyond},
                            {.id = q.id, .flags = TVGP_OBS_HAS_NOISE, .noise_var = beyond},
                            {.id = q.id, .flags = TVGP_OBS_HAS_NOISE, .noise_var = below},
                            {.id = q.id, .flags = TVGP_OBS_HAS_TIME, .t = beyond}};
    static const char *const says[] = {"obs[0].y", "obs[0].noise_var", "obs[0].noise_var", "obs[0].t"};
    for (size_t i = 0; i < 4; i++)
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_tell(p, 1, &bad[i], NULL), says[i]);
    const tvgp_obs told = {.y = 1};
    const double out[] = {0, -beyond};
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_tell(p, 1, &told, out), "x[0,1]");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_predict(p, 0, 1, out, &value, NULL), "X[1]");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_predict(p, beyond, 1, X, &value, NULL), "t = ");
    ck_assert(value == 7);
    const tvgp_obs ends = {
        .id = q.id, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .y = -most, .noise_var = least, .t = most};
    ASSERT_OK(tvgp_policy_tell(p, 1, &ends, NULL));
    ck_assert_double_eq(harness_stat(p, "clock"), most);
}

/* A chain of sums is evaluated by recursion, and a kernel may hold another many times. */
TEST(nesting) {
    tvgp_kernel *wide;
    const double xs[] = {0, 0.5};
    double K[4];
    tvgp_kernel *part = harness_se(1, 1, &one);
    tvgp_kernel *deep = MAKE_KERNEL(tvgp_kernel_sum, ctx, part, part);
    for (size_t depth = 3; depth <= 64; depth++) {
        tvgp_kernel *next =
            depth % 2 ? MAKE_KERNEL(tvgp_kernel_sum, ctx, part, deep) : MAKE_KERNEL(tvgp_kernel_sum, ctx, deep, part);
        tvgp_kernel_destroy(deep);
        deep = next;
    }
    ASSERT_OK(tvgp_kernel_gram(deep, 2, xs, 2, xs, K));
    ASSERT_NEAR(K[1], 64 * exp(-0.125), 1e-13);
    BEYOND(tvgp_kernel, tvgp_kernel_sum(ctx, deep, part, &out), "65", "64");
    BEYOND(tvgp_kernel, tvgp_kernel_product(ctx, part, deep, &out), "65", "64");
    wide = part;
    for (size_t i = 0; i < 16; i++) {
        tvgp_kernel *twice = MAKE_KERNEL(tvgp_kernel_sum, ctx, wide, wide);
        tvgp_kernel_destroy(wide);
        wide = twice;
    }
    BEYOND(tvgp_kernel, tvgp_kernel_sum(ctx, wide, wide, &out), "131072", "65536");
}

/* A message belongs to the context of the call, wherever the kernel comes from. */
TEST(messages_stay_at_home) {
    tvgp_ctx *other;
    tvgp_kernel *table, *elsewhere;
    tvgp_domain *domain;
    tvgp_policy *p, *out;
    const double off = 0.5;
    double value;
    ASSERT_OK(tvgp_ctx_create(NULL, &other));
    ck_assert_int_eq(tvgp_kernel_table(other, 1, &one, &table), TVGP_OK);
    ck_assert_int_eq(tvgp_kernel_se(other, 1, 1, 1, &one, &elsewhere), TVGP_OK);
    ASSERT_OK(tvgp_domain_indices(ctx, 2, &domain));
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "gp-ucb", domain, table, &out), "tvgp_policy_create", "0..0");
    ck_assert_str_eq(tvgp_ctx_errmsg(other), "");
    ASSERT_OK(tvgp_policy_create(ctx, "sw-gp-ucb", domain, elsewhere, &p));
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_predict(p, 0, 1, (const double[]){NAN}, &value, NULL), "nan");
    ASSERT_OK(tvgp_policy_set_i64(p, "window", 5));
    size_t before, after;
    ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, 0).id, 1));
    memory.fail_in = 2; /* the room for what is explained, after that of the results */
    ck_assert_int_eq(tvgp_policy_predict(p, 0, 1, &off, &value, NULL), TVGP_ERR_NOMEM);
    ck_assert_str_ne(tvgp_ctx_errmsg(ctx), "");
    ck_assert_str_eq(tvgp_ctx_errmsg(other), "");
    ASSERT_OK(tvgp_ctx_memory(other, &before));
    ASSERT_OK(tvgp_policy_predict(p, 0, 1, &off, &value, NULL));
    ASSERT_OK(tvgp_ctx_memory(other, &after));
    ck_assert_uint_eq(before, after);
    tvgp_policy_destroy(p);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(table);
    tvgp_kernel_destroy(elsewhere);
    tvgp_ctx_destroy(other);
}

/* Up to 2^50 periods away the periodic kernel is one: its matrix is accepted as a table, which asks for a factor. */
TEST(many_periods_away) {
    enum { N = 60 };
    static double x[N], K[N * N];
    const double lengthscale = 0.2, period = 0.3;
    struct rnd rnd = {5};
    for (size_t i = 0; i < N; i++)
        x[i] = rnd_uniform(&rnd) * pow(2, (double)(i % 50));
    tvgp_kernel *periodic = MAKE_KERNEL(tvgp_kernel_periodic, ctx, 1, 1, 1, &lengthscale, 1, &period);
    ASSERT_OK(tvgp_kernel_gram(periodic, N, x, N, x, K));
    (void)MAKE_KERNEL(tvgp_kernel_table, ctx, N, K);
    const double turns[] = {0.15, 0.15 + 0.3 * 0x1p40}; /* the same phase, to the 2^-12 that a double still tells there */
    ASSERT_OK(tvgp_kernel_gram(periodic, 1, turns, 1, turns + 1, K));
    ASSERT_NEAR(K[0], 1, 1e-3);
}

/* A product of kernels may be smaller than the range: the ladder of jitter was 0 then, and was climbed for ever. */
TEST_EACH(tiny_products, 6) {
    static const char *const names[] = {"ui-gp-ucb", "w-gp-ucb", "sparq-gp-ucb", "gp-ucb", "bkb", "auto-gp-ucb"};
    tvgp_kernel *next;
    tvgp_kernel *k = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 1e-80, 1, &one);
    for (size_t i = 0; i < 2; i++) { /* 1e-160, 1e-320 */
        next = MAKE_KERNEL(tvgp_kernel_product, ctx, k, k);
        tvgp_kernel_destroy(k);
        k = next;
    }
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, names[_i], harness_indices(5), k);
    ASSERT_OK(tvgp_policy_set_f64(p, "noise", 0));
    for (double t = 0; t < 20; t++) {
        tvgp_query q = harness_ask(p, t);
        ck_assert(isfinite(q.score));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(t)));
    }
}

/* Nothing held, nothing to move: no call of memmove with NULL (UndefinedBehaviorSanitizer sees it). */
TEST(nothing_to_forget) {
    tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, harness_se(1, 1, &one), NULL, 1);
    ASSERT_OK(tvgp_gp_drop(gp, 0));
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "bkb", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_i64(p, "reset.every", 1));
    for (double t = 0; t < 3; t++)
        (void)harness_ask(p, t);
    ck_assert_double_eq(harness_stat(p, "resets"), 2);
}

/* A rate so small that the rule's number of steps is no int64_t (UndefinedBehaviorSanitizer sees the conversion). */
TEST(hardly_any_change) {
    static const double epsilon[] = {1e-70, 1e-80, 1e-100};
    for (size_t i = 0; i < 3; i++) {
        tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "r-gp-ucb", cases_kernel_at(0));
        ASSERT_OK(tvgp_policy_set_f64(p, "epsilon", epsilon[i]));
        for (double t = 0; t < 10; t++)
            (void)harness_ask(p, t);
        ck_assert_double_eq(harness_stat(p, "resets"), 0);
    }
}

HARNESS_MAIN("range")
