/* SPDX-License-Identifier: MIT */
/* What every registered policy that plays on boxes must do there with every kernel: predictions of the reference, the same
 * run for the same seed, steady state, any order of destruction, refused memory, numbers from the ends of the range. And the
 * same where the second coordinate is a context that is measured, and the first that of an arm. */
#include "base/error.h"
#include "cases.h"

#include <math.h>
#include <string.h>

enum { POINTS = 8 };

static const double zeros[2] = {0}, ones[2] = {1, 1};
static const struct ref_kernel *kernel;
static const char *name;
static tvgp_policy *policy;
static int measured; /* the second coordinate */
static int model;
static const double places[] = {0, 0.125, 0.3, 0.55, 0.8, 1};
enum { PLACES = sizeof places / sizeof *places };

/* The box between low and high, or its second side behind arms on the first. */
static tvgp_status make_domain(tvgp_ctx *c, const double *low, const double *high, tvgp_domain **out) {
    double at[PLACES];
    tvgp_domain *arms = NULL, *side = NULL;
    if (!measured)
        return tvgp_domain_box(c, 2, low, high, out);
    for (size_t i = 0; i < PLACES; i++)
        at[i] = fmin(low[0] + places[i] * (high[0] - low[0]), high[0]);
    tvgp_status status = tvgp_domain_arms(c, PLACES, 1, at, &arms);
    if (status == TVGP_OK)
        status = tvgp_domain_box(c, 1, low + 1, high + 1, &side);
    if (status == TVGP_OK)
        status = tvgp_domain_product(c, arms, side, out);
    tvgp_domain_destroy(arms);
    tvgp_domain_destroy(side);
    return status;
}

/* Asks stay within the bounds; where contexts are measured the upper one holds. */
static tvgp_status limit(tvgp_policy *p, const double *low, const double *high) {
    return measured ? tvgp_policy_set_context_point(p, 1, high + 1) : tvgp_policy_set_bounds(p, low, high);
}

static void assert_inside(const tvgp_query *q, const double *x, const double *low, const double *high) {
    if (!measured)
        ck_assert(q->arm == -1 && x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1]);
    else
        ck_assert(q->arm >= 0 && q->arm < PLACES && x[0] == places[q->arm] && x[1] == high[1]);
}

static tvgp_status make(tvgp_ctx *c, tvgp_domain **d, tvgp_kernel **k, tvgp_policy **p) {
    TVGP__TRY(make_domain(c, zeros, ones, d));
    TVGP__TRY(cases_kernel(c, kernel, k));
    TVGP__TRY(tvgp_policy_create(c, name, *d, *k, p));
    return limit(*p, zeros, ones);
}

static tvgp_status box_policy(tvgp_policy **out) {
    tvgp_domain *domain = NULL;
    tvgp_kernel *k = NULL;
    tvgp_status status = make(ctx, &domain, &k, out);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(k);
    return status;
}

/* Loop index -> policy, kernel and whether contexts are measured; 0: it does not play here, or the kernel is a table. */
static int choose(int i) {
    const char *doc;
    measured = i % 2;
    i /= 2;
    kernel = cases_kernel_at((size_t)(i % CASES_KERNELS));
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)(i / CASES_KERNELS), &name, &doc));
    if (kernel->kind == REF_TABLE)
        return 0;
    tvgp_policy *p = NULL;
    tvgp_status status = box_policy(&p);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
    model = p && cases_has_model(p);
    tvgp_policy_destroy(p);
    return status == TVGP_OK;
}

static void open_policy(int64_t seed) {
    ASSERT_OK(box_policy(&policy));
    ASSERT_OK(tvgp_policy_set_i64(policy, "seed", seed));
    cases_set(policy, "forget.tolerance", 0); /* every observation counts */
    cases_set(policy, "rank.tolerance", 0);
    cases_set(policy, "reset.every", 29);
    cases_set(policy, "window", CASES_WINDOW);
    cases_set(policy, "decay", 0.9);
    cases_set(policy, "qbar", 0.05); /* so that chance decides who enters a dictionary */
}

static void assert_predictions(struct ref_gp *ref, double t, struct rnd *r) {
    double X[2 * POINTS], mean[POINTS], var[POINTS], want_mean[POINTS], want_var[POINTS];
    rnd_fill(r, 2 * POINTS, X);
    tvgp_status status = tvgp_policy_predict(policy, t, POINTS, X, mean, var);
    if (status == TVGP_ERR_UNSUPPORTED) {
        ck_assert(!cases_has_model(policy));
        return;
    }
    ck_assert_int_eq(status, TVGP_OK);
    ref_gp_predict(ref, POINTS, X, t, want_mean, want_var);
    for (size_t i = 0; i < POINTS; i++) {
        ck_assert(isfinite(mean[i]) && isfinite(var[i]) && var[i] >= 0);
        if (cases_has_reference(policy)) {
            ASSERT_NEAR(mean[i], want_mean[i], 1e-9);
            ASSERT_NEAR(var[i], want_var[i], 1e-9);
        }
    }
}

