/* SPDX-License-Identifier: MIT */
/* The problems of the drift benchmark (bench/zoo.h): the same for every caller and in any order; what is said of a truth
 * holds of it; outcomes have the mean and the variance they should have; one run of each family is played. */
#define _POSIX_C_SOURCE 200809L /* setenv, strdup */
#include "../bench/zoo/play.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tvgp_zoo_problem *open_problem(const char *name, const char *set, uint64_t seed) {
    char message[400] = "";
    tvgp_zoo_problem *p;
    const tvgp_status status = tvgp_zoo_open(ctx, name, set, seed, &p, message, sizeof message);
    ck_assert_msg(status == TVGP_OK, "%s %s: %s", name, set, message);
    return p;
}

static tvgp_zoo_info info_of(const tvgp_zoo_problem *p) {
    tvgp_zoo_info info;
    ASSERT_OK(tvgp_zoo_info_of(p, &info));
    return info;
}

static double value_of(tvgp_zoo_problem *p, size_t step, int64_t arm) {
    double value;
    ASSERT_OK(tvgp_zoo_value(p, step, arm, NULL, &value, NULL, NULL));
    return value;
}

/* ---- every problem ------------------------------------------------------------------------------------------------ */

/* What is asked at a step: an arm that is there, on a box some point. */
static int64_t some_arm(const tvgp_zoo_problem *p, const tvgp_zoo_info *info, size_t step, double *x) {
    uint8_t mask[200];
    double t;
    ASSERT_OK(tvgp_zoo_step(p, step, &t, mask));
    for (size_t d = 0; d < info->dim && d < 16; d++)
        x[d] = fmod(0.37 * (double)(step + d), 1);
    for (size_t i = 0; i < info->arms; i++)
        if (mask[(i + step) % info->arms])
            return (int64_t)((i + step) % info->arms);
    ck_assert_msg(info->arms == 0, "%s: no arm at step %zu", info->name, step);
    return -1;
}

/* Two handles, one asked backwards: the same outcomes, values, arrivals. */
static void compare_orders(tvgp_zoo_problem *a, tvgp_zoo_problem *b) {
    const tvgp_zoo_info info = info_of(a);
    enum { LOOKS = 25 };
    double y[LOOKS], value[LOOKS], x[16];
    size_t due[LOOKS];
    for (size_t k = 0; k < LOOKS; k++) {
        const size_t step = k * (info.steps - 1) / (LOOKS - 1);
        double best, uniform;
        const int64_t arm = some_arm(a, &info, step, x);
        ASSERT_OK(tvgp_zoo_answer(a, step, arm, x, &y[k], &due[k]));
        ASSERT_OK(tvgp_zoo_value(a, step, arm, x, &value[k], &best, &uniform));
        ck_assert_msg(isfinite(y[k]) && value[k] <= best && uniform <= best + 1e-12 && due[k] >= step, "%s at %zu",
                      info.name, step);
    }
    for (size_t k = LOOKS; k-- > 0;) {
        const size_t step = k * (info.steps - 1) / (LOOKS - 1);
        double again, same;
        size_t then;
        const int64_t arm = some_arm(b, &info, step, x);
        ASSERT_OK(tvgp_zoo_value(b, step, arm, x, &same, NULL, NULL));
        ASSERT_OK(tvgp_zoo_answer(b, step, arm, x, &again, &then));
        ck_assert_msg(again == y[k] && same == value[k] && then == due[k], "%s at %zu", info.name, step);
    }
}

/* Recorded data that do not come with the library may not be here: then that is said. */
static int is_missing(const char *name) {
    char message[400] = "";
    tvgp_zoo_problem *p = NULL;
    const tvgp_status status = tvgp_zoo_open(ctx, name, "small", 1, &p, message, sizeof message);
    tvgp_zoo_close(p);
    ck_assert_msg(status == TVGP_OK || (status == TVGP_ERR_NOTFOUND && strstr(message, "TVGP_DATA_DIR")), "%s: %s", name,
                  message);
    return status != TVGP_OK;
}

