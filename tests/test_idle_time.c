/* SPDX-License-Identifier: MIT */
/* Hyperparameter optimisation in idle time: tvgp_policy_fit does the work of asks in pieces. */
#include "harness.h"

#include <math.h>

static tvgp_policy *create(void) {
    const double lower = 0, upper = 1;
    const size_t n = 21;
    tvgp_domain *line = NULL;
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_domain_grid(ctx, 1, &lower, &upper, &n, &line));
    ASSERT_OK(tvgp_policy_create(ctx, "auto-gp-ucb", line, NULL, &p));
    tvgp_domain_destroy(line);
    return p;
}

/* With default settings idle time takes the work of asks, in their pieces: no ask evaluates anything, an optimisation begins when it is
 * due, and a call of one piece is one evaluation or a part of an adoption. */
START_TEST(in_idle_time) {
    enum { N = 300 };
    double adopting = 0;
    tvgp_policy *p = create();
    struct rnd r = {65};
    for (int t = 1; t <= N; t++) {
        size_t evals;
        tvgp_status status;
        const double before = harness_stat(p, "fit.evals");
        tvgp_query q = harness_ask(p, t);
        ck_assert_double_eq(harness_stat(p, "fit.evals"), before);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 30 * sin(0.3 * (double)q.arm + 0.02 * t) + 200 + 2 * rnd_normal(&r)));
        do {
            status = tvgp_policy_fit(p, 1, &evals);
            ck_assert_int_ge(status, TVGP_OK);
            ck_assert_uint_le(evals, 1);
            adopting += evals == 0 && status == TVGP_AGAIN;
        } while (status == TVGP_AGAIN);
    }
    ck_assert_double_gt(harness_stat(p, "fit.count"), 5);
    ck_assert_double_lt(harness_stat(p, "fit.count"), 60);
    ck_assert_double_gt(adopting, harness_stat(p, "fit.adopted"));
    tvgp_policy_destroy(p);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("idle time");
    TCase *pieces = harness_case(suite, "pieces");
    tcase_add_test(pieces, in_idle_time);
    return harness_run(suite);
}
