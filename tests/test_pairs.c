/* SPDX-License-Identifier: MIT */
/* Features in pairs: each pair is played, continued from a snapshot and replayed from its events, or refused with a message that names
 * both. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOOR, BUDGET, SLATE, CONSTRAINT, INCUMBENT, CANDIDATES, CONTEXTS, MEASURED, DELAYED, SWITCHING, COUNTS, FEATURES };
enum { ARMS = 6, ROWS = 5, STEPS = 30, LATE = 3, ITEMS = 2, MOST_BYTES = 1 << 20 };

/* How messages call a feature. */
static const char *const names[FEATURES] = {"exploration.floor", "budget",      "slate",       "constraint",
                                            "incumbent",         "candidates",  "context",     "measured",
                                            "delayed",           "switch.cost", "outcome.type"};

/* Pairs that are refused. */
static const int refused[][2] = {{SLATE, SWITCHING},   {CANDIDATES, CONTEXTS}, {CANDIDATES, MEASURED},
                                 {CONTEXTS, MEASURED}, {INCUMBENT, MEASURED},  {INCUMBENT, COUNTS}};

typedef struct game {
    int with[FEATURES];
    tvgp_policy *policy;
    size_t dim;
    struct {
        tvgp_query q[ITEMS];
        double x[2 * ITEMS];
        size_t n;
    } asked[STEPS];
} game;

static struct {
    tvgp_event event[20 * STEPS];
    double x[100 * STEPS];
    size_t n, n_x;
} journal;

static void record(int writes, tvgp_event e, const double *x) {
    if (!writes)
        return;
    e.n = (int64_t)journal.n + 1;
    journal.event[journal.n++] = e;
    if (e.size)
        memcpy(journal.x + journal.n_x, x, (size_t)e.size * sizeof *x);
    journal.n_x += (size_t)e.size;
}

/* ---- a policy with the features ------------------------------------------------------------------------------------- */

static tvgp_domain *domain_of(const game *g) {
    const double low = 0, high = 1;
    tvgp_domain *actions;
    const size_t two = 2, arms = ARMS;
    if (!g->with[CONTEXTS] && !g->with[MEASURED]) {
        actions = g->with[CANDIDATES] ? harness_box(1, &low, &high) : harness_grid(1, &low, &high, &arms);
        return actions;
    }
    actions = harness_grid(1, &low, &high, &arms);
    tvgp_domain *contexts = g->with[MEASURED] ? harness_box(1, &low, &high) : harness_grid(1, &low, &high, &two);
    return MAKE_DOMAIN(tvgp_domain_product, ctx, actions, contexts);
}

static tvgp_status add_constraint(tvgp_policy *p, const tvgp_domain *domain, const tvgp_kernel *kernel, size_t dim) {
    const double safe[] = {0.4, 0};
    tvgp_policy *model = harness_create("tv-gp-ucb", domain, kernel, "noise=0.1");
    tvgp_status status = tvgp_policy_add_constraint(p, model, TVGP_AT_MOST | TVGP_OF_MEAN, 1.5);
    return status == TVGP_OK && dim == 1 ? tvgp_policy_set_safe(p, 1, safe) : status;
}

static tvgp_status set_up(const game *g, tvgp_policy *p, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    const double incumbent[] = {0.6, 0}, one = 1;
    tvgp_status status = tvgp_policy_set(p, "noise=0.1 epsilon=0.02 constraint.fallback=safest");
    if (status == TVGP_OK && g->with[COUNTS])
        status = tvgp_policy_set_str(p, "outcome.type", "poisson");
    if (status == TVGP_OK && g->with[FLOOR])
        status = tvgp_policy_set_f64(p, "exploration.floor", 0.3);
    if (status == TVGP_OK && g->with[SWITCHING])
        status = tvgp_policy_set_f64(p, "switch.cost", 0.2);
    if (status == TVGP_OK && g->with[CONSTRAINT])
        status = add_constraint(p, domain, kernel, g->dim);
    if (status == TVGP_OK && g->with[INCUMBENT])
        status = tvgp_policy_set_incumbent(p, incumbent, 0.3);
    if (status == TVGP_OK && g->with[BUDGET])
        status = tvgp_policy_set_budget(p, 10, 2 * STEPS, STEPS);
    if (status == TVGP_OK && g->with[BUDGET])
        status = tvgp_policy_set_costs(p, 1, &one);
    return status;
}

