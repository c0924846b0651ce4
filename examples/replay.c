/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include "progress.h"
#include "stopwatch.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Best and mean of the values of a row; 0 when it has none. */
static int row_summary(const double *row, size_t n, double *best, double *mean) {
    double sum = 0;
    size_t count = 0;
    *best = -INFINITY;
    for (size_t a = 0; a < n; a++) {
        if (isnan(row[a]))
            continue;
        *best = fmax(*best, row[a]);
        sum += row[a];
        count++;
    }
    *mean = sum / (double)count;
    return count > 0;
}

/* Side queries come before the action; there is no expert here. */
static tvgp_status ask_action(tvgp_policy *policy, double t, tvgp_query *query) {
    for (;;) {
        const tvgp_status status = tvgp_policy_ask_one(policy, t, query, NULL);
        if (status != TVGP_OK || query->kind != TVGP_SIDE)
            return status;
        const tvgp_obs skipped = {.id = query->id, .outcome = TVGP_SKIPPED};
        const tvgp_status told = tvgp_policy_tell(policy, 1, &skipped, NULL);
        if (told != TVGP_OK)
            return told;
    }
}

tvgp_status replay_policy(tvgp_policy *policy, const char *name, const readings *r, size_t first, replay_result *result) {
    const size_t total = r->n_times - first;
    uint8_t *available = malloc(r->n_arms);
    tvgp_status status = available ? TVGP_OK : TVGP_ERR_NOMEM;
    double seconds = 0;
    *result = (replay_result){0};
    for (size_t i = 0; i < total && status == TVGP_OK; i++) {
        const double *row = r->value + (first + i) * r->n_arms;
        double best, mean;
        if (row_summary(row, r->n_arms, &best, &mean)) {
            for (size_t a = 0; a < r->n_arms; a++)
                available[a] = (uint8_t)!isnan(row[a]);
            status = tvgp_policy_set_available(policy, r->n_arms, available);
            if (status != TVGP_OK)
                break;
            tvgp_query query;
            const double start = stopwatch_seconds();
            status = ask_action(policy, (double)(i + 1), &query);
            if (status != TVGP_OK)
                break;
            const double value = row[query.arm];
            status = tvgp_policy_tell_value(policy, query.id, value);
            seconds += stopwatch_seconds() - start;
            result->steps++;
            result->best_chosen += value >= best;
            result->regret += best - value;
        }
        progress_show(name, i + 1, total);
    }
    if (result->steps)
        result->step_seconds = seconds / (double)result->steps;
    free(available);
    return status;
}

double replay_at_random(const readings *r, size_t first) {
    double regret = 0, best, mean;
    for (size_t i = first; i < r->n_times; i++)
        if (row_summary(r->value + i * r->n_arms, r->n_arms, &best, &mean))
            regret += best - mean;
    return regret;
}

/* One arm; in rows without its value the best arm of the training rows that has one, as replay_best_of_phase plays. */
static replay_result constant_arm(const readings *r, size_t first, size_t arm) {
    replay_result result = {0};
    for (size_t i = first; i < r->n_times; i++) {
        const double *row = r->value + i * r->n_arms;
        double best, mean;
        if (!row_summary(row, r->n_arms, &best, &mean))
            continue;
        const double value = row[isnan(row[arm]) ? readings_best_of_phase(r, first, 1, 1, i) : arm];
        result.steps++;
        result.best_chosen += value >= best;
        result.regret += best - value;
    }
    return result;
}

size_t replay_best_constant(const readings *r, size_t first, replay_result *result) {
    size_t best = 0;
    *result = constant_arm(r, first, 0);
    for (size_t a = 1; a < r->n_arms; a++) {
        const replay_result candidate = constant_arm(r, first, a);
        if (candidate.regret >= result->regret)
            continue;
        *result = candidate;
        best = a;
    }
    return best;
}

void replay_best_of_phase(const readings *r, size_t first, size_t period, size_t bins, replay_result *result) {
    *result = (replay_result){0};
    for (size_t i = first; i < r->n_times; i++) {
        const double *row = r->value + i * r->n_arms;
        double best, mean;
        if (!row_summary(row, r->n_arms, &best, &mean))
            continue;
        const double value = row[readings_best_of_phase(r, first, period, bins, i)];
        result->steps++;
        result->best_chosen += value >= best;
        result->regret += best - value;
    }
}
