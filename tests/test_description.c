/* SPDX-License-Identifier: MIT */
/* Policies described by one line of text: equal to policies created by calls, and refused with the word at fault. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

static tvgp_policy *described(const char *text) {
    return MAKE_POLICY(tvgp_policy_create_described, ctx, text);
}

/* Both choose the same and end in the same bytes. */
static void assert_same_run(tvgp_policy *a, tvgp_policy *b) {
    static char bytes[2][1 << 17];
    size_t n[2];
    tvgp_policy *pair[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct rnd r = {7};
        for (int step = 0; step < 12; step++) {
            double x[4];
            tvgp_query q = harness_ask_at(pair[i], step, x);
            ASSERT_OK(tvgp_policy_tell_value(pair[i], q.id, rnd_normal(&r) - x[0]));
        }
        ASSERT_OK(tvgp_policy_save(pair[i], sizeof bytes[i], bytes[i], &n[i]));
    }
    ck_assert_uint_eq(n[0], n[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], n[0]);
}

TEST(grid_with_kernel_and_options) {
    const double lower = 0, upper = 1, lengthscale = .2;
    const size_t points = 21;
    tvgp_domain *domain = harness_grid(1, &lower, &upper, &points);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 2, 1, &lengthscale);
    tvgp_policy *policy = harness_create("tv-gp-ucb", domain, kernel, "noise=.02 epsilon=.03");
    assert_same_run(described(" tv-gp-ucb grid=0:1:21  se=.2:2\tnoise=.02 epsilon=.03\n"), policy);
}

TEST(matern_by_coordinate_on_a_box) {
    const double lower[] = {0, 1}, upper[] = {2, 9}, lengthscale[] = {.5, 2};
    tvgp_domain *domain = harness_box(2, lower, upper);
    ASSERT_OK(tvgp_domain_box_integer(domain, 1));
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_matern, ctx, 2, 1.5, 1, 2, lengthscale);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, kernel);
    assert_same_run(described("policy=gp-ucb box=0:2,1:9:integer matern32=.5,2"), policy);
}

TEST(arms_with_constraints) {
    const double X[] = {512, 1, 1024, 2, 4096, 2};
    tvgp_domain *domain = harness_arms(3, 2, X);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL);
    tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL);
    ASSERT_OK(tvgp_policy_add_constraint(policy, model, TVGP_AT_MOST, 2.5));
    ASSERT_OK(tvgp_policy_set_safe(policy, 2, X + 2));
    assert_same_run(described("arms=512:1,1024:2,4096:2 names=s,m,l at_most=2.5 safe=m,l"), policy);
}

static void assert_domain(const char *text, size_t arms, size_t coordinates) {
    tvgp_policy *policy = described(text);
    size_t n, dim;
    ASSERT_OK(tvgp_domain_size(MAKE_DOMAIN(tvgp_policy_domain, policy), &n));
    ASSERT_OK(tvgp_policy_dim(policy, &dim));
    ck_assert_uint_eq(n, arms);
    ck_assert_uint_eq(dim, coordinates);
}

TEST(domains) {
    assert_domain("names=red,green,blue", 3, 1);
    assert_domain("indices=7", 7, 1);
    assert_domain("arms=1:2,3:4", 2, 2);
    assert_domain("grid=0:1:3,0:1:4", 12, 2);
    assert_domain("indices=4 contexts=3", 12, 2);
    assert_domain("grid=0:1:5 contexts=0:1,2:3", 5, 3);
    assert_domain("box=0:1,0:1 safe=.5:.5 at_least=0", 0, 2);
}

TEST(refusals) {
    static const struct {
        const char *text;
        tvgp_status status;
        const char *said;
    } cases[] = {
        {"", TVGP_ERR_ARG, "no domain"},
        {"gp-ucb se=1", TVGP_ERR_ARG, "no domain"},
        {"nope grid=0:1:3", TVGP_ERR_NOTFOUND, "nope"},
        {"grid=0:1", TVGP_ERR_ARG, "FROM:TO:POINTS"},
        {"grid=0:1:2.5", TVGP_ERR_ARG, "2.5 points"},
        {"grid=0:1:0", TVGP_ERR_ARG, "0 points"},
        {"grid=0:x:3", TVGP_ERR_ARG, "'x'"},
        {"grid=0:1:3:4", TVGP_ERR_ARG, "more than 3"},
        {"grid=1:0:3", TVGP_ERR_ARG, "tvgp_domain_grid"},
        {"box=0:1:half", TVGP_ERR_ARG, "'half'"},
        {"arms=1,2:3", TVGP_ERR_ARG, "point 1 has 2"},
        {"arms=", TVGP_ERR_ARG, "''"},
        {"names=a,,b", TVGP_ERR_ARG, "name 1"},
        {"names=a,b grid=0:1:3", TVGP_ERR_ARG, "2 names for 3 arms"},
        {"grid=0:1:3 box=0:1", TVGP_ERR_ARG, "'grid=' and 'box='"},
        {"grid=0:1:3 grid=0:1:4", TVGP_ERR_ARG, "'grid='"},
        {"gp-ucb policy=gp-ucb grid=0:1:3", TVGP_ERR_ARG, "'policy='"},
        {"indices=0", TVGP_ERR_ARG, "indices=0"},
        {"indices=3 contexts=x", TVGP_ERR_ARG, "contexts=x"},
        {"gp-ucb grid=0:1:3 se=x", TVGP_ERR_ARG, "se="},
        {"gp-ucb grid=0:1:3 se=.1:x", TVGP_ERR_ARG, "se="},
        {"gp-ucb grid=0:1:3 se=.1,.2", TVGP_ERR_DIM, "tvgp_kernel_se"},
        {"grid=0:1:3 at_most=x", TVGP_ERR_ARG, "at_most=x"},
        {"grid=0:1:3 at_most=1 safe=2", TVGP_ERR_NOTFOUND, "2"},
        {"names=a,b at_most=1 safe=c", TVGP_ERR_ARG, "'c'"},
        {"grid=0:1:3 nosie=1", TVGP_ERR_NOTFOUND, "'noise'"},
        {"grid=0:1:3 maximize", TVGP_ERR_OPTION, "maximize"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tvgp_policy *policy = NULL;
        const tvgp_status status = tvgp_policy_create_described(ctx, cases[i].text, &policy);
        ck_assert_msg(status == cases[i].status && !policy && strstr(tvgp_ctx_errmsg(ctx), cases[i].said), "'%s': %s, %s",
                      cases[i].text, tvgp_status_name(status), tvgp_ctx_errmsg(ctx));
    }
}

TEST(sizes) {
    static char text[1 << 20];
    tvgp_policy *policy = NULL;
    memset(text, ' ', sizeof text - 1);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, text, &policy), "");
    char longer[200] = "names=a,b";
    for (int i = 0; i < 17; i++)
        strcat(longer, " at_most=1");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_create_described(ctx, longer, &policy), "");
    strcpy(text, "box=");
    for (int i = 0; i < 65; i++)
        strcat(text, i ? ",0:1" : "0:1");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_create_described(ctx, text, &policy), "");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, NULL, &policy), "");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, "indices=3", NULL), "");
}

