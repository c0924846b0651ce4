/* SPDX-License-Identifier: MIT */
/* Constraints at their edges: outputs without uncertainty, a full margin, the decay of margins, the clock of a model with earlier
 * observations, and two members of the state that a game seldom shows. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 5 };

static tvgp_domain *line(void) {
    const double low = 0, high = 1;
    const size_t n = ARMS;
    return harness_grid(1, &low, &high, &n);
}

/* Linear without a bias: at 0, the first arm, the value is the prior mean, without uncertainty. */
static tvgp_policy *create(const tvgp_domain *d, int linear, const char *options) {
    const double l = .2;
    tvgp_kernel *kernel = linear ? MAKE_KERNEL(tvgp_kernel_linear, ctx, 1, 1, 1, &l, 0) : harness_se(1, 1, &l);
    return harness_create("gp-ucb", d, kernel, options);
}

static void add_constraint(tvgp_policy *p, const tvgp_domain *d, double bound) {
    tvgp_policy *model = create(d, 0, "");
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, bound));
}

/* Asks for one arm, whatever the others promise. */
static tvgp_query ask_of(tvgp_policy *p, double t, size_t arm) {
    uint8_t mask[ARMS] = {0};
    mask[arm] = 1;
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    tvgp_query q = harness_ask(p, t);
    ASSERT_OK(tvgp_policy_set_available(p, 0, NULL));
    return q;
}

/* ---- risk and margin ---------------------------------------------------------------------------------------------- */

/* An output that is known exactly breaks the constraint or does not: it is safe up to the limit itself. */
TEST_EACH(known_exactly, 6) {
    static const double mean[3] = {-.5, 0, .5};
    const uint32_t side = _i < 3 ? TVGP_AT_LEAST : TVGP_AT_MOST;
    const int breaks = side == TVGP_AT_LEAST ? mean[_i % 3] < 0 : mean[_i % 3] > 0;
    const uint8_t mask[ARMS] = {1};
    double risk[ARMS], var;
    tvgp_query q;
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, ""), *model = create(d, 1, "");
    ASSERT_OK(tvgp_policy_set_prior_mean(model, 1, &mean[_i % 3]));
    ASSERT_OK(tvgp_policy_predict(model, 0, 1, &(double){0}, NULL, &var));
    ck_assert(var == 0);
    ASSERT_OK(tvgp_policy_add_constraint(p, model, side | TVGP_OF_MEAN, 0));
    ASSERT_OK(harness_risks(p, 0, ARMS, NULL, risk));
    ck_assert(risk[0] == breaks && risk[1] > 0 && risk[1] < 1);
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    if (breaks)
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 0, &q, NULL), "arm 0", "risk 1");
    else
        ck_assert(harness_ask(p, 0).risk == 0);
}

static void keep_line(void *user, const char *line) {
    if (strstr(line, "noise alone"))
        strncat(user, line, 999 - strlen(user));
}

/* Noise of .1 makes a bound unsafe that the mean keeps by .15: the log says it once, with the arithmetic, on arms and on a box. A
 * bound on the mean, and one that the mean itself breaks, are not explained so. */
TEST_EACH(excluded_by_noise, 8) {
    static const double corner[2] = {0, 0}, side[2] = {0, 1};
    const double bound = _i % 4 == 2 ? 4 : _i % 4 == 3 ? 1.2 : .85;
    const int box = _i >= 4;
    char said[1000] = "";
    tvgp_domain *d = line();
    tvgp_domain *b = harness_box(1, &corner[0], &side[1]);
    tvgp_policy *p = create(box ? b : d, 0, "constraint.margin_step=0"), *model = create(box ? b : d, 0, "noise=.01");
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST | (_i % 4 == 1 ? TVGP_OF_MEAN : 0), bound));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, corner));
    ASSERT_OK(tvgp_ctx_set_logger(ctx, keep_line, said, NULL));
    for (int t = 0; t < 60; t++)
        for (double x = 0; x < 1.05; x += box ? .1 : .25) {
            tvgp_obs obs = tvgp_obs_unsolicited(0, 1);
            obs.output = 1;
            ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
        }
    for (int t = 0; t < 3; t++) {
        double x;
        (void)harness_ask_at(p, t, &x);
    }
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
    if (_i % 4)
        ck_assert_str_eq(said, "");
    else {
        ck_assert_msg(strstr(said, "constraint 1: 2.33 x 0.10 = 0.23 > margin 0.15"), "%s", said);
        ck_assert(!strstr(strstr(said, "noise alone") + 1, "noise alone"));
    }
}

