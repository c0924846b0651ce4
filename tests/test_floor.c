/* SPDX-License-Identifier: MIT */
/* The exploration floor and the holdout share: propensities by hand, frequencies, other features, restarts. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { ARMS = 5 };

/* Arm 2 looks best from here on. */
static void prefer_2(tvgp_policy *p) {
    const double x[] = {0, 0.25, 0.5, 0.75, 1}, y[] = {-3, -3, 3, -3, -3};
    for (size_t i = 0; i < ARMS; i++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(1, y[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x[i]));
    }
}

static double share_of(double floor, double m, double holdout, int is_incumbent, double own) {
    return floor / m + holdout * is_incumbent + (1 - floor - holdout) * own;
}

/* f = .06, arms 0, 2, 3 of 5, choice 2: .02, .96, .02; frequencies, and inverse propensities that sum to the number of asks. */
TEST(propensities_are_frequencies) {
    enum { ASKS = 10000 };
    static const uint8_t mask[ARMS] = {1, 0, 1, 1, 0};
    static const double expected[ARMS] = {.02, 0, .96, .02, 0};
    double count[ARMS] = {0}, inverse[ARMS] = {0}, chi = 0;
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.06 noise=.01 seed=5");
    prefer_2(p);
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    for (int i = 0; i < ASKS; i++) {
        const tvgp_query q = harness_ask(p, 2);
        ck_assert_double_eq_tol(q.propensity, expected[q.arm], 1e-12);
        count[q.arm]++;
        inverse[q.arm] += 1 / q.propensity;
        const tvgp_obs obs = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    }
    for (int a = 0; a < ARMS; a++) {
        ck_assert((expected[a] > 0) == (count[a] > 0));
        if (!(expected[a] > 0))
            continue;
        chi += pow(count[a] - ASKS * expected[a], 2) / (ASKS * expected[a]);
        ck_assert(fabs(inverse[a] - ASKS) <= 4 * sqrt(ASKS * (1 / expected[a] - 1)));
    }
    ck_assert_msg(chi < 13.8, "chi-square %.3f of 2 degrees of freedom", chi); /* 99.9 % */
    ck_assert(harness_stat(p, "exploration.asked") > 0.05 * ASKS && harness_stat(p, "exploration.asked") < 0.07 * ASKS);
    ck_assert(harness_stat(p, "holdout.asked") == 0);
}

/* Draws of Thompson sampling: for each arm the inverse propensities sum to about the number of asks. */
TEST(propensities_of_draws) {
    enum { ASKS = 3000 };
    double sum[ARMS] = {0}, square[ARMS] = {0};
    tvgp_policy *p =
        harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.2 choice=thompson propensity.draws=64 noise=.5");
    for (int i = 0; i < ASKS; i++) {
        const tvgp_query q = harness_ask(p, i);
        ck_assert(q.propensity >= 0.2 / ARMS - 1e-12 && q.propensity <= 1);
        sum[q.arm] += 1 / q.propensity;
        square[q.arm] += (1 / q.propensity) * (1 / q.propensity - 1);
        const tvgp_obs obs = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    }
    for (int a = 0; a < ARMS; a++)
        ck_assert_msg(fabs(sum[a] - ASKS) <= 4 * sqrt(square[a]), "arm %d: %.0f of %d", a, sum[a], ASKS);
}

/* Random play stays uniform, and its propensity is that of both. */
TEST(random_play_with_a_floor) {
    tvgp_policy *p = harness_policy("random", harness_line(ARMS), "exploration.floor=.5");
    for (int i = 0; i < 50; i++)
        ck_assert_double_eq_tol(harness_ask(p, i).propensity, 1. / ARMS, 1e-12);
}

static void set_incumbent(tvgp_policy *p, double x, double max_loss_share) {
    ASSERT_OK(tvgp_policy_set_incumbent(p, &x, max_loss_share));
}

