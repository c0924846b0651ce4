/* SPDX-License-Identifier: MIT */
/* Time has no unit: where no caller told a rate, t -> a t + b changes no decision. Powers of two change no bit. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 33, STEPS = 400, BOX = 0 };

/* How time passes; t = offset + unit * (steps so far). */
struct clock {
    double unit, offset;
    double spread; /* 0: a step each time; otherwise e^(spread z) */
};

/* A policy and what it is given. */
struct game {
    const char *name, *options;
    int told;   /* a kernel */
    int arms;   /* BOX: a box */
    int uneven; /* outcomes have a later time than their query */
};

struct world {
    const struct game *game;
    const struct clock *clock;
    tvgp_policy *policy;
    struct rnd rnd;
    double steps; /* passed */
};

static double time_of(const struct clock *c, double steps) {
    return c->offset + c->unit * steps;
}

static tvgp_status make(const struct game *g, tvgp_policy **out) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    tvgp_domain *domain;
    tvgp_kernel *kernel = NULL;
    if (g->arms)
        domain = harness_grid(1, &lower, &upper, (const size_t[]){(size_t)g->arms});
    else
        domain = harness_box(1, &lower, &upper);
    if (g->told)
        kernel = harness_se(1, 1, &lengthscale);
    const tvgp_status status = tvgp_policy_create(ctx, g->name, domain, kernel, out);
    if (status == TVGP_OK)
        ASSERT_OK(tvgp_policy_set(*out, g->options));
    return status;
}

static struct world open_world(const struct game *g, const struct clock *c) {
    struct world w = {.game = g, .clock = c, .rnd = {.state = 3}};
    ASSERT_OK(make(g, &w.policy));
    return w;
}

static double truth(double x, double steps) {
    const double away = (x - 0.5 - 0.4 * sin(0.02 * steps)) / 0.2;
    return exp(-0.5 * away * away);
}

static void pass(struct world *w) {
    w->steps += w->clock->spread > 0 ? exp(w->clock->spread * rnd_normal(&w->rnd)) : 1;
}

/* Dyadic, so that it is the same in every unit that is a power of two. */
static void pass_dyadic(struct world *w) {
    const double before = w->steps;
    pass(w);
    w->steps = before + fmax(ldexp(1, -20), ldexp(floor(ldexp(w->steps - before, 20)), -20));
}

static tvgp_query step(struct world *w, double *x) {
    pass_dyadic(w);
    tvgp_query q = harness_ask_at(w->policy, time_of(w->clock, w->steps), x);
    const double noise = 0.1 * rnd_normal(&w->rnd), y = truth(*x, w->steps) + noise;
    tvgp_obs obs = {.id = q.id, .y = y};
    if (w->game->uneven) {
        obs.flags = TVGP_OBS_HAS_TIME;
        obs.t = time_of(w->clock, w->steps + (w->clock->spread > 0 ? 0x1p-21 : 0.5)); /* before the next ask */
    }
    ASSERT_OK(tvgp_policy_tell(w->policy, 1, &obs, NULL));
    return q;
}

/* The same points at the first `steps` steps of two ways to count; `bits`: and the same scores. */
static void assert_same(const struct game *g, const struct clock *a, const struct clock *b, int steps, int bits) {
    struct world one = open_world(g, a), other = open_world(g, b);
    for (int i = 0; i < steps; i++) {
        double x, z;
        const tvgp_query p = step(&one, &x), q = step(&other, &z);
        ck_assert_msg(bits ? x == z && p.score == q.score : fabs(x - z) < (g->arms ? 1e-12 : 1e-4),
                      "%s '%s'%s%s, t = %g + %g steps: step %d at %.17g (score %.17g), in steps at %.17g (score %.17g)",
                      g->name, g->options, g->told ? ", a kernel" : "", g->arms ? "" : ", a box", b->offset, b->unit, i, z,
                      q.score, x, p.score);
    }
    tvgp_policy_destroy(one.policy);
    tvgp_policy_destroy(other.policy);
}

