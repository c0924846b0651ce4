/* SPDX-License-Identifier: MIT */
/* The budget: prices by an independent computation, the bound on what is spent, other features, restarts. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { ARMS = 5 };

static void only(tvgp_policy *p, size_t arm) {
    uint8_t mask[ARMS] = {0};
    mask[arm] = 1;
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
}

/* One ask of the arm with this cost. */
static int64_t pay(tvgp_policy *p, double t, double cost) {
    static const double costs[] = {0, .5, 1, 2, 3};
    size_t arm = 0;
    while (costs[arm] != cost)
        arm++;
    only(p, arm);
    return harness_ask(p, t).id;
}

/* B = 10, T = 20, N = 20, s = 1: the price right after each ask is that at the choice and the step of its cost. */
TEST(prices_are_the_independent_ones) {
    static const double costs[ARMS] = {0, .5, 1, 2, 3}, t[] = {0, 1, 1.5, 4, 4.2, 4.3}, cost[] = {2, 0, 1, .5, 2, 2};
    static const double at_choice[] = {0, 1.3416408, 1.1180340, .8944272, 1.2521981, 2.5491175};
    const double step = 1 / sqrt(20) / .25; /* of a unit of cost */
    tvgp_policy *p = harness_policy("tv-gp-ucb", harness_line(ARMS), "epsilon=.03 noise=.01");
    int64_t first = 0;
    ASSERT_OK(tvgp_policy_set_budget(p, 10, 20, 20));
    ASSERT_OK(tvgp_policy_set_costs(p, ARMS, costs));
    for (int i = 0; i < 6; i++) {
        if (i == 5)
            ASSERT_OK(tvgp_policy_charge(p, first, 1.5));
        const int64_t id = pay(p, t[i], cost[i]);
        first = i ? first : id;
        ck_assert_double_eq_tol(harness_stat(p, "budget.price"), at_choice[i] + step * cost[i], 1e-6);
    }
    ck_assert_double_eq_tol(harness_stat(p, "budget.price"), 4.3379719, 1e-6);
    ck_assert_double_eq_tol(harness_stat(p, "budget.left"), 3, 1e-12);
    ck_assert_double_eq_tol(harness_stat(p, "budget.spent"), 7, 1e-12);
    const int64_t expensive = pay(p, 4.3, 0);
    ASSERT_OK(tvgp_policy_charge(p, expensive, 9)); /* more than there is */
    ck_assert_double_eq_tol(harness_stat(p, "budget.left"), -6, 1e-12);
    (void)pay(p, 20, 0); /* a new period keeps the price, which falls by the time that went by */
    ck_assert_double_eq_tol(harness_stat(p, "budget.left"), 10, 1e-12);
    ck_assert_double_eq_tol(harness_stat(p, "budget.price"), 4.3379719 + step * 9 - step * 10 * 15.7 / 20, 1e-6);
    ck_assert_double_eq_tol(harness_stat(p, "budget.spent"), 16, 1e-12);
}

/* Scores 1, 1.6, 1.9 and costs 0, .5, 1: arms 2, 2, 1, 0 for prices 0, .5, 1, 1.5; the query's score has no price in it. */
static void assert_choice(double price, int64_t arm) {
    static const double costs[] = {0, .5, 1}, score[] = {1, 1.6, 1.9};
    const double x[] = {0, .5, 1}, step = 1 / sqrt(20) / .25;
    tvgp_kernel *k = harness_se(1, 1, &(double){0.01});
    tvgp_policy *p = harness_create("gp-ucb", harness_arms(3, 1, x), k, "noise=0 width.schedule=constant width.value=0");
    ASSERT_OK(tvgp_policy_set_budget(p, 10, 20, 20));
    ASSERT_OK(tvgp_policy_set_costs(p, 1, &(double){1}));
    const tvgp_query q = harness_ask(p, 0);
    ASSERT_OK(tvgp_policy_charge(p, q.id, price / step)); /* which sets the price */
    for (size_t i = 0; i < 3; i++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(0, score[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x[i]));
    }
    const tvgp_obs skipped = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
    ASSERT_OK(tvgp_policy_tell(p, 1, &skipped, NULL));
    ASSERT_OK(tvgp_policy_set_costs(p, 3, costs));
    ck_assert_double_eq_tol(harness_stat(p, "budget.price"), price, 1e-9);
    const tvgp_query r = harness_ask(p, 0);
    ck_assert_int_eq(r.arm, arm);
    ck_assert_double_eq_tol(r.score, score[arm], 1e-9);
}

