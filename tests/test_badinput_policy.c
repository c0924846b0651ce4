/* SPDX-License-Identifier: MIT */
/* Bad input to policies: the right code, and a message with argument, value and bound. Afterwards the saved state and all later
 * decisions equal bit for bit the ones of a second policy without the bad calls. */
#include "cases.h"
#include "player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double X[CASES_ARMS * 2];
static const double nowhere[2] = {0.123, 0.456}, unfinite[2] = {0.5, INFINITY}, outside[2] = {0.5, 1.5}, far[2] = {9, 9};
static const double level[2] = {1, 2}, finite[3] = {1, 2, 3}, one_nan[2] = {1, NAN};
static const uint8_t mask[CASES_ARMS] = {0};

static tvgp_status tell_one(tvgp_policy *p, tvgp_obs obs, const double *x) {
    return tvgp_policy_tell(p, 1, &obs, x);
}

static tvgp_status mean_nan(tvgp_policy *p) {
    double mean[CASES_ARMS] = {0};
    mean[3] = NAN;
    return tvgp_policy_set_prior_mean(p, CASES_ARMS, mean);
}

/* A good outcome and a good observation, then one that does not fit. */
static tvgp_status tell_batch(tvgp_policy *p) {
    const tvgp_obs batch[] = {{.id = 7, .y = 1}, {.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 9}, {.id = 888}};
    return tvgp_policy_tell(p, 3, batch, X);
}
static tvgp_status tell_batch_twice(tvgp_policy *p) {
    const tvgp_obs batch[] = {{.id = 7, .y = 1}, {.id = 7, .y = 1}};
    return tvgp_policy_tell(p, 2, batch, NULL);
}

/* A reward and an output that are good, then the same output again. */
static tvgp_status output_twice(tvgp_policy *p) {
    const tvgp_obs batch[] = {tvgp_obs_value(7, 1), tvgp_obs_output(7, 1, 1), tvgp_obs_output(7, 1, 1)};
    return tvgp_policy_tell(p, 3, batch, NULL);
}

enum { FRESH = 1, RUNNING = 2, ANY = 3, ARMS_ONLY = 4, BOX_ONLY = 8, CONTEXT_ONLY = 16, LIMITED_ONLY = 32 };
enum { ARMS, BOX, CONTEXT, LIMITED, KINDS };
static const int of_others[KINDS] = {BOX_ONLY | CONTEXT_ONLY | LIMITED_ONLY, ARMS_ONLY | CONTEXT_ONLY | LIMITED_ONLY,
                                     BOX_ONLY | LIMITED_ONLY, BOX_ONLY | CONTEXT_ONLY};

/* A limit that nothing breaks, on an output that moves. */
static tvgp_status add_constraint(tvgp_policy *p) {
    tvgp_policy *model = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", cases_kernel_at(0));
    return tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, -30);
}

static tvgp_status tell_step(tvgp_policy *p, const tvgp_query *q, double y) {
    double told;
    const double values[2] = {y, cos(q->t)};
    return tvgp_policy_stat(p, "constraint.observations.1", &told) == TVGP_OK ? tvgp_policy_tell_values(p, q->id, 2, values)
                                                                              : tvgp_policy_tell_value(p, q->id, y);
}

/* One step of both; they must want the same. */
static void step(tvgp_policy *pair[2], double t, int tell) {
    tvgp_query q[2];
    double x[2][2];
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_policy_ask_one(pair[i], t, &q[i], x[i]));
    ck_assert_mem_eq(&q[0], &q[1], sizeof q[0]);
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    for (int i = 0; tell && i < 2; i++)
        ASSERT_OK(tell_step(pair[i], &q[i], sin(t) + (double)q[i].arm / 9 + x[i][1]));
}