/* From a margin of 6 on only declared actions are asked, however far from the limit the model sees the others. */
TEST(full_margin) {
    double risk[ARMS];
    tvgp_query q;
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, "constraint.margin_step=7");
    add_constraint(p, d, -1000);
    q = harness_ask(p, 0);
    ASSERT_OK(tvgp_policy_set_constraint(p, 1, 2));
    ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, (double[]){0, 1}));
    ck_assert(harness_stat(p, "constraint.margin.1") > 6);
    ASSERT_OK(tvgp_policy_set_constraint(p, 1, -1000));
    ASSERT_OK(harness_risks(p, 1, ARMS, NULL, risk));
    for (size_t i = 0; i < ARMS; i++)
        ck_assert(risk[i] == 1);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 1, &q, NULL), "no action is safe");
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.75}));
    ck_assert_int_eq(harness_ask(p, 1).arm, 3);
}

/* Of m constraints each gives back delta / m of what a violation added at each value that keeps it. */
TEST(margins_decay) {
    const double delta = .1;
    double expected[2] = {.5, .5};
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, "constraint.confidence=.9 constraint.initial_margin=.5");
    add_constraint(p, d, -100);
    add_constraint(p, d, -200);
    for (int i = 0; i < 20; i++) {
        const double output[2] = {i == 3 ? -101 : 0, 0};
        const tvgp_query q = harness_ask(p, i);
        ASSERT_OK(tvgp_policy_tell_values(p, q.id, 3, (double[]){0, output[0], output[1]}));
        expected[0] = fmax(0, expected[0] + (i == 3) - delta / 2);
        expected[1] = fmax(0, expected[1] - delta / 2);
        ASSERT_NEAR(harness_stat(p, "constraint.margin.1"), expected[0], 1e-12);
        ASSERT_NEAR(harness_stat(p, "constraint.margin.2"), expected[1], 1e-12);
    }
    ck_assert(expected[0] > 0 && expected[1] == 0);
}

/* ---- the clock ---------------------------------------------------------------------------------------------------- */

/* Time does not go back behind what the model of a constraint has seen. */
TEST(model_with_observations) {
    const tvgp_obs obs = tvgp_obs_unsolicited(5, 3);
    const double x = .5;
    tvgp_query q;
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, ""), *model = create(d, 0, "");
    ASSERT_OK(tvgp_policy_tell(model, 1, &obs, &x));
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, -9));
    ck_assert_double_eq(harness_stat(p, "clock"), 5);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(p, 4, &q, NULL), "t = 4", "5");
    ASSERT_OK(tvgp_policy_ask_one(p, 5, &q, NULL));
}

/* ---- failed asks -------------------------------------------------------------------------------------------------- */

/* On a box an ask that finds no safe point takes back what the model of a constraint has learned for it, and leaves no memory. */
TEST(nothing_safe_for_a_learner) {
    const double low = 0, high = 1, x = .5;
    tvgp_policy *p;
    tvgp_query q;
    double at;
    tvgp_obs obs = tvgp_obs_unsolicited(0, 1);
    tvgp_domain *d = harness_box(1, &low, &high);
    p = create(d, 0, "search.effort=.1");
    tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", d, NULL);
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, 100));
    obs.output = 1;
    for (int t = 0; t < 3; t++) {
        obs.t = t;
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, t, &q, &at), "no point tried is safe");
    }
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

/* The policy after it was saved and read again. */
static tvgp_policy *reread(tvgp_policy *p) {
    size_t n;
    ASSERT_OK(tvgp_policy_save_full(p, 0, NULL, &n));
    uint8_t *bytes = malloc(n);
    ASSERT_OK(tvgp_policy_save_full(p, n, bytes, &n));
    tvgp_policy *other = MAKE_POLICY(tvgp_policy_restore, ctx, n, bytes, NULL, NULL);
    free(bytes);
    return other;
}

