/* SPDX-License-Identifier: MIT */
/* Scores of tvgp_policy_evaluate: what one says of an arm is what the next ask says of the one it chooses, and that no other has more; it is the
 * bound of the reference; and it changes nothing. */
#include "cases.h"
#include "player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40 };

/* Told a smooth function that moves, with some outcomes that are late and some that never come. */
static double truth(double t, const double *x, size_t dim) {
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += sin(3 * x[d] + 0.05 * t + (double)d);
    return sum;
}

/* The action an ask leads to when side queries have no outcomes. */
static tvgp_query ask_action(tvgp_policy *p, double t, double *x) {
    tvgp_query q = harness_ask_at(p, t, x);
    while (q.kind == TVGP_SIDE) {
        const tvgp_obs skipped = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        ASSERT_OK(tvgp_policy_tell(p, 1, &skipped, NULL));
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, x));
    }
    return q;
}

/* The outcome to a query of step t: late after every fourth, never after every seventh. */
static void answer(tvgp_policy *p, int t, const tvgp_query *q, double y, tvgp_obs *late) {
    if (late->id)
        ASSERT_OK(tvgp_policy_tell(p, 1, late, NULL));
    *late = tvgp_obs_value(t % 4 ? 0 : q->id, y);
    if (t % 4 && t % 7)
        ASSERT_OK(tvgp_policy_tell_value(p, q->id, y));
}

/* Next to a twin whose scores are not read. */
static void play(const struct recipe *r, int moving) {
    tvgp_policy *p = recipe_make(r), *twin = recipe_make(r);
    double score[CASES_ARMS], mean[CASES_ARMS], sd[CASES_ARMS], x[PLAYER_DIM];
    tvgp_obs late = {0}, twins = {0};
    for (int t = 1; t <= STEPS && cases_has_model(p); t++) {
        ASSERT_OK(harness_scores(p, t, CASES_ARMS, NULL, score, mean, sd));
        const tvgp_query q = ask_action(p, t, x), other = ask_action(twin, t, x);
        ck_assert_msg(memcmp(&q, &other, sizeof q) == 0, "%s, t = %d: asked arm %d, and %d when no score was wanted",
                      r->name, t, (int)q.arm, (int)other.arm);
        ck_assert_msg(score[q.arm] == q.score, "%s, t = %d: %.17g, asked by %.17g", r->name, t, score[q.arm], q.score);
        for (size_t arm = 0; arm < CASES_ARMS && !moving; arm++)
            ck_assert_msg(score[arm] <= q.score + 1e-9 * (1 + fabs(q.score)), "%s, t = %d: arm %zu has %g above %g", r->name,
                          t, arm, score[arm], q.score);
        answer(p, t, &q, truth(t, x, r->dim), &late);
        answer(twin, t, &other, truth(t, x, r->dim), &twins);
    }
    tvgp_policy_destroy(p), tvgp_policy_destroy(twin);
}

TEST_EACH(predicts_the_ask, harness_policies()) {
    struct recipe r;
    recipe_of_case(&r, harness_policy_at(_i), NULL, 0);
    play(&r, 0);
    recipe_free(&r);
}

/* What moving costs is in neither number. */
TEST(moving_is_no_part_of_it) {
    struct recipe r;
    recipe_of_case(&r, "tv-gp-ucb", "switch.cost=0.3", 0);
    play(&r, 1);
    recipe_free(&r);
}

/* Against the reference: mean + width sd of the posterior, in which what is pending counts as observed at its mean. */
TEST(is_the_bound_of_the_reference) {
    const struct ref_kernel *k = cases_kernel_at(0);
    double X[CASES_ARMS * 2], score[CASES_ARMS], x[2];
    struct ref_gp ref;
    (void)MAKE_DOMAIN(cases_domain, ctx, k, X);
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "gp-ucb", k);
    ASSERT_OK(tvgp_policy_set(p, "noise=0.04 width.schedule=constant width.value=1.7"));
    cases_reference(p, k, 40, &ref);
    for (int t = 1; t <= 6; t++) {
        double mean, var;
        tvgp_query q = harness_ask_at(p, t, x);
        if (t < 5) { /* two stay open */
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(t, x, 2)));
            cases_observe(&ref, x, t, truth(t, x, 2), 0.04);
        } else {
            ref_gp_predict(&ref, 1, x, t, &mean, &var);
            cases_observe(&ref, x, t, mean, 0.04);
        }
    }
    ASSERT_OK(harness_scores(p, 7, CASES_ARMS, NULL, score, NULL, NULL));
    for (size_t arm = 0; arm < CASES_ARMS; arm++) {
        double mean, var, some, none;
        ref_gp_predict(&ref, 1, X + 2 * arm, 7, &mean, &var);
        ASSERT_NEAR(score[arm], mean + 1.7 * sqrt(fmax(var, 0)), 1e-8);
        ASSERT_OK(harness_scores(p, 7, 1, X + 2 * arm, &some, NULL, &none));
        ck_assert(some == score[arm]);
    }
    ref_gp_free(&ref);
}

