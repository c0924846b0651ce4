/* SPDX-License-Identifier: MIT */
/* The event of new arms: replayed from text, the state is the same byte for byte, and a snapshot after it fits the description that
 * tvgp_event_describe writes. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 60, LONGEST = 300, MOST_BYTES = 1 << 18 };

/* A log as a store has it. */
static char lines[LINES][LONGEST];
static size_t n_lines;

static void record(tvgp_event e, const double *x) {
    size_t needed;
    e.n = (int64_t)n_lines + 1;
    ck_assert_uint_lt(n_lines, LINES);
    ASSERT_OK(tvgp_event_format(ctx, &e, (size_t)e.size, x, LONGEST, lines[n_lines++], &needed));
}

static tvgp_status apply(tvgp_policy *policy, const char *line) {
    tvgp_event e;
    double x[64];
    size_t n;
    ASSERT_OK(tvgp_event_parse(ctx, line, 64, &e, x, &n));
    return tvgp_policy_apply(policy, 1, &e, n, n ? x : NULL);
}

/* Asks and reports; the best arms are the last. */
static void play(tvgp_policy *policy, int from, int to) {
    for (int step = from; step < to; step++) {
        double x[4];
        tvgp_query q = harness_ask_at(policy, step, x);
        record((tvgp_event){.kind = TVGP_EVENT_ASK, .id = q.id, .arm = q.arm, .t = step, .propensity = q.propensity}, NULL);
        const double y = .1 * (double)q.arm + .3 * sin(step);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, y));
        record((tvgp_event){.kind = TVGP_EVENT_TELL, .id = q.id, .y = y}, NULL);
    }
}

/* The larger domain by the domain's own functions; with contexts=2. */
static tvgp_domain *larger_domain(const tvgp_policy *policy, const char *text, const double *x, size_t n) {
    tvgp_domain *longer, *three, *two;
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, policy);
    if (!strstr(text, "contexts=")) {
        longer = MAKE_DOMAIN(tvgp_domain_append, domain, n, x);
    } else {
        three = harness_indices(3 + n);
        two = harness_indices(2);
        longer = MAKE_DOMAIN(tvgp_domain_product, ctx, three, two);
    }
    return longer;
}

/* Plays, extends by the event's numbers, plays again. Every state is that of a replay; in the middle a worker restarts. */
static void assert_extends(const char *text, tvgp_event e, const double *x, size_t n_means, const char *expected) {
    char after[LONGEST];
    size_t needed;
    const size_t n_points = (size_t)e.size - n_means - (size_t)e.outputs;
    tvgp_policy *policy = harness_described(text), *twin = harness_described(text);
    n_lines = 0;
    play(policy, 0, 8);
    tvgp_domain *longer = larger_domain(policy, text, x, (size_t)e.arm);
    ASSERT_OK(tvgp_policy_extend(policy, longer, n_means ? x + n_points : NULL));
    record(e, x);
    ASSERT_OK(tvgp_event_describe(ctx, text, &e, (size_t)e.size, x, 0, NULL, &needed));
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_event_describe(ctx, text, &e, (size_t)e.size, x, needed - 1, after, &needed),
                 "bytes");
    ASSERT_OK(tvgp_event_describe(ctx, text, &e, (size_t)e.size, x, sizeof after, after, &needed));
    ck_assert_str_eq(after, expected);
    for (size_t i = 0; i < n_lines; i++)
        ck_assert_msg(apply(twin, lines[i]) == TVGP_OK, "%s: %s: %s", text, lines[i], tvgp_ctx_errmsg(ctx));
    ASSERT_SAME_STATE(policy, twin, "%s", text);
    const struct saved state = harness_saved(twin, 0);
    twin = harness_described(after); /* another process */
    const tvgp_status status = tvgp_policy_load(twin, state.n, state.bytes);
    ck_assert_msg(status == TVGP_OK, "%s: %s", after, tvgp_ctx_errmsg(ctx));
    const size_t first = n_lines;
    play(policy, 8, 20);
    for (size_t i = first; i < n_lines; i++)
        ASSERT_OK(apply(twin, lines[i]));
    ASSERT_SAME_STATE(policy, twin, "%s", after);
}

TEST(new_arms) {
    const double named[] = {3, 4, 'd', '"', ',', 'e'}, points[] = {1.25, 1.5}, pairs[] = {.5, .5, 'n'},
                 mean[] = {1.25, 1.5, .3, .4}, context[] = {3, .1, .2};
    const tvgp_event two = {.kind = TVGP_EVENT_EXTEND, .arm = 2};
    tvgp_event e = two;
    e.outputs = 4;
    e.size = 6;
    assert_extends("names=a,b,c seed=4", e, named, 0, "names=a,b,c,d\",e seed=4");
    ck_assert_ptr_nonnull(strstr(lines[16], ",\"x\":[3,4],\"names\":\"d\\\",e\"}"));
    e = two;
    e.size = 2;
    assert_extends("tv-gp-ucb grid=0:1:5 se=.3", e, points, 0, "tv-gp-ucb grid=0:1:5 se=.3 more=1.25,1.5");
    assert_extends("tv-gp-ucb grid=0:1:5 more=1.1 se=.3", e, points, 0, "tv-gp-ucb grid=0:1:5 more=1.1,1.25,1.5 se=.3");
    e.flags = TVGP_EVENT_MEANS;
    e.size = 4;
    assert_extends("gp-ucb arms=0,.5,1 matern52=.3", e, mean, 2, "gp-ucb arms=0,.5,1 matern52=.3 more=1.25,1.5");
    e = (tvgp_event){.kind = TVGP_EVENT_EXTEND, .arm = 1, .outputs = 1, .size = 3};
    assert_extends("gp-ucb arms=0:0,1:1 names=k,m se=.3", e, pairs, 0, "gp-ucb arms=0:0,1:1 names=k,m,n se=.3 more=0.5:0.5");
    e = (tvgp_event){.kind = TVGP_EVENT_EXTEND, .arm = 1, .flags = TVGP_EVENT_MEANS, .size = 3};
    assert_extends("gp-ucb indices=3 contexts=2 se=1", e, context, 2, "gp-ucb indices=3 contexts=2 se=1 more=3");
}

