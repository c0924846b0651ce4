/* SPDX-License-Identifier: MIT */
/* A server with a pool of threads and a batch size, under a load that drifts: minus the response time, at most 5 s, measured
 * with noise. It saturates where the capacity falls below the load, so no stationary kernel fits. Scenes: the unit square of both
 * logarithms, the same with a load that triples at half time, and 64 values of the number of threads as numeric arms. Every
 * policy plays with default settings and with a kernel and noise that its user could have guessed. `best try` keeps the best of
 * 20 random points. Prints the share of the regret of uniform play, then ratios. */
#include "exp.h"
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 49, STEPS = 600, TRIES = 20, LINE = 64, SUPPLIED = 1, WAYS = 2, SCENES = 3 };
enum { LOAD = EXPERIMENT_OWN, NOISE, TRY };
static const double load_rate = 0.02, load_sd = 0.5, noise_sd = 0.1, lengthscale = 0.3, timeout = 5;

static const struct scene {
    const char *name;
    size_t dim;
    double step; /* factor of the load at half time */
} scenes[SCENES] = {{"square", 2, 1}, {"square, load triples", 2, 3}, {"line", 1, 1}};

typedef struct world {
    const struct scene *scene;
    uint64_t seed;
    double load; /* its logarithm, relative to the usual one */
} world;

static double normal(uint64_t seed, uint32_t purpose, size_t t) {
    double z;
    experiment_check(NULL, tvgp_random_normal(seed, purpose, t, 1, &z), "random numbers");
    return z;
}

/* ---- the server --------------------------------------------------------------------------------------------------- */

/* 1 to 64 threads, which contend, and batches of 1 to 64 requests, on a line of 8. A request waits until its batch is full, is
 * served with it, and queues. */
static double value(const world *w, const double *x) {
    const double load = 60 * exp(w->load), n = exp2(6 * x[0]), batch = exp2(w->scene->dim > 1 ? 6 * x[1] : 3);
    const double threads = n / (1 + 0.01 * n + 0.0005 * n * n), service = 0.2 + 0.02 * batch;
    const double busy = load * service / (threads * batch), most = 0.98;
    const double queue = busy < most ? busy / (1 - busy) : most / (1 - most) * (1 + 10 * (busy - most));
    return -fmin((batch - 1) / (2 * load) + service * (1 + queue / threads), timeout);
}

/* The best of a lattice and of a point, and the mean of the lattice. */
static double best(const world *w, double *mean) {
    const size_t side = w->scene->dim > 1 ? SIDE : LINE, n = w->scene->dim > 1 ? SIDE * SIDE : LINE;
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double x[2] = {(double)(i % side) / (double)(side - 1), (double)(i / side) / (double)(side - 1)},
                     f = value(w, x);
        most = fmax(most, f);
        sum += f;
    }
    *mean = sum / (double)n;
    return most;
}

static void step(world *w, size_t t) {
    const double keep = sqrt(1 - load_rate), centre = t > STEPS / 2 ? log(w->scene->step) : 0;
    if (t == 1)
        w->load = load_sd * normal(w->seed, LOAD, 0);
    if (t == STEPS / 2 + 1)
        w->load += centre;
    w->load = centre + keep * (w->load - centre) + load_sd * sqrt(load_rate) * normal(w->seed, LOAD, t);
}

/* ---- playing ------------------------------------------------------------------------------------------------------ */

/* At random TRIES times, then the one with the best outcome. */
static void try_best(const world *w, size_t t, const double *kept, double *x) {
    if (t > TRIES) {
        x[0] = kept[0];
        x[1] = kept[1];
        return;
    }
    experiment_check(NULL, tvgp_random_uniform(w->seed, TRY, t, w->scene->dim, x), "random numbers");
}

static tvgp_policy *make(experiment *e, const world *w, tvgp_ctx *ctx, size_t player, size_t r) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points[] = {LINE};
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    experiment_check(ctx,
                     w->scene->dim > 1 ? tvgp_domain_box(ctx, 2, lower, upper, &domain)
                                       : tvgp_domain_grid(ctx, 1, lower, upper, points, &domain),
                     "domain");
    experiment_check(ctx, tvgp_kernel_matern(ctx, w->scene->dim, 2.5, 1, 1, &lengthscale, &kernel), "kernel");
    tvgp_policy *p = experiment_policy(e, player / WAYS, ctx, domain, player % WAYS == SUPPLIED ? kernel : NULL, r);
    if (player % WAYS == SUPPLIED)
        experiment_check(ctx, tvgp_policy_set_f64(p, "noise", noise_sd * noise_sd), "noise");
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return p;
}