TEST(choices_pay_the_price) {
    assert_choice(0, 2);
    assert_choice(.5, 2);
    assert_choice(1, 1);
    assert_choice(1.5, 0);
}

/* ---- random worlds against a ledger ----------------------------------------------------------------------------------- */

/* Every query with the start of its period and what it costs so far. */
enum { STEPS = 300, SLATE = 3 };
struct ledger {
    double all, period, start; /* of the newest ask; NaN before the first */
    size_t n;
    struct {
        tvgp_query q;
        double start, cost;
        int charged, told;
    } of[SLATE * STEPS];
};

static void ledger_advance(struct ledger *l, double t) {
    l->start = isnan(l->start) ? t : l->start;
    l->start += floor((t - l->start) / l->period) * l->period;
}

static double ledger_spent(const struct ledger *l, int of_period) {
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += !of_period || l->of[i].start == l->start ? l->of[i].cost : 0;
    return sum;
}

static void ledger_check(const struct ledger *l, const tvgp_policy *p) {
    ASSERT_NEAR(harness_stat(p, "budget.spent"), ledger_spent(l, 0), 1e-9);
    ASSERT_NEAR(harness_stat(p, "budget.left"), l->all - ledger_spent(l, 1), 1e-9);
}

/* Asks at most n; the costs that are expected never exceed what this period has left. */
static void ledger_ask(struct ledger *l, tvgp_policy *p, double t, size_t n, const double *costs) {
    tvgp_query q[SLATE];
    size_t got = 0;
    const tvgp_status status = tvgp_policy_ask_slate(p, t, n, q, NULL, &got);
    ck_assert_msg(status == TVGP_OK || status == TVGP_AGAIN, "%s", tvgp_ctx_errmsg(ctx));
    if (!got)
        return;
    ledger_advance(l, t);
    const double left = l->all - ledger_spent(l, 1);
    double sum = 0;
    for (size_t i = 0; i < got; i++) {
        sum += costs[q[i].arm];
        l->of[l->n].q = q[i];
        l->of[l->n].start = l->start;
        l->of[l->n].cost = costs[q[i].arm];
        l->of[l->n].charged = l->of[l->n].told = 0;
        l->n++;
    }
    ck_assert_msg(sum <= left + 1e-9, "t = %g: %g is asked, %g is left", t, sum, left);
}

/* Charges query i its actual cost, cancels it, or reports its value: a charge counts in the period of its query, and once. */
static void ledger_charge(struct ledger *l, tvgp_policy *p, size_t i, struct rnd *rnd) {
    const double cost = 2 * rnd_uniform(rnd) * l->of[i].cost;
    const int64_t id = l->of[i].q.id;
    const size_t turn = rnd_below(rnd, 3);
    if (turn == 0 && !l->of[i].charged) {
        ASSERT_OK(tvgp_policy_charge(p, id, cost));
        l->of[i].cost = cost;
        l->of[i].charged = 1;
    } else if (turn && !l->of[i].told) {
        const tvgp_obs obs = turn == 1 ? tvgp_obs_outcome(id, TVGP_CANCELLED) : tvgp_obs_value(id, cost);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        l->of[i].told = 1;
        if (turn == 1 && !l->of[i].charged) {
            l->of[i].cost = 0;
            l->of[i].charged = 1;
        }
    }
}

/* Several periods, with outcomes that arrive in any later one, masks, slates, and a budget that is set again. */
static void play_random(uint64_t seed, const char *options, int sense) {
    static struct ledger l;
    struct rnd rnd = {seed};
    double costs[ARMS], t = 0;
    tvgp_policy *p = harness_policy("tv-gp-ucb", harness_line(ARMS), options);
    l = (struct ledger){.all = 6, .period = 20, .start = NAN};
    if (sense)
        ASSERT_OK(tvgp_policy_set(p, "sense=min"));
    ASSERT_OK(tvgp_policy_set_budget(p, l.all, l.period, 15));
    for (int step = 0; step < STEPS; step++) {
        uint8_t mask[ARMS];
        for (int a = 0; a < ARMS; a++) {
            costs[a] = step ? costs[a] : rnd_uniform(&rnd);
            mask[a] = a == 0 || rnd_uniform(&rnd) < .7;
        }
        if (step == 2 * STEPS / 3) {
            l = (struct ledger){.all = 4, .period = 7, .start = NAN};
            ASSERT_OK(tvgp_policy_set_budget(p, l.all, l.period, 5));
        }
        ASSERT_OK(tvgp_policy_set_costs(p, ARMS, costs));
        ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
        t += rnd_below(&rnd, 2) ? 2 * rnd_uniform(&rnd) : 0;
        ledger_ask(&l, p, t, 1 + rnd_below(&rnd, SLATE), costs);
        for (size_t k = rnd_below(&rnd, 4); l.n && k; k--)
            ledger_charge(&l, p, rnd_below(&rnd, l.n), &rnd);
        ledger_check(&l, p);
    }
}

