/* SPDX-License-Identifier: MIT */
/* Policies that were given a log: looks change nothing and see the mean of their time, a failed ask leaves no trace, what the model
 * was made by is fixed, whatever was learned can be copied, and rows of the run are counted as they came. */
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
    tvgp_domain *first = harness_grid(1, (double[]){0}, (double[]){1}, &actions);
    tvgp_domain *second = harness_grid(1, (double[]){0}, (double[]){1}, (size_t[]){2});
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_domain_product, ctx, first, second);
    return MAKE_POLICY(tvgp_policy_create, ctx, name, pairs ? domain : first, NULL);
}

static tvgp_policy *taught(const char *name, int pairs) {
    tvgp_policy *p = create(name, pairs);
    make_table();
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
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
    ASSERT_OK(tvgp_policy_save(p, 0, NULL, &s.n));
    s.byte = malloc(s.n);
    ASSERT_OK(tvgp_policy_save(p, s.n, s.byte, &n));
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
TEST_EACH(best_at_any_time, 2) {
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
}

/* An ask that fails when the mean is due to be made again leaves it as it is. */
TEST(failed_ask) {
    tvgp_policy *p = taught("auto-gp-ucb", 1);
    tvgp_query q;
    ASSERT_OK(tvgp_policy_set_incumbent(p, (double[]){0, 0}, 10));
    ASSERT_OK(tvgp_policy_set_context(p, 0));
    play(p, 0, PERIOD - 1);
    ASSERT_OK(tvgp_policy_set_context(p, -1));
    const double refits = harness_stat(p, "history.refits");
    const state before = state_of(p);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(p, 2 * PERIOD, &q, NULL), "no context holds");
    ck_assert(is_still(p, before));
    ASSERT_OK(tvgp_policy_set_context(p, 0));
    q = harness_ask(p, 2 * PERIOD);
    ck_assert_double_eq(harness_stat(p, "history.refits"), refits + 1);
}

static int32_t count_down(void *left) {
    return --*(int *)left < 0;
}

/* Learning may be ended wherever it is, and has learned nothing then. */
TEST(interrupted) {
    int ended = 0;
    tvgp_policy *p = taught("auto-gp-ucb", 0);
    play(p, 0, 5);
    for (int left = 0, step = 1;; step += step / 4 + 1) {
        const state before = state_of(p);
        left = step;
        ASSERT_OK(tvgp_ctx_set_interrupt(ctx, count_down, &left, NULL));
        const tvgp_status status = tvgp_policy_learn_history_table(p, ROWS, NULL, table);
        ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
        if (status == TVGP_OK) {
            free(before.byte);
            break;
        }
        ck_assert_int_eq(status, TVGP_ERR_INTERRUPTED);
        ck_assert(is_still(p, before));
        ended++;
    }
    ck_assert_int_gt(ended, 20);
}

static const char *const learners[] = {"auto-gp-ucb", "gp-ucb",    "igp-ucb",   "tv-gp-ucb", "sw-gp-ucb",
                                       "r-gp-ucb",    "br-gp-ucb", "et-gp-ucb", "ui-gp-ucb", "w-gp-ucb"};
enum { LEARNERS = sizeof learners / sizeof *learners };

/* The same when any of its allocations fails, with more actions pending than ever before; also of policies that draw. */
TEST_EACH(failed_for_want_of_memory, 2 * LEARNERS) {
    tvgp_query q;
    make_table();
    for (size_t fail = 1, asked = 0; !asked; fail++) {
        tvgp_policy *p = create(learners[_i % LEARNERS], 0);
        if (_i >= LEARNERS && harness_has(p, "choice"))
            ASSERT_OK(tvgp_policy_set_str(p, "choice", "thompson"));
        if (harness_has(p, "model.assume_misspecified")) /* no replay decides */
            ASSERT_OK(tvgp_policy_set_i64(p, "model.assume_misspecified", 0));
        ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
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
    }
}

/* The same when a quota ends it, wherever that is. */
TEST_EACH(failed_for_a_quota, 2 * LEARNERS) {
    tvgp_query q;
    tvgp_policy *p = create(learners[_i % LEARNERS], 0), *copy;
    tvgp_status status = TVGP_ERR_LIMIT;
    make_table();
    if (_i >= LEARNERS && harness_has(p, "choice"))
        ASSERT_OK(tvgp_policy_set_str(p, "choice", "thompson"));
    if (harness_has(p, "model.assume_misspecified"))
        ASSERT_OK(tvgp_policy_set_i64(p, "model.assume_misspecified", 0));
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    play(p, 0, PERIOD - 1);
    for (int64_t work = 1; status != TVGP_OK; work += work / 16 + 1) {
        copy = MAKE_POLICY(tvgp_policy_clone, p);
        const state before = state_of(copy);
        ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, work));
        status = tvgp_policy_ask_one(copy, 3 * PERIOD, &q, NULL);
        ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
        if (status != TVGP_OK)
            ck_assert_msg(status == TVGP_ERR_LIMIT && is_still(copy, before), "quota %d", (int)work);
        else
            free(before.byte);
    }
}

