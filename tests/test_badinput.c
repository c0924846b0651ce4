/* SPDX-License-Identifier: MIT */
/* Bad input to contexts, kernels, domains and posteriors: the right code, a message with argument, value and bound, nothing
 * made. (test_badinput_policy.c: the same for policies.) */
#include "harness.h"

#include <math.h>
#include <string.h>

static const double one = 1, two[2] = {1, 1}, zero = 0, minus = -1, bad_2[2] = {1, NAN};
static void *const untouched = &(char){0};

/* A constructor fails and leaves *out alone; every allocation it made is given back (the fixture counts). */
#define ASSERT_MAKES_NOTHING(type, status, call, ...)                                                                       \
    do {                                                                                                                    \
        type *out = untouched;                                                                                              \
        size_t held = memory.allocated - memory.released;                                                                   \
        ASSERT_FAILS(status, call, __VA_ARGS__);                                                                            \
        ck_assert_ptr_eq(out, untouched);                                                                                   \
        ck_assert_uint_eq(memory.allocated - memory.released, held);                                                        \
    } while (0)
#define BAD_KERNEL(status, call, ...) ASSERT_MAKES_NOTHING(tvgp_kernel, status, call, __VA_ARGS__)
#define BAD_DOMAIN(status, call, ...) ASSERT_MAKES_NOTHING(tvgp_domain, status, call, __VA_ARGS__)

TEST(contexts) {
    tvgp_ctx *made = untouched;
    tvgp_allocator hooks = memory_hooks(&memory);
    ck_assert_int_eq(tvgp_ctx_create(NULL, NULL), TVGP_ERR_ARG);
    hooks.struct_size--;
    ck_assert_int_eq(tvgp_ctx_create(&hooks, &made), TVGP_ERR_ARG);
    hooks = memory_hooks(&memory);
    hooks.allocate = NULL;
    ck_assert_int_eq(tvgp_ctx_create(&hooks, &made), TVGP_ERR_ARG);
    hooks = memory_hooks(&memory);
    hooks.release = NULL;
    ck_assert_int_eq(tvgp_ctx_create(&hooks, &made), TVGP_ERR_ARG);
    hooks = memory_hooks(&memory);
    memory.fail_in = 1;
    ck_assert_int_eq(tvgp_ctx_create(&hooks, &made), TVGP_ERR_NOMEM);
    ck_assert_ptr_eq(made, untouched);
    ck_assert_str_eq(tvgp_ctx_errmsg(ctx), "");
}

/* A failure leaves a message of at most 255 bytes, a success none; long names do not matter. */
TEST(messages) {
    char name[3000];
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 7 == 0 ? '%' : 'n';
    name[sizeof name - 1] = 0;
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_se(ctx, 1, -1, 1, &one, &out), "tvgp_kernel_se", "variance");
    tvgp_kernel *kernel = harness_se(1, 1, &one);
    ck_assert_str_eq(tvgp_ctx_errmsg(ctx), "");
    tvgp_domain *domain = harness_indices(3);
    ASSERT_MAKES_NOTHING(tvgp_policy, TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, name, domain, kernel, &out), "%nnn");
    ck_assert_uint_lt(strlen(tvgp_ctx_errmsg(ctx)), 256);
}