struct open {
    tvgp_query q;
    double x[2];
};

static int combined(int i) {
    return cases_combined((size_t)(i / 2 / CASES_KERNELS), (size_t)(i / 2 % CASES_KERNELS), CASES_KERNELS);
}

/* Irregular and repeated times, bounds that move, unsolicited observations, skips, many pending, delayed outcomes. */
TEST_WHERE(anything_goes, 2 * harness_policies() * CASES_KERNELS, combined(_i)) {
    struct ref_gp ref;
    struct rnd r = {(uint64_t)_i};
    struct open open[40];
    size_t n_open = 0;
    double t = -3, resets = 0;
    if (!choose(_i))
        return;
    open_policy(1);
    cases_reference(policy, kernel, 400, &ref);
    for (size_t step = 0; step < 60; step++) {
        double low[2], high[2], now = 0;
        t += rnd_uniform(&r) < 0.4 ? 0 : 5 * rnd_uniform(&r) * rnd_uniform(&r);
        for (size_t d = 0; d < 2; d++) { /* now and then a fixed coordinate */
            low[d] = 0.7 * rnd_uniform(&r);
            high[d] = rnd_below(&r, 4) ? low[d] + 0.3 * rnd_uniform(&r) : low[d];
        }
        ASSERT_OK(limit(policy, low, high));
        struct open *o = &open[n_open++];
        tvgp_status asked = tvgp_policy_ask_one(policy, t, &o->q, o->x);
        if (asked == TVGP_AGAIN) /* it waits for outcomes at this time, not later */
            asked = tvgp_policy_ask_one(policy, t += 0.5, &o->q, o->x);
        ck_assert_int_eq(asked, TVGP_OK);
        ck_assert(isfinite(o->q.score) && o->q.noise_var >= 0);
        assert_inside(&o->q, o->x, low, high);
        if (cases_has_reference(policy))
            ASSERT_OK(tvgp_policy_stat(policy, "resets", &now));
        if (now > resets) { /* what is still open was asked in another life */
            ref_gp_drop(&ref, ref.n);
            open[0] = *o;
            n_open = 1;
        }
        resets = now;
        if (rnd_uniform(&r) < 0.3) {
            double x[2], y = rnd_normal(&r);
            rnd_fill(&r, 2, x);
            if (measured)
                x[0] = places[rnd_below(&r, PLACES)];
            const tvgp_obs obs = {.y = y, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.2, .t = t};
            ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, x));
            cases_observe(&ref, x, t, y, 0.2);
        }
        for (int k = 0; k < 2 && n_open > 0 && (n_open == 40 || step % 40 < 25); k++) { /* else: they pile up */
            size_t pick = rnd_below(&r, n_open);
            tvgp_obs obs = {.id = open[pick].q.id, .y = rnd_normal(&r)};
            obs.outcome = rnd_uniform(&r) < 0.2 ? TVGP_SKIPPED : TVGP_VALUE;
            ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, NULL));
            if (obs.outcome == TVGP_VALUE)
                cases_observe(&ref, open[pick].x, open[pick].q.t, obs.y, open[pick].q.noise_var);
            open[pick] = open[--n_open];
        }
        if (step % 10 == 9)
            assert_predictions(&ref, t + rnd_uniform(&r), &r);
    }
    ref_gp_free(&ref);
    tvgp_policy_destroy(policy);
}

/* Whether chance plays. */
static int play(int64_t seed, size_t steps, double *x) {
    open_policy(seed);
    const int random = cases_is_random(policy);
    for (size_t i = 0; i < steps; i++) {
        tvgp_query q = harness_ask_at(policy, 0.5 * (double)i, x + 2 * i);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin(5 * x[2 * i]) * cos(4 * x[2 * i + 1] + 0.1 * (double)i)));
    }
    tvgp_policy_destroy(policy);
    return random;
}

/* The same seed gives the same run, to the last bit; where chance plays another seed goes elsewhere. */
TEST_WHERE(seeds, 2 * harness_policies() * CASES_KERNELS, combined(_i)) {
    enum { STEPS = 25 };
    double a[2 * STEPS], b[2 * STEPS];
    if (!choose(_i))
        return;
    play(3, STEPS, a);
    play(3, STEPS, b);
    ck_assert_mem_eq(a, b, sizeof a);
    if (play(4, STEPS, b) && !(model && kernel->kind == REF_SUM)) /* whose linear part keeps bkb in the corners */
        ck_assert_mem_ne(a, b, sizeof a);
}

