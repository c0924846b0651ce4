/* SPDX-License-Identifier: MIT */
/* Shares of traffic, assignment, estimates of value: numbers of an independent dense computation, and frequencies. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { ARMS = 6 };

/* World G: six arms on a line, four of them observed at t = 1 .. 4; now is 5. */
static tvgp_policy *world(const char *options) {
    static const double observed[] = {0, 1, 0.4, 0.6}, y[] = {0.3, -0.2, 0.8, 0.5};
    tvgp_domain *line = harness_grid(1, &(double){0}, &(double){1}, &(size_t){ARMS});
    tvgp_kernel *se = harness_se(1, 1, &(double){0.3});
    tvgp_policy *p = harness_create("tv-gp-ucb", line, se, "epsilon=.03 noise=.01 rank.tolerance=0");
    ASSERT_OK(tvgp_policy_set(p, options));
    for (size_t i = 0; i < 4; i++) {
        double x;
        ASSERT_OK(tvgp_domain_point(line, (int64_t)lround(5 * observed[i]), &x));
        const tvgp_obs obs = tvgp_obs_unsolicited((double)i + 1, y[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    }
    return p;
}

/* ---- probabilities ------------------------------------------------------------------------------------------------- */

static const double best[ARMS] = {.053083, .279025, .558965, .090879, .016027, .002022};

static void assert_probable(const double *p, const double *expected, double draws) {
    for (size_t i = 0; i < ARMS; i++)
        ck_assert_msg(fabs(p[i] - expected[i]) <= 4 * sqrt(expected[i] * (1 - expected[i]) / draws) + 1e-12,
                      "arm %zu: %.6f, expected %.6f", i, p[i], expected[i]);
}

TEST(probability_is_the_dense_one) {
    static const double mean[ARMS] = {.3039487, .6357149, .7631583, .4938828, .0638998, -.1881994},
                        sd[ARMS] = {.3496378, .3677400, .2544461, .1983571, .3126627, .3071209};
    enum { DRAWS = 200000 };
    double m[ARMS], var[ARMS], p[ARMS], again[ARMS], sum = 0;
    tvgp_policy *policy = world("");
    ASSERT_OK(tvgp_policy_predict(policy, 5, ARMS, NULL, m, var));
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(m[i], mean[i], 1e-7);
        ASSERT_NEAR(sqrt(var[i]), sd[i], 1e-7);
    }
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, ARMS, NULL, DRAWS, p));
    assert_probable(p, best, DRAWS);
    for (size_t i = 0; i < ARMS; i++)
        sum += p[i];
    ASSERT_NEAR(sum, 1, 1e-12);
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, ARMS, NULL, DRAWS, again));
    ck_assert_mem_eq(p, again, sizeof p);
}

/* The probabilities of a minimum are those of the maximum of the negative function. */
TEST(probability_of_a_minimum) {
    enum { DRAWS = 100000 };
    static const double y[] = {-0.3, 0.2, -0.8, -0.5}, x[] = {0, 1, 0.4, 0.6};
    double p[ARMS];
    tvgp_domain *line = harness_grid(1, &(double){0}, &(double){1}, &(size_t){ARMS});
    tvgp_kernel *se = harness_se(1, 1, &(double){0.3});
    tvgp_policy *policy = harness_create("tv-gp-ucb", line, se, "epsilon=.03 noise=.01 sense=min");
    for (size_t i = 0; i < 4; i++) {
        double at;
        ASSERT_OK(tvgp_domain_point(line, (int64_t)lround(5 * x[i]), &at));
        const tvgp_obs obs = tvgp_obs_unsolicited((double)i + 1, y[i]);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, &at));
    }
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, ARMS, NULL, DRAWS, p));
    assert_probable(p, best, DRAWS);
}