TEST(kernels) {
    BAD_KERNEL(TVGP_ERR_DIM, tvgp_kernel_se(ctx, 0, 1, 1, &one, &out), "dim", "0", "1");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_se(ctx, 1, 0, 1, &one, &out), "variance", "0", "> 0");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_se(ctx, 1, NAN, 1, &one, &out), "variance", "nan");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_se(ctx, 1, INFINITY, 1, &one, &out), "variance", "inf");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_se(ctx, 1, 1, 1, &zero, &out), "lengthscale", "0", "> 0");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_se(ctx, 1, 1, 1, &minus, &out), "lengthscale", "-1", "> 0");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_se(ctx, 2, 1, 2, bad_2, &out), "lengthscale", "nan");
    BAD_KERNEL(TVGP_ERR_DIM, tvgp_kernel_se(ctx, 3, 1, 2, two, &out), "n_lengthscale", "2", "3");
    BAD_KERNEL(TVGP_ERR_DIM, tvgp_kernel_se(ctx, 2, 1, 0, two, &out), "n_lengthscale", "0", "2");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_se(ctx, 1, 1, 1, NULL, &out), "lengthscale");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_matern(ctx, 1, 1, 1, 1, &one, &out), "nu", "1", "0.5", "1.5", "2.5");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_matern(ctx, 1, NAN, 1, 1, &one, &out), "nu", "nan");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_matern(ctx, 1, 0.5, -2, 1, &one, &out), "variance", "-2", "> 0");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_rational_quadratic(ctx, 1, 0, 1, 1, &one, &out), "alpha", "0", "> 0");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_periodic(ctx, 1, 1, 1, &one, 1, &zero, &out), "period", "0", "> 0");
    BAD_KERNEL(TVGP_ERR_DIM, tvgp_kernel_periodic(ctx, 3, 1, 1, &one, 2, two, &out), "n_period", "2", "3");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_periodic(ctx, 1, 1, 1, &one, 1, NULL, &out), "period");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_linear(ctx, 1, 1, 1, &one, -0.5, &out), "bias", "-0.5", ">= 0");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_forgetting(ctx, 1, &out), "epsilon", "1", "[0, 1)");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_forgetting(ctx, -0.5, &out), "epsilon", "-0.5", "0");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_forgetting(ctx, NAN, &out), "epsilon", "nan");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_wiener(ctx, -1, 0, &out), "rate", "-1", ">= 0");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_wiener(ctx, 1, -INFINITY, &out), "origin", "-inf");
    tvgp_kernel *kernel = NULL;
    ck_assert_int_eq(tvgp_kernel_se(NULL, 1, 1, 1, &one, &kernel), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_kernel_se(ctx, 1, 1, 1, &one, NULL), TVGP_ERR_ARG);
    const double tiny = 4.9e-324; /* 1 / lengthscale is not finite: refused, or harmless */
    double K = 0;
    if (tvgp_kernel_se(ctx, 1, 1, 1, &tiny, &kernel) == TVGP_OK)
        ASSERT_OK(tvgp_kernel_gram(kernel, 1, &one, 1, &one, &K));
    ck_assert(kernel == NULL || K == 1);
    tvgp_kernel_destroy(kernel);
}

TEST(combined_kernels) {
    tvgp_kernel *a = harness_se(1, 1, &one);
    tvgp_kernel *b = harness_se(2, 1, &one);
    BAD_KERNEL(TVGP_ERR_DIM, tvgp_kernel_sum(ctx, a, b, &out), "1", "2");
    BAD_KERNEL(TVGP_ERR_DIM, tvgp_kernel_product(ctx, b, a, &out), "1", "2");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_sum(ctx, NULL, a, &out), "a");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_product(ctx, a, NULL, &out), "b");
    double K = 7;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_gram(b, 1, bad_2, 1, two, &K), "X", "nan");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_gram(b, 1, two, 1, bad_2, &K), "Z", "nan");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_gram(b, 1, NULL, 1, two, &K), "X");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_gram(b, 1, two, 1, NULL, &K), "Z");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_gram(b, 1, two, 1, two, NULL), "K");
    ck_assert_double_eq(K, 7);
}

TEST(tables) {
    const double crooked[] = {1, 0.5, 0.4, 1}, indefinite[] = {1, 2, 2, 1}, negative[] = {1, 0, 0, -1};
    const double unfinite[] = {1, NAN, NAN, 1}, good[] = {1, 0.5, 0.5, 1}, nothing[4] = {0};
    const double circle[] = {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1}; /* every pair of arms is possible */
    BAD_KERNEL(TVGP_ERR_NUMERIC, tvgp_kernel_table(ctx, 2, crooked, &out), "K", "symmetric", "0.4", "0.5");
    BAD_KERNEL(TVGP_ERR_NUMERIC, tvgp_kernel_table(ctx, 2, indefinite, &out), "positive semi-definite",
               "K[1,0]^2 > K[0,0] K[1,1]");
    BAD_KERNEL(TVGP_ERR_NUMERIC, tvgp_kernel_table(ctx, 2, negative, &out), "positive semi-definite", "K[1,1] =");
    BAD_KERNEL(TVGP_ERR_NUMERIC, tvgp_kernel_table(ctx, 2, nothing, &out), "K", "largest diagonal entry is 0");
    BAD_KERNEL(TVGP_ERR_NUMERIC, tvgp_kernel_table(ctx, 3, circle, &out), "positive semi-definite", "leading minor 3");
    BAD_KERNEL(TVGP_ERR_NONFINITE, tvgp_kernel_table(ctx, 2, unfinite, &out), "K", "nan");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_table(ctx, 0, good, &out), "n_arms", "0", "1");
    BAD_KERNEL(TVGP_ERR_ARG, tvgp_kernel_table(ctx, 2, NULL, &out), "K");
    BAD_KERNEL(TVGP_ERR_LIMIT, tvgp_kernel_table(ctx, (size_t)1 << 31, good, &out), "n_arms", "2147483648", "2147483647");
    double K = 7;
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, good);
    static const double not_arms[] = {2, -1, 0.5, 1e99};
    for (size_t i = 0; i < 4; i++)
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_gram(kernel, 1, not_arms + i, 1, &one, &K), "X", "0..1");
    ck_assert_double_eq(K, 7);
    tvgp_domain *domain = harness_indices(3); /* one arm more than the table */
    ASSERT_MAKES_NOTHING(tvgp_policy, TVGP_ERR_ARG, tvgp_policy_create(ctx, "gp-ucb", domain, kernel, &out), "2", "0..1");
}

