/* SPDX-License-Identifier: MIT */
/* No row of a table is seen before the game; arms without a value in a row are not available in its step. */
#include "defaults_games.h"

#include "csv.h"
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double normal(game *g) {
    double z;
    experiment_check(NULL, tvgp_random_normal(g->seed, EXPERIMENT_OWN, g->drawn++, 1, &z), "random");
    return z;
}

static double uniform(game *g) {
    return 0.5 * erfc(-normal(g) / sqrt(2));
}

static double between(game *g, double low, double high) {
    return low + (high - low) * uniform(g);
}

static int happens(game *g, double p) {
    return uniform(g) < p;
}

/* A step of an Ornstein-Uhlenbeck process of variance 1. */
static void drift(game *g, double rate, double *x) {
    *x = sqrt(1 - rate) * *x + sqrt(rate) * normal(g);
}

static double student3(game *g) {
    const double a = normal(g), b = normal(g), c = normal(g);
    return normal(g) / sqrt((a * a + b * b + c * c) / 3);
}

static void room(game *g, size_t arms, size_t steps) {
    g->arms = arms;
    g->steps = steps;
    g->f = experiment_allocate(arms * steps, sizeof *g->f);
    g->y = experiment_allocate(arms * steps, sizeof *g->y);
}

enum { MOST_ARMS = 64 }; /* of problems that are drawn */

/* ---- ten problems ------------------------------------------------------------------------------------------------- */

static void latencies(game *g, double unused) {
    double x[MOST_ARMS];
    (void)unused;
    for (size_t i = 0; i < 12; i++)
        x[i] = normal(g);
    room(g, 12, 3000);
    for (size_t k = 0; k < 12 * 3000; k++) {
        drift(g, .003, &x[k % 12]);
        const double mu = 3 + .6 * x[k % 12];
        g->f[k] = -exp(mu + .32);
        g->y[k] = -exp(mu + .8 * normal(g));
    }
}

static void heavy_counts(game *g, double unused) {
    double x[MOST_ARMS], a[MOST_ARMS];
    (void)unused;
    for (size_t i = 0; i < 12; i++) {
        x[i] = normal(g);
        a[i] = normal(g);
    }
    room(g, 12, 3000);
    for (size_t k = 0; k < 12 * 3000; k++) {
        const size_t i = k % 12;
        drift(g, .001, &x[i]);
        const double p = 1 / (1 + exp(2 - .6 * x[i])), sum = 2 + .4 * a[i];
        g->f[k] = p * exp(sum + .18);
        g->y[k] = happens(g, p) * exp(sum + .6 * normal(g));
    }
}

static void trend_and_season(game *g, double unused) {
    double a[24], b[24], c[24], u[24];
    (void)unused;
    for (size_t i = 0; i < 24; i++) {
        a[i] = normal(g), b[i] = normal(g);
        c[i] = fabs(normal(g)), u[i] = uniform(g);
    }
    room(g, 24, 1500);
    for (size_t k = 0; k < 24 * 1500; k++) {
        const size_t i = k % 24;
        const double t = (double)(k / 24);
        g->f[k] = .6 * a[i] + 1.5 * b[i] * t / 1500 + .8 * sin(2 * pi * t / 48) + .7 * c[i] * sin(2 * pi * (t / 48 + u[i]));
        g->y[k] = g->f[k] + .3 * student3(g);
    }
}

static void own_day(game *g, double unused) {
    double raw[24], day[24][24], a[24], x[24];
    (void)unused;
    for (size_t i = 0; i < 24; i++) {
        a[i] = normal(g), x[i] = normal(g);
        for (size_t h = 0; h < 24; h++)
            raw[h] = normal(g);
        for (size_t h = 0; h < 24; h++)
            day[i][h] = (raw[h] + raw[(h + 1) % 24] + raw[(h + 2) % 24] + raw[(h + 22) % 24] + raw[(h + 23) % 24]) / 5;
    }
    room(g, 24, 1344);
    for (size_t k = 0; k < 24 * 1344; k++) {
        const size_t i = k % 24;
        drift(g, .02, &x[i]);
        g->f[k] = 1.5 * day[i][k / 24 % 24] + .5 * a[i] + .3 * x[i];
        g->y[k] = g->f[k] + .15 * normal(g);
    }
}

