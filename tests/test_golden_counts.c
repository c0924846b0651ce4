/* SPDX-License-Identifier: MIT */
/* Counts on categorical arms with default settings compared with an implementation of its own: three games, with single trials,
 * visitors and events of several exposures, at irregular times. Moments are compared on the scale of the link. */
#include "golden/golden_counts.h"
#include "harness.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GAMES = sizeof golden_counts / sizeof *golden_counts, MOST = 6 };

static tvgp_policy *policy_on(int arms, const char *options) {
    return harness_create("auto-gp-ucb", harness_indices((size_t)arms), NULL, options);
}

static double weight_of(const tvgp_policy *p, int filter) {
    char key[32];
    snprintf(key, sizeof key, "weight.%d", filter);
    return harness_stat(p, key);
}

static void check_ask(tvgp_policy *p, const struct golden_count_game *g, int i, const tvgp_query *q) {
    const struct golden_count_ask *a = &g->ask[i];
    tvgp__posterior *posterior = ((tvgp__ucb *)p->state)->posterior;
    double mean[MOST], var[MOST], most = 0;
    ck_assert_msg(q->arm == a->arm, "%s, ask %d: arm %d, golden %d", g->name, i + 1, (int)q->arm, a->arm);
    tvgp__posterior_exact(posterior, (size_t)g->arms, NULL, mean, var);
    for (int k = 0; k < g->arms; k++)
        most = fmax(most, a->sd[k]);
    for (int k = 0; k < g->arms; k++) {
        ASSERT_NEAR(mean[k] + posterior->origin, a->mean[k], 1e-9 * most);
        ASSERT_NEAR(sqrt(var[k]), a->sd[k], 1e-9 * most);
    }
    for (int k = 0; k < 3; k++)
        ASSERT_NEAR(weight_of(p, a->filter[k]), a->weight[k], 1e-9);
    ASSERT_NEAR(harness_stat(p, "width"), a->coefficient, 1e-9);
    const double score = a->score[a->arm];
    ASSERT_NEAR(q->score, strcmp(g->type, "poisson") ? 1 / (1 + exp(-score)) : exp(score), 1e-9 * exp(fmax(score, 0)));
}

START_TEST(golden) {
    const struct golden_count_game *g = &golden_counts[_i];
    char options[64];
    snprintf(options, sizeof options, "outcome.type=%s time.unit=1", g->type);
    tvgp_policy *p = policy_on(g->arms, options);
    for (int i = 0; i < g->asks; i++) {
        const struct golden_count_ask *a = &g->ask[i];
        const tvgp_query q = harness_ask(p, a->t);
        check_ask(p, g, i, &q);
        const tvgp_obs obs = tvgp_obs_count(q.id, a->count[q.arm], a->exposure);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    }
}

/* ---- the same game ------------------------------------------------------------------------------------------------ */

enum { ARMS = 6, STEPS = 150 };

/* Plays asks from .. to - 1 with rates that differ and swing; counts of 40 trials, every fifth two asks late. `unit`: of exposures.
 * turned: failures are counted. */
static void play(tvgp_policy *p, int from, int to, double unit, int turned, int *arms) {
    static const double gap[] = {1, 2, .5, 4, 1, 1, 3, .25, 1, 2};
    struct rnd r = {99};
    tvgp_query late = {0};
    double t = 0;
    for (int k = 0; k < to; k++) {
        double count = 0;
        t += gap[k % 10];
        for (int i = 0; i < 40; i++)
            count += rnd_uniform(&r) < .3 + .2 * sin(.05 * t + k % 3);
        if (k < from)
            continue;
        const tvgp_query q = harness_ask(p, t);
        const tvgp_obs now = tvgp_obs_count(q.id, turned ? 40 - count : count, 40 * unit),
                       then = tvgp_obs_count(late.id, turned ? 30 : 10, 40 * unit);
        arms[k] = (int)q.arm;
        if (k % 5 == 3)
            late = q;
        else
            ASSERT_OK(tvgp_policy_tell(p, 1, &now, NULL));
        if (k % 5 == 0 && late.id)
            ASSERT_OK(tvgp_policy_tell(p, 1, &then, NULL));
    }
}

