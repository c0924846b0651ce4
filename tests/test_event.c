/* SPDX-License-Identifier: MIT */
/* The event log: a run and the replay of its events have the same state after every event, byte for byte, for every policy and
 * every kind of event, from records and from lines of text. Logs and lines that are damaged are refused. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_EVENTS = 200, MOST_NUMBERS = 4096, MOST_BYTES = 1 << 19 };

/* A log in memory. */
static struct journal {
    tvgp_event event[MOST_EVENTS];
    double x[MOST_NUMBERS];
    size_t n, n_x, at[MOST_EVENTS]; /* where the numbers of an event begin */
} journal;

static tvgp_policy *described(const char *text) {
    return MAKE_POLICY(tvgp_policy_create_described, ctx, text);
}

static void record(tvgp_event e, const double *x, size_t size) {
    ck_assert_uint_lt(journal.n, MOST_EVENTS);
    ck_assert_uint_le(journal.n_x + size, MOST_NUMBERS);
    e.n = (int64_t)journal.n + 1;
    e.size = (int64_t)size;
    journal.at[journal.n] = journal.n_x;
    if (size)
        memcpy(journal.x + journal.n_x, x, size * sizeof *x);
    journal.n_x += size;
    journal.event[journal.n++] = e;
}

static size_t dim_of(const tvgp_policy *policy) {
    size_t dim;
    ASSERT_OK(tvgp_policy_dim(policy, &dim));
    return dim;
}

static tvgp_query ask(tvgp_policy *policy, double t) {
    double x[8];
    tvgp_query q = {.arm = -1};
    const tvgp_status status = tvgp_policy_ask_one(policy, t, &q, x);
    ck_assert_msg(status >= 0, "%s", tvgp_ctx_errmsg(ctx));
    if (status != TVGP_OK)
        q = (tvgp_query){.arm = -1};
    const tvgp_event e = {.kind = TVGP_EVENT_ASK, .id = q.id, .arm = q.arm, .t = t, .propensity = q.propensity, .epoch = 1};
    record(e, x, q.id ? dim_of(policy) : 0);
    return q;
}

static void tell(tvgp_policy *policy, tvgp_obs obs, const double *x) {
    ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, x));
    const tvgp_event e = {.kind = TVGP_EVENT_TELL,
                          .id = obs.id,
                          .outcome = obs.outcome,
                          .flags = obs.flags,
                          .y = obs.y,
                          .noise_var = obs.noise_var,
                          .t = obs.t,
                          .output = (int32_t)obs.output};
    record(e, x, obs.id ? 0 : dim_of(policy));
}

/* Replays event i, after a way through a line of text if `as_text`. */
static tvgp_status apply(tvgp_policy *policy, size_t i, int as_text) {
    char line[1 << 14];
    double x[MOST_NUMBERS / 8];
    const tvgp_event *e = &journal.event[i];
    tvgp_event read;
    size_t needed, n_x;
    if (!as_text)
        return tvgp_policy_apply(policy, 1, e, (size_t)e->size, journal.x + journal.at[i]);
    ASSERT_OK(tvgp_event_format(ctx, e, (size_t)e->size, journal.x + journal.at[i], sizeof line, line, &needed));
    ck_assert_uint_eq(strlen(line) + 1, needed);
    ASSERT_OK(tvgp_event_parse(ctx, line, sizeof x / sizeof *x, &read, x, &n_x));
    ck_assert_mem_eq(&read, e, sizeof read);
    return tvgp_policy_apply(policy, 1, &read, n_x, x);
}

/* The run that was recorded is played again in three ways. */
static void assert_replays(const char *text, tvgp_policy *played) {
    tvgp_policy *whole = described(text), *single = described(text), *twin = described(text);
    ASSERT_OK(tvgp_policy_apply(whole, journal.n, journal.event, journal.n_x, journal.x));
    ASSERT_SAME_STATE(played, whole, "%s: after all events", text);
    for (size_t i = 0; i < journal.n; i++) {
        ASSERT_OK(apply(single, i, 0));
        ASSERT_OK(apply(twin, i, 1));
        if (i % 7 == 6) { /* a worker stops, another one continues from the snapshot */
            const struct saved state = harness_saved(single, 0);
            single = described(text);
            ASSERT_OK(tvgp_policy_load(single, state.n, state.bytes));
        }
        ASSERT_SAME_STATE(twin, single, "%s: after event %zu", text, i + 1);
    }
    ASSERT_SAME_STATE(played, single, "%s: after all events", text);
    tvgp_policy_destroy(played);
    journal.n = journal.n_x = 0;
}

