/* SPDX-License-Identifier: MIT */
/* What a constraint costs: microseconds of ask and tell of tv-gp-ucb on arms and on a box of two dimensions, without a constraint and with
 * one, in alternating blocks of one run: mean and median of the steps, in processor time. CSV on standard output. */
#include "stopwatch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { WARM = 5, BLOCKS = 15, PLAYERS = 2 };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status < 0)
        exit((fprintf(stderr, "%s\n", tvgp_ctx_errmsg(ctx)), EXIT_FAILURE));
}

static tvgp_policy *create(const tvgp_domain *domain, const tvgp_kernel *kernel, int limited, const double *safe) {
    tvgp_policy *policy, *model;
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy));
    if (!limited)
        return policy;
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &model));
    check(tvgp_policy_add_constraint(policy, model, TVGP_AT_LEAST, -0.5));
    check(tvgp_policy_set_safe(policy, 1, safe));
    tvgp_policy_destroy(model);
    return policy;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Steps of both, block by block, from step 0 on; those of the first WARM blocks do not count. */
static void measure(const char *what, size_t n, const tvgp_domain *domain, const tvgp_kernel *kernel, const double *safe,
                    int steps) {
    double *seconds[PLAYERS], mean[PLAYERS] = {0}, x[2];
    tvgp_policy *policy[PLAYERS];
    const size_t all = (size_t)(BLOCKS * steps);
    for (int k = 0; k < PLAYERS; k++) {
        policy[k] = create(domain, kernel, k, safe);
        seconds[k] = calloc(all, sizeof *seconds[k]);
    }
    for (int block = -WARM; block < BLOCKS; block++)
        for (int k = 0; k < PLAYERS; k++)
            for (int i = 0; i < steps; i++) {
                tvgp_query q;
                const double t = (block + WARM) * steps + i, start = stopwatch_processor();
                check(tvgp_policy_ask_one(policy[k], t, &q, x));
                check(tvgp_policy_tell_values(policy[k], q.id, 1 + (size_t)k,
                                              (double[]){sin(5 * x[0] + 0.01 * t), cos(3 * x[1] - 0.02 * t)}));
                if (block >= 0)
                    mean[k] += (seconds[k][block * steps + i] = stopwatch_processor() - start) / (double)all;
            }
    for (int k = 0; k < PLAYERS; k++) {
        qsort(seconds[k], all, sizeof **seconds, by_size);
        tvgp_policy_destroy(policy[k]);
    }
    const double without = seconds[0][all / 2], with = seconds[1][all / 2];
    printf("%s,%zu,%.1f,%.1f,%.2f,%.1f,%.1f,%.2f\n", what, n, 1e6 * mean[0], 1e6 * mean[1], mean[1] / mean[0], 1e6 * without,
           1e6 * with, with / without);
    for (int k = 0; k < PLAYERS; k++)
        free(seconds[k]);
}

int main(void) {
    const double low[2] = {0, 0}, high[2] = {1, 1}, l = 0.3;
    tvgp_kernel *kernel;
    tvgp_domain *domain;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_kernel_se(ctx, 2, 1, 1, &l, &kernel));
    puts("what,arms,mean_without_us,mean_with_us,ratio_of_means,median_without_us,median_with_us,ratio_of_medians");
    for (size_t side = 10; side <= 100; side = side == 10 ? 32 : side == 32 ? 100 : 101) {
        check(tvgp_domain_grid(ctx, 2, low, high, (const size_t[]){side, side}, &domain));
        measure("arms", side * side, domain, kernel, low, side < 100 ? 400 : 60);
        tvgp_domain_destroy(domain);
    }
    check(tvgp_domain_box(ctx, 2, low, high, &domain));
    measure("box", 0, domain, kernel, (const double[]){0.5, 0.5}, 8);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
