/* SPDX-License-Identifier: MIT */
/* Policies that were given a log: what is refused, what changes with units, signs and orders (nothing but those), that the run goes
 * on bit for bit after a load, on a larger domain, and when memory fails. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 7, ROWS = 120, STEPS = 90, PERIOD = 12 };

/* A season, levels that move, noise; the arms are a, b, .. */
static double truth(size_t t, size_t arm) {
    const double phase = 2 * 3.14159265358979323846 * (double)(t % PERIOD) / PERIOD, a = (double)arm;
    const uint64_t bits = (t * 2654435761u + arm * 40503u) * 2246822519u;
    return 0.4 * a * (t < ROWS / 2 ? 1 : -0.2) + sin(phase + a) + 0.5 * cos(phase) + 0.2 * (double)(bits >> 8 & 1023) / 1023;
}

static double table[ROWS * ARMS];

static void make_table(double factor, double offset) {
    for (size_t i = 0; i < ROWS * ARMS; i++)
        table[i] = factor * truth(i / ARMS, i % ARMS) + offset;
    table[5 * ARMS + 2] = table[6 * ARMS + 2] = table[ROWS * ARMS - 1] = NAN;
}

static tvgp_policy *create(const char *name, const char *options) {
    return harness_create(name, harness_indices(ARMS), NULL, options);
}

static tvgp_policy *taught(const char *name, const char *options) {
    tvgp_policy *p = create(name, options);
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    return p;
}

/* Plays steps from .. to - 1 and notes the arms. */
static void play(tvgp_policy *p, size_t from, size_t to, double factor, double offset, int64_t *arm) {
    for (size_t t = from; t < to; t++) {
        const tvgp_query q = harness_ask(p, (double)t);
        arm[t] = q.arm;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, factor * truth(ROWS + t, (size_t)q.arm % ARMS) + offset));
    }
}

static const char *const learners[] = {"auto-gp-ucb", "gp-ucb",    "igp-ucb",   "tv-gp-ucb", "sw-gp-ucb",
                                       "r-gp-ucb",    "br-gp-ucb", "et-gp-ucb", "ui-gp-ucb", "w-gp-ucb"};
enum { LEARNERS = sizeof learners / sizeof *learners };

/* ---- what is learned -------------------------------------------------------------------------------------------- */

TEST(statistics) {
    double mean[ARMS], other[ARMS];
    make_table(1, 0);
    tvgp_policy *p = create("auto-gp-ucb", "");
    ck_assert_double_eq(harness_stat(p, "history.records"), 0);
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    ck_assert_double_eq(harness_stat(p, "history.records"), ROWS * ARMS - 3);
    ck_assert_double_eq(harness_stat(p, "history.bin_width"), 1);
    ck_assert_double_eq(harness_stat(p, "history.period"), PERIOD);
    ck_assert_double_eq(harness_stat(p, "history.period.0"), PERIOD);
    ck_assert_double_lt(harness_stat(p, "history.error"), 0.3);
    ASSERT_OK(tvgp_policy_prior_mean(p, 0, ARMS, mean));
    ASSERT_OK(tvgp_policy_prior_mean(p, 10 * PERIOD, ARMS, other));
    for (size_t a = 0; a < ARMS; a++) {
        ASSERT_NEAR(mean[a], truth(ROWS, a), 0.35);
        ck_assert_double_eq(mean[a], other[a]);
    }
}

static double regret_of(const int64_t arm[STEPS]) {
    double regret = 0;
    for (size_t t = 0; t < STEPS; t++) {
        double best = -INFINITY;
        for (size_t a = 0; a < ARMS; a++)
            best = fmax(best, truth(ROWS + t, a));
        regret += best - truth(ROWS + t, (size_t)arm[t]);
    }
    return regret;
}

