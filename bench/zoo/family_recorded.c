/* SPDX-License-Identifier: MIT */
/* Recorded values, and made-up twins of recorded values that may not be passed on.
 *
 *   ozone, grid-demand        come with the library (examples/data: public domain, CC BY): ozone at the sites of New York by the day,
 *                             demand of 54 grids by the hour in percent of what each seldom exceeds
 *   intel-sensors and others  of $TVGP_DATA_DIR (else ../shared/data): sensors of a laboratory, speeds on a motorway, prices of stocks,
 *                             temperatures of countries by the month. Where a file is not, its problem cannot be opened
 *
 * The rows of training standardise the values and give the covariance that is given; those after them are played, without rows in which
 * no arm has a value. A share of the columns, drawn at random, takes part.
 *
 *   twins    level of the arm + mean of the hour + the arm's own day + what is common to all at a time + rest; common part and rest
 *            forget, with the correlations of the data from row to row, and of the changes of the rest that many are jumps. The moments are
 *            those of the tables (fit_twins.py), values are drawn: no value of the data is in them. Supplied: one variance and one
 *            correlation for all arms. */
#include "problem.h"

#include "../experiment.h"
#include "csv.h"
#include "empirical_kernel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- tables ------------------------------------------------------------------------------------------------------- */

typedef struct record {
    const char *name, *file;
    int comes; /* with the library */
    size_t train, test, rows_a_day;
} record;

static const record records[] = {
    {"ozone", "ozone_nyc_2015.csv", 1, 182, 183, 0},
    {"grid-demand", "grid_demand.csv", 1, 504, 168, 24},
    {"intel-sensors", "intel_temp_8day_46.csv", 0, 864, 288, 144},
    {"pems-traffic", "traffic_pemsd7_25.csv", 0, 2016, 576, 288},
    {"us-stocks", "stocks_us48.csv", 0, 400, 423, 0},
    {"berkeley-temperatures", "berkeley_europe_anom.csv", 0, 271, 272, 0},
};

/* The record of a problem's name, perhaps with something behind it. */
static const record *record_of(const char *name) {
    size_t i = 0;
    while (strncmp(records[i].name, name, strlen(records[i].name)))
        i++;
    return &records[i];
}

/* The columns of lowest random numbers. */
static void keep_share(readings *data, double share, uint64_t seed) {
    const size_t n = data->n_arms, kept = (size_t)fmax(2, ceil(share * (double)n));
    double *key = experiment_allocate(n, sizeof *key);
    size_t to = 0;
    zoo_uniforms(seed, ZOO_TRUTH, 0, n, key);
    for (size_t a = 0; a < n; a++) {
        size_t before = 0;
        for (size_t b = 0; b < n; b++)
            before += key[b] < key[a];
        if (before >= kept)
            continue;
        for (size_t t = 0; t < data->n_times; t++)
            data->value[t * n + to] = data->value[t * n + a];
        to++;
    }
    for (size_t t = 0; t < data->n_times; t++)
        memmove(data->value + t * kept, data->value + t * n, kept * sizeof *data->value);
    for (size_t a = 0; data->names && a < n; a++)
        free(data->names[a]);
    free(data->names);
    data->names = NULL;
    data->n_arms = kept;
    free(key);
}

/* Rows in which some column has a value. */
static void take_rows(zoo_problem *p, const record *r, const readings *data) {
    const size_t n = data->n_arms;
    p->info.arms = n;
    p->f = experiment_allocate(r->test * n, sizeof *p->f);
    for (size_t t = r->train; t < r->train + r->test; t++) {
        size_t there = 0;
        for (size_t a = 0; a < n; a++)
            there += (size_t)!isnan(data->value[t * n + a]);
        if (there)
            memcpy(zoo_row(p, p->info.steps++), data->value + t * n, n * sizeof *p->f);
    }
}