static void assert_twins(tvgp_policy *const pair[2], double t) {
    double mean[2][CASES_ARMS], var[2][CASES_ARMS], stat[2];
    size_t n;
    for (int i = 0; i < 2; i++) {
        tvgp_status status = tvgp_policy_predict(pair[i], t, CASES_ARMS, X, mean[i], var[i]);
        ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
        if (status != TVGP_OK)
            memset(mean[i], 0, sizeof mean[i]), memset(var[i], 0, sizeof var[i]);
    }
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
    ck_assert_mem_eq(var[0], var[1], sizeof var[0]);
    ASSERT_OK(tvgp_policy_stat_count(pair[0], &n));
    for (size_t i = 0; i < n; i++) {
        const char *key = harness_stat_key(pair[0], i);
        for (int k = 0; k < 2; k++)
            ASSERT_OK(tvgp_policy_stat(pair[k], key, &stat[k]));
        ck_assert_msg(stat[0] == stat[1], "%s is %g and %g", key, stat[0], stat[1]);
    }
}

static tvgp_status make(const char *name, int kind, tvgp_policy **out) {
    static const double zeros[2] = {0}, ones[2] = {1, 1};
    double first[CASES_ARMS];
    if (kind == ARMS || kind == LIMITED) {
        const tvgp_status made = cases_policy(ctx, name, cases_kernel_at(0), out);
        return made == TVGP_OK && kind == LIMITED ? add_constraint(*out) : made;
    }
    for (size_t i = 0; i < CASES_ARMS; i++)
        first[i] = X[2 * i];
    tvgp_domain *actions = harness_arms(CASES_ARMS, 1, first);
    tvgp_domain *side = harness_box(1, zeros, ones);
    tvgp_domain *domain = kind == BOX ? harness_box(2, zeros, ones) : MAKE_DOMAIN(tvgp_domain_product, ctx, actions, side);
    tvgp_status status = tvgp_policy_create(ctx, name, domain, MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0)), out);
    if (status == TVGP_OK && kind == CONTEXT)
        ASSERT_OK(tvgp_policy_set_context_point(*out, 1, X + 1));
    return status;
}

/* When bad calls are made, to the first policy of the pair. */
struct moment {
    tvgp_policy *const *pair;
    const char *name;
    int kind, when;
};

static int is_due(const struct moment *m, int when) {
    return when & m->when && !(when & of_others[m->kind]);
}

/* A call has failed, with this status and message if it is that of tv-gp-ucb: other policies may lack the key or the model and then fail
 * otherwise. The saved states of both stay the same. */
static void assert_refused(const struct moment *m, int when, const char *call, tvgp_status got, tvgp_status status,
                           const char *const *says) {
    if (strcmp(m->name, "tv-gp-ucb") == 0 && (m->kind == ARMS || when & (BOX_ONLY | CONTEXT_ONLY | LIMITED_ONLY)))
        harness_fails(__FILE__, __LINE__, call, got, status, says);
    ck_assert_msg(got < 0, "%s: %s gave %s", m->name, call, tvgp_status_name(got));
    ck_assert_str_ne(tvgp_ctx_errmsg(ctx), "");
    struct blob saved[2] = {blob_of(m->pair[0]), blob_of(m->pair[1])};
    assert_same_blob(&saved[0], &saved[1], call);
    for (int i = 0; i < 2; i++)
        free(saved[i].bytes);
    if (m->when == RUNNING)
        assert_twins(m->pair, 7);
}