/* The same point at the same time, again and again: informative, never an error. */
TEST_WHERE(repeats, 2 * harness_policies() * CASES_KERNELS, combined(_i)) {
    const double at[2] = {0.25, 0.75};
    struct ref_gp ref;
    struct rnd r = {3};
    if (!choose(_i))
        return;
    open_policy(1);
    cases_reference(policy, kernel, 25, &ref);
    ASSERT_OK(limit(policy, at, at));
    if (measured) /* one arm alone */
        ASSERT_OK(tvgp_policy_set_available(policy, PLACES, (const uint8_t[PLACES]){[2] = 1}));
    for (size_t i = 0; i < 25; i++) {
        double x[2];
        tvgp_query q = harness_ask_at(policy, 7, x);
        ck_assert(x[0] == (measured ? places[2] : at[0]) && x[1] == at[1]);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, (double)(i % 2)));
        cases_observe(&ref, x, 7, (double)(i % 2), q.noise_var);
    }
    assert_predictions(&ref, 7, &r);
    ref_gp_free(&ref);
    tvgp_policy_destroy(policy);
}

/* Handles may go in any order, also while others are in use. */
TEST_WHERE(destruction_in_any_order, 2 * harness_policies() * CASES_KERNELS, combined(_i)) {
    if (choose(_i))
        cases_destroy_in_any_order(make);
}

/* ---- refused memory ----------------------------------------------------------------------------------------------- */

enum { STEPS = 34 };

/* ---- steady state, extremes --------------------------------------------------------------------------------------- */

/* Once capacities are reached no ask and no tell grows anything. */
TEST_EACH(steady_state, 2 * harness_policies()) {
    size_t before = 0, after;
    struct rnd r = {4};
    if (!choose(_i / 2 * 2 * CASES_KERNELS + _i % 2))
        return;
    open_policy(1);
    (void)tvgp_policy_set_i64(policy, "rows.limit", 40);
    if (!measured) /* side queries: otherwise of the points told, 4096 of them */
        (void)tvgp_policy_set_i64(policy, "side.points", 20);
    for (int step = 0; step < 400; step++) {
        tvgp_query q;
        double x[2];
        ASSERT_OK(tvgp_policy_ask_one(policy, step, &q, x));
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, sin(5 * x[0] + 0.1 * step) + 0.1 * rnd_normal(&r)));
        if (step == 299)
            ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    }
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    ck_assert_uint_eq(before, after);
    tvgp_policy_destroy(policy);
}

/* Boxes, values, noises and times from the ends of the stated range: finite, and inside. */
TEST_EACH(extremes, 2 * harness_policies()) {
    static const double some[] = {1e-100, 1e100, 1, 1e-50, 1e50, 0.3, 1e7};
    struct rnd r = {(uint64_t)_i};
    if (!choose(_i / 2 * 2 * CASES_KERNELS + _i % 2))
        return;
    for (int game = 0; game < 40; game++) {
        double size = some[rnd_below(&r, 7)], low[2], high[2], length = some[rnd_below(&r, 7)], t = 0;
        tvgp_domain *domain;
        tvgp_kernel *k;
        tvgp_policy *p;
        for (size_t d = 0; d < 2; d++) {
            low[d] = rnd_below(&r, 2) ? -0.5 * size : 0;
            high[d] = 0.5 * some[rnd_below(&r, 7)];
        }
        ASSERT_OK(make_domain(ctx, low, high, &domain));
        ASSERT_OK(tvgp_kernel_matern(ctx, 2, 2.5, some[rnd_below(&r, 7)], 1, &length, &k));
        tvgp_status status = tvgp_policy_create(ctx, name, domain, rnd_below(&r, 3) ? k : NULL, &p);
        if (status != TVGP_OK)
            ASSERT_OK(tvgp_policy_create(ctx, name, domain, k, &p));
        ASSERT_OK(limit(p, low, high));
        (void)tvgp_policy_set_f64(p, "noise", some[rnd_below(&r, 7)]);
        double unit = some[rnd_below(&r, 7)], beat = some[rnd_below(&r, 7)];
        for (int step = 0; step < 12; step++) {
            double x[2], mean = 0, var = 0;
            t = fmin(t + beat, 1e100);
            tvgp_query q = harness_ask_at(p, t, x);
            ck_assert_msg(isfinite(q.score) && isfinite(q.noise_var), "%s, game %d: score %g", name, game, q.score);
            for (size_t d = 0; d < 2; d++)
                ck_assert(x[d] >= low[d] && x[d] <= high[d]);
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, fmax(-1e100, fmin(1e100, unit * rnd_normal(&r)))));
            if (!model)
                continue;
            ASSERT_OK(tvgp_policy_predict(p, t, 1, x, &mean, &var));
            ck_assert_msg(isfinite(mean) && isfinite(var) && var >= 0, "%s, game %d: %g, %g", name, game, mean, var);
        }
        tvgp_policy_destroy(p);
        tvgp_domain_destroy(domain);
        tvgp_kernel_destroy(k);
    }
}

HARNESS_MAIN("box conformance")
