/* SPDX-License-Identifier: MIT */
/* Payoffs: choices, scores, the best action and its probability follow payoff x rate, by hand; the posterior is of the rate. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ARMS = 4, MOST_BYTES = 1 << 18 };
static const double payoff[ARMS] = {9, 11, 14, 19};

static const char *const texts[] = {
    "gp-ucb indices=4 se=1 outcome.type=binomial",
    "gp-ucb indices=4 se=1 outcome.type=poisson",
    "tv-gp-ucb grid=9:19:4 se=4 outcome.type=binomial",
    "auto-gp-ucb indices=4 outcome.type=binomial",
    "auto-gp-ucb grid=9:19:4 outcome.type=poisson",
    "bkb grid=9:19:4 se=4 outcome.type=binomial",
    "mle-gp-ucb grid=9:19:4 se=4 outcome.type=binomial",
    "gp-ucb indices=4 se=1 outcome.type=binomial choice=thompson",
    "gp-ucb indices=4 se=1 outcome.type=poisson sense=min",
    "auto-gp-ucb indices=4 outcome.type=binomial pending.timeout=3 pending.timeout_value=0",
    "auto-gp-ucb indices=4 outcome.type=binomial switch.cost=.01",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static tvgp_query step(tvgp_policy *policy, int k, int report) {
    tvgp_query q;
    double x[2];
    ck_assert_msg(tvgp_policy_ask_one(policy, k, &q, x) == TVGP_OK, "%s", tvgp_ctx_errmsg(ctx));
    const tvgp_obs o = tvgp_obs_count(q.id, (double)(k % (int)(q.arm + 2)), 10);
    if (report)
        ASSERT_OK(tvgp_policy_tell(policy, 1, &o, NULL));
    return q;
}

static void play(tvgp_policy *policy, int from, int to) {
    for (int k = from; k < to; k++)
        step(policy, k, k % 3 != 2);
}

/* With payoffs of 1 everything is as without; equal payoffs scale the scores. */
TEST_EACH(equal_payoffs, TEXTS) {
    tvgp_policy *plain = harness_described(texts[_i]), *one = harness_described(texts[_i]),
                *two = harness_described(texts[_i]);
    ASSERT_OK(tvgp_policy_set_payoffs(one, ARMS, (const double[]){1, 1, 1, 1}));
    ASSERT_OK(tvgp_policy_set_payoffs(two, ARMS, (const double[]){2, 2, 2, 2}));
    const int costs = strstr(texts[_i], "switch.cost") != NULL;
    for (int k = 0; k < 20; k++) {
        const tvgp_query a = step(plain, k, 1), b = step(one, k, 1), c = step(costs ? one : two, k + costs, !costs);
        ck_assert_msg(a.arm == b.arm || costs, "%s: step %d", texts[_i], k);
        if (costs)
            break;
        ck_assert_msg(a.arm == c.arm, "%s: step %d", texts[_i], k);
        ck_assert_double_eq_tol(b.score, a.score, 1e-9 * fabs(a.score));
        ck_assert_double_eq_tol(c.score, 2 * a.score, 2e-9 * fabs(a.score));
    }
}