/* The share of the regret of uniform play of a policy, or of `best try` (NULL); *micro: processor time of a step. */
static double play(world w, tvgp_ctx *ctx, tvgp_policy *p, double *micro) {
    double sum[2] = {0, 0}, x[2], kept[2] = {0, 0}, most_seen = -INFINITY;
    clock_t used = 0;
    for (size_t t = 1; t <= STEPS; t++) {
        double mean;
        tvgp_query q;
        step(&w, t);
        clock_t start = clock();
        if (p)
            experiment_check(ctx, tvgp_policy_ask_one(p, (double)t, &q, x), "ask");
        else
            try_best(&w, t, kept, x);
        used += clock() - start;
        const double f = value(&w, x), y = f + noise_sd * normal(w.seed, NOISE, t), most = fmax(best(&w, &mean), f);
        start = clock();
        if (p)
            experiment_check(ctx, tvgp_policy_tell_value(p, q.id, y), "tell");
        used += clock() - start;
        if (t <= TRIES && y > most_seen) {
            most_seen = y;
            kept[0] = x[0];
            kept[1] = x[1];
        }
        sum[0] += most - f;
        sum[1] += most - mean;
    }
    *micro = 1e6 * (double)used / CLOCKS_PER_SEC / STEPS;
    return sum[0] / sum[1];
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const size_t n = WAYS * e->n_players;
    const world w = {.scene = user, .seed = e->seed + r};
    tvgp_ctx *ctx;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    for (size_t i = 0; i < n; i++) {
        tvgp_policy *p = make(e, &w, ctx, i, r);
        values[i] = play(w, ctx, p, &values[n + 1 + i]);
        tvgp_policy_destroy(p);
    }
    values[n] = play(w, ctx, NULL, &values[2 * n + 1]);
    tvgp_ctx_destroy(ctx);
}

/* ---- ratios ------------------------------------------------------------------------------------------------------- */

/* auto-gp-ucb with default settings, compared with another policy (`other`: its place; otherwise with `best try`). */
static const struct ratio {
    size_t other;
    int is_policy;
    const char *text;
} ratios[] = {{1, 1, "auto-gp-ucb, ratio to tv-gp-ucb"}, {0, 0, "auto-gp-ucb, ratio to the best try"}};

static void report_ratios(const experiment *e, const struct scene *scene, const double *values) {
    const size_t n = WAYS * e->n_players, width = 2 * n + 2;
    for (size_t b = 0; b < sizeof ratios / sizeof *ratios; b++) {
        const size_t with = ratios[b].is_policy ? WAYS * ratios[b].other : n;
        const double over = experiment_mean_of(values, e->runs, width, with).mean;
        const double ratio = experiment_mean_of(values, e->runs, width, 0).mean / over;
        double squares = 0;
        for (size_t r = 0; r < e->runs; r++)
            squares += pow((values[r * width] - ratio * values[r * width + with]) / over, 2);
        const double error = sqrt(squares / (double)(e->runs * (e->runs > 1 ? e->runs - 1 : 1)));
        printf("ratio,\"%s: %s\",,%.3f,%.3f,\n", scene->name, ratios[b].text, ratio, error);
    }
}

void exp_server(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb", "tv-gp-ucb", "gp-ucb", "auto-gp-ucb scale.learn=0", NULL};
    static const char *const ways[WAYS] = {"defaults", "kernel supplied"};
    experiment e = {.name = "server", .runs = 12, .processes = 1, .seed = 12001};
    double only = -1;
    const experiment_number own[] = {{"--scene", "play only this one, from 0; negative: all", &only}};
    experiment_read(&e, argc, argv, players, own, 1);
    const size_t n = WAYS * e.n_players, width = 2 * n + 2;
    printf("scene,policy,settings,share,error,microseconds\n");
    for (size_t s = 0; s < SCENES; s++) {
        if (only >= 0 && only != (double)s)
            continue;
        double *values = experiment_runs(&e, run, &scenes[s], width);
        for (size_t i = 0; i <= n; i++) {
            const experiment_mean m = experiment_mean_of(values, e.runs, width, i);
            printf("\"%s\",%s,%s,%.3f,%.3f,%.4g\n", scenes[s].name, i < n ? e.players[i / WAYS].label : "best try",
                   i < n ? ways[i % WAYS] : "", m.mean, m.error, experiment_mean_of(values, e.runs, width, n + 1 + i).mean);
        }
        report_ratios(&e, &scenes[s], values);
        fflush(stdout);
        free(values);
    }
}
