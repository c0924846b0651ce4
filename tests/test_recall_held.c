/* SPDX-License-Identifier: MIT */
/* Policies that were told a log: looks change nothing and see the mean of their time, a failed ask leaves no trace, what the model
 * was made by is fixed, and whatever was learned can be copied. */
#include "harness.h"
#include "seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 6, ROWS = 120, PERIOD = 12 };

static double truth(double t, size_t arm) {
    return 3 + 0.1 * (double)arm + sin(2 * 3.14159265358979323846 * t / PERIOD + (double)arm);
}

static double table[ROWS * ARMS];

static void make_table(void) {
    struct rnd r = {3};
    for (size_t i = 0; i < ROWS * ARMS; i++)
        table[i] = truth((double)(i / ARMS), i % ARMS) + 0.1 * rnd_normal(&r);
}

/* Of ARMS arms, or of pairs of an action and a context that are as many. */
static tvgp_policy *create(const char *name, int pairs) {
    const size_t actions = pairs ? ARMS / 2 : ARMS;
    tvgp_domain *first, *second, *domain;
    tvgp_policy *p;
    ASSERT_OK(tvgp_domain_grid(ctx, 1, (double[]){0}, (double[]){1}, &actions, &first));
    ASSERT_OK(tvgp_domain_grid(ctx, 1, (double[]){0}, (double[]){1}, (size_t[]){2}, &second));
    ASSERT_OK(tvgp_domain_product(ctx, first, second, &domain));
    ASSERT_OK(tvgp_policy_create(ctx, name, pairs ? domain : first, NULL, &p));
    tvgp_domain_destroy(first);
    tvgp_domain_destroy(second);
    tvgp_domain_destroy(domain);
    return p;
}

static tvgp_policy *taught(const char *name, int pairs) {
    tvgp_policy *p = create(name, pairs);
    make_table();
    ASSERT_OK(tvgp_policy_learn_table(p, ROWS, NULL, table));
    return p;
}

static void play(tvgp_policy *p, int from, int to) {
    for (int t = from; t < to; t++) {
        const tvgp_query q = harness_ask(p, t);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(t, (size_t)q.arm)));
    }
}

typedef struct {
    size_t n;
    unsigned char *byte;
} state;

static state state_of(const tvgp_policy *p) {
    state s;
    size_t n;
    ASSERT_OK(tvgp_policy_save(p, NULL, 0, &s.n));
    s.byte = malloc(s.n);
    ASSERT_OK(tvgp_policy_save(p, s.byte, s.n, &n));
    return s;
}

/* Whether the state is still this one, which is freed. */
static int is_still(const tvgp_policy *p, state before) {
    const state now = state_of(p);
    const int same = now.n == before.n && !memcmp(now.byte, before.byte, now.n);
    free(now.byte);
    free(before.byte);
    return same;
}

/* The best arm at a time is the one of the highest mean then, whatever time was looked at before. */
START_TEST(best_at_any_time) {
    tvgp_policy *p = taught("auto-gp-ucb", 0);
    double mean[ARMS], other[ARMS];
    int64_t arm;
    size_t found[ARMS] = {0};
    if (_i)
        play(p, 0, 5);
    const state before = state_of(p);
    for (int t = 5; t < 5 + PERIOD; t++) {
        size_t best = 0;
        ASSERT_OK(tvgp_policy_predict(p, t, ARMS, NULL, mean, NULL));
        ASSERT_OK(tvgp_policy_predict(p, t + PERIOD / 2, ARMS, NULL, other, NULL));
        ASSERT_OK(tvgp_policy_best(p, t, &arm, NULL));
        for (size_t a = 1; a < ARMS; a++)
            best = mean[a] > mean[best] ? a : best;
        ck_assert_int_eq(arm, (int64_t)best);
        found[best] = 1;
    }
    ck_assert_uint_gt(found[0] + found[1] + found[2] + found[3] + found[4] + found[5], 2);
    ck_assert(is_still(p, before));
    tvgp_policy_destroy(p);
}
END_TEST

/* An ask that fails when the mean is due to be made anew leaves it as it is. */
START_TEST(failed_ask) {
    tvgp_policy *p = taught("auto-gp-ucb", 1);
    tvgp_query q;
    ASSERT_OK(tvgp_policy_set_incumbent(p, (double[]){0, 0}, 10));
    ASSERT_OK(tvgp_policy_set_context(p, 0));
    play(p, 0, PERIOD - 1);
    ASSERT_OK(tvgp_policy_set_context(p, -1));
    const double refits = harness_stat(p, "log.refits");
    const state before = state_of(p);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(p, 2 * PERIOD, &q, NULL), "no context holds");
    ck_assert(is_still(p, before));
    ASSERT_OK(tvgp_policy_set_context(p, 0));
    q = harness_ask(p, 2 * PERIOD);
    ck_assert_double_eq(harness_stat(p, "log.refits"), refits + 1);
    tvgp_policy_destroy(p);
}
END_TEST