/* What an ask would not consider has probability 0; a list of points is a world of its own. */
TEST(probability_of_masked_arms_is_0) {
    enum { DRAWS = 20000 };
    static const uint8_t mask[ARMS] = {1, 1, 0, 1, 1, 1};
    static const size_t listed[] = {0, 1, 3, 4, 5};
    double p[ARMS], of_points[5], X[5];
    tvgp_policy *policy = world("");
    tvgp_domain *line = MAKE_DOMAIN(tvgp_policy_domain, policy);
    for (size_t i = 0; i < 5; i++)
        ASSERT_OK(tvgp_domain_point(line, (int64_t)listed[i], &X[i]));
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, 5, X, DRAWS, of_points));
    ASSERT_OK(tvgp_policy_set_available(policy, ARMS, mask));
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, ARMS, NULL, DRAWS, p));
    ck_assert(p[2] == 0);
    for (size_t i = 0; i < 5; i++)
        ck_assert(of_points[i] == p[listed[i]]);
}

/* Candidates of a box that are the arms have their probabilities. */
TEST(probability_of_candidates) {
    enum { DRAWS = 50000 };
    static const double X[ARMS] = {0, 0.2, 0.4, 0.6, 0.8, 1}, observed[] = {0, 1, 0.4, 0.6}, y[] = {0.3, -0.2, 0.8, 0.5};
    double p[ARMS], of_points[ARMS];
    tvgp_domain *box = harness_box(1, &(double){0}, &(double){1});
    tvgp_policy *policy = harness_create("tv-gp-ucb", box, harness_se(1, 1, &(double){0.3}), "epsilon=.03 noise=.01");
    for (size_t i = 0; i < 4; i++) {
        const tvgp_obs obs = tvgp_obs_unsolicited((double)i + 1, y[i]);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, &observed[i]));
    }
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 5, ARMS, NULL, DRAWS, p), TVGP_ERR_UNSUPPORTED);
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, ARMS, X, DRAWS, of_points));
    ASSERT_OK(tvgp_policy_set_candidates(policy, ARMS, X, NULL));
    ASSERT_OK(tvgp_policy_best_probability(policy, 5, ARMS, NULL, DRAWS, p));
    assert_probable(p, best, DRAWS);
    ck_assert_mem_eq(p, of_points, sizeof p);
}

/* It changes nothing: the policy goes on as its twin, also while queries are pending, which do not count. */
TEST(probability_changes_nothing) {
    double p[ARMS], before[ARMS];
    tvgp_policy *a = world(""), *b = world("");
    for (int i = 0; i < 5; i++) {
        const double t = 5 + i;
        ASSERT_OK(tvgp_policy_best_probability(a, t, ARMS, NULL, 500, before));
        const tvgp_query q = harness_ask(a, t), r = harness_ask(b, t);
        ck_assert_mem_eq(&q, &r, sizeof q);
        if (i == 0) {
            ASSERT_OK(tvgp_policy_best_probability(a, t, ARMS, NULL, 50000, p));
            assert_probable(p, best, 50000);
        }
        ASSERT_OK(tvgp_policy_tell_value(a, q.id, 0.1 * i));
        ASSERT_OK(tvgp_policy_tell_value(b, r.id, 0.1 * i));
    }
}

/* Every policy gives numbers, or says that it cannot. */
TEST_EACH(probability_of_every_policy, harness_policies()) {
    double p[ARMS], sum = 0;
    tvgp_domain *line = harness_grid(1, &(double){0}, &(double){1}, &(size_t){ARMS});
    tvgp_kernel *se = harness_se(1, 1, &(double){0.3});
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, harness_policy_at(_i), line, se);
    for (int i = 0; i < 10; i++) {
        const tvgp_query q = harness_ask(policy, i);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin(3. * (double)q.arm)));
    }
    const tvgp_status status = tvgp_policy_best_probability(policy, 10, ARMS, NULL, 200, p);
    for (size_t i = 0; status == TVGP_OK && i < ARMS; i++)
        sum += p[i];
    if (status == TVGP_OK)
        ASSERT_NEAR(sum, 1, 1e-12);
    else
        ck_assert_msg(status == TVGP_ERR_UNSUPPORTED, "%s: %s", harness_policy_at(_i), tvgp_ctx_errmsg(ctx));
}

TEST(probability_refusals) {
    double p[ARMS];
    tvgp_policy *policy = world("");
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 5, ARMS, NULL, 0, p), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 5, ARMS - 1, NULL, 10, p), TVGP_ERR_DIM);
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 5, ARMS, NULL, 10, NULL), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 1, ARMS, NULL, 10, p), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 5, 1, &(double){0.31}, 10, p), TVGP_ERR_NOTFOUND);
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 5, ARMS, NULL, 1 << 25, p), TVGP_ERR_LIMIT);
}

