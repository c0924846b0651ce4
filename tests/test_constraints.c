/* SPDX-License-Identifier: MIT */
/* Limits: next to the same policies whose mask is worked out by hand; what is predicted and what comes; an adversary; which records
 * make up an outcome; what time alone does; what is refused. */
#include "base/numbers/normal.h"
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 25, STEPS = 200 };
static const double low = 0, high = 1;

static tvgp_domain *line(size_t n) {
    return harness_grid(1, &low, &high, &n);
}

static tvgp_policy *create(const char *name, const tvgp_domain *d, double l, const char *options) {
    return harness_create(name, d, harness_se(1, 1, &l), options);
}

/* A policy with one limit, of tv-gp-ucb, of which the handle is kept in *model unless NULL. */
static tvgp_policy *limited(const char *name, const tvgp_domain *d, uint32_t flags, double limit, const char *options,
                            tvgp_policy **model) {
    tvgp_policy *p = create(name, d, .2, options), *m = create("tv-gp-ucb", d, .3, "noise=.01 epsilon=.01");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, flags, limit));
    if (model)
        *model = m;
    return p;
}

static double reward(double x, double t) {
    return sin(5 * x + .05 * t) + .4 * x;
}

static double side_output(double x, double t) {
    return .9 * cos(3 * x - .04 * t) + .25;
}

/* ---- by hand ------------------------------------------------------------------------------------------------------ */

static int can_be_limited(const char *name) {
    return strcmp(name, "sparq-gp-ucb") != 0 && strcmp(name, "w-sparq-gp-ucb") != 0;
}

/* The mask of what the model's own predictions allow, arm 2 always. */
static void mask_by_hand(tvgp_policy *twin, tvgp_policy *model, double t, double limit) {
    double mean[ARMS], var[ARMS];
    uint8_t mask[ARMS];
    ASSERT_OK(tvgp_policy_predict(model, t, ARMS, NULL, mean, var));
    for (int i = 0; i < ARMS; i++)
        mask[i] = i == 2 || .5 * erfc((mean[i] - limit) / sqrt(2 * (var[i] + .01))) <= .05;
    ASSERT_OK(tvgp_policy_set_available(twin, ARMS, mask));
}

/* Tells the output and the reward of query i, each to the policy and by hand; either may come much later. */
static void tell_both(tvgp_policy *p, tvgp_policy *twin, tvgp_policy *model, const tvgp_query *q, double x, int output) {
    const double y = output ? side_output(x, q->t) : reward(x, q->t);
    const tvgp_obs obs = tvgp_obs_output(q->id, output, y), unasked = tvgp_obs_unsolicited(q->t, y);
    ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    ASSERT_OK(output ? tvgp_policy_tell(model, 1, &unasked, &x) : tvgp_policy_tell_value(twin, q->id, y));
}

TEST_WHERE(by_hand, harness_policies(), can_be_limited(harness_policy_at(_i))) {
    const char *name = harness_policy_at(_i);
    const char *options = "constraint.confidence=.95 constraint.margin_step=0 constraint.exploration_share=0";
    struct rnd r = {7};
    tvgp_query late[2][STEPS], q, own;
    double at[2][STEPS], x, twin_x, safe = 2 / 24.;
    size_t waiting[2] = {0, 0};
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = limited(name, d, TVGP_AT_LEAST, 0, options, NULL), *twin = create(name, d, .2, ""),
                *model = create("tv-gp-ucb", d, .3, "noise=.01 epsilon=.01");
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &safe));
    for (int i = 0; i < STEPS; i++) {
        const double t = i + rnd_uniform(&r);
        mask_by_hand(twin, model, t, 0);
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, &x));
        ASSERT_OK(tvgp_policy_ask_one(twin, t, &own, &twin_x));
        ck_assert_msg(q.arm == own.arm, "%s, step %d: arm %d, by hand %d", name, i, (int)q.arm, (int)own.arm);
        for (int output = 0; output < 2; output++) {
            late[output][waiting[output]] = q;
            at[output][waiting[output]++] = x;
            while (waiting[output] && rnd_uniform(&r) < .6) {
                const size_t k = rnd_below(&r, waiting[output]);
                tell_both(p, twin, model, &late[output][k], at[output][k], output);
                late[output][k] = late[output][--waiting[output]];
                at[output][k] = at[output][waiting[output]];
            }
        }
    }
    ck_assert(harness_stat_of(p, "constraint.observations", 1) > STEPS / 2 || strcmp(name, "constant-arm") == 0);
}

/* ---- what is predicted --------------------------------------------------------------------------------------------- */

/* A function drawn from the prior of the model: SE on the line, correlation (1 - epsilon)^(dt / 2) in time. */
struct world {
    double L[ARMS][ARMS], f[ARMS];
    struct rnd r;
};

static void redraw(struct world *w, double keep) {
    double z[ARMS];
    for (int i = 0; i < ARMS; i++)
        z[i] = rnd_normal(&w->r);
    for (int i = 0; i < ARMS; i++) {
        double sum = 0;
        for (int k = 0; k <= i; k++)
            sum += w->L[i][k] * z[k];
        w->f[i] = keep * w->f[i] + sqrt(1 - keep * keep) * sum;
    }
}

static void open_world(struct world *w, double l, uint64_t seed) {
    *w = (struct world){.r = {seed}};
    for (int i = 0; i < ARMS; i++)
        for (int j = 0; j <= i; j++) {
            double sum = exp(-.5 * (i - j) * (i - j) / (24. * 24 * l * l)) + (i == j ? 1e-9 : 0);
            for (int k = 0; k < j; k++)
                sum -= w->L[i][k] * w->L[j][k];
            w->L[i][j] = i == j ? sqrt(sum) : sum / w->L[j][j];
        }
    redraw(w, 0);
}

