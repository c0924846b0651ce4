/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <stdio.h>
#include <stdlib.h>

enum { REGRET, EXCESS, STATS, VALUES = STATS + EXPERIMENT_STATS }; /* of each algorithm; the best constant arm comes last */
static const char *const resets[] = {"resets", NULL};

static void run(experiment *e, const void *user, size_t r, double *values) {
    const experiment_problem *p = user;
    double *f = p->functions(p->user, e->seed + r), *regret = experiment_allocate(p->steps, sizeof *regret);
    const experiment_table table = {.arms = p->arms, .steps = p->steps, .f = f, .noise = p->noise, .seed = e->seed + r};
    for (size_t i = 0; i < e->n_players; i++) {
        double *mine = values + VALUES * i;
        tvgp_policy *policy = experiment_policy(e, i, p->ctx, p->domain, p->kernel, r);
        if (p->prepare)
            p->prepare(p->user, policy);
        experiment_play(&table, p->ctx, policy, regret);
        mine[REGRET] = experiment_sum(p->steps, regret);
        mine[EXCESS] = mine[REGRET] - values[REGRET];
        for (size_t k = 0; p->stats[k]; k++)
            mine[STATS + k] = experiment_stat(policy, p->stats[k]);
        tvgp_policy_destroy(policy);
    }
    experiment_constant(&table, regret);
    values[VALUES * e->n_players + REGRET] = experiment_sum(p->steps, regret);
    values[VALUES * e->n_players + EXCESS] = values[VALUES * e->n_players + REGRET] - values[REGRET];
    free(regret);
    free(f);
}

void experiment_compare(experiment *e, const experiment_problem *problem, const char *variant) {
    experiment_problem p = *problem;
    if (!p.stats)
        p.stats = resets;
    experiment_refuse_unused(e, p.ctx, p.domain, p.kernel);
    const size_t n_values = VALUES * (e->n_players + 1);
    double *values = experiment_runs(e, run, &p, n_values);
    printf("experiment,variant,policy,runs,regret,regret_error%s", p.paired ? ",excess,excess_error" : "");
    for (size_t k = 0; p.stats[k]; k++)
        printf(",%s,%s_error", p.stats[k], p.stats[k]);
    for (size_t i = 0; i <= e->n_players; i++) {
        printf("\n%s,%s,%s,%zu", e->name, variant, i < e->n_players ? e->players[i].label : "best constant arm", e->runs);
        for (size_t v = REGRET; v < STATS || p.stats[v - STATS]; v++) {
            const experiment_mean mean = experiment_mean_of(values, e->runs, n_values, VALUES * i + v);
            if (v >= STATS && i == e->n_players)
                printf(",,");
            else if (v != EXCESS || p.paired)
                printf(",%.2f,%.2f", mean.mean, mean.error);
        }
    }
    printf("\n");
    free(values);
}