/* Where the directory has no data the four tables that do not come along are missed, and the others are there. */
TEST(records) {
    static const char *const away[] = {"intel-sensors", "pems-traffic", "us-stocks", "berkeley-temperatures",
                                       "berkeley-temperatures-expert"};
    char *before = getenv("TVGP_DATA_DIR") ? strdup(getenv("TVGP_DATA_DIR")) : NULL;
    ck_assert_int_eq(setenv("TVGP_DATA_DIR", "/nowhere", 1), 0);
    for (size_t i = 0; i < sizeof away / sizeof *away; i++)
        ck_assert_msg(is_missing(away[i]), "%s", away[i]);
    ck_assert(!is_missing("ozone") && !is_missing("grid-demand"));
    ck_assert_int_eq(before ? setenv("TVGP_DATA_DIR", before, 1) : unsetenv("TVGP_DATA_DIR"), 0);
    free(before);
    tvgp_zoo_problem *p = open_problem("grid-demand", "small", 1);
    const tvgp_zoo_info info = info_of(p);
    ck_assert(info.steps == 168 && info.arms == 54 && info.period == 24);
    tvgp_zoo_close(p);
    p = open_problem("grid-demand", "hard", 1);
    ck_assert(info_of(p).arms == 38 && info_of(p).noise == 0.25);
    tvgp_zoo_close(p);
}

TEST(any_order) {
    static const char *const sizes[] = {"small", "middle", "hard"};
    size_t n;
    ASSERT_OK(tvgp_zoo_count(&n));
    ck_assert_uint_ge(n, 40);
    for (size_t i = 0; i < n; i++) {
        const char *name, *family, *doc;
        ASSERT_OK(tvgp_zoo_name_at(i, &name, &family, &doc));
        const char *set = !strcmp(family, "long") ? "steps=1000" : sizes[i % 3];
        tvgp_zoo_problem *a, *b;
        if (is_missing(name) || !harness_turn((int)i, 1))
            continue;
        a = open_problem(name, set, 5);
        b = open_problem(name, set, 5);
        compare_orders(a, b);
        tvgp_zoo_close(a);
        tvgp_zoo_close(b);
    }
}

/* Best and mean over the arms that are there. */
TEST(best_and_uniform) {
    static const char *const names[] = {"ou", "lists", "come-and-go", "hills", "ozone", "unit"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        tvgp_zoo_problem *p = open_problem(names[k], "hard", 2);
        const tvgp_zoo_info info = info_of(p);
        for (size_t step = 0; step < info.steps; step += 7) {
            uint8_t mask[200];
            double t, top = -INFINITY, sum = 0, there = 0, best = 0, uniform = 0;
            ASSERT_OK(tvgp_zoo_step(p, step, &t, mask));
            for (size_t i = 0; i < info.arms; i++) {
                if (!mask[i])
                    continue;
                double value;
                ASSERT_OK(tvgp_zoo_value(p, step, (int64_t)i, NULL, &value, &best, &uniform));
                top = fmax(top, value);
                sum += value;
                there++;
            }
            ck_assert(there > 0 && best == top);
            ASSERT_NEAR(uniform, sum / there, 1e-12);
        }
        tvgp_zoo_close(p);
    }
}

/* ---- drift models ----------------------------------------------------------------------------------------------- */

/* Correlation of arms over `lag` steps, mean 0 and variance 1 known, over seeds 1 .. 12. */
static double correlation(const char *name, const char *set, size_t lag, double *variance) {
    double product = 0, square = 0, n = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        tvgp_zoo_problem *p = open_problem(name, set, seed);
        const tvgp_zoo_info info = info_of(p);
        for (size_t s = 0; s + lag < info.steps; s += 3)
            for (size_t i = 0; i < info.arms; i += 9) {
                const double a = value_of(p, s, (int64_t)i), b = value_of(p, s + lag, (int64_t)i);
                product += a * b;
                square += (a * a + b * b) / 2;
                n++;
            }
        tvgp_zoo_close(p);
    }
    *variance = square / n;
    return product / square;
}

