/* SPDX-License-Identifier: MIT */
/* Processor time of tvgp_policy_learn_history_table on tables of three types: one period, two periods, and drift without a period. CSV: type,
 * rows, arms, seconds (minimum and median), periods found.
 *
 * usage: bench_history [rows [arms [repetitions]]]    defaults 2880 54 3 */
#include "samples.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tvgp.h>

enum { DAY = 96 }; /* rows */
static const char *const types[] = {"one period", "two periods", "drift"};
enum { TYPES = sizeof types / sizeof *types };

static void check(tvgp_ctx *ctx, tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "%s\n", tvgp_ctx_errmsg(ctx));
    exit(1);
}

/* A level that drifts, an arm's own phase of the periods, and noise. */
static void fill(tvgp_ctx *ctx, int type, size_t rows, size_t arms, double *table) {
    double *level = calloc(arms, sizeof *level), *z = calloc(2 * arms, sizeof *z);
    if (!level || !z)
        exit(1);
    for (size_t r = 0; r < rows; r++) {
        const double day = 6.283185307179586 * (double)r / DAY, week = day / 7;
        check(ctx, tvgp_random_normal(1, (uint32_t)type, r, 2 * arms, z));
        for (size_t a = 0; a < arms; a++) {
            level[a] = 0.99 * level[a] + 0.1 * z[a];
            table[r * arms + a] = level[a] + 0.3 * z[arms + a] + (type < 2 ? sin(day + 0.1 * (double)a) : 0) +
                                  (type == 1 ? 0.7 * cos(week - 0.2 * (double)a) : 0);
        }
    }
    free(level);
    free(z);
}

static double learn(tvgp_ctx *ctx, size_t rows, size_t arms, const double *table, double *periods) {
    const double lower = 0, upper = 1;
    tvgp_domain *domain;
    tvgp_policy *policy;
    check(ctx, tvgp_domain_grid(ctx, 1, &lower, &upper, &arms, &domain));
    check(ctx, tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy));
    tvgp_domain_destroy(domain);
    const clock_t start = clock();
    check(ctx, tvgp_policy_learn_history_table(policy, rows, NULL, table));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check(ctx, tvgp_policy_stat(policy, "history.period", periods));
    tvgp_policy_destroy(policy);
    return seconds;
}

int main(int argc, char **argv) {
    const size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 2880, arms = argc > 2 ? strtoul(argv[2], NULL, 10) : 54,
                 repetitions = argc > 3 ? strtoul(argv[3], NULL, 10) : 3;
    double *table = calloc(rows * arms, sizeof *table), *seconds = calloc(repetitions, sizeof *seconds), period;
    tvgp_ctx *ctx;
    if (!table || !seconds || !repetitions)
        return 1;
    check(NULL, tvgp_ctx_create(NULL, &ctx));
    printf("table,rows,arms,seconds_minimum,seconds_median,first_period\n");
    for (int type = 0; type < TYPES; type++) {
        fill(ctx, type, rows, arms, table);
        for (size_t i = 0; i < repetitions; i++)
            seconds[i] = learn(ctx, rows, arms, table, &period);
        samples_sort(seconds, repetitions);
        printf("%s,%zu,%zu,%.3f,%.3f,%g\n", types[type], rows, arms, seconds[0], seconds[repetitions / 2], period);
    }
    tvgp_ctx_destroy(ctx);
    free(table);
    free(seconds);
}