/* Outcomes that are delayed, missing, unsolicited and with a time of their own. Questions between calls change nothing. */
static tvgp_policy *play(const char *text, int steps, int unsolicited) {
    tvgp_policy *policy = described(text);
    struct rnd r = {11};
    int64_t late = 0;
    double x = 0, mean[21];
    for (int step = 0; step < steps; step++) {
        const tvgp_query q = ask(policy, step * .7);
        (void)tvgp_policy_predict(policy, step * .7, 1, &x, mean, NULL);
        const double y = rnd_normal(&r);
        if (step % 5 == 4 && q.id)
            tell(policy, tvgp_obs_outcome(q.id, TVGP_SKIPPED), NULL);
        else if (step % 3 == 2 && q.id && !late)
            late = q.id;
        else if (q.id)
            tell(policy, tvgp_obs_value(q.id, y), NULL);
        if (step % 4 == 3 && late) {
            tvgp_obs obs = tvgp_obs_value(late, y / 2);
            obs.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME;
            obs.noise_var = .1;
            obs.t = step * .7 + .1;
            tell(policy, obs, NULL);
            late = 0;
        }
        if (unsolicited && step % 6 == 5)
            tell(policy, tvgp_obs_unsolicited(step * .7 + .2, y), &x);
    }
    return policy;
}

TEST(every_policy) {
    char text[200];
    for (int i = 0; i < harness_policies(); i++) {
        snprintf(text, sizeof text, "%s grid=0:1:21 se=.2", harness_policy_at(i));
        assert_replays(text, play(text, 24, 1));
    }
}

TEST(hyperparameters_learned) {
    assert_replays("auto-gp-ucb grid=0:1:21", play("auto-gp-ucb grid=0:1:21", 40, 1));
    assert_replays("auto-gp-ucb names=a,b,c seed=4 choice=thompson", play("names=a,b,c seed=4 choice=thompson", 20, 1));
    assert_replays("auto-gp-ucb box=0:1", play("auto-gp-ucb box=0:1", 14, 1));
}

TEST(queries_that_expire) {
    const char *text = "tv-gp-ucb grid=0:1:21 se=.2 pending.limit=3 pending.timeout=2";
    tvgp_policy *policy = described(text);
    for (int step = 0; step < 9; step++)
        ask(policy, step * .5);
    assert_replays(text, policy);
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

TEST(settings_of_arms) {
    const char *text = "gp-ucb grid=0:1:5 se=.2 at_most=3 fit=map";
    static const double mask[] = {1, 0, 1, 1, 0}, mean[] = {.1, .2, .3, .2, .1};
    static const uint8_t available[] = {1, 0, 1, 1, 0};
    const double safe[] = {.25, .5}, at = .5;
    size_t evals;
    tvgp_policy *policy = described(text);
    ASSERT_OK(tvgp_policy_set_available(policy, 5, available));
    record((tvgp_event){.kind = TVGP_EVENT_AVAILABLE}, mask, 5);
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 5, mean));
    record((tvgp_event){.kind = TVGP_EVENT_PRIOR_MEAN}, mean, 5);
    ASSERT_OK(tvgp_policy_set_constraint(policy, 1, 2.5));
    record((tvgp_event){.kind = TVGP_EVENT_CONSTRAINT, .output = 1, .y = 2.5}, NULL, 0);
    ASSERT_OK(tvgp_policy_set_safe(policy, 2, safe));
    record((tvgp_event){.kind = TVGP_EVENT_SAFE}, safe, 2);
    ASSERT_OK(tvgp_policy_set_incumbent(policy, &at, .1));
    record((tvgp_event){.kind = TVGP_EVENT_INCUMBENT, .y = .1}, &at, 1);
    for (int step = 0; step < 10; step++) {
        const tvgp_query q = ask(policy, step);
        const double outcomes[] = {step % 3, .5};
        ASSERT_OK(tvgp_policy_tell_values(policy, q.id, 2, outcomes));
        record((tvgp_event){.kind = TVGP_EVENT_TELL, .id = q.id, .y = outcomes[0], .outputs = 1}, outcomes + 1, 1);
    }
    ck_assert_int_ge(tvgp_policy_fit(policy, 5, &evals), 0);
    record((tvgp_event){.kind = TVGP_EVENT_FIT, .arm = 5}, NULL, 0);
    ASSERT_OK(tvgp_policy_set_available(policy, 0, NULL));
    record((tvgp_event){.kind = TVGP_EVENT_AVAILABLE}, NULL, 0);
    ASSERT_OK(tvgp_policy_set_incumbent(policy, NULL, 0));
    record((tvgp_event){.kind = TVGP_EVENT_INCUMBENT}, NULL, 0);
    ask(policy, 11);
    assert_replays(text, policy);
}

