/* SPDX-License-Identifier: MIT */
/* A model from a log (history/): tables, periods, levels, profiles, forecasts and what is left, against the numbers of an
 * independent program; what a log means does not depend on units, on the order of arms or of records. */
#include "csv.h"
#include "golden/golden_history.h"
#include "harness.h"
#include "parts/history/fitted_history.h"
#include "parts/history/forecast_error_covariance.h"
#include "parts/history/level_changes.h"
#include "parts/history/model_selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = GOLDEN_HISTORY_ROWS, ARMS = GOLDEN_HISTORY_ARMS, GRID = 54, LEARN = 504 };

static tvgp__history_table_record record[700 * GRID];

static double value(size_t t, size_t i) {
    const double pi = 3.14159265358979323846, a = (double)i, b = (double)t;
    return 0.3 * a + sin(2 * pi * (double)(t % 6) / 6 + a) + 0.1 * ((double)((7 * t + 3 * i) % 11) - 5) / 5 +
           0.02 * a * b / 6;
}

static size_t golden_log(void) {
    size_t n = 0;
    for (size_t t = 0; t < ROWS; t++)
        for (size_t i = 0; i < ARMS; i++)
            if (!(t == 3 && i == 1) && !(t == 17 && i == 4) && !(t == 18 && i == 0))
                record[n++] = (tvgp__history_table_record){(double)t, value(t, i), i};
    return n;
}

/* The table as it is, for numbers that were not standardised. */
static tvgp__history_table plain_table(size_t arms, size_t n) {
    tvgp__history_table s;
    ASSERT_OK(tvgp__history_table_new(ctx, arms, n, record, &s));
    for (size_t i = 0; i < s.n * arms; i++)
        s.y[i] = (s.y[i] * s.sd + s.mean) * s.is[i];
    return s;
}

static const tvgp__cycle six = {.phases = 6, .slots = 6};

static double explained(const tvgp__history_table *s, size_t period) {
    const tvgp__cycle c = {.phases = period, .slots = (double)period};
    uint32_t *phase = calloc(s->n, sizeof *phase);
    double *sums = calloc(3 * period * s->arms, sizeof *sums), *mean = calloc(2 * s->arms, sizeof *mean);
    double *centred = calloc(s->n * s->arms, sizeof *centred);
    tvgp__season_profile_centre(&(tvgp__kernel_rows_of){s->n, s->arms, s->y, s->is}, mean, centred);
    tvgp__period_search_phases(s, &c, phase);
    const double share =
        tvgp__period_search_explained(&c, phase, &(tvgp__kernel_rows_of){s->n, s->arms, centred, s->is}, sums);
    free(phase), free(sums), free(mean), free(centred);
    return share;
}

TEST(golden_periods) {
    tvgp__history_table s = plain_table(ARMS, golden_log());
    tvgp__period_search found;
    ASSERT_ALL_NEAR(ARMS, s.y, golden_history_row, 1e-12);
    ck_assert_uint_eq(s.n, ROWS);
    ck_assert_uint_eq(s.cells, ROWS * ARMS - 3);
    for (size_t P = 2; P <= 12; P++)
        ASSERT_NEAR(explained(&s, P), golden_history_explained[P - 2], 1e-9);
    ASSERT_OK(tvgp__period_search_find(&s, 0, NULL, &found));
    ck_assert_uint_eq(found.n, 1);
    ck_assert_uint_eq(found.cycle[0].phases, 6);
    tvgp__history_table_free(&s);
}