/* Wanted correlations: (1 - rate)^(lag / 2), whatever share of it comes from drawing again; Matern-3/2. Some 150 independent
 * fields: an error of .03 in the correlation is five standard errors where it is .86. */
TEST(correlations) {
    double variance;
    ASSERT_NEAR(correlation("ou", "rate=.1", 3, &variance), pow(0.9, 1.5), 0.02);
    ASSERT_NEAR(variance, 1, 0.08);
    ASSERT_NEAR(correlation("mixed", "rate=.1 share=.5", 3, &variance), pow(0.9, 1.5), 0.02);
    ASSERT_NEAR(variance, 1, 0.08);
    ASSERT_NEAR(correlation("mixed", "rate=.1 share=1", 10, &variance), pow(0.9, 5), 0.05);
    const double r = sqrt(3) * 10 / 30;
    ASSERT_NEAR(correlation("smooth", "length=30", 10, &variance), (1 + r) * exp(-r), 0.03);
    ASSERT_NEAR(variance, 1, 0.12);
}

/* It changes at that many steps, and is the same in between. */
TEST(changes) {
    static const struct {
        const char *name, *set;
        size_t changes;
    } games[] = {
        {"redrawn", "changes=6", 6}, {"jumps", "changes=4", 4}, {"parabola", "small", 2}, {"sphere", "changes=5", 5}};
    for (size_t k = 0; k < sizeof games / sizeof *games; k++) {
        tvgp_zoo_problem *p = open_problem(games[k].name, games[k].set, 4);
        const tvgp_zoo_info info = info_of(p);
        size_t changed = 0;
        for (size_t s = 1; s < info.steps; s++) {
            int other = 0;
            for (size_t i = 0; i < info.arms; i++)
                other |= value_of(p, s, (int64_t)i) != value_of(p, s - 1, (int64_t)i);
            changed += (size_t)other;
        }
        ck_assert_msg(changed == games[k].changes && info.changes == (double)changed, "%s: %zu", games[k].name, changed);
        tvgp_zoo_close(p);
    }
}

/* Told of functions of norm 2: f' K^-1 f over all arms is at most 4, and near it. With 20 centres on 100 arms K is singular; the norm
 * is that of the interpolant at every fifth arm. */
TEST(norms) {
    enum { N = 20 };
    tvgp_zoo_problem *p = open_problem("rotation", "middle", 9);
    for (size_t step = 0; step < 400; step += 133) {
        double K[N][N], f[N], norm = 0;
        for (size_t i = 0; i < N; i++) {
            f[i] = value_of(p, step, (int64_t)(5 * i));
            for (size_t j = 0; j < N; j++)
                K[i][j] = exp(-0.5 * pow(((double)i - (double)j) * 5 / 99 / 0.2, 2)) + (i == j ? 1e-9 : 0);
        }
        for (size_t j = 0; j < N; j++) { /* Gauss: the sum of squares of pivots' residuals is f'K^-1 f */
            norm += f[j] * f[j] / K[j][j];
            for (size_t i = j + 1; i < N; i++) {
                const double part = K[i][j] / K[j][j];
                f[i] -= part * f[j];
                for (size_t c = j; c < N; c++)
                    K[i][c] -= part * K[j][c];
            }
        }
        ck_assert_msg(norm < 4 * (1 + 1e-6) && norm > 3.5, "norm^2 %.12g at %zu", norm, step);
    }
    tvgp_zoo_close(p);
}

/* ---- outcomes ------------------------------------------------------------------------------------------------------ */

/* The variance of an outcome at step s about f. */
static double variance_of(const tvgp_zoo_info *info, double f) {
    if (!strcmp(info->name, "coin"))
        return f * (1 - f);
    if (!strcmp(info->name, "coins"))
        return f * (1 - f) / 20;
    return !strcmp(info->name, "counts") ? f : info->noise;
}