/* The scores are payoffs times those without, the choice is the highest, the best is of payoff x rate. */
TEST_EACH(scores_by_hand, TEXTS) {
    const int thompson = strstr(texts[_i], "thompson") != NULL, least = strstr(texts[_i], "sense=min") != NULL;
    tvgp_policy *policy = harness_described(texts[_i]);
    double rate[ARMS], paid[ARMS], mean[ARMS], x[2];
    int64_t best;
    play(policy, 0, 12);
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_clone, policy);
    ASSERT_OK(tvgp_policy_set_payoffs(policy, ARMS, payoff));
    const tvgp_prediction of_rate = {.struct_size = sizeof of_rate, .score = rate, .mean = mean},
                          of_paid = {.struct_size = sizeof of_paid, .score = paid};
    ASSERT_OK(tvgp_policy_evaluate(twin, 20, ARMS, NULL, &of_rate));
    ASSERT_OK(tvgp_policy_evaluate(policy, 20, ARMS, NULL, &of_paid));
    size_t highest = 0;
    for (size_t i = 0; i < ARMS; i++) {
        ck_assert_double_eq_tol(paid[i], payoff[i] * rate[i], 1e-9 * fabs(paid[i]));
        highest = least ? (paid[i] < paid[highest] ? i : highest) : paid[i] > paid[highest] ? i : highest;
    }
    const tvgp_query q = step(policy, 20, 0);
    ck_assert_msg(strstr(texts[_i], "switch.cost") || q.arm == (int64_t)highest, "%s: %lld, not %zu", texts[_i],
                  (long long)q.arm, highest);
    ck_assert_double_eq_tol(q.score, paid[q.arm], 1e-9 * fabs(q.score));
    ASSERT_OK(tvgp_policy_best(policy, 21, &best, x));
    ASSERT_OK(tvgp_policy_predict(policy, 21, ARMS, NULL, mean, paid));
    if (!thompson && !least)
        for (size_t i = 0; i < ARMS; i++) /* nearly: the best is by medians */
            ck_assert_msg(payoff[best] * mean[best] > .5 * payoff[i] * mean[i], "%s", texts[_i]);
    tvgp_query open[8];
    size_t n;
    ASSERT_OK(tvgp_policy_set_payoffs(policy, 0, NULL));
    ASSERT_OK(tvgp_policy_pending(policy, 8, open, NULL, &n));
    ck_assert_mem_eq(&open[n - 1], &q, sizeof q); /* the payoff of its ask */
}

/* Draws of rates are multiplied: the share of an arm rises with its payoff, from about none to all. */
TEST(shares) {
    tvgp_policy *policy = harness_described("auto-gp-ucb indices=4 outcome.type=binomial");
    double p[ARMS], before = 0;
    play(policy, 0, 30);
    for (int k = 0; k < 5; k++) {
        const double high = pow(100, k - 2), now[ARMS] = {high, 1, 1, 1};
        ASSERT_OK(tvgp_policy_set_payoffs(policy, ARMS, now));
        ck_assert_int_ge(tvgp_policy_best_probability(policy, 30, ARMS, NULL, 256, p), 0);
        ck_assert(p[0] >= before && fabs(p[0] + p[1] + p[2] + p[3] - 1) < 1e-12);
        before = p[0];
    }
    ck_assert(before > .9);
}

/* Ask, tell, payoffs in text; a snapshot in between. */
static void replay(tvgp_policy *policy, int64_t n, tvgp_event e, const double *x) {
    char line[400];
    double read[ARMS];
    size_t needed, n_x;
    e.n = n;
    ASSERT_OK(tvgp_event_format(ctx, &e, (size_t)e.size, x, sizeof line, line, &needed));
    ASSERT_OK(tvgp_event_parse(ctx, line, ARMS, &e, read, &n_x));
    ck_assert_msg(tvgp_policy_apply(policy, 1, &e, n_x, n_x ? read : NULL) == TVGP_OK, "%s", tvgp_ctx_errmsg(ctx));
}

TEST_EACH(replays, TEXTS) {
    tvgp_policy *policy = harness_described(texts[_i]), *twin = harness_described(texts[_i]);
    int64_t n = 0;
    for (int k = 0; k < 20; k++) {
        if (k % 6 == 2) {
            const double now[ARMS] = {9 + k, 11, 14, 19};
            const size_t size = k == 14 ? 0 : ARMS;
            ASSERT_OK(tvgp_policy_set_payoffs(policy, size, now));
            replay(twin, ++n, (tvgp_event){.kind = TVGP_EVENT_PAYOFFS, .size = (int64_t)size}, now);
        }
        const tvgp_query q = step(policy, k, 0);
        replay(twin, ++n, (tvgp_event){.kind = TVGP_EVENT_ASK, .id = q.id, .arm = q.arm, .t = k}, NULL);
        if (k % 3 != 2) {
            const tvgp_obs o = tvgp_obs_count(q.id, k % 2, 10);
            ASSERT_OK(tvgp_policy_tell(policy, 1, &o, NULL));
            replay(twin, ++n,
                   (tvgp_event){.kind = TVGP_EVENT_TELL, .id = o.id, .flags = o.flags, .y = o.y, .exposure = o.exposure},
                   NULL);
        }
        ASSERT_SAME_STATE(policy, twin, "%s: step %d", texts[_i], k);
        if (k % 7 == 6) {
            const struct saved state = harness_saved(twin, 0);
            twin = harness_described(texts[_i]);
            ASSERT_OK(tvgp_policy_load(twin, state.n, state.bytes));
        }
    }
}