static const struct clock in_steps = {1, 0, 0};

/* ---- the same decisions ----------------------------------------------------------------------------------------- */

/* Every policy that learns, with default settings. */
TEST_EACH(told_nothing, harness_policies()) {
    static const struct clock clocks[] = {{1000, 0, 0}, {1024, 0, 0}, {1, 1.7e9, 0}, {0x1p-10, 0, 0}};
    const struct game game = {.name = harness_policy_at(_i), .options = "", .arms = ARMS};
    tvgp_policy *policy;
    const tvgp_status status = make(&game, &policy);
    if (status != TVGP_OK)
        return;
    tvgp_policy_destroy(policy);
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        assert_same(&game, &in_steps, &clocks[i], STEPS, clocks[i].unit != 1000 && clocks[i].offset == 0);
}

/* A step that is no dyadic number is off by round-off. */
TEST_EACH(round_off, 3) {
    static const struct clock clocks[] = {{0.001, 0, 0}, {60.1, 0, 0}, {0.1, 0, 0}, {0.1, 1e5, 0}};
    const struct game games[] = {{.name = "auto-gp-ucb", .options = "", .arms = ARMS},
                                 {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = ARMS},
                                 {.name = "tv-gp-ucb", .options = "", .arms = ARMS}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        assert_same(&games[_i], &in_steps, &clocks[i], 200, 0);
}

static const struct game told_a_kernel[] = {
    {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = ARMS},
    {.name = "auto-gp-ucb", .options = "drift.models=ou", .told = 1, .arms = ARMS},
    {.name = "auto-gp-ucb", .options = "model.assume_misspecified=1", .told = 1, .arms = 9},
    {.name = "auto-gp-ucb", .options = "changepoint.confirm_by=likelihood", .told = 1, .arms = ARMS},
    {.name = "auto-gp-ucb", .options = "fit=map", .told = 1, .arms = ARMS},
    {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = ARMS, .uneven = 1},
};

TEST_EACH(kernel_alone, sizeof told_a_kernel / sizeof *told_a_kernel) {
    assert_same(&told_a_kernel[_i], &in_steps, &(struct clock){1000, 0, 0}, STEPS, 0);
    assert_same(&told_a_kernel[_i], &in_steps, &(struct clock){1024, 0, 0}, STEPS, 1);
    assert_same(&told_a_kernel[_i], &in_steps, &(struct clock){1, 1.7e9, 0}, STEPS, 0);
}

static const struct game on_a_box[] = {
    {.name = "auto-gp-ucb", .options = "", .arms = BOX}, {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = BOX},
    {.name = "tv-gp-ucb", .options = "", .arms = BOX},   {.name = "gp-ucb", .options = "", .arms = BOX},
    {.name = "et-gp-ucb", .options = "", .arms = BOX},
};

TEST_EACH(boxes, sizeof on_a_box / sizeof *on_a_box) {
    assert_same(&on_a_box[_i], &in_steps, &(struct clock){1024, 0, 0}, 60, 1);
    assert_same(&on_a_box[_i], &in_steps, &(struct clock){1000, 0, 0}, 60, 0);
    assert_same(&on_a_box[_i], &in_steps, &(struct clock){1, 1.7e9, 0}, 60, 1);
}

/* Times that come as they like: the unit is found late, and what was given by then is given again. */
static const struct game irregular[] = {
    {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = ARMS},
    {.name = "auto-gp-ucb", .options = "", .arms = ARMS},
    {.name = "auto-gp-ucb", .options = "", .arms = ARMS, .uneven = 1},
    {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = BOX},
    {.name = "tv-gp-ucb", .options = "", .arms = ARMS},
    {.name = "tv-gp-ucb", .options = "time.kernel=matern32", .arms = ARMS},
    {.name = "r-gp-ucb", .options = "", .arms = ARMS},
    {.name = "tv-gp-ucb", .options = "", .arms = BOX},
};
enum { IRREGULAR = sizeof irregular / sizeof *irregular };
static const struct clock uneven = {1, 0, 0.8};

TEST_EACH(irregular_times, IRREGULAR) {
    const int steps = irregular[_i].arms ? 200 : 80;
    assert_same(&irregular[_i], &uneven, &(struct clock){1024, 0, 0.8}, steps, 1);
    assert_same(&irregular[_i], &uneven, &(struct clock){0x1p-7, 0, 0.8}, steps, 1);
}

/* ---- the unit --------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_gap(size_t times, const double *t) {
    double gap[128];
    for (size_t i = 0; i + 1 < times; i++)
        gap[i] = t[i + 1] - t[i];
    qsort(gap, times - 1, sizeof *gap, ascending);
    return 0.5 * (gap[(times - 1) / 2] + gap[(times - 2) / 2]);
}

/* The unit: the median of the first eight steps, or of as many as there are, and from the 64th step on the median of 64. */
TEST(unit_that_is_found) {
    struct world w = open_world(&told_a_kernel[0], &uneven);
    double t[128], x;
    ck_assert_double_eq(harness_stat(w.policy, "time.unit"), 0);
    for (size_t n = 1; n <= 100; n++) {
        const tvgp_query q = step(&w, &x);
        t[n - 1] = q.t;
        const size_t counted = n < 8 ? n : n < 64 ? 8 : 64;
        const double found = harness_stat(w.policy, "time.unit"), median = n < 2 ? 0 : median_gap(counted, t);
        ck_assert_double_le(fabs(found - median), 0.01 * median); /* by less it does not change */
        ck_assert(n < 64 || harness_stat(w.policy, "observations.stored") == 0);
    }
    tvgp_policy_destroy(w.policy);
}

/* Unsolicited observations count, several at one time once; outcomes with times of their own do not. */
TEST(times_that_count) {
    struct world w = open_world(&told_a_kernel[0], &in_steps);
    const double x[4] = {0, 0.25, 0.5, 0.75};
    const tvgp_obs obs[] = {tvgp_obs_unsolicited(0, 1), tvgp_obs_unsolicited(0, 1), tvgp_obs_unsolicited(30, 1),
                            tvgp_obs_unsolicited(30, 1)};
    ASSERT_OK(tvgp_policy_tell(w.policy, 4, obs, x));
    ck_assert_double_eq(harness_stat(w.policy, "time.unit"), 30);
    const tvgp_query q = harness_ask(w.policy, 60);
    ASSERT_OK(tvgp_policy_tell(w.policy, 1, &(tvgp_obs){.id = q.id, .y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 61}, NULL));
    ck_assert_double_eq(harness_stat(w.policy, "time.unit"), 30);
    tvgp_policy_destroy(w.policy);
}

/* Told, it is that from the start, and what is given by name stays in the user's time. */
TEST(unit_that_is_told) {
    const struct clock seconds = {1000, 0, 0};
    const struct game found = told_a_kernel[0];
    struct game told = found;
    char options[96];
    told.options = "time.unit=1000";
    struct world a = open_world(&found, &seconds), b = open_world(&told, &seconds);
    snprintf(options, sizeof options, "changepoint.hazard=%.17g",
             -expm1(log1p(-0.005) / 1000)); /* and stays; that of a is learned */
    told.options = options;
    struct world c = open_world(&told, &seconds);
    for (int i = 0; i < 150; i++) {
        double x, y, z;
        const double score = step(&a, &x).score;
        ck_assert_double_eq(step(&b, &y).score, score);
        (void)step(&c, &z);
        ck_assert(x == y);
        ck_assert_double_eq(harness_stat(b.policy, "time.unit"), 1000);
    }
    ck_assert_double_eq(harness_stat(c.policy, "resets"), harness_stat(a.policy, "resets"));
    told.options = "changepoint.hazard=0.005"; /* a second: everything changes abruptly between two asks */
    struct world e = open_world(&told, &seconds);
    for (int i = 0; i < 150; i++)
        step(&e, &(double){0});
    ck_assert_double_gt(harness_stat(e.policy, "resets"), harness_stat(a.policy, "resets") + 2);
    tvgp_policy_destroy(e.policy);
    told.options = "time.unit=1";
    struct world d = open_world(&told, &seconds);
    for (int i = 0; i < 150; i++)
        step(&d, &(double){0});
    ck_assert_double_lt(harness_stat(d.policy, "rate"), 0.5 * harness_stat(a.policy, "rate")); /* a second */
    tvgp_policy_destroy(a.policy);
    tvgp_policy_destroy(b.policy);
    tvgp_policy_destroy(c.policy);
    tvgp_policy_destroy(d.policy);
}

/* Statistics of time are in the user's. */
TEST(statistics) {
    static const char *const of_time[] = {"half_life", "time.unit"}, *const per_unit[] = {"rate", "fit.lengthscale.0"};
    const struct game game = {.name = "auto-gp-ucb", .options = "", .arms = ARMS};
    struct world a = open_world(&game, &uneven), b = open_world(&game, &(struct clock){1024, 0, 0.8});
    for (int i = 0; i < 100; i++) {
        step(&a, &(double){0});
        step(&b, &(double){0});
    }
    for (size_t i = 0; i < 2; i++) {
        ASSERT_NEAR(harness_stat(b.policy, of_time[i]) / 1024, harness_stat(a.policy, of_time[i]), 1e-12);
        ck_assert_double_eq(harness_stat(b.policy, per_unit[i]), harness_stat(a.policy, per_unit[i]));
    }
    ASSERT_NEAR(log1p(-harness_stat(b.policy, "fit.rate")) * 1024, log1p(-harness_stat(a.policy, "fit.rate")), 1e-9);
    tvgp_policy_destroy(a.policy);
    tvgp_policy_destroy(b.policy);
}

/* ---- any origin --------------------------------------------------------------------------------------------------- */

enum { FEW = 6, CALLS = 140 };

/* A policy without a rate; observations at times that no unit divides, with pauses, each call with up to three. */
static void play_from(double origin, const char *name, double mean[CALLS][FEW], double var[CALLS][FEW]) {
    const struct game game = {.name = name, .options = "", .arms = FEW};
    tvgp_policy *policy = NULL, *twin;
    struct rnd r = {11};
    double t = 0, x[FEW];
    ASSERT_OK(make(&game, &policy));
    for (int i = 0; i < FEW; i++)
        x[i] = i / (FEW - 1.);
    for (int i = 0; i < CALLS; i++) {
        double z;
        t += rnd_below(&r, 20) ? rnd_uniform(&r) : 30 * rnd_uniform(&r);
        tvgp_query q = harness_ask_at(policy, origin + t, &z);
        ASSERT_OK(tvgp_policy_tell(policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_CANCELLED}, NULL));
        for (size_t k = 1 + rnd_below(&r, 3); k-- > 0;) {
            const size_t arm = rnd_below(&r, FEW);
            const tvgp_obs obs = tvgp_obs_unsolicited(origin + t, sin((double)arm + t / 40) + 0.2 * rnd_uniform(&r) - 0.1);
            ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, &x[arm]));
        }
        twin = MAKE_POLICY(tvgp_policy_clone, policy);
        const tvgp_status status = tvgp_policy_predict(twin, origin + t, FEW, x, mean[i], var[i]);
        ck_assert(status == TVGP_OK || (status == TVGP_ERR_UNSUPPORTED && i == 0));
        tvgp_policy_destroy(twin);
        if (status != TVGP_OK)
            break; /* it has no model */
    }
    tvgp_policy_destroy(policy);
}