/* Plays one drawn problem; the arm that is highest at first is declared. */
static void play_drawn(double delta, uint64_t seed, double *broken, double *foretold) {
    char options[96];
    const double keep = sqrt(.98);
    struct world goal, limit;
    double x;
    tvgp_domain *d = line(ARMS);
    snprintf(options, sizeof options, "epsilon=.02 constraint.confidence=%.17g constraint.margin_step=0", 1 - delta);
    tvgp_policy *p = create("tv-gp-ucb", d, .2, options), *m = create("tv-gp-ucb", d, .2, "noise=.01 epsilon=.02");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_LEAST, -.3));
    open_world(&goal, .2, 2 * seed);
    open_world(&limit, .2, 2 * seed + 1);
    size_t best = 0;
    for (size_t i = 1; i < ARMS; i++)
        best = limit.f[i] > limit.f[best] ? i : best;
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){(double)best / 24}));
    for (int i = 0; i < 300; i++) {
        tvgp_query q = harness_ask_at(p, i, &x);
        const double y[2] = {goal.f[q.arm] + .1 * rnd_normal(&goal.r), limit.f[q.arm] + .1 * rnd_normal(&limit.r)};
        ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, y));
        redraw(&goal, keep);
        redraw(&limit, keep);
    }
    *broken += harness_stat_of(p, "constraint.violations", 1);
    *foretold += harness_stat(p, "safe.expected_violations");
}

/* 40 runs of 300 asks, of measured values: within 3 standard errors of what is predicted, and both below delta n. */
TEST_EACH(calibration, 3) {
    static const double delta[] = {.01, .05, .1};
    double sum = 0, square = 0, foretold = 0, broken = 0;
    for (uint64_t run = 0; run < 40; run++) {
        double b = 0, f = 0;
        play_drawn(delta[_i], 100 * (uint64_t)_i + run, &b, &f);
        broken += b;
        foretold += f;
        sum += b - f;
        square += (b - f) * (b - f);
    }
    const double error = sqrt(fmax(square - sum * sum / 40, 0) / 39 * 40);
    ck_assert_msg(fabs(sum) <= 3 * error, "broken %g, foretold %g, standard error %g", broken, foretold, error);
    ck_assert_msg(foretold <= delta[_i] * 12000 && broken <= delta[_i] * 12000, "broken %g, foretold %g", broken, foretold);
    ck_assert(foretold > 0);
}

/* ---- an adversary -------------------------------------------------------------------------------------------------- */

/* Whatever is not declared breaks the limit, and with `open` outcomes under way at a time. */
static void play_adversary(double eta, size_t open) {
    char options[96];
    const double delta = .02;
    tvgp_query q, wait[16];
    tvgp_domain *d = line(ARMS);
    snprintf(options, sizeof options, "constraint.confidence=.98 constraint.margin_step=%g", eta);
    tvgp_policy *p = limited("tv-gp-ucb", d, TVGP_AT_LEAST, 0, options, NULL);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.5}));
    for (int n = 1; n <= 5000; n++) {
        ASSERT_OK(tvgp_policy_ask_one(p, n, &q, NULL));
        wait[(size_t)n % (open + 1)] = q;
        if ((size_t)n <= open)
            continue;
        q = wait[((size_t)n - open) % (open + 1)];
        ASSERT_OK(
            tvgp_policy_tell_values(p, q.id, 2, (double[]){rnd_uniform(&(struct rnd){(uint64_t)n}), q.arm == 12 ? 1 : -.1}));
        const double bound = delta * n + (6 + eta) / eta + (double)open;
        ck_assert_msg(harness_stat_of(p, "constraint.violations", 1) <= bound, "%d asks: %g, bound %g", n,
                      harness_stat_of(p, "constraint.violations", 1), bound);
    }
    ck_assert(harness_stat_of(p, "constraint.violations", 1) > 2 &&
              harness_stat_of(p, "constraint.caller_safe_violations", 1) == 0);
}

TEST_EACH(adversary, 6) {
    static const double eta[] = {.3, 1, 3};
    play_adversary(eta[_i % 3], _i < 3 ? 0 : 10);
}

/* ---- records ------------------------------------------------------------------------------------------------------- */

/* A policy with two limits, asked once: of arm 12. */
static tvgp_policy *asked_once(tvgp_domain *d, tvgp_query *q) {
    tvgp_policy *p = limited("gp-ucb", d, TVGP_AT_LEAST, 0, "", NULL), *m = create("gp-ucb", d, .3, "");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_MOST, 1));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.5}));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, q, NULL));
    return p;
}

/* One by one in every order: the query waits until the last. */
TEST_EACH(one_by_one, 6) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    tvgp_query q;
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = asked_once(d, &q);
    for (int i = 0; i < 3; i++) {
        const tvgp_obs obs = tvgp_obs_output(q.id, order[_i][i], .5);
        ck_assert(harness_stat(p, "pending") == 1);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell(p, 1, &obs, NULL), "1", "outcome");
    }
    ck_assert(harness_stat(p, "pending") == 0 && harness_stat(p, "values") == 1);
    ck_assert(harness_stat_of(p, "constraint.observations", 1) == 1 &&
              harness_stat_of(p, "constraint.observations", 2) == 1);
}

/* A reward without a value is the end of what is not told with it, whichever comes first in the batch. */
TEST_EACH(reward_without_value, 2) {
    tvgp_query q;
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = asked_once(d, &q);
    const tvgp_obs failed = tvgp_obs_outcome(q.id, TVGP_FAILED), beside = tvgp_obs_output(q.id, 2, .5);
    const tvgp_obs batch[2] = {_i ? failed : beside, _i ? beside : failed}, late = tvgp_obs_output(q.id, 1, .5);
    ASSERT_OK(tvgp_policy_tell(p, 2, batch, NULL));
    ck_assert(harness_stat(p, "pending") == 0 && harness_stat(p, "failed") == 1 &&
              harness_stat_of(p, "constraint.observations", 2) == 1);
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell(p, 1, &late, NULL), "already has its outcome");
}

/* An output without a value is closed by itself. */
TEST(output_without_value) {
    tvgp_query q;
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = asked_once(d, &q);
    tvgp_obs lost = tvgp_obs_outcome(q.id, TVGP_CANCELLED);
    lost.output = 1;
    ASSERT_OK(tvgp_policy_tell(p, 1, &lost, NULL));
    ck_assert(harness_stat(p, "pending") == 1 && harness_stat_of(p, "constraint.observations", 1) == 0);
    const tvgp_obs rest[2] = {tvgp_obs_value(q.id, 1), tvgp_obs_output(q.id, 2, .5)};
    ASSERT_OK(tvgp_policy_tell(p, 2, rest, NULL));
    ck_assert(harness_stat(p, "pending") == 0);
}

