/* SPDX-License-Identifier: MIT */
/* With default settings and no kernel, the work of a step does not grow with the number of steps: policies that learn their
 * hyperparameters play arms and a box, 600 steps each, by night 2000. Work is counted in floating-point operations of the leading
 * terms, computed from statistics and not measured as time: 2 r (A + r) for a step on A arms (on a box r^2 for each of 1000 points
 * of the search) where the posterior has rank r, and n^3 for each evaluation of the marginal likelihood of n groups. No step exceeds
 * the documented cost: r is at most four times the number of arms (model/feature/basis.h), on a box rows.limit, n at most fit.window,
 * and an ask makes at most fit.max_evals evaluations, the first optimisation 2.5 times as many. Memory grows with r^2 at most. */
#include "harness.h"
#include "model/kalman_mixture.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 15, WARM = 200, POINTS = 1000, LOG = 2000 * 120 }; /* LOG: bytes of stored observations */

static const struct scene {
    const char *name;
    int box, night; /* 1: by night only; 2: of these 600 steps, since the rank grows with every outcome */
    double growth;  /* bound of the work in the last block over the work after step WARM; 0: documented bound of the rank */
    size_t allocations; /* most steps that allocate, in 1000 steps after step WARM */
} scenes[] = {
    {"sw-gp-ucb", 0, 0, 1.5, 45}, {"tv-gp-ucb", 0, 0, 1.5, 120}, {"auto-gp-ucb", 0, 0, 1.5, 10}, {"gp-ucb", 0, 0, 0, 120},
    {"igp-ucb", 0, 0, 0, 120},    {"ui-gp-ucb", 0, 0, 0, 120},   {"w-gp-ucb", 0, 0, 0, 120},     {"et-gp-ucb", 0, 0, 0, 120},
    {"sw-gp-ucb", 1, 0, 1.5, 30}, {"tv-gp-ucb", 1, 0, 2, 60},    {"auto-gp-ucb", 1, 0, 2, 100},  {"gp-ucb", 1, 1, 0, 60},
    {"igp-ucb", 1, 1, 0, 60},     {"ui-gp-ucb", 1, 2, 0, 60},    {"w-gp-ucb", 1, 2, 0, 60},      {"et-gp-ucb", 1, 1, 0, 60}};
enum {
    SCENES = sizeof scenes / sizeof *scenes,
    EVALS = 12
}; /* EVALS: evaluations of an ask with few observations, at most */

static tvgp_policy *policy_of(const struct scene *s) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    const size_t points[2] = {SIDE, SIDE};
    tvgp_domain *domain;
    tvgp_policy *p;
    ASSERT_OK(s->box ? tvgp_domain_box(ctx, 2, lower, upper, &domain)
                     : tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    ASSERT_OK(tvgp_policy_create(ctx, s->name, domain, NULL, &p));
    tvgp_domain_destroy(domain);
    return p;
}

static double setting(const tvgp_policy *p, const char *key) {
    int64_t value;
    ASSERT_OK(tvgp_policy_get_i64(p, key, &value));
    return (double)value;
}

/* Operations of the last step, which are within the documented cost; `evals` and `fits` are the counts before it. */
static double work_of(const struct scene *s, tvgp_policy *p, double *evals, double *fits) {
    const double r = harness_stat(p, "rank"), n = harness_stat(p, "fit.groups"), all = harness_stat(p, "fit.evals");
    const double evaluations = all - *evals;
    ck_assert_double_le(r, s->box ? setting(p, "rows.limit") : 4 * SIDE * SIDE);
    ck_assert_double_le(n, setting(p, "fit.window"));
    const double full = setting(p, "fit.max_evals") * (*fits > 0 ? 1 : 2.5), few = full * pow(200 / fmax(n, 1), 2);
    ck_assert_double_le(evaluations, fmax(full, fmin(few, EVALS)));
    *evals = all;
    *fits = harness_stat(p, "fit.count");
    return evaluations * n * n * n + (s->box ? r * r * POINTS : 2 * r * (SIDE * SIDE + r));
}

/* A hill that moves in a circle, once in some 60 steps, and waves. */
static double value(const double *x, int t) {
    const double a = x[0] - 0.5 - 0.3 * cos(0.1 * t), b = x[1] - 0.5 - 0.3 * sin(0.1 * t);
    return exp(-8 * (a * a + b * b)) + 0.3 * sin(9 * x[0] + 0.07 * t) * cos(8 * x[1] - 0.05 * t);
}

