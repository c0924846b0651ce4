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
    ASSERT_OK(tvgp_ctx_set_logger(ctx, listen, NULL, NULL));
    policy = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
}

static void close_heard(void) {
    tvgp_policy_destroy(policy);
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
}

static const char *const families[] = {"pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};

/* Once, at the first ask, not in predictions before it; never when there is a prior. */
TEST_EACH(without_priors, 8) {
    int64_t best;
    int added = _i % 2;
    open_heard(families[_i / 2], "no prior");
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(1));
    if (added)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0));
    ASSERT_OK(tvgp_policy_best(policy, 0, &best, NULL));
    ck_assert_int_eq(heard.lines, 0);
    for (double t = 1; t <= 5; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 0.1));
    ck_assert_int_eq(heard.lines, !added);
    ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0));
    harness_ask(policy, 6);
    ck_assert_int_eq(heard.lines, !added);
    close_heard();
}

/* Asks and reports until ten side queries were given, the k-th of them with a value. */
static void play_expert(int k) {
    int side = 0;
    for (double t = 1; side < 12; t++) {
        tvgp_query q[CASES_ARMS];
        size_t n;
        ASSERT_OK(tvgp_policy_ask(policy, t, CASES_ARMS, q, NULL, &n));
        for (size_t i = 0; i < n; i++) {
            int skip = q[i].kind == TVGP_SIDE && ++side != k;
            const tvgp_obs o = {.id = q[i].id, .outcome = skip ? TVGP_SKIPPED : TVGP_VALUE, .y = 0.1};
            ASSERT_OK(tvgp_policy_tell(policy, 1, &o, NULL));
            ck_assert_int_eq(heard.lines, k > 10 && side >= 10);
        }
    }
}

TEST_EACH(without_an_expert, 4) {
    static const char *const names[] = {"sparq-gp-ucb", "w-sparq-gp-ucb"};
    open_heard(names[_i / 2], "skipped");
    play_expert(_i % 2 ? 100 : 9);
    close_heard();
}

/* Rewards around 200 against a prior mean of 0: one line, at the tenth outcome, for every policy with a model; none when the
 * mean is given. */
TEST_EACH(rewards_out_of_proportion, 2 * harness_policies()) {
    const char *name, *doc;
    double surprise, mean[CASES_ARMS];
    struct rnd r = {2};
    int answers = 0, told = _i % 2;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i / 2, &name, &doc));
    open_heard(name, "surprise");
    for (size_t i = 0; i < CASES_ARMS; i++)
        mean[i] = 200;
    if (told)
        ASSERT_OK(tvgp_policy_set_prior_mean(policy, CASES_ARMS, mean));
    if (tvgp_policy_stat(policy, "surprise", &surprise) == TVGP_OK) {
        ck_assert_double_eq(surprise, 0);
        for (double t = 1; t <= 20; t++) {
            ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 200 + 0.1 * rnd_normal(&r)));
            ck_assert_int_eq(heard.lines, !told && ++answers >= 10);
        }
        if (told)
            ck_assert_double_lt(harness_stat(policy, "surprise"), 4);
    }
    close_heard();
}