TEST(contexts) {
    const char *text = "gp-ucb indices=3 contexts=2 se=1";
    tvgp_policy *policy = described(text);
    for (int step = 0; step < 6; step++) {
        ASSERT_OK(tvgp_policy_set_context(policy, step % 2));
        record((tvgp_event){.kind = TVGP_EVENT_CONTEXT, .arm = step % 2}, NULL, 0);
        tell(policy, tvgp_obs_value(ask(policy, step).id, step), NULL);
    }
    assert_replays(text, policy);
    const char *measured = "gp-ucb grid=0:1:3 contexts=0:1 se=.3";
    policy = described(measured);
    for (int step = 0; step < 6; step++) {
        const double z = step / 7.0;
        ASSERT_OK(tvgp_policy_set_context_point(policy, 1, &z));
        record((tvgp_event){.kind = TVGP_EVENT_CONTEXT_POINT}, &z, 1);
        tell(policy, tvgp_obs_value(ask(policy, step).id, step), NULL);
    }
    assert_replays(measured, policy);
}

TEST(settings_of_boxes) {
    const char *text = "gp-ucb box=0:1,0:1 se=.3";
    const double bounds[] = {0, .25, .5, .75}, points[] = {.1, .3, .4, .6, .2, .7, .5, 0, -.5}; /* 3 points, their means */
    tvgp_policy *policy = described(text);
    ASSERT_OK(tvgp_policy_set_bounds(policy, bounds, bounds + 2));
    record((tvgp_event){.kind = TVGP_EVENT_BOUNDS}, bounds, 4);
    tell(policy, tvgp_obs_value(ask(policy, 0).id, 1), NULL);
    ASSERT_OK(tvgp_policy_set_candidates(policy, 3, points, points + 6));
    record((tvgp_event){.kind = TVGP_EVENT_CANDIDATES, .flags = TVGP_EVENT_MEANS, .arm = 3}, points, 9);
    tell(policy, tvgp_obs_value(ask(policy, 1).id, 2), NULL);
    ASSERT_OK(tvgp_policy_set_candidates(policy, 2, points, NULL));
    record((tvgp_event){.kind = TVGP_EVENT_CANDIDATES, .arm = 2}, points, 4);
    tell(policy, tvgp_obs_value(ask(policy, 2).id, 0), NULL);
    ASSERT_OK(tvgp_policy_set_candidates(policy, 0, NULL, NULL));
    record((tvgp_event){.kind = TVGP_EVENT_CANDIDATES}, NULL, 0);
    ASSERT_OK(tvgp_policy_set_bounds(policy, NULL, NULL));
    record((tvgp_event){.kind = TVGP_EVENT_BOUNDS}, NULL, 0);
    ask(policy, 3);
    assert_replays(text, policy);
}

TEST(references_and_budgets) {
    const char *text = "auto-gp-ucb grid=0:1:5 outcome.type=ratio", *paid = "gp-ucb grid=0:1:4 se=.3",
               *counted = "auto-gp-ucb grid=0:1:5 outcome.type=poisson";
    const double budget[] = {10, 20, 20}, costs[] = {0, .5, 1, 2};
    tvgp_policy *policy = described(text);
    for (int step = 0; step < 9; step++) {
        const tvgp_obs obs = tvgp_obs_ratio(ask(policy, step).id, 2 + step % 3, 3);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
        record((tvgp_event){.kind = TVGP_EVENT_TELL, .id = obs.id, .flags = obs.flags, .y = obs.y, .reference = 3}, NULL, 0);
    }
    assert_replays(text, policy);
    policy = described(counted);
    for (int step = 0; step < 9; step++) {
        const tvgp_obs obs = tvgp_obs_count(ask(policy, step).id, step % 3, 2 + step);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
        record((tvgp_event){.kind = TVGP_EVENT_TELL, .id = obs.id, .flags = obs.flags, .y = obs.y, .exposure = obs.exposure},
               NULL, 0);
    }
    assert_replays(counted, policy);
    policy = described(paid);
    ASSERT_OK(tvgp_policy_set_budget(policy, 10, 20, 20));
    record((tvgp_event){.kind = TVGP_EVENT_BUDGET}, budget, 3);
    ASSERT_OK(tvgp_policy_set_costs(policy, 4, costs));
    record((tvgp_event){.kind = TVGP_EVENT_COSTS}, costs, 4);
    ASSERT_OK(tvgp_policy_set_cost_weight(policy, 0));
    record((tvgp_event){.kind = TVGP_EVENT_COST_WEIGHT}, NULL, 0);
    for (int step = 0; step < 6; step++) {
        const tvgp_query q = ask(policy, step);
        ASSERT_OK(tvgp_policy_charge(policy, q.id, .75));
        record((tvgp_event){.kind = TVGP_EVENT_CHARGE, .id = q.id, .charge = .75}, NULL, 0);
        tell(policy, tvgp_obs_value(q.id, step), NULL);
    }
    assert_replays(paid, policy);
}

/* Another arm or point of any item of any slate is refused. */
static void assert_items_matter(const char *text) {
    for (size_t i = 0; i < journal.n; i++)
        for (int64_t k = 0; journal.event[i].slate && k < journal.event[i].size; k++) {
            double *number = journal.x + journal.at[i] + k;
            if (k % 3 == 1) /* a propensity: replay does not depend on it */
                continue;
            const double recorded = *number;
            tvgp_policy *policy = described(text);
            *number += 1;
            ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_apply(policy, journal.n, journal.event, journal.n_x, journal.x),
                         "slate", k % 3 ? "point" : "item");
            *number = recorded;
        }
}