TEST(golden_fits) {
    tvgp__history_table s = plain_table(ARMS, golden_log());
    const tvgp__kernel_rows_of rows = {s.n, ARMS, s.y, s.is};
    const tvgp__period_search periods = {1, {six}};
    double work[4 * ARMS + ROWS + 12], level[ARMS], T[6 * ARMS], centred[ROWS * ARMS];
    uint32_t phase[ROWS];
    tvgp__season_profile_sums sums[6 * (ARMS + 1)];
    tvgp__season_profile_level(&rows, INFINITY, work, level);
    ASSERT_ALL_NEAR(ARMS, level, golden_history_level_inf, 1e-9);
    tvgp__season_profile_level(&rows, 4, work, level);
    ASSERT_ALL_NEAR(ARMS, level, golden_history_level_4, 1e-9);
    tvgp__period_search_phases(&s, &six, phase);
    tvgp__season_profile_centre(&rows, work, centred);
    const tvgp__kernel_rows_of rest = {s.n, ARMS, centred, s.is};
    for (int way = 0; way < 2; way++) {
        tvgp__season_profile_fit(&six, phase, &rest, way ? 3 : INFINITY, sums, work, T);
        for (size_t p = 0; p < 6; p++)
            for (size_t i = 0; i < ARMS; i++)
                ASSERT_NEAR(T[p * ARMS + i], (way ? golden_history_profile_3 : golden_history_profile_inf)[p][i], 1e-9);
    }
    ASSERT_OK(tvgp__model_selection_fit(&s, &periods, &(tvgp__structure){1, INFINITY, 6}, level, T));
    for (size_t t = ROWS; t < ROWS + 6; t++)
        for (size_t i = 0; i < ARMS; i++)
            ASSERT_NEAR(level[i] + T[t % 6 * ARMS + i], golden_history_mean[t - ROWS][i], 1e-9);
    tvgp__history_table_free(&s);
}

/* The covariance of what a structure leaves. */
static void covariance(const tvgp__history_table *s, const tvgp__period_search *periods, const tvgp__structure *structure,
                       double *K) {
    double *E = calloc(s->n * s->arms, sizeof *E), *is = calloc(s->n * s->arms, sizeof *is);
    double *level = calloc(s->arms, sizeof *level);
    int made;
    ASSERT_OK(tvgp__model_selection_errors(s, periods, structure, E, is));
    ASSERT_OK(tvgp__forecast_error_covariance(s, E, is, level, NULL, K, &made));
    ck_assert_int_eq(made, 1);
    free(E), free(is), free(level);
}

TEST(golden_choice) {
    tvgp__history_table s = plain_table(ARMS, golden_log());
    const tvgp__period_search periods = {1, {six}};
    tvgp__model_selection f;
    double K[ARMS * ARMS];
    ASSERT_OK(tvgp__model_selection_choose(&s, &periods, &f));
    ck_assert_uint_eq(f.n, GOLDEN_HISTORY_CANDIDATES);
    for (size_t i = 0; i < f.n; i++)
        ASSERT_NEAR(f.score[i].apart, golden_history_scores[i], 1e-9);
    const tvgp__structure *chosen = &f.candidate[f.chosen];
    ck_assert_uint_eq(chosen->periods, 1);
    ck_assert_double_eq(chosen->s, 3);
    ck_assert_double_eq(chosen->tau, 18);
    covariance(&s, &periods, chosen, K);
    for (size_t a = 0; a < ARMS; a++)
        for (size_t b = 0; b < ARMS; b++)
            ASSERT_NEAR(K[a * ARMS + b], golden_history_kernel[a][b], 1e-9);
    tvgp__history_table_free(&s);
}

/* ---- hourly demand ---------------------------------------------------------------------------------------------- */

static size_t read_grid(size_t rows) {
    readings csv;
    char why[256];
    size_t n = 0;
    ck_assert_msg(!csv_read(EXAMPLES_DATA "/grid_demand.csv", &csv, why, sizeof why), "%s", why);
    ck_assert_uint_eq(csv.n_arms, GRID);
    for (size_t t = 0; t < rows; t++)
        for (size_t i = 0; i < GRID; i++)
            record[n++] = (tvgp__history_table_record){(double)t, csv.value[t * GRID + i], i};
    readings_free(&csv);
    return n;
}

