/* SPDX-License-Identifier: MIT */
/* The runs of bench/count.py, which counts the functions of the library that one call enters, with a squared exponential kernel of
 * length scale 0.2 in two dimensions and default options: gp-ucb plays 200 steps on a 7 x 7 grid, tv-gp-ucb 40 steps on a box. The last
 * step goes through `last_ask`, `last_tell` and `last_box`, between which callgrind collects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { STEPS = 200, STEPS_ON_BOX = 40 };

void last_ask(tvgp_policy *policy, tvgp_query *query);
void last_tell(tvgp_policy *policy, tvgp_query query, double y);
void last_box(tvgp_policy *policy, tvgp_query *query, double *x);

static void check(tvgp_status status) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "bench_count: %s\n", tvgp_status_name(status));
    exit(EXIT_FAILURE);
}

static void ask(tvgp_policy *policy, double t, tvgp_query *query, double *x) {
    size_t n;
    check(tvgp_policy_ask(policy, t, 1, query, x, &n));
}

static void tell(tvgp_policy *policy, tvgp_query query, double y) {
    const tvgp_obs outcome = {.id = query.id, .outcome = TVGP_VALUE, .y = y};
    check(tvgp_policy_tell(policy, 1, &outcome, NULL));
}

static double reward(const double *x, double t) {
    return sin(5 * x[0]) + cos(7 * x[1]) + 0.1 * sin(1000 * t);
}

void last_ask(tvgp_policy *policy, tvgp_query *query) {
    ask(policy, STEPS, query, NULL);
}

void last_tell(tvgp_policy *policy, tvgp_query query, double y) {
    tell(policy, query, y);
}

void last_box(tvgp_policy *policy, tvgp_query *query, double *x) {
    ask(policy, STEPS_ON_BOX, query, x);
}

/* Plays steps - 1 steps. */
static tvgp_policy *play(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain, int steps) {
    const double lengthscale = 0.2;
    tvgp_kernel *kernel;
    tvgp_policy *policy;
    tvgp_query query;
    double x[2];
    check(tvgp_kernel_se(ctx, 2, 1, 1, &lengthscale, &kernel));
    check(tvgp_policy_create(ctx, name, domain, kernel, &policy));
    tvgp_kernel_destroy(kernel);
    for (int t = 1; t < steps; t++) {
        ask(policy, t, &query, x);
        tell(policy, query, reward(x, t));
    }
    return policy;
}

int main(void) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points[] = {7, 7};
    double x[2];
    tvgp_ctx *ctx;
    tvgp_domain *grid, *box;
    tvgp_query query;
    check(tvgp_ctx_create(NULL, &ctx));
    check(tvgp_domain_grid(ctx, 2, lower, upper, points, &grid));
    check(tvgp_domain_box(ctx, 2, lower, upper, &box));
    tvgp_policy *on_grid = play(ctx, "gp-ucb", grid, STEPS), *on_box = play(ctx, "tv-gp-ucb", box, STEPS_ON_BOX);
    last_ask(on_grid, &query);
    check(tvgp_domain_point(grid, query.arm, x));
    last_tell(on_grid, query, reward(x, STEPS));
    last_box(on_box, &query, x);
    tvgp_policy_destroy(on_grid);
    tvgp_policy_destroy(on_box);
    tvgp_domain_destroy(grid);
    tvgp_domain_destroy(box);
    tvgp_ctx_destroy(ctx);
    return 0;
}