#define BAD(when, status, call, ...)                                                                                        \
    do {                                                                                                                    \
        if (is_due(m, when))                                                                                                \
            assert_refused(m, when, #call, call, status, (const char *const[]){__VA_ARGS__, NULL});                         \
    } while (0)

static void options(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "noise", -1), "noise", "-1", "[0");
    BAD(FRESH, TVGP_ERR_NONFINITE, tvgp_policy_set_f64(p, "noise", NAN), "noise", "nan");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "epsilon", 1), "epsilon", "= 1", "1)");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "epsilon", -0.5), "epsilon", "-0.5", "[0");
    BAD(FRESH, TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(p, "epsilom", 0.1), "epsilom", "'epsilon'");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_i64(p, "epsilon", 1), "epsilon", "= 1", "1)");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "seed", 1.5), "seed", "1.5", "integer");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_str(p, "seed", "one"), "seed", "i64", "str");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "width.schedule", 1), "width.schedule", "str", "f64");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "half_life", 1e-5), "half_life", "1e-05", "unit of time");
    BAD(FRESH, TVGP_ERR_NONFINITE, tvgp_policy_set_f64(p, "half_life", NAN), "half_life", "nan");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_set(p, NULL), "text");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set(p, "seed=4 noise width.delta=0.2"), "'noise'", "key=value");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set(p, "seed=4 =3"), "'=3'", "key=value");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set(p, "seed=4 width.delta=0,2"), "width.delta", "'0,2'", "not a number");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set(p, "seed=4 seed=-7"), "seed", "-7", "[0");
    BAD(FRESH, TVGP_ERR_NOTFOUND, tvgp_policy_set(p, "seed=4 qwertyuiop=1"), "qwertyuiop", "tvgp_policy_option_info");
    BAD(RUNNING, TVGP_ERR_STATE, tvgp_policy_set(p, "seed=4 seed=-7"), "tvgp_policy_set");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_i64(p, "seed", -7), "seed", "-7", "[0");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_i64(p, "pending.limit", 0), "pending.limit", "= 0", "[1");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_str(p, "width.schedule", "lgo"), "width.schedule", "lgo",
        "constant, log, finite");
    BAD(FRESH, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "width.delta", 1), "width.delta", "= 1", "1)");
    BAD(FRESH, TVGP_ERR_ARG, tvgp_policy_set_f64(p, NULL, 1), "key");
    BAD(FRESH, TVGP_ERR_ARG, tvgp_policy_set_str(p, "width.schedule", NULL), "value");
    BAD(ANY, TVGP_ERR_NOTFOUND, tvgp_policy_get_f64(p, "nois", &(double){0}), "nois", "'noise'");
    BAD(ANY, TVGP_ERR_OPTION, tvgp_policy_get_i64(p, "noise", &(int64_t){0}), "'noise' = 0.01", "not an integer");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_get_f64(p, "noise", NULL), "value");
    BAD(ANY, TVGP_ERR_NONFINITE, mean_nan(p), "mean[3]", "nan");
    BAD(ANY, TVGP_ERR_DIM, tvgp_policy_set_prior_mean(p, 2, level), "n = 2", "1 or 24");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_set_prior_mean(p, 1, NULL), "mean", "n = 1");
    BAD(ANY, TVGP_ERR_DIM, tvgp_policy_set_prior_mean(p, 0, level), "n = 0", "1 or 24");
    BAD(RUNNING, TVGP_ERR_STATE, tvgp_policy_set_f64(p, "noise", -1), "tvgp_policy_set_f64");
}

static void availability(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(ANY, TVGP_ERR_DIM, tvgp_policy_set_available(p, CASES_ARMS - 1, mask), "n = 23", "24");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_set_available(p, CASES_ARMS, mask), "mask", "0", "1");
}