/* ---- shares ---------------------------------------------------------------------------------------------------------- */

TEST(shares_are_powers) {
    static const double two[ARMS] = {.007016, .193845, .777926, .020563, .000640, .000010};
    double share[ARMS], sum = 0;
    ASSERT_OK(tvgp_shares(ARMS, best, 2, 0, share));
    for (size_t i = 0; i < ARMS; i++)
        ck_assert_double_eq_tol(share[i], two[i], 1e-6);
    ASSERT_OK(tvgp_shares(ARMS, best, 1, 0.3, share));
    for (size_t i = 0; i < ARMS; i++) {
        ck_assert_double_eq_tol(share[i], 0.7 * best[i] + 0.05, 1e-6);
        sum += share[i];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
    ASSERT_OK(tvgp_shares(2, (const double[]){1e-300, 2e-300}, 100, 0, share));
    ck_assert_double_eq_tol(share[1], 1, 1e-12);
    double same[2] = {3, 1};
    ASSERT_OK(tvgp_shares(2, same, 1, 0, same));
    ck_assert(same[0] == 0.75 && same[1] == 0.25);
}

TEST(users_keep_their_arms) {
    static const double share[] = {.5, .3, .2, 0}, fraction[] = {.49940, .29585, .20475, 0};
    static const int64_t first[] = {0, 1, 1, 2, 2, 0, 0, 0, 0, 2, 1, 0};
    enum { USERS = 20000 };
    int64_t arm, other;
    double count[4] = {0}, moved = 0;
    for (uint64_t key = 0; key < USERS; key++) {
        ASSERT_OK(tvgp_assign(4, share, 7, key, &arm));
        count[arm]++;
        if (key >= 1 && key <= 12)
            ck_assert_int_eq(arm, first[key - 1]);
        ASSERT_OK(tvgp_assign(4, (const double[]){.5, .2, .3, 0}, 7, key, &other));
        moved += arm != other;
        ck_assert(arm == other || other == 2 || arm == 1); /* only users of an arm that lost or towards one that won */
    }
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq_tol(count[i], fraction[i] * USERS, 1e-6);
    ck_assert(moved < 0.15 * USERS);
}

TEST(share_refusals) {
    double share[2] = {5, 5};
    int64_t arm = -3;
    const double good[] = {.5, .5}, zero[] = {0, 0}, negative[] = {1, -.1}, nan[] = {1, NAN}, inf[] = {1, INFINITY};
    ck_assert_int_eq(tvgp_shares(0, good, 1, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, NULL, 1, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, good, 1, 0, NULL), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, good, 0.05, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, good, 101, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, good, NAN, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, good, 1, 1.1, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, zero, 1, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, negative, 1, 0, share), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_shares(2, nan, 1, 0, share), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_shares(2, inf, 1, 0, share), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_assign(0, good, 1, 1, &arm), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_assign(2, zero, 1, 1, &arm), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_assign(2, negative, 1, 1, &arm), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_assign(2, nan, 1, 1, &arm), TVGP_ERR_NONFINITE);
    ck_assert_int_eq(tvgp_assign(2, good, 1, 1, NULL), TVGP_ERR_ARG);
    ck_assert(share[0] == 5 && share[1] == 5 && arm == -3);
}

/* ---- estimates --------------------------------------------------------------------------------------------------------- */

enum { RECORDS = 8, CHOICES = 3 };
static const double at[RECORDS] = {0, 1, 2, 3, 5, 6, 7, 8}, outcome[RECORDS] = {1, .4, .8, .1, .5, 1.2, .3, .9},
                    propensity[RECORDS] = {.9, .05, .9, .05, .9, .05, .9, .9};
