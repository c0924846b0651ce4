/* SPDX-License-Identifier: MIT */
/* Kernels on a slice of a point, categories, kernels that repeat in time, and domains of action and context. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 5, POINTS = 600 };

static void random_points(double *X) {
    ASSERT_OK(tvgp_random_uniform(7, 1000, 0, POINTS * DIM, X));
    for (size_t i = 0; i < POINTS; i++)
        X[i * DIM + 4] = floor(3 * X[i * DIM + 4]); /* a category */
}

static double se(const double *x, const double *z, size_t first, size_t dim, double l) {
    double r2 = 0;
    for (size_t d = first; d < first + dim; d++)
        r2 += (x[d] - z[d]) * (x[d] - z[d]) / (l * l);
    return exp(-0.5 * r2);
}

/* SE on coordinates 1, 2 times (SE on 0 plus categories on 4), in blocks around the size of a chunk. */
TEST(slices_of_a_point) {
    static double X[POINTS * DIM], K[3 * POINTS];
    const double l1 = 0.3, l2 = 0.7;
    const size_t widths[] = {1, 255, 256, 257, 511, 512, 513, POINTS};
    tvgp_kernel *part[3];
    random_points(X);
    part[0] = MAKE_KERNEL(tvgp_kernel_slice, ctx, DIM, 1, harness_se(2, 1, &l1));
    part[1] = MAKE_KERNEL(tvgp_kernel_slice, ctx, DIM, 0, harness_se(1, 1, &l2));
    part[2] = MAKE_KERNEL(tvgp_kernel_slice, ctx, DIM, 4, MAKE_KERNEL(tvgp_kernel_categorical, ctx, 2, 0.25));
    tvgp_kernel *sum = MAKE_KERNEL(tvgp_kernel_sum, ctx, part[1], part[2]);
    tvgp_kernel *product = MAKE_KERNEL(tvgp_kernel_product, ctx, part[0], sum);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        size_t m = widths[w];
        ASSERT_OK(tvgp_kernel_gram(product, 3, X, m, X, K));
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < m; j++) {
                const double *x = X + i * DIM, *z = X + j * DIM;
                double want = se(x, z, 1, 2, l1) * (se(x, z, 0, 1, l2) + (x[4] == z[4] ? 2 : 0.5));
                ASSERT_NEAR(K[i * m + j], want, 1e-14);
            }
    }
}

TEST(what_is_no_slice) {
    const double l = 1, K[] = {1, 0.5, 0.5, 1};
    tvgp_kernel *slice = NULL;
    tvgp_policy *policy;
    tvgp_kernel *two = harness_se(2, 1, &l);
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_kernel_slice(ctx, 3, 2, two, &slice), "2");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_kernel_slice(ctx, 3, (size_t)-1, two, &slice), "dim");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_kernel_slice(ctx, 1, 0, two, &slice), "dim");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_slice(ctx, 3, 0, NULL, &slice), "inner");
    ck_assert_ptr_null(slice);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_categorical(ctx, 1, 1.01, &slice), "correlation", "1.01");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_categorical(ctx, 1, -0.01, &slice), "correlation");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_categorical(ctx, 0, 0, &slice), "variance");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_categorical(ctx, 1, NAN, &slice), "correlation");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_periodic(ctx, 1, 1, 1, &l, 1, (const double[]){0}, &slice), "period");
    /* where the inner kernel is not defined, neither is the slice */
    slice = MAKE_KERNEL(tvgp_kernel_slice, ctx, 2, 1, MAKE_KERNEL(tvgp_kernel_table, ctx, 2, K));
    tvgp_domain *domain = harness_arms(2, 2, (const double[]){0.5, 1, 0.5, 2});
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "gp-ucb", domain, slice, &policy), "arm index");
    tvgp_kernel_destroy(slice);
}

TEST(repeats_in_time) {
    double k;
    tvgp_kernel *day = MAKE_KERNEL(tvgp_kernel_periodic, ctx, 1, 1, 1, (const double[]){0.8}, 1, (const double[]){24});
    for (double dt = -60; dt <= 60; dt += 0.75) {
        double s = sin(3.14159265358979323846 * dt / 24);
        ASSERT_OK(tvgp_kernel_gram(day, 1, (const double[]){100 + dt}, 1, (const double[]){100}, &k));
        ASSERT_NEAR(k, exp(-2 * s * s / (0.8 * 0.8)), 1e-13);
    }
}

