/* SPDX-License-Identifier: MIT */
/* Queries that fail (option failed.width): the value they are observed at, what does not learn from it, policies that leave what
 * fails, failures before the unit of rewards is known, constraints, snapshots, refused memory, the log. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 11 };
enum { GRID, NAMES, BOX, DOMAINS };

static tvgp_domain *domain_of(int kind) {
    tvgp_domain *d;
    const double low = 0, high = 1;
    ASSERT_OK(kind == GRID    ? tvgp_domain_grid(ctx, 1, &low, &high, &(size_t){ARMS}, &d)
              : kind == NAMES ? tvgp_domain_indices(ctx, ARMS, &d)
                              : tvgp_domain_box(ctx, 1, &low, &high, &d));
    return d;
}

/* With an SE kernel on places, or without a kernel. NULL: not on this domain. */
static tvgp_policy *create(const char *name, int kind, int kernel, const char *options) {
    tvgp_domain *d = domain_of(kind);
    tvgp_kernel *k = NULL;
    tvgp_policy *p = NULL;
    if (kernel)
        k = harness_se(1, 1, &(double){0.2});
    const tvgp_status status = tvgp_policy_create(ctx, name, d, k, &p);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_ARG);
    if (p)
        ASSERT_OK(tvgp_policy_set(p, options));
    tvgp_domain_destroy(d);
    return p;
}

static void told_failed(tvgp_policy *p, int64_t id) {
    const tvgp_obs obs = tvgp_obs_outcome(id, TVGP_FAILED);
    ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
}

/* ---- the value ---------------------------------------------------------------------------------------------------- */

static const char *const exact[] = {"gp-ucb",   "tv-gp-ucb", "sw-gp-ucb", "igp-ucb",
                                    "w-gp-ucb", "ui-gp-ucb", "r-gp-ucb",  "bkb"};
enum { EXACT = sizeof exact / sizeof *exact };

static void assert_alike(tvgp_policy *p, tvgp_policy *twin, double t) {
    for (double x = 0; x < 1.05; x += .25) {
        double a[2], b[2];
        ASSERT_OK(tvgp_policy_predict(p, t, 1, &x, &a[0], &a[1]));
        ASSERT_OK(tvgp_policy_predict(twin, t, 1, &x, &b[0], &b[1]));
        ASSERT_NEAR(a[0], b[0], 1e-9);
        ASSERT_NEAR(a[1], b[1], 1e-9);
    }
}

/* A twin is given the value by hand. */
TEST_EACH(assumed_value, 4 * EXACT) {
    const int box = _i / EXACT % 2, min = _i / EXACT / 2;
    const char *name = exact[_i % EXACT];
    const double width = min ? 1.5 : 2, prior = .3;
    tvgp_policy *p = create(name, box ? BOX : GRID, 1, "noise=.04"), *twin = create(name, box ? BOX : GRID, 1, "noise=.04");
    for (int i = 0; i < 2; i++) {
        tvgp_policy *one = i ? twin : p;
        ASSERT_OK(tvgp_policy_set_str(one, "sense", min ? "min" : "max"));
        ASSERT_OK(tvgp_policy_set_prior_mean(one, 1, &prior));
    }
    if (min)
        ASSERT_OK(tvgp_policy_set_f64(p, "failed.width", width));
    for (int t = 0; t < 12; t++) {
        double x, y, mean, var;
        const tvgp_query q = harness_ask_at(p, t, &x), other = harness_ask_at(twin, t, &y);
        ck_assert(q.arm == other.arm && fabs(x - y) < 1e-6);
        ASSERT_OK(tvgp_policy_predict(p, t, 1, &x, &mean, &var));
        if (t % 3 == 1) {
            told_failed(p, q.id);
            ASSERT_OK(tvgp_policy_tell_value(twin, other.id, mean - (min ? -width : width) * sqrt(var + q.noise_var)));
        } else {
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(5 * x)));
            ASSERT_OK(tvgp_policy_tell_value(twin, other.id, sin(5 * x)));
        }
        assert_alike(p, twin, t + .5);
    }
    ck_assert(harness_stat(p, "failed") == 4 && harness_stat(twin, "failed") == 0);
    tvgp_policy_destroy(p), tvgp_policy_destroy(twin);
}