/* A holdout with an incumbent that holds nothing back. */
TEST(holdout_is_a_share) {
    enum { ASKS = 4000 };
    double count[ARMS] = {0};
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.1 holdout.share=.2 noise=.01");
    set_incumbent(p, 0.75, INFINITY);
    prefer_2(p);
    for (int i = 0; i < ASKS; i++) {
        const tvgp_query q = harness_ask(p, 2);
        ck_assert_double_eq_tol(q.propensity, share_of(.1, ARMS, .2, q.arm == 3, q.arm == 2), 1e-12);
        count[q.arm]++;
        const tvgp_obs obs = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    }
    ck_assert(fabs(count[3] - .22 * ASKS) < 4 * sqrt(.22 * .78 * ASKS));
    ck_assert(fabs(count[2] - .72 * ASKS) < 4 * sqrt(.72 * .28 * ASKS));
    ck_assert(fabs(harness_stat(p, "holdout.asked") - .2 * ASKS) < 4 * sqrt(.2 * .8 * ASKS));
}

/* Later items of a slate do not hold the incumbent out again: over the arms that are left their propensities sum to 1. */
TEST(holdout_is_once_in_a_slate) {
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.1 holdout.share=.2 noise=.01");
    size_t before = 0, after = 0;
    set_incumbent(p, 0.75, INFINITY);
    prefer_2(p);
    for (int i = 0; i < 200; i++) {
        tvgp_query q[ARMS];
        size_t n, at = ARMS; /* of the incumbent */
        ASSERT_OK(tvgp_policy_ask_slate(p, 2, ARMS, q, NULL, &n));
        ck_assert_uint_eq(n, ARMS);
        for (size_t k = 0; k < n; k++) {
            const double m = (double)(ARMS - k), held = k <= at && at == ARMS ? .2 : 0, drawn = .1 / m;
            const int incumbent = q[k].arm == 3;
            const double other = drawn + held * incumbent, own = other + 1 - .1 - held;
            ck_assert_msg(fabs(q[k].propensity - other) < 1e-12 || fabs(q[k].propensity - own) < 1e-12,
                          "item %zu, arm %d: propensity %g, expected %g or %g", k, (int)q[k].arm, q[k].propensity, other,
                          own);
            before += held > 0, after += !(held > 0);
            at = incumbent ? k : at;
            const tvgp_obs obs = tvgp_obs_outcome(q[k].id, TVGP_SKIPPED);
            ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        }
    }
    ck_assert(before > 100 && after > 100);
}

/* The score of a candidate that was drawn belongs to the candidate, with its prior mean. */
TEST(scores_of_draws) {
    const double X[] = {0.1, 0.4, 0.6, 0.9}, prior[] = {.5, -.25, 2, 1};
    tvgp_policy *p = harness_policy("tv-gp-ucb", harness_interval(),
                                    "exploration.floor=.8 noise=.1 width.schedule=constant width.value=1.5");
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &(double){.7}));
    ASSERT_OK(tvgp_policy_set_candidates(p, 4, X, prior));
    for (int i = 0; i < 40; i++) {
        double x, score;
        tvgp_policy *twin = MAKE_POLICY(tvgp_policy_clone, p);
        tvgp_query q = harness_ask_at(p, i, &x);
        ASSERT_OK(harness_scores(twin, i, 1, &x, &score, NULL, NULL));
        ASSERT_NEAR(q.score, prior[q.arm] + score, 1e-9);
        tvgp_policy_destroy(twin);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, x));
    }
    ck_assert_double_gt(harness_stat(p, "exploration.asked"), 20);
}

/* The conservative mode refuses every arm except its own: the incumbent's propensity is 1. */
TEST(conservative_mode_refuses_draws) {
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.3 holdout.share=.1 noise=.01");
    set_incumbent(p, 0.5, 0);
    prefer_2(p);
    for (int i = 0; i < 100; i++) {
        const tvgp_query q = harness_ask(p, 2);
        ck_assert_int_eq(q.arm, 2);
        ck_assert_double_eq_tol(q.propensity, 1, 1e-12);
    }
}