TEST(options_are_fixed) {
    tvgp_policy *p = taught("auto-gp-ucb", 0);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_i64(p, "history.max_replayed", 3), "history.max_replayed");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_f64(p, "history.refit_interval", 1), "history.refit_interval");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set(p, "seed=4 history.width_factor=1"), "history.width_factor");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_str(p, "fit", "map"), "fit");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_f64(p, "season.period", 12), "season.period");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(p, "log.fresh", 12), "log.fresh");
    ASSERT_OK(tvgp_policy_set(p, "seed=5 noise=0.1 history.periods=0"));
    ck_assert_double_eq(harness_stat(p, "history.period"), PERIOD);
    play(p, 0, 3 * PERIOD);
    (void)MAKE_POLICY(tvgp_policy_clone, p);
}

/* A log that says nothing of the noise leaves it as it is by default, also when one before it said something. */
TEST(noise_of_the_last_log) {
    const double same[ARMS] = {2, 2, 2, 2, 2, 2}, lengthscale = 1;
    double noise;
    make_table();
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", harness_indices(ARMS), kernel);
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    ASSERT_OK(tvgp_policy_get_f64(p, "noise", &noise));
    ck_assert_double_lt(fabs(noise - 0.0055), 0.0005);
    ASSERT_OK(tvgp_policy_learn_history_table(p, 1, NULL, same));
    ASSERT_OK(tvgp_policy_get_f64(p, "noise", &noise));
    ck_assert_double_eq(noise, 0.01);
}

/* Times may be as close as the range allows, and the policy can be copied; closer is refused. */
TEST(close_times) {
    double t[ROWS];
    make_table();
    for (int k = 0; k < 2; k++) {
        tvgp_policy *p = create("auto-gp-ucb", 0);
        for (size_t r = 0; r < ROWS; r++)
            t[r] = (double)r * (k ? 1e-101 : 1e-99);
        if (k)
            ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_learn_history_table(p, ROWS, t, table), "1e-101");
        else
            ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, t, table));
        (void)MAKE_POLICY(tvgp_policy_clone, p);
    }
}

/* What cannot be learned of that many arms is refused before anything is worked out. */
TEST(too_many_arms) {
    enum { MANY = 3000 };
    static double value[MANY];
    const double lengthscale = 100;
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "sw-gp-ucb", harness_indices(MANY), kernel);
    const size_t before = memory.bytes;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_learn_history_table(p, 1, NULL, value), "3000 arms", "67108864");
    ck_assert_uint_lt(memory.bytes - before, (size_t)1 << 20);
}

/* A snapshot that says that a period is shorter than any may be is refused: times are divided by it. */
TEST(forged_period) {
    const double told[2] = {PERIOD, PERIOD}, forged = 1e-310; /* in time, and in slots */
    size_t at = 0;
    tvgp_policy *p = create("auto-gp-ucb", 0);
    make_table();
    ASSERT_OK(tvgp_policy_set(p, "history.periods=12"));
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    const state s = state_of(p);
    while (at + sizeof told < s.n && memcmp(s.byte + at, told, sizeof told) != 0)
        at++;
    ck_assert_uint_lt(at + sizeof told, s.n);
    memcpy(s.byte + at, &forged, sizeof forged);
    seal_snapshot(s.byte, s.n);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_load(p, s.n, s.byte), "a period of a log is too short");
    free(s.byte);
}

/* Records are looked at as those that are given. */
TEST(records) {
    const double x[2] = {0, 0};
    tvgp_obs obs[2] = {tvgp_obs_unsolicited(0, 1), tvgp_obs_unsolicited(1, 2)};
    tvgp_policy *p = create("auto-gp-ucb", 0);
    obs[1].flags |= 8;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history(p, 2, obs, x), "obs[1].flags = 10");
    obs[1] = tvgp_obs_output(0, 1, 2);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history(p, 2, obs, x), "obs[1].output = 1");
    obs[1] = tvgp_obs_unsolicited(1, NAN);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_history(p, 2, obs, x), "obs[1].y");
    obs[1] = tvgp_obs_unsolicited(2e100, 1);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_learn_history(p, 2, obs, x), "obs[1].t");
    obs[1] = tvgp_obs_unsolicited(1, 1);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_history(p, 2, obs, (double[]){0, INFINITY}), "x[1,0]");
    ASSERT_OK(tvgp_policy_learn_history(p, 2, obs, x));
}

