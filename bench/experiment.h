/* SPDX-License-Identifier: MIT */
/* What the experiments share: options, policies given as text, playing a policy on a table of function values, runs in
 * several processes side by side, means and standard errors. An experiment is one file exp_<name>.c and one line in
 * experiments.c; every function here ends the program with a message when something fails. */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "settings.h"
#include <tvgp.h>

enum { EXPERIMENT_PLAYERS = 24, EXPERIMENT_TEXT = 256 };

/* Purposes of the random streams; an experiment's own functions may use EXPERIMENT_OWN and above. */
enum { EXPERIMENT_NOISE = 1001, EXPERIMENT_EXPERT = 1002, EXPERIMENT_OWN = 1100 };

/* A policy and its options, as text: "tv-gp-ucb epsilon=0.05 width.c1=0.4". */
typedef struct experiment_player {
    const char *label;          /* the whole text */
    char text[EXPERIMENT_TEXT]; /* cut into words */
    settings sets;
} experiment_player;

typedef struct experiment {
    const char *name;
    size_t runs, processes;
    uint64_t seed;           /* run r has seed + r */
    settings defaults, sets; /* for all algorithms that have the option, before their own: the experiment's, --set */
    experiment_player players[EXPERIMENT_PLAYERS];
    size_t n_players;
} experiment;

/* One number an experiment reads from its command line next to the common options; value holds the default. */
typedef struct experiment_number {
    const char *option, *doc;
    double *value;
} experiment_number;

/* Reads --policy TEXT (any number; replaces the defaults, a list ended by NULL), --set KEY=VALUE, --runs N, --processes N,
 * --seed N and the experiment's own options. */
void experiment_read(experiment *e, int argc, char **argv, const char *const *players, const experiment_number *own,
                     size_t n_own);

/* A new policy for an algorithm, with its settings; the option `seed` is the run's. */
tvgp_policy *experiment_policy(experiment *e, size_t player, tvgp_ctx *ctx, const tvgp_domain *domain,
                               const tvgp_kernel *kernel, size_t run);

/* Creates every algorithm once and refuses a setting that none of them has, before any time is spent. */
void experiment_refuse_unused(experiment *e, tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel);

/* Ends the program unless status is TVGP_OK. */
void experiment_check(const tvgp_ctx *ctx, tvgp_status status, const char *what);
void *experiment_allocate(size_t count, size_t size);

/* ---- playing ---------------------------------------------------------------------------------------------------- */

/* The function values of every step: f[(t - 1) * arms + arm], t = 1 .. steps. NaN: the arm does not exist at that time. */
typedef struct experiment_table {
    size_t arms, steps;
    const double *f;
    double noise;        /* variance of what is added to the reported value of an action */
    double expert_noise; /* and for a side query */
    uint64_t seed;       /* of both; the same step has the same noise whatever is played */
} experiment_table;

/* Plays the policy at times 1 .. steps; side queries are answered. regret[t - 1] = best value at t - value of the arm. */
void experiment_play(const experiment_table *table, const tvgp_ctx *ctx, tvgp_policy *policy, double *regret);

/* The same for the arm of highest sum of values among those that always exist: what knowing one arm in advance gives. */
void experiment_constant(const experiment_table *table, double *regret);

double experiment_sum(size_t n, const double *x);
double experiment_stat(const tvgp_policy *policy, const char *key); /* 0 when the policy does not have it */

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* One run: fills n_values numbers; may be called in a process of its own. */
typedef void experiment_run(experiment *e, const void *user, size_t run, double *values);

/* All runs, e->processes at a time, with a line of progress on a terminal: runs x n_values numbers, to be freed. */
double *experiment_runs(experiment *e, experiment_run *run, const void *user, size_t n_values);

typedef struct experiment_mean {
    double mean, error; /* standard error of the mean */
} experiment_mean;

/* Over the runs, of value `column`. */
experiment_mean experiment_mean_of(const double *values, size_t runs, size_t n_values, size_t column);
/* The ratio of two columns' means, with its error over paired runs. */
experiment_mean experiment_ratio_of(const double *values, size_t runs, size_t n_values, size_t column, size_t over);

/* ---- comparing -------------------------------------------------------------------------------------------------- */

typedef struct experiment_problem {
    tvgp_ctx *ctx;
    const tvgp_domain *domain;
    const tvgp_kernel *kernel;
    size_t arms, steps;
    double noise;
    double *(*functions)(const void *user, uint64_t seed); /* steps x arms values, to be freed */
    const void *user;
    void (*prepare)(const void *user, tvgp_policy *policy); /* OPTIONAL: what a policy is given before it plays */
    const char *const *stats; /* OPTIONAL: statistics to print, at most EXPERIMENT_STATS, ended by NULL; default resets */
    int paired;               /* 1: print also how much more regret than the first algorithm, run by run */
} experiment_problem;
enum { EXPERIMENT_STATS = 13 };

/* Plays all algorithms on the same functions and noise in every run; prints, with standard errors, their cumulative regret and
 * statistics, and the regret of the best constant arm. `variant` fills a column. */
void experiment_compare(experiment *e, const experiment_problem *problem, const char *variant);

#endif
