/* SPDX-License-Identifier: MIT */
/* The rules of single policies: when r-gp-ucb restarts and what it says, how random is uniform, what constant-arm plays, the
 * widths that come out of a running policy. */
#include "cases.h"
#include "golden/golden_betas.h"

#include <math.h>
#include <string.h>

static tvgp_policy *policy;

/* N = ceil(min(T, 12 epsilon^(-1/4))): the first restart comes before action N + 1. */
TEST(restart_rule) {
    for (size_t i = 0; i < sizeof golden_rgp_N / sizeof *golden_rgp_N; i++) { /* T, eps, v */
        const double *g = golden_rgp_N[i];
        policy = MAKE_POLICY(cases_policy, ctx, "r-gp-ucb", cases_kernel_at(0));
        ASSERT_OK(tvgp_policy_set_i64(policy, "horizon", (int64_t)g[0]));
        ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", g[1]));
        for (double t = 1; t <= 2 * g[2]; t++) {
            harness_ask(policy, t);
            ck_assert_double_eq(harness_stat(policy, "resets"), t > g[2]);
        }
        harness_ask(policy, 2 * g[2] + 1);
        ck_assert_double_eq(harness_stat(policy, "resets"), 2);
        ck_assert_double_eq(harness_stat(policy, "reset.step"), 2 * g[2]);
        ck_assert_double_eq(harness_stat(policy, "reset.time"), 2 * g[2] + 1);
    }
}

/* The logger hears of each restart, once, and may not call back. */
struct heard {
    int lines, reentrant;
    char last[300];
};
static void listen(void *user, const char *message) {
    struct heard *heard = user;
    tvgp_query q;
    heard->lines++;
    strncpy(heard->last, message, sizeof heard->last - 1);
    heard->reentrant += tvgp_policy_ask_one(policy, 100, &q, NULL) == TVGP_ERR_REENTRANT;
    heard->reentrant += tvgp_policy_tell_value(policy, 1, 0) == TVGP_ERR_REENTRANT;
}

TEST(events_are_logged) {
    struct heard heard = {0};
    ASSERT_OK(tvgp_ctx_set_logger(ctx, listen, &heard, NULL));
    policy = MAKE_POLICY(cases_policy, ctx, "r-gp-ucb", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_i64(policy, "reset.every", 5));
    for (double t = 1; t <= 16; t++) {
        tvgp_query q = harness_ask(policy, t);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
    }
    ck_assert_int_eq(heard.lines, 3);
    ck_assert_int_eq(heard.reentrant, 6);
    ck_assert(strstr(heard.last, "r-gp-ucb") != NULL && strstr(heard.last, "16") != NULL);
    ck_assert_double_eq(harness_stat(policy, "observations"), 1);
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
}

/* What was asked before a restart says nothing after it, however late it comes. */
TEST(late_answers_of_another_block) {
    policy = MAKE_POLICY(cases_policy, ctx, "r-gp-ucb", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_i64(policy, "reset.every", 3));
    double X[CASES_ARMS * 2], mean[CASES_ARMS], var[CASES_ARMS];
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    for (double t = 1; t <= 4; t++)
        harness_ask(policy, t);
    for (int64_t id = 1; id <= 3; id++)
        ASSERT_OK(tvgp_policy_tell_value(policy, id, 10));
    ASSERT_OK(tvgp_policy_predict(policy, 4, CASES_ARMS, X, mean, var));
    for (size_t i = 0; i < CASES_ARMS; i++)
        ck_assert(mean[i] == 0 && var[i] == 1);
    ASSERT_OK(tvgp_policy_tell_value(policy, 4, 10));
    ck_assert_double_eq(harness_stat(policy, "observations"), 1);
}

/* Frequencies over the available arms: chi-square within four standard deviations; none elsewhere. */
TEST_EACH(random_is_uniform, 2) {
    enum { DRAWS = 20000 };
    static const uint8_t odd[CASES_ARMS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    size_t count[CASES_ARMS] = {0}, arms = _i ? CASES_ARMS / 2 : CASES_ARMS;
    policy = MAKE_POLICY(cases_policy, ctx, "random", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_i64(policy, "seed", 42));
    ASSERT_OK(tvgp_policy_set_available(policy, CASES_ARMS, _i ? odd : NULL));
    for (size_t i = 0; i < DRAWS; i++)
        count[harness_ask(policy, (double)i).arm]++;
    double expected = (double)DRAWS / (double)arms, chi = 0, df = (double)(arms - 1);
    for (size_t i = 0; i < CASES_ARMS; i++) {
        if (_i && !odd[i])
            ck_assert_uint_eq(count[i], 0);
        else
            chi += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    }
    ck_assert_double_lt(fabs(chi - df), 4 * sqrt(2 * df));
}

TEST(constant_arm) {
    uint8_t mask[CASES_ARMS] = {0};
    policy = MAKE_POLICY(cases_policy, ctx, "constant-arm", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_i64(policy, "arm", 7));
    for (double t = 1; t <= 5; t++)
        ck_assert_int_eq(harness_ask(policy, t).arm, 7);
    mask[3] = 1; /* not there: another one that is */
    ASSERT_OK(tvgp_policy_set_available(policy, CASES_ARMS, mask));
    ck_assert_int_eq(harness_ask(policy, 6).arm, 3);
    ASSERT_OK(tvgp_policy_set_available(policy, 0, NULL));
    ck_assert_int_eq(harness_ask(policy, 7).arm, 7);
    policy = MAKE_POLICY(cases_policy, ctx, "constant-arm", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_i64(policy, "arm", CASES_ARMS));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 1, &(tvgp_query){0}, NULL), "arm", "24", "23");
    ASSERT_OK(tvgp_policy_set_i64(policy, "arm", CASES_ARMS - 1)); /* the refused ask has fixed nothing */
    ck_assert_int_eq(harness_ask(policy, 1).arm, CASES_ARMS - 1);
}

/* Without data mean 0 and sd 1: the score is the exploration coefficient; t counts asked actions, also those without an outcome and before a reset. */
TEST(width_of_a_running_policy) {
    policy = MAKE_POLICY(cases_policy, ctx, "r-gp-ucb", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set(policy, "width.c1=0.4 reset.every=30"));
    for (int64_t step = 0; step < 100; step++) {
        tvgp_query q = harness_ask(policy, (double)step);
        ASSERT_NEAR(q.score, sqrt(0.4 * log(4 * (double)(step + 1))), 1e-14);
        ASSERT_NEAR(harness_stat(policy, "width"), q.score, 1e-14);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_SKIPPED}, NULL));
    }
}

/* Arms that look alike: the lowest index, among the available ones. */
TEST(ties_go_to_the_lowest_index) {
    uint8_t mask[CASES_ARMS];
    policy = MAKE_POLICY(cases_policy, ctx, "gp-ucb", cases_kernel_at(0));
    ck_assert_int_eq(harness_ask(policy, 0).arm, 0);
    ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = 1, .outcome = TVGP_SKIPPED}, NULL));
    memset(mask, 1, sizeof mask);
    memset(mask, 0, 5);
    ASSERT_OK(tvgp_policy_set_available(policy, CASES_ARMS, mask));
    ck_assert_int_eq(harness_ask(policy, 1).arm, 5);
    int64_t arm;
    ASSERT_OK(tvgp_policy_best(policy, 1, &arm, NULL));
    ck_assert_int_eq(arm, 5);
}

int main(void) {
    golden_read_betas();
    return HARNESS_RUN("rules", harness_setup, harness_teardown);
}