TEST(golden_grid) {
    tvgp__history_table s;
    tvgp__period_search periods;
    tvgp__model_selection f;
    static double T[24 * GRID], K[GRID * GRID];
    double level[GRID], trace = 0, sum = 0;
    ASSERT_OK(tvgp__history_table_new(ctx, GRID, read_grid(LEARN), record, &s));
    ASSERT_NEAR(s.mean, golden_grid_mean, 1e-9);
    ASSERT_NEAR(s.sd, golden_grid_sd, 1e-9);
    ASSERT_NEAR(explained(&s, 24), golden_grid_explained_24, 1e-9);
    ASSERT_NEAR(explained(&s, 23), golden_grid_explained_23, 1e-9);
    ASSERT_NEAR(explained(&s, 48), golden_grid_explained_48, 1e-9);
    ASSERT_NEAR(explained(&s, 168), golden_grid_explained_168, 1e-9);
    ASSERT_OK(tvgp__period_search_find(&s, 0, NULL, &periods));
    ck_assert_uint_eq(periods.n, 1);
    ck_assert_uint_eq(periods.cycle[0].phases, 24);
    ASSERT_OK(tvgp__model_selection_choose(&s, &periods, &f));
    for (size_t i = 0; i < 18; i++)
        ASSERT_NEAR(f.score[i].apart / golden_grid_scores[i], 1, 1e-9);
    const tvgp__structure *chosen = &f.candidate[f.chosen];
    ck_assert_uint_eq(chosen->periods, 1);
    ck_assert_double_eq(chosen->s, 3);
    ck_assert_double_eq(chosen->tau, 4);
    ASSERT_OK(tvgp__model_selection_fit(&s, &periods, chosen, level, T));
    for (size_t i = 0; i < GRID; i++) {
        ASSERT_NEAR(level[i] + T[504 % 24 * GRID + i], golden_grid_mean_504[i], 1e-9);
        ASSERT_NEAR(level[i] + T[515 % 24 * GRID + i], golden_grid_mean_515[i], 1e-9);
    }
    covariance(&s, &periods, chosen, K);
    for (size_t i = 0; i < GRID * GRID; i++) {
        trace += i % (GRID + 1) == 0 ? K[i] : 0;
        sum += K[i];
    }
    ASSERT_ALL_NEAR(GRID, K, golden_grid_K_row0, 1e-9);
    ASSERT_NEAR(trace, golden_grid_trace, 1e-9);
    ASSERT_NEAR(sum, golden_grid_sum, 1e-9);
    tvgp__history_table_free(&s);
}

/* ---- periods of worlds that have one, and of others -------------------------------------------------------------- */

enum { LONG = 300, WIDE = 40, DAY = 24, SEEDS = 20 };
enum { WALK, WHITE, BLANKS, DRIFT_003, DRIFT_03, DRIFT_3, QUIET_WORLDS, COMMON = QUIET_WORLDS, OPPOSITE, WORLDS };

/* Normal numbers that neighbouring arms have in common. */
static void draw_neighbours(struct rnd *r, double g[WIDE]) {
    double white[WIDE + 4];
    for (size_t a = 0; a < WIDE + 4; a++)
        white[a] = rnd_normal(r);
    for (size_t a = 0; a < WIDE; a++)
        g[a] = (white[a] + white[a + 1] + white[a + 2] + white[a + 3] + white[a + 4]) / sqrt(5);
}

/* LONG rows of WIDE arms. */
static size_t draw_world(int world, uint64_t seed) {
    static const double epsilon[WORLDS] = {[DRIFT_003] = 0.003, [DRIFT_03] = 0.03, [DRIFT_3] = 0.3};
    const double eps = epsilon[world], pi = 3.14159265358979323846;
    struct rnd r = {seed};
    double f[WIDE], g[WIDE];
    size_t n = 0;
    draw_neighbours(&r, f);
    for (size_t t = 0; t < LONG; t++) {
        draw_neighbours(&r, g);
        for (size_t a = 0; a < WIDE; a++) {
            const double swing = 0.7 * sin(2 * pi * (double)(t % DAY) / DAY + (world == OPPOSITE && a % 2 ? pi : 0));
            f[a] = eps > 0 ? sqrt(1 - eps) * f[a] + sqrt(eps) * g[a] : world == WALK ? f[a] + g[a] : rnd_normal(&r);
            if (world != BLANKS || rnd_uniform(&r) > 0.4)
                record[n++] = (tvgp__history_table_record){(double)t, f[a] + (world >= QUIET_WORLDS ? swing : 0), a};
        }
    }
    return n;
}