static void few_changes(game *g, double unused) {
    double a[20];
    size_t when[8];
    (void)unused;
    for (size_t i = 0; i < 20; i++)
        a[i] = normal(g);
    for (size_t c = 0; c < 8; c++)
        when[c] = (size_t)(2000 * uniform(g));
    room(g, 20, 2000);
    for (size_t t = 0; t < 2000; t++) {
        for (size_t c = 0; c < 8; c++)
            for (size_t m = when[c] == t ? 1 + (size_t)(3 * uniform(g)) : 0; m > 0; m--)
                a[(size_t)(20 * uniform(g)) % 20] = normal(g);
        for (size_t i = 0; i < 20; i++) {
            g->f[t * 20 + i] = a[i];
            g->y[t * 20 + i] = a[i] + .5 * normal(g);
        }
    }
}

/* f = own a + drifting x + level, each with its share. */
static void levels(game *g, size_t n, size_t steps, double own, double moving, double rate, double level, double level_rate,
                   double season, double noise) {
    double a[MOST_ARMS], x[MOST_ARMS], c = normal(g);
    for (size_t i = 0; i < n; i++)
        a[i] = normal(g), x[i] = normal(g);
    room(g, n, steps);
    for (size_t t = 0; t < steps; t++) {
        drift(g, level_rate, &c);
        for (size_t i = 0; i < n; i++) {
            drift(g, rate, &x[i]);
            g->f[t * n + i] = own * a[i] + moving * x[i] + level * c + season * sin(2 * pi * (double)t / 96);
            g->y[t * n + i] = g->f[t * n + i] + noise * normal(g);
        }
    }
}

static void lasting_order(game *g, double unused) {
    (void)unused;
    levels(g, 20, 1000, .7, .7, .3, .7, .3, 0, .1);
}

static void common_load(game *g, double unused) {
    (void)unused;
    levels(g, 16, 1000, .5, .4, .01, 1.5, .05, 1.5, .2);
}

static void outages(game *g, double unused) {
    double a[15];
    size_t left[15] = {0};
    (void)unused;
    for (size_t i = 0; i < 15; i++)
        a[i] = .7 * normal(g);
    room(g, 15, 1500);
    for (size_t k = 0; k < 15 * 1500; k++) {
        const size_t i = k % 15;
        if (left[i])
            left[i]--;
        else if (happens(g, 1. / 250))
            left[i] = (size_t)between(g, 5, 40);
        g->f[k] = a[i] - (left[i] ? 3 : 0);
        g->y[k] = g->f[k] + .3 * normal(g);
    }
}

static void two_states(game *g, double unused) {
    double low[10], high[10], up[10], down[10];
    int is_up[10];
    (void)unused;
    for (size_t i = 0; i < 10; i++) {
        low[i] = between(g, 0, .5), high[i] = between(g, .5, 1);
        up[i] = between(g, .005, .03), down[i] = between(g, .01, .05);
        is_up[i] = happens(g, up[i] / (up[i] + down[i]));
    }
    room(g, 10, 2000);
    for (size_t k = 0; k < 10 * 2000; k++) {
        const size_t i = k % 10;
        is_up[i] ^= happens(g, is_up[i] ? down[i] : up[i]);
        g->f[k] = is_up[i] ? high[i] : low[i];
        g->y[k] = g->f[k] + .1 * normal(g);
    }
}

static void novelty(game *g, double unused) {
    double height[12];
    size_t age[12], life[12];
    (void)unused;
    for (size_t i = 0; i < 12; i++) {
        height[i] = between(g, .3, 1);
        life[i] = (size_t)between(g, 250, 701);
        age[i] = (size_t)((double)life[i] * uniform(g));
    }
    room(g, 12, 2000);
    for (size_t k = 0; k < 12 * 2000; k++) {
        const size_t i = k % 12;
        if (++age[i] > life[i]) {
            height[i] = between(g, .3, 1);
            life[i] = (size_t)between(g, 250, 701);
            age[i] = 0;
        }
        g->f[k] = height[i] * exp(-(double)age[i] / 150);
        g->y[k] = g->f[k] + .15 * normal(g);
    }
}

/* ---- cells, and long runs ----------------------------------------------------------------------------------------- */