TEST(refused) {
    const double x[] = {3, 'd', ',', 'd'}, blank[] = {3, ' '}, known[] = {3, 'b'}, two[] = {3, 4, 'd'};
    const tvgp_event e = {.n = 1, .kind = TVGP_EVENT_EXTEND, .arm = 1, .outputs = 1, .size = 2};
    char text[100];
    size_t needed;
    tvgp_policy *policy = harness_described("names=a,b,c"), *box = harness_described("box=0:1");
    tvgp_event bad = e;
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_apply(policy, 1, &e, 2, blank), "names", "event 1");
    bad.arm = 2;
    bad.size = 3;
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_apply(policy, 1, &bad, 3, two), "names", "event 1");
    bad.size = 2;
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_apply(policy, 1, &bad, 2, x), "numbers", "event 1");
    bad.arm = INT64_MAX;
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_apply(policy, 1, &bad, 2, x), "numbers", "event 1");
    bad = e;
    bad.outputs = -1;
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_apply(policy, 1, &bad, 2, x), "numbers", "event 1");
    bad.outputs = 9;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_format(ctx, &bad, 2, x, sizeof text, text, &needed), "names");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_format(ctx, &e, 2, blank, sizeof text, text, &needed), "names");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_apply(box, 1, &e, 2, x), "event 1");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_describe(ctx, "names=a,b,c", &e, 2, known, 0, NULL, &needed), "'b' already");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_describe(ctx, "indices=3", &e, 2, known, 0, NULL, &needed), "event has names");
    bad = (tvgp_event){.kind = TVGP_EVENT_EXTEND, .arm = 1, .size = 1};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_describe(ctx, "names=a,b,c", &bad, 1, x, 0, NULL, &needed), "event has none");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_event_describe(ctx, "arms=1:2,3:4 se=1", &bad, 1, x, 0, NULL, &needed), "numbers");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_event_describe(ctx, "names=a,b,c", &bad, 2, x, 0, NULL, &needed), "2 numbers");
    bad = (tvgp_event){.kind = TVGP_EVENT_EXTEND, .arm = 2, .outputs = 3, .size = 5};
    ASSERT_FAILS(TVGP_ERR_ARG,
                 tvgp_event_describe(ctx, "names=a,b,c", &bad, 5, (const double[]){3, 4, 'd', ',', 'd'}, 0, NULL, &needed),
                 "'d' already");
    bad.kind = TVGP_EVENT_ASK;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_describe(ctx, "names=a,b", &bad, 4, x, 0, NULL, &needed), "kind");
}

TEST(flags_in_text) {
    tvgp_event e;
    size_t n;
    ASSERT_OK(tvgp_event_parse(ctx, "{\"n\":1,\"call\":\"tell\",\"id\":1,\"y\":2,\"partial\":true}", 0, &e, NULL, &n));
    ck_assert_uint_eq(e.flags, TVGP_OBS_PARTIAL);
    ASSERT_OK(tvgp_event_parse(ctx, "{\"n\":1,\"call\":\"tell\",\"id\":1,\"y\":2,\"partial\":false}", 0, &e, NULL, &n));
    ck_assert_uint_eq(e.flags, 0);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_event_parse(ctx, "{\"n\":1,\"call\":\"tell\",\"partial\":2}", 0, &e, NULL, &n),
                 "byte");
    ASSERT_FAILS(TVGP_ERR_FORMAT,
                 tvgp_event_parse(ctx, "{\"n\":1,\"call\":\"extend\",\"names\":\"a\",\"names\":\"b\"}", 0, &e, NULL, &n),
                 "byte");
    n_lines = 0;
    record((tvgp_event){.kind = TVGP_EVENT_TELL, .id = 3, .flags = TVGP_OBS_PARTIAL, .y = 2}, NULL);
    ck_assert_str_eq(lines[0], "{\"n\":1,\"call\":\"tell\",\"id\":3,\"y\":2,\"partial\":true}");
}

/* The value of a policy from a log in which arms come. */
TEST(estimates) {
    const double x[] = {3, 4};
    const tvgp_event more = {.kind = TVGP_EVENT_EXTEND, .arm = 2, .size = 2};
    tvgp_value_estimate found = {.struct_size = sizeof found};
    tvgp_policy *policy = harness_described("indices=3 exploration.floor=.4"),
                *target = harness_described("indices=3 seed=9");
    tvgp_event events[LINES];
    double numbers[LINES];
    size_t n_x = 0, n;
    n_lines = 0;
    play(policy, 0, 5);
    tvgp_domain *longer = larger_domain(policy, "", x, 2);
    ASSERT_OK(tvgp_policy_extend(policy, longer, NULL));
    record(more, x);
    play(policy, 5, 15);
    for (size_t i = 0; i < n_lines; i++, n_x += n)
        ASSERT_OK(tvgp_event_parse(ctx, lines[i], LINES - n_x, &events[i], numbers + n_x, &n));
    policy = harness_described("indices=3 exploration.floor=.4");
    ASSERT_OK(tvgp_event_off_policy_value(policy, target, 0, n_lines, events, n_x, numbers, INFINITY, &found));
    ck_assert(isfinite(found.mean_weight));
}

HARNESS_MAIN("event_extend")
