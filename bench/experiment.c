/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void experiment_check(const tvgp_ctx *ctx, tvgp_status status, const char *what) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, tvgp_status_name(status), ctx ? tvgp_ctx_errmsg(ctx) : "");
    exit(EXIT_FAILURE);
}

void *experiment_allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* ---- command line ----------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(const experiment *e, const char *option, const char *value, const char *reason) {
    fprintf(stderr, "bench_experiments %s: %s %s: %s (see --help)\n", e->name, option, value, reason);
    exit(2);
}

static _Noreturn void help(const experiment *e, const experiment_number *own, size_t n_own) {
    printf("usage: bench_experiments %s [options]\n"
           "  --policy TEXT    a policy and its options, \"NAME KEY=VALUE ...\"; may be given several times\n"
           "  --set KEY=VALUE  an option of every policy that has it; may be given several times\n"
           "  --runs N         default %zu\n"
           "  --processes N    default %zu\n"
           "  --seed N         of the first run; default %llu\n",
           e->name, e->runs, e->processes, (unsigned long long)e->seed);
    for (size_t i = 0; i < n_own; i++)
        printf("  %-16s %s; default %g\n", own[i].option, own[i].doc, *own[i].value);
    exit(EXIT_SUCCESS);
}

static void add_player(experiment *e, const char *text) {
    experiment_player *p = &e->players[e->n_players];
    if (e->n_players == EXPERIMENT_PLAYERS || strlen(text) >= EXPERIMENT_TEXT)
        refuse(e, "--policy", text, "too many or too long");
    *p = (experiment_player){.label = text};
    memcpy(p->text, text, strlen(text) + 1);
    strtok(p->text, " ");
    for (const char *word; (word = strtok(NULL, " "));)
        if (settings_add(&p->sets, word))
            refuse(e, "--policy", text, "not NAME KEY=VALUE ...");
    e->n_players++;
}

static double parse(const experiment *e, const char *option, const char *text, double least) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= least) || !isfinite(value))
        refuse(e, option, text, "not a number, or too small");
    return value;
}

static void take(experiment *e, const char *option, const char *value, const experiment_number *own, size_t n_own) {
    for (size_t i = 0; i < n_own; i++)
        if (strcmp(option, own[i].option) == 0) {
            *own[i].value = parse(e, option, value, -HUGE_VAL);
            return;
        }
    if (strcmp(option, "--policy") == 0)
        add_player(e, value);
    else if (strcmp(option, "--runs") == 0)
        e->runs = (size_t)parse(e, option, value, 1);
    else if (strcmp(option, "--processes") == 0)
        e->processes = (size_t)parse(e, option, value, 1);
    else if (strcmp(option, "--seed") == 0)
        e->seed = (uint64_t)parse(e, option, value, 0);
    else if (strcmp(option, "--set") != 0 || settings_add(&e->sets, value))
        refuse(e, option, value, "cannot be taken");
}

void experiment_read(experiment *e, int argc, char **argv, const char *const *players, const experiment_number *own,
                     size_t n_own) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            help(e, own, n_own);
    for (int i = 0; i < argc; i += 2) {
        if (i + 1 == argc)
            refuse(e, argv[i], "", "needs a value");
        take(e, argv[i], argv[i + 1], own, n_own);
    }
    if (!e->n_players)
        for (; *players; players++)
            add_player(e, *players);
}

/* ---- policies --------------------------------------------------------------------------------------------------- */

tvgp_policy *experiment_policy(experiment *e, size_t player, tvgp_ctx *ctx, const tvgp_domain *domain,
                               const tvgp_kernel *kernel, size_t run) {
    experiment_player *p = &e->players[player];
    tvgp_policy *policy = NULL;
    experiment_check(ctx, tvgp_policy_create(ctx, p->text, domain, kernel, &policy), p->label);
    experiment_check(ctx, tvgp_policy_set_i64(policy, "seed", (int64_t)(e->seed + run)), p->label);
    experiment_check(ctx, settings_apply(&e->defaults, policy), p->label);
    experiment_check(ctx, settings_apply(&e->sets, policy), p->label);
    experiment_check(ctx, settings_apply(&p->sets, policy), p->label);
    experiment_check(ctx, settings_refuse_unused(&p->sets, policy), p->label);
    return policy;
}

void experiment_refuse_unused(experiment *e, tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    for (size_t i = 0; i < e->n_players; i++) {
        tvgp_policy *policy = experiment_policy(e, i, ctx, domain, kernel, 0);
        if (i + 1 == e->n_players)
            experiment_check(ctx, settings_refuse_unused(&e->sets, policy), "--set");
        tvgp_policy_destroy(policy);
    }
}

double experiment_stat(const tvgp_policy *policy, const char *key) {
    double value = 0;
    (void)tvgp_policy_stat(policy, key, &value);
    return value;
}

experiment_mean experiment_mean_of(const double *values, size_t runs, size_t n_values, size_t column) {
    double mean = 0, squares = 0;
    for (size_t r = 0; r < runs; r++)
        mean += values[r * n_values + column] / (double)runs;
    for (size_t r = 0; r < runs; r++)
        squares += pow(values[r * n_values + column] - mean, 2);
    return (experiment_mean){mean, runs > 1 ? sqrt(squares / (double)(runs - 1) / (double)runs) : 0};
}

experiment_mean experiment_ratio_of(const double *values, size_t runs, size_t n_values, size_t column, size_t over) {
    const double base = experiment_mean_of(values, runs, n_values, over).mean;
    const double mean = experiment_mean_of(values, runs, n_values, column).mean / base;
    double squares = 0;
    for (size_t r = 0; r < runs; r++)
        squares += pow((values[r * n_values + column] - mean * values[r * n_values + over]) / base, 2);
    return (experiment_mean){mean, runs > 1 ? sqrt(squares / (double)((runs - 1) * runs)) : 0};
}