static tvgp_status make(game *g) {
    tvgp_domain *domain = domain_of(g);
    ASSERT_OK(tvgp_domain_dim(domain, &g->dim));
    tvgp_kernel *kernel = harness_se(g->dim, 1, (const double[]){0.3});
    g->policy = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", domain, kernel);
    const tvgp_status status = set_up(g, g->policy, domain, kernel);
    return status;
}

/* ---- a step ----------------------------------------------------------------------------------------------------------- */

static tvgp_status set_context(const game *g, int t, int writes) {
    const double z = 0.3 + 0.2 * sin(t);
    tvgp_status status = TVGP_OK;
    if (g->with[CONTEXTS])
        status = tvgp_policy_set_context(g->policy, t % 2);
    if (status == TVGP_OK && g->with[CONTEXTS])
        record(writes, (tvgp_event){.kind = TVGP_EVENT_CONTEXT, .arm = t % 2}, NULL);
    if (status == TVGP_OK && g->with[MEASURED])
        status = tvgp_policy_set_context_point(g->policy, 1, &z);
    if (status == TVGP_OK && g->with[MEASURED])
        record(writes, (tvgp_event){.kind = TVGP_EVENT_CONTEXT_POINT, .size = 1}, &z);
    return status;
}

static tvgp_status set_candidates(const game *g, int t, int writes) {
    double X[2 * ROWS];
    if (!g->with[CANDIDATES])
        return TVGP_OK;
    for (size_t i = 0; i < ROWS * g->dim; i++)
        X[i] = fmod(0.37 * (double)i + 0.11 * t + 0.6, 1);
    X[0] = 0.6; /* the incumbent, or a safe point */
    const tvgp_status status = tvgp_policy_set_candidates(g->policy, ROWS, X, NULL);
    if (status == TVGP_OK)
        record(writes, (tvgp_event){.kind = TVGP_EVENT_CANDIDATES, .arm = ROWS, .size = (int64_t)(ROWS * g->dim)}, X);
    return status;
}

static void record_ask(const game *g, int t, int writes) {
    const size_t n = g->asked[t].n, each = g->dim + 2;
    const tvgp_query *q = g->asked[t].q;
    double items[4 * ITEMS];
    tvgp_event e = {.kind = TVGP_EVENT_ASK, .arm = -1, .t = t, .slate = g->with[SLATE] ? ITEMS : 0};
    if (n)
        e = (tvgp_event){.kind = TVGP_EVENT_ASK,
                         .id = q->id,
                         .arm = q->arm,
                         .t = t,
                         .propensity = q->propensity,
                         .slate = e.slate,
                         .size = (int64_t)(g->with[SLATE] ? n * each : g->dim)};
    for (size_t i = 0; i < n; i++) {
        items[i * each] = (double)q[i].arm;
        items[i * each + 1] = q[i].propensity;
        memcpy(items + i * each + 2, g->asked[t].x + i * g->dim, g->dim * sizeof *items);
    }
    record(writes, e, g->with[SLATE] ? items : g->asked[t].x);
}

static tvgp_status ask(game *g, int t, int writes) {
    size_t n = 1;
    tvgp_status status = set_context(g, t, writes);
    if (status == TVGP_OK)
        status = set_candidates(g, t, writes);
    if (status == TVGP_OK)
        status = g->with[SLATE] ? tvgp_policy_ask_slate(g->policy, t, ITEMS, g->asked[t].q, g->asked[t].x, &n)
                                : tvgp_policy_ask_one(g->policy, t, g->asked[t].q, g->asked[t].x);
    g->asked[t].n = status == TVGP_OK ? n : 0;
    if (status >= 0)
        record_ask(g, t, writes);
    return status;
}

static void tell(const game *g, int step, int t, int writes) {
    for (size_t i = 0; i < g->asked[step].n; i++) {
        const tvgp_query *q = &g->asked[step].q[i];
        const double x = g->asked[step].x[i * g->dim], other = x + 0.1 * cos(t);
        tvgp_obs obs[2] = {{.id = q->id, .y = sin(5 * x + 0.1 * t)}, {.id = q->id, .output = 1, .y = other}};
        if (g->with[COUNTS])
            obs[0] = tvgp_obs_count(q->id, floor(4 + 3 * sin(5 * x + t)), 4);
        if (g->with[BUDGET]) {
            ASSERT_OK(tvgp_policy_charge(g->policy, q->id, 0.9));
            record(writes, (tvgp_event){.kind = TVGP_EVENT_CHARGE, .id = q->id, .charge = 0.9}, NULL);
        }
        ASSERT_OK(tvgp_policy_tell(g->policy, g->with[CONSTRAINT] ? 2 : 1, obs, NULL));
        record(writes,
               (tvgp_event){.kind = TVGP_EVENT_TELL,
                            .id = q->id,
                            .flags = obs[0].flags,
                            .y = obs[0].y,
                            .exposure = obs[0].exposure,
                            .outputs = g->with[CONSTRAINT],
                            .size = g->with[CONSTRAINT]},
               &other);
    }
}