/* A reward that was given is no pending action, though its query waits; it times out and is forgotten like any other. */
TEST_EACH(waits_for_an_output, 2) {
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = limited("gp-ucb", d, TVGP_AT_LEAST, -9, _i ? "pending.timeout=5" : "pending.limit=3", NULL),
                *twin = create("gp-ucb", d, .2, "");
    for (int i = 0; i < 12; i++) {
        tvgp_query q = harness_ask(p, i);
        ck_assert_int_eq(q.arm, harness_ask(twin, i).arm);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin((double)q.arm)));
        ASSERT_OK(tvgp_policy_tell_value(twin, q.id, sin((double)q.arm)));
    }
    ck_assert_double_eq(harness_stat(p, "pending"), _i ? 6 : 3);
    ck_assert_double_eq(harness_stat(p, _i ? "pending.timed_out" : "pending.expired"), _i ? 6 : 9);
    ck_assert_double_eq(harness_stat(p, "skipped"), 0);
}

/* Nothing of a batch is taken when any of it is wrong. */
TEST_EACH(all_or_none, 5) {
    tvgp_query q;
    double risk[2][ARMS], mean[2][ARMS], var[ARMS];
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = asked_once(d, &q);
    tvgp_obs batch[4] = {tvgp_obs_value(q.id, 1), tvgp_obs_output(q.id, 1, .5), tvgp_obs_output(q.id, 2, .5)};
    const size_t n = _i == 4 ? 4 : 3;
    const tvgp_status status[] = {TVGP_ERR_ARG, TVGP_ERR_ARG, TVGP_ERR_NONFINITE, TVGP_ERR_TICKET, TVGP_ERR_ARG};
    static const char *const says[] = {"output = 3", "output = -1", "obs[2].y", "output 1 of id", "obs[3]"};
    batch[2].output = _i == 0 ? 3 : _i == 1 ? -1 : _i == 3 ? 1 : 2;
    batch[2].y = _i == 2 ? NAN : .5;
    batch[3] = (tvgp_obs){.outcome = TVGP_SKIPPED, .output = 1};
    for (int after = 0; after < 2; after++) {
        ASSERT_OK(harness_risks(p, 1, ARMS, NULL, risk[after]));
        ASSERT_OK(tvgp_policy_predict(p, 1, ARMS, NULL, mean[after], var));
        if (!after)
            ASSERT_FAILS(status[_i], tvgp_policy_tell(p, n, batch, NULL), says[_i]);
    }
    ck_assert(memcmp(risk[0], risk[1], sizeof risk[0]) == 0 && memcmp(mean[0], mean[1], sizeof mean[0]) == 0);
    batch[2] = tvgp_obs_output(q.id, 2, .5);
    ASSERT_OK(tvgp_policy_tell(p, 3, batch, NULL));
}

/* Unsolicited observations go to the model, and moves no margin. */
TEST(unasked_outputs) {
    tvgp_domain *d = line(ARMS);
    tvgp_policy *model, *p = limited("tv-gp-ucb", d, TVGP_AT_LEAST, 0, "", &model);
    tvgp_obs obs = tvgp_obs_unsolicited(3, -2);
    double mean, twin_mean, var, x = .25;
    tvgp_policy *twin = create("tv-gp-ucb", d, .3, "noise=.01 epsilon=.01");
    ASSERT_OK(tvgp_policy_tell(twin, 1, &obs, &x));
    obs.output = 1;
    ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    ASSERT_OK(tvgp_policy_predict(twin, 4, 1, &x, &twin_mean, &var));
    ASSERT_OK(tvgp_policy_predict(model, 4, 1, &x, &mean, &var));
    ck_assert_double_eq(mean, twin_mean);
    ck_assert(harness_stat_of(p, "constraint.observations", 1) == 1 && harness_stat_of(p, "constraint.violations", 1) == 0 &&
              harness_stat_of(p, "constraint.margin", 1) == 0);
    ck_assert(harness_stat(p, "clock") == 3 && harness_stat(p, "observations") == 0);
    tvgp_policy_destroy(model);
}

/* ---- time ---------------------------------------------------------------------------------------------------------- */

/* Without outcomes what is safe becomes less, until the declared arm is left; the risk at t is the risk of an ask at t. */
TEST(time_alone) {
    tvgp_query q;
    double x, risk, before = ARMS;
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = limited("tv-gp-ucb", d, TVGP_AT_LEAST, 0, "constraint.confidence=.95", NULL);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.125}));
    for (int i = 0; i < 40; i++) {
        ASSERT_OK(tvgp_policy_ask_one(p, .01 * i, &q, &x));
        ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, (double[]){reward(x, 0), side_output(x, 0)}));
    }
    ck_assert(harness_stat(p, "safe.count") > 8);
    for (double t = 1; t < 2000; t *= 1.5) {
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, &x));
        ASSERT_OK(harness_risks(p, t, 1, &x, &risk));
        ASSERT_NEAR(risk, q.risk, 1e-12);
        ck_assert(harness_stat(p, "safe.count") <= before);
        before = harness_stat(p, "safe.count");
    }
    ck_assert(before == 1 && q.arm == 3);
}

/* ---- the margin, the masks, what is refused ------------------------------------------------------------------------- */

TEST_EACH(nothing_safe, 2) {
    tvgp_query q;
    int64_t arm;
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = limited("tv-gp-ucb", d, TVGP_AT_LEAST, 0, _i ? "constraint.fallback=safest" : "", NULL);
    if (_i) {
        ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
        ck_assert(q.arm == 0 && q.risk == .5 && harness_stat(p, "safe.count") == 0);
    } else {
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 2, &q, NULL), "t = 2", "arm 0", "0.5",
                     "tvgp_policy_set_safe");
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_best(p, 2, &arm, NULL), "no action is safe");
        ASSERT_OK(tvgp_policy_set(p, "constraint.confidence=.4")); /* not started: options are free */
        ASSERT_OK(tvgp_policy_ask_one(p, 1, &q, NULL));
        ck_assert(q.risk == .5 && harness_stat(p, "safe.count") == ARMS);
    }
}