/* Slates, the last of fewer items than wanted; outcomes of some. */
TEST(slates) {
    const char *text = "tv-gp-ucb grid=0:1:6 se=.2";
    tvgp_policy *policy = described(text);
    for (int step = 0; step < 8; step++) {
        tvgp_query q[8];
        double x[8], all[24];
        size_t n;
        const int32_t wanted = step == 7 ? 8 : 3;
        ASSERT_OK(tvgp_policy_ask_slate(policy, step, (size_t)wanted, q, x, &n));
        ck_assert_uint_eq(n, step == 7 ? 6 : 3);
        for (size_t i = 0; i < n; i++)
            memcpy(all + 3 * i, (const double[]){(double)q[i].arm, q[i].propensity, x[i]}, 3 * sizeof *x);
        record(
            (tvgp_event){
                .kind = TVGP_EVENT_ASK, .id = q[0].id, .arm = q[0].arm, .t = step, .propensity = 1, .slate = wanted},
            all, 3 * n);
        for (size_t i = 0; i < n; i += 2)
            tell(policy, tvgp_obs_value(q[i].id, (double)q[i].arm + step), NULL);
    }
    assert_items_matter(text);
    assert_replays(text, policy);
}

/* ---- the value of another policy ---------------------------------------------------------------------------------- */

enum { DECISIONS = 30, CHOICES = 6 };

/* Plays and records; the plain loop over predictions, and over a twin that is asked and told what the log says. */
static void estimates_by_hand(const char *text, const char *target, tvgp_value_estimate *uniform,
                              tvgp_value_estimate *other) {
    static double t[DECISIONS], y[DECISIONS], p[DECISIONS], mean[DECISIONS * CHOICES], pi[2][DECISIONS * CHOICES];
    static int64_t arm[DECISIONS];
    tvgp_policy *policy = described(text);
    journal.n = journal.n_x = 0;
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_create_described, ctx, target);
    memset(pi, 0, sizeof pi);
    for (int k = 0; k < DECISIONS; k++) {
        tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, policy);
        ASSERT_OK(tvgp_policy_predict(copy, k, CHOICES, NULL, mean + k * CHOICES, NULL));
        tvgp_policy_destroy(copy);
        const tvgp_query wish = harness_ask(twin, k);
        ASSERT_OK(tvgp_policy_tell(twin, 1, &(tvgp_obs){.id = wish.id, .outcome = TVGP_CANCELLED}, NULL));
        pi[1][k * CHOICES + wish.arm] = 1;
        for (int a = 0; a < CHOICES; a++)
            pi[0][k * CHOICES + a] = 1. / CHOICES;
        const tvgp_query q = ask(policy, k);
        const double x = (double)q.arm / (CHOICES - 1);
        t[k] = k;
        arm[k] = q.arm;
        p[k] = q.propensity;
        y[k] = k % 7 == 3 ? NAN : sin(4 * x + 0.1 * k);
        if (isnan(y[k])) {
            tell(policy, tvgp_obs_outcome(q.id, TVGP_SKIPPED), NULL);
            continue;
        }
        tvgp_obs own = tvgp_obs_value(q.id, y[k]);
        if (k % 5 == 2) /* with a time of its own */
            own.flags |= TVGP_OBS_HAS_TIME, own.t = k - 2.5;
        tell(policy, own, NULL);
        const tvgp_obs seen = tvgp_obs_unsolicited(k % 5 == 2 ? own.t : k, y[k]);
        ASSERT_OK(tvgp_policy_tell(twin, 1, &seen, &x));
    }
    ASSERT_OK(tvgp_off_policy_value(ctx, DECISIONS, CHOICES, t, arm, y, p, pi[0], mean, DECISIONS - 1, 10, uniform));
    ASSERT_OK(tvgp_off_policy_value(ctx, DECISIONS, CHOICES, t, arm, y, p, pi[1], mean, DECISIONS - 1, 10, other));
}

static tvgp_status estimate(const char *text, const char *target, int64_t arm, tvgp_value_estimate *out) {
    tvgp_policy *policy = described(text), *twin = NULL;
    if (target)
        twin = MAKE_POLICY(tvgp_policy_create_described, ctx, target);
    const tvgp_status status =
        tvgp_event_off_policy_value(policy, twin, arm, journal.n, journal.event, journal.n_x, journal.x, 10, out);
    return status;
}

