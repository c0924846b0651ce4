/* SPDX-License-Identifier: MIT */
/* Categorical arms in numbered contexts with default settings: two games of a dense implementation (the covariance of all outcomes, no
 * Kalman filter) with a constant share of the prior, then properties of the states of contexts and pairs. */
#include "golden/golden_contexts.h"
#include "harness.h"
#include "model/arm_mixture.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GAMES = sizeof golden_contexts / sizeof *golden_contexts, MOST = 7 };
enum { FILTERS = sizeof golden_context_filters / sizeof *golden_context_filters };

static tvgp_domain *product(size_t actions, size_t contexts) {
    return MAKE_DOMAIN(tvgp_domain_product, ctx, harness_indices(actions), harness_indices(contexts));
}

static tvgp_policy *policy_on(size_t actions, size_t contexts, const char *options) {
    tvgp_domain *domain = product(actions, contexts);
    return harness_create("auto-gp-ucb", domain, NULL, options);
}

static tvgp__arm_mixture *mixture_of(tvgp_policy *p) {
    return (tvgp__arm_mixture *)((tvgp__ucb *)p->state)->posterior;
}

static double series(const tvgp_policy *p, const char *name, int i) {
    char key[32];
    snprintf(key, sizeof key, "%s.%d", name, i);
    return harness_stat(p, key);
}

/* ---- golden ------------------------------------------------------------------------------------------------------- */

static void check_ask(tvgp_policy *p, const struct golden_context_game *g, int i, const tvgp_query *q) {
    const struct golden_context_ask *a = &g->ask[i];
    const size_t n = (size_t)(g->arms * g->contexts);
    double mean[MOST * 4], var[MOST * 4], most = 0, plain = 0;
    ck_assert_msg(q->arm / g->contexts == a->arm && q->arm % g->contexts == a->context, "%s, ask %d: arm %d, golden %d",
                  g->name, i + 1, (int)q->arm, a->arm);
    ASSERT_OK(tvgp_policy_predict(p, q->t, n, NULL, mean, var));
    for (int k = 0; k < g->arms; k++)
        most = fmax(most, a->sd[k]);
    for (int k = 0; k < g->arms; k++) {
        ASSERT_NEAR(mean[k * g->contexts + a->context], a->mean[k], 1e-9 * most);
        ASSERT_NEAR(sqrt(var[k * g->contexts + a->context]), a->sd[k], 1e-9 * most);
    }
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(series(p, "weight", a->filter[k]), a->weight[k], 1e-9);
    for (int j = 0; j < FILTERS; j++)
        plain += series(p, "weight", j) * sqrt(.8 - .5 * log(series(p, "rate", j) + 1. / (i + 101)));
    ASSERT_NEAR(harness_stat(p, "width"), a->coefficient, 1e-9);
    ASSERT_NEAR(harness_stat(p, "width") / plain, a->factor, 1e-9);
    ASSERT_NEAR(q->score, a->score, 1e-9 * most);
    ASSERT_NEAR(q->noise_var / a->noise, 1, 1e-9);
}

START_TEST(golden) {
    const struct golden_context_game *g = &golden_contexts[_i];
    tvgp_policy *p = policy_on((size_t)g->arms, (size_t)g->contexts, "time.unit=1");
    for (int i = 0; i < g->asks; i++) {
        const struct golden_context_ask *a = &g->ask[i];
        ASSERT_OK(tvgp_policy_set_context(p, a->context));
        const tvgp_query q = harness_ask(p, i);
        mixture_of(p)->constant_share = 1;
        check_ask(p, g, i, &q);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, a->outcome[q.arm / g->contexts]));
    }
    for (int j = 0; j < FILTERS; j++) {
        ASSERT_NEAR(series(p, "rate", j), golden_context_filters[j].rate, 0);
        ASSERT_NEAR(series(p, "noise.factor", j), golden_context_filters[j].noise, 0);
        ASSERT_NEAR(mixture_of(p)->prior[j], golden_context_filters[j].prior, 1e-12);
    }
}

/* ---- the same game ------------------------------------------------------------------------------------------------ */

enum { ACTIONS = 5, CONTEXTS = 3, ARMS = ACTIONS * CONTEXTS, STEPS = 120 };

struct play {
    struct rnd r;
    tvgp_query late;
};

static double reward(struct play *g, int64_t arm, double t) {
    return 2 + sin((double)arm) + .5 * sin(.05 * t + (double)(arm % 3)) + .1 * rnd_normal(&g->r);
}