/* Steps of time that do not fit the rate: one line for policies that forget with time, none for steps that fit. */
static const struct pace {
    const char *policy, *key; /* f64 */
    double value, step;
    int lines;
} paces[] = {
    {"tv-gp-ucb", "epsilon", 0.03, 1, 0},
    {"tv-gp-ucb", "epsilon", 0.03, 310, 1}, /* .97^155 = .009 */
    {"tv-gp-ucb", "epsilon", 0.03, 300, 0},
    {"tv-gp-ucb", "epsilon", 0.03, 6e-5, 1}, /* .97^3e-5 = 1 - 9e-7 */
    {"tv-gp-ucb", "epsilon", 0.03, 7e-5, 0},
    {"tv-gp-ucb", "epsilon", 0, 1e-9, 0},
    {"gp-ucb", "noise", 0.01, 1e9, 0},
    {"r-gp-ucb", "epsilon", 0.03, 1e9, 0},
    {"auto-gp-ucb", "noise", 0.01, 1, 0},
    {"auto-gp-ucb", "noise", 0.01, 1e3, 0},
    {"auto-gp-ucb", "noise", 0.01, 6e4, 0}, /* the unit is found */
    {"auto-gp-ucb", "noise", 0.01, 1e-7, 0},
    {"auto-gp-ucb", "time.unit", 1, 1e3, 0},
    {"auto-gp-ucb", "time.unit", 1, 6e4, 1},
    {"auto-gp-ucb", "time.unit", 1, 1e-7, 1},
    {"w-gp-ucb", "decay", 0.9, 1, 0},
    {"w-gp-ucb", "decay", 0.9, 90, 1},
    {"w-gp-ucb", "decay", 0.9, 1e-6, 1},
    {"w-gp-ucb", "decay", 1, 1e6, 0},
    {"ui-gp-ucb", "noise_growth.rate", 0.03, 1, 0},
    {"ui-gp-ucb", "noise_growth.rate", 0.03, 4e5, 1},
    {"ui-gp-ucb", "noise_growth.rate", 0, 4e5, 0},
    {"pe-gp-ucb", "noise", 0.01, 1e6, 0},
    {"sparq-gp-ucb", "noise", 0.01, 1, 0},
    {"sparq-gp-ucb", "noise", 0.01, 1e3, 1},
    {"w-sparq-gp-ucb", "noise_growth.exponent", 0, 1e6, 0},
};

TEST_EACH(pace_of_time, sizeof paces / sizeof *paces) {
    const struct pace *pace = &paces[_i];
    int actions = 0;
    open_heard(pace->policy, "correlation in time");
    ASSERT_OK(tvgp_policy_set_f64(policy, pace->key, pace->value));
    for (double t = 1e3; actions < 5; t += pace->step) {
        tvgp_query q[CASES_ARMS];
        size_t n;
        ASSERT_OK(tvgp_policy_ask(policy, t, CASES_ARMS, q, NULL, &n));
        for (size_t i = 0; i < n; i++) {
            actions += q[i].kind == TVGP_ACTION;
            ASSERT_OK(tvgp_policy_tell_value(policy, q[i].id, 0.1));
        }
        ASSERT_OK(tvgp_policy_ask(policy, t, CASES_ARMS, q, NULL, &n)); /* at the same time: nothing to say */
        for (size_t i = 0; i < n; i++)
            ASSERT_OK(tvgp_policy_tell_value(policy, q[i].id, 0.1));
    }
    ck_assert_int_eq(heard.lines, pace->lines);
    close_heard();
}

/* ---- surprise --------------------------------------------------------------------------------------------------- */

/* By hand, from what the policy says of its choice before the outcome; the last 32 count, batches too. */
TEST_EACH(surprise_by_hand, 7) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "w-gp-ucb", "bkb", "auto-gp-ucb", "pe-gp-ucb"};
    enum { STEPS = 75 };
    double ratio[STEPS], own_mean[CASES_ARMS];
    struct rnd r = {3};
    policy = MAKE_POLICY(cases_policy, ctx, names[_i], cases_kernel_at(0));
    for (size_t i = 0; i < CASES_ARMS; i++)
        own_mean[i] = (double)i;
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, CASES_ARMS, own_mean));
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q = harness_ask(policy, t);
        double y = own_mean[q.arm] + rnd_normal(&r), sd = harness_stat(policy, "sd"), want = 0;
        double e = y - own_mean[q.arm] - harness_stat(policy, "mean"), noise = t % 3 ? 0.01 : 0.5;
        const tvgp_obs o = {.id = q.id, .y = y, .flags = t % 3 ? 0 : TVGP_OBS_HAS_NOISE, .noise_var = t % 3 ? 0 : 0.5};
        ratio[t] = e * e / (sd * sd + noise);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &o, NULL));
        int from = t < 32 ? 0 : t - 31;
        for (int i = from; i <= t; i++)
            want += ratio[i] / (t + 1 - from);
        ASSERT_NEAR(harness_stat(policy, "surprise"), want, 1e-9);
    }
    ck_assert_double_eq(harness_stat(policy, "outliers"), 0);
}