/* What does not repeat has no period, whatever it is. */
/* The ratio of an analysis of variance by its definition: means of blocks (the last: of all) first, then squares. */
static double ratio_of(const tvgp__history_table *s) {
    double between = 0, within = 0, blocks = 0, values = 0;
    for (size_t a = 0; a < s->arms; a++) {
        double n[6] = {0}, sum[6] = {0};
        for (size_t i = 0; i < 2 * s->n; i++) {
            const size_t r = i % s->n, b = r * 5 / s->n;
            double y = s->y[r * s->arms + a], row = 0, cells = 0;
            for (size_t k = 0; k < s->arms; k++) {
                row += s->y[r * s->arms + k];
                cells += s->is[r * s->arms + k];
            }
            y -= row / cells;
            for (size_t k = b; k < 6 && i < s->n; k += 5 - b) {
                n[k] += s->is[r * s->arms + a];
                sum[k] += s->is[r * s->arms + a] * y;
            }
            if (i >= s->n && s->is[r * s->arms + a] > 0) {
                within += pow(y - sum[b] / n[b], 2);
                between += pow(sum[b] / n[b] - sum[5] / n[5], 2);
            }
        }
        blocks += 5 - 1;
        values += n[5] - 5;
    }
    return between / blocks / (within / values);
}

TEST(level_changes) {
    double ratio;
    tvgp__history_table s = plain_table(ARMS, golden_log());
    ASSERT_OK(tvgp__level_changes_ratio(&s, &ratio));
    ASSERT_NEAR(ratio, ratio_of(&s), 1e-9 * ratio);
    tvgp__history_table_free(&s);
    struct rnd r = {7};
    for (int changes = 0; changes < 2; changes++) {
        for (size_t i = 0; i < 100 * ARMS; i++)
            record[i] = (tvgp__history_table_record){(double)(i / ARMS), (double)(i % ARMS) + 2 * rnd_normal(&r), i % ARMS};
        for (size_t i = 0; i < 100 * ARMS && changes; i++)
            record[i].y += 4 * sin((double)(i / (20 * ARMS) * 7 + 3 * record[i].arm));
        ASSERT_OK(tvgp__history_table_new(ctx, ARMS, 100 * ARMS, record, &s));
        ASSERT_OK(tvgp__level_changes_ratio(&s, &ratio));
        ASSERT_NEAR(ratio, ratio_of(&s), 1e-9 * ratio);
        ck_assert(changes ? ratio > 3 : ratio > 0.4 && ratio < 2);
        tvgp__history_table_free(&s);
    }
    s = plain_table(ARMS, ARMS); /* one row */
    ASSERT_OK(tvgp__level_changes_ratio(&s, &ratio));
    ck_assert_double_eq(ratio, 0);
    tvgp__history_table_free(&s);
}

TEST_EACH(no_period, QUIET_WORLDS) {
    size_t none = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        tvgp__history_table s;
        tvgp__period_search found;
        ASSERT_OK(tvgp__history_table_new(ctx, WIDE, draw_world(_i, seed), record, &s));
        ASSERT_OK(tvgp__period_search_find(&s, 0, NULL, &found));
        none += found.n == 0;
        tvgp__history_table_free(&s);
    }
    ck_assert_uint_ge(none, SEEDS - 1);
}