/* 2^20 added to all times takes 20 bits from them, and no more than that from a prediction: nothing depends on where a time
 * falls between multiples of a unit. */
TEST_EACH(any_origin, harness_policies()) {
    static double mean[2][CALLS][FEW], var[2][CALLS][FEW];
    const struct game game = {.name = harness_policy_at(_i), .options = "", .arms = FEW};
    tvgp_policy *policy;
    memset(mean, 0, sizeof mean);
    memset(var, 0, sizeof var);
    if (make(&game, &policy) != TVGP_OK)
        return;
    tvgp_policy_destroy(policy);
    play_from(0, game.name, mean[0], var[0]);
    play_from(0x1p20, game.name, mean[1], var[1]);
    for (int i = 0; i < CALLS; i++)
        for (int k = 0; k < FEW; k++)
            ck_assert_msg(fabs(mean[1][i][k] - mean[0][i][k]) <= 1e-6 * sqrt(var[0][i][k]) &&
                              fabs(var[1][i][k] - var[0][i][k]) <= 1e-6 * var[0][i][k],
                          "%s: call %d, arm %d: mean %.9g, %.9g, variance %.9g, %.9g", game.name, i, k, mean[0][i][k],
                          mean[1][i][k], var[0][i][k], var[1][i][k]);
}