static const int64_t chosen[RECORDS] = {0, 1, 0, 2, 1, 0, 1, 0};
static const double target[RECORDS * CHOICES] = {.2, .7, .1, .2, .7, .1, .2, .7, .1, .2, .7, .1,
                                                 0,  1,  0,  0,  1,  0,  0,  1,  0,  0,  1,  0},
                                     model[RECORDS * CHOICES] = {.9, .5, .3, 1,  .4, .3, 1,   .4, .2, .9,  .5, .2,
                                                                 .9, .5, .1, .8, .5, .1, 1.1, .5, .1, 1.1, .4, .1};

static tvgp_status estimate(double half_life, tvgp_value_estimate *e) {
    *e = (tvgp_value_estimate){.struct_size = sizeof *e};
    return tvgp_off_policy_value(ctx, RECORDS, CHOICES, at, chosen, outcome, propensity, target, model, 8, half_life, e);
}

static void assert_estimate(const tvgp_value_estimate *e, const double expected[9]) {
    const double got[9] = {e->dm, e->ips, e->ips_se, e->snips, e->snips_se, e->dr, e->dr_se, e->ess, e->mean_weight};
    for (size_t i = 0; i < 9; i++)
        ck_assert_msg(fabs(got[i] - expected[i]) <= 5.1e-8, "number %zu: %.9f, expected %.7f", i, got[i], expected[i]);
}

TEST(estimates_are_the_dense_ones) {
    tvgp_value_estimate e;
    ASSERT_OK(estimate(INFINITY, &e));
    assert_estimate(
        &e, (const double[]){.5025, .8861111, .6763769, .3797619, .0358074, .4469444, .0348977, 1.7201365, 2.3333333});
    ck_assert(e.used == RECORDS && e.missing == 0 && e.reliable == 0);
    ASSERT_NEAR(e.expected, 0.05 * RECORDS, 1e-12);
    ASSERT_OK(estimate(2, &e));
    assert_estimate(
        &e, (const double[]){.4712851, .3313821, .2248677, .3552125, .0457806, .4060227, .0408297, 3.2537070, .9329123});
}

/* A record without an outcome counts as if it were not there; without a model dr is ips. */
TEST(estimates_leave_out_what_is_missing) {
    double t[RECORDS + 1], y[RECORDS + 1], p[RECORDS + 1], pi[(RECORDS + 1) * CHOICES], mu[(RECORDS + 1) * CHOICES];
    int64_t arm[RECORDS + 1];
    tvgp_value_estimate e, f = {.struct_size = sizeof f};
    memcpy(t, at, sizeof at), memcpy(y, outcome, sizeof outcome), memcpy(p, propensity, sizeof propensity);
    memcpy(pi, target, sizeof target), memcpy(mu, model, sizeof model), memcpy(arm, chosen, sizeof chosen);
    t[RECORDS] = 8, y[RECORDS] = NAN, p[RECORDS] = 0.001, arm[RECORDS] = 2;
    memcpy(pi + RECORDS * CHOICES, pi, CHOICES * sizeof *pi);
    memcpy(mu + RECORDS * CHOICES, mu, CHOICES * sizeof *mu);
    ASSERT_OK(estimate(3, &e));
    ASSERT_OK(tvgp_off_policy_value(ctx, RECORDS + 1, CHOICES, t, arm, y, p, pi, mu, 9, 3, &f));
    ck_assert(f.used == RECORDS && f.missing == 1);
    ASSERT_NEAR(f.dr, e.dr, 1e-14);
    ASSERT_NEAR(f.dr_se, e.dr_se, 1e-14);
    ASSERT_NEAR(f.expected, e.expected, 1e-14);
    ASSERT_OK(tvgp_off_policy_value(ctx, RECORDS, CHOICES, at, chosen, outcome, propensity, target, NULL, 8, 3, &f));
    ck_assert(f.dm == 0 && f.dr == f.ips && f.dr_se == f.ips_se);
    ASSERT_OK(tvgp_off_policy_value(ctx, 1, CHOICES, at, chosen, outcome, propensity, target, NULL, 8, 3, &f));
    ck_assert(isinf(f.dr_se) && isinf(f.ips_se) && isinf(f.snips_se) && isfinite(f.dr));
}

