/* SPDX-License-Identifier: MIT */
/* The run of bench/count.py, which counts the functions of the library that one step enters: gp-ucb with default options plays 200
 * steps on a 7 x 7 grid, with a squared exponential kernel of length scale 0.2. The last step goes through `last_ask` and `last_tell`,
 * between which callgrind collects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { STEPS = 200 };

void last_ask(tvgp_policy *policy, tvgp_query *query);
void last_tell(tvgp_policy *policy, tvgp_query query, double y);

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "bench_count: %s\n", tvgp_status_name(status));
    exit(EXIT_FAILURE);
}

static void ask(tvgp_policy *policy, double t, tvgp_query *query) {
    size_t n;
    check(tvgp_policy_ask(policy, t, 1, query, NULL, &n));
}

static void tell(tvgp_policy *policy, tvgp_query query, double y) {
    const tvgp_obs outcome = {.id = query.id, .outcome = TVGP_VALUE, .y = y};
    check(tvgp_policy_tell(policy, 1, &outcome, NULL));
}

static double reward(const tvgp_domain *domain, tvgp_query query) {
    double x[2];
    check(tvgp_domain_point(domain, query.arm, x));
    return sin(5 * x[0]) + cos(7 * x[1]) + 0.1 * sin(1000 * query.t);
}

void last_ask(tvgp_policy *policy, tvgp_query *query) {
    ask(policy, STEPS, query);
}

void last_tell(tvgp_policy *policy, tvgp_query query, double y) {
    tell(policy, query, y);
}

int main(void) {
    const double lower[] = {0, 0}, upper[] = {1, 1}, lengthscale = 0.2;
    const size_t points[] = {7, 7};
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    tvgp_query query;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    check(tvgp_kernel_se(ctx, 2, 1, 1, &lengthscale, &kernel));
    check(tvgp_policy_create(ctx, "gp-ucb", domain, kernel, &policy));
    for (size_t t = 1; t < STEPS; t++) {
        ask(policy, (double)t, &query);
        tell(policy, query, reward(domain, query));
    }
    last_ask(policy, &query);
    last_tell(policy, query, reward(domain, query));
    tvgp_policy_destroy(policy);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return 0;
}
