/* SPDX-License-Identifier: MIT */
/* Follows the peak of a function that drifts while it is being learned. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { ARMS = 101, STEPS = 300 };

/* The unknown: a bump that wanders over [0, 1]. The library sees noisy values of it, one per step. */
static double truth(double x, double t) {
    const double away = (x - 0.5 - 0.4 * sin(0.02 * t)) / 0.2;
    return exp(-0.5 * away * away);
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "quickstart: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

int main(void) {
    const double lower = 0, upper = 1, lengthscale = 0.2;
    const size_t points = ARMS;
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *policy = NULL;
    check(tvgp_ctx_create(NULL, &ctx), ctx);
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain), ctx);
    check(tvgp_kernel_se(ctx, 1, 1.0, &lengthscale, 1, &kernel), ctx);
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &policy), ctx);
    check(tvgp_policy_set(policy, "noise=0.01 epsilon=0.01"), ctx);

    double noise[STEPS], regret = 0, random_regret = 0;
    check(tvgp_random_normal(1, 1000, 0, STEPS, noise), ctx);
    for (int t = 1; t <= STEPS; t++) {
        tvgp_query query;
        double x, mean = 0;
        check(tvgp_policy_ask_one(policy, t, &query, &x), ctx);
        check(tvgp_policy_tell_value(policy, query.id, truth(x, t) + 0.1 * noise[t - 1]), ctx);
        for (int i = 0; i < ARMS; i++)
            mean += truth(i / (ARMS - 1.0), t) / ARMS;
        regret += 1 - truth(x, t); /* the best value is 1 at every t */
        random_regret += 1 - mean;
    }

    int64_t arm;
    double best, mean, variance;
    check(tvgp_policy_best(policy, STEPS, &arm, &best), ctx);
    check(tvgp_policy_predict(policy, STEPS, 1, &best, &mean, &variance), ctx);
    printf("at t = %d the peak is at %.2f; believed at %.2f, value %.2f +- %.2f (true %.2f)\n", STEPS,
           0.5 + 0.4 * sin(0.02 * STEPS), best, mean, sqrt(variance), truth(best, STEPS));
    printf("regret per step: %.3f, playing at random %.3f\n", regret / STEPS, random_regret / STEPS);

    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