/* A day of 0.7 standard deviations is found; where all arms share it, it is in what they share. */
TEST_WHERE(one_period, WORLDS, _i >= QUIET_WORLDS) {
    static double T[DAY * WIDE], centred[LONG * WIDE];
    double work[2 * WIDE + 2 * DAY], share = 0, all = 0;
    static tvgp__season_profile_sums sums[DAY * (WIDE + 1)];
    uint32_t phase[LONG];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        tvgp__history_table s;
        tvgp__period_search found;
        ASSERT_OK(tvgp__history_table_new(ctx, WIDE, draw_world(_i, seed), record, &s));
        ASSERT_OK(tvgp__period_search_find(&s, 0, NULL, &found));
        ck_assert_uint_eq(found.n, 1);
        ck_assert_uint_eq(found.cycle[0].phases, DAY);
        const tvgp__kernel_rows_of rows = {s.n, WIDE, s.y, s.is}, rest = {s.n, WIDE, centred, s.is};
        tvgp__season_profile_centre(&rows, work, centred);
        tvgp__period_search_phases(&s, &found.cycle[0], phase);
        tvgp__season_profile_fit(&found.cycle[0], phase, &rest, INFINITY, sums, work, T);
        for (size_t p = 0; p < DAY; p++) {
            double c = 0;
            for (size_t a = 0; a < WIDE; a++)
                c += T[p * WIDE + a] / WIDE;
            share += WIDE * c * c;
            for (size_t a = 0; a < WIDE; a++)
                all += T[p * WIDE + a] * T[p * WIDE + a];
        }
        tvgp__history_table_free(&s);
    }
    if (_i == COMMON)
        ck_assert_double_gt(share, 0.95 * all);
    else
        ck_assert_double_lt(share, 0.05 * all);
}

/* Arms in another order: everything in that order. */
TEST_EACH(columns_permuted, WORLDS) {
    tvgp__fitted_history past, other;
    double mean[WIDE], mean_other[WIDE];
    for (size_t turn = 0; turn < 2; turn++) {
        const size_t n = draw_world(_i, 1);
        for (size_t i = 0; i < n && turn; i++)
            record[i].arm = record[i].arm * 7 % WIDE;
        ASSERT_OK(
            tvgp__fitted_history_learn(ctx, &(tvgp__fitted_history_spec){.arms = WIDE}, n, record, turn ? &other : &past));
    }
    ck_assert_uint_eq(past.structure.periods, other.structure.periods);
    ck_assert_double_eq(past.structure.s, other.structure.s);
    ck_assert_double_eq(past.structure.tau, other.structure.tau);
    ASSERT_NEAR(past.error, other.error, 1e-9);
    for (size_t t = LONG; t < LONG + DAY; t++) {
        tvgp__fitted_history_means(&past, (double)t, mean);
        tvgp__fitted_history_means(&other, (double)t, mean_other);
        for (size_t a = 0; a < WIDE; a++)
            ASSERT_NEAR(mean[a], mean_other[a * 7 % WIDE], 1e-9);
    }
    for (size_t a = 0; a < WIDE; a++)
        for (size_t b = 0; b < WIDE; b++)
            ASSERT_NEAR(past.K[a * WIDE + b], other.K[a * 7 % WIDE * WIDE + b * 7 % WIDE], 1e-9);
    tvgp__fitted_history_free(&past);
    tvgp__fitted_history_free(&other);
}

/* ---- edges -------------------------------------------------------------------------------------------------------- */

/* Values that are equal up to rounding have no spread to be divided by. */
TEST(constant_log) {
    tvgp__history_table s;
    for (size_t t = 0; t < 20; t++)
        record[t] = (tvgp__history_table_record){(double)t, t % 2 ? 0.3 : 0.1 + 0.2, 0};
    ck_assert(record[0].y != record[1].y);
    ASSERT_OK(tvgp__history_table_new(ctx, 1, 20, record, &s));
    ck_assert_double_eq(s.sd, 1);
    for (size_t t = 0; t < 20; t++)
        ck_assert_double_lt(fabs(s.y[t]), 1e-15);
    tvgp__history_table_free(&s);
}

/* Phases go on backwards before row 0, and so does the mean. */
TEST(before_the_log) {
    tvgp__fitted_history past;
    double mean[ARMS], later[ARMS];
    for (int64_t row = -13; row < 13; row++)
        ck_assert_uint_eq(tvgp__season_profile_phase(&six, row, 0), (size_t)(row + 18) % 6);
    ASSERT_OK(tvgp__fitted_history_learn(ctx, &(tvgp__fitted_history_spec){.arms = ARMS}, golden_log(), record, &past));
    ck_assert_uint_eq(past.structure.periods, 1);
    for (int t = -13; t < 0; t++) {
        tvgp__fitted_history_means(&past, t, mean);
        tvgp__fitted_history_means(&past, t + 18, later);
        for (size_t a = 0; a < ARMS; a++) {
            ck_assert_double_eq(mean[a], later[a]);
            ck_assert_double_eq(mean[a], tvgp__fitted_history_mean(&past, a, t));
        }
    }
    tvgp__fitted_history_free(&past);
}