static int32_t count_down(void *left) {
    return --*(int *)left < 0;
}

/* Learning may be ended wherever it is, and has learned nothing then. */
START_TEST(interrupted) {
    int ended = 0;
    tvgp_policy *p = taught("auto-gp-ucb", 0);
    play(p, 0, 5);
    for (int left = 0, step = 1;; step += step / 4 + 1) {
        const state before = state_of(p);
        left = step;
        ASSERT_OK(tvgp_ctx_set_interrupt(ctx, count_down, &left));
        const tvgp_status status = tvgp_policy_learn_table(p, ROWS, NULL, table);
        ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL));
        if (status == TVGP_OK) {
            free(before.byte);
            break;
        }
        ck_assert_int_eq(status, TVGP_ERR_INTERRUPTED);
        ck_assert(is_still(p, before));
        ended++;
    }
    ck_assert_int_gt(ended, 20);
    tvgp_policy_destroy(p);
}
END_TEST

static const char *const learners[] = {"auto-gp-ucb", "gp-ucb",    "igp-ucb",   "tv-gp-ucb", "sw-gp-ucb",
                                       "r-gp-ucb",    "br-gp-ucb", "et-gp-ucb", "ui-gp-ucb", "w-gp-ucb"};
enum { LEARNERS = sizeof learners / sizeof *learners };

/* The same when any of its allocations fails, with more actions pending than ever before; also of policies that draw. */
START_TEST(failed_for_want_of_memory) {
    tvgp_query q;
    make_table();
    for (size_t fail = 1, asked = 0; !asked; fail++) {
        tvgp_policy *p = create(learners[_i % LEARNERS], 0);
        if (_i >= LEARNERS && harness_has(p, "choice"))
            ASSERT_OK(tvgp_policy_set_str(p, "choice", "thompson"));
        if (harness_has(p, "doubt")) /* no replay decides */
            ASSERT_OK(tvgp_policy_set_i64(p, "doubt", 0));
        ASSERT_OK(tvgp_policy_learn_table(p, ROWS, NULL, table));
        play(p, 0, PERIOD - 2);
        for (int i = 0; i < 3; i++)
            (void)harness_ask(p, PERIOD - 1);
        const state before = state_of(p);
        memory.fail_in = fail;
        asked = tvgp_policy_ask_one(p, 3 * PERIOD, &q, NULL) == TVGP_OK;
        memory.fail_in = 0;
        if (!asked)
            ck_assert_msg(is_still(p, before), "allocation %zu", fail);
        else
            free(before.byte);
        tvgp_policy_destroy(p);
    }
}
END_TEST

START_TEST(options_are_fixed) {
    tvgp_policy *p = taught("auto-gp-ucb", 0), *q;
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_i64(p, "log.retell", 3), "log.retell");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_f64(p, "log.refit", 1), "log.refit");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set(p, "seed=4 log.width=1"), "log.width");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_str(p, "fit", "map"), "fit");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_f64(p, "season.period", 12), "season.period");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(p, "log.fresh", 12), "log.fresh");
    ASSERT_OK(tvgp_policy_set(p, "seed=5 noise=0.1 log.period=0"));
    ck_assert_double_eq(harness_stat(p, "log.period"), PERIOD);
    play(p, 0, 3 * PERIOD);
    ASSERT_OK(tvgp_policy_clone(p, &q));
    tvgp_policy_destroy(q);
    tvgp_policy_destroy(p);
}
END_TEST

/* A log that says nothing of the noise leaves it as it is by default, also when one before it said something. */
START_TEST(noise_of_the_last_log) {
    const double same[ARMS] = {2, 2, 2, 2, 2, 2}, lengthscale = 1;
    double noise;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *p;
    make_table();
    ASSERT_OK(tvgp_domain_indices(ctx, ARMS, &domain));
    ASSERT_OK(tvgp_kernel_se(ctx, 1, 1, &lengthscale, 1, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &p));
    ASSERT_OK(tvgp_policy_learn_table(p, ROWS, NULL, table));
    ASSERT_OK(tvgp_policy_get_f64(p, "noise", &noise));
    ck_assert_double_lt(fabs(noise - 0.0055), 0.0005);
    ASSERT_OK(tvgp_policy_learn_table(p, 1, NULL, same));
    ASSERT_OK(tvgp_policy_get_f64(p, "noise", &noise));
    ck_assert_double_eq(noise, 0.01);
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}
END_TEST

