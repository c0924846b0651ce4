/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <stdio.h>
#include <stdlib.h>

enum { REGRET, RESETS, VALUES }; /* of each player; the regret of the best constant arm comes last */

static void run(experiment *e, const void *user, size_t r, double *values) {
    const experiment_problem *p = user;
    double *f = p->functions(p->user, e->seed + r), *regret = experiment_allocate(p->steps, sizeof *regret);
    const experiment_table table = {.arms = p->arms, .steps = p->steps, .f = f, .noise = p->noise, .seed = e->seed + r};
    for (size_t i = 0; i < e->n_players; i++) {
        tvgp_policy *policy = experiment_policy(e, i, p->ctx, p->domain, p->kernel, r);
        experiment_play(&table, p->ctx, policy, regret);
        values[VALUES * i + REGRET] = experiment_sum(p->steps, regret);
        values[VALUES * i + RESETS] = experiment_stat(policy, "resets");
        tvgp_policy_destroy(policy);
    }
    experiment_constant(&table, regret);
    values[VALUES * e->n_players] = experiment_sum(p->steps, regret);
    free(regret);
    free(f);
}

void experiment_compare(experiment *e, const experiment_problem *p, const char *variant) {
    experiment_refuse_unused(e, p->ctx, p->domain, p->kernel);
    const size_t n_values = VALUES * e->n_players + 1;
    double *values = experiment_runs(e, run, p, n_values);
    printf("experiment,variant,policy,runs,regret,regret_error,resets,resets_error\n");
    for (size_t i = 0; i <= e->n_players; i++) {
        const experiment_mean regret = experiment_mean_of(values, e->runs, n_values, VALUES * i + REGRET);
        const char *label = i < e->n_players ? e->players[i].label : "best constant arm";
        printf("%s,%s,%s,%zu,%.2f,%.2f,", e->name, variant, label, e->runs, regret.mean, regret.error);
        if (i < e->n_players) {
            const experiment_mean resets = experiment_mean_of(values, e->runs, n_values, VALUES * i + RESETS);
            printf("%.2f,%.2f\n", resets.mean, resets.error);
        } else {
            printf(",\n");
        }
    }
    free(values);
}