TEST(estimates) {
    const char *text = "tv-gp-ucb grid=0:1:6 se=.3 noise=.1 exploration.floor=.4",
               *target = "tv-gp-ucb grid=0:1:6 se=.3 noise=.1 epsilon=.5";
    tvgp_value_estimate by_hand[2] = {{.struct_size = sizeof *by_hand}, {.struct_size = sizeof *by_hand}},
                        found = {.struct_size = sizeof found};
    estimates_by_hand(text, target, &by_hand[0], &by_hand[1]);
    ASSERT_OK(estimate(text, NULL, -1, &found));
    ck_assert(!memcmp(&found, &by_hand[0], sizeof found));
    ASSERT_OK(estimate(text, target, 0, &found));
    ck_assert(!memcmp(&found, &by_hand[1], sizeof found));
    ASSERT_OK(estimate(text, NULL, 2, &found));
    ck_assert(fabs(found.mean_weight - 1) < 0.7);
    ck_assert_int_eq(estimate(text, NULL, 6, &found), TVGP_ERR_NOTFOUND);
    ck_assert_int_eq(estimate(text, "gp-ucb grid=0:1:7 se=.3", 0, &found), TVGP_ERR_DIM);
    journal.n = journal.n_x = 0;
}

/* The value of uniform play is the mean of the values of the arms that may be asked (_i: not all). */
TEST_EACH(estimates_are_linear, 2) {
    static const double mask[CHOICES] = {1, 0, 1, 1, 0, 1};
    const uint8_t available[CHOICES] = {1, 0, 1, 1, 0, 1};
    const char *text = "tv-gp-ucb grid=0:1:6 se=.3 noise=.1 exploration.floor=.4";
    tvgp_policy *policy = described(text);
    tvgp_value_estimate uniform = {.struct_size = sizeof uniform}, v = uniform;
    double ips = 0, dr = 0, arms = 0;
    journal.n = journal.n_x = 0;
    if (_i) {
        ASSERT_OK(tvgp_policy_set_available(policy, CHOICES, available));
        record((tvgp_event){.kind = TVGP_EVENT_AVAILABLE}, mask, CHOICES);
    }
    for (int k = 0; k < DECISIONS; k++) {
        const tvgp_query q = ask(policy, k);
        tell(policy, tvgp_obs_value(q.id, 1 + (double)q.arm + sin(k)), NULL);
    }
    ASSERT_OK(estimate(text, NULL, -1, &uniform));
    for (int64_t a = 0; a < CHOICES; a++) {
        const tvgp_status status = estimate(text, NULL, a, &v);
        ck_assert_int_eq(status, _i && !available[a] ? TVGP_ERR_NOTFOUND : TVGP_OK);
        if (status != TVGP_OK)
            continue;
        ips += v.ips;
        dr += v.dr;
        arms++;
    }
    ck_assert_double_gt(ips, 1);
    ASSERT_NEAR(ips / arms, uniform.ips, 1e-12);
    ASSERT_NEAR(dr / arms, uniform.dr, 1e-12);
    journal.n = journal.n_x = 0;
}

/* Outcomes in two parts, which arrive after the last ask, count as their mean. */
TEST(estimates_of_parts) {
    const char *text = "tv-gp-ucb grid=0:1:6 se=.3 noise=.1 exploration.floor=.4";
    tvgp_value_estimate v[2] = {{.struct_size = sizeof *v}, {.struct_size = sizeof *v}};
    for (int parts = 0; parts < 2; parts++) {
        tvgp_query q[DECISIONS];
        tvgp_policy *policy = described(text);
        journal.n = journal.n_x = 0;
        for (int k = 0; k < DECISIONS; k++)
            q[k] = ask(policy, k);
        for (int k = 0; k < DECISIONS; k++) {
            tvgp_obs o = tvgp_obs_value(q[k].id, 1 + (double)q[k].arm + sin(k));
            if (parts) {
                o.noise_var = .5, o.flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_PARTIAL, o.y -= 3;
                tell(policy, o, NULL);
                o.flags = TVGP_OBS_HAS_NOISE, o.y += 6;
            }
            tell(policy, o, NULL);
        }
        ASSERT_OK(estimate(text, NULL, 2, &v[parts]));
    }
    ck_assert_double_gt(v[0].ips, 1);
    ASSERT_NEAR(v[1].ips, v[0].ips, 1e-12);
    ASSERT_NEAR(v[1].dr, v[0].dr, 1e-12);
    journal.n = journal.n_x = 0;
}

