/* SPDX-License-Identifier: MIT */
/* Historical data on categorical arms: what auto-gp-ucb with default settings gains or loses by them. The first rows of a recorded
 * table are the history, the next ones are played. Prints a row for each table: the shares of the regret of uniform play without
 * and with history, their ratio (standard error over paired runs), history.error of the first run, and, where values are costs, both
 * totals over the total of the arm with the smallest total in the history. Run 0 has all arms, the others a random 70 % of them. */
#include "defaults_games.h"
#include "exp.h"
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WITHOUT, WITH, ERROR, COST_WITHOUT, COST_WITH, VALUES }; /* of one run and one algorithm */

typedef struct task {
    const game_kind *kind;
    int costs;
} task;

static tvgp_policy *open(experiment *e, size_t player, tvgp_ctx *ctx, const game *g, const task *job, size_t run) {
    tvgp_domain *domain;
    experiment_check(ctx, tvgp_domain_indices(ctx, g->arms, &domain), "domain");
    tvgp_policy *policy = experiment_policy(e, player, ctx, domain, NULL, run);
    if (job->costs)
        experiment_check(ctx, tvgp_policy_set_str(policy, "sense", "min"), "sense");
    tvgp_domain_destroy(domain);
    return policy;
}

/* Regret of a step in the sense of the game: of an arm (its number), or of all on average (arms). */
static double regret(const game *g, size_t t, size_t arm, int costs) {
    const double *f = g->f + t * g->arms, sign = costs ? -1 : 1;
    double most = -INFINITY, sum = 0, n = 0;
    for (size_t i = 0; i < g->arms; i++)
        if (!isnan(f[i])) {
            most = fmax(most, sign * f[i]);
            sum += sign * f[i];
            n++;
        }
    return most - (arm < g->arms ? sign * f[arm] : sum / n);
}

/* The share of the regret of uniform play; *total: of the outcomes. */
static double play(const game *g, const task *job, tvgp_ctx *ctx, tvgp_policy *p, double *total) {
    double own = 0, uniform = 0;
    uint8_t mask[GAME_MOST_ARMS];
    *total = 0;
    for (size_t t = 0; t < g->steps; t++) {
        tvgp_query q;
        size_t n;
        for (size_t i = 0; i < g->arms; i++)
            mask[i] = (uint8_t)!isnan(g->f[t * g->arms + i]);
        experiment_check(ctx, tvgp_policy_set_available(p, g->arms, mask), "available");
        experiment_check(ctx, tvgp_policy_ask(p, (double)t, 1, &q, NULL, &n), "ask");
        const double y = g->f[t * g->arms + (size_t)q.arm];
        experiment_check(ctx, tvgp_policy_tell_value(p, q.id, y), "tell");
        own += regret(g, t, (size_t)q.arm, job->costs);
        uniform += regret(g, t, g->arms, job->costs);
        *total += y;
    }
    return own / uniform;
}

/* The total of the arm that had the smallest total in the history. */
static double of_earlier_best(const game *g, size_t rows, const double *table) {
    double least = INFINITY, total = 0;
    size_t best = 0;
    for (size_t i = 0; i < g->arms; i++) {
        double sum = 0;
        for (size_t t = 0; t < rows; t++)
            sum += table[t * g->arms + i];
        best = sum < least ? i : best;
        least = fmin(sum, least);
    }
    for (size_t t = 0; t < g->steps; t++)
        total += g->f[t * g->arms + best];
    return total;
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const task *job = user;
    tvgp_ctx *ctx;
    game g;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    game_open(&g, job->kind, e->seed + r, r == 0, 0);
    double *table = game_training(job->kind, &g);
    const double fixed = of_earlier_best(&g, job->kind->first, table);
    for (size_t i = 0; i < e->n_players; i++, values += VALUES)
        for (int learns = 0; learns < 2; learns++) {
            tvgp_policy *p = open(e, i, ctx, &g, job, r);
            if (learns)
                experiment_check(ctx, tvgp_policy_learn_history_table(p, job->kind->first, NULL, table), "history");
            values[WITHOUT + learns] = play(&g, job, ctx, p, &values[COST_WITHOUT + learns]);
            values[COST_WITHOUT + learns] /= fixed;
            values[ERROR] = experiment_stat(p, "history.error");
            tvgp_policy_destroy(p);
        }
    free(table);
    game_close(&g);
    tvgp_ctx_destroy(ctx);
}

static void report(const experiment *e, const task *job, const double *values) {
    const size_t width = VALUES * e->n_players;
    for (size_t i = 0; i < e->n_players; i++) {
        const size_t at = VALUES * i;
        const experiment_mean without = experiment_mean_of(values, e->runs, width, at + WITHOUT),
                              with = experiment_mean_of(values, e->runs, width, at + WITH),
                              to = experiment_ratio_of(values, e->runs, width, at + WITH, at + WITHOUT);
        printf("%s,%s,%zu,%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.3f,%.3f,%.2f", job->kind->name, e->players[i].label,
               job->kind->first, job->kind->rows, e->runs, without.mean, without.error, with.mean, with.error, to.mean,
               to.error, values[at + ERROR]);
        for (int learns = 0; learns < 2; learns++) {
            const experiment_mean cost = experiment_mean_of(values, e->runs, width, at + COST_WITHOUT + (size_t)learns);
            if (job->costs)
                printf(",%.3f,%.3f", cost.mean, cost.error);
            else
                printf(",,");
        }
        printf("\n");
    }
    fflush(stdout);
}

static int has_history(const game_kind *kind) {
    return kind->file && kind->first > 0 && !kind->contexts && game_there(kind);
}

void exp_history(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb", "auto-gp-ucb model.assume_misspecified=0", NULL};
    experiment e = {.name = "history", .runs = 9, .processes = 2, .seed = 1};
    double only = -1, met = 0;
    const experiment_number own[] = {{"--only", "play only this table, from 0; negative: all", &only}};
    experiment_read(&e, argc, argv, players, own, 1);
    printf("table,policy,rows of history,rows played,runs,without history,without error,with history,with error,ratio,"
           "ratio error,history.error,cost without over the earlier best,cost error,cost with,cost with error\n");
    for (const game_kind *kind = game_kinds; kind->name; kind++) {
        const task job = {.kind = kind, .costs = !strcmp(kind->group, "solvers")};
        if (!has_history(kind) || (only >= 0 && only != met++))
            continue;
        double *values = experiment_runs(&e, run, &job, VALUES * e.n_players);
        report(&e, &job, values);
        free(values);
    }
}