/* Where a prediction costs an optimisation, an unsolicited observation is predicted only if outlier.sd needs it. */
TEST_EACH(answers_that_are_not_predicted, 2) {
    for (int limited = 0; limited < 2; limited++) {
        policy = MAKE_POLICY(cases_policy, ctx, _i ? "ui-gp-ucb" : "w-gp-ucb", cases_kernel_at(0));
        if (limited)
            ASSERT_OK(tvgp_policy_set(policy, "outlier.sd=3"));
        double x[2];
        for (int t = 0; t < 5; t++) {
            tvgp_query q = harness_ask_at(policy, t, x);
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 0.1 * t));
        }
        const double before = harness_stat(policy, "surprise");
        const tvgp_obs far = tvgp_obs_unsolicited(5, 50);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &far, x));
        ck_assert_double_eq(harness_stat(policy, "outliers"), limited);
        ck_assert((harness_stat(policy, "surprise") == before) == !limited);
    }
}

/* On rewards drawn from the model itself, still or drifting: 1, whatever is chosen. 100 runs of 32 outcomes: 5 standard errors
 * of a mean of squared normals. */
TEST_EACH(surprise_of_the_model_itself, 2) {
    enum { ARMS = 8, RUNS = 100, STEPS = 50 };
    double K[ARMS * ARMS] = {0}, f[ARMS], sum = 0, m = _i ? sqrt(0.95) : 1;
    struct rnd r = {11};
    for (size_t i = 0; i < ARMS; i++)
        K[i * ARMS + i] = 1;
    tvgp_domain *domain = harness_indices(ARMS);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, ARMS, K);
    for (int run = 0; run < RUNS; run++) {
        policy = MAKE_POLICY(tvgp_policy_create, ctx, _i ? "tv-gp-ucb" : "gp-ucb", domain, kernel);
        if (_i)
            ASSERT_OK(tvgp_policy_set_f64(policy, "epsilon", 0.05));
        for (size_t i = 0; i < ARMS; i++)
            f[i] = rnd_normal(&r);
        for (int t = 0; t < STEPS; t++) {
            tvgp_query q = harness_ask(policy, t);
            ASSERT_OK(tvgp_policy_tell_value(policy, q.id, f[q.arm] + 0.1 * rnd_normal(&r)));
            for (size_t i = 0; i < ARMS; i++)
                f[i] = m * f[i] + sqrt(1 - m * m) * rnd_normal(&r);
        }
        sum += harness_stat(policy, "surprise") / RUNS;
    }
    ck_assert_double_eq_tol(sum, 1, 5 * sqrt(2.0 / (32 * RUNS)));
}

/* ---- outliers --------------------------------------------------------------------------------------------------- */

/* One outcome far away moves the mean as one at four standard deviations does, and leaves more variance. */
TEST_EACH(moves_the_mean_as_far, 10) {
    static const char *const names[] = {"gp-ucb",    "igp-ucb",  "tv-gp-ucb", "r-gp-ucb", "br-gp-ucb",
                                        "sw-gp-ucb", "w-gp-ucb", "ui-gp-ucb", "bkb",      "pe-gp-ucb"};
    double X[CASES_ARMS * 2], mean[2][CASES_ARMS], var[2][CASES_ARMS];
    tvgp_policy *twin[2];
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    for (int k = 0; k < 2; k++) {
        twin[k] = MAKE_POLICY(cases_policy, ctx, names[_i], cases_kernel_at(0));
        ASSERT_OK(tvgp_policy_set_f64(twin[k], "outlier.sd", k ? 0 : 4));
        if (strcmp(names[_i], "bkb") == 0) /* every arm in the dictionary */
            ASSERT_OK(tvgp_policy_set_f64(twin[k], "qbar", 1e15));
        for (double t = 1; t <= 8; t++) {
            const double *x = X + 2 * (7 * (size_t)t % CASES_ARMS);
            ASSERT_OK(tvgp_policy_tell(twin[k], 1, &(tvgp_obs){.y = 0.1 * sin(t), .flags = TVGP_OBS_HAS_TIME, .t = t}, x));
        }
        double m, v;
        ASSERT_OK(tvgp_policy_predict(twin[k], 8, 1, X, &m, &v));
        double far = m - 4 * sqrt(v + 0.01);
        const tvgp_obs o = {.y = k ? far : -1e6, .flags = TVGP_OBS_HAS_TIME, .t = 8};
        ASSERT_OK(tvgp_policy_tell(twin[k], 1, &o, X));
        ASSERT_OK(tvgp_policy_predict(twin[k], 8, CASES_ARMS, X, mean[k], var[k]));
        ck_assert_double_eq(harness_stat(twin[k], "outliers"), !k);
    }
    ASSERT_NEAR(mean[0][0], mean[1][0], 1e-9);
    ck_assert_double_gt(var[0][0], var[1][0]);
    ASSERT_ALL_NEAR(CASES_ARMS, mean[0], mean[1], 1e-9);
}