TEST(estimates_that_are_refused) {
    const char *text = "gp-ucb grid=0:1:6 se=.3";
    tvgp_policy *policy = described(text);
    tvgp_value_estimate v = {.struct_size = sizeof v};
    const tvgp_event tell_only = {.n = 1, .kind = TVGP_EVENT_TELL, .flags = TVGP_OBS_HAS_TIME, .y = 1, .size = 1};
    const tvgp_event asked = {.n = 1, .kind = TVGP_EVENT_ASK, .id = 1, .propensity = 1},
                     slate = {.n = 1, .kind = TVGP_EVENT_ASK, .id = 1, .slate = 2};
    const double x = 0.2, budget[] = {1, 2, 2}, cost = 9;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_off_policy_value(policy, NULL, 0, 1, &tell_only, 1, &x, 1, &v), "no ask");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_event_off_policy_value(policy, NULL, 0, 1, &tell_only, 0, NULL, 1, &v), "0 are left");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_off_policy_value(policy, policy, 0, 1, &asked, 0, NULL, 1, &v), "another policy");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_event_off_policy_value(policy, NULL, 0, 1, &slate, 0, NULL, 1, &v), "event 1",
                 "slate");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_event_off_policy_value(policy, NULL, 9, 1, &asked, 0, NULL, 1, &v), "event 1",
                 "arm");
    tvgp_policy *target = MAKE_POLICY(tvgp_policy_create_described, ctx, "gp-ucb grid=0:1:7 se=.3");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_event_off_policy_value(policy, target, 0, 1, &asked, 0, NULL, 1, &v), "7 arms");
    target = MAKE_POLICY(tvgp_policy_create_described, ctx, text); /* a budget that allows nothing */
    ASSERT_OK(tvgp_policy_set_budget(target, budget[0], budget[1], budget[2]));
    ASSERT_OK(tvgp_policy_set_costs(target, 1, &cost));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_event_off_policy_value(policy, target, 0, 1, &asked, 0, NULL, 1, &v), "event 1",
                 "target");
}

/* The policy may have candidates before the first event of the log; a count of candidates is what its numbers say. */
TEST(estimates_on_a_box) {
    enum { ROWS = 500 };
    double X[ROWS];
    tvgp_policy *policy = described("gp-ucb box=0:1");
    tvgp_value_estimate v = {.struct_size = sizeof v};
    for (int i = 0; i < ROWS; i++)
        X[i] = i / (double)ROWS;
    ASSERT_OK(tvgp_policy_set_candidates(policy, ROWS, X, NULL));
    tvgp_query q = harness_ask(MAKE_POLICY(tvgp_policy_clone, policy), 1);
    const tvgp_event log[] = {{.n = 1, .kind = TVGP_EVENT_ASK, .id = q.id, .arm = q.arm, .t = 1, .propensity = 1},
                              {.n = 2, .kind = TVGP_EVENT_TELL, .id = q.id, .y = 1}};
    ASSERT_OK(tvgp_event_off_policy_value(policy, NULL, -1, 2, log, 0, NULL, INFINITY, &v));
    ck_assert_double_eq_tol(v.ips, 1. / ROWS, 1e-12);
    const int64_t counts[] = {INT64_C(1) << 60, INT64_MAX, 1, -1};
    for (int i = 0; i < 4; i++) {
        const tvgp_event forged[] = {log[0], {.n = 2, .kind = TVGP_EVENT_CANDIDATES, .arm = counts[i]}};
        policy = described("gp-ucb indices=3");
        ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_event_off_policy_value(policy, NULL, -1, 2, forged, 0, NULL, INFINITY, &v),
                     "event 2", "candidates");
    }
}

/* Uniform choice is among the candidates that the bounds of each ask leave, not of the ask before. */
TEST(estimates_within_the_bounds_of_each_ask) {
    const double X[] = {.1, .4, .6, .9}, lower[] = {0}, upper[] = {.5};
    tvgp_policy *policy = described("gp-ucb box=0:1");
    tvgp_query q[2];
    tvgp_value_estimate v = {.struct_size = sizeof v};
    ASSERT_OK(tvgp_policy_set_candidates(policy, 4, X, NULL));
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_clone, policy);
    ASSERT_OK(tvgp_policy_ask_one(twin, 1, &q[0], NULL));
    ASSERT_OK(tvgp_policy_tell_value(twin, q[0].id, 1));
    ASSERT_OK(tvgp_policy_set_bounds(twin, lower, upper));
    ASSERT_OK(tvgp_policy_ask_one(twin, 2, &q[1], NULL));
    const tvgp_event log[] = {{.n = 1, .kind = TVGP_EVENT_ASK, .id = q[0].id, .arm = q[0].arm, .t = 1, .propensity = 1},
                              {.n = 2, .kind = TVGP_EVENT_TELL, .id = q[0].id, .y = 1},
                              {.n = 3, .kind = TVGP_EVENT_BOUNDS, .size = 2},
                              {.n = 4, .kind = TVGP_EVENT_ASK, .id = q[1].id, .arm = q[1].arm, .t = 2, .propensity = 1},
                              {.n = 5, .kind = TVGP_EVENT_TELL, .id = q[1].id, .y = 1}};
    ASSERT_OK(tvgp_event_off_policy_value(policy, NULL, -1, 5, log, 2, (const double[]){0, .5}, INFINITY, &v));
    ck_assert_double_eq_tol(v.ips, (.25 + .5) / 2, 1e-12);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

