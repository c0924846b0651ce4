/* SPDX-License-Identifier: MIT */
/* Slates: numbers of an independent dense computation, asks with masks set by hand, combinations with other features, failures. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { ARMS = 11, MOST = 32 };

static tvgp_policy *make(const char *name, tvgp_domain *domain, const char *options) {
    return harness_create(name, domain, harness_se(1, 1, &(double){0.2}), options);
}

#define WORLD "epsilon=.03 noise=.01 width.schedule=constant width.value=2"

/* World G with eleven arms. */
static void observe(tvgp_policy *p) {
    static const double x[] = {0, 1, 0.3, 0.8}, y[] = {0.3, -0.2, 0.8, 0.5};
    for (size_t i = 0; i < 4; i++) {
        double at = x[i];
        size_t n;
        tvgp_domain *d = MAKE_DOMAIN(tvgp_policy_domain, p);
        ASSERT_OK(tvgp_domain_size(d, &n));
        if (n)
            ASSERT_OK(tvgp_domain_point(d, (int64_t)lround(10 * x[i]), &at));
        const tvgp_obs obs = tvgp_obs_unsolicited((double)i + 1, y[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &at));
    }
}

static tvgp_policy *world(const char *options) {
    tvgp_policy *p = make("tv-gp-ucb", harness_line(ARMS), WORLD " rank.tolerance=0");
    ASSERT_OK(tvgp_policy_set(p, options));
    observe(p);
    return p;
}

static void assert_slate(const tvgp_query *q) {
    static const int64_t arm[] = {5, 2, 7};
    static const double score[] = {2.1349291, 1.4425217, 1.2039179};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(q[i].arm, arm[i]);
        ck_assert_double_eq_tol(q[i].score, score[i], 1e-6);
        ck_assert_int_eq(q[i].id, q[0].id + (int64_t)i);
    }
}

TEST(slate_is_the_dense_one) {
    double x[3];
    size_t n = 0;
    tvgp_query q[3];
    tvgp_policy *p = world("");
    ASSERT_OK(tvgp_policy_ask_slate(p, 5, 3, q, x, &n));
    ck_assert_uint_eq(n, 3);
    assert_slate(q);
    for (size_t i = 0; i < 3; i++)
        ASSERT_NEAR(x[i], 0.1 * (double)q[i].arm, 1e-12);
    ck_assert(harness_stat(p, "asked") == 3);
}

TEST(slate_of_candidates_is_the_dense_one) {
    double X[ARMS], x[3];
    size_t n = 0;
    tvgp_query q[3];
    tvgp_policy *p = make("tv-gp-ucb", harness_interval(), WORLD);
    for (int i = 0; i < ARMS; i++)
        X[i] = i / 10.;
    observe(p);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 5, 3, q, x, &n), TVGP_ERR_UNSUPPORTED);
    ASSERT_OK(tvgp_policy_set_candidates(p, ARMS, X, NULL));
    ASSERT_OK(tvgp_policy_ask_slate(p, 5, 3, q, x, &n));
    ck_assert_uint_eq(n, 3);
    assert_slate(q);
    ASSERT_OK(tvgp_policy_ask_slate(p, 6, 11, (tvgp_query[11]){0}, NULL, &n)); /* none is excluded any more */
    ck_assert_uint_eq(n, 11);
    ASSERT_OK(tvgp_policy_set_candidates(p, 2, (double[]){0.5, 0.5}, NULL)); /* rows differ, points repeat */
    ASSERT_OK(tvgp_policy_ask_slate(p, 7, 3, q, x, &n));
    ck_assert_uint_eq(n, 2);
    ck_assert(q[0].arm == 0 && q[1].arm == 1 && x[0] == x[1]);
}

/* ---- compared with asks between masks -------------------------------------------------------------------------------- */

/* The same by hand: every item masks its arm for those behind it. */
static size_t by_hand(tvgp_policy *p, double t, size_t k, const uint8_t *mask, tvgp_query *q) {
    uint8_t left[ARMS];
    size_t n = 0;
    memcpy(left, mask, sizeof left);
    while (n < k && memchr(left, 1, sizeof left)) {
        ASSERT_OK(tvgp_policy_set_available(p, ARMS, left));
        q[n] = harness_ask(p, t);
        left[q[n++].arm] = 0;
    }
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    return n;
}

static const char *const names[] = {"tv-gp-ucb", "gp-ucb", "auto-gp-ucb", "sw-gp-ucb",
                                    "r-gp-ucb",  "random", "bkb",         "mle-gp-ucb"};