/* ---- what was given before the unit was known -------------------------------------------------------------------- */

enum { LOOKS = 5 };

static void predict(tvgp_policy *p, double t, double out[2 * LOOKS]) {
    static const double x[LOOKS] = {0, 0.25, 0.5, 0.75, 1};
    ASSERT_OK(tvgp_policy_predict(p, t, LOOKS, x, out, out + LOOKS));
}

/* After the eighth and the 64th time a policy assumes what one assumes that knew the unit from the start. */
static void assert_as_if_known(const struct game *g, int steps) {
    struct world found = open_world(g, &uneven);
    struct game told = *g;
    char options[64];
    double x[80];
    tvgp_obs obs[80];
    for (int i = 0; i < steps; i++) {
        pass_dyadic(&found);
        tvgp_query q = harness_ask_at(found.policy, found.steps, &x[i]);
        obs[i] = tvgp_obs_unsolicited(found.steps, truth(x[i], found.steps) + 0.1 * rnd_normal(&found.rnd));
        if (i + 1 < steps)
            ASSERT_OK(tvgp_policy_tell_value(found.policy, q.id, obs[i].y));
        else
            ASSERT_OK(tvgp_policy_tell(found.policy, 1, &(tvgp_obs){.id = q.id, .outcome = TVGP_CANCELLED}, NULL));
    }
    snprintf(options, sizeof options, "time.unit=%.17g", harness_stat(found.policy, "time.unit"));
    told.options = options;
    struct world known = open_world(&told, &uneven);
    double a[2 * LOOKS], b[2 * LOOKS];
    ASSERT_OK(tvgp_policy_tell(known.policy, (size_t)steps - 1, obs, x));
    predict(found.policy, found.steps + 3, a);
    predict(known.policy, found.steps + 3, b);
    ASSERT_ALL_NEAR(2 * LOOKS, a, b, 1e-9);
    ck_assert_double_eq(harness_stat(found.policy, "observations"), harness_stat(known.policy, "observations"));
    tvgp_policy_destroy(found.policy);
    tvgp_policy_destroy(known.policy);
}