/* ---- rows of the run ---------------------------------------------------------------------------------------------- */

/* A policy whose mean from the log is refitted after so much time. */
static tvgp_policy *refitted(const char *name, double refit) {
    tvgp_policy *p = create(name, 0);
    make_table();
    ASSERT_OK(tvgp_policy_set_f64(p, "history.refit_interval", refit));
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    return p;
}

/* All arms at time t are observed, without a query; the first one n times, with the values given. */
static void observe_row(tvgp_policy *p, double t, size_t n, const double *first) {
    tvgp_obs obs[2 * ARMS];
    double x[2 * ARMS] = {0};
    for (size_t i = 0; i < n; i++)
        obs[i] = tvgp_obs_unsolicited(t, first[i]);
    for (size_t a = 1; a < ARMS; a++) {
        obs[n + a - 1] = tvgp_obs_unsolicited(t, truth(t, a) + 0.3 * t);
        x[n + a - 1] = (double)a / (ARMS - 1);
    }
    ASSERT_OK(tvgp_policy_tell(p, n + ARMS - 1, obs, x));
}

/* After a refit at time t both policies have the same mean. */
static void assert_same_mean(tvgp_policy *p, tvgp_policy *q, double t) {
    double mean[2][ARMS];
    (void)harness_ask(p, t), (void)harness_ask(q, t);
    ck_assert(harness_stat(p, "history.refits") > 0 && harness_stat(q, "history.refits") > 0);
    ASSERT_OK(tvgp_policy_prior_mean(p, t, ARMS, mean[0]));
    ASSERT_OK(tvgp_policy_prior_mean(q, t, ARMS, mean[1]));
    ASSERT_ALL_NEAR(ARMS, mean[0], mean[1], 1e-9);
}

/* More rows between two asks than the table has room for: they count like those of a larger table. */
TEST(more_rows_than_room) {
    tvgp_policy *p = refitted("tv-gp-ucb", 5), *larger = refitted("tv-gp-ucb", 50);
    for (int t = 0; t < 40; t++) {
        const double first = 2 * t;
        observe_row(p, t, 1, &first);
        observe_row(larger, t, 1, &first);
    }
    assert_same_mean(p, larger, 60);
}

/* Two values of an arm in one slot of time count as their mean. */
TEST(two_values_of_a_cell) {
    tvgp_policy *p = refitted("tv-gp-ucb", 5), *one = refitted("tv-gp-ucb", 5);
    for (int t = 0; t < 4; t++) {
        observe_row(p, t, 2, (double[]){1, 8});
        observe_row(one, t, 1, &(double){4.5});
    }
    assert_same_mean(p, one, 10);
}

/* After a refit that came late the next one is due history.refit_interval later, not at the time it would have had. */
TEST(next_refit) {
    tvgp_policy *p = refitted("tv-gp-ucb", 10);
    for (int t = 0; t < 51; t += 5) { /* the first is due at 10 */
        if (t == 0 || t >= 35)
            play(p, t, t + 1);
        ck_assert_double_eq(harness_stat(p, "history.refits"), t < 35 ? 0 : t < 45 ? 1 : 2);
    }
}

/* A refit does not move what was predicted of a pending query: an outcome equal to its prediction is no surprise. */
TEST(prediction_of_a_pending_query) {
    tvgp_policy *p = refitted("ui-gp-ucb", 5); /* which compares outcomes with the prediction of their ask */
    double mean[ARMS];
    const tvgp_query q = harness_ask(p, 0);
    ASSERT_OK(tvgp_policy_predict(p, 0, ARMS, NULL, mean, NULL));
    for (int t = 0; t < 5; t++)
        observe_row(p, t, 1, &(double){9});
    (void)harness_ask(p, 20);
    ck_assert_double_eq(harness_stat(p, "history.refits"), 1);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, mean[q.arm]));
    ck_assert_double_eq(harness_stat(p, "values"), 1);
    ck_assert_double_lt(harness_stat(p, "surprise"), 1e-18);
}

HARNESS_MAIN("recall_held")