/* A description of one point, n equal coordinates, and what follows. */
static const char *with_coordinates(const char *key, const char *each, size_t n, const char *rest) {
    static char text[4000];
    size_t at = (size_t)sprintf(text, "random %s=", key);
    for (size_t i = 0; i < n; i++)
        at += (size_t)sprintf(text + at, "%s%s", i ? (*key == 'a' ? ":" : ",") : "", each);
    sprintf(text + at, " %s", rest);
    return text;
}

/* 64 coordinates of an action and its context, not one more, of every domain. */
TEST(coordinates) {
    static const struct {
        const char *key, *each, *contexts;
        size_t more; /* coordinates of the context */
    } cases[] = {
        {"arms", "0", "", 0},     {"arms", "0", "contexts=2", 1},     {"arms", "0", "contexts=0:1", 1},
        {"grid", "0:1:1", "", 0}, {"grid", "0:1:1", "contexts=3", 1}, {"grid", "0:1:1", "contexts=0:1,0:1", 2},
        {"box", "0:1", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tvgp_policy *policy = NULL;
        size_t dim;
        const size_t most = 64 - cases[i].more;
        ASSERT_OK(tvgp_policy_create_described(ctx, with_coordinates(cases[i].key, cases[i].each, most, cases[i].contexts),
                                               &policy));
        ASSERT_OK(tvgp_policy_dim(policy, &dim));
        ck_assert_uint_eq(dim, 64);
        tvgp_policy_destroy(policy);
        ASSERT_FAILS(TVGP_ERR_LIMIT,
                     tvgp_policy_create_described(
                         ctx, with_coordinates(cases[i].key, cases[i].each, most + 1, cases[i].contexts), &policy),
                     "coordinates");
    }
}

/* Every name is found, and of two that are equal the first is meant. */
TEST(safe_names) {
    static char text[60000];
    enum { NAMES = 2999 };
    size_t at = (size_t)sprintf(text, "random names=");
    for (int i = 0; i < NAMES; i++)
        at += (size_t)sprintf(text + at, "%s%d", i ? "," : "", i * 7919 % 2999);
    sprintf(text + at, " at_most=1 safe=1,2998,0,7,8");
    tvgp_policy *policy = described(text);
    static const int safe[] = {1, 2998, 0, 7, 8};
    for (int k = 0; k < 5; k++) {
        uint8_t mask[NAMES] = {0};
        int first = 0;
        while (first * 7919 % 2999 != safe[k])
            first++;
        mask[first] = 1;
        ASSERT_OK(tvgp_policy_set_available(policy, NAMES, mask));
        tvgp_query q = harness_ask(policy, k);
        ck_assert_int_eq(q.arm, first);
    }
}

/* Names differ, and have no order by which a kernel could correlate them. */
TEST(names_that_mean_nothing) {
    static const char *const twice[] = {"names=a,b,b", "names=b,a,c,b noise=.01", "grid=0:1:3 names=b,a,b"};
    static const char *const ordered[] = {"gp-ucb names=a,b,c se=2", "names=a,b,c matern52=1:3",
                                          "matern12=1 names=a,b contexts=2", "indices=2 names=a,b matern32=1",
                                          "names=a,b contexts=0:1 se=2,.1"};
    tvgp_policy *policy;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, twice[i], &policy), "names=", "'b' twice");
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, ordered[i], &policy), "names=", "order", "arms=");
    policy = MAKE_POLICY(tvgp_policy_create_described, ctx, "grid=0:1:3 names=a,b,B se=2");
    tvgp_policy_destroy(policy);
}

TEST(memory_is_refused) {
    tvgp_policy *policy = NULL;
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t k = 1; status == TVGP_ERR_NOMEM; k++) {
        memory.fail_in = k;
        status = tvgp_policy_create_described(ctx, "arms=0,1 names=a,b contexts=2 at_most=1 se=1", &policy);
        ck_assert_int_eq(!policy, status != TVGP_OK);
    }
    memory.fail_in = 0;
    ASSERT_OK(status);
    tvgp_policy_destroy(policy);
}

HARNESS_MAIN("description")