static void the_loop(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_ask(p, 8, 0, &(tvgp_query){0}, NULL, &(size_t){0}), "cap", "0", "1");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_ask(p, 8, 1, NULL, NULL, &(size_t){0}), "q");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_ask(p, 8, 1, &(tvgp_query){0}, NULL, NULL), "n");
    BAD(ANY, TVGP_ERR_NONFINITE, tvgp_policy_ask_one(p, NAN, &(tvgp_query){0}, NULL), "t", "nan");
    BAD(ANY, TVGP_ERR_NONFINITE, tvgp_policy_ask_one(p, INFINITY, &(tvgp_query){0}, NULL), "t", "inf");
    BAD(RUNNING, TVGP_ERR_ARG, tvgp_policy_ask_one(p, 6.5, &(tvgp_query){0}, NULL), "t = 6.5", "7");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_ask_one(p, 8, NULL, NULL), "q");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_tell(p, 1, NULL, NULL), "obs");
    BAD(ANY, TVGP_ERR_TICKET, tvgp_policy_tell_value(p, 999, 1), "id = 999");
    BAD(RUNNING, TVGP_ERR_TICKET, tvgp_policy_tell_value(p, 3, 1), "id = 3");
    BAD(RUNNING, TVGP_ERR_NONFINITE, tvgp_policy_tell_value(p, 7, NAN), "y = nan");
    BAD(RUNNING, TVGP_ERR_NONFINITE, tvgp_policy_tell_value(p, 7, -INFINITY), "y = -inf");
    BAD(RUNNING, TVGP_ERR_ARG, tell_one(p, (tvgp_obs){.id = 7, .outcome = 4}, NULL), "outcome = 4", "0..3");
    BAD(RUNNING, TVGP_ERR_ARG, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_NOISE, .noise_var = -0.25}, NULL),
        "noise_var = -0.25", ">= 0");
    BAD(RUNNING, TVGP_ERR_NONFINITE, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_TIME, .t = INFINITY}, NULL),
        "t = inf");
    BAD(RUNNING, TVGP_ERR_NONFINITE, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_NOISE, .noise_var = NAN}, NULL),
        "noise_var = nan");
    BAD(RUNNING, TVGP_ERR_NONFINITE, tell_one(p, (tvgp_obs){.id = 7, .flags = TVGP_OBS_HAS_TIME, .t = NAN}, NULL),
        "t = nan");
    BAD(RUNNING, TVGP_ERR_ARG, tell_one(p, (tvgp_obs){.id = 7, .flags = 129}, NULL), "flags = 129", "127");
    BAD(FRESH, TVGP_ERR_ARG, tell_one(p, (tvgp_obs){.y = 1}, X), "TVGP_OBS_HAS_TIME");
    BAD(ANY, TVGP_ERR_ARG, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, NULL), "x");
    BAD(ANY | ARMS_ONLY, TVGP_ERR_NOTFOUND, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, nowhere), "x",
        "0.123");
    BAD(ANY, TVGP_ERR_NONFINITE, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, unfinite), "x", "inf");
    BAD(ANY, TVGP_ERR_NONFINITE, tell_one(p, (tvgp_obs){.y = NAN, .flags = TVGP_OBS_HAS_TIME, .t = 8}, X), "y = nan");
    BAD(RUNNING, TVGP_ERR_TICKET, tell_batch(p), "888");
    BAD(RUNNING, TVGP_ERR_TICKET, tell_batch_twice(p), "7");
}

static void knowledge(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(ANY, TVGP_ERR_NONFINITE, tvgp_policy_predict(p, NAN, 1, X, &(double){0}, NULL), "t", "nan");
    BAD(RUNNING, TVGP_ERR_ARG, tvgp_policy_predict(p, 6.5, 1, X, &(double){0}, NULL), "t = 6.5", "7");
    BAD(ANY | ARMS_ONLY, TVGP_ERR_DIM, tvgp_policy_predict(p, 8, 1, NULL, &(double){0}, NULL), "X is NULL", "n = 1");
    BAD(ANY | BOX_ONLY, TVGP_ERR_ARG, tvgp_policy_predict(p, 8, 1, NULL, &(double){0}, NULL), "X is NULL", "box");
    BAD(ANY, TVGP_ERR_NONFINITE, tvgp_policy_predict(p, 8, 1, unfinite, &(double){0}, NULL), "X", "inf");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_best(p, 8, NULL, NULL), "arm");
    BAD(RUNNING, TVGP_ERR_ARG, tvgp_policy_best(p, 6.5, &(int64_t){0}, NULL), "t = 6.5", "7");
    BAD(ANY, TVGP_ERR_NOTFOUND, tvgp_policy_stat(p, "askd", &(double){0}), "askd", "'asked'");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_stat(p, "asked", NULL), "value");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_stat(p, NULL, &(double){0}), "key");
    BAD(ANY, TVGP_ERR_ARG, tvgp_policy_option_info(p, 9999, &(tvgp_option_info){0}), "i = 9999");
}

static void on_a_box(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(ANY | BOX_ONLY, TVGP_ERR_ARG, tvgp_policy_ask_one(p, 8, &(tvgp_query){0}, NULL), "x is NULL", "box");
    BAD(ANY | BOX_ONLY, TVGP_ERR_NOTFOUND, tell_one(p, (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = 8}, outside), "x[0]",
        "0.5");
    BAD(ANY | BOX_ONLY, TVGP_ERR_UNSUPPORTED, tvgp_policy_set_available(p, CASES_ARMS, mask), "box");
    BAD(ANY | BOX_ONLY, TVGP_ERR_DIM, tvgp_policy_set_prior_mean(p, CASES_ARMS, X), "n = 24");
    BAD(ANY | BOX_ONLY, TVGP_ERR_NONFINITE, tvgp_policy_set_bounds(p, unfinite, NULL), "lower", "inf");
    BAD(ANY | BOX_ONLY, TVGP_ERR_ARG, tvgp_policy_set_bounds(p, NULL, outside), "upper[1]", "1.5", "0..1");
    BAD(ANY | BOX_ONLY, TVGP_ERR_ARG, tvgp_policy_set_bounds(p, far, NULL), "lower[0]", "9", "0..1");
    BAD(ANY | BOX_ONLY, TVGP_ERR_ARG, tvgp_policy_best(p, 8, &(int64_t){0}, NULL), "x is NULL", "box");
    BAD(FRESH | BOX_ONLY, TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "search.effort", 0), "search.effort", "= 0", "(0");
}

