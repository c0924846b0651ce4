/* SPDX-License-Identifier: MIT */
/* Products with a categorical factor and default settings: indices are categories, so that another numbering of them gives the same
 * decisions, and other factors keep their kernels. */
#include "harness.h"
#include "kernel/kernel_ops.h"

#include <math.h>
#include <string.h>

enum { CATEGORIES = 4, OTHERS = 3, STEPS = 60 };
static const int64_t renumbered[CATEGORIES] = {2, 0, 3, 1};

static tvgp_domain *product_of(int numeric) {
    const double lower = 0, upper = 1;
    const size_t points = OTHERS;
    tvgp_domain *actions, *others, *all = NULL;
    ASSERT_OK(tvgp_domain_indices(ctx, CATEGORIES, &actions));
    if (numeric)
        ASSERT_OK(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &others));
    else
        ASSERT_OK(tvgp_domain_indices(ctx, OTHERS, &others));
    ASSERT_OK(tvgp_domain_product(ctx, actions, others, &all));
    tvgp_domain_destroy(actions);
    tvgp_domain_destroy(others);
    return all;
}

/* The arm of the second policy that is arm `arm` of the first. */
static int64_t image(int64_t arm) {
    return renumbered[arm / OTHERS] * OTHERS + arm % OTHERS;
}

/* Categories without an order. */
static double world(int64_t arm, double t, struct rnd *r) {
    static const double level[CATEGORIES] = {0, 1.4, -0.8, 0.9}, slope[OTHERS] = {0.3, 0, -0.5};
    return level[arm / OTHERS] + slope[arm % OTHERS] * cos(0.02 * t + (double)(arm / OTHERS)) + 0.1 * rnd_normal(r);
}

/* Every arm once, so that no choice is a tie. */
static void tell_first(tvgp_policy *const *p, const tvgp_domain *domain, struct rnd *r) {
    for (int64_t arm = 0; arm < CATEGORIES * OTHERS; arm++) {
        const tvgp_obs o = {.flags = TVGP_OBS_TIME, .t = 0, .y = world(arm, 0, r)};
        for (int k = 0; k < 2; k++) {
            double x[2];
            ASSERT_OK(tvgp_domain_point(domain, k ? image(arm) : arm, x));
            ASSERT_OK(tvgp_policy_tell(p[k], &o, x, 1));
        }
    }
}

/* After a reset all arms are equal, so that a choice is a tie. */
static int was_reset(const tvgp_policy *p) {
    double resets = 0;
    return tvgp_policy_stat(p, "resets", &resets) == TVGP_OK && resets > 0;
}

/* Policies that draw at random number what they draw. */
static int draws(const char *name) {
    return strstr(name, "sparq") || strcmp(name, "random") == 0 || strcmp(name, "constant-arm") == 0;
}

static void play(const char *name, int numeric) {
    tvgp_policy *p[2] = {NULL, NULL};
    tvgp_domain *domain = product_of(numeric);
    struct rnd r = {7};
    tvgp_status status = TVGP_OK;
    for (int k = 0; k < 2 && status == TVGP_OK; k++)
        status = tvgp_policy_create(ctx, name, domain, NULL, &p[k]);
    if (status == TVGP_OK)
        tell_first(p, domain, &r);
    for (int t = 1; status == TVGP_OK && t <= STEPS; t++) {
        const tvgp_query q = harness_ask(p[0], t), other = harness_ask(p[1], t);
        const double y = world(q.arm, t, &r);
        if (was_reset(p[0]))
            break;
        ck_assert_msg(other.arm == image(q.arm), "%s, t = %d: arm %d, not %d", name, t, (int)other.arm, (int)image(q.arm));
        ASSERT_OK(tvgp_policy_tell_value(p[0], q.id, y));
        ASSERT_OK(tvgp_policy_tell_value(p[1], other.id, y));
    }
    for (int k = 0; k < 2; k++)
        tvgp_policy_destroy(p[k]);
    tvgp_domain_destroy(domain);
}

START_TEST(numbering) {
    for (int numeric = 0; numeric < 2 && !draws(harness_policy_at(_i)); numeric++)
        play(harness_policy_at(_i), numeric);
}
END_TEST

/* The kernel that learning starts from: categories are equal or not, numbers near or far. */
START_TEST(kernel_of_factors) {
    static const double X[] = {0, 0, 1, 0, 3, 0, 0, 0.5, 1, 0.5};
    double K[25];
    tvgp_policy *p;
    tvgp_kernel *kernel;
    tvgp_domain *domain = product_of(1);
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, NULL, &p));
    ASSERT_OK(tvgp_policy_kernel(p, &kernel));
    ASSERT_OK(tvgp__kernel_block(kernel, 5, X, 5, X, K, 5));
    ASSERT_NEAR(K[1] / K[0], 0.3, 1e-12);
    ASSERT_NEAR(K[2] / K[0], 0.3, 1e-12);
    const double d = sqrt(5) * 0.5 / (0.3 * pow(2, 0.25));
    ASSERT_NEAR(K[3] / K[0], (1 + d + d * d / 3) * exp(-d), 1e-12);
    ASSERT_NEAR(K[4], K[3] * 0.3, 1e-12);
    tvgp_kernel_destroy(kernel);
    tvgp_policy_destroy(p);
    tvgp_domain_destroy(domain);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("categories");
    TCase *tc = harness_case(suite, "products");
    tcase_add_test(tc, kernel_of_factors);
    tcase_add_loop_test(tc, numbering, 0, harness_policies());
    return harness_run(suite);
}
