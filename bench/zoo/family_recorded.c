/* SPDX-License-Identifier: MIT */
/* Recorded values, and made-up twins of recorded values that may not be passed on.
 *
 *   ozone    daily ozone at the sites of New York (examples/data/ozone_nyc_2015.csv, public domain), standardised by the first half,
 *            of which the second is played; a share of the sites, drawn at random, takes part; told the covariance of the first half
 *   others   level of the arm + mean of the hour + the arm's own day + what is common to all at a time + rest; common part and rest
 *            forget, with the correlations of the data from row to row, and of the changes of the rest so many are jumps. The moments are
 *            those of the tables (fit_twins.py), values are drawn: no value of the data is in them. Told one variance and one
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

/* ---- ozone -------------------------------------------------------------------------------------------------------- */

enum { TRAIN = 182 };

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

/* Rows in which some site has a value. */
static void take_rows(zoo_problem *p, const readings *data) {
    const size_t n = data->n_arms;
    p->info.arms = n;
    p->f = experiment_allocate((data->n_times - TRAIN) * n, sizeof *p->f);
    for (size_t t = TRAIN; t < data->n_times; t++) {
        size_t there = 0;
        for (size_t a = 0; a < n; a++)
            there += (size_t)!isnan(data->value[t * n + a]);
        if (there)
            memcpy(zoo_row(p, p->info.steps++), data->value + t * n, n * sizeof *p->f);
    }
}

static void make_ozone(zoo_problem *p) {
    char error[300];
    double mean, sd, shrinkage;
    readings data = {0};
    if (csv_read(ZOO_DATA "/ozone_nyc_2015.csv", &data, error, sizeof error)) {
        fprintf(stderr, "zoo: %s\n", error);
        exit(EXIT_FAILURE);
    }
    keep_share(&data, zoo_set(p, "share"), p->seed);
    readings_moments(&data, 0, TRAIN, &mean, &sd);
    readings_standardise(&data, mean, sd);
    take_rows(p, &data);
    p->info.dim = 1;
    p->info.noise = zoo_set(p, "noise");
    p->variance = 1;
    experiment_check(p->ctx, tvgp_domain_indices(p->ctx, data.n_arms, &p->domain), "sites");
    experiment_check(p->ctx, empirical_kernel(p->ctx, &data, TRAIN, &shrinkage, &p->kernel), "covariance");
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
    {"sensors", 46, 144, 0.296, 0.727, 0.308, 0.423, 0.331, 0.9677, 0.9618, 0.07496, 0.286},
    {"traffic", 25, 288, 0.276, 0.563, 0.542, 0.212, 0.519, 0.9210, 0.9026, 0.03019, 0.841},
    {"stocks", 48, 0, 0.910, 0.000, 0.000, 0.257, 0.326, 0.9986, 0.9940, 0.03062, 0.098},
    {"temperatures", 40, 0, 0.074, 0.000, 0.000, 0.719, 0.691, 0.3799, 0.2083, 0.00470, 3.814},
};
enum { MOST_ARMS = 48 };

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

static void make_ozone_expert(zoo_problem *p) {
    make_ozone(p);
    zoo_give_expert(p);
}

static void make_temperatures_expert(zoo_problem *p) {
    make_twin(p);
    zoo_give_expert(p);
}

#define TWIN(name, rows)                                                                                                    \
    {                                                                                                                       \
        name, "recorded", "made up like recorded " name, {{"rows", {rows, rows, rows}}, {"noise", {0.001, 0.05, 0.25}}},    \
            make_twin                                                                                                       \
    }
const zoo_kind zoo_kinds_recorded[] = {
    {"ozone",
     "recorded",
     "ozone at sites of New York",
     {{"share", {0.7, 0.7, 0.7}}, {"noise", {0.001, 0.05, 0.25}}},
     make_ozone},
    TWIN("sensors", 288),
    TWIN("traffic", 576),
    TWIN("stocks", 400),
    TWIN("temperatures", 272),
    {"ozone-expert",
     "expert",
     "the sites, with an expert to ask",
     {{"share", {0.7, 0.7, 0.7}}, {"noise", {0.05, 0.05, 0.05}}, ZOO_EXPERT_SETTINGS},
     make_ozone_expert},
    {"temperatures-expert",
     "expert",
     "made-up temperatures, with an expert to ask",
     {{"rows", {272, 272, 272}}, {"noise", {0.05, 0.05, 0.05}}, ZOO_EXPERT_SETTINGS},
     make_temperatures_expert},
    {0},
};