/* A violation counts as one of an action declared safe if that held when its query was asked, also after a reload. */
TEST(declared_when_asked) {
    tvgp_query q[2];
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, "");
    add_constraint(p, d, -100);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.25}));
    q[0] = ask_of(p, 0, 1);
    q[1] = ask_of(p, 0, 3);
    p = reread(p);
    for (int i = 0; i < 2; i++)
        ASSERT_OK(tvgp_policy_tell_values(p, q[i].id, 2, (double[]){0, -101}));
    ck_assert_double_eq(harness_stat(p, "constraint.caller_safe_violations.1"), 1);
    ck_assert_double_eq(harness_stat(p, "constraint.violations.1"), 1);
}

/* A search for more safe actions that found nothing is repeated after 1 / constraint.exploration_share asks, also after a reload. */
TEST_EACH(next_search, 2) {
    const uint8_t ends[ARMS] = {1, 0, 0, 0, 1};
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, "constraint.exploration_share=.2");
    add_constraint(p, d, -2);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){0}));
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, ends)); /* of the last nothing is learned at the first */
    for (int i = 0; i < 10; i++)                         /* searches before the 5th and the 10th ask */
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, i).id, -1));
    if (_i)
        p = reread(p);
    ASSERT_OK(tvgp_policy_set_available(p, 0, NULL));
    for (int i = 10; i < 15; i++) {
        (void)harness_ask(p, i);
        ck_assert_double_eq(harness_stat(p, "safe.explored"), i == 14);
    }
}

/* An arm that any constraint rules out promises nothing: the second rules out the arm with the best reward, and the other arm that may
 * be safe has a poor one. */
TEST_EACH(ruled_out_by_the_second, 2) {
    static const double place[] = {.25, 1, 1};
    static const tvgp_obs seen[] = {{.y = -10, .flags = TVGP_OBS_HAS_TIME},
                                    {.y = 9, .flags = TVGP_OBS_HAS_TIME},
                                    {.y = -5, .output = 2, .flags = TVGP_OBS_HAS_TIME}};
    const uint8_t there[ARMS] = {1, 1, 0, 0, 1};
    tvgp_domain *d = line();
    tvgp_policy *p = create(d, 0, "constraint.confidence=.95 constraint.exploration_share=1");
    add_constraint(p, d, -1.9);
    add_constraint(p, d, -1.9);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){0}));
    ASSERT_OK(tvgp_policy_tell(p, _i ? 2 : 3, seen, place));
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, there));
    (void)harness_ask(p, 1);
    ck_assert_double_eq(harness_stat(p, "safe.explored"), _i);
}

/* rows.limit of the policy bounds a model without one of its own, unless the model began before. */
TEST_EACH(rows_of_models, 4) {
    static const struct {
        const char *policy, *model;
        int begun;
        int64_t rows;
    } cases[] = {{"rows.limit=7", "", 0, 7},
                 {"rows.limit=7", "rows.limit=11", 0, 11},
                 {"", "", 0, 2048},
                 {"rows.limit=7", "", 1, 2048}};
    const double low = 0, high = 1, l = .02;
    int64_t rows;
    tvgp_domain *d = harness_box(1, &low, &high);
    tvgp_kernel *kernel = harness_se(1, 1, &l);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", d, kernel);
    tvgp_policy *m = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", d, kernel);
    ASSERT_OK(tvgp_policy_set(p, cases[_i].policy));
    ASSERT_OK(tvgp_policy_set(m, cases[_i].model));
    if (cases[_i].begun)
        ASSERT_OK(tvgp_policy_tell(m, 1, &(tvgp_obs){.t = -1, .flags = TVGP_OBS_HAS_TIME}, &high));
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_constraint(p, m, 4, 0), "flags");
    ASSERT_OK(tvgp_policy_get_i64(m, "rows.limit", &rows));
    ck_assert_int_eq(rows, _i == 1 ? 11 : 2048);
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_LEAST, -9));
    ASSERT_OK(tvgp_policy_get_i64(m, "rows.limit", &rows));
    ck_assert_int_eq(rows, cases[_i].rows);
    for (int i = 0; i < 20; i++)
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.output = 1, .y = i % 3, .t = i, .flags = TVGP_OBS_HAS_TIME},
                                   &(double){i / 20.}));
    ck_assert(harness_stat(m, "rows.dropped") >= (double)(rows < 20 ? 20 - rows : 0));
    ck_assert((harness_stat(m, "rows.dropped") > 0) == (rows < 20));
}

HARNESS_MAIN("limits_edges")