/* Asks in changing contexts; every fifth outcome is late, when the context is another one. */
static void play(tvgp_policy *p, struct play *g, int from, int to, int *arms) {
    for (int k = from; k < to; k++) {
        const double t = k + .3 * (k % 4);
        ASSERT_OK(tvgp_policy_set_context(p, k * 7 % 5 % CONTEXTS));
        const tvgp_query q = harness_ask(p, t);
        const double y = reward(g, q.arm, t);
        arms[k] = (int)q.arm;
        ck_assert_int_eq(q.arm % CONTEXTS, k * 7 % 5 % CONTEXTS);
        if (k % 5 == 2)
            g->late = q;
        else
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        if (k % 5 == 4 && g->late.id) {
            ASSERT_OK(tvgp_policy_tell_value(p, g->late.id, y));
            g->late.id = 0;
        }
    }
}

START_TEST(as_many_pairs_as_are_stored) {
    int arms[STEPS];
    tvgp_policy *p = policy_on(ACTIONS, CONTEXTS, "fit.stored_observations=8");
    play(p, &(struct play){.r = {7}}, 0, STEPS, arms);
    ck_assert_uint_eq(mixture_of(p)->set.pairs, 8);
}

/* Moments by number, by coordinate, and the diagonal of the covariance agree; more actions change none of them. */
START_TEST(one_posterior) {
    int arms[STEPS];
    double mean[2][ARMS + CONTEXTS], var[2][ARMS + CONTEXTS], X[2 * ARMS], covariance[ARMS * ARMS];
    size_t every[ARMS];
    tvgp_policy *p = policy_on(ACTIONS, CONTEXTS, _i ? "fit.stored_observations=8" : "");
    struct play g = {.r = {3}};
    play(p, &g, 0, _i ? STEPS : 8, arms);
    const double t = STEPS + 4.5;
    ASSERT_OK(tvgp_policy_predict(p, t, ARMS, NULL, mean[0], var[0]));
    tvgp__posterior *posterior = &mixture_of(p)->base;
    for (size_t i = 0; i < ARMS; i++) {
        every[i] = i;
        X[2 * i] = (double)(i / CONTEXTS);
        X[2 * i + 1] = (double)(i % CONTEXTS);
    }
    ASSERT_OK(tvgp__posterior_predict(posterior, t, ARMS, X, mean[1], var[1]));
    ASSERT_OK(tvgp__posterior_covariance(posterior, t, ARMS, every, covariance));
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(mean[1][i], mean[0][i], 1e-9);
        ASSERT_NEAR(var[1][i], var[0][i], 1e-9);
        ASSERT_NEAR(covariance[i * ARMS + i], var[0][i], 1e-9);
        for (size_t k = 0; k < i; k++)
            ASSERT_NEAR(covariance[i * ARMS + k], covariance[k * ARMS + i], 1e-9);
    }
    tvgp_domain *more = product(ACTIONS + 1, CONTEXTS);
    ASSERT_OK(tvgp_policy_extend(p, more, NULL));
    ASSERT_OK(tvgp_policy_predict(p, t, ARMS + CONTEXTS, NULL, mean[1], var[1]));
    ASSERT_ALL_NEAR(ARMS, mean[1], mean[0], 1e-12);
    ASSERT_ALL_NEAR(ARMS, var[1], var[0], 1e-12);
}

/* ---- pairs -------------------------------------------------------------------------------------------------------- */

/* A pair that is integrated out leaves the moments of all others as they are; as one without an outcome it has its arm's and its
 * context's part. */