TEST_EACH(budget_is_kept, 4) {
    play_random((uint64_t)_i + 1, "epsilon=.03 noise=.1", _i % 2);
}

TEST_EACH(budget_is_kept_with_a_floor, 4) {
    play_random((uint64_t)_i + 1, "epsilon=.03 noise=.1 exploration.floor=.3 choice=thompson", _i % 2);
}

/* Nothing is affordable: AGAIN, and the cheapest if the option says so. */
TEST(nothing_is_affordable) {
    static const double costs[ARMS] = {4, 3, 2, 3, 4};
    for (int cheapest = 0; cheapest < 2; cheapest++) {
        tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), cheapest ? "budget.fallback=cheapest" : "");
        tvgp_query q;
        size_t n = 9;
        ASSERT_OK(tvgp_policy_set_budget(p, 3, 10, 10));
        ASSERT_OK(tvgp_policy_set_costs(p, ARMS, costs));
        ASSERT_OK(tvgp_policy_ask(p, 0, 1, &q, NULL, &n));
        ck_assert(q.arm >= 1 && q.arm <= 3);
        const tvgp_status status = tvgp_policy_ask(p, 1, 1, &q, NULL, &n);
        ck_assert_int_eq(status, cheapest ? TVGP_OK : TVGP_AGAIN);
        ck_assert_uint_eq(n, (size_t)cheapest);
        ck_assert(!cheapest || q.arm == 2);
        ck_assert(harness_stat(p, "budget.refused") == !cheapest);
        ASSERT_OK(tvgp_policy_ask(p, 10, 1, &q, NULL, &n)); /* a new period */
        ck_assert_uint_eq(n, 1);
        ASSERT_OK(tvgp_policy_set_budget(p, INFINITY, 0, 0));
        ASSERT_OK(tvgp_policy_ask(p, 11, 1, &q, NULL, &n));
        ck_assert_uint_eq(n, 1);
        ck_assert(harness_stat(p, "budget.left") == 0);
    }
}

/* ---- together with other features ------------------------------------------------------------------------------------- */

/* A slate pays for each item, and ends where the money does. */
TEST(budget_of_a_slate) {
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "");
    tvgp_query q[4];
    size_t n;
    ASSERT_OK(tvgp_policy_set_budget(p, 2.5, 10, 10));
    ASSERT_OK(tvgp_policy_set_costs(p, 1, &(double){1}));
    ASSERT_OK(tvgp_policy_ask_slate(p, 0, 4, q, NULL, &n));
    ck_assert_uint_eq(n, 2);
    ck_assert_double_eq_tol(harness_stat(p, "budget.left"), .5, 1e-12);
    ck_assert_int_eq(tvgp_policy_ask_slate(p, 1, 4, q, NULL, &n), TVGP_AGAIN);
    ck_assert_uint_eq(n, 0);
}

TEST(budget_of_candidates) {
    tvgp_policy *p = harness_policy("gp-ucb", harness_interval(), "");
    tvgp_query q;
    double x;
    ASSERT_OK(tvgp_policy_set_budget(p, 1, 10, 10));
    ASSERT_OK(tvgp_policy_set_costs(p, 1, &(double){.1}));
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, &x), TVGP_ERR_UNSUPPORTED);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "budget") && strstr(tvgp_ctx_errmsg(ctx), "box"));
    ASSERT_OK(tvgp_policy_set_candidates(p, 3, (double[]){.1, .5, .9}, NULL));
    ASSERT_OK(tvgp_policy_set_costs(p, 3, (double[]){2, .3, 2}));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, &x));
    ck_assert_int_eq(q.arm, 1);
    ASSERT_OK(tvgp_policy_set_candidates(p, 2, (double[]){.1, .5}, NULL));
    ck_assert_int_eq(tvgp_policy_ask_one(p, 1, &q, &x), TVGP_ERR_STATE);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "3 costs") != NULL);
}