TEST(actions_and_contexts) {
    const double lower[] = {0, 10}, upper[] = {1, 12};
    size_t n;
    int64_t action = -7, context = -7;
    double x[3];
    tvgp_domain *actions = harness_grid(2, lower, upper, (const size_t[]){2, 3});
    tvgp_domain *product = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, harness_indices(4));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_split(actions, 0, &action, &context), "not a product");
    ASSERT_OK(tvgp_domain_size(product, &n));
    ck_assert_uint_eq(n, 24);
    for (int64_t arm = 0; arm < 24; arm++) {
        double a[2];
        ASSERT_OK(tvgp_domain_split(product, arm, &action, &context));
        ck_assert_int_eq(arm, 4 * action + context);
        ASSERT_OK(tvgp_domain_point(product, arm, x));
        ASSERT_OK(tvgp_domain_point(actions, action, a));
        ck_assert(x[0] == a[0] && x[1] == a[1] && x[2] == (double)context);
    }
    ASSERT_OK(tvgp_domain_split(product, 5, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_split(product, 24, &action, &context), "arm", "24");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_split(product, -1, &action, &context), "arm");
    ck_assert(action == 5 && context == 3);
}

/* An unsolicited observation finds its pair by its coordinates. */
TEST(points_of_a_product) {
    const double lower = 0, upper = 1, l = 0.5;
    double mean, x[2];
    tvgp_domain *actions = harness_grid(1, &lower, &upper, (const size_t[]){5});
    tvgp_domain *product = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, harness_indices(3));
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", product, harness_se(2, 1, &l));
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", 1e-8));
    (void)harness_ask_at(policy, 1, x);
    tvgp_obs o = {.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .y = 3, .noise_var = 1e-8, .t = 1};
    ASSERT_OK(tvgp_policy_tell(policy, 1, &o, (const double[]){0.75, 2}));
    ASSERT_OK(tvgp_policy_predict(policy, 1, 1, (const double[]){0.75, 2}, &mean, NULL));
    ASSERT_NEAR(mean, 3, 1e-6);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(policy, 1, &o, (const double[]){0.75, 3}), "not a point");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(policy, 1, &o, (const double[]){0.7, 1}), "not a point");
}

enum { ACTIONS = 7, CONTEXTS = 5, STEPS = 120 };

/* The next action; its side queries get no outcome. Returns its score, and its arm. */
static double next_action(tvgp_policy *policy, double t, tvgp_query *q) {
    for (;;) {
        ASSERT_OK(tvgp_policy_ask_one(policy, t, q, NULL));
        if (q->kind == TVGP_ACTION)
            return q->score;
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q->id, .outcome = TVGP_SKIPPED}, NULL));
    }
}

static tvgp_policy *contextual(const char *name) {
    const double lower = 0, upper = 1, l[] = {0.3, 2};
    tvgp_domain *actions = harness_grid(1, &lower, &upper, (const size_t[]){ACTIONS});
    tvgp_domain *product = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, harness_indices(CONTEXTS));
    return MAKE_POLICY(tvgp_policy_create, ctx, name, product, harness_se(2, 2, l));
}

/* A context is a mask over the joint arms: for every policy the same choices, bit for bit, with arms that are added and removed. */
TEST_EACH(a_context_is_a_mask, harness_policies()) {
    const char *name;
    double noise[STEPS], u[2 * STEPS];
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    ASSERT_OK(tvgp_random_normal(3, 1000, 0, STEPS, noise));
    ASSERT_OK(tvgp_random_uniform(3, 1001, 0, 2 * STEPS, u));
    tvgp_policy *with = contextual(name), *masked = contextual(name);
    uint8_t allowed[ACTIONS * CONTEXTS], mask[ACTIONS * CONTEXTS];
    for (size_t i = 0; i < sizeof allowed; i++)
        allowed[i] = 1;
    for (int t = 1; t <= STEPS; t++) {
        const int64_t context = (int64_t)(u[t - 1] * CONTEXTS);
        const size_t gone = (size_t)(u[STEPS + t - 1] * ACTIONS * CONTEXTS);
        tvgp_query a, b;
        allowed[gone] = !allowed[gone];
        size_t left = 0;
        for (size_t i = 0; i < sizeof mask; i++)
            left += mask[i] = allowed[i] && (int64_t)(i % CONTEXTS) == context;
        ASSERT_OK(tvgp_policy_set_available(with, sizeof allowed, allowed));
        ASSERT_OK(tvgp_policy_set_context(with, context));
        if (!left) {
            ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(with, t, &a, NULL), "context");
            continue;
        }
        ASSERT_OK(tvgp_policy_set_available(masked, sizeof mask, mask));
        double score = next_action(with, t, &a), want = next_action(masked, t, &b);
        ck_assert_msg(a.arm == b.arm && score == want, "%s, t = %d: arm %lld and %lld", name, t, (long long)a.arm,
                      (long long)b.arm);
        ck_assert_int_eq(a.arm % CONTEXTS, context);
        double y = sin(0.1 * t + (double)a.arm) + 0.1 * noise[t - 1];
        ASSERT_OK(tvgp_policy_tell_value(with, a.id, y));
        ASSERT_OK(tvgp_policy_tell_value(masked, b.id, y));
        int64_t best = -1;
        if (tvgp_policy_best(with, t, &best, NULL) == TVGP_OK)
            ck_assert_int_eq(best % CONTEXTS, context);
    }
}