/* Where a log was learned there is nothing to fit, and a kernel is not needed. */
TEST_EACH(plays, LEARNERS) {
    int64_t told[STEPS], untold[STEPS];
    make_table(1, 0);
    tvgp_policy *p = taught(learners[_i], ""), *q = create(learners[_i], "");
    play(p, 0, STEPS, 1, 0, told);
    play(q, 0, STEPS, 1, 0, untold);
    ck_assert_double_lt(regret_of(told), 0.5 * regret_of(untold));
    ck_assert_double_gt(harness_stat(p, "history.refits"), 5);
}

/* Rows may be further apart than time.max_step, which bounds supplied times alone. */
TEST(rows_beyond_the_largest_step) {
    make_table(1, 0);
    tvgp_policy *p = taught("auto-gp-ucb", "time.max_step=0.1"), *q = taught("auto-gp-ucb", "");
    ck_assert_double_eq(harness_stat(p, "history.model_misspecified"), harness_stat(q, "history.model_misspecified"));
}

/* A replay of the log decides about robust mode where single arms jump, unless the caller has; the reward of random is far. */
TEST(replayed) {
    enum { N = 240 };
    static double value[N * ARMS];
    double level[ARMS] = {0};
    struct rnd r = {5};
    for (size_t t = 0; t < N; t++)
        for (size_t a = 0; a < ARMS; a++) {
            level[a] = rnd_uniform(&r) < 0.03 ? 3 * rnd_normal(&r) : level[a];
            value[t * ARMS + a] = level[a] + 0.1 * rnd_normal(&r);
        }
    tvgp_policy *p = create("auto-gp-ucb", ""), *q = create("auto-gp-ucb", "model.assume_misspecified=0"),
                *s = create("auto-gp-ucb", "");
    ASSERT_OK(tvgp_policy_learn_history_table(p, N, NULL, value));
    ASSERT_OK(tvgp_policy_learn_history_table(q, N, NULL, value));
    ck_assert_double_eq(harness_stat(p, "history.model_misspecified"), 1);
    ck_assert_double_eq(harness_stat(q, "history.model_misspecified"), 0);
    for (size_t i = 0; i < N * ARMS; i++)
        value[i] = i % ARMS == i / ARMS * 3 % ARMS ? value[i] : NAN;
    ASSERT_OK(tvgp_policy_learn_history_table(s, N, NULL, value));
    ck_assert_double_eq(harness_stat(s, "history.model_misspecified"), 1); /* what was chosen cannot be replayed */
}

/* Levels that change four times, in so much noise that no forecast follows them. Unless the caller decides, the model counts as
 * misspecified without a replay, and with more noise; what is saved goes on. Levels that stay change nothing. */
static void make_unsteady(double change) {
    struct rnd r = {11};
    double level[ARMS] = {0};
    for (size_t i = 0; i < ROWS * ARMS; i++) {
        if (i % (ROWS / 5 * ARMS) < ARMS)
            level[i % ARMS] = change * rnd_normal(&r);
        table[i] = level[i % ARMS] + 2 * rnd_normal(&r);
    }
}

TEST(unsteady) {
    int64_t first[STEPS], other[STEPS];
    static uint8_t bytes[1 << 20];
    size_t size;
    make_unsteady(0);
    tvgp_policy *steady = taught("auto-gp-ucb", "");
    make_unsteady(1);
    tvgp_policy *p = taught("auto-gp-ucb", ""), *named = taught("auto-gp-ucb", "model.assume_misspecified=1"),
                *q = taught("auto-gp-ucb", "model.assume_misspecified=0");
    ck_assert_double_eq(harness_stat(steady, "history.error"), 1);
    ck_assert_double_eq(harness_stat(steady, "history.model_misspecified"), 0);
    ck_assert_double_eq(harness_stat(p, "history.error"), 1);
    ck_assert_double_eq(harness_stat(p, "history.model_misspecified"), 1);
    ck_assert_double_eq(harness_stat(q, "history.model_misspecified"), 0);
    ck_assert_double_eq(harness_stat(p, "noise.factor.0"), 1);
    ck_assert_double_eq(harness_stat(p, "noise.factor.32"), 100);
    ck_assert_double_eq(harness_stat(named, "noise.factor.32"), 100);
    ck_assert_double_eq(harness_stat(q, "noise.factor.13"), 1);
    play(p, 0, 30, 1, 0, first);
    ASSERT_OK(tvgp_policy_save_full(p, sizeof bytes, bytes, &size));
    tvgp_policy *made = MAKE_POLICY(tvgp_policy_restore, ctx, size, bytes, NULL, NULL);
    ck_assert_double_eq(harness_stat(made, "noise.factor.32"), 100);
    play(p, 30, STEPS, 1, 0, first);
    play(made, 30, STEPS, 1, 0, other);
    ck_assert_mem_eq(first + 30, other + 30, (STEPS - 30) * sizeof *first);
}

