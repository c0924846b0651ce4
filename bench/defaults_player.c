/* SPDX-License-Identifier: MIT */
/* Plays auto-gp-ucb on games of defaults_games.h with a library of any version: compare_defaults.py compiles it with each.
 *
 * usage: defaults_player GROUP DELAY SEED RUNS [OPTION=VALUE ...]
 * GROUP `history`: the tables, after learning from their training rows. Prints game, seed, the share of the regret of
 * uniform play, and microseconds of processor time a step. */
#include "csv.h"
#include "defaults_games.h"
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef LEARN
#define LEARN tvgp_policy_learn_history_table
#endif

typedef struct order {
    const char *group;
    size_t delay;
    int options;
    char **option;
} order;

void *experiment_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        exit(EXIT_FAILURE);
    return memory;
}

void experiment_check(const tvgp_ctx *ctx, tvgp_status status, const char *what) {
    if (status >= 0)
        return;
    fprintf(stderr, "defaults_player: %s: %s\n", what, ctx ? tvgp_ctx_errmsg(ctx) : tvgp_status_name(status));
    exit(EXIT_FAILURE);
}

static int learns(const order *o) {
    return !strcmp(o->group, "history");
}

/* The training rows of the arms of this game. */
static void learn(const game_kind *kind, const game *g, tvgp_ctx *ctx, tvgp_policy *policy) {
    double *t = experiment_allocate(kind->first, sizeof *t), *value = game_training(kind, g);
    for (size_t i = 0; i < kind->first; i++)
        t[i] = (double)i + 1 - (double)kind->first;
    experiment_check(ctx, LEARN(policy, kind->first, t, value), kind->name);
    free(t);
    free(value);
}

static double play(const game *g, size_t delay, tvgp_ctx *ctx, tvgp_policy *policy) {
    double lost = 0, uniform = 0;
    uint8_t *there = experiment_allocate(g->arms, sizeof *there);
    tvgp_query *asked = experiment_allocate(g->steps, sizeof *asked);
    for (size_t t = 0; t < g->steps; t++) {
        const double *f = g->f + t * g->arms;
        double most = -INFINITY, sum = 0, n = 0;
        size_t emitted;
        for (size_t i = 0; i < g->arms; i++) {
            there[i] = (uint8_t)!isnan(f[i]);
            most = there[i] ? fmax(most, f[i]) : most;
            sum += there[i] ? f[i] : 0;
            n += there[i];
        }
        experiment_check(ctx, tvgp_policy_set_available(policy, g->arms, there), "available");
        experiment_check(ctx, tvgp_policy_ask(policy, (double)(t + 1), 1, &asked[t], NULL, &emitted), "ask");
        lost += most - f[asked[t].arm];
        uniform += most - sum / n;
        if (t >= delay)
            experiment_check(ctx,
                             tvgp_policy_tell_value(policy, asked[t - delay].id,
                                                    g->y[(t - delay) * g->arms + (size_t)asked[t - delay].arm]),
                             "tell");
    }
    free(there);
    free(asked);
    return lost / uniform;
}

static void run(const order *o, const game_kind *kind, uint64_t seed, int all_arms) {
    game g;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_policy *policy;
    game_open(&g, kind, seed, all_arms, 0);
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_domain_indices(ctx, g.arms, &domain), "domain");
    experiment_check(ctx, tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy), "auto-gp-ucb");
    experiment_check(ctx, tvgp_policy_set_i64(policy, "seed", (int64_t)seed), "seed");
    for (int i = 0; i < o->options; i++)
        experiment_check(ctx, tvgp_policy_set(policy, o->option[i]), o->option[i]);
    if (learns(o))
        learn(kind, &g, ctx, policy);
    const clock_t start = clock();
    const double share = play(&g, o->delay, ctx, policy), seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s,%llu,%.9f,%.3f\n", kind->name, (unsigned long long)seed, share, 1e6 * seconds / (double)g.steps);
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    game_close(&g);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fputs("usage: defaults_player GROUP DELAY SEED RUNS [OPTION=VALUE ...]\n", stderr);
        return 2;
    }
    const order o = {.group = argv[1], .delay = strtoul(argv[2], NULL, 10), .options = argc - 5, .option = argv + 5};
    const uint64_t seed = strtoull(argv[3], NULL, 10), runs = strtoull(argv[4], NULL, 10);
    for (const game_kind *kind = game_kinds; kind->name; kind++) {
        if (learns(&o) ? !kind->first : strcmp(kind->group, o.group) != 0)
            continue;
        for (uint64_t r = 0; game_there(kind) && r < runs; r++)
            run(&o, kind, seed + r, r == 0);
    }
    return 0;
}