/* Standardised errors of arm 0 over all steps of seeds 1 .. 10; how many. */
static size_t errors_of(const char *name, const char *set, double *error, size_t room) {
    size_t n = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        tvgp_zoo_problem *p = open_problem(name, set, seed);
        const tvgp_zoo_info info = info_of(p);
        for (size_t s = 0; s < info.steps && n < room; s++) {
            double y;
            size_t due;
            const double f = value_of(p, s, 0);
            ASSERT_OK(tvgp_zoo_answer(p, s, 0, NULL, &y, &due));
            error[n++] = (y - f) / sqrt(variance_of(&info, f));
        }
        tvgp_zoo_close(p);
    }
    return n;
}

enum { ERRORS = 20000 };
static double error[ERRORS];

TEST(answers) {
    static const struct {
        const char *name, *set;
        int normal;
    } games[] = {{"ou", "noise=.5", 1},    {"coin", "mean=.3 steps=2000", 0},  {"coins", "steps=2000", 0},
                 {"counts", "level=3", 0}, {"unit", "unit=1000 noise=.02", 1}, {"temperatures", "noise=.25", 1}};
    for (size_t k = 0; k < sizeof games / sizeof *games; k++) {
        double mean = 0, square = 0, fourth = 0;
        const size_t count = errors_of(games[k].name, games[k].set, error, ERRORS);
        const double n = (double)count;
        for (size_t i = 0; i < count; i++) {
            mean += error[i] / n;
            square += error[i] * error[i] / n;
            fourth += pow(error[i], 4) / n;
        }
        ck_assert_msg(fabs(mean) < 5 / sqrt(n), "%s: mean %g of %g", games[k].name, mean, n);
        ck_assert_msg(fabs(square - 1) < 5 * sqrt((fourth - 1) / n), "%s: variance %g", games[k].name, square);
        ck_assert_msg(!games[k].normal || fabs(fourth - 3) < 5 * sqrt(96 / n), "%s: fourth %g", games[k].name, fourth);
    }
}

/* Student with 3 degrees of freedom, of variance 1: sqrt(3) times an error is within 1 in .6090 and beyond 3.1824 in .05. */
TEST(heavy_tails) {
    double within = 0, beyond = 0;
    const size_t count = errors_of("heavy", "noise=.5", error, ERRORS);
    const double n = (double)count;
    for (size_t i = 0; i < count; i++) {
        within += sqrt(3) * fabs(error[i]) < 1;
        beyond += sqrt(3) * fabs(error[i]) > 3.1824;
    }
    ck_assert_msg(fabs(within / n - 0.609) < 5 * sqrt(0.24 / n), "%g", within / n);
    ck_assert_msg(fabs(beyond / n - 0.05) < 5 * sqrt(0.05 / n), "%g", beyond / n);
}

TEST(arrivals) {
    static const struct {
        const char *name, *set;
        double mean, never;
    } games[] = {
        {"late", "delay=7", 7, 0}, {"geometric", "delay=7", 7, 0}, {"lost", "lost=.3", 0, 0.3}, {"ou", "middle", 0, 0}};
    for (size_t k = 0; k < sizeof games / sizeof *games; k++) {
        double late = 0, never = 0, n = 0;
        for (uint64_t seed = 1; seed <= 5; seed++) {
            tvgp_zoo_problem *p = open_problem(games[k].name, games[k].set, seed);
            for (size_t s = 0; s < 400; s++, n++) {
                double y;
                size_t due;
                ASSERT_OK(tvgp_zoo_answer(p, s, 3, NULL, &y, &due));
                never += due == SIZE_MAX;
                late += due == SIZE_MAX ? 0 : (double)(due - s);
            }
            tvgp_zoo_close(p);
        }
        ck_assert_msg(fabs(late / n - games[k].mean) < 0.8, "%s: %g late", games[k].name, late / n);
        ck_assert_msg(fabs(never / n - games[k].never) < 0.05, "%s: %g never", games[k].name, never / n);
    }
}