/* A policy that cannot learn such a log for lack of memory has learned nothing, and can learn it later. */
TEST(unsteady_lack_of_memory) {
    make_unsteady(1);
    tvgp_policy *p = create("auto-gp-ucb", "");
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t k = 1; status < 0; k++) {
        memory.withheld = memory.fail_in = k;
        status = tvgp_policy_learn_history_table(p, ROWS, NULL, table);
        memory.fail_in = memory.withheld = 0;
        ck_assert(status == TVGP_OK || status == TVGP_ERR_NOMEM);
        ck_assert_double_eq(harness_stat(p, "history.records"), status < 0 ? 0 : ROWS * ARMS);
    }
    ck_assert_double_eq(harness_stat(p, "history.model_misspecified"), 1);
}

/* How often the interrupt function is called while this log is learned. */
static int32_t count_call(void *user) {
    ++*(size_t *)user;
    return 0;
}

static size_t calls_of(size_t rows, const double *value, const char *options) {
    size_t calls = 0;
    tvgp_policy *p = create("auto-gp-ucb", options);
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, count_call, &calls, NULL));
    ASSERT_OK(tvgp_policy_learn_history_table(p, rows, NULL, value));
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    return calls;
}

/* Two settings are played on four subsets of the arms where the first ones decide, and on eleven where they do not; each row of a run
 * is interruptible. */
TEST(replayed_subsets) {
    enum { N = 240, PLAYED = N / 3, LOGS = 6 };
    static double value[N * ARMS];
    size_t most = 0, least = SIZE_MAX;
    for (uint64_t log = 1; log <= LOGS; log++) {
        double level[ARMS] = {0};
        struct rnd r = {log};
        for (size_t i = 0; i < N * ARMS; i++) {
            level[i % ARMS] = rnd_uniform(&r) < 0.05 ? rnd_normal(&r) : level[i % ARMS];
            value[i] =
                level[i % ARMS] + 0.3 * rnd_normal(&r) + 0.7 * sin(2 * 3.14159265358979323846 * (double)(i / ARMS) / PERIOD);
        }
        const size_t calls = calls_of(N, value, "") - calls_of(N, value, "model.assume_misspecified=0");
        most = calls > most ? calls : most;
        least = calls < least ? calls : least;
    }
    ck_assert_uint_ge(least, 4 * 2 * PLAYED);
    ck_assert_uint_ge(most - least, (11 - 4) * 2 * PLAYED);
}

/* To arms without variance no other is similar, whatever the kernel: as if it said that they are independent. */
TEST(arms_without_variance) {
    double mean[2][ARMS], var[2][ARMS];
    make_table(1, 0);
    for (size_t i = 0; i < ROWS * ARMS; i++) /* as it was chosen: the kernel says how arms are similar */
        table[i] = i % ARMS == i / ARMS * 3 % ARMS ? table[i] : NAN;
    for (int one = 0; one < 2; one++) {
        double K[ARMS * ARMS];
        for (size_t i = 0; i < ARMS * ARMS; i++)
            K[i] = i / ARMS == 2 || i % ARMS == 2 ? one * (i / ARMS == i % ARMS) : i / ARMS == i % ARMS ? 1 : .5;
        tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, ARMS, K);
        tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_indices(ARMS), kernel);
        ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, 0).id, 3));
        ASSERT_OK(tvgp_policy_predict(p, 0, ARMS, NULL, mean[one], var[one]));
    }
    for (size_t a = 0; a < ARMS; a++) {
        ck_assert_double_eq(mean[0][a], mean[1][a]);
        ck_assert_double_eq(var[0][a], var[1][a]);
    }
}