/* An action that is not available is not asked, declared or not; best goes by the same set. */
TEST(masks) {
    int64_t arm;
    uint8_t mask[ARMS] = {0};
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = limited("gp-ucb", d, TVGP_AT_LEAST, 0, "", NULL);
    ASSERT_OK(tvgp_policy_set_safe(p, 2, (double[]){.5, 0}));
    mask[0] = mask[7] = 1;
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    tvgp_query q = harness_ask(p, 0);
    ck_assert_int_eq(q.arm, 0);
    ASSERT_OK(tvgp_policy_best(p, 0, &arm, NULL));
    ck_assert_int_eq(arm, 0);
    mask[0] = 0;
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 0, &q, NULL), "arm 7");
    ASSERT_OK(tvgp_policy_set_available(p, 0, NULL));
    ASSERT_OK(tvgp_policy_set_constraint(p, 1, -9));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
    ck_assert(harness_stat(p, "safe.count") == ARMS);
}

/* Handles go in any order; that of the model stays of use while there is one. */
TEST_EACH(handles, 2) {
    double mean, var, x;
    tvgp_domain *d = line(ARMS);
    tvgp_policy *model, *p = limited("gp-ucb", d, TVGP_AT_LEAST, 0, "", &model);
    const tvgp_obs obs = tvgp_obs_unsolicited(0, 1);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.5}));
    tvgp_query q = harness_ask_at(p, 0, &x);
    ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, (double[]){1, 2}));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(model, 1, &q, NULL), "model of a constraint");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_tell(model, 1, &obs, &x), "model of a constraint");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_set(model, "noise=.1"), "options");
    ASSERT_OK(tvgp_policy_predict(model, 1, 1, &x, &mean, &var));
    ck_assert(mean > 1.9 && harness_stat(model, "observations") == 1);
    tvgp_policy_destroy(_i ? p : model);
    if (_i)
        ASSERT_OK(tvgp_policy_predict(model, 1, 1, &x, &mean, &var));
    else
        ASSERT_OK(tvgp_policy_ask_one(p, 1, &q, NULL));
}

TEST(refused) {
    tvgp_domain *d = line(ARMS), *other = line(ARMS + 1);
    tvgp_policy *p = create("gp-ucb", d, .2, ""), *m = create("gp-ucb", d, .2, ""), *away = create("gp-ucb", other, .2, ""),
                *asked = create("gp-ucb", d, .2, ""), *r = create("r-gp-ucb", d, .2, ""),
                *sparq = create("sparq-gp-ucb", d, .2, "");
    double x[2] = {.5, .3};
    (void)harness_ask(asked, 0);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_constraint(p, away, 0, 0), "domain");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_constraint(p, asked, 0, 0), "asked 1 times");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_constraint(asked, m, 0, 0), "first ask or tell");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_constraint(p, r, 0, 0), "r-gp-ucb");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_constraint(sparq, m, 0, 0), "sparq-gp-ucb");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_safe(sparq, 1, x), "sparq-gp-ucb");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_constraint(p, m, 4, 0), "flags = 4");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_add_constraint(p, m, 0, NAN), "bound = nan");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_constraint(p, 1, 0), "output = 1");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, 0, 0));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_constraint(p, m, 0, 0), "belongs to a constraint");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_constraint(m, r, 0, 0), "model of a constraint");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_safe(p, 2, x), "X[1]", "0.2999");
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_values(p, 0, 2, x), "id = 0");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set(p, "constraint.confidence=1"), "constraint.confidence");
    for (int i = 1; i < 16; i++) {
        tvgp_policy *more = create("gp-ucb", d, .2, "");
        ASSERT_OK(tvgp_policy_add_constraint(p, more, 0, 0));
    }
    ASSERT_FAILS(TVGP_ERR_LIMIT,
                 tvgp_policy_add_constraint(p, r = (tvgp_policy_destroy(r), create("gp-ucb", d, .2, "")), 0, 0), "16");
}

/* What is refused leaves no trace: the policy may still be the model of a constraint, and its snapshot is what it was. */
TEST(no_trace) {
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = create("gp-ucb", d, .2, ""), *never = create("gp-ucb", d, .2, "width.value=1"),
                *q = create("gp-ucb", d, .2, "");
    size_t before, after;
    ASSERT_OK(tvgp_policy_save(p, 0, NULL, &before));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_add_constraint(p, never, 0, 0), "width.value");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_safe(p, 1, &(double){.3}), "0.2999");
    ASSERT_OK(tvgp_policy_set_safe(p, 0, NULL));
    ASSERT_OK(tvgp_policy_save(p, 0, NULL, &after));
    ck_assert_uint_eq(before, after);
    ASSERT_OK(tvgp_policy_add_constraint(q, p, 0, 0));
}

/* Nor does a model that cannot start: it is in no context then. */
TEST(no_trace_in_the_model) {
    tvgp_domain *actions = line(ARMS);
    tvgp_policy *pair[2];
    tvgp_query q;
    tvgp_domain *d = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, harness_box(1, &low, &high));
    tvgp_kernel *kernel = harness_se(2, 1, &(double){.2});
    for (int i = 0; i < 2; i++)
        pair[i] = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", d, kernel);
    ASSERT_OK(tvgp_policy_set(pair[1], "width.value=1"));
    ASSERT_OK(tvgp_policy_set_context_point(pair[0], 1, &(double){.5}));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_add_constraint(pair[0], pair[1], 0, 0), "width.value");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(pair[1], 0, &q, NULL), "no context holds");
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

/* Two limits, one of the mean; the second model may learn. Everything moves: margins, widening, outcomes that stay out. */
static tvgp_policy *rich_of(tvgp_domain *d, int learns) {
    const char *options = "constraint.confidence=.9 constraint.scope=average constraint.exploration_share=.2 "
                          "constraint.initial_margin=.5 epsilon=.02";
    tvgp_policy *p = create("tv-gp-ucb", d, .2, options), *one = create("tv-gp-ucb", d, .3, "noise=.01 epsilon=.01"),
                *two = NULL;
    if (learns)
        two = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", d, NULL);
    else
        two = create("auto-gp-ucb", d, .4, "");
    ASSERT_OK(tvgp_policy_add_constraint(p, one, TVGP_AT_LEAST, 0));
    ASSERT_OK(tvgp_policy_add_constraint(p, two, TVGP_AT_MOST | TVGP_OF_MEAN, 1.1));
    ASSERT_OK(tvgp_policy_set_safe(p, 2, (double[]){.25, .5}));
    tvgp_policy_destroy(one), tvgp_policy_destroy(two);
    return p;
}