/* Where the assumptions of the mixture hold: all drift, or all change abruptly with a probability. */
static void cell(game *g, double rate, double redrawn, double shift, double noise, size_t steps) {
    double x[20], c = 0;
    for (size_t i = 0; i < 20; i++)
        x[i] = normal(g);
    room(g, 20, steps);
    for (size_t t = 0; t < steps; t++) {
        const int anew = redrawn > 0 && happens(g, redrawn);
        c += shift > 0 && happens(g, shift) ? 2 * normal(g) : 0;
        for (size_t i = 0; i < 20; i++) {
            if (anew)
                x[i] = normal(g);
            drift(g, rate, &x[i]);
            g->f[t * 20 + i] = x[i] + c;
            g->y[t * 20 + i] = x[i] + c + noise * normal(g);
        }
    }
}

static void drifting(game *g, double rate) {
    cell(g, rate, 0, 0, .1, 1000);
}
static void drifting_noisy(game *g, double rate) {
    cell(g, rate, 0, 0, .3, 1000);
}
static void still(game *g, double noise) {
    cell(g, 0, 0, 0, noise, noise > 1 ? 2000 : 600);
}
static void redrawn(game *g, double rate) {
    cell(g, 0, rate, 0, rate > .007 ? .1 : .5, 1000);
}
static void shifts(game *g, double rate) {
    cell(g, 0, 0, rate, .3, 1000);
}

static void constant(game *g, size_t n, size_t steps) {
    room(g, n, steps);
    for (size_t k = 0; k < n * steps; k++) {
        g->f[k] = k < n ? normal(g) : g->f[k - n];
        g->y[k] = g->f[k] + .1 * normal(g);
    }
}

/* More steps than arms, so that all arms may be played. */
static void many(game *g, double arms) {
    constant(g, (size_t)arms, (size_t)arms + 200);
}
static void many_steps(game *g, double arms) {
    constant(g, (size_t)arms, 1000);
}

static void coins(game *g, double unused) {
    double p[20];
    (void)unused;
    for (size_t i = 0; i < 20; i++) { /* Beta(2, 6): the second smallest of seven */
        double low = 1, next = 1;
        for (size_t k = 0; k < 7; k++) {
            const double u = uniform(g);
            next = u < low ? low : fmin(next, u);
            low = fmin(low, u);
        }
        p[i] = next;
    }
    room(g, 20, 20000);
    for (size_t k = 0; k < 20 * 20000; k++) {
        g->f[k] = p[k % 20];
        g->y[k] = happens(g, g->f[k]);
    }
}

static void segments(game *g, double unused) {
    double p[10];
    (void)unused;
    room(g, 10, 10000);
    for (size_t k = 0; k < 10 * 10000; k++) {
        p[k % 10] = k / 10 % 2000 ? p[k % 10] : between(g, .1, .9);
        g->f[k] = p[k % 10];
        g->y[k] = happens(g, g->f[k]);
    }
}

static void clicks(game *g, double unused) {
    double x[10];
    (void)unused;
    for (size_t i = 0; i < 10; i++)
        x[i] = normal(g);
    room(g, 10, 20000);
    for (size_t k = 0; k < 10 * 20000; k++) {
        drift(g, .0003, &x[k % 10]);
        g->f[k] = fmin(fmax(exp(log(.016) + .7 * x[k % 10]), .003), .06);
        g->y[k] = happens(g, g->f[k]);
    }
}

