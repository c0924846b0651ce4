/* SPDX-License-Identifier: MIT */
/* How large snapshots of small policies are, at every step: as large as the numbers of a state are many, and little else. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 32, STEPS = 300, LATE = 64, BESIDE = 1200 };

struct shape {
    size_t dim;
    double lengthscale;
    int rough;
};
static const struct shape shapes[] = {{1, 0.2, 0}, {1, 0.1, 0}, {2, 0.2, 0}, {2, 0.4, 0}, {2, 0.2, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double X[2 * ARMS];

static tvgp_policy *open_policy(const struct shape *s, const char *name, const char *options) {
    struct rnd rnd = {5};
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    rnd_fill(&rnd, 2 * ARMS, X);
    for (size_t i = 0; s->dim == 1 && i < ARMS; i++)
        X[i] = (double)i / (ARMS - 1);
    ASSERT_OK(tvgp_domain_arms(ctx, ARMS, s->dim, X, &domain));
    if (s->rough)
        ASSERT_OK(tvgp_kernel_matern(ctx, s->dim, 1.5, 1, 1, &s->lengthscale, &kernel));
    else
        ASSERT_OK(tvgp_kernel_se(ctx, s->dim, 1, 1, &s->lengthscale, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, name, domain, kernel, &policy));
    ASSERT_OK(tvgp_policy_set(policy, "noise=.01"));
    ASSERT_OK(tvgp_policy_set(policy, options));
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return policy;
}

/* What is best wanders over the first coordinate, or stays. */
static double answer(const struct shape *s, const tvgp_query *q, int t, double speed, struct rnd *rnd) {
    const double away = (X[(size_t)q->arm * s->dim] - 0.5 - 0.4 * sin(speed * t)) / 0.2;
    return exp(-away * away) + 0.1 * rnd_normal(rnd);
}

static size_t bytes_of(tvgp_policy *p) {
    size_t n;
    ASSERT_OK(tvgp_policy_save(p, 0, NULL, &n));
    return n;
}

static size_t triangle(size_t m) {
    return m * (m + 1) / 2;
}

/* R, mean and variance of the arms, of now; with late outcomes also of two more times, and up to twice as many observations as they
 * may be late by. */
static size_t of_covariance(int late) {
    return (late ? 3u : 1u) * 8 * (triangle(ARMS) + 2 * ARMS) + (late ? 2 * LATE * 37u : 0) + BESIDE;
}

TEST_EACH(forgetting, 2 * SHAPES) {
    const struct shape *s = &shapes[_i / 2];
    const int late = _i % 2;
    tvgp_policy *p = open_policy(s, "tv-gp-ucb", late ? "epsilon=.02" : "epsilon=.02 delay.exact_observations=0");
    struct rnd rnd = {7};
    for (int t = 0; t < STEPS; t++) {
        const tvgp_query q = harness_ask(p, t);
        ck_assert_uint_le(bytes_of(p), of_covariance(late));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, answer(s, &q, t, 0.03, &rnd)));
    }
    tvgp_policy_destroy(p);
}

/* Nine filters of one state and five of two, and an abrupt change's, at worst of two: mean and variances of the arms, and
 * what is known of the weights, m (m + 1) / 2 numbers, when each has gone its own way. Most of the time few have. */
TEST_EACH(of_unknown_law, 2 * SHAPES) {
    const struct shape *s = &shapes[_i / 2];
    tvgp_policy *p = open_policy(s, "auto-gp-ucb", "rank.tolerance=0");
    struct rnd rnd = {8};
    size_t most = 0, sum = 0, worst = 0;
    for (int t = 0; t < STEPS; t++) {
        const tvgp_query q = harness_ask(p, t);
        const size_t n = bytes_of(p), r = (size_t)harness_stat(p, "rank");
        worst = 8 * (9 * (2 * ARMS + triangle(r)) + 6 * (5 * ARMS + triangle(2 * r)) + 2 * ARMS) + 3 * BESIDE;
        most = n > most ? n : most;
        sum += n;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, answer(s, &q, t, _i % 2 ? 0.05 : 0, &rnd)));
        most = bytes_of(p) > most ? bytes_of(p) : most;
    }
    ck_assert_uint_le(most, worst);
    ck_assert_uint_le(sum / STEPS, _i % 2 ? worst - worst / 10 : worst / 2);
    if (_i == 0)
        ck_assert_uint_le(most, 60000);
    tvgp_policy_destroy(p);
}

/* A state whose observations of the past are all kept: 5,000 of them. */
TEST(learned_on_five_arms) {
    tvgp_policy *p;
    struct rnd rnd = {3};
    ASSERT_OK(tvgp_policy_create_described(ctx, "auto-gp-ucb grid=0:1:5", &p));
    for (int t = 0; t < (harness_all() ? 20000 : 5500); t++) {
        const tvgp_query q = harness_ask(p, t);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(1.5 * (double)q.arm + .003 * t) + .3 * rnd_normal(&rnd)));
    }
    ck_assert_uint_le(bytes_of(p), 65536);
    tvgp_policy_destroy(p);
}

