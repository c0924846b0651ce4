/* SPDX-License-Identifier: MIT */
/* Ten thousand arms in five dimensions, and a dictionary instead of all that was tried: what bkb keeps, and what it finds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { ARMS = 10000, DIM = 5, STEPS = 300 };

/* The unknown: a broad hill with its top at (0.7, .., 0.7). */
static double truth(const double *x) {
    double away = 0;
    for (int d = 0; d < DIM; d++)
        away += (x[d] - 0.7) * (x[d] - 0.7);
    return exp(-0.5 * away / 0.25);
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "many_arms: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

int main(void) {
    const double lengthscale = 1;
    double *X = malloc(sizeof *X * ARMS * DIM), noise[STEPS], best = 0, regret = 0, mean = 0;
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *policy = NULL;
    check(X ? tvgp_ctx_create(NULL, &ctx) : TVGP_ERR_NOMEM, ctx);
    check(tvgp_random_uniform(1, 1000, 0, (size_t)ARMS * DIM, X), ctx);
    check(tvgp_random_normal(1, 1001, 0, STEPS, noise), ctx);
    check(tvgp_domain_arms(ctx, ARMS, DIM, X, &domain), ctx);
    check(tvgp_kernel_se(ctx, DIM, 1.0, 1, &lengthscale, &kernel), ctx);
    check(tvgp_policy_create(ctx, "bkb", domain, kernel, &policy), ctx);
    check(tvgp_policy_set_f64(policy, "noise", 0.09), ctx);
    check(tvgp_policy_set_f64(policy, "qbar", 5), ctx);          /* 0 would be what the theory asks for: hundreds */
    check(tvgp_policy_set_f64(policy, "update.growth", 2), ctx); /* a new dictionary now and then, not at every step */
    check(tvgp_policy_set_str(policy, "width.schedule", "log"), ctx);
    for (int i = 0; i < ARMS; i++) {
        best = fmax(best, truth(X + i * DIM));
        mean += truth(X + i * DIM) / ARMS;
    }
    for (int t = 1; t <= STEPS; t++) {
        tvgp_query query;
        double x[DIM];
        check(tvgp_policy_ask_one(policy, t, &query, x), ctx);
        check(tvgp_policy_tell_value(policy, query.id, truth(x) + 0.3 * noise[t - 1]), ctx);
        regret += best - truth(x);
    }

    double members, distinct, dimension, drawn, found[DIM];
    check(tvgp_policy_stat(policy, "dictionary.size", &members), ctx);
    check(tvgp_policy_stat(policy, "distinct", &distinct), ctx);
    check(tvgp_policy_stat(policy, "effective_dimension", &dimension), ctx);
    check(tvgp_policy_stat(policy, "dictionary.draws", &drawn), ctx);
    int64_t arm;
    check(tvgp_policy_best(policy, STEPS, &arm, found), ctx);
    printf("%d pulls of %g arms; dictionary of %g for an effective dimension of %.1f, drawn %g times\n", STEPS, distinct,
           members, dimension, drawn);
    printf("believed best: %.2f of %.2f; regret per step: %.3f, playing at random %.3f\n", truth(found), best,
           regret / STEPS, best - mean);

    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    free(X);
    return EXIT_SUCCESS;
}
