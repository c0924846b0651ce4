/* SPDX-License-Identifier: MIT */
/* A PI controller is tuned while its plant drifts, and its overshoot must stay below 15 %. The policy learns both how the cost of a step
 * response and how the overshoot depend on the gains; one cautious pair is declared safe. Prints cost and overshoots, compared with
 * that pair alone and with the same policy without the constraint. With the argument --csv it prints every step as CSV, with the
 * numbers of pairs predicted and truly safe. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum {
    STEPS = 300,
    BLOCK = 50,
    GAINS = 12,
    TIMES = 10,
    ARMS = GAINS * TIMES,
    CAUTIOUS = TIMES - 1,
    TICKS = 600,
    DELAY = 20
};
enum { LIMITED, FREE, PLAYERS };

static const double TICK = 0.02, LIMIT = 0.15, NOISE[2] = {0.05, 0.01};

typedef struct {
    double cost, overshoot;
} response;

/* One step of the set point: a first-order plant behind a dead time, whose gain and lag move with the time of the day. */
static response episode(int t, int arm) {
    const double gain = exp(0.3 * sin(t / 30.)), lag = exp(0.25 * sin(t / 45. + 1));
    const double kp = 0.2 * pow(15, (double)(arm / TIMES) / (GAINS - 1)),
                 ti = 0.5 * pow(6, (double)(arm % TIMES) / (TIMES - 1));
    double late[DELAY] = {0}, y = 0, sum = 0, errors = 0, peak = -1;
    for (int k = 0; k < TICKS; k++) {
        const double error = 1 - y, input = late[k % DELAY];
        sum += error * TICK;
        late[k % DELAY] = kp * (error + sum / ti);
        y = fmax(-50, fmin(y + TICK * (gain * input - y) / lag, 50));
        errors += fabs(error) * TICK;
        peak = fmax(peak, y - 1);
    }
    return (response){log(errors), fmin(peak, 0.5)};
}

static void check(tvgp_status status, const tvgp_ctx *ctx) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "safe_controller: %s\n", tvgp_ctx_errmsg(ctx));
    exit(EXIT_FAILURE);
}

static tvgp_policy *create(tvgp_ctx *ctx, const tvgp_domain *domain, int limited) {
    tvgp_policy *policy, *overshoot;
    check(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &policy), ctx);
    check(tvgp_policy_set(policy, "sense=min"), ctx);
    if (!limited)
        return policy;
    check(tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &overshoot), ctx);
    check(tvgp_policy_add_constraint(policy, overshoot, TVGP_AT_MOST, LIMIT), ctx);
    check(tvgp_policy_set_safe(policy, 1, (double[]){0, 1}), ctx); /* the lowest gain, the longest integral time */
    check(tvgp_policy_set(policy, "constraint.confidence=.99"), ctx);
    tvgp_policy_destroy(overshoot); /* the policy holds it */
    return policy;
}

/* What is measured of an action, told; its true response. */
static response play(tvgp_policy *policy, const tvgp_ctx *ctx, int t, int limited, int64_t *arm) {
    double noise[2], y[2];
    tvgp_query query;
    check(tvgp_policy_ask_one(policy, t, &query, NULL), ctx);
    const response true_one = episode(t, (int)query.arm);
    check(tvgp_random_normal(1, 0, (uint64_t)t, 2, noise), ctx);
    y[0] = true_one.cost + NOISE[0] * noise[0];
    y[1] = true_one.overshoot + NOISE[1] * noise[1];
    check(tvgp_policy_tell_values(policy, query.id, limited ? 2 : 1, y), ctx);
    *arm = query.arm;
    return true_one;
}

/* Pairs that keep the limit, and the least cost of them. */
static response hindsight(int t, int *safe) {
    response best = {INFINITY, 0};
    *safe = 0;
    for (int arm = 0; arm < ARMS; arm++) {
        const response one = episode(t, arm);
        *safe += one.overshoot <= LIMIT;
        if (one.overshoot <= LIMIT && one.cost < best.cost)
            best = one;
    }
    return best;
}

typedef struct {
    double cost[PLAYERS], cautious, best; /* sums */
    int broken[PLAYERS];
} totals;

static void print_row(int t, const response *seen, int64_t arm, double believed, int safe, double cautious, double best) {
    printf("%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.0f,%d\n", t, (int)arm, seen[LIMITED].cost, seen[LIMITED].overshoot,
           seen[FREE].cost, seen[FREE].overshoot, cautious, best, believed, safe);
}

static void print_block(int t, const totals *s) {
    printf("%3d-%3d  %6.2f (%2d)     %6.2f (%2d)     %6.2f      %6.2f\n", t - BLOCK + 1, t, s->cost[LIMITED] / BLOCK,
           s->broken[LIMITED], s->cost[FREE] / BLOCK, s->broken[FREE], s->cautious / BLOCK, s->best / BLOCK);
}

/* All algorithms at time t; a row of CSV. */
static void step(tvgp_policy *const *policy, const tvgp_ctx *ctx, int t, int csv, totals *s) {
    const double cautious = episode(t, CAUTIOUS).cost;
    response seen[PLAYERS];
    int64_t arm[PLAYERS];
    int safe;
    const double best = hindsight(t, &safe).cost;
    double believed;
    for (int k = 0; k < PLAYERS; k++) {
        seen[k] = play(policy[k], ctx, t, k == LIMITED, &arm[k]);
        s->cost[k] += seen[k].cost;
        s->broken[k] += seen[k].overshoot > LIMIT;
    }
    s->cautious += cautious;
    s->best += best;
    check(tvgp_policy_stat(policy[LIMITED], "safe.count", &believed), ctx);
    if (csv)
        print_row(t, seen, arm[LIMITED], believed, safe, cautious, best);
}

int main(int argc, char **argv) {
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_policy *policy[PLAYERS];
    totals sums = {0};
    check(tvgp_ctx_create(NULL, &ctx), NULL);
    check(tvgp_domain_grid(ctx, 2, (const double[]){0, 0}, (const double[]){1, 1}, (const size_t[]){GAINS, TIMES}, &domain),
          ctx);
    for (int k = 0; k < PLAYERS; k++)
        policy[k] = create(ctx, domain, k == LIMITED);
    puts(csv ? "t,arm,cost,overshoot,free_cost,free_overshoot,cautious_cost,best_cost,believed_safe,safe"
             : "log of the cost, and in brackets overshoots beyond 15 %\n  steps      limited       no limit    cautious  "
               "in hindsight");
    for (int t = 1; t <= STEPS; t++) {
        step(policy, ctx, t, csv, &sums);
        if (t % BLOCK == 0) {
            if (!csv)
                print_block(t, &sums);
            sums = (totals){0};
        }
    }
    for (int k = 0; k < PLAYERS; k++)
        tvgp_policy_destroy(policy[k]);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