static void in_a_context(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(ANY | CONTEXT_ONLY, TVGP_ERR_ARG, tvgp_policy_set_context_point(p, 1, (const double[]){1.5}), "z[0]", "1.5", "0..1");
    BAD(ANY | CONTEXT_ONLY, TVGP_ERR_NONFINITE, tvgp_policy_set_context_point(p, 1, (const double[]){NAN}), "z[0]", "nan");
    BAD(ANY | CONTEXT_ONLY, TVGP_ERR_DIM, tvgp_policy_set_context_point(p, 2, nowhere), "n = 2", "1 coordinates");
    BAD(ANY | CONTEXT_ONLY, TVGP_ERR_ARG, tvgp_policy_set_context_point(p, 1, NULL), "z");
    BAD(ANY | CONTEXT_ONLY, TVGP_ERR_UNSUPPORTED, tvgp_policy_set_context(p, 0), "tvgp_policy_set_context_point");
    BAD(ANY | CONTEXT_ONLY, TVGP_ERR_UNSUPPORTED, tvgp_policy_set_bounds(p, NULL, NULL), "tvgp_policy_set_context_point");
}

static void with_a_limit(const struct moment *m) {
    tvgp_policy *p = m->pair[0];
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_ARG, tvgp_policy_set_constraint(p, 0, 1), "output = 0", "1..1");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_ARG, tvgp_policy_set_constraint(p, 2, 1), "output = 2", "1..1");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, tvgp_policy_set_constraint(p, 1, NAN), "bound");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_NOTFOUND, tvgp_policy_set_safe(p, 1, nowhere), "X[0]", "0.123");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, tvgp_policy_set_safe(p, 1, unfinite), "X");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_ARG, tvgp_policy_set_safe(p, 1, NULL), "NULL");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, harness_risks(p, NAN, 1, X, &(double){0}), "t");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, harness_risks(p, 6.5, 1, X, &(double){0}), "t = 6.5", "7");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_NONFINITE, harness_risks(p, 8, 1, unfinite, &(double){0}), "X");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_DIM, harness_risks(p, 8, 2, NULL, (double[2]){0}), "n = 2", "24");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_ARG, tvgp_policy_evaluate(p, 8, 1, X, NULL), "out");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_DIM, tvgp_policy_tell_values(p, 7, 1, finite), "n = 1", "2");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_DIM, tvgp_policy_tell_values(p, 7, 3, finite), "n = 3", "2");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, tvgp_policy_tell_values(p, 7, 2, NULL), "NULL");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, tvgp_policy_tell_values(p, 999, 2, finite), "999");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, tvgp_policy_tell_values(p, 3, 2, finite), "3");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_NONFINITE, tvgp_policy_tell_values(p, 7, 2, one_nan), "obs[1].y");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, tell_one(p, tvgp_obs_output(7, 2, 1), NULL), "output = 2", "0..1");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_ARG, tell_one(p, tvgp_obs_output(7, -1, 1), NULL), "output = -1", "0..1");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, tell_one(p, tvgp_obs_output(3, 1, 1), NULL), "3");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_ARG,
        tell_one(p, (tvgp_obs){.id = 7, .output = 1, .flags = TVGP_OBS_HAS_NOISE, .noise_var = -1}, NULL), "noise_var",
        "-1");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_NOTFOUND,
        tell_one(p, (tvgp_obs){.output = 1, .flags = TVGP_OBS_HAS_TIME, .t = 8}, nowhere), "x[0]");
    BAD(RUNNING | LIMITED_ONLY, TVGP_ERR_TICKET, output_twice(p), "output 1", "7");
    BAD(FRESH | LIMITED_ONLY, TVGP_ERR_STATE, tvgp_policy_add_constraint(p, p, 0, 0), "itself");
    BAD(ANY | LIMITED_ONLY, TVGP_ERR_ARG, tvgp_policy_add_constraint(p, NULL, 0, 0), "model is NULL");
}