/* Arms 3 and 4 are refused unless own choices gained enough: the incumbent, arm 0, has their share then. */
TEST(conservative_mode_refuses_some_draws) {
    enum { ASKS = 1500 };
    const double x[] = {0, 0.25, 0.5, 0.75, 1}, y[] = {1, 1.2, 1.1, -5, -5};
    double inverse[ARMS] = {0}, square[ARMS] = {0}, least = 1, most = 0;
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS),
                                    "exploration.floor=.5 noise=.0001 width.schedule=constant width.value=1");
    set_incumbent(p, 0, 0.2);
    for (size_t i = 0; i < ARMS; i++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(1, y[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x[i]));
    }
    for (int i = 0; i < ASKS; i++) {
        const tvgp_query q = harness_ask(p, 1);
        inverse[q.arm] += 1 / q.propensity;
        square[q.arm] += (1 / q.propensity) * (1 / q.propensity - 1);
        least = q.arm == 0 ? fmin(least, q.propensity) : least;
        most = q.arm == 0 ? fmax(most, q.propensity) : most;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y[q.arm]));
    }
    for (int a = 0; a < 3; a++)
        ck_assert_msg(fabs(inverse[a] - ASKS) <= 4 * sqrt(square[a]), "arm %d: %.0f of %d", a, inverse[a], ASKS);
    ck_assert_double_eq_tol(least, .1, 1e-12);
    ck_assert_double_eq_tol(most, .3, 1e-12);
}

/* Candidates, slates, numbered contexts: m counts what may be asked. */
TEST(floor_counts_what_may_be_asked) {
    const double X[] = {0.1, 0.4, 0.6, 0.9};
    tvgp_policy *p = harness_policy("tv-gp-ucb", harness_interval(), "exploration.floor=.4 noise=.1");
    tvgp_query q[4];
    size_t n;
    double x[4];
    ck_assert_int_eq(tvgp_policy_ask(p, 0, 1, q, x, &n), TVGP_ERR_UNSUPPORTED);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "exploration.floor") && strstr(tvgp_ctx_errmsg(ctx), "box"));
    ASSERT_OK(tvgp_policy_set_candidates(p, 4, X, NULL));
    for (int i = 0; i < 40; i++) {
        ASSERT_OK(tvgp_policy_ask(p, i, 1, q, x, &n));
        ck_assert(fabs(q->propensity - .1) < 1e-12 || fabs(q->propensity - .7) < 1e-12);
        ck_assert(x[0] == X[q->arm]);
        ASSERT_OK(tvgp_policy_tell_value(p, q->id, x[0]));
    }
    for (int i = 40; i < 60; i++) {
        ASSERT_OK(tvgp_policy_ask_slate(p, i, 4, q, x, &n));
        ck_assert_uint_eq(n, 4);
        for (int k = 0; k < 4; k++) {
            const double low = .4 / (4 - k);
            ck_assert(fabs(q[k].propensity - low) < 1e-12 || fabs(q[k].propensity - low - .6) < 1e-12);
        }
    }
}

/* Costs of moving do not count in a draw: arms far away are asked as often. */
TEST(floor_ignores_costs_of_moving) {
    double count[ARMS] = {0};
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.5 switch.cost=100 noise=.1");
    for (int i = 0; i < 500; i++)
        count[harness_ask(p, i).arm]++;
    for (int a = 0; a < ARMS; a++)
        ck_assert(count[a] > 20);
}

TEST(floor_refusals) {
    tvgp_query q;
    tvgp_policy *p = harness_policy("gp-ucb", harness_line(ARMS), "exploration.floor=.6 holdout.share=.5");
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, NULL), TVGP_ERR_OPTION);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "exploration.floor") && strstr(tvgp_ctx_errmsg(ctx), "holdout.share"));
    p = harness_policy("gp-ucb", harness_line(ARMS), "holdout.share=.5");
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, NULL), TVGP_ERR_STATE);
    ck_assert(strstr(tvgp_ctx_errmsg(ctx), "holdout.share") && strstr(tvgp_ctx_errmsg(ctx), "incumbent"));
    set_incumbent(p, 0.5, INFINITY);
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
    p = harness_policy("gp-ucb", harness_line(ARMS), "");
    ck_assert_int_eq(tvgp_policy_set(p, "exploration.floor=1.1"), TVGP_ERR_OPTION);
    ck_assert_int_eq(tvgp_policy_set(p, "holdout.share=1"), TVGP_ERR_OPTION);
}

HARNESS_MAIN("floor")