HARNESS_TEST(flat, SCENES, !scenes[_i].night || harness_all(), HARNESS_BY_NIGHT) {
    const struct scene *s = &scenes[_i];
    const int steps = harness_all() && s->night < 2 ? 2000 : 600, block = harness_all() ? 300 : 150;
    double early = 0, late = 0, evals = 0, fits = 0;
    size_t allocating = 0, bytes = 0;
    double before = 0, rank = 1;
    struct rnd rnd = {4};
    tvgp_policy *p = policy_of(s);
    for (int t = 1; t <= steps; t++) {
        const size_t calls = memory.allocated;
        double x[2];
        tvgp_query q;
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, x));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, value(x, t) + 0.1 * rnd_normal(&rnd)));
        const double work = work_of(s, p, &evals, &fits);
        early += t > WARM && t <= WARM + block ? work : 0;
        late += t > steps - block ? work : 0;
        allocating += t > WARM && memory.allocated > calls;
        ASSERT_OK(tvgp_ctx_memory(ctx, &bytes));
        if (t == WARM + block) {
            before = (double)bytes;
            rank = harness_stat(p, "rank");
        }
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 1);
    if (s->growth > 0) {
        ck_assert_double_le(late, s->growth * early);
        const double ratio = fmax(1, harness_stat(p, "rank") / rank);
        ck_assert_double_le((double)bytes, 1.5 * before * ratio * ratio + LOG);
    }
    ck_assert_uint_le(allocating * 1000, s->allocations * (size_t)(steps - WARM));
    tvgp_policy_destroy(p);
}

/* ---- the basis of a new posterior --------------------------------------------------------------------------------- */

enum { FINE = 32, PIVOTS = 64 }; /* PIVOTS: found in one ask at most */

static tvgp_policy *on_square(void) {
    const double lower[2] = {0}, upper[2] = {1, 1};
    const size_t points[2] = {FINE, FINE};
    tvgp_domain *domain = NULL;
    ASSERT_OK(tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &p));
    tvgp_domain_destroy(domain);
    ASSERT_OK(tvgp_policy_set_i64(p, "fit.every", 3));
    ASSERT_OK(tvgp_policy_set_f64(p, "fit.min_improvement", 0));
    return p;
}

static double rough(int64_t arm, int step) {
    const double x = (double)(arm / FINE) / FINE, y = (double)(arm % FINE) / FINE;
    return sin(23 * x + 0.02 * step) * cos(19 * y - 0.03 * step);
}

static int32_t count_columns(void *user) { /* the interrupt function is called once a column, and once an evaluation */
    ++*(int *)user;
    return 0;
}

/* Observations touch the memory of filters before these take it: after 200 of them no page is new. */
TEST(pages_are_touched) {
    tvgp_policy *p = on_square();
    ASSERT_OK(tvgp_policy_set_i64(p, "fit.every", -1));
    for (int step = 1; step <= 200; step++) {
        const tvgp_query q = harness_ask(p, step);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, rough(q.arm, step)));
    }
    const tvgp__kalman_filters *set = &((const tvgp__kalman_mixture *)tvgp__ucb_posterior(p))->set;
    ck_assert_uint_eq(set->touched, set->ones + set->twos);
    tvgp_policy_destroy(p);
}

/* On many arms the search for a basis is spread over asks, once something is learned. */
TEST(basis_in_pieces) {
    int columns = 0, pieces = 0;
    tvgp_policy *p = on_square();
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, count_columns, &columns, NULL));
    for (int step = 1; step <= 60; step++) {
        const int learned = harness_stat(p, "fit.adopted") > 0;
        columns = 0;
        const tvgp_query q = harness_ask(p, step);
        ck_assert_msg(!learned || columns <= PIVOTS + EVALS, "step %d: %d columns", step, columns);
        pieces += learned && columns >= PIVOTS;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, rough(q.arm, step)));
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 2);
    ck_assert_double_gt(harness_stat(p, "rank"), 2 * PIVOTS);
    ck_assert_int_gt(pieces, 4);
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    tvgp_policy_destroy(p);
}

/* Where memory is refused in the middle of a search, or the policy is saved and loaded there, a twin that was spared asks the
 * same bits. */
TEST(pieces_survive) {
    enum { MOST = 1 << 25 };
    char *bytes = malloc(MOST);
    int searches = 0;
    tvgp_policy *p = on_square(), *twin = on_square();
    ck_assert_ptr_nonnull(bytes);
    for (int step = 1; step <= 60; step++) {
        const tvgp_query spared = harness_ask(twin, step);
        const int searching = p->state && tvgp__ucb_learner(p)->pivots > 0;
        tvgp_query q;
        double x[2];
        if (searching && searches % 2) {
            size_t n;
            ASSERT_OK(tvgp_policy_save(p, MOST, bytes, &n));
            tvgp_policy_destroy(p);
            p = on_square();
            ASSERT_OK(tvgp_policy_load(p, n, bytes));
        }
        searches += searching;
        memory.fail_in = memory.withheld = searching ? 1 + (size_t)(searches * 3) % 32 : 0;
        SURVIVE(tvgp_policy_ask_one(p, step, &q, x));
        memory.fail_in = 0;
        ck_assert_msg(q.arm == spared.arm && q.score == spared.score, "step %d", step);
        ck_assert_double_eq(harness_stat(p, "fit.adopted"), harness_stat(twin, "fit.adopted"));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, rough(q.arm, step)));
        ASSERT_OK(tvgp_policy_tell_value(twin, spared.id, rough(q.arm, step)));
    }
    ck_assert_int_gt(searches, 6);
    free(bytes);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(twin);
}

HARNESS_MAIN("growth")