/* A damaged copy of the log of a short run is refused, and the message names the event. */
static void assert_refused(tvgp_status status, const char *said, size_t i, tvgp_event damaged, double shift) {
    const char *text = "tv-gp-ucb grid=0:1:21 se=.2";
    tvgp_policy *policy = described(text);
    const tvgp_event whole = journal.event[i];
    char named[32];
    snprintf(named, sizeof named, "event %lld", (long long)damaged.n);
    journal.event[i] = damaged;
    journal.x[journal.at[i]] += shift;
    ASSERT_FAILS(status, tvgp_policy_apply(policy, journal.n, journal.event, journal.n_x, journal.x), said, named,
                 "tvgp_policy_apply");
    journal.x[journal.at[i]] -= shift;
    journal.event[i] = whole;
}

TEST(damaged_logs) {
    tvgp_policy_destroy(play("tv-gp-ucb grid=0:1:21 se=.2", 6, 0));
    tvgp_event e = journal.event[2];
    ck_assert_int_eq(e.kind, TVGP_EVENT_ASK);
#define REFUSED(status, said, change)                                                                                       \
    do {                                                                                                                    \
        e = journal.event[2];                                                                                               \
        change;                                                                                                             \
        assert_refused(status, said, 2, e, 0);                                                                              \
    } while (0)
    REFUSED(TVGP_ERR_FORMAT, "follows event", e.n = 5);
    REFUSED(TVGP_ERR_FORMAT, "another id", e.id++);
    REFUSED(TVGP_ERR_FORMAT, "another arm", e.arm = (e.arm + 1) % 21);
    REFUSED(TVGP_ERR_FORMAT, "unknown", e.kind = 99);
    REFUSED(TVGP_ERR_FORMAT, "unknown", e.kind = 0);
    REFUSED(TVGP_ERR_FORMAT, "unknown", e.kind = -1);
    REFUSED(TVGP_ERR_DIM, "numbers", e.size = 1 << 20);
    REFUSED(TVGP_ERR_DIM, "numbers", e.size = -1);
    REFUSED(TVGP_ERR_ARG, "is before", e.t = -5);
    REFUSED(TVGP_ERR_FORMAT, "numbers", e.kind = TVGP_EVENT_TELL; e.outputs = 3);
    REFUSED(TVGP_ERR_FORMAT, "numbers", e.kind = TVGP_EVENT_TELL; e.outputs = -1);
    assert_refused(TVGP_ERR_FORMAT, "another point", 2, journal.event[2], 1e-9);
    tvgp_policy *policy = described("tv-gp-ucb grid=0:1:21 se=.2");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_apply(policy, 1, journal.event, 2, journal.x), "2 numbers");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_apply(policy, 1, NULL, 1, journal.x), "events");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_apply(policy, 1, journal.event, 1, NULL), "x_or_null");
    ASSERT_OK(tvgp_policy_apply(policy, 0, NULL, 0, NULL));
    ck_assert_int_eq(tvgp_policy_apply(NULL, 0, NULL, 0, NULL), TVGP_ERR_ARG);
    journal.n = journal.n_x = 0;
}

TEST(memory_is_refused) {
    const char *text = "auto-gp-ucb grid=0:1:5";
    tvgp_policy *played = play(text, 8, 1), *policy = described(text);
    for (size_t i = 0; i < journal.n; i++) { /* each allocation of the replay of each event, then again */
        tvgp_status status = TVGP_ERR_NOMEM;
        for (size_t k = 1; status == TVGP_ERR_NOMEM; k++) {
            memory.fail_in = k;
            status = apply(policy, i, 0);
        }
        memory.fail_in = 0;
        ASSERT_OK(status);
    }
    ASSERT_SAME_STATE(played, policy, "%s: after all events", text);
    journal.n = journal.n_x = 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void assert_line(tvgp_event e, const double *x, size_t n_x, const char *expected) {
    char line[400];
    size_t needed;
    ASSERT_OK(tvgp_event_format(ctx, &e, n_x, x, 0, NULL, &needed));
    ck_assert_uint_eq(needed, strlen(expected) + 1);
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_event_format(ctx, &e, n_x, x, needed - 1, line, &needed), "capacity");
    ASSERT_OK(tvgp_event_format(ctx, &e, n_x, x, needed, line, &needed));
    ck_assert_str_eq(line, expected);
}

