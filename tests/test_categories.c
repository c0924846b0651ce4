/* SPDX-License-Identifier: MIT */
/* Products with a categorical factor and default settings: indices are categories, so that another numbering of them gives the same
 * decisions, and other factors keep their kernels. 60 steps; with TVGP_TESTS=all 400. */
#include "harness.h"
#include "space/kernel/kernel_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CATEGORIES = 4, OTHERS = 3 };
static int steps = 60;
static const int64_t renumbered[CATEGORIES] = {2, 0, 3, 1};

static tvgp_domain *product_of(int numeric) {
    const double lower = 0, upper = 1;
    const size_t points = OTHERS;
    tvgp_domain *others;
    tvgp_domain *actions = harness_indices(CATEGORIES);
    if (numeric)
        others = harness_grid(1, &lower, &upper, &points);
    else
        others = harness_indices(OTHERS);
    return MAKE_DOMAIN(tvgp_domain_product, ctx, actions, others);
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

/* Every arm once at time t, so that no choice is a tie. */
static void tell_all(tvgp_policy *const *p, const tvgp_domain *domain, double t, struct rnd *r) {
    for (int64_t arm = 0; arm < CATEGORIES * OTHERS; arm++) {
        const tvgp_obs o = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = world(arm, t, r)};
        for (int k = 0; k < 2; k++) {
            double x[2];
            ASSERT_OK(tvgp_domain_point(domain, k ? image(arm) : arm, x));
            ASSERT_OK(tvgp_policy_tell(p[k], 1, &o, x));
        }
    }
}

/* Resets so far, of both. */
static double resets_of(tvgp_policy *const *p) {
    double resets[2] = {0};
    for (int k = 0; k < 2; k++)
        if (tvgp_policy_stat(p[k], "resets", &resets[k]) != TVGP_OK)
            return 0;
    ck_assert_double_eq(resets[1], resets[0]);
    return resets[0];
}

/* One step. After a reset all arms are equal, so that a choice is a tie: the query is skipped, and every arm is reported again. */
static void step(const char *name, tvgp_policy *const *p, const tvgp_domain *domain, double t, struct rnd *r) {
    const double resets = resets_of(p);
    tvgp_query q[2];
    for (int k = 0; k < 2; k++)
        q[k] = harness_ask(p[k], t);
    const int tie = resets_of(p) > resets;
    ck_assert_msg(tie || q[1].arm == image(q[0].arm), "%s, t = %g: arm %d, not %d", name, t, (int)q[1].arm,
                  (int)image(q[0].arm));
    const double y = world(q[0].arm, t, r);
    for (int k = 0; k < 2; k++)
        ASSERT_OK(tvgp_policy_tell(
            p[k], 1, &(tvgp_obs){.id = q[k].id, .outcome = tie ? TVGP_SKIPPED : TVGP_VALUE, .y = tie ? 0 : y}, NULL));
    if (resets_of(p) > resets)
        tell_all(p, domain, t, r);
}

/* These draw numbers of arms: random the arm itself, the two others the sets they ask an expert about. The same draw is another arm
 * in another numbering, so that decisions are equal in distribution only. */
static int draws(const char *name) {
    return strstr(name, "sparq") || strcmp(name, "random") == 0;
}

static void play(const char *name, int numeric) {
    tvgp_policy *p[2] = {NULL, NULL};
    tvgp_domain *domain = product_of(numeric);
    struct rnd r = {7};
    tvgp_status status = TVGP_OK;
    for (int k = 0; k < 2 && status == TVGP_OK; k++)
        status = tvgp_policy_create(ctx, name, domain, NULL, &p[k]);
    if (status == TVGP_OK && strcmp(name, "constant-arm") == 0)
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_set_i64(p[k], "arm", k ? image(5) : 5));
    if (status == TVGP_OK)
        tell_all(p, domain, 0, &r);
    for (int t = 1; status == TVGP_OK && t <= steps; t++)
        step(name, p, domain, t, &r);
    for (int k = 0; k < 2; k++)
        tvgp_policy_destroy(p[k]);
}

TEST_WHERE(numbering, harness_policies(), !draws(harness_policy_at(_i))) {
    for (int numeric = 0; numeric < 2; numeric++)
        play(harness_policy_at(_i), numeric);
}

/* The kernel that learning starts from: categories are equal or not, numbers near or far. */
TEST(kernel_of_factors) {
    static const double X[] = {0, 0, 1, 0, 3, 0, 0, 0.5, 1, 0.5};
    double K[25];
    tvgp_domain *domain = product_of(1);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_policy_kernel, MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, NULL));
    ASSERT_OK(tvgp__kernel_block(kernel, 5, X, 5, X, K, 5));
    ASSERT_NEAR(K[1] / K[0], 0.3, 1e-12);
    ASSERT_NEAR(K[2] / K[0], 0.3, 1e-12);
    const double d = sqrt(5) * 0.5 / (0.3 * pow(2, 0.25));
    ASSERT_NEAR(K[3] / K[0], (1 + d + d * d / 3) * exp(-d), 1e-12);
    ASSERT_NEAR(K[4], K[3] * 0.3, 1e-12);
}

int main(void) {
    if (harness_all())
        steps = 400;
    return HARNESS_RUN("categories", harness_setup, harness_teardown);
}