TEST(domains) {
    const double up[2] = {2, 2};
    const size_t points[] = {2, 2}, none[] = {2, 0}, many[] = {(size_t)1 << 16, (size_t)1 << 15};
    const size_t overflow[] = {(size_t)1 << 40, (size_t)1 << 40};
    const size_t too_many = (size_t)1 << 31;
    BAD_DOMAIN(TVGP_ERR_ARG, tvgp_domain_arms(ctx, 0, 2, two, &out), "n", "0", "1");
    BAD_DOMAIN(TVGP_ERR_DIM, tvgp_domain_arms(ctx, 1, 0, two, &out), "dim", "0", "1");
    BAD_DOMAIN(TVGP_ERR_NONFINITE, tvgp_domain_arms(ctx, 1, 2, bad_2, &out), "X", "nan");
    BAD_DOMAIN(TVGP_ERR_ARG, tvgp_domain_arms(ctx, 1, 2, NULL, &out), "X");
    BAD_DOMAIN(TVGP_ERR_LIMIT, tvgp_domain_arms(ctx, too_many, 2, two, &out), "2147483648", "2147483647");
    BAD_DOMAIN(TVGP_ERR_ARG, tvgp_domain_indices(ctx, 0, &out), "n", "0", "1");
    BAD_DOMAIN(TVGP_ERR_LIMIT, tvgp_domain_indices(ctx, too_many, &out), "2147483648", "2147483647");
    BAD_DOMAIN(TVGP_ERR_DIM, tvgp_domain_grid(ctx, 0, two, up, points, &out), "dim", "0");
    BAD_DOMAIN(TVGP_ERR_ARG, tvgp_domain_grid(ctx, 2, two, up, none, &out), "points[1]", "0", "1");
    BAD_DOMAIN(TVGP_ERR_ARG, tvgp_domain_grid(ctx, 2, up, two, points, &out), "lower[0]", "2", "1");
    BAD_DOMAIN(TVGP_ERR_NONFINITE, tvgp_domain_grid(ctx, 2, bad_2, up, points, &out), "lower", "nan");
    BAD_DOMAIN(TVGP_ERR_NONFINITE, tvgp_domain_grid(ctx, 2, two, bad_2, points, &out), "upper", "nan");
    BAD_DOMAIN(TVGP_ERR_LIMIT, tvgp_domain_grid(ctx, 2, two, up, many, &out), "2147483647");
    BAD_DOMAIN(TVGP_ERR_LIMIT, tvgp_domain_grid(ctx, 2, two, up, overflow, &out), "2147483647");
    BAD_DOMAIN(TVGP_ERR_ARG, tvgp_domain_grid(ctx, 2, NULL, up, points, &out), "lower");
    tvgp_domain *domain = NULL;
    ck_assert_int_eq(tvgp_domain_arms(NULL, 1, 2, two, &domain), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_domain_arms(ctx, 1, 2, two, NULL), TVGP_ERR_ARG);
}

TEST(posteriors) {
    tvgp_gp *gp;
    double value = 7;
    tvgp_kernel *space = harness_se(2, 1, &one);
    tvgp_kernel *time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.1);