TEST(lines) {
    const double x[] = {.1, -1e-300};
    assert_line(
        (tvgp_event){
            .n = 1, .kind = TVGP_EVENT_ASK, .id = 7, .epoch = INT64_MAX, .arm = 3, .t = .1, .propensity = 1, .size = 1},
        x, 1,
        "{\"n\":1,\"call\":\"ask\",\"id\":7,\"epoch\":9223372036854775807,\"arm\":3,\"t\":0.1,\"propensity\":1,\"x\":[0.1]"
        "}");
    assert_line((tvgp_event){.n = 2, .kind = TVGP_EVENT_TELL, .id = 7, .y = 0}, NULL, 0,
                "{\"n\":2,\"call\":\"tell\",\"id\":7,\"y\":0}");
    assert_line((tvgp_event){.n = 3, .kind = TVGP_EVENT_TELL, .id = 8, .outcome = TVGP_FAILED}, NULL, 0,
                "{\"n\":3,\"call\":\"tell\",\"id\":8,\"outcome\":\"failed\"}");
    assert_line((tvgp_event){.n = 4, .kind = TVGP_EVENT_TELL, .flags = 3, .y = 1, .t = 0, .noise_var = 0, .size = 2}, x, 2,
                "{\"n\":4,\"call\":\"tell\",\"id\":0,\"t\":0,\"y\":1,\"noise\":0,\"x\":[0.1,-1e-300]}");
    assert_line((tvgp_event){.n = 5, .kind = TVGP_EVENT_INCUMBENT, .y = INFINITY, .size = 1}, x, 1,
                "{\"n\":5,\"call\":\"incumbent\",\"y\":\"inf\",\"x\":[0.1]}");
    tvgp_event e = {.n = 1, .kind = 99};
    char line[100];
    size_t needed;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_format(ctx, &e, 0, NULL, 100, line, &needed), "kind");
    e = (tvgp_event){.n = 1, .kind = TVGP_EVENT_TELL, .outcome = 4};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_event_format(ctx, &e, 0, NULL, 100, line, &needed), "outcome");
    e = (tvgp_event){.n = 1, .kind = TVGP_EVENT_SAFE, .size = 2};
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_event_format(ctx, &e, 1, x, 100, line, &needed), "1 numbers");
}

TEST(lines_of_other_programs) {
    tvgp_event e;
    double x[4];
    size_t n_x;
    ASSERT_OK(tvgp_event_parse(
        ctx,
        " { \"n\" : 12 , \"call\" : \"ask\", \"at\":1.5, \"name\":\"a \\\"b\\\" }\", \"more\":{\"y\":[1,{}],\"z\":null},"
        " \"id\":3,\"t\":\"inf\", \"x\": [ 1 , 2.5e3 ] , \"flag\":true } \n",
        4, &e, x, &n_x));
    ck_assert(e.n == 12 && e.kind == TVGP_EVENT_ASK && e.id == 3 && isinf(e.t) && e.y == 0 && n_x == 2 && x[1] == 2500);
    ASSERT_OK(tvgp_event_parse(ctx, "{\"n\":1,\"call\":\"safe\",\"x\":[1,2,3]}", 0, &e, NULL, &n_x));
    ck_assert(n_x == 3 && e.size == 3);
    e.n = 99;
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_event_parse(ctx, "{\"n\":1,\"call\":\"safe\",\"x\":[1,2,3]}", 2, &e, x, &n_x),
                 "3 numbers");
    ck_assert_int_eq(e.n, 99);
}

TEST(damaged_lines) {
    static const char whole[] =
        "{\"n\":1,\"call\":\"tell\",\"id\":7,\"t\":1,\"y\":0.5,\"outcome\":\"value\",\"k\":[{\"a\":\"\\\"\"}],\"x\":[1,2]}";
    static const char *const damaged[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"call\":\"ask\",\"n\":1}",
        "{\"n\":1,\"call\":\"nope\"}",
        "{\"n\":1,\"call\":\"ask\",}",
        "{\"n\":1.5,\"call\":\"ask\"}",
        "{\"n\":99999999999999999999,\"call\":\"ask\"}",
        "{\"n\":1,\"call\":\"ask\",\"t\":1e}",
        "{\"n\":1,\"call\":\"ask\",\"t\":[1]}",
        "{\"n\":1,\"call\":\"ask\",\"x\":[1,]}",
        "{\"n\":1,\"call\":\"ask\",\"x\":[1],\"x\":[1]}",
        "{\"n\":1,\"call\":\"tell\",\"output\":3000000000}",
        "{\"n\":1,\"call\":\"tell\",\"outcome\":\"lost\"}",
        "{\"n\":1,\"call\":\"ask\"}{",
    };
    tvgp_event e = {.n = 99};
    double x[4];
    size_t n_x;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        const tvgp_status status = tvgp_event_parse(ctx, damaged[i], 4, &e, x, &n_x);
        ck_assert_msg(status == TVGP_ERR_FORMAT && strstr(tvgp_ctx_errmsg(ctx), "byte"), "'%s': %s", damaged[i],
                      tvgp_status_name(status));
    }
    for (size_t n = 0; n < strlen(whole); n++) { /* each byte as the end */
        char part[sizeof whole];
        memcpy(part, whole, n);
        part[n] = '\0';
        ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_event_parse(ctx, part, 4, &e, x, &n_x), "byte");
    }
    ck_assert_int_eq(e.n, 99);
    ASSERT_OK(tvgp_event_parse(ctx, whole, 4, &e, x, &n_x));
    ck_assert_int_eq(e.flags, TVGP_OBS_HAS_TIME);
}

HARNESS_MAIN("event")