TEST(estimates_stay_finite) {
    static const double y[] = {1e100, -1e100}, p[] = {5e-324, 1e-300}, pi[] = {1, 0, 1, 0}, t[] = {-1e100, 1e100};
    static const int64_t arm[] = {0, 0};
    tvgp_value_estimate e = {.struct_size = sizeof e};
    ASSERT_OK(tvgp_off_policy_value(ctx, 2, 2, t, arm, y, p, pi, NULL, 1e100, INFINITY, &e));
    const double all[] = {e.dm, e.ips, e.ips_se, e.snips, e.snips_se, e.dr, e.dr_se, e.ess, e.mean_weight, e.expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_msg(isfinite(all[i]), "number %zu is %g", i, all[i]);
    ASSERT_OK(tvgp_off_policy_value(ctx, 2, 2, t, arm, y, p, pi, NULL, 1e100, 1e-300, &e)); /* the older weighs nothing */
    ck_assert(!isnan(e.dr) && isinf(e.dr_se));
}

static const tvgp_value_estimate before = {.struct_size = sizeof before, .dm = 42};

static void refuse(tvgp_status expected, const char *text, const double *t, const int64_t *arm, const double *y,
                   const double *p, const double *pi, const double *mu) {
    tvgp_value_estimate e = before;
    ck_assert_int_eq(tvgp_off_policy_value(ctx, 2, 2, t, arm, y, p, pi, mu, 8, 3, &e), expected);
    ck_assert_msg(strstr(tvgp_ctx_errmsg(ctx), text) != NULL, "%s", tvgp_ctx_errmsg(ctx));
    ck_assert_mem_eq(&e, &before, sizeof e);
}

TEST(estimate_refusals) {
    static const double t[] = {1, 2}, y[] = {1, 2}, p[] = {.5, .5}, pi[] = {.5, .5, 1, 0}, none[] = {NAN, NAN};
    static const int64_t arm[] = {0, 1};
    tvgp_value_estimate e = before;
    refuse(TVGP_ERR_ARG, "propensity[1]", t, arm, y, (const double[]){.5, 0}, pi, NULL);
    refuse(TVGP_ERR_ARG, "propensity[0]", t, arm, y, (const double[]){1.5, 1}, pi, NULL);
    refuse(TVGP_ERR_ARG, "propensity[0]", t, arm, y, (const double[]){NAN, 1}, pi, NULL);
    refuse(TVGP_ERR_ARG, "arm[1]", t, (const int64_t[]){0, 2}, y, p, pi, NULL);
    refuse(TVGP_ERR_ARG, "arm[0]", t, (const int64_t[]){-1, 1}, y, p, pi, NULL);
    refuse(TVGP_ERR_ARG, "target[1]", t, arm, y, p, (const double[]){.5, .5, .9, 0}, NULL);
    refuse(TVGP_ERR_ARG, "target[1,0]", t, arm, y, p, (const double[]){.5, .5, -.1, 1.1}, NULL);
    refuse(TVGP_ERR_ARG, "t[1]", (const double[]){1, 9}, arm, y, p, pi, NULL);
    refuse(TVGP_ERR_NONFINITE, "t[0]", (const double[]){NAN, 1}, arm, y, p, pi, NULL);
    refuse(TVGP_ERR_NONFINITE, "y[1]", t, arm, (const double[]){1, INFINITY}, p, pi, NULL);
    refuse(TVGP_ERR_NONFINITE, "model[1,0]", t, arm, y, p, pi, (const double[]){0, 0, NAN, 0});
    refuse(TVGP_ERR_ARG, "outcome", t, arm, none, p, pi, NULL);
    ck_assert_int_eq(tvgp_off_policy_value(ctx, 0, 2, t, arm, y, p, pi, NULL, 8, 3, &e), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_off_policy_value(ctx, 2, 0, t, arm, y, p, pi, NULL, 8, 3, &e), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_off_policy_value(ctx, 2, 2, t, arm, y, p, pi, NULL, 8, 0, &e), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_off_policy_value(ctx, 2, 2, t, arm, y, p, pi, NULL, NAN, 3, &e), TVGP_ERR_NONFINITE);
    e.struct_size = 8;
    ck_assert_int_eq(tvgp_off_policy_value(ctx, 2, 2, t, arm, y, p, pi, NULL, 8, 3, &e), TVGP_ERR_ARG);
}

HARNESS_MAIN("serve")
