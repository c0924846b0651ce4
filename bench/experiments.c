/* SPDX-License-Identifier: MIT */
/* The papers' experiments. Results as CSV on standard output, progress on a terminal.
 *
 * usage: bench_experiments NAME [options]; bench_experiments NAME --help lists them. One thread of BLAS in each process is
 * fastest: OPENBLAS_NUM_THREADS=1. */
#include "exp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*main)(int argc, char **argv);
    const char *doc;
} experiments[] = {
    {"auto", exp_auto, "unknown rate of change: auto-gp-ucb against policies that know it"},
    {"auto-kernels", exp_auto_kernels, "unknown lengthscale too: a bank of drifts and kernels"},
    {"learn", exp_learn, "default settings next to true and wrong parameters"},
    {"limits", exp_limits, "an output that must stay within a limit while everything drifts: violations and regret"},
    {"limits-drawn", exp_limits_drawn, "the same where the model is the truth, beside SafeOpt"},
    {"noisy", exp_noisy, "answers that are mostly noise, on places and on names"},
    {"within-model", exp_within_model, "functions drawn from the policies' own model, drifting at a known rate"},
    {"misspecified", exp_misspecified, "the same with a supplied rate that is too small"},
    {"moves", exp_moves, "what moving less costs: the options switch.cost and switch.distance_cost"},
    {"abrupt", exp_abrupt, "functions of known norm that are replaced four times"},
    {"slow", exp_slow, "functions of known norm that turn into their opposite"},
    {"hills", exp_hills, "ten hills, one of them tall: several priors, one of them true"},
    {"first-reset", exp_first_reset, "when et-gp-ucb resets first, over 30,000 runs"},
    {"chosen", exp_chosen, "which prior chose, and which are alive at the end, on ten hills"},
    {"prediction", exp_prediction, "squared error of predictions over the arms, with an expert and without"},
    {"bounds", exp_bounds, "regret beside what the theorems bound it by"},
    {"defaults", exp_defaults, "default settings on categorical arms: tables, drawn problems and cells"},
    {"history", exp_history, "historical data on categorical arms, where they repeat and where they do not"},
    {"counts", exp_counts, "counts and yes/no answers on categorical arms, with default settings"},
    {"real", exp_real,
     "recorded data: eighteen fixed settings beside auto-gp-ucb with default settings, with scale and with "
     "model.assume_misspecified"},
    {"season", exp_season, "temperatures and speeds by the hour: prior means that move, contexts, the table of the hour"},
    {"server", exp_server, "a server whose load drifts: threads and batch size, default settings and a guessed kernel"},
    {"sensors", exp_sensors, "recorded temperatures: following the hottest of 46 sensors"},
    {"sensors-prior", exp_sensors_prior, "temperatures of one day, with those of each day before as a prior"},
    {"bkb", exp_bkb, "many arms that do not change: bkb beside the exact posterior"},
    {"bkb-abalone", exp_bkb_abalone, "the same on 4177 abalones, reward: rings"},
    {"bkb-housing", exp_bkb_housing, "the same on 20,433 census blocks, reward: house value"},
    {"bkb-bounds", exp_bkb_bounds, "bkb's theorem beside what it keeps and what it misses"},
    {"bkb-step", exp_bkb_step, "time of a step of bkb beside two triangular solves by BLAS"},
    {"box", exp_box, "boxes: functions that stand still and that move, true parameters and default settings"},
    {"candidates", exp_candidates, "twenty new points at each step, beside discounted LinUCB tuned in hindsight"},
    {"starvation", exp_starvation, "variance away from the data: bkb beside the subset of regressors"},
    {"fleet", exp_fleet, "what devices teach the next: a mean and a covariance over the arms from their runs"},
    {"sparq", exp_sparq, "a swinging peak, with an expert to ask: SparQ's problem"},
    {"wsparq", exp_wsparq, "moving waves, with an expert to ask at the start of windows: W-SparQ's problem"},
    {"ozone-expert", exp_ozone_expert, "recorded ozone of 18 stations, with an expert to ask"},
    {"anomalies-expert", exp_anomalies_expert, "recorded temperature anomalies of 40 countries, with an expert to ask"},
    {"gaps", exp_gaps, "what answers at a sample of the k-DPP leave unknown, by the number of swaps"},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof experiments / sizeof *experiments; i++)
        if (strcmp(argv[1], experiments[i].name) == 0) {
            experiments[i].main(argc - 2, argv + 2);
            return EXIT_SUCCESS;
        }
    fprintf(stderr, "usage: bench_experiments NAME [options]\n");
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        fprintf(stderr, "  %-14s %s\n", experiments[i].name, experiments[i].doc);
    return 2;
}