static void check(const game *g, int t) {
    for (size_t i = 0; i < g->asked[t].n; i++) {
        const tvgp_query *q = &g->asked[t].q[i];
        ck_assert(q->propensity >= 0 && q->propensity <= 1 && q->risk >= 0 && q->risk <= 1 && isfinite(q->score));
        ck_assert(!g->with[FLOOR] || q->propensity > 0);
        ck_assert(!g->with[CONTEXTS] || q->arm % 2 == t % 2);
        ck_assert(!g->with[CANDIDATES] || (q->arm >= 0 && q->arm < ROWS));
        ck_assert(!i || q->arm != g->asked[t].q[0].arm);
    }
}

static tvgp_status step(game *g, int t, int writes) {
    const tvgp_status status = ask(g, t, writes);
    if (status < 0)
        return status;
    check(g, t);
    if (!g->with[DELAYED])
        tell(g, t, t, writes);
    else if (t >= LATE)
        tell(g, t - LATE, t, writes);
    return TVGP_OK;
}

/* ---- a pair ----------------------------------------------------------------------------------------------------------- */

static size_t save(const game *g, uint8_t *bytes) {
    size_t n;
    ASSERT_OK(tvgp_policy_save(g->policy, MOST_BYTES, bytes, &n));
    return n;
}

static int is_refused(int a, int b) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i][0] == a && refused[i][1] == b)
            return 1;
    return 0;
}

static void check_statistics(const game *g) {
    if (g->with[FLOOR])
        ck_assert(harness_stat(g->policy, "exploration.asked") > 0);
    if (g->with[BUDGET])
        ck_assert(harness_stat(g->policy, "budget.spent") <= 10 && harness_stat(g->policy, "budget.spent") > 0);
    if (g->with[CONSTRAINT])
        ck_assert(harness_stat(g->policy, "constraint.observations.1") > 0);
}

static void play(game *g) {
    static uint8_t bytes[2][MOST_BYTES];
    game twin = *g, again = *g;
    journal.n = journal.n_x = 0;
    ASSERT_OK(make(&twin));
    ASSERT_OK(make(&again));
    for (int t = 0; t < STEPS; t++) {
        ASSERT_OK(step(g, t, 1));
        if (t == STEPS / 2) { /* the twin goes on from a snapshot */
            ASSERT_OK(tvgp_policy_load(twin.policy, save(g, bytes[0]), bytes[0]));
            memcpy(twin.asked, g->asked, sizeof twin.asked);
        }
        if (t <= STEPS / 2)
            continue;
        ASSERT_OK(step(&twin, t, 0));
        ck_assert_uint_eq(twin.asked[t].n, g->asked[t].n);
        ck_assert(!memcmp(twin.asked[t].q, g->asked[t].q, g->asked[t].n * sizeof *g->asked[t].q));
    }
    check_statistics(g);
    ASSERT_OK(tvgp_policy_apply(again.policy, journal.n, journal.event, journal.n_x, journal.x));
    const size_t n = save(g, bytes[0]);
    ck_assert_uint_eq(n, save(&again, bytes[1]));
    ck_assert(!memcmp(bytes[0], bytes[1], n));
    ck_assert_uint_eq(n, save(&twin, bytes[1]));
    ck_assert(!memcmp(bytes[0], bytes[1], n));
}

TEST_WHERE(every_pair, FEATURES *FEATURES, _i % FEATURES >= _i / FEATURES) {
    const int a = _i / FEATURES, b = _i % FEATURES;
    game g = {{0}, NULL, 0, {{{{0}}, {0}, 0}}};
    g.with[a] = g.with[b] = 1;
    if (!is_refused(a, b)) {
        ASSERT_OK(make(&g));
        play(&g);
    } else {
        tvgp_status status = make(&g);
        if (status == TVGP_OK)
            status = ask(&g, 0, 0);
        ck_assert_msg(status < 0, "%s and %s are not refused", names[a], names[b]);
        const char *said = tvgp_ctx_errmsg(ctx);
        ck_assert_msg(strstr(said, names[a]) && strstr(said, names[b]), "%s and %s: %s", names[a], names[b], said);
    }
}

HARNESS_MAIN("pairs")