/* Times may be as close as the range allows, and the policy can be copied; closer is refused. */
START_TEST(close_times) {
    double t[ROWS];
    make_table();
    for (int k = 0; k < 2; k++) {
        tvgp_policy *p = create("auto-gp-ucb", 0), *q;
        for (size_t r = 0; r < ROWS; r++)
            t[r] = (double)r * (k ? 1e-101 : 1e-99);
        if (k)
            ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_learn_table(p, ROWS, t, table), "1e-101");
        else
            ASSERT_OK(tvgp_policy_learn_table(p, ROWS, t, table));
        ASSERT_OK(tvgp_policy_clone(p, &q));
        tvgp_policy_destroy(q);
        tvgp_policy_destroy(p);
    }
}
END_TEST

/* What cannot be learned of so many arms is refused before anything is worked out. */
START_TEST(too_many_arms) {
    enum { MANY = 3000 };
    static double value[MANY];
    const double lengthscale = 100;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *p;
    ASSERT_OK(tvgp_domain_indices(ctx, MANY, &domain));
    ASSERT_OK(tvgp_kernel_se(ctx, 1, 1, &lengthscale, 1, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, "sw-gp-ucb", domain, kernel, &p));
    const size_t before = memory.bytes;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_learn_table(p, 1, NULL, value), "3000 arms", "67108864");
    ck_assert_uint_lt(memory.bytes - before, (size_t)1 << 20);
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}
END_TEST

/* A snapshot that says that a period is shorter than any may be is refused: times are divided by it. */
START_TEST(forged_period) {
    const double told[2] = {PERIOD, PERIOD}, forged = 1e-310; /* in time, and in slots */
    size_t at = 0;
    tvgp_policy *p = create("auto-gp-ucb", 0);
    make_table();
    ASSERT_OK(tvgp_policy_set(p, "log.period=12"));
    ASSERT_OK(tvgp_policy_learn_table(p, ROWS, NULL, table));
    const state s = state_of(p);
    while (at + sizeof told < s.n && memcmp(s.byte + at, told, sizeof told) != 0)
        at++;
    ck_assert_uint_lt(at + sizeof told, s.n);
    memcpy(s.byte + at, &forged, sizeof forged);
    seal_snapshot(s.byte, s.n);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_load(p, s.byte, s.n), "a period of a log is too short");
    free(s.byte);
    tvgp_policy_destroy(p);
}
END_TEST

/* Records are looked at as those that are told. */
START_TEST(records) {
    const double x[2] = {0, 0};
    tvgp_obs obs[2] = {tvgp_obs_unasked(0, 1), tvgp_obs_unasked(1, 2)};
    tvgp_policy *p = create("auto-gp-ucb", 0);
    obs[1].flags |= 8;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_log(p, obs, x, 2), "obs[1].flags = 10");
    obs[1] = tvgp_obs_output(0, 1, 2);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_log(p, obs, x, 2), "obs[1].output = 1");
    obs[1] = tvgp_obs_unasked(1, NAN);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_log(p, obs, x, 2), "obs[1].y");
    obs[1] = tvgp_obs_unasked(2e100, 1);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_learn_log(p, obs, x, 2), "obs[1].t");
    obs[1] = tvgp_obs_unasked(1, 1);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_log(p, obs, (double[]){0, INFINITY}, 2), "x[1,0]");
    ASSERT_OK(tvgp_policy_learn_log(p, obs, x, 2));
    tvgp_policy_destroy(p);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("recall_held");
    TCase *tcase = harness_case(suite, "what policies with a log hold");
    tcase_add_loop_test(tcase, best_at_any_time, 0, 2);
    tcase_add_test(tcase, failed_ask);
    tcase_add_loop_test(tcase, failed_for_want_of_memory, 0, 2 * LEARNERS);
    tcase_add_test(tcase, interrupted);
    tcase_add_test(tcase, options_are_fixed);
    tcase_add_test(tcase, noise_of_the_last_log);
    tcase_add_test(tcase, close_times);
    tcase_add_test(tcase, too_many_arms);
    tcase_add_test(tcase, forged_period);
    tcase_add_test(tcase, records);
    return harness_run(suite);
}
