/* SPDX-License-Identifier: MIT */
/* Following the hottest of 46 sensors (Brunzema et al., fig. 3): ten-minute temperatures, six days for the covariance, two
 * days played. Values are standardised by the training days and observed without noise; one run is all there is. */
#include "empirical_kernel.h"
#include "exp.h"
#include "experiment.h"
#include "recorded.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRAIN = 864, TEST = 288, DAY = 144, HOURS = 24 };

static void load(readings *data, double *mean, double *sd) {
    recorded_read("intel_temp_8day_46.csv", TRAIN + TEST, data);
    readings_moments(data, 0, TRAIN, mean, sd);
    readings_standardise(data, *mean, *sd);
}

/* The table that plays the best arm of the hour in the training days and learns nothing. */
static void play_table(const readings *data, double *regret) {
    for (size_t i = 0; i < TEST; i++) {
        const double *row = data->value + (TRAIN + i) * data->n_arms;
        double best = row[0];
        for (size_t a = 1; a < data->n_arms; a++)
            best = fmax(best, row[a]);
        regret[i] = best - row[readings_best_of_phase(data, TRAIN, DAY, HOURS, TRAIN + i)];
    }
}

void exp_sensors(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb",
                                          "auto-gp-ucb scale.learn=1",
                                          "auto-gp-ucb drift.models=ou",
                                          "tv-gp-ucb",
                                          "tv-gp-ucb time.kernel=matern32 time.rate=0.1 width.schedule=rate",
                                          "et-gp-ucb",
                                          "r-gp-ucb",
                                          "sw-gp-ucb window=15",
                                          "gp-ucb",
                                          "random",
                                          NULL};
    experiment e = {.name = "sensors", .runs = 1, .processes = 1, .seed = 1};
    double unit = 1, noise = 0.01, mean, sd, shrinkage, regret[TEST];
    readings data = {0};
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    const experiment_number own[] = {{"--unit", "factor of the rewards, unknown to the policies", &unit},
                                     {"--noise", "noise variance the policies assume", &noise}};
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    load(&data, &mean, &sd);
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_domain_indices(ctx, data.n_arms, &domain), "domain");
    experiment_check(ctx, empirical_kernel(ctx, &data, TRAIN, &shrinkage, &kernel), "covariance");
    char known[SETTINGS_SIZE];
    snprintf(known, sizeof known, "noise=%.17g", noise);
    const char *const defaults[] = {known, "epsilon=0.03", "reset.every=15", "width.c1=0.8", "width.c2=0.4"};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        settings_add(&e.defaults, defaults[i]);
    experiment_refuse_unused(&e, ctx, domain, kernel);

    for (size_t i = 0; i < data.n_times * data.n_arms; i++)
        data.value[i] *= unit;
    const experiment_table table = {
        .arms = data.n_arms, .steps = TEST, .f = data.value + TRAIN * data.n_arms, .seed = e.seed};
    printf("unit,policy,regret_celsius,resets\n");
    for (size_t i = 0; i < e.n_players; i++) {
        tvgp_policy *policy = experiment_policy(&e, i, ctx, domain, kernel, 0);
        experiment_play(&table, ctx, policy, regret);
        printf("%g,%s,%.1f,%g\n", unit, e.players[i].label, experiment_sum(TEST, regret) * sd / unit,
               experiment_stat(policy, "resets"));
        tvgp_policy_destroy(policy);
    }
    play_table(&data, regret);
    printf("%g,best arm of the hour in training,%.1f,\n", unit, experiment_sum(TEST, regret) * sd / unit);
    experiment_constant(&table, regret);
    printf("%g,best constant arm,%.1f,\n", unit, experiment_sum(TEST, regret) * sd / unit);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    readings_free(&data);
}