/* ---- units, signs, orders --------------------------------------------------------------------------------------- */

TEST(other_units) {
    int64_t first[STEPS], other[STEPS];
    make_table(1, 0);
    tvgp_policy *p = taught("auto-gp-ucb", ""), *q;
    play(p, 0, STEPS, 1, 0, first);
    make_table(-256, 1024);
    q = taught("auto-gp-ucb", "sense=min");
    play(q, 0, STEPS, -256, 1024, other);
    for (size_t t = 0; t < STEPS; t++)
        ck_assert_int_eq(first[t], other[t]);
}

/* As records in another order, with times and places of their own. */
TEST(as_records) {
    enum { N = ROWS * ARMS };
    static tvgp_obs obs[N];
    static double x[N * 2], points[ARMS * 2];
    int64_t first[STEPS], other[STEPS];
    size_t n = 0;
    make_table(1, 0);
    tvgp_policy *p = taught("auto-gp-ucb", "");
    play(p, 0, STEPS, 1, 0, first);
    for (size_t a = 0; a < ARMS; a++) {
        points[2 * a] = (double)(a % 3);
        points[2 * a + 1] = (double)a / 8;
    }
    tvgp_policy *q = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_arms(ARMS, 2, points), NULL);
    for (size_t i = 0; i < N; i++) {
        const size_t k = i * 11 % N, row = k / ARMS; /* 11 and N have no common factor */
        obs[n] = (tvgp_obs){.y = table[k], .t = (double)row - ROWS, .flags = TVGP_OBS_HAS_TIME};
        if (isnan(table[k]))
            obs[n] = (tvgp_obs){.outcome = TVGP_SKIPPED};
        memcpy(x + 2 * n++, points + k % ARMS * 2, 2 * sizeof *x);
    }
    ASSERT_OK(tvgp_policy_learn_history(q, n, obs, x));
    play(q, 0, STEPS, 1, 0, other);
    for (size_t t = 0; t < STEPS; t++)
        ck_assert_int_eq(first[t], other[t]);
}

/* The best arm of each hour, whatever hour was looked at before. */
TEST(best_of_its_time) {
    int64_t arm, first[PERIOD], last = -1, changes = 0;
    double mean[ARMS], var[ARMS];
    make_table(1, 0);
    tvgp_policy *p = taught("auto-gp-ucb", "");
    for (size_t turn = 0; turn < 3; turn++) {
        if (turn == 1)
            play(p, 0, 1, 1, 0, &arm);
        for (size_t t = 1; t <= PERIOD; t++) {
            ASSERT_OK(tvgp_policy_best(p, (double)t, &arm, NULL));
            ASSERT_OK(tvgp_policy_predict(p, (double)t + 5, ARMS, NULL, mean, var));
            ASSERT_OK(tvgp_policy_best(p, (double)t, &first[t - 1], NULL));
            ck_assert_int_eq(first[t - 1], arm);
            ASSERT_OK(tvgp_policy_predict(p, (double)t, ARMS, NULL, mean, var));
            for (size_t a = 0; a < ARMS; a++)
                ck_assert_double_le(mean[a], mean[arm]);
            changes += arm != last;
            last = arm;
        }
    }
    ck_assert_int_gt(changes, 10);
}

/* Everything is suddenly lower, and some of it higher: the change is in the posterior until the prior is learned again, and in the prior mean
 * after it. If it were in both, the error would grow with the refit. */
static double error_of(tvgp_policy *p, double t) {
    double mean[ARMS], var[ARMS], error = 0;
    ASSERT_OK(tvgp_policy_predict(p, t, ARMS, NULL, mean, var));
    for (size_t a = 0; a < ARMS; a++) {
        const double off = mean[a] - ((double)a + (a == 2 ? 3 : -3));
        error += off * off;
    }
    return error;
}