#define BAD_GP(status, call, ...) ASSERT_MAKES_NOTHING(tvgp_gp, status, call, __VA_ARGS__)
    BAD_GP(TVGP_ERR_ARG, tvgp_gp_create(ctx, space, time, -1, &out), "noise", "-1", ">= 0");
    BAD_GP(TVGP_ERR_NONFINITE, tvgp_gp_create(ctx, space, time, NAN, &out), "noise", "nan");
    BAD_GP(TVGP_ERR_DIM, tvgp_gp_create(ctx, space, space, 1, &out), "time", "2", "1");
    BAD_GP(TVGP_ERR_ARG, tvgp_gp_create(ctx, NULL, time, 1, &out), "space");
    gp = MAKE_GP(tvgp_gp_create, ctx, space, time, 0.1);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_add(gp, 1, NULL, &one, &one, NULL), "X");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_add(gp, 1, two, NULL, &one, NULL), "t");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_add(gp, 1, two, &one, NULL, NULL), "y");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_set_prior_mean(gp, NAN, NULL), "intercept", "nan");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_set_prior_mean(gp, 0, bad_2), "slope", "nan");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_predict(gp, 1, bad_2, 1, &value, NULL), "X", "nan");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_predict(gp, 1, two, NAN, &value, NULL), "t", "nan");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_predict(gp, 1, NULL, 1, &value, NULL), "X");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_drop(gp, 1), "n_oldest", "1", "0");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_log_marginal_likelihood(gp, NULL), "value");
    ck_assert_double_eq(value, 7);
    tvgp_gp *still = MAKE_GP(tvgp_gp_create, ctx, space, NULL, 0.1);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_add(still, 1, two, &one, &one, NULL), "t"); /* no time kernel: no times */
}

/* NULL handles: ARG, or nothing to do; messages are never NULL. */
TEST(null_handles) {
    size_t n;
    double value;
    int64_t arm;
    const char *text;
    tvgp_query q;
    tvgp_option_info info;
    const tvgp_obs obs = {.id = 1};
    const tvgp_status got[] = {
        tvgp_ctx_set_logger(NULL, NULL, NULL, NULL),
        tvgp_ctx_memory(NULL, &n),
        tvgp_kernel_gram(NULL, 1, &one, 1, &one, &value),
        tvgp_kernel_dim(NULL, &n),
        tvgp_domain_size(NULL, &n),
        tvgp_domain_dim(NULL, &n),
        tvgp_domain_point(NULL, 0, &value),
        tvgp_gp_set_prior_mean(NULL, 0, NULL),
        tvgp_gp_add(NULL, 1, &one, NULL, &one, NULL),
        tvgp_gp_drop(NULL, 0),
        tvgp_gp_predict(NULL, 1, &one, 0, &value, NULL),
        tvgp_gp_log_marginal_likelihood(NULL, &value),
        tvgp_gp_information_gain(NULL, &value),
        tvgp_gp_size(NULL, &n),
        tvgp_gp_jitter(NULL, &n),
        tvgp_policy_set_f64(NULL, "noise", 1),
        tvgp_policy_set_i64(NULL, "seed", 1),
        tvgp_policy_set_str(NULL, "width.schedule", "log"),
        tvgp_policy_get_f64(NULL, "noise", &value),
        tvgp_policy_get_i64(NULL, "seed", &arm),
        tvgp_policy_get_str(NULL, "width.schedule", &text),
        tvgp_policy_set_prior_mean(NULL, 1, &one),
        tvgp_policy_set_available(NULL, 0, NULL),
        tvgp_policy_ask(NULL, 0, 1, &q, NULL, &n),
        tvgp_policy_tell(NULL, 1, &obs, NULL),
        tvgp_policy_ask_one(NULL, 0, &q, NULL),
        tvgp_policy_tell_value(NULL, 1, 1),
        tvgp_policy_predict(NULL, 0, 1, &one, &value, NULL),
        tvgp_policy_evaluate(NULL, 0, 1, &one, &(tvgp_prediction){.struct_size = sizeof(tvgp_prediction)}),
        tvgp_policy_best(NULL, 0, &arm, NULL),
        tvgp_policy_stat(NULL, "asked", &value),
        tvgp_policy_count(NULL, &n),
        tvgp_policy_name_at(NULL, 0, &text, &text),
        tvgp_policy_dim(NULL, &(size_t){0}),
        tvgp_policy_option_count(NULL, &n),
        tvgp_policy_option_info(NULL, 0, &info),
        tvgp_policy_stat_count(NULL, &n),
        tvgp_policy_stat_info(NULL, 0, &(tvgp_stat_info){0}),
        tvgp_random_uniform(0, 1000, 0, 1, NULL),
        tvgp_random_normal(0, 1000, 0, 1, NULL),
    };
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        ck_assert_msg(got[i] == TVGP_ERR_ARG, "call %zu gave %s", i, tvgp_status_name(got[i]));
    ck_assert_ptr_nonnull(tvgp_ctx_errmsg(NULL));
    tvgp_ctx_destroy(NULL);
    tvgp_kernel_destroy(NULL);
    tvgp_domain_destroy(NULL);
    tvgp_gp_destroy(NULL);
    tvgp_policy_destroy(NULL);
}

HARNESS_MAIN("bad input")