/* Types of outcomes: on the scale of the process. */
TEST_EACH(latent, 4) {
    static const char *const types[] = {"lognormal", "ratio", "poisson", "binomial"};
    char options[64];
    snprintf(options, sizeof options, "noise=.04 outcome.type=%s", types[_i]);
    tvgp_policy *p = create("tv-gp-ucb", GRID, 1, options), *plain = create("tv-gp-ucb", GRID, 1, "noise=.04");
    double x, before[2], after[2], mean, var;
    tvgp_query q = harness_ask_at(p, 0, &x), other = harness_ask_at(plain, 0, &x);
    ck_assert_int_eq(q.arm, other.arm);
    ASSERT_OK(tvgp_policy_predict(p, 0, 1, &x, &before[0], &before[1]));
    told_failed(p, q.id);
    told_failed(plain, other.id);
    ASSERT_OK(tvgp_policy_predict(p, 0, 1, &x, &after[0], &after[1]));
    ASSERT_OK(tvgp_policy_predict(plain, 0, 1, &x, &mean, &var));
    ck_assert(after[0] < before[0]);
    if (_i < 2) {
        ASSERT_NEAR(after[0], exp(mean + var / 2), 1e-9);
        ASSERT_NEAR(after[1], expm1(var) * exp(2 * mean + var), 1e-9);
    }
    tvgp_policy_destroy(p), tvgp_policy_destroy(plain);
}

/* Several priors: relative to the mean of the one that chose. */
TEST(of_priors) {
    tvgp_domain *d = domain_of(GRID);
    double x, mean, var;
    tvgp_kernel *k = harness_se(1, 1, &(double){0.2});
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "mle-gp-ucb", d, k);
    ASSERT_OK(tvgp_policy_add_prior(p, k, 1, &(double){100}, 0));
    const tvgp_query q = harness_ask_at(p, 0, &x);
    told_failed(p, q.id);
    ASSERT_OK(tvgp_policy_predict(p, 0, 1, &x, &mean, &var));
    ck_assert_msg(mean > 97 && mean < 99.5, "%g", mean);
    tvgp_domain_destroy(d);
}

/* ---- what learns nothing ------------------------------------------------------------------------------------------ */

/* One action that fails fifty times, with a width that would be an outlier and a change. */
TEST_EACH(nothing_learns, 14) {
    static const struct {
        const char *name;
        int kind, kernel;
        const char *options;
    } cases[] = {{"gp-ucb", GRID, 1, ""},
                 {"tv-gp-ucb", GRID, 1, "outlier.sd=3"},
                 {"et-gp-ucb", GRID, 1, ""},
                 {"auto-gp-ucb", GRID, 1, ""},
                 {"auto-gp-ucb", GRID, 0, ""},
                 {"auto-gp-ucb", NAMES, 0, ""},
                 {"auto-gp-ucb", BOX, 0, ""},
                 {"tv-gp-ucb", GRID, 0, ""},
                 {"tv-gp-ucb", BOX, 0, ""},
                 {"mle-gp-ucb", GRID, 1, ""},
                 {"auto-gp-ucb", GRID, 1, "scale.learn=1"},
                 {"pe-gp-ucb", GRID, 1, ""},
                 {"auto-gp-ucb", NAMES, 0, "changepoint.hazard=.01"},
                 {"bkb", GRID, 1, ""}}; /* by the exact posterior */
    static const char *const keys[] = {
        "surprise", "outliers", "resets", "changepoint.time", "log_marginal_likelihood", "trigger.statistic"};
    tvgp_policy *p = create(cases[_i].name, cases[_i].kind, cases[_i].kernel, cases[_i].options);
    double before[sizeof keys / sizeof *keys], x;
    struct rnd r = {7};
    ASSERT_OK(tvgp_policy_set_f64(p, "failed.width", 8));
    for (int t = 0; t < 40; t++) {
        const tvgp_query q = harness_ask_at(p, t, &x);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(5 * x) + .1 * rnd_normal(&r)));
    }
    tvgp_query q = harness_ask_at(p, 40, &x); /* work that was due is done */
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (tvgp_policy_stat(p, keys[k], &before[k]) != TVGP_OK)
            before[k] = NAN;
    for (int t = 41; t < 91; t++) {
        told_failed(p, q.id);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!isnan(before[k]))
                ck_assert_msg(harness_stat(p, keys[k]) == before[k], "%s is %.17g, was %.17g", keys[k],
                              harness_stat(p, keys[k]), before[k]);
        q = harness_ask_at(p, 40, &x);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (tvgp_policy_stat(p, keys[k], &before[k]) != TVGP_OK)
                before[k] = NAN;
    }
    double fitted = 0;
    if (tvgp_policy_stat(p, "fit.observations", &fitted) == TVGP_OK)
        ck_assert_msg(fitted <= 40, "%g", fitted);
    tvgp_policy_destroy(p);
}

/* ---- what fails is left ------------------------------------------------------------------------------------------- */

static const char *const named[] = {"auto-gp-ucb", "tv-gp-ucb", "gp-ucb"};