static int read_table(zoo_problem *p, const record *r, readings *data) {
    char path[512], error[700] = "too few rows";
    const char *directory = getenv("TVGP_DATA_DIR"), *own = getenv("TVGP_ZOO_DATA"); /* own: set by an installed package */
    snprintf(path, sizeof path, "%s/%s",
             !r->comes && directory ? directory
             : !r->comes            ? "../shared/data"
             : own                  ? own
                                    : ZOO_DATA,
             r->file);
    if (csv_read(path, data, error, sizeof error) == 0 && data->n_times >= r->train + r->test)
        return 0;
    snprintf(p->missing, sizeof p->missing, "%s: %s (recorded data are looked for in TVGP_DATA_DIR)", r->name, error);
    return -1;
}

static void make_record(zoo_problem *p) {
    const record *r = record_of(p->kind->name);
    double mean, sd, shrinkage;
    readings data = {0};
    if (read_table(p, r, &data)) {
        readings_free(&data);
        return;
    }
    keep_share(&data, zoo_set(p, "share"), p->seed);
    readings_moments(&data, 0, r->train, &mean, &sd);
    readings_standardise(&data, mean, sd);
    take_rows(p, r, &data);
    p->info.dim = 1;
    p->info.noise = zoo_set(p, "noise");
    p->info.period = (double)r->rows_a_day;
    p->variance = 1;
    experiment_check(p->ctx, tvgp_domain_indices(p->ctx, data.n_arms, &p->domain), "columns");
    experiment_check(p->ctx, empirical_kernel(p->ctx, &data, r->train, &shrinkage, &p->kernel), "covariance");
    readings_free(&data);
}

/* ---- twins -------------------------------------------------------------------------------------------------------- */

/* Standard deviations of the parts; correlations over a row; chance and size of jumps. */
typedef struct twin {
    const char *name;
    size_t arms, rows_a_day;
    double level, day, own_day, common, rest, keep_common, keep_rest, chance, size;
} twin;

static const twin twins[] = {
    {"demand", 54, 24, 0.429, 0.686, 0.384, 0.221, 0.386, 0.9898, 0.9593, 0.01957, 0.539},
    {"sensors", 46, 144, 0.296, 0.727, 0.308, 0.423, 0.331, 0.9677, 0.9618, 0.07496, 0.286},
    {"traffic", 25, 288, 0.276, 0.563, 0.542, 0.212, 0.519, 0.9210, 0.9026, 0.03019, 0.841},
    {"stocks", 48, 0, 0.910, 0.000, 0.000, 0.257, 0.326, 0.9986, 0.9940, 0.03062, 0.098},
    {"temperatures", 40, 0, 0.074, 0.000, 0.000, 0.719, 0.691, 0.3799, 0.2083, 0.00470, 3.814},
};
enum { MOST_ARMS = 54 };

static const twin *twin_of(const char *name) {
    size_t i = 0; /* name: the twin's, perhaps with something behind it */
    while (strncmp(twins[i].name, name, strlen(twins[i].name)))
        i++;
    return &twins[i];
}

/* One step of a process that forgets, of this sd, with jumps. */
static double next(double before, double keep, double sd, const twin *w, double z, const double *u, double jump) {
    const double change = sd * sd * (1 - keep * keep), jumps = w ? w->chance * w->size * w->size : 0;
    const double quiet = sqrt(fmax(change - jumps, change / 10));
    return keep * before + quiet * z + (w && *u < w->chance ? w->size * jump : 0);
}

/* Two harmonics of a day, each arm with phases and amplitudes u of its own; variance 1 on average. */
static double day_of(double hour, const double *u) {
    return 1.2 * sin(2 * pi * (hour + u[0])) * (0.5 + u[1]) + 0.6 * sin(2 * pi * (2 * hour + u[2])) * (0.5 + u[3]);
}