static tvgp_policy *rich(tvgp_domain *d) {
    return rich_of(d, 1);
}

static tvgp_query step(tvgp_policy *p, int i) {
    double x;
    tvgp_query q = harness_ask_at(p, .7 * i, &x);
    const tvgp_obs obs[3] = {tvgp_obs_value(q.id, reward(x, i)), tvgp_obs_output(q.id, 1, side_output(x, i)),
                             tvgp_obs_output(q.id, 2, x * x + .1 * sin(9. * i))};
    const size_t first = i % 7 == 3;
    ASSERT_OK(tvgp_policy_tell(p, i % 5 == 4 ? 1 : 3 - first, obs + first, NULL));
    return q;
}

static void assert_same(tvgp_query a, tvgp_query b, int i) {
    ck_assert_msg(memcmp(&a, &b, sizeof a) == 0, "step %d: arm %d risk %.17g, not arm %d risk %.17g", i, (int)b.arm, b.risk,
                  (int)a.arm, a.risk);
}

/* While the outcome of an exploring ask is awaited there is no other one, also when a snapshot takes the place of the policy after each
 * step. Outcomes come 13 steps later. */
TEST(goes_on_while_exploring) {
    enum { EXPLORED = 70, LATER = 13 };
    tvgp_domain *d = line(ARMS);
    tvgp_policy *twin = rich_of(d, 0), *p = rich_of(d, 0);
    int64_t id[EXPLORED];
    double x[EXPLORED];
    for (int i = 0; i < EXPLORED; i++) {
        tvgp_query q, own;
        const struct saved state = harness_saved(p, 0);
        tvgp_policy_destroy(p);
        p = rich_of(d, 0);
        ASSERT_OK(tvgp_policy_load(p, state.n, state.bytes));
        ASSERT_OK(tvgp_policy_ask_one(twin, .2 * i, &q, &x[i]));
        ASSERT_OK(tvgp_policy_ask_one(p, .2 * i, &own, NULL));
        assert_same(q, own, i);
        id[i] = q.id;
        const int j = i - LATER;
        if (j < 0)
            continue;
        const double values[] = {reward(x[j], j), side_output(x[j], j), x[j] * x[j]};
        ASSERT_OK(tvgp_policy_tell_values(twin, id[j], 3, values));
        ASSERT_OK(tvgp_policy_tell_values(p, id[j], 3, values));
    }
    ck_assert_double_gt(harness_stat(p, "safe.explored"), 1);
    ck_assert_double_lt(harness_stat(p, "safe.explored"), EXPLORED / LATER + 1);
}

/* A snapshot of other limits is named and changes nothing; so does one that ends early, and memory that is refused. */
TEST(other_templates) {
    tvgp_domain *d = line(ARMS);
    tvgp_policy *p = rich(d), *one = limited("tv-gp-ucb", d, TVGP_AT_LEAST, 0, "", NULL),
                *wrong = create("tv-gp-ucb", d, .2, ""), *model = create("tv-gp-ucb", d, .4, "");
    for (int i = 0; i < 20; i++)
        (void)step(p, i);
    ASSERT_OK(tvgp_policy_add_constraint(wrong, model, TVGP_AT_LEAST, 0));
    const struct saved state = harness_saved(p, 0), single = harness_saved(one, 0);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(one, state.n, state.bytes), "2 constraints", "has 1");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(p, single.n, single.bytes), "1 constraints", "has 2");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(wrong, single.n, single.bytes), "model of limit 1", "another kernel");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(model, single.n, single.bytes), "model of a constraint");
    for (size_t in = 1; in < 60; in++) {
        memory.fail_in = in;
        const tvgp_status status = tvgp_policy_load(p, state.n, state.bytes);
        memory.fail_in = 0;
        ck_assert(status == TVGP_OK || status == TVGP_ERR_NOMEM);
    }
    ck_assert(harness_same(state, harness_saved(p, 0)));
}

/* On a larger domain the limit goes on, as if the arms had been there. */
TEST(more_arms) {
    double points[ARMS + 5], risk[2][ARMS + 5];
    for (int i = 0; i < ARMS + 5; i++)
        points[i] = .04 * i;
    tvgp_domain *small = harness_arms(ARMS, 1, points);
    tvgp_domain *large = MAKE_DOMAIN(tvgp_domain_append, small, 5, points + ARMS);
    tvgp_policy *p[2] = {limited("tv-gp-ucb", small, TVGP_AT_LEAST, 0, "", NULL),
                         limited("tv-gp-ucb", large, TVGP_AT_LEAST, 0, "", NULL)};
    uint8_t mask[ARMS + 5];
    memset(mask, 1, ARMS), memset(mask + ARMS, 0, 5);
    ASSERT_OK(tvgp_policy_set_available(p[1], ARMS + 5, mask));
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_policy_set_safe(p[k], 1, points + 3));
        for (int i = 0; i < 60; i++) {
            double x;
            if (i == 30 && k == 0)
                ASSERT_OK(tvgp_policy_extend(p[0], large, NULL));
            if (i == 30 && k == 1)
                ASSERT_OK(tvgp_policy_set_available(p[1], 0, NULL));
            tvgp_query q = harness_ask_at(p[k], i, &x);
            ASSERT_OK(tvgp_policy_tell_values(p[k], q.id, 2, (double[]){reward(x, i), side_output(x, i)}));
        }
        ASSERT_OK(harness_risks(p[k], 60, ARMS + 5, NULL, risk[k]));
    }
    ASSERT_ALL_NEAR(ARMS + 5, risk[0], risk[1], 1e-6);
}