/* On a box: at the point that is asked it is the score of the query, and nowhere on a grid is it more. */
TEST_EACH(on_a_box, 6) {
    enum { GRID = 21 };
    const char *const names[] = {"gp-ucb", "tv-gp-ucb", "auto-gp-ucb", "pe-gp-ucb", "rb-gp-ucb", "sparq-gp-ucb"};
    const double lower[] = {0, -1}, upper[] = {1, 1}, l[] = {0.4, 0.8};
    double X[GRID * GRID * 2], score[GRID * GRID], x[2], one;
    tvgp_domain *d = harness_box(2, lower, upper);
    tvgp_policy *p = harness_create(names[_i], d, harness_se(2, 2, l), "noise=0.01 sense=min");
    for (size_t i = 0; i < GRID * GRID; i++) {
        X[2 * i] = (double)(i / GRID) / (GRID - 1);
        X[2 * i + 1] = -1 + 2 * (double)(i % GRID) / (GRID - 1);
    }
    for (int t = 1; t <= 12; t++) {
        tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, p); /* to know where it will be asked */
        (void)ask_action(copy, t, x);
        tvgp_policy_destroy(copy);
        ASSERT_OK(harness_scores(p, t, 1, x, &one, NULL, NULL));
        ASSERT_OK(harness_scores(p, t, GRID * GRID, X, score, NULL, NULL));
        const tvgp_query q = ask_action(p, t, x);
        ASSERT_NEAR(one, q.score, 1e-9);
        for (size_t i = 0; i < GRID * GRID; i++)
            ck_assert_msg(score[i] > q.score - 1e-3, "%s, t = %d: %g at (%g, %g) below %g", names[_i], t, score[i], X[2 * i],
                          X[2 * i + 1], q.score);
        if (t % 5)
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(t, x, 2)));
    }
}

TEST(measured_contexts) {
    const double lower = 0, upper = 1, actions[] = {0, 1, 2};
    double score[3], mean[3], sd[3], x[2], z = 0.3;
    tvgp_domain *d = MAKE_DOMAIN(tvgp_domain_product, ctx, harness_arms(3, 1, actions), harness_box(1, &lower, &upper));
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", d, NULL);
    for (int t = 1; t <= 30; t++) {
        z = 0.5 + 0.5 * sin(t);
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
        ASSERT_OK(harness_scores(p, t, 3, NULL, score, mean, sd));
        tvgp_query q = harness_ask_at(p, t, x);
        ASSERT_NEAR(score[q.arm], q.score, 1e-12);
        for (int i = 0; i < 3; i++)
            ck_assert(score[i] <= q.score + 1e-9 && sd[i] >= 0 && isfinite(mean[i]));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(t, x, 2)));
    }
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, harness_scores(p, 31, 1, x, score, NULL, NULL), "X must be NULL");
}

TEST(refusals) {
    const double lower = 0, upper = 1;
    const size_t points = 5;
    double score[5] = {9, 9, 9, 9, 9}, x = 0.1;
    tvgp_domain *d = harness_grid(1, &lower, &upper, &points);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", d, NULL);
    tvgp_policy *r = MAKE_POLICY(tvgp_policy_create, ctx, "random", d, NULL);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, harness_scores(p, 1, 1, &x, score, NULL, NULL), "X[0]", "arm");
    ASSERT_FAILS(TVGP_ERR_DIM, harness_scores(p, 1, 4, NULL, score, NULL, NULL), "n = 4");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, harness_scores(p, NAN, 5, NULL, score, NULL, NULL), "t");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, harness_scores(r, 1, 5, NULL, score, NULL, NULL), "random");
    for (int i = 0; i < 5; i++)
        ck_assert(score[i] == 9);
    ASSERT_OK(harness_scores(p, 1, 5, NULL, score, NULL, NULL)); /* before the first ask, which stays the first */
    ASSERT_OK(tvgp_policy_set(p, "noise=0.1"));
}

HARNESS_MAIN("score")