TEST_EACH(told_once, LEARNERS) {
    enum { EVERY = 25 };
    struct rnd r = {3};
    for (size_t i = 0; i < ROWS * ARMS; i++)
        table[i] = (double)(i % ARMS) + 0.5 * rnd_normal(&r);
    tvgp_policy *p = taught(learners[_i], "history.refit_interval=25");
    for (size_t t = 0; t < 3 * EVERY + 2; t++) {
        const double refits = harness_stat(p, "history.refits"), resets = harness_stat(p, "resets"),
                     before = error_of(p, (double)t);
        const tvgp_query q = harness_ask(p, (double)t);
        if (harness_stat(p, "history.refits") > refits && harness_stat(p, "resets") == resets)
            ck_assert_double_le(error_of(p, (double)t), before);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, (double)q.arm + (q.arm == 2 ? 3 : -3)));
    }
    ck_assert_double_eq(harness_stat(p, "history.refits"), 3);
}

/* Much longer than what is kept: as if nothing had been recorded before the newest 8192 rows. */
TEST(a_million_rows) {
    enum { MANY = 1000000, FEW = 3, KEPT = 8192 };
    double *value = malloc(sizeof *value * MANY * FEW), mean[2][FEW];
    struct rnd r = {1};
    for (size_t i = 0; i < (size_t)MANY * FEW; i++)
        value[i] =
            (double)(i % FEW) + sin(2 * 3.14159265358979323846 * (double)(i / FEW % PERIOD) / PERIOD) + rnd_uniform(&r);
    tvgp_domain *domain = harness_indices(FEW);
    for (size_t i = 0; i < 2; i++) {
        tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL);
        ASSERT_OK(tvgp_policy_set_i64(p, "model.assume_misspecified", 0)); /* nothing is replayed */
        ASSERT_OK(tvgp_policy_learn_history_table(p, i ? KEPT : MANY, NULL, i ? value + (MANY - KEPT) * FEW : value));
        ck_assert_double_eq(harness_stat(p, "history.records"), KEPT * FEW);
        ck_assert_double_eq(harness_stat(p, "history.period"), PERIOD);
        ASSERT_OK(tvgp_policy_prior_mean(p, 5, FEW, mean[i]));
    }
    ASSERT_ALL_NEAR(FEW, mean[0], mean[1], 1e-9);
    free(value);
}

/* One arm has a season too; one row is a level of each arm, half assumed. */
TEST(least_logs) {
    double mean[ARMS];
    make_table(1, 0);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_indices(1), NULL);
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS * ARMS / PERIOD * PERIOD, NULL, table + ROWS * ARMS % PERIOD));
    for (size_t t = 0; t < STEPS; t++) {
        const tvgp_query q = harness_ask(p, (double)t);
        ck_assert_int_eq(q.arm, 0);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin((double)t)));
    }
    ASSERT_OK(tvgp_policy_prior_mean(p, STEPS, 1, mean));
    ck_assert(isfinite(mean[0]));
    double row[ARMS], sum = 0;
    for (size_t a = 0; a < ARMS; a++)
        sum += row[a] = (double)(a * a);
    p = create("auto-gp-ucb", "");
    ASSERT_OK(tvgp_policy_learn_history_table(p, 1, NULL, row));
    ASSERT_OK(tvgp_policy_prior_mean(p, 0, ARMS, mean));
    for (size_t a = 0; a < ARMS; a++)
        ASSERT_NEAR(mean[a], 0.5 * (row[a] + sum / ARMS), 1e-12);
    int64_t arm[STEPS];
    play(p, 0, STEPS, 1, 0, arm);
}

/* ---- state ------------------------------------------------------------------------------------------------------ */