/* Where the policy cannot move, or memory is refused on the way, models that could have moved did not. */
TEST_EACH(stays_as_it_was, 2) {
    double points[ARMS + 2], risk[ARMS + 2];
    for (int i = 0; i < ARMS + 2; i++)
        points[i] = .04 * i;
    tvgp_domain *small = harness_arms(ARMS, 1, points);
    tvgp_domain *large = MAKE_DOMAIN(tvgp_domain_append, small, 2, points + ARMS);
    tvgp_policy *p = limited(_i ? "tv-gp-ucb" : "bkb", small, TVGP_AT_LEAST, 0, "", NULL),
                *second = create("pe-gp-ucb", small, .3, "");
    ASSERT_OK(tvgp_policy_add_constraint(p, second, TVGP_AT_MOST, 2));
    tvgp_policy_destroy(second);
    ASSERT_OK(tvgp_policy_set_safe(p, 1, points + 3));
    for (int i = 0; i < 30; i++)
        ASSERT_OK(tvgp_policy_tell_values(p, harness_ask(p, i).id, 3, (double[]){.1 * i, .5, .02 * i}));
    for (int asks = 0; asks <= _i; asks++) { /* it moves; the first ask there makes room */
        size_t in = 0;
        tvgp_status status = TVGP_ERR_NOMEM;
        const struct saved before = harness_saved(p, 1);
        while (status == TVGP_ERR_NOMEM) {
            memory.fail_in = ++in;
            status = asks ? tvgp_policy_ask_one(p, 30, &(tvgp_query){0}, NULL) : tvgp_policy_extend(p, large, NULL);
            memory.fail_in = 0;
            ck_assert_msg(status == TVGP_OK || harness_same(before, harness_saved(p, 1)), "allocation %zu", in);
        }
        ck_assert_int_eq(status, _i ? TVGP_OK : TVGP_ERR_UNSUPPORTED);
    }
    ASSERT_OK(harness_risks(p, 30, _i ? ARMS + 2 : ARMS, NULL, risk));
    for (int i = 30; i < 60; i++)
        ASSERT_OK(tvgp_policy_tell_values(p, harness_ask(p, i).id, 3, (double[]){.1 * i, .5, .02 * i}));
}

/* ---- the models and what fails ---------------------------------------------------------------------------------------- */

static const char *const learning_models[] = {"auto-gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "w-gp-ucb",
                                              "ui-gp-ucb",   "gp-ucb",    "igp-ucb"};
enum { MODELS = sizeof learning_models / sizeof *learning_models };

/* Two constraints, whose models have no kernel. */
static tvgp_policy *with_learning_models(const char *first, const char *second, tvgp_domain *d) {
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", d, NULL);
    for (int k = 0; k < 2; k++) {
        tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, ctx, k ? second : first, d, NULL);
        ASSERT_OK(tvgp_policy_add_constraint(p, model, k ? TVGP_AT_MOST : TVGP_AT_LEAST, k ? 1.2 : -.5));
        tvgp_policy_destroy(model);
    }
    ASSERT_OK(tvgp_policy_set(p, "constraint.confidence=.9 constraint.initial_margin=.5"));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.5}));
    return p;
}

/* It can be saved and read in every way, cloned and asked for scores. */
static void assert_readable(tvgp_policy *p, double t) {
    const double x = .5;
    double score;
    const struct saved state = harness_saved(p, 0), whole = harness_saved(p, 1);
    ASSERT_OK(tvgp_policy_load(p, state.n, state.bytes));
    (void)MAKE_POLICY(tvgp_policy_restore, ctx, whole.n, whole.bytes, NULL, NULL);
    (void)MAKE_POLICY(tvgp_policy_clone, p);
    ASSERT_OK(harness_scores(p, t, 1, &x, &score, NULL, NULL));
}

/* The first record of an output has no value: its model has seen no time. */
TEST_EACH(first_output_without_value, 2 * MODELS) {
    const char *name = learning_models[_i % MODELS];
    tvgp_domain *d = _i < MODELS ? line(ARMS) : NULL;
    if (!d)
        d = harness_box(1, &low, &high);
    for (int outcome = TVGP_SKIPPED; outcome <= TVGP_CANCELLED; outcome++) {
        tvgp_policy *p = with_learning_models(name, name, d);
        for (int i = 0; i < 6; i++) {
            double x;
            tvgp_query q = harness_ask_at(p, i, &x);
            tvgp_obs obs[3] = {tvgp_obs_value(q.id, reward(x, i)), tvgp_obs_outcome(q.id, outcome),
                               tvgp_obs_output(q.id, 2, x)};
            obs[1].output = 1;
            ASSERT_OK(tvgp_policy_tell(p, i < 3 ? 2 : 3, obs, NULL));
            assert_readable(p, i);
        }
    }
}

/* A record without a value says nothing: learning is due and ends as if it had never come. */
TEST_EACH(skipped_output_is_no_outcome, MODELS) {
    tvgp_domain *d = line(ARMS);
    const char *name = learning_models[_i];
    tvgp_policy *p = with_learning_models(name, name, d), *twin = with_learning_models(name, name, d);
    for (int i = 0; i < 150; i++) {
        tvgp_query q, other;
        double x;
        ASSERT_OK(tvgp_policy_ask_one(p, i, &q, &x));
        ASSERT_OK(tvgp_policy_ask_one(twin, i, &other, NULL));
        assert_same(other, q, i);
        const tvgp_obs values[2] = {tvgp_obs_value(q.id, reward(x, i)), tvgp_obs_output(q.id, 1, side_output(x, i))};
        tvgp_obs skipped = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        skipped.output = 2;
        ASSERT_OK(tvgp_policy_tell(p, i % 3 ? 2 : 1, values, NULL));
        ASSERT_OK(tvgp_policy_tell(twin, i % 3 ? 2 : 1, values, NULL));
        if (i % 3 == 0)
            skipped.output = 1;
        ASSERT_OK(tvgp_policy_tell(p, 1, &skipped, NULL));
    }
}

/* One way in which a call may fail: the k-th chance of it does. */
enum disturbance { INTERRUPT, MEMORY, QUOTA };
struct disturbed {
    enum disturbance by;
    int64_t left, calls, failures;
};

