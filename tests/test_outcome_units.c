/* SPDX-License-Identifier: MIT */
/* Outcomes have no unit: with default settings, outcomes times a power of two give the same bits, for every policy and kind of
 * domain, and so does minimising their negative, in every statistic. Another factor, or a shift, gives the same decisions.
 * 100 steps, a quarter of them on a box; with TVGP_TESTS=all 400 steps everywhere. */
#include "golden/golden_defaults.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE, NAMES, BOX, KINDS, MOST = 21 };
enum {
    GOLDEN = KINDS,
    WORLDS = sizeof golden_defaults / sizeof *golden_defaults
}; /* kinds from GOLDEN on: the golden worlds */

static int steps = 100, steps_on_box = 25;

/* One policy and what its outcomes are made of. */
struct twin {
    tvgp_policy *policy;
    double factor, offset;
};

static tvgp_domain *domain_of(int kind) {
    static const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points = MOST;
    tvgp_domain *domain = NULL;
    if (kind == LINE)
        domain = harness_grid(1, lower, upper, &points);
    else if (kind == NAMES)
        domain = harness_indices(8);
    else if (kind >= GOLDEN)
        domain = harness_indices((size_t)golden_defaults[kind - GOLDEN].arms);
    else
        domain = harness_box(2, lower, upper);
    return domain;
}

/* Values of three worlds, that change; golden worlds begin again after their last row. */
static double world(int kind, const double *x, double t, struct rnd *r) {
    if (kind >= GOLDEN)
        return golden_defaults[kind - GOLDEN].step[(int)t % golden_defaults[kind - GOLDEN].steps].outcome[(int)x[0]];
    if (kind == NAMES)
        return 7.5 * sin(1 + 1.7 * x[0] + 0.02 * t) + 0.7 * rnd_normal(r);
    return sin(6 * x[0] + 0.02 * t) + 0.5 * cos(11 * x[kind == BOX] - 0.01 * t) + 0.1 * rnd_normal(r);
}

/* 0: this policy cannot do without a kernel, or not on this domain. */
static int create(int i, int kind, struct twin *twin, size_t n) {
    tvgp_domain *domain = domain_of(kind);
    tvgp_status status = TVGP_OK;
    for (size_t k = 0; k < n && status == TVGP_OK; k++) {
        status = tvgp_policy_create(ctx, harness_policy_at(i), domain, NULL, &twin[k].policy);
        if (status == TVGP_OK && twin[k].factor < 0)
            ASSERT_OK(tvgp_policy_set_str(twin[k].policy, "sense", "min"));
    }
    ck_assert(status == TVGP_OK || status == TVGP_ERR_ARG || status == TVGP_ERR_UNSUPPORTED);
    return status == TVGP_OK;
}

/* Every arm, or some points of a box, so that no choice is a tie. */
static void tell_first(int kind, struct twin *twin, size_t n, struct rnd *r) {
    const int points = kind == LINE ? MOST : kind >= GOLDEN ? golden_defaults[kind - GOLDEN].arms : 8;
    for (int i = 0; i < points; i++) {
        const double x[2] = {kind == LINE ? i / 20.0 : kind != BOX ? i : rnd_uniform(r), rnd_uniform(r)};
        const double y = world(kind, x, 0, r);
        for (size_t k = 0; k < n; k++) {
            const tvgp_obs o = {.flags = TVGP_OBS_HAS_TIME, .t = 0, .y = twin[k].factor * y + twin[k].offset};
            ASSERT_OK(tvgp_policy_tell(twin[k].policy, 1, &o, x));
        }
    }
}

static int has_sign(const char *key) {
    return strcmp(key, "mean") == 0 || strcmp(key, "fit.mean") == 0 || strcmp(key, "offset") == 0;
}

/* Of which the second minimises the negative. */
static void assert_same_statistics(const struct twin *one, const struct twin *other) {
    size_t n;
    ASSERT_OK(tvgp_policy_stat_count(one->policy, &n));
    for (size_t i = 0; i < n; i++) {
        const char *const key = harness_stat_key(one->policy, i);
        double a, b;
        ASSERT_OK(tvgp_policy_stat(one->policy, key, &a));
        ASSERT_OK(tvgp_policy_stat(other->policy, key, &b));
        ck_assert_msg(b == (has_sign(key) ? -a : a), "%s is %.17g and %.17g", key, a, b);
    }
}