/* A log takes the place of another, and of none, in a policy that plays; a snapshot from before takes it away. */
TEST(learned_later) {
    int64_t arm[STEPS];
    static uint8_t bytes[1 << 20];
    double var, mean[ARMS];
    size_t size;
    make_table(1, 0);
    tvgp_policy *p = create("auto-gp-ucb", "");
    play(p, 0, 20, 1, 0, arm);
    ASSERT_OK(tvgp_policy_save(p, sizeof bytes, bytes, &size));
    const double asked = harness_stat(p, "asked");
    const tvgp_query open = harness_ask(p, 20);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
        ck_assert_double_eq(harness_stat(p, "observations"), i ? 11 : 0); /* the outcomes since the first log */
        if (!i) {
            ASSERT_OK(tvgp_policy_tell_value(p, open.id, truth(ROWS + 20, (size_t)open.arm)));
            play(p, 21, 31, 1, 0, arm);
        }
    }
    ck_assert_double_eq(harness_stat(p, "asked"), asked + 11);
    play(p, 31, STEPS, 1, 0, arm);
    ASSERT_OK(tvgp_policy_load(p, size, bytes));
    ck_assert_double_eq(harness_stat(p, "history.records"), 0);
    ASSERT_OK(tvgp_policy_predict(p, 20, 1, (double[]){3}, mean, &var));
    play(p, 20, STEPS, 1, 0, arm);
}

TEST_EACH(more_arms, 2 * LEARNERS) {
    int64_t arm[STEPS];
    double mean[ARMS + 2], before[ARMS], var[ARMS + 2], all = 0;
    make_table(1, 0);
    tvgp_policy *p = taught(learners[_i / 2], "");
    if (_i % 2)
        play(p, 0, 30, 1, 0, arm);
    ASSERT_OK(tvgp_policy_prior_mean(p, 30, ARMS, before));
    tvgp_domain *larger = harness_indices(ARMS + 2);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_extend(p, larger, (double[]){0, 0}), "new_mean");
    ASSERT_OK(tvgp_policy_extend(p, larger, NULL));
    ASSERT_OK(tvgp_policy_prior_mean(p, 30, ARMS + 2, mean));
    for (size_t a = 0; a < ARMS; a++) {
        ASSERT_NEAR(mean[a], before[a], 0.05); /* rows since the refit may have joined */
        all += before[a] / ARMS;
    }
    ck_assert_double_eq(mean[ARMS], mean[ARMS + 1]);
    ASSERT_NEAR(mean[ARMS], all, 0.6);
    ASSERT_OK(tvgp_policy_predict(p, 40, ARMS + 2, NULL, mean, var));
    ck_assert_double_eq(var[ARMS], var[ARMS + 1]);
    ck_assert_double_gt(var[ARMS], 0.1);
    play(p, 40, STEPS, 1, 0, arm);
}

/* Asks at each time; up to `observed` each arm has an observation, 3 above the log. */
static void report(tvgp_policy *p, size_t from, size_t to, size_t observed) {
    for (size_t t = from; t < to; t++) {
        const tvgp_query q = harness_ask(p, (double)t);
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_CANCELLED}, NULL));
        for (size_t a = 0; t < observed && a < ARMS; a++) {
            const double x = (double)a;
            const tvgp_obs obs = tvgp_obs_unsolicited((double)t, truth(ROWS + t, a) + 3);
            ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
        }
    }
}