TEST_EACH(told_again, 2) {
    const struct game games[] = {{.name = "auto-gp-ucb", .options = "", .told = 1, .arms = ARMS},
                                 {.name = "auto-gp-ucb", .options = "", .told = 1, .arms = BOX}};
    assert_as_if_known(&games[_i], 8);
    assert_as_if_known(&games[_i], 64);
}

/* A history told in one go, its times as they were. */
TEST(history) {
    enum { TOLD = 100 };
    struct world found = open_world(&told_a_kernel[0], &uneven);
    struct game told = told_a_kernel[0];
    tvgp_obs obs[TOLD];
    double x[TOLD], a[2 * LOOKS], b[2 * LOOKS];
    char options[64];
    for (size_t i = 0; i < TOLD; i++) {
        pass_dyadic(&found);
        x[i] = (double)(i % ARMS) / (ARMS - 1);
        obs[i] = tvgp_obs_unsolicited(found.steps, truth(x[i], found.steps));
    }
    ASSERT_OK(tvgp_policy_tell(found.policy, TOLD, obs, x));
    snprintf(options, sizeof options, "time.unit=%.17g", harness_stat(found.policy, "time.unit"));
    told.options = options;
    struct world known = open_world(&told, &uneven);
    ASSERT_OK(tvgp_policy_tell(known.policy, TOLD, obs, x));
    harness_ask(found.policy, found.steps + 1);
    harness_ask(known.policy, found.steps + 1);
    predict(found.policy, found.steps + 1, a);
    predict(known.policy, found.steps + 1, b);
    ASSERT_ALL_NEAR(2 * LOOKS, a, b, 1e-9);
    ck_assert_double_eq(harness_stat(found.policy, "observations.stored"), 0);
    tvgp_policy_destroy(found.policy);
    tvgp_policy_destroy(known.policy);
}