/* A constraint and a budget: what both allow. */
TEST(budget_and_a_constraint) {
    tvgp_policy *p = harness_policy("tv-gp-ucb", harness_line(ARMS), ""),
                *model = harness_policy("tv-gp-ucb", harness_line(ARMS), "noise=.01");
    const double safe[] = {0.25, 0.5}, costs[ARMS] = {0, 5, 1, 0, 0};
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, -1));
    ASSERT_OK(tvgp_policy_set_safe(p, 2, safe));
    ASSERT_OK(tvgp_policy_set_budget(p, 2, 10, 10));
    ASSERT_OK(tvgp_policy_set_costs(p, ARMS, costs));
    ck_assert_int_eq(tvgp_policy_set_budget(model, 2, 10, 10), TVGP_ERR_STATE);
    ck_assert_int_eq(tvgp_policy_set_costs(model, ARMS, costs), TVGP_ERR_STATE);
    ck_assert_int_eq(tvgp_policy_set_cost_weight(model, 1), TVGP_ERR_STATE);
    tvgp_query q = harness_ask(p, 0);
    ck_assert_int_eq(q.arm, 2);
}

/* The incumbent pays too, and is not asked if it is not affordable. */
TEST(budget_and_an_incumbent) {
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "");
    ASSERT_OK(tvgp_policy_set_incumbent(p, &(double){0.5}, 0));
    ASSERT_OK(tvgp_policy_set_budget(p, 3, 10, 10));
    ASSERT_OK(tvgp_policy_set_costs(p, ARMS, (double[]){1, 1, 2, 1, 1}));
    tvgp_query q = harness_ask(p, 0);
    ck_assert_int_eq(q.arm, 2);
    ck_assert_double_eq_tol(harness_stat(p, "budget.left"), 1, 1e-12);
    ASSERT_OK(tvgp_policy_ask_one(p, 1, &q, NULL));
    ck_assert(q.arm != 2);
}

/* What is not affordable is not best. */
TEST(probability_within_a_budget) {
    double p[ARMS];
    tvgp_policy *policy = harness_policy("gp-ucb", harness_line(ARMS), "");
    ASSERT_OK(tvgp_policy_set_budget(policy, 1.5, 10, 10));
    ASSERT_OK(tvgp_policy_set_costs(policy, ARMS, (double[]){1, 2, 1, 2, 1}));
    ASSERT_OK(tvgp_policy_best_probability(policy, 0, ARMS, NULL, 300, p));
    ck_assert(p[1] == 0 && p[3] == 0 && p[0] > 0 && p[2] > 0);
    ck_assert(harness_stat(policy, "budget.spent") == 0);
}

/* ---- a cost weight ---------------------------------------------------------------------------------------------------- */

/* Scores 1, 1.6, 1.9 and costs 0, .5, 1: each weight has its arm, at any time, and the query's score has no cost in it. */
TEST_EACH(choices_follow_the_weight, 4) {
    static const double weight[] = {0, .5, .7, 1, 1.3, 0, 2}, score[] = {1, 1.6, 1.9}, x[] = {0, .5, 1};
    static const int64_t arm[] = {2, 2, 1, 1, 0, 2, 0};
    const int option = _i % 2, min = _i / 2; /* the first weight is an option's; large outcomes are good or small ones */
    tvgp_kernel *k = harness_se(1, 1, &(double){0.01});
    tvgp_policy *p = harness_create("gp-ucb", harness_arms(3, 1, x), k, "noise=0 width.schedule=constant width.value=0");
    ASSERT_OK(tvgp_policy_set(p, min ? "sense=min" : ""));
    ASSERT_OK(tvgp_policy_set(p, option ? "cost.weight=.7" : ""));
    ASSERT_OK(tvgp_policy_set_costs(p, 3, (double[]){0, .5, 1}));
    for (size_t i = 0; i < 3; i++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(0, min ? -score[i] : score[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x[i]));
    }
    if (option) {
        ck_assert_int_eq(harness_ask(p, 0).arm, 1);
        ck_assert_double_eq_tol(harness_stat(p, "cost.weight"), .7, 1e-15);
    }
    for (size_t i = 0; i < sizeof weight / sizeof *weight; i++) {
        ASSERT_OK(tvgp_policy_set_cost_weight(p, weight[i]));
        const tvgp_query q = harness_ask(p, (double)i);
        ck_assert_int_eq(q.arm, arm[i]);
        ck_assert_double_eq_tol(fabs(q.score), score[arm[i]], 1e-9);
        ck_assert_double_eq_tol(harness_stat(p, "cost.weight"), weight[i], 1e-15);
    }
}