/* With outcomes, some of them late or skipped, k 1 .. 4, and a mask: bit for bit, with the numbers that snapshots hold. */
TEST_EACH(slate_is_asks_between_masks, sizeof names / sizeof *names) {
    static const uint8_t mask[ARMS] = {1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1};
    tvgp_policy *a = make(names[_i], harness_line(ARMS), ""), *b = make(names[_i], harness_line(ARMS), "");
    tvgp_query q[4], r[4];
    struct rnd rnd = {7};
    ASSERT_OK(tvgp_policy_set_available(a, ARMS, mask));
    for (int t = 0; t < 25; t++) {
        const size_t k = 1 + (size_t)t % 4;
        size_t n;
        ASSERT_OK(tvgp_policy_ask_slate(a, t, k, q, NULL, &n));
        ck_assert_uint_eq(n, by_hand(b, t, k, mask, r));
        ck_assert_mem_eq(q, r, n * sizeof *q);
        for (size_t i = 0; i < n; i++) {
            const double y = sin(4. * (double)q[i].arm / 10 + 0.1 * t) + 0.1 * rnd_normal(&rnd);
            if (i == 3)
                continue;
            const tvgp_obs obs = i == 2 ? tvgp_obs_outcome(q[i].id, TVGP_SKIPPED) : tvgp_obs_value(q[i].id, y);
            ASSERT_OK(tvgp_policy_tell(a, 1, &obs, NULL));
            ASSERT_OK(tvgp_policy_tell(b, 1, &obs, NULL));
        }
    }
}

TEST(slate_of_one_is_an_ask) {
    tvgp_policy *a = world("switch.cost=.1"), *b = world("switch.cost=.1");
    tvgp_query q, r;
    size_t n;
    for (int t = 5; t < 20; t++) {
        ASSERT_OK(tvgp_policy_ask_slate(a, t, 1, &q, NULL, &n));
        r = harness_ask(b, t);
        ck_assert_uint_eq(n, 1);
        ck_assert_mem_eq(&q, &r, sizeof q);
        ASSERT_OK(tvgp_policy_tell_value(a, q.id, 0.1 * t));
        ASSERT_OK(tvgp_policy_tell_value(b, q.id, 0.1 * t));
    }
}

TEST(slate_ends_where_nothing_is_left) {
    static const uint8_t mask[ARMS] = {1, 0, 0, 0, 1};
    tvgp_query q[MOST];
    size_t n = 99;
    tvgp_policy *p = world("");
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    ASSERT_OK(tvgp_policy_ask_slate(p, 5, 5, q, NULL, &n));
    ck_assert_uint_eq(n, 2);
    ck_assert(q[0].arm + q[1].arm == 4);
    ck_assert_str_eq(tvgp_ctx_errmsg(ctx), "");
    ASSERT_OK(tvgp_policy_set_available(p, 0, NULL));
    ASSERT_OK(tvgp_policy_ask_slate(p, 6, MOST, q, NULL, &n));
    ck_assert_uint_eq(n, ARMS);
}

/* Draws differ from item to item, and each says how probable it was given those before it. */
TEST(slate_of_draws) {
    tvgp_query q[3];
    size_t n;
    tvgp_policy *p = world("choice=thompson");
    ASSERT_OK(tvgp_policy_ask_slate(p, 5, 3, q, NULL, &n));
    ck_assert_uint_eq(n, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert(q[i].propensity > 0 && q[i].propensity <= 1);
    ck_assert(q[0].arm != q[1].arm && q[1].arm != q[2].arm && q[0].arm != q[2].arm);
}

/* ---- together with other features -------------------------------------------------------------------------------------- */

TEST(slate_in_a_context) {
    tvgp_query q[5];
    size_t n;
    int64_t action, context;
    tvgp_domain *actions = harness_grid(1, &(double){0}, &(double){1}, &(size_t){4});
    tvgp_domain *contexts = harness_grid(1, &(double){0}, &(double){1}, &(size_t){3});
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, contexts);
    tvgp_kernel *one = harness_se(1, 1, &(double){0.3});
    tvgp_kernel *two = MAKE_KERNEL(tvgp_kernel_slice, ctx, 2, 0, one);
    tvgp_kernel *product = MAKE_KERNEL(tvgp_kernel_product, ctx, two, MAKE_KERNEL(tvgp_kernel_slice, ctx, 2, 1, one));
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", both, product);
    ASSERT_OK(tvgp_policy_set_context(p, 1));
    ASSERT_OK(tvgp_policy_ask_slate(p, 0, 5, q, NULL, &n));
    ck_assert_uint_eq(n, 4);
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_domain_split(both, q[i].arm, &action, &context));
        ck_assert_int_eq(context, 1);
    }
}