/* What was observed before an extension counts after it: the prior of the old arms is nearly the same as in a policy without new ones. */
TEST_EACH(rows_of_more_arms, 2) {
    double mean[ARMS + 2], other[ARMS];
    make_table(1, 0);
    tvgp_policy *p = taught(learners[_i], "history.refit_interval=25"),
                *q = taught(learners[_i], "history.refit_interval=25");
    report(p, 0, 40, 40);
    report(q, 0, 40, 40);
    ASSERT_OK(tvgp_policy_extend(p, harness_indices(ARMS + 2), NULL));
    const double refits = harness_stat(q, "history.refits");
    size_t t = 40;
    for (; harness_stat(q, "history.refits") == refits; t++) {
        report(p, t, t + 1, 0);
        report(q, t, t + 1, 0);
    }
    ASSERT_OK(tvgp_policy_prior_mean(p, (double)t, ARMS + 2, mean));
    ASSERT_OK(tvgp_policy_prior_mean(q, (double)t, ARMS, other));
    for (size_t a = 0; a < ARMS; a++)
        ck_assert_msg(fabs(mean[a] - other[a]) < 0.15, "%s: arm %zu at %zu: %g, %g", learners[_i], a, t, mean[a], other[a]);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Steps between refits ask for no memory, once the unit of time is known (64 steps). */
TEST(no_allocation) {
    int64_t arm[STEPS];
    make_table(1, 0);
    tvgp_policy *p = taught("auto-gp-ucb", "history.refit_interval=1000");
    play(p, 0, 65, 1, 0, arm);
    const size_t before = memory.allocated;
    play(p, 65, STEPS, 1, 0, arm);
    ck_assert_uint_eq(memory.allocated, before);
}

/* A policy that is given time between its steps plays the same, and no ask waits for a refit. */
TEST_EACH(refits_between_asks, LEARNERS) {
    size_t evals = 7;
    int64_t arm[STEPS], other[STEPS];
    make_table(1, 0);
    tvgp_policy *p = taught(learners[_i], ""), *q = taught(learners[_i], "");
    ASSERT_OK(tvgp_policy_fit(q, 1, &evals)); /* nothing to do yet */
    for (size_t t = 0; t < STEPS; t++) {
        const double refits = harness_stat(q, "history.refits");
        play(p, t, t + 1, 1, 0, arm);
        play(q, t, t + 1, 1, 0, other);
        ck_assert_int_eq(arm[t], other[t]);
        ck_assert_double_eq(harness_stat(q, "history.refits"), refits);
        ASSERT_OK(tvgp_policy_fit(q, 1, &evals));
        ck_assert_uint_eq(evals, 0);
    }
    ck_assert_double_gt(harness_stat(p, "history.refits"), 5);
    ck_assert_double_ge(harness_stat(q, "history.refits"), harness_stat(p, "history.refits"));
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

TEST(refused) {
    const double one = 1, wild[ARMS] = {1, 2, INFINITY};
    double blank[ARMS], mean[ARMS];
    const tvgp_obs timeless = {.y = 1}, asked = {.id = 3, .y = 1, .flags = TVGP_OBS_HAS_TIME};
    tvgp_obs good = {.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 2};
    make_table(1, 0);
    tvgp_policy *p = create("auto-gp-ucb", "");
    for (size_t a = 0; a < ARMS; a++)
        blank[a] = NAN;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history_table(p, 0, NULL, table), "no record");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history_table(p, 1, NULL, blank), "no record");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history_table(p, 1, NULL, NULL), "value is NULL");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_history_table(p, 1, NULL, wild), "value[0,2]");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_history_table(p, 1, (double[]){NAN}, table), "t");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history(p, 1, &timeless, &one), "obs[0] has no time");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history(p, 1, &asked, &one), "obs[0].id = 3");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_learn_history(p, 1, &good, (double[]){0.5}), "x[0] = (0.5) is no arm");
    good.y = NAN;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_learn_history(p, 1, &good, &one), "y");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_prior_mean(p, 0, 3, mean), "n = 3 must be 7");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_prior_mean(p, NAN, ARMS, mean), "t");
    ASSERT_OK(tvgp_policy_set_str(p, "history.periods", "12,x"));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_learn_history_table(p, ROWS, NULL, table), "history.periods", "12,x");
    ASSERT_OK(tvgp_policy_set_str(p, "history.periods", "0"));
    ASSERT_OK(tvgp_policy_learn_history_table(p, ROWS, NULL, table));
    ck_assert_double_eq(harness_stat(p, "history.period"), 0);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set_prior_mean(p, 1, &one), "learned from historical data");
    static const char *const others[] = {"random", "bkb", "sparq-gp-ucb", "pe-gp-ucb"};
    for (size_t i = 0; i < 4; i++) {
        p = MAKE_POLICY(tvgp_policy_create, ctx, others[i], harness_indices(ARMS), harness_se(1, 1, &one));
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_learn_history_table(p, ROWS, NULL, table), others[i]);
    }
    p = create("auto-gp-ucb", "fit=map");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_learn_history_table(p, ROWS, NULL, table), "fit");
    p = create("auto-gp-ucb", "season.period=12");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_learn_history_table(p, ROWS, NULL, table), "season.period");
}