TEST(described_and_extended) {
    const char *text = "auto-gp-ucb names=a,b payoffs=3,4.5 outcome.type=binomial";
    const double more[] = {2, 'c'};
    const tvgp_event e = {.n = 1, .kind = TVGP_EVENT_EXTEND, .arm = 1, .outputs = 1, .size = 2};
    char after[120];
    size_t needed;
    tvgp_policy *policy = harness_described(text), *twin = harness_described("auto-gp-ucb names=a,b outcome.type=binomial");
    ASSERT_OK(tvgp_policy_set_payoffs(twin, 2, (const double[]){3, 4.5}));
    play(policy, 0, 9);
    play(twin, 0, 9);
    ASSERT_SAME_STATE(policy, twin, "%s", text);
    ASSERT_OK(tvgp_policy_apply(policy, 1, &e, 2, more));
    ASSERT_OK(tvgp_event_describe(ctx, text, &e, 2, more, sizeof after, after, &needed));
    ck_assert_str_eq(after, "auto-gp-ucb names=a,b,c payoffs=3,4.5,1 outcome.type=binomial");
    play(policy, 9, 12);
    twin = harness_described(after);
    const struct saved state = harness_saved(policy, 0);
    ASSERT_OK(tvgp_policy_load(twin, state.n, state.bytes));
    ck_assert_int_eq(step(twin, 12, 1).arm, step(policy, 12, 1).arm);
    ASSERT_OK(tvgp_policy_set_payoffs(policy, 3, payoff));
    policy = harness_described("gp-ucb indices=2 contexts=3 se=1 outcome.type=poisson payoffs=1,100"); /* of actions */
    for (int k = 0; k < 3; k++) {
        ASSERT_OK(tvgp_policy_set_context(policy, k));
        ck_assert_int_eq(step(policy, k, 0).arm, 3 + k);
    }
}

TEST(refused) {
    tvgp_policy *policy = harness_described(texts[0]), *normal = harness_described("gp-ucb indices=4 se=1"), *random, *box;
    tvgp_query q;
    random = harness_described("random indices=4 outcome.type=binomial");
    box = harness_described("gp-ucb box=0:1 se=.3 outcome.type=binomial");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_payoffs(normal, ARMS, payoff), "normal", "counts");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_payoffs(random, ARMS, payoff), "random", "score");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_payoffs(box, ARMS, payoff), "payoffs", "box");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_set_payoffs(policy, 3, payoff), "n = 3", "4");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_payoffs(policy, ARMS, NULL), "payoffs");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_payoffs(policy, ARMS, (const double[]){1, 0, 1, 1}), "payoffs[1] = 0");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_payoffs(policy, ARMS, (const double[]){1, NAN, 1, 1}), "payoffs[1]");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_payoffs(policy, ARMS, (const double[]){1, 1e200, 1, 1}), "payoffs[1]");
    memory.fail_in = 1;
    ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_policy_set_payoffs(policy, ARMS, payoff), "memory");
    memory.fail_in = 2;
    ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_policy_set_payoffs(policy, ARMS, payoff), "memory");
    memory.fail_in = 0;
    ASSERT_OK(tvgp_policy_set_payoffs(policy, ARMS, payoff));
    ASSERT_OK(tvgp_policy_set_str(policy, "outcome.type", "normal"));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(policy, 0, &q, NULL), "normal", "counts");
    tvgp_policy *none = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, "indices=2 outcome.type=poisson payoffs=1,x", &none),
                 "payoffs=1,x");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_create_described(ctx, "indices=2 outcome.type=poisson payoffs=1", &none),
                 "n = 1");
    ck_assert(harness_stat(policy, "asked") == 0);
    tvgp_policy *model = harness_described("gp-ucb indices=4 se=1 outcome.type=poisson");
    tvgp_policy *limited = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", MAKE_DOMAIN(tvgp_policy_domain, model), NULL);
    ASSERT_OK(tvgp_policy_add_constraint(limited, model, TVGP_AT_MOST, 3));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_payoffs(model, ARMS, payoff), "model");
}

HARNESS_MAIN("payoffs")
