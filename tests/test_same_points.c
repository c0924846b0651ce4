/* SPDX-License-Identifier: MIT */
/* Candidates on a box equal arms at the same points, of which a mask leaves those on the list; measured contexts equal numbered ones.
 * The same scene of both: the same points, scores, moments, priors and statistics. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 300 };

/* Places on both sides, and the events there. */
static const struct {
    const char *listed, *arms;
    int with;
} pairs[] = {
    {"box=0:1,-2:3 se=.3,1.5", "grid=0:1:4,-2:3:5 se=.3,1.5", LISTS | MEANS},
    {"grid=0:1:6 contexts=0:4 se=.3,1.5", "grid=0:1:6 contexts=5 se=.3,1.5", MASKS | MEANS},
};

/* On a box an action that waits counts at the time of its ask, on arms at the present (docs/theory/search.md): where the function
 * changes, outcomes come in order. */
static const struct {
    const char *name;
    int in_order, with;
} algorithms[] = {
    {"gp-ucb", 0, 0},
    {"gp-ucb width.schedule=constant width.value=3", 0, 0},
    {"gp-ucb choice=thompson seed=3", 0, 0},
    {"gp-ucb switch.cost=.1 switch.distance_cost=.05", 0, 0},
    {"igp-ucb", 0, 0},
    {"tv-gp-ucb epsilon=.03", 1, 0},
    {"tv-gp-ucb epsilon=.03 choice=thompson width.schedule=log", 1, 0},
    {"tv-gp-ucb time.kernel=matern32 time.rate=.1", 1, 0},
    {"r-gp-ucb reset.every=60", 0, 0},
    {"br-gp-ucb reset.every=45", 0, 0},
    {"et-gp-ucb trigger.delta=.5", 0, 0},
    {"sw-gp-ucb window=40", 0, 0},
    {"w-gp-ucb decay=.95", 0, 0},
    {"ui-gp-ucb noise_growth=linear", 0, 0},
    {"ui-gp-ucb noise_growth=power noise_growth.exponent=.5", 0, 0},
    {"ui-gp-ucb noise_growth=quadratic", 0, 0},
    {"ui-gp-ucb noise_growth=exponential noise_growth.rate=.1", 0, 0},
    {"ui-gp-ucb noise_growth=wiener-kernel noise_growth.rate=.01", 1, 0},
    {"auto-gp-ucb time.unit=1 scale.learn=0", 1, 0},
    {"auto-gp-ucb time.unit=1 scale.learn=0 offset.variance=.25 choice=thompson", 1, 0},
    {"pe-gp-ucb width.schedule=log", 0, 0},
    {"pe-gp-ucb width.schedule=log", 1, PRIORS},
    {"mle-gp-ucb width.schedule=log", 0, 0},
    {"mle-gp-ucb width.schedule=log", 1, PRIORS},
    {"fb-gp-ucb width.schedule=log", 0, 0},
    {"fb-gp-ucb width.schedule=log", 1, PRIORS},
    {"rb-gp-ucb width.schedule=log switch.cost=.1", 0, 0},
    {"rb-gp-ucb width.schedule=log", 1, PRIORS},
    {"random seed=5", 0, 0},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* Only outcomes that the policy also forgets on arms are forgotten. */
static void add_option(char *text, const char *key) {
    tvgp_policy *p = NULL;
    if (tvgp_policy_create_described(ctx, text, &p) == TVGP_OK && harness_has(p, key))
        strcat(strcat(strcat(text, " "), key), "=0");
    tvgp_policy_destroy(p);
}

static struct game open_side(int i, int arms) {
    char text[300];
    const int k = i / ALGORITHMS, in_order = algorithms[i % ALGORITHMS].in_order,
              with = pairs[k].with | algorithms[i % ALGORITHMS].with | ON_GRID | (in_order ? 0 : LATE | FAILS);
    snprintf(text, sizeof text, "%s %s", algorithms[i % ALGORITHMS].name, arms ? pairs[k].arms : pairs[k].listed);
    add_option(text, "rank.tolerance");
    if (!arms)
        add_option(text, "forget.tolerance");
    if (!arms)
        add_option(text, "rows.limit");
    return scene_open(text, with, (uint64_t)i, i % 3 == 1, 0);
}

/* The arm that an action of the other side is. */
static int64_t image(const struct game *listed, const struct game *arms, int64_t action) {
    return listed->arms ? action * (int64_t)arms->contexts + arms->context : (int64_t)listed->row[action];
}

static void assert_same_stat(const struct game *a, const struct game *b, const char *key) {
    double x = 0, y = 0;
    const tvgp_status status = tvgp_policy_stat(a->policy, key, &x);
    if (status == TVGP_OK && tvgp_policy_stat(b->policy, key, &y) == TVGP_OK && (isfinite(x) || isfinite(y)))
        ck_assert_msg(harness_near(x, y, 1e-7), "%s: %s is %.17g and %.17g", a->text, key, x, y);
}

/* Choices and counts; the statistics of every prior. */
static void assert_same_stats(const struct game *a, const struct game *b) {
    static const char *const keys[] = {
        "width",     "mean",        "sd",     "asked",   "values",       "skipped",          "failed",
        "cancelled", "unsolicited", "resets", "ignored", "switch.count", "information_gain", "log_marginal_likelihood"};
    size_t n;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_same_stat(a, b, keys[i]);
    ASSERT_OK(tvgp_policy_stat_count(a->policy, &n));
    for (size_t i = 0; i < n; i++)
        if (!strncmp(harness_stat_key(a->policy, i), "prior.", 6))
            assert_same_stat(a, b, harness_stat_key(a->policy, i));
}

/* Predictions at all points, and the best action that may be asked. */
static void assert_same_posterior(const struct game *a, const struct game *b) {
    double X[ARMS * DIM], x[2][DIM];
    int64_t best[2];
    if (strstr(a->text, "random"))
        return;
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, b->policy);
    for (size_t i = 0; i < b->arms; i++)
        ASSERT_OK(tvgp_domain_point(domain, (int64_t)i, X + i * b->dim));
    ASSERT_SAME_PREDICTIONS(a->policy, b->policy, a->t, b->arms, X, 1e-8);
    ASSERT_OK(tvgp_policy_best(a->policy, a->t, &best[0], x[0]));
    ASSERT_OK(tvgp_policy_best(b->policy, b->t, &best[1], x[1]));
    ck_assert_int_eq(image(a, b, best[0]), best[1]);
    ck_assert_mem_eq(x[0], x[1], a->dim * sizeof **x);
}

TEST_EACH(same_points, 2 * ALGORITHMS) {
    struct game a = open_side(_i, 0), b = open_side(_i, 1);
    for (int i = 0; i < STEPS && a.policy; i++) {
        scene_step(&a, i, 0);
        scene_step(&b, i, 0);
        ck_assert(a.n_seen == 1 && b.n_seen == 1);
        const tvgp_query *q = &a.seen->q, *r = &b.seen->q;
        ck_assert_msg(image(&a, &b, q->arm) == r->arm, "%s, step %d: action %d, arm %d", a.text, i, (int)q->arm,
                      (int)r->arm);
        ck_assert_mem_eq(a.seen->x, b.seen->x, a.dim * sizeof *a.seen->x);
        ASSERT_NEAR(q->score, r->score, 1e-8);
        ASSERT_NEAR(q->noise_var, r->noise_var, 1e-12);
        ASSERT_NEAR(q->propensity, r->propensity, 1e-12);
        assert_same_stats(&a, &b);
        if (i % 10 == 0)
            assert_same_posterior(&a, &b);
    }
    tvgp_policy_destroy(a.policy);
    tvgp_policy_destroy(b.policy);
}

HARNESS_MAIN("same points")
