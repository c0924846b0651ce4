/* SPDX-License-Identifier: MIT */
/* Policies that a function of the caller's destroys while one of their calls runs. */
#include "cases.h"

#include <math.h>
#include <string.h>

static tvgp_policy *victim; /* to be destroyed by the function of the user's that is called next */
static size_t freed_inside; /* blocks given back by then */

static void destroy_victim(void) {
    const size_t before = memory.released;
    tvgp_policy_destroy(victim);
    victim = NULL;
    freed_inside += memory.released - before;
}

static int32_t fatal_mean(void *user, size_t n, const double *X, double *mean, double *gradient) {
    (void)user;
    (void)X;
    destroy_victim();
    memset(mean, 0, n * sizeof *mean);
    if (gradient)
        memset(gradient, 0, 2 * n * sizeof *gradient);
    return 0;
}

static int32_t fatal_feasible(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)user;
    (void)X;
    destroy_victim();
    memset(ok, 1, n);
    return 0;
}

static int32_t fatal_block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    (void)data;
    destroy_victim();
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = exp(-8 * (pow(X[2 * i] - Z[2 * j], 2) + pow(X[2 * i + 1] - Z[2 * j + 1], 2)));
    return 0;
}

static void fatal_log(void *user, const char *line) {
    (void)user;
    (void)line;
    destroy_victim();
}

static const tvgp_kernel_type fatal = {.struct_size = sizeof fatal, .name = "fatal", .block = fatal_block};

/* A policy on arms (0: kernel, 1: logger) or a box (2: kernel, 3: mean, 4: feasible), one of whose functions is fatal. */
static tvgp_policy *doomed(int way) {
    tvgp_domain *domain = cases_square(way > 1);
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_kernel_of_type(ctx, "fatal", 2, NULL, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, "r-gp-ucb", domain, kernel, &p));
    ASSERT_OK(tvgp_policy_set(p, "reset.every=2"));
    if (way == 3)
        ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, fatal_mean, NULL, NULL));
    if (way == 4)
        ASSERT_OK(tvgp_policy_set_feasible(p, fatal_feasible, NULL, NULL));
    ASSERT_OK(tvgp_ctx_set_logger(ctx, way == 1 ? fatal_log : NULL, NULL, NULL));
    tvgp_kernel_destroy(kernel);
    return p;
}

/* A policy that a function of the user's destroys goes when the call returns that called it, and not before; the call ends as it
 * would have. */
TEST_EACH(destroyed_from_inside, 5) {
    const double x[2] = {0.31, 0.62};
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &fatal, NULL, NULL));
    for (int call = 0; call < 3; call++) {
        tvgp_query q = {0};
        double at[2], mean, var;
        int64_t arm;
        tvgp_policy *p = doomed(_i);
        for (int t = 0; t < 4; t++) { /* the third and fifth ask begin with a reset, which is logged */
            ASSERT_OK(tvgp_policy_ask_one(p, t, &q, at));
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0.5));
        }
        victim = p;
        freed_inside = 0;
        const size_t before = memory.released;
        if (call == 0 || _i == 1)
            ASSERT_OK(tvgp_policy_ask_one(p, 4, &q, at));
        else if (call == 1 || _i == 4)
            ASSERT_OK(tvgp_policy_best(p, 4, &arm, at));
        else
            ASSERT_OK(tvgp_policy_predict(p, 4, 1, x, &mean, &var));
        ck_assert_uint_eq(freed_inside, 0);
        if (victim) /* best on arms calls nothing */
            destroy_victim();
        ck_assert_uint_gt(memory.released, before + 5);
    }
}

HARNESS_MAIN("destroyed inside")
