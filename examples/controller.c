/* SPDX-License-Identifier: MIT */
/* A controller with three gains holds a plant that drifts. The policy has default settings and receives the logarithm of each
 * episode's cost, since ratios count. Its exploration coefficient is small because a bad episode is expensive. Prints the cost of a
 * step, compared with gains tuned once, the best fixed gains in hindsight and the best gains of every step, and the price of changing
 * the gains less often. With the argument --csv it prints every step as CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { STEPS = 400, BLOCK = 50, SIDE = 14, GAINS = SIDE * SIDE * SIDE, TICKS = 120, DELAY = 4 };

/* Gains are searched by their decimal logarithms: proportional, integral, derivative. */
static const double LOWER[3] = {-1, -1.5, -2}, UPPER[3] = {1, 1, 0.5}, TICK = 0.1, NOISE = 0.01;

typedef struct {
    double gain, lag; /* of the plant: what an input comes to, and how slowly */
} plant;

static plant plant_at(int t) {
    return (plant){.gain = exp(0.9 * sin(0.016 * t)), .lag = 1.5 * exp(0.6 * sin(0.027 * t + 1))};
}

/* One episode: the set point jumps from 0 to 1. Two lags behind a dead time, a PID controller whose output is limited;
 * the cost is the root mean square of the error and a share of the root mean square of the controller's moves. */
static double episode(const plant *p, const double *x) {
    const double kp = pow(10, x[0]), ki = pow(10, x[1]), kd = pow(10, x[2]);
    double late[DELAY] = {0}, first = 0, y = 0, sum = 0, before = 1, u = 0, errors = 0, moves = 0;
    for (int k = 0; k < TICKS; k++) {
        const double e = 1 - y, wanted = kp * e + ki * (sum + TICK * e) + kd * (e - before) / TICK;
        const double limited = fmax(-5, fmin(wanted, 5));
        if (wanted == limited) /* no wind-up */
            sum += TICK * e;
        errors += e * e;
        moves += (limited - u) * (limited - u);
        before = e;
        u = limited;
        first += TICK / p->lag * (p->gain * late[k % DELAY] - first);
        y += TICK / 0.4 * (first - y);
        late[k % DELAY] = u;
    }
    return sqrt(errors / TICKS) + 0.1 * sqrt(moves / TICKS);
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "controller: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

/* The i-th gains of a grid. */
static void gains_at(int i, double *x) {
    for (int d = 0; d < 3; d++, i /= SIDE)
        x[d] = LOWER[d] + (UPPER[d] - LOWER[d]) * (i % SIDE) / (SIDE - 1);
}

/* Of the whole run: what the best gains of each step cost, which gains are best for the first plant, and which for all. */
static void hindsight(double *best, double *tuned, double *fixed) {
    static double total[GAINS];
    int first = 0, all = 0;
    double x[3], least = INFINITY;
    for (int t = 1; t <= STEPS; t++) {
        const plant p = plant_at(t);
        best[t - 1] = INFINITY;
        for (int i = 0; i < GAINS; i++) {
            gains_at(i, x);
            const double cost = episode(&p, x);
            total[i] += cost;
            best[t - 1] = fmin(best[t - 1], cost);
            if (t == 1 && cost < least) {
                least = cost;
                first = i;
            }
        }
    }
    for (int i = 1; i < GAINS; i++)
        all = total[i] < total[all] ? i : all;
    gains_at(first, tuned);
    gains_at(all, fixed);
}

static void print_gains(const char *what, const double *x) {
    printf("%s: %.2f, %.2f, %.2f\n", what, pow(10, x[0]), pow(10, x[1]), pow(10, x[2]));
}

typedef struct {
    double cost[STEPS], gains[STEPS][3], mean, way; /* mean cost; how far the gains were turned in all, in decades */
} run;

/* A policy with default settings learns which gains to use. */
static void play(tvgp_ctx *ctx, const tvgp_domain *domain, const char *options, run *r) {
    static double noise[STEPS];
    tvgp_policy *policy = NULL;
    check(tvgp_policy_create(ctx, "tv-gp-ucb", domain, NULL, &policy), ctx);
    check(tvgp_policy_set(policy, "sense=min width.schedule=constant width.value=1"), ctx);
    check(tvgp_policy_set(policy, options), ctx);
    check(tvgp_random_normal(1, 1000, 0, STEPS, noise), ctx);
    for (int t = 1; t <= STEPS; t++) {
        const plant p = plant_at(t);
        tvgp_query query;
        check(tvgp_policy_ask_one(policy, t, &query, r->gains[t - 1]), ctx);
        r->cost[t - 1] = episode(&p, r->gains[t - 1]);
        r->mean += r->cost[t - 1] / STEPS;
        check(tvgp_policy_tell_value(policy, query.id, log(r->cost[t - 1]) + NOISE * noise[t - 1]), ctx);
    }
    check(tvgp_policy_stat(policy, "switch.distance", &r->way), ctx);
    tvgp_policy_destroy(policy);
}

static void print_steps(const run *r, const double *tuned, const double *fixed, const double *best, int csv) {
    double sum[4] = {0}, block[4] = {0};
    printf(csv ? "t,proportional,integral,derivative,learned,tuned_once,best_fixed,best\n"
               : "steps      learned  tuned once  best fixed  best of each step\n");
    for (int t = 1; t <= STEPS; t++) {
        const plant p = plant_at(t);
        const double *x = r->gains[t - 1];
        const double cost[4] = {r->cost[t - 1], episode(&p, tuned), episode(&p, fixed), best[t - 1]};
        for (int k = 0; k < 4; k++) {
            sum[k] += cost[k] / STEPS;
            block[k] += cost[k] / BLOCK;
        }
        if (csv)
            printf("%d,%.4g,%.4g,%.4g,%.4f,%.4f,%.4f,%.4f\n", t, pow(10, x[0]), pow(10, x[1]), pow(10, x[2]), cost[0],
                   cost[1], cost[2], cost[3]);
        if (t % BLOCK)
            continue;
        if (!csv)
            printf("%3d..%-3d %10.3f %11.3f %11.3f %18.3f\n", t - BLOCK + 1, t, block[0], block[1], block[2], block[3]);
        memset(block, 0, sizeof block);
    }
    if (!csv)
        printf("all      %10.3f %11.3f %11.3f %18.3f\n", sum[0], sum[1], sum[2], sum[3]);
}

int main(int argc, char **argv) {
    const int csv = argc == 2 && !strcmp(argv[1], "--csv");
    static double best[STEPS];
    static run free_to_move, calm;
    double tuned[3], fixed[3];
    tvgp_ctx *ctx = NULL;
    tvgp_domain *domain = NULL;
    if (argc > 1 && !csv) {
        fprintf(stderr, "usage: controller [--csv]\n");
        return EXIT_FAILURE;
    }
    hindsight(best, tuned, fixed);
    check(tvgp_ctx_create(NULL, &ctx), ctx);
    check(tvgp_domain_box(ctx, 3, LOWER, UPPER, &domain), ctx);
    play(ctx, domain, "", &free_to_move);
    print_steps(&free_to_move, tuned, fixed, best, csv);
    if (!csv) {
        play(ctx, domain, "switch.distance_cost=.1", &calm);
        printf("all      %10.3f with switch.distance_cost=.1: the gains were turned by %.1f decades in all, not %.1f\n",
               calm.mean, calm.way, free_to_move.way);
        print_gains("gains tuned once", tuned);
        print_gains("best fixed gains", fixed);
    }
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
