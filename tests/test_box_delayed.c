/* SPDX-License-Identifier: MIT */
/* tv-gp-ucb on a box takes delayed outcomes in the weights of inducing points (model/kalman_mixture_delayed.h): as one with a
 * row for each outcome, which is exact whatever the order; and outcomes in order as if none could be late. */
#include "cases.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>

enum { ANSWERS = 160, LOOKS = 30 };
static const double NOISE = 0.05;

static tvgp_policy *on_box(const char *law, const char *options) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    const struct ref_kernel smooth = {.kind = REF_SE, .dim = 2, .variance = 1.3, .l = {0.3, 0.4}};
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    tvgp_policy *p = harness_create("tv-gp-ucb", harness_box(2, lower, upper), kernel, "noise=.05 forget.tolerance=0");
    ASSERT_OK(tvgp_policy_set(p, law));
    ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

/* Outcomes in the order in which they arrive: at most `late` of later times come before one, in batches of 1 to 3. */
struct stream {
    tvgp_obs obs[ANSWERS];
    double x[2 * ANSWERS];
};

static void fill(struct stream *s, size_t late, uint64_t seed) {
    struct rnd rnd = {seed};
    double due[ANSWERS];
    for (size_t i = 0; i < ANSWERS; i++) {
        const double when = (double)i + (double)late * rnd_uniform(&rnd);
        size_t k = i;
        for (; k && due[k - 1] > when; k--) {
            due[k] = due[k - 1];
            s->obs[k] = s->obs[k - 1];
            s->x[2 * k] = s->x[2 * k - 2], s->x[2 * k + 1] = s->x[2 * k - 1];
        }
        due[k] = when;
        rnd_fill(&rnd, 2, s->x + 2 * k);
        const double y = sin(5 * s->x[2 * k] + 0.05 * (double)i) + s->x[2 * k + 1] + sqrt(NOISE) * rnd_normal(&rnd);
        s->obs[k] = (tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .t = (double)i - 50, .y = y};
    }
}

/* Time passes between outcomes too: an ask whose query is taken back. */
static void tell(tvgp_policy *p, const struct stream *s) {
    double clock = -INFINITY;
    for (size_t i = 0, n; i < ANSWERS; i += n) {
        n = i % 7 == 3 && i + 3 <= ANSWERS ? 3 : 1;
        ASSERT_OK(tvgp_policy_tell(p, n, s->obs + i, s->x + 2 * i));
        for (size_t k = i; k < i + n; k++)
            clock = fmax(clock, s->obs[k].t);
        if (i % 5 == 0) {
            double x[2];
            clock += 0.5;
            tvgp_query q = harness_ask_at(p, clock, x);
            ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_CANCELLED}, NULL));
        }
    }
}

static void look(tvgp_policy *p, double *mean, double *sd) {
    double at[2 * LOOKS];
    struct rnd rnd = {77};
    rnd_fill(&rnd, 2 * LOOKS, at);
    ASSERT_OK(tvgp_policy_predict(p, ANSWERS - 50, LOOKS, at, mean, sd));
}

static const char *const drifts[] = {"epsilon=.03", "time.kernel=matern32 time.rate=.1"};
static const size_t limits[] = {1, 2, 5, 20, 60};
enum { LAWS = 2, LIMITS = sizeof limits / sizeof *limits };

/* With features almost to round-off the weights equal the rows', however delayed outcomes come. */
TEST_EACH(equals_rows, LAWS *LIMITS) {
    const size_t limit = limits[_i % LIMITS];
    struct stream s;
    double mean[2][LOOKS], sd[2][LOOKS];
    char fine[64], rows[64];
    snprintf(fine, sizeof fine, "rank.tolerance=1e-7 delay.exact_observations=%zu", limit);
    snprintf(rows, sizeof rows, "rank.tolerance=0 delay.exact_observations=%zu", limit);
    tvgp_policy *p[] = {on_box(drifts[_i / LIMITS], fine), on_box(drifts[_i / LIMITS], rows)};
    fill(&s, limit, 5 + (uint64_t)_i);
    for (size_t k = 0; k < 2; k++) {
        tell(p[k], &s);
        look(p[k], mean[k], sd[k]);
    }
    ASSERT_ALL_NEAR(LOOKS, mean[0], mean[1], 2e-5);
    ASSERT_ALL_NEAR(LOOKS, sd[0], sd[1], 2e-5);
    ck_assert_double_lt(harness_stat(p[0], "rank"), ANSWERS - 20);
    ck_assert_double_eq(harness_stat(p[1], "rank"), ANSWERS);
    ck_assert_double_eq(harness_stat(p[0], "observations"), ANSWERS);
    ck_assert_double_eq(harness_stat(p[0], "delay.approximated"), 0);
    ASSERT_NEAR(harness_stat(p[0], "log_marginal_likelihood"), harness_stat(p[1], "log_marginal_likelihood"), 1e-3);
    ASSERT_NEAR(harness_stat(p[0], "information_gain"), harness_stat(p[1], "information_gain"), 1e-4);
}

/* What comes from further back is blurred, and told: so it was for delay.exact_observations=0 alone. */
TEST(beyond_the_limit) {
    struct stream s;
    double mean[2][LOOKS], sd[2][LOOKS];
    tvgp_policy *p[] = {on_box(drifts[0], "delay.exact_observations=2"), on_box(drifts[0], "delay.exact_observations=60")};
    fill(&s, 40, 3);
    for (size_t k = 0; k < 2; k++) {
        tell(p[k], &s);
        look(p[k], mean[k], sd[k]);
    }
    ck_assert_double_gt(harness_stat(p[0], "delay.approximated"), 20);
    ck_assert_double_eq(harness_stat(p[1], "delay.approximated"), 0);
    double apart = 0;
    for (size_t i = 0; i < LOOKS; i++)
        apart = fmax(apart, fabs(mean[0][i] - mean[1][i]));
    ck_assert_double_gt(apart, 1e-3);
    ck_assert_double_lt(apart, 1);
}

/* Where every outcome comes in order the past costs nothing and changes nothing: the same actions to the last bit. */
TEST_EACH(in_order, LAWS) {
    tvgp_policy *p[] = {on_box(drifts[_i], "delay.exact_observations=0"), on_box(drifts[_i], "")};
    for (int t = 0; t < 200; t++) {
        double x[2][2];
        for (size_t k = 0; k < 2; k++) {
            tvgp_query q = harness_ask_at(p[k], t, x[k]);
            ASSERT_OK(tvgp_policy_tell_value(p[k], q.id, sin(5 * x[k][0] + 0.02 * t) + cos(3 * x[k][1])));
        }
        ck_assert(x[0][0] == x[1][0] && x[0][1] == x[1][1]);
    }
    ck_assert_double_lt(harness_stat(p[1], "rank"), 100);
}

HARNESS_MAIN("box_late")