/* A field that drifts over an 8 x 8 grid, noise of sd 0.1, 400 steps, an expert at hand; +1e6 at the action of t = 100.
 * Returns the number of distinct arms played after it, 0 for a policy without a model. */
static int arms_after(const char *name, double sd, double outlier) {
    static const double low[] = {0, 0}, high[] = {1, 1};
    enum { SIDE = 8 };
    struct rnd r = {7};
    int seen[SIDE * SIDE] = {0}, distinct = 0;
    tvgp_kernel *kernel = harness_se(2, 1, (const double[]){0.2});
    policy = MAKE_POLICY(tvgp_policy_create, ctx, name, harness_grid(2, low, high, (const size_t[]){SIDE, SIDE}), kernel);
    int has_model = tvgp_policy_set_f64(policy, "outlier.sd", sd) == TVGP_OK;
    for (double t = 1; has_model && t <= 400;) {
        tvgp_query q[16];
        double x[32];
        size_t n;
        int acted = 0;
        ASSERT_OK(tvgp_policy_ask(policy, t, 16, q, x, &n));
        for (size_t i = 0; i < n; i++) {
            int action = q[i].kind == TVGP_ACTION;
            double y = sin(6 * x[2 * i] + 0.02 * t) * cos(5 * x[2 * i + 1] - 0.013 * t) + 0.1 * rnd_normal(&r);
            ASSERT_OK(tvgp_policy_tell_value(policy, q[i].id, y + (action && t == 100 ? outlier : 0)));
            distinct += action && t > 100 && !seen[q[i].arm]++;
            acted += action;
        }
        t += acted;
    }
    return distinct;
}

static int is_one_of(const char *name, const char *const *names) {
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* With outlier.sd 4 at least half as many arms are played after the outlier as without it, by every policy with a model;
 * without the option these are not. */
TEST_EACH(plays_on_after_an_outlier, harness_policies()) {
    static const char *const stuck[] = {"gp-ucb",     "igp-ucb",   "tv-gp-ucb", "ui-gp-ucb", "w-gp-ucb", "pe-gp-ucb",
                                        "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb", "bkb",       NULL};
    const char *name, *doc;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    int without = arms_after(name, 4, 0), robust = arms_after(name, 4, 1e6), plain = arms_after(name, 0, 1e6);
    ck_assert_msg(2 * robust >= without, "%s: %d arms, %d without the outlier", name, robust, without);
    ck_assert_msg(!is_one_of(name, stuck) || 2 * plain < without, "%s: %d arms, %d without", name, plain, without);
}

/* One outlier refutes no prior: its record counts it at four standard deviations. */
TEST_EACH(kills_no_prior, 4) {
    const char *name = _i / 2 ? "rb-gp-ucb" : "pe-gp-ucb";
    int robust = _i % 2;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    policy = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
    for (int i = 0; i < 3; i++)
        ASSERT_OK(tvgp_policy_add_prior(policy, kernel, 0, NULL, 0));
    ASSERT_OK(tvgp_policy_set_f64(policy, "outlier.sd", robust ? 4 : 0));
    for (double t = 1; t <= 60; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, t == 31 ? 1e6 : 0.1 * sin(t)));
    ck_assert_double_eq(harness_stat(policy, "priors.alive") < 3, !robust);
}

/* ---- timeouts --------------------------------------------------------------------------------------------------- */

enum { LOST = 3, TIMEOUT = 5 };

/* Asks at t and reports outcomes of what is not lost, every LOST-th query; ids of the lost and their times. */
struct lost {
    int64_t id[400];
    double t[400];
    size_t first, n;
};

static void lossy_step(tvgp_policy *p, double t, tvgp_query *q, size_t *n, struct lost *lost) {
    ASSERT_OK(tvgp_policy_ask(p, t, CASES_ARMS, q, NULL, n));
    for (size_t i = 0; i < *n; i++) {
        if (q[i].id % LOST) {
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, sin(0.3 * (double)q[i].arm + 0.05 * t)));
        } else {
            lost->id[lost->n] = q[i].id;
            lost->t[lost->n++] = t;
        }
    }
}