TEST(experts) {
    double y, apart = 0, n = 0;
    int known, knew = 0;
    tvgp_zoo_problem *p = open_problem("swing-expert", "expert_noise=.1 absent=.7", 1);
    for (size_t s = 0; s < 400; s++)
        for (size_t k = 0; k < 3; k++) {
            ASSERT_OK(tvgp_zoo_expert(p, s, k, (int64_t)(10 * k), NULL, &y, &known));
            knew += known;
            apart += pow(y - value_of(p, s, (int64_t)(10 * k)), 2);
            n++;
        }
    ck_assert(abs(knew - 360) < 90);
    ASSERT_NEAR(apart / n, 0.1, 0.02);
    tvgp_zoo_close(p);
    p = open_problem("ou", "small", 1);
    ck_assert_int_eq(tvgp_zoo_expert(p, 0, 0, 0, NULL, &y, &known), TVGP_ERR_UNSUPPORTED);
    tvgp_zoo_close(p);
}

/* ---- what is given, and refused ------------------------------------------------------------------------------------ */

TEST(true_hyperparameters) {
    const tvgp_kernel *kernel;
    char options[300];
    tvgp_zoo_problem *p = open_problem("ou", "rate=.05 noise=.3", 1);
    ASSERT_OK(tvgp_zoo_known(p, TVGP_ZOO_ALL, &kernel, options, sizeof options));
    ck_assert(kernel && strstr(options, "epsilon=0.05") && strstr(options, "noise=0.29999999999999999"));
    ASSERT_OK(tvgp_zoo_known(p, TVGP_ZOO_MODEL, &kernel, options, sizeof options));
    ck_assert(kernel && !strstr(options, "epsilon") && strstr(options, "noise="));
    ASSERT_OK(tvgp_zoo_known(p, TVGP_ZOO_NOTHING, &kernel, options, sizeof options));
    ck_assert(!kernel && !*options);
    ck_assert_int_eq(tvgp_zoo_known(p, TVGP_ZOO_ALL, &kernel, options, 20), TVGP_ERR_BUFFER);
    ck_assert_int_eq(tvgp_zoo_known(p, 3, &kernel, options, sizeof options), TVGP_ERR_ARG);
    tvgp_zoo_close(p);
}

TEST(refused) {
    static const struct {
        const char *name, *set, *says;
        tvgp_status status;
    } bad[] = {{"nobody", "", "redrawn", TVGP_ERR_NOTFOUND},
               {"ou", "large", "rate", TVGP_ERR_NOTFOUND},
               {"ou", "rate", "noise", TVGP_ERR_NOTFOUND},
               {"ou", "rate=.1x", "no number", TVGP_ERR_OPTION},
               {"ou", "middle rate=nan", "no number", TVGP_ERR_OPTION}};
    tvgp_zoo_problem *p;
    double y, x = 0.5;
    size_t due;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[900] = "";
        ck_assert_int_eq(tvgp_zoo_open(ctx, bad[i].name, bad[i].set, 1, &p, message, sizeof message), bad[i].status);
        ck_assert_msg(strstr(message, bad[i].says), "%s", message);
        ck_assert_int_eq(tvgp_zoo_open(ctx, bad[i].name, bad[i].set, 1, &p, NULL, 0), bad[i].status);
    }
    p = open_problem("ou", "", 1);
    ck_assert_int_eq(tvgp_zoo_answer(p, 400, 0, NULL, &y, &due), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_zoo_answer(p, 0, 100, NULL, &y, &due), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_zoo_answer(p, 0, -1, &x, &y, &due), TVGP_ERR_ARG);
    tvgp_zoo_close(p);
    p = open_problem("fields", "dim=1", 1);
    ck_assert_int_eq(tvgp_zoo_answer(p, 0, -1, NULL, &y, &due), TVGP_ERR_ARG);
    ASSERT_OK(tvgp_zoo_answer(p, 0, -1, &x, &y, &due));
    tvgp_zoo_close(p);
}