static tvgp_status learn_within(tvgp_policy *p, int64_t work, size_t rows, const double *value) {
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, work));
    const tvgp_status status = tvgp_policy_learn_history_table(p, rows, NULL, value);
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    return status;
}

/* A quota of work ends learning at any of its stages, and nothing is learned then. The replay takes most of it. */
TEST(quota) {
    size_t ended = 0, size;
    int64_t least[2];
    unsigned char *state[2];
    make_table(1, 0);
    for (int replay = 0; replay < 2; replay++) {
        tvgp_policy *p = create("auto-gp-ucb", replay ? "" : "model.assume_misspecified=0");
        int64_t work = 1;
        ASSERT_OK(tvgp_policy_save_full(p, 0, NULL, &size));
        for (int i = 0; i < 2; i++)
            state[i] = calloc(size, 1);
        ASSERT_OK(tvgp_policy_save_full(p, size, state[0], &size));
        for (tvgp_status status; (status = learn_within(p, work, ROWS, table)) != TVGP_OK; work += work / 16 + 1, ended++) {
            ck_assert_int_eq(status, TVGP_ERR_LIMIT);
            ASSERT_OK(tvgp_policy_save_full(p, size, state[1], &size));
            ck_assert_mem_eq(state[0], state[1], size);
        }
        least[replay] = work;
        for (int i = 0; i < 2; i++)
            free(state[i]);
    }
    ck_assert_uint_gt(ended, 300);
    ck_assert_int_gt(least[0], ROWS / 3 * ROWS * ARMS); /* the search for periods */
    ck_assert_int_gt(least[1], least[0] + 22 * (ROWS / 3) * ARMS * ARMS);
}

/* 800,000 values are read more than a dozen times. */
TEST(quota_of_a_large_table) {
    enum { MANY = 4096, COLUMNS = 200 };
    double *value = calloc(MANY * COLUMNS, sizeof *value);
    for (size_t i = 0; i < MANY * COLUMNS; i++)
        value[i] = truth(i / COLUMNS, i % COLUMNS);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_indices(COLUMNS), NULL);
    ck_assert_int_eq(learn_within(p, 10000000, MANY, value), TVGP_ERR_LIMIT);
    ck_assert_double_eq(harness_stat(p, "history.records"), 0);
    free(value);
}

/* Logs that say little, or strange things: a policy plays on. */
TEST_EACH(poor_logs, 8) {
    static double value[50 * ARMS], time[50];
    int64_t arm[STEPS];
    double mean[ARMS], var[ARMS];
    size_t rows = 50;
    for (size_t i = 0; i < 50 * ARMS; i++)
        value[i] = _i == 0 ? 3 : _i == 1 && i / ARMS ? NAN : _i == 2 && i % ARMS == 2 ? NAN : truth(i / ARMS, i % ARMS);
    for (size_t t = 0; t < 50; t++)
        time[t] = _i == 3   ? (t < 25 ? -1e6 : -1000) + (double)t
                  : _i == 4 ? -5
                  : _i == 6 ? -1e9 - (double)(50 * t)
                            : (double)t - 50;
    if (_i == 5)
        rows = 3;
    if (_i == 7)
        for (size_t i = 0; i < 50 * ARMS; i++)
            value[i] = i % ARMS == i / ARMS * 5 % ARMS ? truth(i / ARMS, i % ARMS) : NAN; /* what was chosen only */
    tvgp_policy *p = create("auto-gp-ucb", "");
    ASSERT_OK(tvgp_policy_learn_history_table(p, rows, time, value));
    play(p, 0, STEPS, 1, 0, arm);
    ASSERT_OK(tvgp_policy_predict(p, STEPS, ARMS, NULL, mean, var));
    for (size_t a = 0; a < ARMS; a++)
        ck_assert(isfinite(mean[a]) && isfinite(var[a]));
}

HARNESS_MAIN("recall")