/* A time at the edge of a bin is in that bin, although its quotient by the period is rounded. */
TEST(edges_of_bins) {
    const tvgp__cycle week = {.phases = 7, .time = 0.7, .slots = 7};
    size_t below = 0;
    for (int64_t row = -700; row < 700; row++) {
        const double t = (double)row * 0.1, turns = t / week.time;
        below += (size_t)((turns - floor(turns)) * 7) != (size_t)(row + 700) % 7;
        ck_assert_uint_eq(tvgp__season_profile_phase(&week, row, t), (size_t)(row + 700) % 7);
    }
    ck_assert_uint_gt(below, 0);
}

/* A longer period has to explain 0.002 more: a season of 6 with a small part of period 12 is one of 6, and then one of 12. */
TEST_EACH(least_gain, 2) {
    static const double part[2] = {0.02, 0.1}; /* 0.0008 and 0.02 of the variance */
    tvgp__history_table s;
    tvgp__period_search found;
    for (size_t t = 0; t < 120; t++) {
        const double season = sin(2 * 3.14159265358979323846 * (double)(t % 6) / 6);
        record[t] = (tvgp__history_table_record){(double)t, season + (t / 6 % 2 ? part[_i] : -part[_i]), 0};
    }
    ASSERT_OK(tvgp__history_table_new(ctx, 1, 120, record, &s));
    ASSERT_OK(tvgp__period_search_find(&s, 0, NULL, &found));
    ck_assert_uint_eq(found.cycle[0].phases, _i ? 12 : 6);
    if (!_i)
        ck_assert_uint_eq(found.cycle[1].phases, 12);
    tvgp__history_table_free(&s);
}

/* Of more than 4096 rows only peaks of the autocorrelation are examined, of the sum of the arms and of the eight arms that vary
 * most. Here a season of 7 is in other arms, and cancels in the sum: the best period is not found. */