static void trouble(tvgp_policy *const pair[2], const char *name, int kind, int when) {
    const struct moment m = {pair, name, kind, when};
    options(&m);
    availability(&m);
    the_loop(&m);
    knowledge(&m);
    on_a_box(&m);
    in_a_context(&m);
    with_a_limit(&m);
}

static void all_troubles(const char *name, int kind) {
    tvgp_policy *pair[2];
    for (int i = 0; i < 2; i++)
        ASSERT_OK(make(name, kind, &pair[i]));
    trouble(pair, name, kind, FRESH);
    for (double t = 1; t <= 7; t++)
        step(pair, t, t < 7); /* id 7 is pending */
    assert_twins(pair, 7);
    trouble(pair, name, kind, RUNNING);
    for (double t = 8; t <= 14; t++)
        step(pair, t, 1);
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_policy_tell_value(pair[i], 7, 0.5));
    assert_twins(pair, 15);
    for (int i = 0; i < 2; i++)
        tvgp_policy_destroy(pair[i]);
}

TEST_EACH(changes_nothing, harness_policies()) {
    const char *name, *doc;
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    for (int kind = ARMS; kind < KINDS; kind++) {
        tvgp_policy *there = NULL;
        tvgp_status status = make(name, kind, &there);
        tvgp_policy_destroy(there);
        if (status == TVGP_OK)
            all_troubles(name, kind);
        else
            ck_assert_int_eq(status, TVGP_ERR_UNSUPPORTED);
    }
}

TEST(creation) {
    const double at = 1;
    tvgp_policy *out = NULL;
    tvgp_domain *line = harness_indices(3);
    tvgp_kernel *plane = harness_se(2, 1, &at);
    tvgp_kernel *k = harness_se(1, 1, &at);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "gp-ubc", line, k, &out), "gp-ubc", "'gp-ucb'");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create(ctx, "", line, k, &out), "''");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_create(ctx, "gp-ucb", line, plane, &out), "1", "2");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, NULL, line, k, &out), "name");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "gp-ucb", NULL, k, &out), "domain");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "bkb", line, NULL, &out), "kernel");
    ck_assert_int_eq(tvgp_policy_create(NULL, "gp-ucb", line, k, &out), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_create(ctx, "gp-ucb", line, k, NULL), TVGP_ERR_ARG);
    ck_assert_ptr_null(out);
}

/* Exact observations of one arm that contradict each other: helped by jitter and counted, or refused; never a NaN. */
TEST_EACH(noise_zero_with_repeated_points, 3) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "r-gp-ucb"};
    double mean[CASES_ARMS], var[CASES_ARMS], jitter;
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, names[_i], cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set_f64(p, "noise", 0));
    for (size_t i = 0; i < 400; i++) {
        tvgp_obs obs = {.y = i % 3 ? 1.0 : 1.5, .flags = TVGP_OBS_HAS_TIME | (i % 2 ? TVGP_OBS_HAS_NOISE : 0), .t = 1};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, X + 2 * (i / 200)));
        ASSERT_OK(tvgp_policy_predict(p, 1, CASES_ARMS, X, mean, var));
        for (size_t k = 0; k < CASES_ARMS; k++)
            ck_assert(isfinite(mean[k]) && isfinite(var[k]) && var[k] >= 0);
    }
    ASSERT_OK(tvgp_policy_stat(p, "jitter", &jitter));
    ck_assert_double_ge(jitter, 398);
    for (size_t k = 0; k < 2; k++)
        ck_assert(mean[k] > 1 - 1e-6 && mean[k] < 1.5 + 1e-6);
    tvgp_query q = harness_ask(p, 2);
    ck_assert(isfinite(q.score));
}

HARNESS_MAIN("bad input to policies")
