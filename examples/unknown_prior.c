/* SPDX-License-Identifier: MIT */
/* Three experts, three kernels, one function: which kernel gets the weight while the function is learned?
 *
 * The function repeats every quarter of the interval. One expert assumes that it is smooth, one that it is rough, one that it repeats.
 * Each is a prior of the policy. fb-gp-ucb weighs the priors by their marginal likelihood, which is printed. Then the other policies
 * with several priors play the same run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { ARMS = 101, STEPS = 60, EXPERTS = 3 };

static double truth(double x) {
    const double turns = 8 * acos(-1) * x;
    return sin(turns) + 0.5 * cos(2 * turns);
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "unknown_prior: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static void print_beliefs(const tvgp_ctx *ctx, const tvgp_policy *policy, int t, double value) {
    printf("%3d %7.2f    ", t, value);
    for (int i = 0; i < EXPERTS; i++) {
        char key[32];
        double weight;
        snprintf(key, sizeof key, "prior.weight.%d", i);
        check(tvgp_policy_stat(policy, key, &weight), ctx);
        printf("%9.3f", weight);
    }
    printf("\n");
}

/* Regret per step; `show`: a line about the weights at some of the steps. */
static double play(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, tvgp_kernel *const *kernel, int show) {
    double noise[STEPS], best = -INFINITY, regret = 0;
    tvgp_policy *policy = NULL;
    check(tvgp_policy_create(ctx, name, domain, kernel[0], &policy), ctx);
    for (int i = 0; i < EXPERTS; i++)
        check(tvgp_policy_add_prior(policy, kernel[i], 0, NULL, 0), ctx);
    check(tvgp_policy_set_f64(policy, "noise", 0.0025), ctx);
    check(tvgp_policy_set_i64(policy, "horizon", STEPS), ctx);
    check(tvgp_random_normal(1, 1000, 0, STEPS, noise), ctx);
    for (int i = 0; i < ARMS; i++)
        best = fmax(best, truth(i / (ARMS - 1.0)));
    for (int t = 1; t <= STEPS; t++) {
        tvgp_query query;
        double x;
        check(tvgp_policy_ask_one(policy, t, &query, &x), ctx);
        check(tvgp_policy_tell_value(policy, query.id, truth(x) + 0.05 * noise[t - 1]), ctx);
        regret += best - truth(x);
        if (show && (t <= 10 || t % 10 == 0))
            print_beliefs(ctx, policy, t, truth(x));
    }
    tvgp_policy_destroy(policy);
    return regret / STEPS;
}

int main(void) {
    static const char *const others[] = {"mle-gp-ucb", "pe-gp-ucb", "rb-gp-ucb"};
    const double lower = 0, upper = 1, smooth = 0.3, rough = 0.02, period = 0.25, shape = 0.8;
    const size_t points = ARMS;
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel[EXPERTS] = {NULL};
    check(tvgp_ctx_create(NULL, &ctx), ctx);
    check(tvgp_domain_grid(ctx, 1, &lower, &upper, &points, &domain), ctx);
    check(tvgp_kernel_se(ctx, 1, 1, 1, &smooth, &kernel[0]), ctx);
    check(tvgp_kernel_matern(ctx, 1, 1.5, 1, 1, &rough, &kernel[1]), ctx);
    check(tvgp_kernel_periodic(ctx, 1, 1, 1, &shape, 1, &period, &kernel[2]), ctx);

    printf("  t   value       smooth    rough  repeats\n");
    const double regret = play(ctx, "fb-gp-ucb", domain, kernel, 1);
    printf("\nregret per step: fb-gp-ucb %.3f", regret);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        printf(", %s %.3f", others[i], play(ctx, others[i], domain, kernel, 0));
    printf("\n");

    for (int i = 0; i < EXPERTS; i++)
        tvgp_kernel_destroy(kernel[i]);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
