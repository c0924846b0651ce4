/* SPDX-License-Identifier: MIT */
/* Minimising: two settings of a kiln whose energy bill should be small while filter and weather change the optimum: usage:
 * minimise_cost [--csv]. Costs are reported unchanged (sense=min), and all other settings are defaults. Compared with the best
 * constant setting, known in advance, and with random settings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { SIDE = 15, ARMS = SIDE * SIDE, STEPS = 300 };

static tvgp_ctx *ctx;

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "minimise_cost: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* Bill of an hour at temperature (800 .. 940 degrees) and air (10 .. 38 %): a valley of 300 that moves by a third of the range. */
static double cost(const double *x, double t) {
    const double heat = (x[0] - 870 - 25 * sin(0.015 * t)) / 70, air = (x[1] - 24 - 5 * cos(0.015 * t)) / 14;
    return 300 + 250 * (1 - exp(-1.5 * (heat * heat + air * air - heat * air)));
}

int main(int argc, char **argv) {
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const double lower[] = {800, 10}, upper[] = {940, 38};
    const size_t points[] = {SIDE, SIDE};
    double noise[STEPS], constant[ARMS] = {0}, paid = 0, least = 0, random = 0, fixed = INFINITY;
    tvgp_domain *domain;
    tvgp_policy *policy;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    check(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy));
    check(tvgp_policy_set(policy, "sense=min"));
    check(tvgp_random_normal(1, 1000, 0, STEPS, noise));
    if (csv)
        printf("t,temperature,air,cost,least\n");
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double x[2], at[2], low = INFINITY;
        check(tvgp_policy_ask_one(policy, t, &q, x));
        check(tvgp_policy_tell_value(policy, q.id, cost(x, t) + 10 * noise[t]));
        for (int i = 0; i < ARMS; i++) {
            check(tvgp_domain_point(domain, i, at));
            low = fmin(low, cost(at, t));
            constant[i] += cost(at, t);
            random += cost(at, t) / ARMS;
        }
        paid += cost(x, t);
        least += low;
        if (csv)
            printf("%d,%g,%g,%.2f,%.2f\n", t, x[0], x[1], cost(x, t), low);
    }
    for (int i = 0; i < ARMS; i++)
        fixed = fmin(fixed, constant[i]);
    double best[2], mean, variance;
    int64_t arm;
    check(tvgp_policy_best(policy, STEPS, &arm, best));
    check(tvgp_policy_predict(policy, STEPS, 1, best, &mean, &variance));
    if (!csv) {
        printf("an hour cost %.0f; possible %.0f; the best setting that never changes %.0f; at random %.0f\n", paid / STEPS,
               least / STEPS, fixed / STEPS, random / STEPS);
        printf("now %.0f degrees and %.0f %% air are believed best, for %.0f +- %.0f (true %.0f)\n", best[0], best[1], mean,
               sqrt(variance), cost(best, STEPS));
    }
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return paid < fixed ? EXIT_SUCCESS : EXIT_FAILURE;
}
