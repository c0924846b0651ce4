/* SPDX-License-Identifier: MIT */
/* Hyperparameter optimisation in idle time: tvgp_policy_fit does the work of asks in pieces, and decides nothing. */
#include "harness.h"

#include <math.h>

/* Asks n times, with or without idle time after each outcome; x: n x 2. With idle time no ask evaluates anything, and a call of one
 * piece is one evaluation or a part of an adoption. */
static void play(const char *name, int box, int idle, size_t n, double *x) {
    const double lower[2] = {0}, upper[2] = {1, 1};
    const size_t side[2] = {9, 9};
    struct rnd r = {66};
    double adopting = 0;
    tvgp_domain *domain = box ? harness_box(2, lower, upper) : harness_grid(2, lower, upper, side);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, NULL);
    for (size_t t = 0; t < n; t++) {
        tvgp_status status = idle ? TVGP_AGAIN : TVGP_OK;
        double *at = x + 2 * t, before = t ? harness_stat(p, "fit.evals") : 0;
        tvgp_query q = harness_ask_at(p, (double)t, at);
        ck_assert(!idle || harness_stat(p, "fit.evals") == before);
        ASSERT_OK(
            tvgp_policy_tell_value(p, q.id, 30 * sin(6 * at[0] + 0.01 * (double)t) * cos(5 * at[1]) + 2 * rnd_normal(&r)));
        while (status == TVGP_AGAIN) {
            size_t evals;
            status = tvgp_policy_fit(p, 1, &evals);
            ck_assert(status >= TVGP_OK && evals <= 1);
            adopting += evals == 0 && status == TVGP_AGAIN;
        }
    }
    ck_assert_double_ge(harness_stat(p, "fit.adopted"), 1);
    ck_assert(!idle || box || adopting >= harness_stat(p, "fit.adopted"));
}

/* Idle time changes no decision: the same hyperparameters are adopted at the same asks. */
TEST_EACH(no_decision_changes, 12) {
    static const char *const policies[] = {"auto-gp-ucb", "tv-gp-ucb", "gp-ucb", "sw-gp-ucb", "et-gp-ucb", "ui-gp-ucb"};
    enum { POLICIES = sizeof policies / sizeof *policies, N = 150 };
    double with[2 * N], without[2 * N];
    const int box = _i / POLICIES;
    const size_t n = box ? N / 2 : N;
    play(policies[_i % POLICIES], box, 0, n, without);
    play(policies[_i % POLICIES], box, 1, n, with);
    for (size_t i = 0; i < 2 * n; i++)
        ck_assert_double_eq(with[i], without[i]);
}

HARNESS_MAIN("idle time")
