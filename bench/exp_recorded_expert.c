/* SPDX-License-Identifier: MIT */
/* Recorded tables with an expert who knows the present value of every arm: ozone of 18 stations (Mauduit, Berthier, Simonetto, SparQ, fig. 2)
 * and temperature anomalies of 40 countries (the same authors, W-SparQ, fig. 3). The papers' stations and countries are not known. The first
 * half of the rows gives mean, deviation and covariance of the arms; the second half is played. */
#include "empirical_kernel.h"
#include "exp.h"
#include "line.h"
#include "recorded.h"
#include <stdlib.h>
#include <string.h>

static void standardised(line *l, const char *file, size_t train) {
    readings data = {0};
    double mean, sd, shrinkage;
    recorded_read(file, train + (size_t)l->steps, &data);
    readings_moments(&data, 0, train, &mean, &sd);
    readings_standardise(&data, mean, sd);
    const size_t values = (size_t)l->steps * data.n_arms;
    l->points = (double)data.n_arms;
    l->f = experiment_allocate(values, sizeof *l->f);
    memcpy(l->f, data.value + train * data.n_arms, values * sizeof *l->f);
    experiment_check(l->ctx, tvgp_domain_indices(l->ctx, data.n_arms, &l->domain), "domain");
    experiment_check(l->ctx, empirical_kernel(l->ctx, &data, train, &shrinkage, &l->kernel), "covariance");
    readings_free(&data);
}

static void ozone(line *l) {
    standardised(l, "ozone_nyc_2seasons.csv", 183);
}

static void anomalies(line *l) {
    standardised(l, "berkeley_europe_anom.csv", 271);
}

/* The policies without an expert have the coefficient `log`, with which they have less regret. */
static void compare(experiment e, double steps, void (*prepare)(line *), int argc, char **argv) {
    static const char *const players[] = {"sparq-gp-ucb side.round_exponent=1",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=2",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=1",
                                          "w-sparq-gp-ucb side.round_exponent=1 alpha=0.5",
                                          "gp-ucb width.schedule=log",
                                          "tv-gp-ucb epsilon=0.03 width.schedule=log",
                                          "r-gp-ucb reset.every=15 width.schedule=log",
                                          "sw-gp-ucb window=15 width.schedule=log",
                                          "w-gp-ucb decay=0.97 width.schedule=log",
                                          "random",
                                          NULL};
    line l = {.steps = steps, .noise = 0.01, .expert_noise = 0.01, .bound = 1, .prepare = prepare};
    line_compare(&e, &l, players, argc, argv);
}

void exp_ozone_expert(int argc, char **argv) {
    compare((experiment){.name = "ozone-expert", .runs = 20, .processes = 2, .seed = 1}, 183, ozone, argc, argv);
}

void exp_anomalies_expert(int argc, char **argv) {
    compare((experiment){.name = "anomalies-expert", .runs = 20, .processes = 2, .seed = 1}, 272, anomalies, argc, argv);
}