static void skip_overdue(tvgp_policy *p, double t, struct lost *lost) {
    for (; lost->first < lost->n && t - lost->t[lost->first] > TIMEOUT; lost->first++)
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.id = lost->id[lost->first], .outcome = TVGP_SKIPPED}, NULL));
}

/* As if the user had said SKIPPED just before the ask. Experts hear of it right after: the round they owe is one ask later. */
TEST_EACH(timeout_is_a_skip, harness_policies()) {
    const char *name, *doc;
    tvgp_policy *twin[2];
    struct lost lost[2] = {{.n = 0}, {.n = 0}};
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    int expert = strstr(name, "sparq") != NULL;
    for (int k = 0; k < 2; k++)
        twin[k] = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_f64(twin[0], "pending.timeout", TIMEOUT));
    for (double t = 1; t <= 80; t++) {
        tvgp_query q[2][CASES_ARMS];
        size_t n[2];
        skip_overdue(twin[1], t, &lost[1]);
        for (int k = 0; k < 2; k++)
            lossy_step(twin[k], t, q[k], &n[k], &lost[k]);
        for (size_t i = 0; !expert && i < n[0]; i++)
            ck_assert(q[0][i].arm == q[1][i].arm && q[0][i].score == q[1][i].score);
        if (!expert)
            ck_assert_double_eq(harness_stat(twin[0], "pending.timed_out"), harness_stat(twin[1], "skipped"));
        double all = harness_stat(twin[0], "asked") + harness_stat(twin[0], "side.asked");
        double closed = harness_stat(twin[0], "values") + harness_stat(twin[0], "pending.timed_out");
        ck_assert_double_eq(harness_stat(twin[0], "pending"), all - closed);
        for (; lost[0].first < lost[0].n && t - lost[0].t[lost[0].first] > TIMEOUT; lost[0].first++)
            ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(twin[0], lost[0].id[lost[0].first], 1), "timed out");
        ck_assert_double_eq(harness_stat(twin[0], "pending.timed_out"), (double)lost[0].first);
    }
    ck_assert_double_gt(harness_stat(twin[0], "pending.timed_out"), 20);
}

/* An ask that was refused memory has closed nothing; tried again it gives what a twin gets who was spared. Nothing is ever
 * answered, and the steps shrink, so that more and more is pending. */
TEST_EACH(refused_asks_close_nothing, harness_policies()) {
    const char *name, *doc;
    tvgp_policy *twin[2];
    double surprise, t = 1;
    int refused = 0; /* while something was overdue */
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    for (int k = 0; k < 2; k++) {
        twin[k] = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
        ASSERT_OK(tvgp_policy_set_f64(twin[k], "pending.timeout", TIMEOUT));
    }
    for (int step = 1; step <= 150; step++, t += 2 / sqrt(step)) {
        tvgp_query q[2];
        ASSERT_OK(tvgp_policy_ask_one(twin[1], t, &q[1], NULL));
        double pending = harness_stat(twin[0], "pending"), timed_out = harness_stat(twin[0], "pending.timed_out");
        for (size_t k = 1;; k++) { /* the k-th allocation is refused */
            memory.fail_in = k;
            tvgp_status status = tvgp_policy_ask_one(twin[0], t, &q[0], NULL);
            memory.fail_in = 0;
            if (status == TVGP_OK)
                break;
            ck_assert_int_eq(status, TVGP_ERR_NOMEM);
            refused += harness_stat(twin[1], "pending.timed_out") > timed_out;
            ck_assert_double_eq(harness_stat(twin[0], "pending"), pending);
            ck_assert_double_eq(harness_stat(twin[0], "pending.timed_out"), timed_out);
        }
        ck_assert(q[0].arm == q[1].arm && q[0].score == q[1].score);
        ck_assert_double_eq(harness_stat(twin[0], "pending.timed_out"), harness_stat(twin[1], "pending.timed_out"));
        ck_assert_double_eq(harness_stat(twin[0], "pending"), harness_stat(twin[1], "pending"));
    }
    ck_assert(refused > 0 || tvgp_policy_stat(twin[0], "surprise", &surprise) != TVGP_OK);
}

HARNESS_MAIN("robust")