TEST(many_rows) {
    enum { WIDTH = 10, NOISY = 8, MANY_ROWS = 4400 };
    tvgp__history_table_record *log = malloc(sizeof *log * MANY_ROWS * WIDTH);
    struct rnd r = {5};
    tvgp__history_table s;
    tvgp__period_search found;
    for (size_t i = 0; i < MANY_ROWS * WIDTH; i++) {
        const size_t t = i / WIDTH, a = i % WIDTH;
        const double season = sin(2 * 3.14159265358979323846 * (double)(t % 7) / 7);
        const double y = a < NOISY ? rnd_normal(&r) : (a % 2 ? season : -season) + 0.5 * rnd_normal(&r);
        log[i] = (tvgp__history_table_record){(double)t, y, a};
    }
    ASSERT_OK(tvgp__history_table_new(ctx, WIDTH, MANY_ROWS * WIDTH, log, &s));
    ASSERT_OK(tvgp__period_search_find(&s, 0, NULL, &found));
    const double most = explained(&s, 7);
    ck_assert_double_gt(most, 0.05);
    ck_assert(!found.n || explained(&s, found.cycle[0].phases) < most - 0.002);
    tvgp__history_table_free(&s);
    free(log);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Mean at the next rows from sums that later rows joined, and from a fit to all rows. */
TEST(sums_equal_relearning) {
    enum { MORE = 100, ALL = LEARN + MORE };
    tvgp__fitted_history past;
    tvgp__history_table s;
    static double T[24 * GRID];
    double level[GRID], mean[GRID];
    const size_t all = read_grid(ALL), learned = LEARN * GRID;
    ASSERT_OK(tvgp__fitted_history_learn(ctx, &(tvgp__fitted_history_spec){.arms = GRID}, learned, record, &past));
    ck_assert_uint_eq(past.structure.periods, 1);
    for (size_t more = 0; more <= MORE; more += 25) {
        ASSERT_OK(tvgp__history_table_new(ctx, GRID, learned + more * GRID, record, &s));
        for (size_t i = 0; i < s.n * GRID; i++)
            s.y[i] = (s.y[i] * s.sd + s.mean - past.mean) / past.sd;
        ASSERT_OK(tvgp__model_selection_fit(&s, &past.periods, &past.structure, level, T));
        for (size_t t = LEARN + more; t < LEARN + more + 24; t++) {
            tvgp__fitted_history_means(&past, (double)t, mean);
            for (size_t i = 0; i < GRID; i++) {
                ASSERT_NEAR(mean[i], past.mean + past.sd * (level[i] + T[t % 24 * GRID + i]), 1e-9);
                ck_assert_double_eq(mean[i], tvgp__fitted_history_mean(&past, i, (double)t));
            }
        }
        tvgp__history_table_free(&s);
        for (size_t t = LEARN + more; t < LEARN + more + 25 && more < MORE; t++) {
            double row[GRID];
            for (size_t i = 0; i < GRID; i++)
                row[i] = record[t * GRID + i].y;
            tvgp__fitted_history_join(&past, (double)t, row);
        }
        tvgp__fitted_history_refit(&past);
    }
    ck_assert_uint_eq(all, ALL * GRID);
    tvgp__fitted_history_free(&past);
}

/* The same of several periods, which are solved one after the other: two that are there, and what else is found. */
TEST(sums_of_several_periods) {
    enum { FEW = 6, FIRST = 252, ALL = 432, SHORT = 7, OTHER = 18 };
    tvgp__fitted_history past;
    static double T[3 * FIRST * FEW];
    double level[FEW], mean[FEW], foreseen[FEW];
    struct rnd r = {11};
    for (size_t i = 0; i < ALL * FEW; i++) {
        const size_t t = i / FEW, a = i % FEW;
        const double pi = 3.14159265358979323846, drift = t > 300 ? 2 : 1; /* what was learned changes later */
        record[i] = (tvgp__history_table_record){(double)t,
                                                 drift * sin(2 * pi * (double)(t % SHORT) / SHORT + (double)a) +
                                                     cos(2 * pi * (double)(t % OTHER) / OTHER + 0.5 * (double)(a * a)) +
                                                     0.1 * rnd_normal(&r),
                                                 a};
    }
    ASSERT_OK(tvgp__fitted_history_learn(ctx, &(tvgp__fitted_history_spec){.arms = FEW}, FIRST * FEW, record, &past));
    ck_assert_uint_ge(past.structure.periods, 2);
    ck_assert_uint_ge(past.joint.n, SHORT * OTHER);
    for (size_t rows = FIRST; rows <= ALL; rows += 45) {
        tvgp__history_table s;
        ASSERT_OK(tvgp__history_table_new(ctx, FEW, rows * FEW, record, &s));
        for (size_t i = 0; i < s.n * FEW; i++)
            s.y[i] = (s.y[i] * s.sd + s.mean - past.mean) / past.sd;
        ASSERT_OK(tvgp__model_selection_fit(&s, &past.periods, &past.structure, level, T));
        for (size_t t = rows; t < rows + SHORT * OTHER; t++) {
            const double *season = T;
            tvgp__fitted_history_means(&past, (double)t, mean);
            for (size_t k = 0; k < past.structure.periods; k++) {
                const size_t phases = past.periods.cycle[k].phases;
                for (size_t i = 0; i < FEW; i++)
                    foreseen[i] = (k ? foreseen[i] : level[i]) + season[t % phases * FEW + i];
                season += phases * FEW;
            }
            for (size_t i = 0; i < FEW; i++)
                ASSERT_NEAR(mean[i], past.mean + past.sd * foreseen[i], 1e-9);
        }
        tvgp__history_table_free(&s);
        for (size_t t = rows; t < rows + 45 && rows < ALL; t++) {
            double row[FEW];
            for (size_t i = 0; i < FEW; i++)
                row[i] = record[t * FEW + i].y;
            tvgp__fitted_history_join(&past, (double)t, row);
        }
        tvgp__fitted_history_refit(&past);
    }
    tvgp__fitted_history_free(&past);
}

int main(void) {
    golden_read_history();
    return HARNESS_RUN("history", harness_setup, harness_teardown);
}
