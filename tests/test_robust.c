/* SPDX-License-Identifier: MIT */
/* What a policy notices about what it is given, and says to the logger. */
#include "cases.h"

#include <math.h>
#include <string.h>

static tvgp_policy *policy;

/* ---- what the logger hears -------------------------------------------------------------------------------------- */

static struct heard {
    int lines; /* with the policy's name and this in them */
    const char *name, *about;
} heard;

static void listen(void *user, const char *message) {
    (void)user;
    heard.lines += strstr(message, heard.name) && strstr(message, heard.about);
}

static void open_heard(const char *name, const char *about) {
    heard = (struct heard){.name = name, .about = about};
    ASSERT_OK(tvgp_ctx_set_logger(ctx, listen, NULL));
    ASSERT_OK(cases_policy(ctx, name, cases_kernel_at(0), &policy));
}

static void close_heard(void) {
    tvgp_policy_destroy(policy);
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL));
}

static const char *const families[] = {"pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};

/* Once, at the first ask, not in predictions before it; never when there is a prior. */
START_TEST(without_priors) {
    tvgp_kernel *kernel;
    int64_t best;
    int added = _i % 2;
    open_heard(families[_i / 2], "no prior");
    ASSERT_OK(cases_kernel(ctx, cases_kernel_at(1), &kernel));
    if (added)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel, NULL, 0, 0));
    ASSERT_OK(tvgp_policy_best(policy, 0, &best, NULL));
    ck_assert_int_eq(heard.lines, 0);
    for (double t = 1; t <= 5; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 0.1));
    ck_assert_int_eq(heard.lines, !added);
    ASSERT_OK(tvgp_policy_add_prior(policy, kernel, NULL, 0, 0));
    harness_ask(policy, 6);
    ck_assert_int_eq(heard.lines, !added);
    tvgp_kernel_destroy(kernel);
    close_heard();
}
END_TEST

/* Asks and answers until ten side queries were told, the k-th of them with a value. */
static void play_expert(int k) {
    int side = 0;
    for (double t = 1; side < 12; t++) {
        tvgp_query q[CASES_ARMS];
        size_t n;
        ASSERT_OK(tvgp_policy_ask(policy, t, CASES_ARMS, q, NULL, &n));
        for (size_t i = 0; i < n; i++) {
            int skip = q[i].kind == TVGP_SIDE && ++side != k;
            const tvgp_obs o = {.id = q[i].id, .outcome = skip ? TVGP_SKIPPED : TVGP_VALUE, .y = 0.1};
            ASSERT_OK(tvgp_policy_tell(policy, &o, NULL, 1));
            ck_assert_int_eq(heard.lines, k > 10 && side >= 10);
        }
    }
}

START_TEST(without_an_expert) {
    static const char *const names[] = {"sparq-gp-ucb", "w-sparq-gp-ucb"};
    open_heard(names[_i / 2], "skipped");
    play_expert(_i % 2 ? 100 : 9);
    close_heard();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("robust");
    TCase *tc = harness_case(suite, "log lines");
    tcase_add_loop_test(tc, without_priors, 0, 8);
    tcase_add_loop_test(tc, without_an_expert, 0, 4);
    return harness_run(suite);
}