START_TEST(pairs_make_room) {
    const tvgp__arm_model model = {
        .rate = .1, .lasting = _i ? .6 : 0, .level = 10, .level_rate = .05, .noise = .1, .pair = .3, .context = 1};
    const tvgp__arm_items items = {4, 3, 5};
    size_t arms[12];
    double mean[12], var[12], m, v;
    struct rnd r = {5};
    tvgp__common_level_filters set;
    for (size_t i = 0; i < 12; i++)
        arms[i] = i;
    ASSERT_OK(tvgp__common_level_filters_new(ctx, 1, &model, &items, &set));
    ASSERT_OK(tvgp__common_level_filters_reserve(&set, 12, arms));
    tvgp__common_level_filter *f = &set.filter[0];
    const tvgp__arm_view now = tvgp__common_level_filter_view(f, 0);
    for (size_t k = 1; k <= 60; k++) {
        const tvgp__arm_entries at = tvgp__common_level_filters_join(&set, k % 5, k);
        tvgp__common_level_filter_moments(&set, f, &now, &at, &m, &v);
        tvgp__common_level_filter_observe(&set, f, &now, &at, v + .1, rnd_normal(&r) - m, k);
        tvgp__common_level_filter_advance(&set, f, .5);
    }
    for (size_t i = 0; i < 12; i++) {
        const tvgp__arm_entries at = tvgp__common_level_filters_find(&set, i);
        tvgp__common_level_filter_moments(&set, f, &now, &at, &mean[i], &var[i]);
    }
    (void)tvgp__common_level_filters_join(&set, 11, 61); /* pair 1 had its last outcome first */
    for (size_t i = 0; i < 12; i++) {
        tvgp__arm_entries at = tvgp__common_level_filters_find(&set, i);
        tvgp__common_level_filter_moments(&set, f, &now, &at, &m, &v);
        if (i == 1) {
            ck_assert_uint_eq(at.slot[TVGP__COMMON_LEVEL_PAIR], TVGP__COMMON_LEVEL_NONE);
            ck_assert(v > var[i] + .01);
            continue;
        }
        ASSERT_NEAR(m, mean[i], 1e-12);
        ASSERT_NEAR(v, var[i], 1e-12);
    }
    tvgp__common_level_filters_free(&set);
}

/* The weight of filters with parts of contexts falls where contexts mean nothing, and rises where they do. */
START_TEST(learns_whether_contexts_matter) {
    tvgp_policy *p = policy_on(ACTIONS, CONTEXTS, "");
    struct rnd r = {11};
    double weight = 0;
    for (int t = 0; t < 300; t++) {
        const int context = (int)rnd_below(&r, CONTEXTS);
        ASSERT_OK(tvgp_policy_set_context(p, context));
        const tvgp_query q = harness_ask(p, t);
        const int action = (int)q.arm / CONTEXTS;
        const double f = _i ? (action + 2 * context) % ACTIONS : action;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, f + .3 * rnd_normal(&r)));
    }
    for (int j = 45; j < FILTERS; j++)
        weight += series(p, "weight", j);
    ASSERT_NEAR(harness_stat(p, "context.weight"), weight, 1e-12);
    ck_assert_msg(_i ? weight > .9 : weight < .05, "weight %g", weight);
}

/* Counts have the same parts. */
START_TEST(counts_in_contexts) {
    tvgp_policy *p = policy_on(ACTIONS, CONTEXTS, "outcome.type=binomial");
    struct rnd r = {12};
    int right = 0;
    for (int t = 0; t < 200; t++) {
        const int context = t % CONTEXTS;
        double count = 0;
        ASSERT_OK(tvgp_policy_set_context(p, context));
        const tvgp_query q = harness_ask(p, t);
        const int best = (int)q.arm / CONTEXTS == context;
        for (int i = 0; i < 30; i++)
            count += rnd_uniform(&r) < (best ? .5 : .2);
        const tvgp_obs obs = tvgp_obs_count(q.id, count, 30);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        right += t >= 100 && best;
    }
    ck_assert_double_eq(harness_stat(p, "observations"), 200);
    ASSERT_NEAR(series(p, "weight", 53) >= 0, 1, 0);
    ck_assert_msg(right > 90, "%d of 100", right);
}

/* With one context everything is as without contexts. */
START_TEST(one_context) {
    int64_t arms[2][40];
    for (int i = 0; i < 2; i++) {
        tvgp_domain *domain = NULL;
        struct rnd r = {2};
        if (i)
            domain = product(ACTIONS, 1);
        else
            domain = harness_indices(ACTIONS);
        tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL);
        for (int t = 0; t < 40; t++) {
            const tvgp_query q = harness_ask(p, t);
            arms[i][t] = q.arm;
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin((double)q.arm + .1 * t) + rnd_normal(&r)));
        }
    }
    for (int t = 0; t < 40; t++)
        ck_assert_int_eq(arms[0][t], arms[1][t]);
}

int main(void) {
    golden_read_contexts();
    Suite *suite = suite_create("golden contexts");
    for (int i = 0; i < GAMES; i++)
        tcase_add_loop_test(harness_case_of(suite, 0, "%s", golden_contexts[i].name), golden, i, i + 1);
    TCase *c = harness_case(suite, "contexts");
    tcase_add_loop_test(c, one_posterior, 0, 2);
    tcase_add_loop_test(c, pairs_make_room, 0, 2);
    tcase_add_loop_test(c, learns_whether_contexts_matter, 0, 2);
    harness_add(c, as_many_pairs_as_are_stored, counts_in_contexts, one_context);
    return harness_run(suite);
}