/* Either a weight or a budget. */
TEST(weight_and_budget) {
    tvgp_query q;
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), ""),
                *optioned = harness_policy("gp-ucb", harness_line(ARMS), "cost.weight=1"),
                *random = harness_policy("random", harness_line(ARMS), "");
    ck_assert_int_eq(tvgp_policy_set_cost_weight(p, -1), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_set_cost_weight(p, INFINITY), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_policy_set_cost_weight(p, 1e200), TVGP_ERR_LIMIT);
    ck_assert_int_eq(tvgp_policy_set_cost_weight(random, 1), TVGP_ERR_UNSUPPORTED);
    ASSERT_OK(tvgp_policy_set_cost_weight(p, 1));
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, NULL), TVGP_ERR_STATE);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "weight") && strstr(tvgp_ctx_errmsg(ctx), "costs"));
    ASSERT_OK(tvgp_policy_set_costs(p, 1, &(double){.1}));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
    ck_assert_int_eq(tvgp_policy_set_budget(p, 1, 1, 1), TVGP_ERR_STATE);
    ASSERT_OK(tvgp_policy_set_cost_weight(p, 0));
    ASSERT_OK(tvgp_policy_set_budget(p, 1, 1, 1)); /* with the same costs */
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
    ck_assert_double_eq_tol(harness_stat(p, "budget.spent"), .1, 1e-12);
    ck_assert_int_eq(tvgp_policy_set_cost_weight(p, 1), TVGP_ERR_STATE);
    ASSERT_OK(tvgp_policy_set_budget(p, INFINITY, 1, 1));
    ASSERT_OK(tvgp_policy_set_cost_weight(p, 1));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
    ASSERT_OK(tvgp_policy_set_budget(optioned, 1, 1, 1));
    ASSERT_OK(tvgp_policy_set_costs(optioned, 1, &(double){.1}));
    ck_assert_int_eq(tvgp_policy_ask_one(optioned, 0, &q, NULL), TVGP_ERR_STATE);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "cost.weight") != NULL);
}

TEST(budget_refusals) {
    tvgp_query q;
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), ""),
                *random = harness_policy("random", harness_line(ARMS), "");
    ck_assert_int_eq(tvgp_policy_set_costs(random, 1, &(double){1}), TVGP_ERR_UNSUPPORTED);
    ck_assert_int_eq(tvgp_policy_charge(p, 1, 1), TVGP_ERR_STATE);
    ck_assert_int_eq(tvgp_policy_set_budget(p, 0, 1, 1), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_set_budget(p, 1, -1, 1), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_set_budget(p, 1, 1, 0), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_set_budget(p, NAN, 1, 1), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_policy_set_budget(p, 1, 1e200, 1), TVGP_ERR_LIMIT);
    ck_assert_int_eq(tvgp_policy_set_budget(random, 1, 1, 1), TVGP_ERR_UNSUPPORTED);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "random") && strstr(tvgp_ctx_errmsg(ctx), "budget"));
    ASSERT_OK(tvgp_policy_set_budget(p, 1, 1, 1));
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, NULL), TVGP_ERR_STATE);
    ck_assert_int_eq(tvgp_policy_set_costs(p, 2, (double[]){1, 1}), TVGP_ERR_DIM);
    ck_assert_int_eq(tvgp_policy_set_costs(p, 1, &(double){-1}), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_set_costs(p, 1, &(double){INFINITY}), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_policy_set_costs(p, 1, &(double){1e200}), TVGP_ERR_LIMIT);
    ASSERT_OK(tvgp_policy_set_costs(p, 1, &(double){.1}));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
    ck_assert_int_eq(tvgp_policy_charge(p, q.id, -1), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_charge(p, q.id, NAN), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_policy_charge(p, q.id, 1e200), TVGP_ERR_LIMIT);
    ck_assert_int_eq(tvgp_policy_charge(p, q.id + 1, 1), TVGP_ERR_TICKET);
    ASSERT_OK(tvgp_policy_charge(p, q.id, .2));
    ck_assert_int_eq(tvgp_policy_charge(p, q.id, .2), TVGP_ERR_TICKET);
}

HARNESS_MAIN("budget")