static void make_twin(zoo_problem *p) {
    const twin *w = twin_of(p->kind->name);
    double level[MOST_ARMS], u[4 * MOST_ARMS + 4], rest[MOST_ARMS] = {0}, z[2 * MOST_ARMS + 1], chance[MOST_ARMS],
                                                   common = 0;
    const double total =
        w->level * w->level + w->day * w->day + w->own_day * w->own_day + w->common * w->common + w->rest * w->rest;
    zoo_on_names(p, (size_t)zoo_set(p, "rows"), w->arms, 0, total);
    tvgp_kernel_destroy(p->kernel);
    experiment_check(p->ctx,
                     tvgp_kernel_categorical(p->ctx, total, (w->day * w->day + w->common * w->common) / total, &p->kernel),
                     "kernel");
    zoo_normal(p->seed, ZOO_TRUTH, 0, w->arms, level);
    zoo_uniforms(p->seed, ZOO_TRUTH, 1, 4 * w->arms + 4, u);
    for (size_t s = 0; s < p->info.steps; s++) {
        const double hour = w->rows_a_day ? (double)s / (double)w->rows_a_day : 0;
        zoo_normal(p->seed, ZOO_TRUTH, 2 * s + 2, 2 * w->arms + 1, z);
        zoo_uniforms(p->seed, ZOO_TRUTH, 2 * s + 3, w->arms, chance);
        common = next(s ? common : w->common * z[0], w->keep_common, w->common, NULL, z[0], NULL, 0);
        for (size_t i = 0; i < w->arms; i++) {
            rest[i] =
                next(s ? rest[i] : w->rest * z[1 + i], w->keep_rest, w->rest, w, z[1 + i], chance + i, z[1 + w->arms + i]);
            zoo_row(p, s)[i] = w->level * level[i] + w->day * day_of(hour, u + 4 * w->arms) +
                               w->own_day * day_of(hour, u + 4 * i) + common + rest[i];
        }
    }
    p->info.noise = zoo_set(p, "noise");
    p->info.period = (double)w->rows_a_day;
}

static void make_record_expert(zoo_problem *p) {
    make_record(p);
    zoo_give_expert(p);
}

static void make_twin_expert(zoo_problem *p) {
    make_twin(p);
    zoo_give_expert(p);
}

#define TWIN(name, rows)                                                                                                    \
    {                                                                                                                       \
        name, "recorded", "simulated twin of recorded " name,                                                               \
            {{"rows", {rows, rows, rows}}, {"noise", {0.001, 0.05, 0.25}}}, make_twin                                       \
    }
#define RECORD(name, share, what)                                                                                           \
    { name, "recorded", what, {{"share", {share, 0.7, 0.7}}, {"noise", {0.001, 0.05, 0.25}}}, make_record }
const zoo_kind zoo_kinds_recorded[] = {
    RECORD("ozone", 0.7, "ozone at sites of New York"),
    RECORD("grid-demand", 1, "demand of power grids by the hour"),
    RECORD("intel-sensors", 1, "temperatures of a laboratory, every ten minutes"),
    RECORD("pems-traffic", 1, "speeds on a motorway, every five minutes"),
    RECORD("us-stocks", 1, "prices of stocks by the day"),
    RECORD("berkeley-temperatures", 1, "temperatures of countries by the month"),
    TWIN("demand", 168),
    TWIN("sensors", 288),
    TWIN("traffic", 576),
    TWIN("stocks", 400),
    TWIN("temperatures", 272),
    {"ozone-expert",
     "expert",
     "the sites, with an expert to ask",
     {{"share", {0.7, 0.7, 0.7}}, {"noise", {0.05, 0.05, 0.05}}, ZOO_EXPERT_SETTINGS},
     make_record_expert},
    {"berkeley-temperatures-expert",
     "expert",
     "the countries, with an expert to ask",
     {{"share", {0.7, 0.7, 0.7}}, {"noise", {0.05, 0.05, 0.05}}, ZOO_EXPERT_SETTINGS},
     make_record_expert},
    {"temperatures-expert",
     "expert",
     "simulated twin of recorded temperatures, with an expert",
     {{"rows", {272, 272, 272}}, {"noise", {0.05, 0.05, 0.05}}, ZOO_EXPERT_SETTINGS},
     make_twin_expert},
    {0},
};
