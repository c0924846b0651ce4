/* SPDX-License-Identifier: MIT */
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double experiment_sum(size_t n, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double best_of(size_t n, const double *f) {
    double best = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (f[i] > best) /* false for NaN */
            best = f[i];
    return best;
}

static void set_available(const tvgp_ctx *ctx, tvgp_policy *policy, size_t arms, const double *f, uint8_t *mask) {
    for (size_t i = 0; i < arms; i++)
        mask[i] = (uint8_t)!isnan(f[i]);
    experiment_check(ctx, tvgp_policy_set_available(policy, arms, mask), "available arms");
}

/* Reports outcomes of n queries of step t, the batch-th of that step. The arm of the action among them, `arms` when there is
 * none. */
static size_t answer(const experiment_table *table, const tvgp_ctx *ctx, tvgp_policy *policy, size_t t, uint64_t batch,
                     size_t n, const tvgp_query *q, tvgp_obs *outcome, double *noise) {
    const double *f = table->f + (t - 1) * table->arms;
    size_t action = table->arms;
    const uint64_t step = (uint64_t)t * (table->arms + 2) + batch;
    experiment_check(ctx, tvgp_random_normal(table->seed, EXPERIMENT_EXPERT, step, n, noise), "noise");
    for (size_t i = 0; i < n; i++) {
        const size_t arm = (size_t)q[i].arm;
        double added = sqrt(table->expert_noise) * noise[i];
        if (q[i].kind == TVGP_ACTION) {
            experiment_check(ctx, tvgp_random_normal(table->seed, EXPERIMENT_NOISE, t, 1, &added), "noise");
            added *= sqrt(table->noise);
            action = arm;
        }
        outcome[i] = (tvgp_obs){.id = q[i].id, .y = f[arm] + added};
    }
    experiment_check(ctx, tvgp_policy_tell(policy, n, outcome, NULL), "tell");
    return action;
}

/* Asks until the action of step t has been asked, answering everything, and then for the side queries that are due: as in
 * the papers, what an action is chosen from was seen at steps before it. Its arm. */
static size_t play_step(const experiment_table *table, const tvgp_ctx *ctx, tvgp_policy *policy, size_t t, tvgp_query *q,
                        tvgp_obs *outcome, double *noise) {
    size_t action = table->arms, n;
    for (uint64_t batch = 0; batch < table->arms + 2; batch++) {
        if (action < table->arms && experiment_stat(policy, "side.due") == 0)
            return action;
        experiment_check(ctx, tvgp_policy_ask(policy, (double)t, table->arms + 1, q, NULL, &n), "ask");
        const size_t arm = answer(table, ctx, policy, t, batch, n, q, outcome, noise);
        if (arm < table->arms)
            action = arm;
    }
    fprintf(stderr, "no action at t = %zu\n", t);
    exit(EXIT_FAILURE);
}

void experiment_play(const experiment_table *table, const tvgp_ctx *ctx, tvgp_policy *policy, double *regret) {
    const size_t arms = table->arms;
    tvgp_query *q = experiment_allocate(arms + 1, sizeof *q);
    tvgp_obs *outcome = experiment_allocate(arms + 1, sizeof *outcome);
    double *noise = experiment_allocate(arms + 1, sizeof *noise);
    uint8_t *mask = experiment_allocate(arms, sizeof *mask);
    for (size_t t = 1; t <= table->steps; t++) {
        const double *f = table->f + (t - 1) * arms;
        set_available(ctx, policy, arms, f, mask);
        regret[t - 1] = best_of(arms, f) - f[play_step(table, ctx, policy, t, q, outcome, noise)];
    }
    free(mask);
    free(noise);
    free(outcome);
    free(q);
}

void experiment_constant(const experiment_table *table, double *regret) {
    const size_t arms = table->arms;
    double *sum = experiment_allocate(arms, sizeof *sum);
    for (size_t i = 0; i < arms * table->steps; i++)
        sum[i % arms] += table->f[i];
    size_t best = 0;
    for (size_t i = 1; i < arms; i++)
        if (sum[i] > sum[best] || isnan(sum[best]))
            best = i;
    for (size_t t = 0; t < table->steps; t++)
        regret[t] = best_of(arms, table->f + t * arms) - table->f[t * arms + best];
    free(sum);
}
