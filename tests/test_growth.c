/* SPDX-License-Identifier: MIT */
/* Told nothing, a step costs what the answers of some time cost, not of the whole run: what posteriors hold and search (the
 * statistics `observations` and `rank`) and bytes, the most in the first 200 steps and in steps 700 to 900, and the calls of the
 * allocator in the latter. Counts, no times. */
#include "harness.h"

#include <math.h>

enum { SIDE = 9, EARLY = 200, LATE = 700, STEPS = 900, LOG = 900 * 120 }; /* LOG: bytes of fit.stored_observations records */

static const struct scene {
    const char *name, *options;
    int box;
    size_t allocations; /* at most, from step 700 on: a posterior may be larger than all before */
} scenes[] = {{"tv-gp-ucb", "", 0, 2},
              {"w-gp-ucb", "decay=.95 fit.epsilon=0", 0, 2},
              {"auto-gp-ucb", "", 0, 2},
              {"tv-gp-ucb", "search.effort=.05", 1, 15},
              {"gp-ucb", "search.effort=.05 rank.limit=40", 1, 2}};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct held {
    double observations, rank, bytes;
} held;

static tvgp_policy *told_nothing(const struct scene *s) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    const size_t points[2] = {SIDE, SIDE};
    tvgp_domain *domain;
    tvgp_policy *p;
    ASSERT_OK(s->box ? tvgp_domain_box(ctx, 2, lower, upper, &domain)
                     : tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    ASSERT_OK(tvgp_policy_create(ctx, s->name, domain, NULL, &p));
    ASSERT_OK(tvgp_policy_set(p, "fit.window=40 fit.max_evals=6 fit.stored_observations=900"));
    ASSERT_OK(tvgp_policy_set(p, s->options));
    tvgp_domain_destroy(domain);
    return p;
}

static void most(held *a, tvgp_policy *p) {
    size_t bytes;
    ASSERT_OK(tvgp_ctx_memory(ctx, &bytes));
    a->observations = fmax(a->observations, harness_stat(p, "observations"));
    a->rank = fmax(a->rank, harness_stat(p, "rank"));
    a->bytes = fmax(a->bytes, (double)bytes);
}

/* A hill that goes round, once in some 60 steps, and waves that move. */
static double value(const double *x, int t) {
    const double a = x[0] - 0.5 - 0.3 * cos(0.1 * t), b = x[1] - 0.5 - 0.3 * sin(0.1 * t);
    return exp(-8 * (a * a + b * b)) + 0.3 * sin(9 * x[0] + 0.07 * t) * cos(8 * x[1] - 0.05 * t);
}

START_TEST(flat) {
    held early = {0}, late = {0};
    size_t warm = 0;
    struct rnd rnd = {4};
    tvgp_policy *p = told_nothing(&scenes[_i]);
    for (int t = 1; t <= STEPS; t++) {
        warm = t == LATE ? memory.allocated : warm;
        double x[2];
        tvgp_query q;
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, x));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, value(x, t) + 0.1 * rnd_normal(&rnd)));
        if (t <= EARLY || t >= LATE)
            most(t <= EARLY ? &early : &late, p);
    }
    ck_assert_uint_le(memory.allocated - warm, scenes[_i].allocations);
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 1);
    ck_assert_double_le(late.rank, 1.5 * early.rank);
    ck_assert_double_le(late.bytes, 1.5 * early.bytes + LOG);
    ck_assert_double_le(late.observations, 1.5 * early.observations);
    tvgp_policy_destroy(p);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("growth");
    tcase_add_loop_test(harness_case(suite, "told nothing"), flat, 0, SCENES);
    return harness_run(suite);
}