TEST(slate_in_a_measured_context) {
    tvgp_query q[5];
    double x[10];
    size_t n;
    tvgp_domain *actions = harness_grid(1, &(double){0}, &(double){1}, &(size_t){4});
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, harness_box(1, &(double){0}, &(double){1}));
    tvgp_kernel *two = MAKE_KERNEL(tvgp_kernel_slice, ctx, 2, 0, harness_se(1, 1, &(double){0.3}));
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", both, two);
    ASSERT_OK(tvgp_policy_set_context_point(p, 1, &(double){0.4}));
    ASSERT_OK(tvgp_policy_ask_slate(p, 0, 3, q, x, &n));
    ck_assert_uint_eq(n, 3);
    ck_assert(q[0].arm != q[1].arm && q[1].arm != q[2].arm && q[0].arm != q[2].arm);
    ck_assert(x[1] == 0.4 && x[3] == 0.4 && x[5] == 0.4);
    ASSERT_OK(tvgp_policy_ask_slate(p, 1, 4, q, x, &n));
    ck_assert_uint_eq(n, 4);
}

/* Only safe arms are items; fewer than k where fewer are safe. */
TEST(slate_within_a_constraint) {
    static const double safe[] = {0.2, 0.3};
    tvgp_policy *model = make("tv-gp-ucb", harness_line(ARMS), "noise=.01 epsilon=.03"),
                *p = make("tv-gp-ucb", harness_line(ARMS), WORLD);
    tvgp_query q[5];
    size_t n;
    double x[2];
    tvgp_domain *d = MAKE_DOMAIN(tvgp_policy_domain, p);
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_domain_point(d, (int64_t)lround(10 * safe[i]), &x[i]));
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, -1));
    ASSERT_OK(tvgp_policy_set_safe(p, 2, x));
    ASSERT_OK(tvgp_policy_ask_slate(p, 5, 4, q, NULL, &n));
    ck_assert_uint_eq(n, 2);
    ck_assert(q[0].arm + q[1].arm == 5);
    ck_assert_str_eq(tvgp_ctx_errmsg(ctx), "");
}

/* A budget of 0: the incumbent is the first item, and once it is taken it holds nothing back. */
TEST(slate_with_an_incumbent) {
    tvgp_policy *p = world("");
    tvgp_query q[2];
    size_t n;
    double x;
    ASSERT_OK(tvgp_domain_point(MAKE_DOMAIN(tvgp_policy_domain, p), 3, &x));
    ASSERT_OK(tvgp_policy_set_incumbent(p, &x, 0));
    ASSERT_OK(tvgp_policy_ask_slate(p, 5, 2, q, NULL, &n));
    ck_assert_uint_eq(n, 2);
    ck_assert(q[0].arm == 3 && q[1].arm != 3);
}

/* ---- refusals and failures ------------------------------------------------------------------------------------------------ */

static void refused(tvgp_policy *p, tvgp_status status, const char *one, const char *other) {
    tvgp_query q[MOST];
    double x[MOST];
    size_t n = 77;
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 5, 2, q, x, &n), status);
    ck_assert_msg(strstr(tvgp_ctx_errmsg(ctx), one) && strstr(tvgp_ctx_errmsg(ctx), other), "%s", tvgp_ctx_errmsg(ctx));
    ck_assert_uint_eq(n, 77);
}

TEST(slate_refusals) {
    tvgp_query q[MOST];
    size_t n;
    tvgp_policy *p = world("");
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 5, 0, q, NULL, &n), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 5, 33, q, NULL, &n), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 5, 2, NULL, NULL, &n), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 5, 2, q, NULL, NULL), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 1, 2, q, NULL, &n), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, NAN, 2, q, NULL, &n), TVGP_ERR_NONFINITE);
    refused(world("switch.cost=.1"), TVGP_ERR_UNSUPPORTED, "slate", "switch.cost");
    refused(world("pending.limit=1"), TVGP_ERR_LIMIT, "k = 2", "pending.limit");
    refused(make("tv-gp-ucb", harness_interval(), ""), TVGP_ERR_UNSUPPORTED, "slate", "box without candidates");
    refused(make("sparq-gp-ucb", harness_line(ARMS), ""), TVGP_ERR_UNSUPPORTED, "slate", "side queries");
}

HARNESS_MAIN("slate")