/* Settings below .35 fail. */
static int failures_of(tvgp_policy *p, int kind, int steps) {
    struct rnd r = {1};
    int failed = 0;
    for (int t = 0; t < steps; t++) {
        double x;
        const tvgp_query q = harness_ask_at(p, t, &x);
        x = kind == NAMES ? x / 10 : x;
        if (x < .35) {
            told_failed(p, q.id);
            failed++;
        } else {
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1 - (x - .8) * (x - .8) + .05 * rnd_normal(&r)));
        }
    }
    return failed;
}

TEST_EACH(leaves_region, 9) {
    tvgp_policy *p = create(named[_i / DOMAINS], _i % DOMAINS, 0, "");
    const int failed = failures_of(p, _i % DOMAINS, 200);
    ck_assert_msg(failed <= 60, "%d of 200 asks failed", failed);
    tvgp_policy_destroy(p);
}

/* Every policy with a model, with a kernel. */
TEST_EACH(every_policy_leaves, 2 * harness_policies()) {
    const int kind = _i % 2 ? BOX : GRID;
    tvgp_policy *p = create(harness_policy_at(_i / 2), kind, 1, "");
    if (p && cases_has_model(p) && !harness_has(p, "side.count")) {
        const int failed = failures_of(p, kind, 60);
        ck_assert_msg(failed <= 24, "%s: %d of 60 asks failed", harness_policy_at(_i / 2), failed);
    }
    tvgp_policy_destroy(p);
}

/* The best of four is down for 300 of 900 calls. */
TEST_EACH(leaves_outage, 3) {
    static const char *const names[] = {"auto-gp-ucb", "tv-gp-ucb", "sw-gp-ucb"};
    const double values[] = {.8, .6, .5, .4};
    struct rnd r = {3};
    int dead = 0, back = 0;
    tvgp_domain *d = harness_indices(4);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, names[_i], d, NULL);
    for (int t = 0; t < 900; t++) {
        const tvgp_query q = harness_ask(p, t);
        if (t >= 300 && t < 600 && q.arm == 0) {
            told_failed(p, q.id);
            dead++;
        } else {
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, values[q.arm] + .1 * rnd_normal(&r)));
        }
        back += t >= 600 && q.arm == 0;
    }
    ck_assert_msg(dead <= 60 && back >= 30, "%d of 300 calls to what is down, %d of 300 after its return", dead, back);
}

TEST(width_of_zero) {
    tvgp_policy *p = create("gp-ucb", GRID, 1, "failed.width=0");
    const int64_t first = harness_ask(p, 0).arm;
    told_failed(p, 1);
    for (int t = 1; t < 10; t++) {
        const tvgp_query q = harness_ask(p, t);
        ck_assert_int_eq(q.arm, first);
        told_failed(p, q.id);
    }
    tvgp_policy_destroy(p);
}

/* ---- before the unit of rewards is known ---------------------------------------------------------------------------- */

static size_t pending_of(tvgp_policy *p) {
    tvgp_query q[8];
    size_t n;
    ASSERT_OK(tvgp_policy_pending(p, 8, q, NULL, &n));
    return n;
}

/* Failed actions count as pending, and are observed once two values differ. */
TEST_EACH(unit_unknown, 6) {
    static const char *const names[] = {"auto-gp-ucb", "tv-gp-ucb"};
    const int kind = _i % DOMAINS;
    tvgp_policy *p = create(names[_i / DOMAINS], kind, 0, "");
    double x[8];
    int distinct = 0;
    for (int t = 0; t < 8; t++) {
        const tvgp_query q = harness_ask_at(p, t, &x[t]);
        int seen = 0;
        for (int k = 0; k < t; k++)
            seen |= x[k] == x[t];
        distinct += !seen;
        told_failed(p, q.id);
        const tvgp_obs again = tvgp_obs_value(q.id, 1);
        ck_assert_int_eq(tvgp_policy_tell(p, 1, &again, NULL), TVGP_ERR_TICKET);
        ck_assert_uint_eq(pending_of(p), 0);
    }
    ck_assert_msg(distinct >= 5, "%d actions", distinct);
    ck_assert(harness_stat(p, "observations") == 0 && harness_stat(p, "failed") == 8 && harness_stat(p, "pending") == 0);
    for (int t = 8; t < 10; t++) {
        const tvgp_query q = harness_ask_at(p, t, &x[0]);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, t));
    }
    ck_assert(harness_stat(p, "observations") == 2);
    const tvgp_query q = harness_ask_at(p, 10, &x[0]);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 8.5));
    ck_assert_msg(harness_stat(p, "observations") == 11, "%g", harness_stat(p, "observations"));
    tvgp_policy_destroy(p);
}

/* More than are kept: the oldest are forgotten. */
TEST(many_unknown) {
    tvgp_policy *p = create("auto-gp-ucb", NAMES, 0, "pending.limit=4 pending.timeout=3");
    tvgp_query q = {0};
    for (int t = 0; t < 300; t++) {
        q = harness_ask(p, t);
        if (t % 3)
            told_failed(p, q.id);
    }
    ck_assert(harness_stat(p, "failed") == 200 && pending_of(p) <= 4);
    tvgp_policy_destroy(p);
}