static int stop_at(void *user) {
    struct disturbed *s = user;
    return s->left > 0 && --s->left == 0;
}

static void disturb(struct disturbed *s, int64_t k) {
    s->left = s->by == INTERRUPT ? k : 0;
    memory.fail_in = s->by == MEMORY ? (size_t)k : 0;
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, s->by == QUOTA ? 50 << k : 0));
}

/* Whether it is to be made again, with the next chance. */
static int fails(struct disturbed *s, tvgp_status status) {
    const int failed = status == TVGP_ERR_INTERRUPTED || status == TVGP_ERR_NOMEM || status == TVGP_ERR_LIMIT;
    s->left = 0;
    memory.fail_in = 0;
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    ck_assert_msg(failed || status == TVGP_OK, "%s: %s", tvgp_status_name(status), tvgp_ctx_errmsg(ctx));
    s->failures += failed;
    return failed;
}

/* One step in which every call fails at each chance in turn; s NULL: in which none does. */
static tvgp_query disturbed_step(tvgp_policy *p, struct disturbed *s, int i) {
    struct disturbed none = {INTERRUPT, 0, 0, 0}, *by = s ? s : &none;
    tvgp_query q;
    double x;
    int64_t k = 0;
    do
        disturb(by, s ? ++k : 0);
    while (fails(by, tvgp_policy_ask_one(p, .7 * i, &q, &x)));
    const tvgp_obs obs[3] = {tvgp_obs_value(q.id, reward(x, i)), tvgp_obs_output(q.id, 1, side_output(x, i)),
                             i % 5 == 2 ? tvgp_obs_outcome(q.id, TVGP_FAILED)
                                        : tvgp_obs_output(q.id, 2, x * x + .1 * sin(9. * i))};
    tvgp_obs told[3];
    memcpy(told, obs, sizeof told);
    told[2].output = 2;
    k = 0;
    do
        disturb(by, s ? ++k : 0);
    while (fails(by, tvgp_policy_tell(p, 3 - (i % 7 == 3), told + (i % 7 == 3), NULL)));
    return q;
}

/* A failure in a model is a failure of the call: repeated, it leads to the state of a run in which none fails. */
TEST_EACH(failures_in_constraint_model, 6 * MODELS) {
    const int on_box = _i / 3 % 2;
    const char *name = learning_models[_i / 6], *second = learning_models[(_i / 6 + 1) % MODELS];
    struct disturbed s = {(enum disturbance)(_i % 3), 0, 0, 0};
    tvgp_domain *d = on_box ? NULL : line(ARMS);
    if (on_box)
        d = harness_box(1, &low, &high);
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, stop_at, &s, NULL));
    tvgp_policy *p = with_learning_models(name, second, d), *twin = with_learning_models(name, second, d);
    for (int i = 0; i < (on_box ? 10 : 20); i++) {
        const tvgp_query q = disturbed_step(p, &s, i); /* first: the context keeps blocks that the twin has freed */
        assert_same(disturbed_step(twin, NULL, i), q, i);
    }
    ASSERT_SAME_STATE(p, twin, "another state");
    ck_assert_int_gt(s.failures, s.by == MEMORY ? 4 : 10); /* the context keeps freed blocks, so few calls allocate */
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
}

/* ---- boxes ----------------------------------------------------------------------------------------------------------- */

static tvgp_policy *in_box(const char *name, tvgp_domain *d, size_t dim, double l, const char *options) {
    return harness_create(name, d, harness_se(dim, 1, &l), options);
}

static tvgp_domain *unit_box(size_t dim) {
    const double lower[4] = {0, 0, 0, 0}, upper[4] = {1, 1, 1, 1};
    return harness_box(dim, lower, upper);
}

/* Every point asked has a risk, by what the model itself predicts, within what is allowed, or is the declared one. */
TEST_EACH(box_keeps, 5) {
    static const struct {
        const char *name;
        size_t dim;
        int steps;
    } cases[] = {
        {"tv-gp-ucb", 1, 500}, {"tv-gp-ucb", 2, 500}, {"tv-gp-ucb", 4, 500}, {"pe-gp-ucb", 2, 40}, {"random", 2, 60}};
    const size_t dim = cases[_i].dim;
    const int effort = dim < 4 || harness_all(), steps = effort ? cases[_i].steps : 150; /* in four dimensions by night */
    const double middle[4] = {.5, .5, .5, .5};
    double x[4], mean, var, moved = 0;
    tvgp_query q;
    tvgp_domain *d = unit_box(dim);
    tvgp_policy *p = in_box(cases[_i].name, d, dim, .4,
                            effort ? "constraint.confidence=.95 constraint.margin_step=0"
                                   : "constraint.confidence=.95 constraint.margin_step=0 search.effort=.1"),
                *m = in_box("tv-gp-ucb", d, dim, .5, "noise=.01 epsilon=.02");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_LEAST, 0));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 0, &q, x), "t = 0", "allowed is 0.05", "tvgp_policy_set_safe");
    ASSERT_OK(tvgp_policy_set_safe(p, 1, middle));
    for (int i = 0; i < steps; i++) {
        ASSERT_OK(tvgp_policy_ask_one(p, i, &q, x));
        ASSERT_OK(tvgp_policy_predict(m, i, 1, x, &mean, &var));
        const double risk = .5 * erfc(mean / sqrt(2 * (var + .01)));
        ASSERT_NEAR(q.risk, risk, 1e-9);
        ck_assert_msg(risk <= .05 || memcmp(x, middle, dim * sizeof *x) == 0, "step %d: risk %g", i, risk);
        moved += memcmp(x, middle, dim * sizeof *x) != 0;
        ASSERT_OK(
            tvgp_policy_tell_values(p, q.id, 2, (double[]){x[0], .6 + .9 * cos(2 * x[0] + .003 * i) - .2 * x[dim - 1]}));
    }
    ck_assert_msg(moved > steps / 3, "moved %g times", moved);
}

