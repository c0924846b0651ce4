/* SPDX-License-Identifier: MIT */
/* domains: arms, indices, product grids. */
#include "harness.h"

#include <math.h>

static void assert_point(const tvgp_domain *domain, int64_t arm, size_t dim, const double *want) {
    double x[4];
    ASSERT_OK(tvgp_domain_point(domain, arm, x));
    for (size_t d = 0; d < dim; d++)
        ck_assert_double_eq(x[d], want[d]);
}

static void assert_shape(const tvgp_domain *domain, size_t n, size_t dim) {
    size_t got;
    ASSERT_OK(tvgp_domain_size(domain, &got));
    ck_assert_uint_eq(got, n);
    ASSERT_OK(tvgp_domain_dim(domain, &got));
    ck_assert_uint_eq(got, dim);
    double x[4] = {-7, -7, -7, -7};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_point(domain, -1, x), "arm", "-1");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_point(domain, (int64_t)n, x), "arm");
    ck_assert_double_eq(x[0], -7);
}

TEST(arms_are_copied) {
    double X[] = {1, 2, 3, 4, 5, 6};
    const double want[] = {1, 2, 3, 4, 5, 6};
    tvgp_domain *domain = harness_arms(3, 2, X);
    for (size_t i = 0; i < 6; i++)
        X[i] = -1;
    assert_shape(domain, 3, 2);
    for (int64_t arm = 0; arm < 3; arm++)
        assert_point(domain, arm, 2, want + 2 * arm);
}

TEST(indices) {
    tvgp_domain *domain = harness_indices(46);
    assert_shape(domain, 46, 1);
    for (int64_t arm = 0; arm < 46; arm++)
        assert_point(domain, arm, 1, &(double){(double)arm});
}

/* The last coordinate varies fastest; both ends are exact; one point means the lower end. */
TEST(grid) {
    const double lower[] = {0, -1, 5}, upper[] = {1, 2, 9};
    const size_t points[] = {3, 4, 1};
    tvgp_domain *domain = harness_grid(3, lower, upper, points);
    assert_shape(domain, 12, 3);
    for (int64_t arm = 0; arm < 12; arm++)
        assert_point(domain, arm, 3, (double[]){(double)(arm / 4) / 2, -1 + (double)(arm % 4), 5});
    tvgp_domain_destroy(domain);

    const double a = -0.1, b = 0.7; /* not exact in binary: the ends still are */
    const size_t n = 1001;
    domain = harness_grid(1, &a, &b, &n);
    assert_point(domain, 0, 1, &a);
    assert_point(domain, 1000, 1, &b);
    double x, last = -1;
    for (int64_t arm = 0; arm < 1001; arm++) {
        ASSERT_OK(tvgp_domain_point(domain, arm, &x));
        ck_assert_double_gt(x, last);
        ASSERT_NEAR(x, a + (b - a) * (double)arm / 1000, 1e-15);
        last = x;
    }
}

TEST(degenerate_grid) {
    const double at = 3;
    const size_t two = 2;
    tvgp_domain *domain = harness_grid(1, &at, &at, &two); /* equal bounds: the same point twice */
    assert_shape(domain, 2, 1);
    assert_point(domain, 0, 1, &at);
    assert_point(domain, 1, 1, &at);
}

/* Too many arms are refused when the domain is created; a quota of arms allows more, and then only memory ends it. */
TEST(too_many_arms) {
    const double lower = 0, upper = 1;
    const size_t points = 100000000;
    tvgp_domain *domain = NULL;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_indices(ctx, 1000000000, &domain), "1000000000 arms", "2.56e+11 bytes",
                 "max_arms");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain), "100000000 arms",
                 "2.56e+10 bytes", "max_arms");
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 1000000, 2000000000, 0));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_indices(ctx, 1000000000, &domain), "quota of 1000000 bytes");
    ck_assert_ptr_null(domain);
}

/* Points in single precision are arms, in records, historical data, declared actions and the incumbent. */
TEST(rounded_points) {
    const double lower = 5, upper = 25, wide = 10, X[] = {0, 100, 1e-9, 100, 1, 200.1};
    const size_t points = 201;
    tvgp_domain *domain[3];
    domain[0] = harness_grid(1, &lower, &upper, &points);
    domain[1] = harness_arms(3, 2, X);
    domain[2] = MAKE_DOMAIN(tvgp_domain_product, ctx, domain[0], harness_box(1, &lower, &wide));
    const double at[][2] = {{24.7f, 0}, {1 + 1e-8, 200.1f}, {24.7f, 7}}, off[][2] = {{24.72, 0}, {5e-10, 100}, {24.72, 7}};
    for (int i = 0; i < 3; i++) {
        tvgp_obs obs = tvgp_obs_unsolicited(0, 1);
        tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain[i], NULL);
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, &obs, off[i]), "x[0] = (", "is not a point of the domain");
        if (i < 2)
            ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_incumbent(p, off[i], 0.1), "x = (", "nearest");
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, at[i]));
        if (i < 2)
            ASSERT_OK(tvgp_policy_learn_history(p, 1, &obs, at[i]));
    }
}

HARNESS_MAIN("domain")
