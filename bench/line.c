/* SPDX-License-Identifier: MIT */
#include "line.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AVERAGE, LAST, QUERIES, VALUES, TAIL = 100 };

static void create_grid(line *l) {
    const double lower = -50, upper = 50;
    const size_t points = (size_t)l->points;
    experiment_check(l->ctx,
                     points ? tvgp_domain_grid(l->ctx, 1, &lower, &upper, &points, &l->domain)
                            : tvgp_domain_box(l->ctx, 1, &lower, &upper, &l->domain),
                     "domain");
    experiment_check(l->ctx, tvgp_kernel_se(l->ctx, 1, l->variance, 1, &l->lengthscale, &l->kernel), "kernel");
}

static double *functions(const line *l) {
    const size_t arms = (size_t)l->points, steps = (size_t)l->steps;
    double *f = experiment_allocate(steps * arms, sizeof *f);
    for (size_t i = 0; i < arms; i++) {
        double x;
        experiment_check(l->ctx, tvgp_domain_point(l->domain, (int64_t)i, &x), "point");
        for (size_t t = 1; t <= steps; t++)
            f[(t - 1) * arms + i] = l->value(l, x, (double)t);
    }
    return f;
}

static void prepare(line *l) {
    experiment_check(NULL, tvgp_ctx_create(NULL, &l->ctx), "context");
    if (l->value)
        create_grid(l);
    if (l->prepare)
        l->prepare(l);
    if (l->value && l->points > 0)
        l->f = functions(l);
}

static double highest(const line *l, double t) {
    double most = -INFINITY;
    for (int i = -5000; i <= 5000; i++)
        most = fmax(most, l->value(l, i / 100.0, t));
    return most;
}

/* On the box: asks until the action of a step has been asked, answering everything, and then for the side queries due. */
static void play_on_box(const line *l, uint64_t seed, tvgp_policy *policy, double *regret) {
    enum { CAP = 128 };
    tvgp_query q[CAP];
    tvgp_obs outcome[CAP];
    double x[CAP], noise[CAP];
    for (size_t t = 1, n; t <= (size_t)l->steps; t++) {
        int acted = 0;
        for (uint64_t batch = 0; !acted || experiment_stat(policy, "side.due") > 0; batch++) {
            experiment_check(l->ctx, tvgp_policy_ask(policy, (double)t, CAP, q, x, &n), "ask");
            experiment_check(l->ctx, tvgp_random_normal(seed, EXPERIMENT_EXPERT, 100 * t + batch, n, noise), "noise");
            for (size_t i = 0; i < n; i++) {
                const int action = q[i].kind == TVGP_ACTION;
                const double value = l->value(l, x[i], (double)t);
                outcome[i] = (tvgp_obs){.id = q[i].id, .y = value + sqrt(action ? l->noise : l->expert_noise) * noise[i]};
                if (action)
                    regret[t - 1] = highest(l, (double)t) - value;
                acted |= action;
            }
            experiment_check(l->ctx, tvgp_policy_tell(policy, n, outcome, NULL), "tell");
        }
    }
}

static void summarise(size_t steps, const double *regret, double *values) {
    const size_t tail = steps < TAIL ? steps : TAIL;
    values[AVERAGE] = experiment_sum(steps, regret) / (double)steps;
    values[LAST] = experiment_sum(tail, regret + steps - tail) / (double)tail;
}

/* Of every algorithm, then of the best constant arm. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const line *l = user;
    const size_t steps = (size_t)l->steps;
    double *regret = experiment_allocate(steps, sizeof *regret);
    const experiment_table table = {.arms = (size_t)l->points,
                                    .steps = steps,
                                    .f = l->f,
                                    .noise = l->noise,
                                    .expert_noise = l->expert_noise,
                                    .seed = e->seed + r};
    for (size_t i = 0; i < e->n_players; i++) {
        tvgp_policy *policy = experiment_policy(e, i, l->ctx, l->domain, l->kernel, r);
        if (table.arms)
            experiment_play(&table, l->ctx, policy, regret);
        else
            play_on_box(l, table.seed, policy, regret);
        summarise(steps, regret, values + VALUES * i);
        values[VALUES * i + QUERIES] = experiment_stat(policy, "side.asked");
        tvgp_policy_destroy(policy);
    }
    if (table.arms)
        experiment_constant(&table, regret);
    summarise(steps, regret, values + VALUES * e->n_players);
    free(regret);
}

static void report(const experiment *e, const line *l, const double *values) {
    const size_t n_values = VALUES * (e->n_players + 1);
    printf("experiment,steps,policy,runs,average_regret,average_error,last_100,last_error,side.asked,queries_error\n");
    for (size_t i = 0; i < e->n_players + (l->points > 0); i++) {
        experiment_mean mean[VALUES];
        for (size_t v = 0; v < VALUES; v++)
            mean[v] = experiment_mean_of(values, e->runs, n_values, VALUES * i + v);
        printf("%s,%g,%s,%zu,%.4f,%.4f,%.4f,%.4f,%.1f,%.1f\n", e->name, l->steps,
               i < e->n_players ? e->players[i].label : "best constant arm", e->runs, mean[AVERAGE].mean,
               mean[AVERAGE].error, mean[LAST].mean, mean[LAST].error, mean[QUERIES].mean, mean[QUERIES].error);
    }
}

void line_compare(experiment *e, line *l, const char *const *players, int argc, char **argv) {
    const experiment_number own[] = {
        {"--steps", "actions of a run", &l->steps},
        {"--points", "of the grid; 0: on the box itself", &l->points},
        {"--lengthscale", "of the kernel", &l->lengthscale},
        {"--variance", "of the kernel", &l->variance},
        {"--noise", "variance of the noise of an action", &l->noise},
        {"--expert-noise", "variance of the noise of an answer", &l->expert_noise},
        {"--bound", "on the norm, for the width", &l->bound},
    };
    const size_t recorded = l->value ? 0 : 4; /* the first four belong to a grid */
    experiment_read(e, argc, argv, players, own + recorded, sizeof own / sizeof *own - recorded);
    prepare(l);
    char known[4][SETTINGS_SIZE];
    snprintf(known[0], sizeof known[0], "noise=%.17g", l->noise);
    snprintf(known[1], sizeof known[1], "side.noise=%.17g", l->expert_noise);
    snprintf(known[2], sizeof known[2], "width.bound=%.17g", l->bound);
    snprintf(known[3], sizeof known[3], "horizon=%.0f", l->steps);
    const char *const defaults[] = {known[0], known[1], known[2], known[3], "width.schedule=logdet", "width.delta=0.05"};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        settings_add(&e->defaults, defaults[i]);
    experiment_refuse_unused(e, l->ctx, l->domain, l->kernel);
    double *values = experiment_runs(e, run, l, VALUES * (e->n_players + 1));
    report(e, l, values);
    free(values);
    free(l->f);
    tvgp_kernel_destroy(l->kernel);
    tvgp_domain_destroy(l->domain);
    tvgp_ctx_destroy(l->ctx);
}