/* ---- play --------------------------------------------------------------------------------------------------------- */

/* One problem of each family, one run: uniform play gets a share of about 1, and who learns gets less; with the true
 * hyperparameters, algorithms without settings play too. */
TEST(one_run_of_each_family) {
    static const struct {
        const char *name, *set;
    } games[] = {{"ou", "small"},        {"redrawn", "small"},      {"swing", "small"},  {"day", "small"},
                 {"days", "small"},      {"swing-expert", "small"}, {"unit", "small"},   {"come-and-go", "middle"},
                 {"geometric", "small"}, {"fields", "small"},       {"ozone", "middle"}, {"long", "steps=1000"}};
    static const char *const players[] = {"auto-gp-ucb", "d-linucb", "dal", "sparq-gp-ucb side.round_exponent=1"};
    for (size_t k = 0; k < sizeof games / sizeof *games; k++) {
        tvgp_zoo_problem *p = open_problem(games[k].name, games[k].set, 1);
        zoo_stage stage;
        zoo_score random, own;
        zoo_stage_open(&stage, ctx, p, 1);
        ck_assert_int_eq(zoo_play(&stage, "uniform", TVGP_ZOO_NOTHING, &random), 0);
        ck_assert_msg(fabs(random.regret / random.uniform - 1) < 0.2, "%s: %g", games[k].name,
                      random.regret / random.uniform);
        ck_assert_int_eq(zoo_play(&stage, "auto-gp-ucb", TVGP_ZOO_NOTHING, &own), 0);
        ck_assert_msg(own.regret < 0.95 * own.uniform && own.regret > 0 && own.uniform == random.uniform, "%s: %g of %g",
                      games[k].name, own.regret, own.uniform);
        for (size_t i = 0; i < sizeof players / sizeof *players; i++)
            ck_assert_msg(zoo_play(&stage, players[i], TVGP_ZOO_MODEL, &own) == 0 && own.regret >= 0 &&
                              own.regret < 2 * own.uniform,
                          "%s plays %s", players[i], games[k].name);
        zoo_stage_close(&stage);
        tvgp_zoo_close(p);
    }
}

/* The best constant arm by brute force; an algorithm without a level does not play there. */
TEST(hindsight) {
    tvgp_zoo_problem *p = open_problem("wander", "middle", 3);
    const tvgp_zoo_info info = info_of(p);
    zoo_stage stage;
    zoo_score score;
    double most = -INFINITY, best, regret = 0;
    for (size_t i = 0; i < info.arms; i++) {
        double sum = 0;
        for (size_t s = 0; s < info.steps; s++)
            sum += value_of(p, s, (int64_t)i);
        most = fmax(most, sum);
    }
    for (size_t s = 0; s < info.steps; s++) {
        ASSERT_OK(tvgp_zoo_value(p, s, 0, NULL, NULL, &best, NULL));
        regret += best;
    }
    zoo_stage_open(&stage, ctx, p, 3);
    ck_assert_int_eq(zoo_play(&stage, "best-constant-arm", TVGP_ZOO_NOTHING, &score), 0);
    ASSERT_NEAR(score.regret, regret - most, 1e-9);
    ck_assert_int_eq(zoo_play(&stage, "best-arm-of-the-hour", TVGP_ZOO_NOTHING, &score), -1);
    ck_assert_int_eq(zoo_play(&stage, "dal", TVGP_ZOO_NOTHING, &score), -1);
    ck_assert_int_eq(zoo_play(&stage, "kalman-arms", TVGP_ZOO_MODEL, &score), -1);
    ck_assert_int_eq(zoo_play(&stage, "gp-ucb", TVGP_ZOO_ALL, &score), -1);
    ck_assert_int_eq(zoo_play(&stage, "no-such-policy", TVGP_ZOO_MODEL, &score), -1);
    zoo_stage_close(&stage);
    tvgp_zoo_close(p);
}

HARNESS_MAIN("zoo")