/* Yes/no outcomes of rates around a mean, which drift for each arm: of 5 arms or 9. */
static void answers(game *g, double mean, size_t n) {
    double x[9];
    for (size_t i = 0; i < n; i++)
        x[i] = normal(g);
    room(g, n, mean < .2 ? 3000 : 1500);
    for (size_t k = 0; k < n * g->steps; k++) {
        g->f[k] = fmin(fmax(mean * (1 + .45 * x[k % n]), .05 * mean), 1);
        g->y[k] = happens(g, g->f[k]);
        drift(g, .001, &x[k % n]);
    }
}
static void answers_of_five(game *g, double mean) {
    answers(g, mean, 5);
}
static void answers_of_nine(game *g, double mean) {
    answers(g, mean, 9);
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

static int read_table(const char *file, readings *data) {
    char path[512], error[512];
    const char *directory = getenv("TVGP_DATA_DIR");
    snprintf(path, sizeof path, "%s/%s", directory ? directory : "../shared/data", file);
    return csv_read(path, data, error, sizeof error) == 0;
}

/* The arms of lowest random numbers. */
static size_t draw_arms(game *g, size_t n, int all, size_t *arm) {
    const size_t kept = all ? n : (7 * n + 9) / 10;
    double *key = experiment_allocate(n, sizeof *key);
    size_t m = 0;
    for (size_t a = 0; a < n; a++)
        key[a] = uniform(g);
    for (size_t a = 0; a < n; a++) {
        size_t before = 0;
        for (size_t b = 0; b < n; b++)
            before += key[b] < key[a];
        arm[m] = a;
        m += before < kept;
    }
    free(key);
    return m;
}

/* Rows from `first` on in which some of the arms has a value. Noise of `sd` standard deviations of the values is added. */
static void take_table(game *g, const char *file, size_t first, size_t rows, int all, double sd) {
    readings data = {0};
    double mean, scale;
    if (!read_table(file, &data))
        exit(2);
    g->arm = experiment_allocate(data.n_arms + 1, sizeof *g->arm);
    const size_t n = draw_arms(g, data.n_arms, all, g->arm);
    readings_moments(&data, first, rows, &mean, &scale);
    room(g, n, rows);
    g->steps = 0;
    for (size_t t = first; t < first + rows && t < data.n_times; t++) {
        double *f = g->f + g->steps * n;
        size_t there = 0;
        for (size_t i = 0; i < n; i++) {
            f[i] = data.value[t * data.n_arms + g->arm[i]];
            g->y[g->steps * n + i] = f[i] + (sd > 0 ? sd * scale * normal(g) : 0);
            there += (size_t)!isnan(f[i]);
        }
        g->steps += there > 1;
    }
    readings_free(&data);
}

double *game_training(const game_kind *kind, const game *g) {
    readings data = {0};
    if (!read_table(kind->file, &data))
        exit(2);
    double *value = experiment_allocate(kind->first * g->arms, sizeof *value);
    for (size_t k = 0; k < kind->first * g->arms; k++)
        value[k] = data.value[k / g->arms * data.n_arms + g->arm[k % g->arms]];
    readings_free(&data);
    return value;
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

#define ROAD       .first = 2016, .rows = 576
#define LABORATORY .first = 864, .rows = 288
#define ONE_DAY    .first = 864, .rows = 144

const game_kind game_kinds[] = {
    {.group = "tables", .name = "laboratory", .file = "intel_temp_8day_46.csv", .first = 864, .rows = 288},
    {.group = "tables", .name = "laboratory with gaps", .file = "intel_temp_10min.csv", .first = 1872, .rows = 144},
    {.group = "tables", .name = "light", .file = "cmu_light_test.csv", .first = 0, .rows = 192},
    {.group = "tables", .name = "traffic", .file = "traffic_pemsd7_25.csv", .first = 2016, .rows = 576},
    {.group = "tables", .name = "ozone", .file = "ozone_nyc_2015.csv", .first = 182, .rows = 183},
    {.group = "tables", .name = "ozone of two seasons", .file = "ozone_nyc_2seasons.csv", .first = 183, .rows = 183},
    {.group = "tables", .name = "40 countries", .file = "berkeley_europe_anom.csv", .first = 271, .rows = 272},
    {.group = "tables", .name = "grid demand", .file = "grid_demand.csv", .first = 504, .rows = 168},
    {.group = "stocks", .name = "29 stocks", .file = "stocks_dow29.csv", .first = 400, .rows = 423},
    {.group = "stocks", .name = "48 stocks", .file = "stocks_us48.csv", .first = 400, .rows = 423},
    {.group = "solvers", .name = "SAT18-EXP", .file = "solvers_sat18.csv", .first = 95, .rows = 191},
    {.group = "solvers", .name = "ASP-POTASSCO", .file = "solvers_asp.csv", .first = 404, .rows = 808},
    {.group = "solvers", .name = "MAXSAT-WPMS-2016", .file = "solvers_wpms16.csv", .first = 180, .rows = 361},
    {.group = "solvers", .name = "BNSL-2016", .file = "solvers_bnsl.csv", .first = 393, .rows = 786},
    {.group = "problems", .name = "latencies", .make = latencies},
    {.group = "problems", .name = "heavy counts", .make = heavy_counts},
    {.group = "problems", .name = "trend and season", .make = trend_and_season},
    {.group = "problems", .name = "own day", .make = own_day},
    {.group = "problems", .name = "few changes", .make = few_changes},
    {.group = "problems", .name = "lasting order", .make = lasting_order},
    {.group = "problems", .name = "common load", .make = common_load},
    {.group = "problems", .name = "outages", .make = outages},
    {.group = "problems", .name = "two-state arms", .make = two_states},
    {.group = "problems", .name = "novelty", .make = novelty},
    {.group = "cells", .name = "drift .003", .make = drifting, .argument = .003},
    {.group = "cells", .name = "drift .01", .make = drifting, .argument = .01},
    {.group = "cells", .name = "drift .1", .make = drifting, .argument = .1},
    {.group = "cells", .name = "drift .3", .make = drifting, .argument = .3},
    {.group = "cells", .name = "drift .03 noise .3", .make = drifting_noisy, .argument = .03},
    {.group = "cells", .name = "still noise .1", .make = still, .argument = .1},
    {.group = "cells", .name = "still noise .5", .make = still, .argument = .5},
    {.group = "cells", .name = "still noise 2", .make = still, .argument = 2},
    {.group = "cells", .name = "level shifts", .make = shifts, .argument = .01},
    {.group = "cells", .name = "redrawn 1/100", .make = redrawn, .argument = .01},
    {.group = "cells", .name = "redrawn 1/200", .make = redrawn, .argument = .005},
    {.group = "long", .name = "coins", .make = coins},
    {.group = "long", .name = "segments", .make = segments},
    {.group = "long", .name = "clicks", .make = clicks},
    {.group = "answers", .name = "5 arms of 1 %", .make = answers_of_five, .argument = .01},
    {.group = "answers", .name = "5 arms of 4 %", .make = answers_of_five, .argument = .04},
    {.group = "answers", .name = "5 arms of 12 %", .make = answers_of_five, .argument = .12},
    {.group = "answers", .name = "5 arms of 40 %", .make = answers_of_five, .argument = .4},
    {.group = "answers", .name = "9 arms of 1 %", .make = answers_of_nine, .argument = .01},
    {.group = "answers", .name = "9 arms of 4 %", .make = answers_of_nine, .argument = .04},
    {.group = "answers", .name = "9 arms of 12 %", .make = answers_of_nine, .argument = .12},
    {.group = "answers", .name = "9 arms of 40 %", .make = answers_of_nine, .argument = .4},
    {.group = "day", .name = "traffic, 4", .file = "traffic_pemsd7_25.csv", ROAD, .contexts = 4, .day = 288},
    {.group = "day", .name = "traffic, 12", .file = "traffic_pemsd7_25.csv", ROAD, .contexts = 12, .day = 288},
    {.group = "day", .name = "laboratory, 4", .file = "intel_temp_8day_46.csv", LABORATORY, .contexts = 4, .day = 144},
    {.group = "day", .name = "one day, 4", .file = "intel_temp_8day_46.csv", ONE_DAY, .contexts = 4, .day = 144},
    {.group = "no meaning", .name = "traffic, 4", .file = "traffic_pemsd7_25.csv", ROAD, .contexts = 4},
    {.group = "no meaning", .name = "laboratory, 4", .file = "intel_temp_8day_46.csv", LABORATORY, .contexts = 4},
    {.group = "own day", .name = "own day, 8", .make = own_day, .contexts = 8, .day = 24},
    {.group = "context step", .name = "20 arms, 4", .make = many_steps, .argument = 20, .contexts = 4},
    {.group = "step", .name = "20 arms", .make = many, .argument = 20},
    {.group = "step", .name = "145 arms", .make = many, .argument = 145},
    {.group = "step", .name = "1000 arms", .make = many, .argument = 1000},
    {0},
};

int game_there(const game_kind *kind) {
    readings data = {0};
    const int there = !kind->file || read_table(kind->file, &data);
    readings_free(&data);
    return there;
}

static void add_contexts(game *g, size_t contexts, size_t day) {
    g->context = experiment_allocate(g->steps, sizeof *g->context);
    for (size_t t = 0; t < g->steps; t++)
        g->context[t] = day ? t % day * contexts / day : (size_t)((double)contexts * uniform(g)) % contexts;
}

void game_open(game *g, const game_kind *kind, uint64_t seed, int all_arms, double noise) {
    *g = (game){.seed = seed};
    if (kind->file)
        take_table(g, kind->file, kind->first, kind->rows, all_arms, noise);
    else
        kind->make(g, kind->argument);
    if (kind->contexts)
        add_contexts(g, kind->contexts, kind->day);
}

void game_close(game *g) {
    free(g->arm);
    free(g->context);
    free(g->f);
    free(g->y);
}