/* Nothing is safe and nothing declared: the likeliest of the points tried, by a search and by chance; best likewise. */
TEST_EACH(box_likeliest, 2) {
    double x, at, mean, var;
    int64_t arm;
    tvgp_domain *d = unit_box(1);
    tvgp_policy *p = in_box(_i ? "random" : "tv-gp-ucb", d, 1, .3, "constraint.fallback=safest constraint.confidence=.999"),
                *m = in_box("tv-gp-ucb", d, 1, .3, "epsilon=.1 noise=.01");
    const double known[] = {.2, .8};
    const tvgp_obs obs[] = {tvgp_obs_unsolicited(0, 1.2), tvgp_obs_unsolicited(0, -1)};
    ASSERT_OK(tvgp_policy_tell(m, 2, obs, known));
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_LEAST, 1.5));
    for (int i = 0; i < 10; i++) {
        tvgp_query q = harness_ask_at(p, 1 + i, &x);
        ASSERT_OK(tvgp_policy_predict(m, 1 + i, 1, &x, &mean, &var));
        ASSERT_NEAR(q.risk, .5 * erfc((mean - 1.5) / sqrt(2 * (var + .01))), 1e-9);
        ck_assert(q.risk > .001);
        for (int k = 0; k <= 20; k++) {
            at = .05 * k;
            ASSERT_OK(tvgp_policy_predict(m, 1 + i, 1, &at, &mean, &var));
            ck_assert(q.risk <= .5 * erfc((mean - 1.5) / sqrt(2 * (var + .01))) + .01);
        }
        if (!_i)
            ASSERT_OK(tvgp_policy_best(p, 1 + i, &arm, &x));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0));
    }
    ck_assert(harness_stat(p, "safe.fallbacks") == 10 && harness_stat(p, "safe.count") == 0);
}

/* Bounds that leave the declared point out leave nothing; a snapshot goes on; of candidates those that are safe are asked. */
TEST(box_bounds) {
    const double lower = .7, offers[3] = {.1, .5, .45};
    double x;
    tvgp_query q, own;
    tvgp_domain *d = unit_box(1);
    tvgp_policy *p = in_box("tv-gp-ucb", d, 1, .3, ""), *m = in_box("tv-gp-ucb", d, 1, .3, "epsilon=.1");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_LEAST, 0));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){.5}));
    ASSERT_OK(tvgp_policy_set_bounds(p, &lower, &(double){1}));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 0, &q, &x), "no point tried is safe");
    ASSERT_OK(tvgp_policy_set_bounds(p, NULL, NULL));
    for (int i = 0; i < 20; i++) {
        ASSERT_OK(tvgp_policy_ask_one(p, .1 * i, &q, &x));
        ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, (double[]){x, 2 - 3 * fabs(x - .5)}));
    }
    const struct saved state = harness_saved(p, 1);
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_restore, ctx, state.n, state.bytes, NULL, NULL);
    ASSERT_OK(tvgp_policy_ask_one(p, 3, &q, &x));
    ASSERT_OK(tvgp_policy_ask_one(twin, 3, &own, &x));
    assert_same(q, own, 20);
    ASSERT_OK(tvgp_policy_set_candidates(p, 3, offers, (double[]){9, 0, 1}));
    ASSERT_OK(tvgp_policy_ask_one(p, 200, &q, &x));
    ck_assert(q.arm == 1 && harness_stat(p, "safe.count") == 1);
    ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, (double[]){0, 2}));
    ASSERT_OK(tvgp_policy_ask_one(p, 200.1, &q, &x));
    ck_assert(q.arm == 2 && harness_stat(p, "safe.count") == 2);
}

/* A model that is never asked forgets like the policy: its rows stay few. It does so at every eighth outcome. */
TEST(box_rows) {
    double x[2];
    tvgp_domain *d = unit_box(2);
    tvgp_policy *p = in_box("tv-gp-ucb", d, 2, .4, "epsilon=.1 search.effort=.1 rank.tolerance=0"),
                *m = in_box("tv-gp-ucb", d, 2, .4, "epsilon=.1 rank.tolerance=0");
    ASSERT_OK(tvgp_policy_add_constraint(p, m, TVGP_AT_LEAST, -9));
    double dropped = 0, before = 0;
    const int steps = harness_all() ? 3000 : 1000;
    for (int i = 0; i < steps; i++) {
        tvgp_query q = harness_ask_at(p, i, x);
        dropped = harness_stat(m, "rows.dropped");
        ck_assert_msg(dropped == before || i % 8 == 0, "the model drops rows at ask %d", i);
        before = dropped;
        ASSERT_OK(tvgp_policy_tell_values(p, q.id, 2, (double[]){sin(7 * x[0] + .1 * i), cos(5 * x[1])}));
    }
    ck_assert(harness_stat(m, "observations") <= harness_stat(p, "observations") + 16);
    ck_assert(harness_stat(m, "rows.dropped") > steps * 2 / 3);
}

/* ---- the normal distribution ---------------------------------------------------------------------------------------- */

/* tail -> z, worked out to 40 digits by inverting a series and a continued fraction. */
static const double points[][2] = {
#include "golden/golden_normal.h"
};

TEST(normal) {
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const double z = tvgp__normal_above(points[i][0]);
        ck_assert_msg(fabs(z - points[i][1]) <= 1e-12 * fmax(1, fabs(z)), "tail %.17g: %.17g, not %.17g", points[i][0], z,
                      points[i][1]);
        ASSERT_NEAR(tvgp__normal_tail(z) / points[i][0], 1, 1e-10);
    }
    ck_assert(tvgp__normal_tail(INFINITY) == 0 && tvgp__normal_tail(-INFINITY) == 1);
}

/* With two limits, of 100,000 pairs of z (all: a million): what is in, out and between by the quantiles is what the sum of the tails says. */
TEST(two_tails) {
    struct rnd r = {3};
    const double allowed = .02, out = tvgp__normal_above(allowed), in = tvgp__normal_above(allowed / 2);
    for (int i = 0; i < (harness_all() ? 1000000 : 100000); i++) {
        const double a = 4 * rnd_normal(&r), b = 4 * rnd_normal(&r), sum = tvgp__normal_tail(a) + tvgp__normal_tail(b);
        ck_assert(!(a < out || b < out) || sum > allowed * (1 - 1e-12));
        ck_assert(!(a >= in && b >= in) || sum <= allowed * (1 + 1e-12));
    }
}

HARNESS_MAIN("limits")
