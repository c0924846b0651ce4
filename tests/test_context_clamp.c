/* SPDX-License-Identifier: MIT */
/* Option context.clamp: a measured context outside its box is moved to the border. Twins: one receives contexts from outside, the other
 * those of the border. */
#include "harness.h"

#include <math.h>
#include <string.h>

enum { ACTIONS = 4, DIM = 3 };

static const double lower[] = {0, -2.5}, upper[] = {10, 2.5};

static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "random"};
enum { NAMES = sizeof names / sizeof *names };

static tvgp_policy *open_policy(const char *name, const char *options) {
    const double at[ACTIONS] = {0, 0.25, 0.5, 1}, lengthscale[DIM] = {0.5, 3, 2};
    tvgp_domain *actions = harness_arms(ACTIONS, 1, at);
    tvgp_domain *box = harness_box(2, lower, upper);
    ASSERT_OK(tvgp_domain_box_integer(box, 1)); /* -2 .. 2 */
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, box);
    return harness_create(name, both, harness_se(DIM, DIM, lengthscale), options);
}

static double inside(double z, double low, double high) {
    return fmax(low, fmin(high, z));
}

static void same_query(tvgp_policy *twin[2], double t) {
    tvgp_query q[2];
    double x[2][DIM];
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_policy_ask_one(twin[k], t, &q[k], x[k]));
        ASSERT_OK(tvgp_policy_tell_value(twin[k], q[k].id, sin(5 * x[k][0] + x[k][1])));
    }
    ck_assert_mem_eq(&q[0], &q[1], sizeof *q);
    ck_assert_mem_eq(x[0], x[1], sizeof *x);
}

/* Asks in contexts from outside, and unsolicited observations there, are those of the border. */
TEST_EACH(as_the_border, NAMES) {
    tvgp_policy *twin[2] = {open_policy(names[_i], "context.clamp=1"), open_policy(names[_i], "")};
    struct rnd r = {5};
    double moved = 0;
    for (int step = 0; step < 40; step++) {
        const double z[] = {-2 + 14 * rnd_uniform(&r), floor(-4 + 9 * rnd_uniform(&r))};
        const double border[] = {inside(z[0], 0, 10), inside(z[1], -2, 2)};
        const double seen[] = {0.25, -z[0], z[1]}, near[] = {0.25, inside(-z[0], 0, 10), border[1]};
        tvgp_obs o = tvgp_obs_unsolicited(step, cos(step));
        ASSERT_OK(tvgp_policy_set_context_point(twin[0], 2, z));
        ASSERT_OK(tvgp_policy_set_context_point(twin[1], 2, border));
        same_query(twin, step);
        ASSERT_OK(tvgp_policy_tell(twin[0], 1, &o, seen));
        ASSERT_OK(tvgp_policy_tell(twin[1], 1, &o, near));
        moved += memcmp(z, border, sizeof z) != 0;
        moved += memcmp(seen, near, sizeof seen) != 0;
        ck_assert(harness_stat(twin[0], "context.clamped") == moved);
    }
    ck_assert(moved > 40 && harness_stat(twin[1], "context.clamped") == 0);
}

/* What is no number, is beyond every range or is not a whole number is still refused, and what is refused is not counted. */
TEST(refused_as_before) {
    tvgp_policy *p = open_policy("tv-gp-ucb", "context.clamp=1"), *plain = open_policy("tv-gp-ucb", "");
    const tvgp_obs o[] = {tvgp_obs_unsolicited(1, 2), tvgp_obs_value(77, 1)}, bad[] = {tvgp_obs_unsolicited(1, 2)};
    const double x[] = {0.25, 11, 3, 0, 0, 0}, no_action[] = {0.3, 11, 3}, half[] = {0.25, 5, 0.5};
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_context_point(p, 2, (double[]){NAN, 0}), "z[0]", "nan");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_context_point(p, 2, (double[]){0, INFINITY}), "z[1]", "inf");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_context_point(p, 2, (double[]){1e101, 0}), "z[0]");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_context_point(p, 2, (double[]){50, 0.5}), "z[1]", "whole");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_set_context_point(p, 3, x), "n = 3");
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell(p, 2, o, x), "77");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, bad, no_action), "x[0]");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, bad, half), "x[0]");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_tell(p, 1, bad, (double[]){0.25, NAN, 0}), "x[0,1]");
    ck_assert(harness_stat(p, "context.clamped") == 0);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_context_point(plain, 2, (double[]){50, 0}), "z[0]", "context.clamp");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(plain, 1, bad, x), "x[0]");
}

/* The count is part of a snapshot. */
TEST(saved) {
    static uint8_t bytes[1 << 18];
    tvgp_policy *p = open_policy("gp-ucb", "context.clamp=1");
    size_t size;
    ASSERT_OK(tvgp_policy_set_context_point(p, 2, (double[]){-1, 0}));
    ASSERT_OK(tvgp_policy_save_full(p, sizeof bytes, bytes, &size));
    tvgp_policy *copy = MAKE_POLICY(tvgp_policy_restore, ctx, size, bytes, NULL, NULL);
    ck_assert(harness_stat(copy, "context.clamped") == 1);
    ASSERT_OK(tvgp_policy_set_context_point(copy, 2, (double[]){10.5, 0}));
    ck_assert(harness_stat(copy, "context.clamped") == 2);
}

HARNESS_MAIN("context_clamp")
