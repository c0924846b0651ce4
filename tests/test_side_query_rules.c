/* SPDX-License-Identifier: MIT */
/* The rules of rounds of side queries (choose/side_query_rules.h): tables and four games of a dense script that shares no code with the
 * library, and the options side.divergence, side.action_outcomes, side.action_exponent and kdpp.steps = -1. */
#include "cases.h"
#include "choose/side_query_rules.h"

#include <math.h>
#include <string.h>

enum { ARMS = 21, STEPS = 12, CAP = ARMS + 1 };

/* ---- formulas --------------------------------------------------------------------------------------------------- */

TEST(points_of_a_round) {
    static const double etas[] = {0, 0.2, 0.05, 0.001};
    static const struct {
        double t, linear[4], square[2]; /* scale 6, power 1, all eta; scale 1, power 2, eta 0 and 0.05 */
    } rows[] = {{1, {1, 32, 41, 64}, {1, 45}},
                {2, {5, 36, 45, 68}, {1, 55}},
                {10, {14, 46, 54, 78}, {6, 81}},
                {100, {28, 60, 68, 92}, {22, 128}},
                {500, {38, 70, 78, 101}, {39, 167}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t j = 0; j < 4; j++)
            ck_assert_double_eq(tvgp__side_query_rules_points(6, 1, rows[i].t, (tvgp__side_query_rules){etas[j], 0.1}),
                                rows[i].linear[j]);
        for (size_t j = 0; j < 2; j++)
            ck_assert_double_eq(tvgp__side_query_rules_points(1, 2, rows[i].t, (tvgp__side_query_rules){etas[2 * j], 0.1}),
                                rows[i].square[j]);
    }
}

TEST(swaps_of_the_sampler) {
    const tvgp__side_query_rules d = {0.1, 0.1}, unset = {0, 0.1}, most = {0.2, 0.1};
    ck_assert_int_eq(tvgp__side_query_rules_swaps(50, 20, 50, 0.01, 1, d), 36150);
    ck_assert_int_eq(tvgp__side_query_rules_swaps(50, 20, 50, 0.01, 1, unset),
                     tvgp__side_query_rules_swaps(50, 20, 50, 0.01, 1, most));
    ck_assert_int_gt(tvgp__side_query_rules_swaps(2, 1, 1, 0.01, 1, d), 0);
}

/* The largest whole age that is kept; -1: none. */
static int oldest(double exponent, double t) {
    int age = -1;
    while (tvgp__side_query_rules_keep(exponent, t, age + 1))
        age++;
    return age;
}

TEST(ages_that_are_kept) {
    static const double t[] = {1, 2, 3, 8, 32, 149, 500, 10000, 1000000};
    static const int by_log[] = {-1, -1, 0, 1, 1, 2, 2, 2, 3}, by_power[] = {0, 0, 0, 0, 1, 1, 1, 2, 3};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ck_assert_int_eq(oldest(0, t[i]), by_log[i]);
        ck_assert_int_eq(oldest(0.2, t[i]), by_power[i]);
    }
}

/* ---- games ------------------------------------------------------------------------------------------------------ */

static double truth(double x, double t) {
    return sin(3 * x + 0.4 * t) + 0.5 * cos(7 * x - 0.2 * t);
}

static tvgp_policy *create(const char *name, const char *options) {
    double x[ARMS];
    const double lengthscale = 0.2;
    for (size_t i = 0; i < ARMS; i++)
        x[i] = (double)i / (ARMS - 1);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, harness_arms(ARMS, 1, x), harness_se(1, 1, &lengthscale));
    ASSERT_OK(
        tvgp_policy_set(p, "noise=0.01 side.noise=0.02 side.round_factor=1 side.round_exponent=1 kdpp.steps=0 width.bound=1 "
                           "width.delta=0.1"));
    ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

/* The action of step t and its round: which arms. */
typedef struct step {
    int action;
    double score;
    size_t n;
    uint32_t round; /* bit i: arm i */
} step;

static double own_value(int64_t arm, int t) {
    return truth((double)arm / (ARMS - 1), t) + 0.1 * sin(12.9898 * t);
}

/* Asks for the side queries that are due at step t of this length, and reports their outcomes. */
static void play_round(tvgp_policy *p, int t, double unit, step *out) {
    tvgp_query q[CAP];
    while (harness_stat(p, "side.due") > 0) {
        size_t n;
        ASSERT_OK(tvgp_policy_ask(p, unit * t, CAP, q, NULL, &n));
        for (size_t i = 0; i < n; i++, out->n++) {
            ck_assert_int_eq(q[i].kind, TVGP_SIDE);
            out->round |= 1U << q[i].arm;
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, truth((double)q[i].arm / (ARMS - 1), t)));
        }
    }
}