/* ---- constraints -------------------------------------------------------------------------------------------------- */

/* A twin's model is given the value by hand. */
TEST_EACH(beyond_bound, 8) {
    const int at_most = _i % 2, whole = _i / 2 % 2, box = _i / 4; /* whole: the query failed; otherwise its output alone */
    const char *options = "noise=.04 constraint.margin_step=0 constraint.fallback=safest";
    tvgp_policy *p[2], *model[2];
    for (int i = 0; i < 2; i++) {
        p[i] = create("tv-gp-ucb", box ? BOX : GRID, 1, options);
        model[i] = create("tv-gp-ucb", box ? BOX : GRID, 1, "noise=.09");
        ASSERT_OK(tvgp_policy_add_constraint(p[i], model[i], at_most ? TVGP_AT_MOST : TVGP_AT_LEAST, .25));
        ASSERT_OK(tvgp_policy_set_safe(p[i], 1, &(double){.5}));
    }
    for (int t = 0; t < 6; t++) {
        double x, y, mean, var;
        const tvgp_query q = harness_ask_at(p[0], t, &x), other = harness_ask_at(p[1], t, &y);
        ck_assert(q.arm == other.arm && fabs(x - y) < 1e-6);
        ASSERT_OK(tvgp_policy_predict(model[0], t, 1, &x, &mean, &var));
        const double off = 2 * sqrt(var + .09), value = at_most ? fmax(.25 + off, mean) : fmin(.25 - off, mean);
        tvgp_obs failed = tvgp_obs_outcome(q.id, TVGP_FAILED), by_hand = tvgp_obs_output(other.id, 1, value);
        failed.output = !whole;
        ASSERT_OK(tvgp_policy_tell(p[0], 1, &failed, NULL));
        ASSERT_OK(tvgp_policy_tell(p[1], 1, &by_hand, NULL));
        if (whole)
            told_failed(p[1], other.id);
        else
            for (int i = 0; i < 2; i++)
                ASSERT_OK(tvgp_policy_tell_value(p[i], i ? other.id : q.id, x));
        assert_alike(model[0], model[1], t + .5);
        assert_alike(p[0], p[1], t + .5);
    }
    ck_assert(harness_stat(p[0], "constraint.violations.1") == 0 && harness_stat(p[0], "constraint.observations.1") == 0);
    for (int i = 0; i < 2; i++)
        tvgp_policy_destroy(p[i]), tvgp_policy_destroy(model[i]);
}

/* A model that learns has no unit before its first two values: its output waits. */
TEST(bound_waits) {
    tvgp_policy *p = create("tv-gp-ucb", GRID, 1, "constraint.fallback=safest"), *model = create("tv-gp-ucb", GRID, 0, "");
    double x;
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, .25));
    ASSERT_OK(tvgp_policy_set_safe(p, 2, (double[]){.5, .6}));
    for (int t = 0; t < 3; t++) {
        const tvgp_query q = harness_ask_at(p, t, &x);
        told_failed(p, q.id);
    }
    ck_assert(harness_stat(model, "observations") == 0);
    for (int t = 3; t < 6; t++) {
        const tvgp_query q = harness_ask_at(p, t, &x);
        const tvgp_obs obs[] = {tvgp_obs_value(q.id, x), tvgp_obs_output(q.id, 1, .1 * t)};
        ASSERT_OK(tvgp_policy_tell(p, 2, obs, NULL));
        ck_assert_msg(harness_stat(model, "observations") == (t == 5 ? 6 : t - 2), "%g",
                      harness_stat(model, "observations"));
    }
    tvgp_policy_destroy(p), tvgp_policy_destroy(model);
}

/* ---- the log ------------------------------------------------------------------------------------------------------ */

static void count_line(void *user, const char *line) {
    *(int *)user += strstr(line, "five failures in a row") != NULL;
}

TEST_EACH(log_line, 2) {
    int lines = 0;
    double x;
    tvgp_policy *p = create("gp-ucb", _i ? BOX : GRID, 1, "failed.width=0");
    ASSERT_OK(tvgp_ctx_set_logger(ctx, count_line, &lines, NULL));
    for (int t = 0; t < 9; t++) {
        const tvgp_query q = harness_ask_at(p, t, &x);
        ck_assert_int_eq(lines, t > 4);
        told_failed(p, q.id);
    }
    tvgp_query q = harness_ask_at(p, 9, &x);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0)); /* ends the row */
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
    tvgp_policy_destroy(p);
}

HARNESS_MAIN("failures")