/* The queries and outcomes of one step; `exact`: the same bits except the factor. */
static void step(int kind, int exact, struct twin *twin, size_t n, double t, struct rnd *r) {
    tvgp_query q, other;
    double x[2] = {0, 0}, at[2] = {0, 0};
    ASSERT_OK(tvgp_policy_ask_one(twin[0].policy, t, &q, x));
    const double y = world(kind, x, t, r);
    for (size_t k = 0; k < n; k++) {
        other = q;
        memcpy(at, x, sizeof at);
        if (k)
            ASSERT_OK(tvgp_policy_ask_one(twin[k].policy, t, &other, at));
        ck_assert_msg(other.arm == q.arm && (!exact || !memcmp(x, at, sizeof x)), "t = %g, factor %g: arm %d, not %d", t,
                      twin[k].factor, (int)other.arm, (int)q.arm);
        ck_assert_msg(!exact || other.score == twin[k].factor * q.score, "t = %g, factor %g: score %.17g, not %.17g", t,
                      twin[k].factor, other.score / twin[k].factor, q.score);
        ck_assert_msg(!exact || other.noise_var == twin[k].factor * twin[k].factor * q.noise_var,
                      "t = %g, factor %g: noise %.17g, not %.17g", t, twin[k].factor,
                      other.noise_var / (twin[k].factor * twin[k].factor), q.noise_var);
        ASSERT_OK(tvgp_policy_tell_value(twin[k].policy, other.id, twin[k].factor * y + twin[k].offset));
    }
}

static void play(int i, int kind, int exact, struct twin *twin, size_t n) {
    struct rnd r = {(uint64_t)(40 + kind)};
    if (create(i, kind, twin, n))
        tell_first(kind, twin, n, &r);
    for (int t = 1; twin[n - 1].policy && t <= (kind == BOX ? steps_on_box : steps); t++) {
        step(kind, exact, twin, n, t, &r);
        if (exact && t % 10 == 0)
            assert_same_statistics(&twin[0], &twin[n - 1]);
    }
    for (size_t k = 0; k < n; k++)
        tvgp_policy_destroy(twin[k].policy);
}

TEST_EACH(powers_of_two, harness_policies()) {
    for (int kind = 0; kind < KINDS; kind++) {
        struct twin twin[] = {{.factor = 1}, {.factor = 2}, {.factor = 0.25}, {.factor = -1}};
        play(_i, kind, 1, twin, 4);
    }
}

/* Round-off decides nothing on arms. */
TEST_EACH(any_unit_and_origin, harness_policies()) {
    for (int kind = 0; kind < GOLDEN + WORLDS; kind++) {
        if (kind == BOX)
            continue;
        struct twin twin[] = {{.factor = 1}, {.factor = 3}, {.factor = 1, .offset = 5}};
        play(_i, kind, 0, twin, 3);
    }
}

/* A round of queries of either kind has the same points, and noises in the unit of the outcomes. */
TEST_EACH(side_queries, 2) {
    enum { CAP = 16, FACTOR = 1024 };
    struct twin twin[] = {{.factor = 1}, {.factor = FACTOR}};
    struct rnd r = {47};
    size_t n[2], side = 0;
    int sparq = 0;
    while (strcmp(harness_policy_at(sparq), _i ? "w-sparq-gp-ucb" : "sparq-gp-ucb") != 0)
        sparq++;
    ck_assert(create(sparq, NAMES, twin, 2));
    tell_first(NAMES, twin, 2, &r);
    for (int t = 1; t < 60; t++) {
        tvgp_query q[2][CAP];
        double x[2][CAP];
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_ask(twin[k].policy, t, CAP, q[k], x[k], &n[k]));
        ck_assert_uint_eq(n[1], n[0]);
        for (size_t i = 0; i < n[0]; i++) {
            const double y = world(NAMES, &x[0][i], t, &r);
            ck_assert(x[1][i] == x[0][i] && q[1][i].kind == q[0][i].kind);
            ck_assert(q[1][i].noise_var == (double)FACTOR * FACTOR * q[0][i].noise_var);
            side += q[0][i].kind == TVGP_SIDE;
            for (int k = 0; k < 2; k++)
                ASSERT_OK(tvgp_policy_tell_value(twin[k].policy, q[k][i].id, twin[k].factor * y));
        }
    }
    ck_assert_uint_gt(side, 40);
    tvgp_policy_destroy(twin[0].policy);
    tvgp_policy_destroy(twin[1].policy);
}

int main(void) {
    golden_read_defaults();
    if (harness_all())
        steps = steps_on_box = 400;
    return HARNESS_RUN("units of outcomes", harness_setup, harness_teardown);
}