TEST(contexts_that_are_none) {
    tvgp_policy *policy = contextual("gp-ucb");
    tvgp_query q;
    const double l = 1;
    uint8_t mask[ACTIONS * CONTEXTS] = {0};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_context(policy, CONTEXTS), "context", "5");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_context(policy, -2), "context");
    ck_assert_int_eq(tvgp_policy_set_context(NULL, 0), TVGP_ERR_ARG);
    mask[CONTEXTS + 1] = 1; /* action 1 in context 1 alone */
    ASSERT_OK(tvgp_policy_set_available(policy, sizeof mask, mask));
    ASSERT_OK(tvgp_policy_set_context(policy, 2));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(policy, 1, &q, NULL), "context 2");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_best(policy, 1, &q.arm, NULL), "context 2");
    ASSERT_OK(tvgp_policy_set_context(policy, 1));
    ASSERT_OK(tvgp_policy_ask_one(policy, 1, &q, NULL));
    ck_assert_int_eq(q.arm, CONTEXTS + 1);
    ASSERT_OK(tvgp_policy_set_available(policy, 0, NULL));
    ASSERT_OK(tvgp_policy_set_context(policy, -1));
    ASSERT_OK(tvgp_policy_ask_one(policy, 2, &q, NULL));
    tvgp_policy *plain = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_indices(3), harness_se(1, 1, &l));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_context(plain, 0), "tvgp_domain_product");
}

/* Two arms, two bins: every number by hand. Arm 0: bin 0 {0, 2}, bin 1 {10}; arm 1: bin 0 {4, 6}, bin 1 none.
 * var e = (2 + 2) / (5 - 3) = 2. Arm means 4, 5. Between: 2 (1 - 4)^2 + (10 - 4)^2 = 54 with 1 degree of freedom (arm 1 has
 * none); weights 3 - 5/3 + 2 - 4/2 = 4/3: var b = (54 - 2) 3/4 = 39, k = 2/39. */
TEST(means_by_phase) {
    const int64_t arm[] = {0, 0, 0, 1, 1};
    const double t[] = {0, 10, 16, -9, 1}, y[] = {0, 2, 10, 4, 6}, k = 2.0 / 39;
    double mean[6] = {-7, -7, -7, -7, -7, -7};
    tvgp_domain *domain = harness_indices(3);
    ASSERT_OK(tvgp_domain_seasonal_mean(domain, 5, arm, t, y, 10, 2, mean));
    const double want[] = {(2 + k * 4) / (2 + k), (10 + k * 5) / (2 + k), 22.0 / 5, (10 + k * 4) / (1 + k), 5, 22.0 / 5};
    ASSERT_ALL_NEAR(6, mean, want, 1e-13);
    /* bins that differ by chance alone: the arms' own means */
    const double same[] = {1, 3, 2, 4, 6};
    ASSERT_OK(tvgp_domain_seasonal_mean(domain, 5, arm, t, same, 10, 2, mean));
    ASSERT_NEAR(mean[0], 2, 1e-14);
    ASSERT_NEAR(mean[3], 2, 1e-14);
    for (size_t i = 0; i < 6; i++)
        mean[i] = -7;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_seasonal_mean(domain, 5, (const int64_t[]){0, 0, 3, 0, 0}, t, y, 10, 2, mean),
                 "3");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_seasonal_mean(domain, 0, arm, t, y, 10, 2, mean), "n = 0");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_seasonal_mean(domain, 5, arm, t, y, 10, 0, mean), "bins = 0");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_seasonal_mean(domain, 5, arm, t, y, 0, 2, mean), "period");
    ASSERT_FAILS(TVGP_ERR_NONFINITE,
                 tvgp_domain_seasonal_mean(domain, 5, arm, t, (const double[]){0, NAN, 0, 0, 0}, 10, 2, mean), "y[1]");
    for (size_t i = 0; i < 6; i++)
        ck_assert_double_eq(mean[i], -7);
}

HARNESS_MAIN("slices")