/* Neither the unit of an exposure nor the sign of the link changes a decision. */
START_TEST(any_unit) {
    static const char *const options[] = {"outcome.type=poisson", "outcome.type=poisson", "outcome.type=binomial",
                                          "outcome.type=binomial sense=min"};
    int arms[2][STEPS];
    for (int i = 0; i < 2; i++) {
        tvgp_policy *p = policy_on(ARMS, options[2 * _i + i]);
        play(p, 0, STEPS, !_i && i ? 1000 : 1, _i && i, arms[i]);
    }
    for (int k = 0; k < STEPS; k++)
        ck_assert_msg(arms[0][k] == arms[1][k], "step %d: arm %d, then %d", k, arms[0][k], arms[1][k]);
}

/* The unit of time is found late, with prior means: the posterior equals one of a policy that knew it. */
START_TEST(unit_found_later) {
    static const double rates[ARMS] = {.1, .2, .3, .4, .5, .6};
    double mean[2][ARMS + 2], var[2][ARMS + 2];
    char option[64] = "outcome.type=binomial";
    for (int w = 0; w < 2; w++) {
        tvgp_policy *p = policy_on(ARMS, option);
        ASSERT_OK(tvgp_policy_set_prior_mean(p, ARMS, rates));
        for (int k = 0; k < 70; k++) {
            const double x = k * 5 % ARMS, t = k < 7 ? k : 3 * k - 12;
            const tvgp_query q = harness_ask(p, t);
            const tvgp_obs skipped = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
            tvgp_obs count = tvgp_obs_count(0, k * 7 % 11, 10 + k % 3);
            count.t = t - (k % 4 == 3 ? 2.5 : 0);
            count.flags |= TVGP_OBS_HAS_TIME;
            ASSERT_OK(tvgp_policy_tell(p, 1, &skipped, NULL));
            ASSERT_OK(tvgp_policy_tell(p, 1, &count, &x));
        }
        (void)harness_ask(p, 250);
        snprintf(option, sizeof option, "outcome.type=binomial time.unit=%.17g", harness_stat(p, "time.unit"));
        ASSERT_OK(tvgp_policy_predict(p, 300, ARMS, NULL, mean[w], var[w]));
        tvgp_domain *more = harness_indices(ARMS + 2);
        ASSERT_OK(tvgp_policy_extend(p, more, (const double[]){.5, .5}));
        tvgp_domain_destroy(more);
        double after[2][ARMS + 2];
        ASSERT_OK(tvgp_policy_predict(p, 300, ARMS + 2, NULL, after[0], after[1]));
        ASSERT_ALL_NEAR(ARMS, after[0], mean[w], 1e-12);
    }
    ASSERT_ALL_NEAR(ARMS, mean[0], mean[1], 1e-10);
    ASSERT_ALL_NEAR(ARMS, var[0], var[1], 1e-10);
}

/* Counts of a billion leave everything finite; the noise of one more follows the usual exposure at the arm. */
START_TEST(large_counts) {
    static const double exposures[] = {1e9, 1e9, 1e-9, 4e9, 1e9};
    tvgp_policy *p = policy_on(ARMS, _i ? "outcome.type=poisson" : "outcome.type=binomial");
    double mean[ARMS], var[ARMS];
    for (int k = 0; k < 60; k++) {
        const tvgp_query q = harness_ask(p, k);
        const double exposure = _i ? exposures[k % 5] : 2e9, count = k % 7 == 0 ? 0 : 1e9 * (.2 + .1 * (double)(q.arm % 4));
        const tvgp_obs obs = tvgp_obs_count(q.id, count, exposure);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        ck_assert(isfinite(q.score) && q.noise_var > 0 && isfinite(q.noise_var));
        ASSERT_OK(tvgp_policy_predict(p, k, ARMS, NULL, mean, var));
        for (int i = 0; i < ARMS; i++)
            ck_assert(isfinite(mean[i]) && isfinite(var[i]) && var[i] >= 0);
        ck_assert(isfinite(harness_stat(p, "log_marginal_likelihood")));
    }
}

int main(void) {
    golden_read_counts();
    Suite *suite = suite_create("golden counts");
    for (int i = 0; i < GAMES; i++)
        tcase_add_loop_test(harness_case_of(suite, 0, "%s", golden_counts[i].name), golden, i, i + 1);
    TCase *c = harness_case(suite, "counts");
    tcase_add_loop_test(c, any_unit, 0, 2);
    harness_add(c, unit_found_later);
    tcase_add_loop_test(c, large_counts, 0, 2);
    return harness_run(suite);
}