/* What is left of a round, then the action of step t and its round. */
static step play_step(tvgp_policy *p, int t, double unit) {
    step out = {0};
    play_round(p, t, unit, &out);
    const tvgp_query q = harness_ask(p, unit * t);
    ck_assert_int_eq(q.kind, TVGP_ACTION);
    out.action = (int)q.arm;
    out.score = q.score;
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, own_value(q.arm, t)));
    play_round(p, t, unit, &out);
    return out;
}

static const struct game {
    const char *options;
    int action[STEPS];
    size_t round[STEPS];
    double score[3]; /* at t = 4, 8, 12 */
    int last[10];    /* the round of t = 12, ended by -1 */
} games[] = {
    {"side.action_outcomes=log_noise side.divergence=0.1",
     {0, 7, 16, 20, 3, 11, 0, 2, 20, 19, 20, 20},
     {1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8, 8},
     {4.086406674244, 1.215209806944, 1.320661991187},
     {0, 2, 3, 7, 11, 16, 19, 20, -1}},
    {"side.action_outcomes=power_noise",
     {0, 7, 15, 6, 20, 7, 14, 6, 14, 3, 14, 18},
     {1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3},
     {4.997576725870, 4.874360055909, 2.521339400250},
     {0, 7, 20, -1}},
    {"side.action_outcomes=excluded side.divergence=0.1",
     {0, 7, 16, 20, 3, 11, 0, 0, 20, 20, 20, 20},
     {1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 6},
     {3.965269971575, 1.263590863171, 1.770569036336},
     {0, 3, 7, 11, 16, 20, -1}},
    {"side.action_outcomes=power_noise side.divergence=0.1",
     {0, 7, 15, 20, 3, 11, 0, 2, 18, 20, 20, 20},
     {1, 2, 3, 4, 5, 6, 6, 7, 8, 8, 8, 8},
     {4.591882366635, 1.214467990709, 1.376640492190},
     {0, 2, 3, 7, 11, 15, 18, 20, -1}},
};

static void assert_step(const struct game *g, int t, const step *s) {
    ck_assert_msg(s->action == g->action[t - 1], "%s: arm %d at t = %d, should be %d", g->options, s->action, t,
                  g->action[t - 1]);
    ck_assert_uint_eq(s->n, g->round[t - 1]);
    if (t % 4 == 0)
        ASSERT_NEAR(s->score, g->score[t / 4 - 1], 1e-9);
    if (t < STEPS)
        return;
    uint32_t last = 0;
    for (size_t i = 0; g->last[i] >= 0; i++)
        last |= 1U << g->last[i];
    ck_assert_uint_eq(s->round, last);
}

TEST_EACH(golden_games, sizeof games / sizeof *games) {
    const struct game *g = &games[_i];
    tvgp_policy *p = create("sparq-gp-ucb", g->options);
    for (int t = 1; t <= STEPS; t++) {
        const step s = play_step(p, t, 1);
        assert_step(g, t, &s);
    }
}

/* Each arm has one unsolicited observation, so the number of known points caps no round. */
static void know_all(tvgp_policy *p) {
    for (int arm = 0; arm < ARMS; arm++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(0, own_value(arm, 0));
        const double x = (double)arm / (ARMS - 1);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    }
}

/* w-sparq-gp-ucb: the size of a round is that of the action that starts the window. */
TEST(windows_of_wsparq) {
    static const struct {
        int start;
        size_t n;
    } rounds[] = {{1, 6}, {3, 8}, {5, 8}, {7, 8}, {9, 9}, {11, 9}, {13, 9}, {15, 9}, {17, 9}, {20, 9}, {23, 10}};
    tvgp_policy *p = create("w-sparq-gp-ucb", "side.divergence=0.1");
    know_all(p);
    size_t next = 0;
    for (int t = 1; t <= 23; t++) {
        const step s = play_step(p, t, 1);
        const int starts = rounds[next].start == t;
        ck_assert_uint_eq(s.n, starts ? rounds[next].n : 0);
        next += (size_t)starts;
    }
    ck_assert_uint_eq(next, sizeof rounds / sizeof *rounds);
}

/* The action that starts a window is answered after the next one was asked. */
TEST(delayed_start_of_a_window) {
    tvgp_policy *p = create("w-sparq-gp-ucb", "side.divergence=0.1");
    step round = {0};
    know_all(p);
    const tvgp_query first = harness_ask(p, 1);
    harness_ask(p, 2);
    ASSERT_OK(tvgp_policy_tell_value(p, first.id, own_value(first.arm, 1)));
    play_round(p, 2, 1, &round);
    ck_assert_uint_eq(round.n, 6); /* that of t_j = 1; t = 2 has 7 */
}

