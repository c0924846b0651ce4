/* SPDX-License-Identifier: MIT */
/* Times and outcomes in a unit, or with an offset, that the caller did not mean: the lines to the log, and offsets that do not matter. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 21 };
enum { GRID, NAMES, BOX };

static struct {
    const char *text;
    int lines;
    char last[256];
} wanted;

static void look(void *user, const char *line) {
    (void)user;
    if (!strstr(line, wanted.text))
        return;
    wanted.lines++;
    snprintf(wanted.last, sizeof wanted.last, "%s", line);
}

static void listen(const char *text) {
    wanted.text = text;
    wanted.lines = 0;
    ASSERT_OK(tvgp_ctx_set_logger(ctx, look, NULL, NULL));
}

static tvgp_policy *create(const char *name, int kind, const char *options) {
    tvgp_domain *d;
    const double low = 0, high = 1;
    ASSERT_OK(kind == GRID    ? tvgp_domain_grid(ctx, 1, &low, &high, &(size_t){ARMS}, &d)
              : kind == NAMES ? tvgp_domain_indices(ctx, 8, &d)
                              : tvgp_domain_box(ctx, 1, &low, &high, &d));
    tvgp_policy *p = harness_create(name, d, NULL, options);
    tvgp_domain_destroy(d);
    return p;
}

static void step(tvgp_policy *p, double t) {
    const tvgp_query q = harness_ask(p, t);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin((double)q.arm + t)));
}

TEST(no_time) {
    tvgp_policy *p = create("tv-gp-ucb", GRID, "");
    listen("50 asks at one time");
    for (int i = 0; i < 120; i++) {
        ck_assert_int_eq(wanted.lines, i >= 50);
        step(p, 3);
    }
    p = create("tv-gp-ucb", GRID, "");
    listen("50 asks at one time");
    for (int i = 0; i < 120; i++)
        step(p, i / 40);
    ck_assert_int_eq(wanted.lines, 0);
}

/* A client that sends milliseconds; and clocks that differ by a little. */
TEST(clamped_far) {
    tvgp_policy *p = create("tv-gp-ucb", GRID, "time.clamp=1");
    listen("time.clamp moved an ask");
    for (int i = 0; i < 30; i++)
        step(p, 60 * i - (i % 3 ? 0 : 90));
    ck_assert_int_eq(wanted.lines, 0);
    step(p, 1e6);
    for (int i = 31; i < 40; i++)
        step(p, 60 * i);
    ck_assert_msg(wanted.lines == 1 && strstr(wanted.last, "another unit?"), "%d", wanted.lines);
}

/* The history is in cents, or has the unit of the outcomes. */
TEST_EACH(history_unit, 2) {
    enum { ROWS = 60, N = 8 };
    double t[ROWS], value[ROWS * N];
    struct rnd r = {5};
    tvgp_policy *p = create("auto-gp-ucb", NAMES, "");
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = (double)i;
        for (size_t k = 0; k < N; k++)
            value[i * N + k] = (_i ? 1 : 100) * (70 + (double)k + rnd_normal(&r));
    }
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, t, value));
    listen("another unit?");
    for (int i = 0; i < 10; i++) {
        const tvgp_query q = harness_ask(p, ROWS + i);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 70 + (double)q.arm + rnd_normal(&r)));
        ck_assert_int_eq(wanted.lines, !_i && i >= 4);
    }
    ck_assert(_i || strstr(wanted.last, "the history has mean 7"));
}

static double mean_of(tvgp_policy *p, int kind, double offset) {
    struct rnd r = {1};
    double sum = 0;
    for (int t = 0; t < 100; t++) {
        double x;
        tvgp_query q = harness_ask_at(p, t, &x);
        const double off = ((kind == NAMES ? x / 7 : x) - .63) / .2, f = exp(-off * off);
        sum += f / 100;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, offset + f + .05 * rnd_normal(&r)));
    }
    return sum;
}

/* Outcomes with an offset of 1e12 and 1e13 signals. */
TEST_EACH(offsets, 12) {
    const int kind = _i % 3;
    tvgp_policy *p = create(_i / 3 % 2 ? "gp-ucb" : "auto-gp-ucb", kind, "");
    const double mean = mean_of(p, kind, _i / 6 ? 1e13 : 1e12);
    ck_assert_msg(mean > .75, "%g", mean);
}

TEST_EACH(offset_too_large, 3) {
    tvgp_policy *p = create("auto-gp-ucb", _i, "");
    listen("rounding blurs");
    (void)mean_of(p, _i, 1e11);
    ck_assert_int_eq(wanted.lines, 0);
    p = create("auto-gp-ucb", _i, "");
    (void)mean_of(p, _i, 3e14);
    ck_assert_int_eq(wanted.lines, 1);
}

HARNESS_MAIN("wrong units")