/* ---- under a quota of bytes ------------------------------------------------------------------------------------------- */

static const char *const worlds[] = {"%s grid=0:1:40 se=.2",
                                     "%s box=0:1,0:1 se=.2",
                                     "%s indices=60 se=1",
                                     "%s grid=0:1:20 contexts=0:1 se=.2",
                                     "%s grid=0:1:12 contexts=3 se=.2",
                                     "%s grid=0:1:30 at_most=1 safe=0 se=.2",
                                     "%s grid=0:1:40",
                                     "%s box=0:1,0:1"};
enum { WORLDS = sizeof worlds / sizeof *worlds, ROOM = 1 << 20 };

static void set_context(tvgp_policy *p, const char *world, int t) {
    const double z = t % 7 / 7.;
    if (strstr(world, "contexts=3"))
        ASSERT_OK(tvgp_policy_set_context(p, t % 3));
    else if (strstr(world, "contexts="))
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
}

/* One step; the most memory that was held after a call. */
static tvgp_status step(tvgp_ctx *c, tvgp_policy *p, const char *world, int t, size_t *most) {
    tvgp_query q;
    double x[8];
    size_t held;
    set_context(p, world, t);
    tvgp_status status = tvgp_policy_ask_one(p, t, &q, x);
    if (status == TVGP_OK) {
        const tvgp_obs obs[2] = {tvgp_obs_value(q.id, sin(t) + x[0]), tvgp_obs_output(q.id, 1, .1)};
        status = tvgp_policy_tell(p, strstr(world, "at_most") ? 2 : 1, obs, NULL);
    }
    ASSERT_OK(tvgp_ctx_memory(c, &held));
    *most = held > *most ? held : *most;
    return status;
}

/* A run under this quota, 0: none; NULL: the quota does not suffice, or there is no such policy. */
static tvgp_policy *run(const char *text, size_t quota, size_t *most, tvgp_ctx **c) {
    tvgp_policy *p;
    ASSERT_OK(tvgp_ctx_create(NULL, c));
    ASSERT_OK(tvgp_ctx_set_quota(*c, quota, 0, 0));
    tvgp_status status = tvgp_policy_create_described(*c, text, &p);
    const int made = status == TVGP_OK;
    for (int t = 1; t <= 40 && status >= 0; t++)
        status = step(*c, p, text, t, most);
    ck_assert_msg(!made || status >= 0 || status == TVGP_ERR_LIMIT || status == TVGP_ERR_UNSUPPORTED, "%s: %s", text,
                  tvgp_ctx_errmsg(*c));
    if (made && status < 0)
        tvgp_policy_destroy(p);
    return status < 0 ? NULL : p;
}

/* Where the run ends without a refusal, its snapshot loads into a new policy and into its own, and both go on. */
static void assert_loads(const char *text, size_t quota) {
    static uint8_t bytes[ROOM];
    tvgp_ctx *c, *other;
    size_t n, most = 0, held[2];
    tvgp_policy *p = run(text, quota, &most, &c), *copy;
    if (p) {
        ck_assert_msg(tvgp_policy_save(p, ROOM, bytes, &n) == TVGP_OK, "%s: %s", text, tvgp_ctx_errmsg(c));
        ASSERT_OK(tvgp_ctx_create(NULL, &other));
        ASSERT_OK(tvgp_ctx_set_quota(other, quota, 0, 0));
        ck_assert_msg(tvgp_policy_create_described(other, text, &copy) == TVGP_OK, "%s: %s", text, tvgp_ctx_errmsg(other));
        for (int again = 0; again < 2; again++) {
            ck_assert_msg(tvgp_policy_load(copy, n, bytes) == TVGP_OK, "%s: %s", text, tvgp_ctx_errmsg(other));
            ck_assert_msg(tvgp_policy_load(p, n, bytes) == TVGP_OK, "%s: %s", text, tvgp_ctx_errmsg(c));
            ASSERT_OK(tvgp_ctx_memory(other, &held[0]));
            ASSERT_OK(tvgp_ctx_memory(c, &held[1]));
            ck_assert_msg(held[0] <= quota && held[1] <= quota, "%s: %zu and %zu of %zu", text, held[0], held[1], quota);
        }
        tvgp_policy_destroy(copy);
        tvgp_ctx_destroy(other);
        tvgp_policy_destroy(p);
    }
    tvgp_ctx_destroy(c);
}

TEST_EACH(under_a_quota, harness_policies()) {
    static const double share[] = {.9, .97, .99, 1, 1.002, 1.02, 1.1, 1.3, 1.5, 1.9};
    for (size_t i = 0; i < WORLDS; i++) {
        char text[160];
        tvgp_ctx *c;
        size_t most = 0;
        snprintf(text, sizeof text, worlds[i], harness_policy_at(_i));
        tvgp_policy *p = run(text, 0, &most, &c);
        tvgp_policy_destroy(p);
        tvgp_ctx_destroy(c);
        for (size_t k = 0; p && k < sizeof share / sizeof *share; k++)
            assert_loads(text, (size_t)(share[k] * (double)most));
    }
}

HARNESS_MAIN("snapshot size")