/* With learned hyperparameters ages count in the unit of time that was found: seconds and hours give the same game. */
TEST(unit_of_time) {
    tvgp_policy *p[2];
    for (int i = 0; i < 2; i++)
        p[i] =
            create("sparq-gp-ucb", "fit=map side.action_outcomes=power_noise side.action_exponent=0.24 side.divergence=0.1");
    for (int t = 1; t <= 40; t++) {
        const step a = play_step(p[0], t, 1), b = play_step(p[1], t, 1024);
        ck_assert_int_eq(a.action, b.action);
        ck_assert_uint_eq(a.round, b.round);
        ck_assert_double_eq(harness_stat(p[0], "observations"), harness_stat(p[1], "observations"));
    }
}

/* On a box with fixed points a round has min(Q, points) of them, whatever was observed. */
TEST(points_of_a_box) {
    const double low = 0, high = 1, lengthscale = 0.2;
    double x[CAP];
    tvgp_query q[CAP];
    size_t n;
    tvgp_domain *domain = harness_box(1, &low, &high);
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    tvgp_policy *p = harness_create("sparq-gp-ucb", domain, kernel, "side.round_factor=1 side.divergence=0.1 side.points=7");
    static const size_t expected[] = {6, 7, 7}; /* of 7 points; t = 1 .. 3 ask for 6, 7, 8 */
    for (int t = 1; t <= 3; t++) {
        ASSERT_OK(tvgp_policy_ask(p, t, CAP, q, x, &n));
        ck_assert(n == 1 && q->kind == TVGP_ACTION);
        ASSERT_OK(tvgp_policy_tell_value(p, q->id, truth(*x, t)));
        ASSERT_OK(tvgp_policy_ask(p, t, CAP, q, x, &n));
        ck_assert_uint_eq(n, expected[t - 1]);
        for (size_t i = 0; i < n; i++)
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, truth(x[i], t)));
    }
}

/* A copy made in the middle of a round, and one that was saved there, continue as the original. */
TEST_EACH(copies_continue, 2) {
    static unsigned char bytes[1 << 20];
    size_t needed, n;
    tvgp_query q[2];
    const char *name = _i ? "w-sparq-gp-ucb" : "sparq-gp-ucb", *options = "side.divergence=0.05 kdpp.steps=-1";
    tvgp_policy *p = create(name, options), *copies[2];
    for (int t = 1; t <= 6; t++)
        play_step(p, t, 1);
    *q = harness_ask(p, 7);
    ASSERT_OK(tvgp_policy_tell_value(p, q->id, own_value(q->arm, 7)));
    ASSERT_OK(tvgp_policy_ask(p, 7, 2, q, NULL, &n)); /* the first of a round */
    ck_assert(n == 2 && q->kind == TVGP_SIDE);
    copies[0] = MAKE_POLICY(tvgp_policy_clone, p);
    copies[1] = create(name, options);
    ASSERT_OK(tvgp_policy_save(p, sizeof bytes, bytes, &needed));
    ASSERT_OK(tvgp_policy_load(copies[1], needed, bytes));
    for (size_t i = 0; i < 2; i++) {
        ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, 0.5));
        ASSERT_OK(tvgp_policy_tell_value(copies[0], q[i].id, 0.5));
        ASSERT_OK(tvgp_policy_tell_value(copies[1], q[i].id, 0.5));
    }
    for (int t = 8; t <= 12; t++) {
        const step original = play_step(p, t, 1);
        for (size_t i = 0; i < 2; i++) {
            const step copy = play_step(copies[i], t, 1);
            ck_assert_int_eq(copy.action, original.action);
            ck_assert_double_eq(copy.score, original.score);
            ck_assert_uint_eq(copy.round, original.round);
        }
    }
}

TEST(bounds_of_the_options) {
    tvgp_policy *p = create("sparq-gp-ucb", "side.divergence=0.2 side.action_exponent=0.2499");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "side.divergence", 0.21), "side.divergence", "0.2");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "side.divergence", -0.1), "side.divergence");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "side.action_exponent", 0.25), "side.action_exponent");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_f64(p, "side.action_exponent", 0), "side.action_exponent");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_set_i64(p, "kdpp.steps", -2), "kdpp.steps");
    ASSERT_OK(tvgp_policy_set(p, "kdpp.steps=-1 noise=0"));
    tvgp_query q;
    size_t n;
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask(p, 1, 1, &q, NULL, &n), "kdpp.steps", "noise");
    p = create("w-sparq-gp-ucb", "side.divergence=0.2");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_str(p, "side.action_outcomes", "log"), "side.action_outcomes");
}

HARNESS_MAIN("side_query_rules")