/* ---- state ------------------------------------------------------------------------------------------------------ */

/* New arms while the unit is not final. */
TEST(arms_that_come) {
    enum { MORE = 41, AT = 5 };
    double points[MORE];
    uint8_t mask[MORE];
    struct rnd r = {8};
    double t = 0, a[2 * LOOKS], b[2 * LOOKS];
    for (size_t i = 0; i < MORE; i++) {
        points[i] = (double)i / (MORE - 1);
        mask[i] = i < ARMS;
    }
    tvgp_domain *small = harness_arms(ARMS, 1, points);
    tvgp_domain *large = MAKE_DOMAIN(tvgp_domain_append, small, MORE - ARMS, points + ARMS);
    tvgp_kernel *kernel = harness_se(1, 1, (const double[]){0.2});
    tvgp_policy *grown = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", small, kernel);
    tvgp_policy *masked = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", large, kernel);
    ASSERT_OK(tvgp_policy_set_available(masked, MORE, mask));
    for (int i = 0; i < 80; i++) {
        t += exp(rnd_normal(&r));
        if (i == AT)
            ASSERT_OK(tvgp_policy_extend(grown, large, NULL));
        if (i == AT)
            ASSERT_OK(tvgp_policy_set_available(masked, MORE, NULL));
        const tvgp_query p = harness_ask(grown, t), q = harness_ask(masked, t);
        const double y = truth(points[p.arm], t) + 0.1 * rnd_normal(&r);
        ck_assert_msg(p.arm == q.arm, "step %d: arm %d, %d of the one with all arms", i, (int)p.arm, (int)q.arm);
        ASSERT_OK(tvgp_policy_tell_value(grown, p.id, y));
        ASSERT_OK(tvgp_policy_tell_value(masked, q.id, y));
    }
    predict(grown, t, a);
    predict(masked, t, b);
    ASSERT_ALL_NEAR(2 * LOOKS, a, b, 1e-7);
}

/* ---- the log ---------------------------------------------------------------------------------------------------- */

static int lines;

static void count(void *user, const char *message) {
    (void)user;
    lines += strstr(message, "a hundred times") != NULL;
}

/* Steps that become a hundred times longer are said once; a night between two days is not. */
TEST(steps_that_change) {
    struct world w = open_world(&told_a_kernel[0], &in_steps);
    lines = 0;
    ASSERT_OK(tvgp_ctx_set_logger(ctx, count, NULL, NULL));
    for (int i = 0; i < 60; i++) {
        step(&w, &(double){0});
        w.steps += i % 20 == 19 ? 5000 : 0;
    }
    ck_assert_int_eq(lines, 0);
    for (int i = 0; i < 60; i++) {
        step(&w, &(double){0});
        w.steps += 200;
        ck_assert_int_eq(lines, i >= 7); /* the last night counts */
    }
    ck_assert_double_eq(harness_stat(w.policy, "time.unit"), 1);
    tvgp_policy_destroy(w.policy);
}

HARNESS_MAIN("time unit")
