/* SPDX-License-Identifier: MIT */
/* Limits on a further output that are kept while everything drifts, with default settings:
 *
 * plant    a PI controller of a first-order plant with dead time, whose gain and time constant drift: 120 pairs of gain and integral
 *          time, reward minus the log of the integrated absolute error of a step response, overshoot at most 15 %
 * service  concurrency and batch size of a service, 96 pairs: reward the log of its throughput, log p99 latency at most its
 *          objective, with a load by the day and two deploys that change the cost of a request by half
 *
 * A policy is created without kernels, the model of the limit is auto-gp-ucb without one, and one cautious pair is declared safe.
 * Next to it: the same without the limit, the cautious pair alone, and static SafeOpt (Sui, Gotovos, Burdick, Krause 2015) on gp-ucb's
 * posteriors, with safe sets at 2.33 standard deviations, potential maximisers, safe pairs next to the edge of the grid's safe set as
 * expanders, and the widest of both asked. Regret is against the best pair that keeps the limit, known in hindsight. */
#include "exp.h"
#include "experiment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 12, MOST = SIDE * 10, NOISE = EXPERIMENT_OWN, DRIFT };
enum { MEASURED, LATENT, REGRET, RISK, VALUES };

typedef struct world {
    const char *name;
    size_t columns; /* of the second coordinate; the first has SIDE */
    size_t cautious;
    double limit, noise[2];                                                                  /* sds of reward and output */
    void (*truth)(const struct world *, uint64_t seed, double t, size_t arm, double out[2]); /* reward, output */
} world;

typedef struct scene {
    double steps;
    const world *world;
} scene;

static double of(size_t i, size_t n, double low, double high) {
    return low + (high - low) * (double)i / (double)(n - 1);
}

static double phase(uint64_t seed, size_t i) {
    double u[4];
    tvgp_random_uniform(seed, DRIFT, 0, 4, u);
    return 6.283185307179586 * u[i];
}

/* ---- plant -------------------------------------------------------------------------------------------------------- */

/* A step response over 12 s by Euler steps of 20 ms; dead time 0.4 s. */
static void respond(double gain, double lag, double kp, double ti, double *error, double *peak) {
    enum { STEPS = 600, DELAY = 20 };
    const double dt = 0.02;
    double y = 0, sum = 0, held[DELAY] = {0};
    *error = 0;
    *peak = -1;
    for (int i = 0; i < STEPS; i++) {
        const double e = 1 - y, u = held[i % DELAY];
        sum += e * dt;
        held[i % DELAY] = kp * (e + sum / ti);
        y += dt * (gain * u - y) / lag;
        y = fmax(-50, fmin(y, 50));
        *error += fabs(e) * dt;
        *peak = fmax(*peak, y - 1);
    }
}

static void plant(const world *w, uint64_t seed, double t, size_t arm, double out[2]) {
    const double gain = exp(0.3 * sin(t / 30 + phase(seed, 0))), lag = exp(0.25 * sin(t / 45 + phase(seed, 1)));
    double error, peak;
    respond(gain, lag, exp(of(arm / w->columns, SIDE, log(0.2), log(3.0))),
            exp(of(arm % w->columns, w->columns, log(0.5), log(3.0))), &error, &peak);
    out[0] = -log(error);
    out[1] = fmin(peak, 0.5);
}

/* ---- service ------------------------------------------------------------------------------------------------------ */

static void service(const world *w, uint64_t seed, double t, size_t arm, double out[2]) {
    const double c = exp(of(arm / w->columns, SIDE, 0, log(32.0))), b = exp(of(arm % w->columns, w->columns, 0, log(64.0)));
    const double load = 0.5 * sin(t / 16 + phase(seed, 0)), first = 60 + 10 * phase(seed, 1),
                 second = 160 + 15 * phase(seed, 2);
    const double cost = (t >= first ? 1.5 : 1) * (t >= second ? 1 / 1.5 : 1), each = cost * (0.3 + 0.05 * b);
    out[0] = log(c * b / (each * (1 + 0.04 * c)));
    out[1] = log(each * (1 + 0.08 * c)) + 0.6 * load + 0.1 * sin(c + b);
}

static const world worlds[] = {
    {"plant", 10, 9, 0.15, {0.05, 0.01}, plant},
    {"service", 8, 0, 0.3, {0.1, 0.1}, service},
};

/* ---- playing ------------------------------------------------------------------------------------------------------- */

typedef struct game {
    const scene *s;
    size_t arms, run;
    uint64_t seed;
    double f[2][MOST]; /* reward and output of every arm now */
    double best;       /* reward of the best that keeps the limit */
    double *values;    /* VALUES of this algorithm */
} game;

static void move_to(game *g, double t) {
    const world *w = g->s->world;
    double out[2];
    g->best = -INFINITY;
    for (size_t i = 0; i < g->arms; i++) {
        w->truth(w, g->seed, t, i, out);
        g->f[0][i] = out[0];
        g->f[1][i] = out[1];
        if (out[1] <= w->limit)
            g->best = fmax(g->best, out[0]);
    }
}

/* Counts an action, and what is measured of it. */
static void count(game *g, size_t step, size_t arm, double y[2]) {
    const world *w = g->s->world;
    double z[2];
    tvgp_random_normal(g->seed, NOISE, step, 2, z);
    for (int k = 0; k < 2; k++)
        y[k] = g->f[k][arm] + w->noise[k] * z[k];
    g->values[MEASURED] += y[1] > w->limit && arm != w->cautious;
    g->values[LATENT] += g->f[1][arm] > w->limit;
    g->values[REGRET] += (g->best - g->f[0][arm]) / g->s->steps;
}

static tvgp_domain *domain_of(tvgp_ctx *ctx, const world *w) {
    tvgp_domain *domain;
    experiment_check(ctx,
                     tvgp_domain_grid(ctx, 2, (const double[]){0, 0}, (const double[]){1, 1},
                                      (const size_t[]){SIDE, w->columns}, &domain),
                     "domain");
    return domain;
}

static void play_limited(game *g, tvgp_ctx *ctx, tvgp_policy *p, int limited) {
    const world *w = g->s->world;
    for (size_t i = 1; i <= (size_t)g->s->steps; i++) {
        tvgp_query q;
        double y[2];
        move_to(g, (double)i);
        experiment_check(ctx, tvgp_policy_ask_one(p, (double)i, &q, NULL), "ask");
        count(g, i, (size_t)q.arm, y);
        g->values[RISK] += (size_t)q.arm == w->cautious ? 0 : q.risk;
        experiment_check(ctx, limited ? tvgp_policy_tell_values(p, q.id, 2, y) : tvgp_policy_tell_value(p, q.id, y[0]),
                         "tell");
    }
}

/* With the limit, of which the model has default settings, and without. */
static void play_policy(game *g, experiment *e, size_t player, int limited) {
    const world *w = g->s->world;
    tvgp_ctx *ctx;
    tvgp_policy *model;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    tvgp_domain *domain = domain_of(ctx, w);
    tvgp_policy *p = experiment_policy(e, player, ctx, domain, NULL, g->run);
    if (limited) {
        const double safe[2] = {of(w->cautious / w->columns, SIDE, 0, 1), of(w->cautious % w->columns, w->columns, 0, 1)};
        experiment_check(ctx, tvgp_policy_create(ctx, "auto-gp-ucb", domain, NULL, &model), "model");
        experiment_check(ctx, tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, w->limit), "limit");
        experiment_check(ctx, tvgp_policy_set_safe(p, 1, safe), "safe");
        tvgp_policy_destroy(model);
    }
    play_limited(g, ctx, p, limited);
    tvgp_policy_destroy(p);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
}

static void play_cautious(game *g) {
    double y[2];
    for (size_t i = 1; i <= (size_t)g->s->steps; i++) {
        move_to(g, (double)i);
        count(g, i, g->s->world->cautious, y);
    }
}

/* ---- static SafeOpt ------------------------------------------------------------------------------------------------ */

typedef struct posterior {
    double mean[2][MOST], sd[2][MOST];
    int safe[MOST];
} posterior;

/* Whether a neighbour on the grid is not safe. */
static int at_edge(const posterior *b, size_t arm, size_t columns) {
    const size_t i = arm / columns, j = arm % columns;
    return (i > 0 && !b->safe[arm - columns]) || (i + 1 < SIDE && !b->safe[arm + columns]) || (j > 0 && !b->safe[arm - 1]) ||
           (j + 1 < columns && !b->safe[arm + 1]);
}

static size_t choose_safeopt(const posterior *b, size_t arms, const world *w) {
    const double width = 2.33;
    double lowest = -INFINITY, widest = -1, scale[2] = {1e-12, 1e-12};
    size_t best = w->cautious;
    for (size_t i = 0; i < arms; i++)
        for (int k = 0; k < 2; k++)
            scale[k] = fmax(scale[k], b->sd[k][i]);
    for (size_t i = 0; i < arms; i++)
        if (b->safe[i])
            lowest = fmax(lowest, b->mean[0][i] - width * b->sd[0][i]);
    for (size_t i = 0; i < arms; i++) {
        const int counts = b->safe[i] && (b->mean[0][i] + width * b->sd[0][i] >= lowest || at_edge(b, i, w->columns));
        const double wide = fmax(b->sd[0][i] / scale[0], b->sd[1][i] / scale[1]);
        if (counts && wide > widest) {
            widest = wide;
            best = i;
        }
    }
    return best;
}

static void play_safeopt(game *g) {
    const world *w = g->s->world;
    tvgp_ctx *ctx;
    tvgp_policy *p[2];
    posterior b;
    size_t evals;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    tvgp_domain *domain = domain_of(ctx, w);
    for (int k = 0; k < 2; k++)
        experiment_check(ctx, tvgp_policy_create(ctx, "gp-ucb", domain, NULL, &p[k]), "gp-ucb");
    for (size_t i = 1; i <= (size_t)g->s->steps; i++) {
        double y[2];
        move_to(g, (double)i);
        for (int k = 0; k < 2; k++)
            experiment_check(ctx, tvgp_policy_predict(p[k], (double)i, g->arms, NULL, b.mean[k], b.sd[k]), "predict");
        for (size_t a = 0; a < g->arms; a++) {
            for (int k = 0; k < 2; k++)
                b.sd[k][a] = sqrt(b.sd[k][a]);
            b.safe[a] = a == w->cautious || (i > 1 && b.mean[1][a] + 2.33 * b.sd[1][a] <= w->limit);
        }
        const size_t arm = choose_safeopt(&b, g->arms, w);
        const double x[2] = {of(arm / w->columns, SIDE, 0, 1), of(arm % w->columns, w->columns, 0, 1)};
        count(g, i, arm, y);
        for (int k = 0; k < 2; k++) {
            const tvgp_obs obs = tvgp_obs_unsolicited((double)i, y[k]);
            experiment_check(ctx, tvgp_policy_tell(p[k], 1, &obs, x), "tell");
            if (i % 10 == 0)
                experiment_check(ctx, tvgp_policy_fit(p[k], 20, &evals) < 0 ? TVGP_ERR_INTERNAL : TVGP_OK, "fit");
        }
    }
    for (int k = 0; k < 2; k++)
        tvgp_policy_destroy(p[k]);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

/* The algorithms with the limit, then the first without, static SafeOpt, the cautious pair. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const scene *s = user;
    game g = {.s = s, .arms = SIDE * s->world->columns, .run = r, .seed = e->seed + r};
    memset(values, 0, (e->n_players + 3) * VALUES * sizeof *values);
    for (size_t k = 0; k < e->n_players + 3; k++) {
        g.values = values + k * VALUES;
        if (k <= e->n_players)
            play_policy(&g, e, k < e->n_players ? k : 0, k < e->n_players);
        else if (k == e->n_players + 1)
            play_safeopt(&g);
        else
            play_cautious(&g);
    }
}

static void print_player(const experiment *e, const scene *s, const double *all, size_t k) {
    const size_t n = (e->n_players + 3) * VALUES;
    const char *const others[] = {"the first without its limit", "static SafeOpt", "the cautious pair"};
    experiment_mean mean[VALUES];
    double worst = 0, ratio = 0;
    for (size_t v = 0; v < VALUES; v++)
        mean[v] = experiment_mean_of(all, e->runs, n, k * VALUES + v);
    for (size_t r = 0; r < e->runs; r++) {
        worst = fmax(worst, all[r * n + k * VALUES + MEASURED]);
        ratio = fmax(ratio, all[r * n + k * VALUES + REGRET] / all[r * n + (n - VALUES) + REGRET]);
    }
    printf("%s,%s,%zu,%.0f,%.2f,%.2f,%.0f,%.2f,%.2f,%.4f,%.4f,%.3f\n", s->world->name,
           k < e->n_players ? e->players[k].label : others[k - e->n_players], e->runs, s->steps, mean[MEASURED].mean,
           mean[MEASURED].error, worst, mean[LATENT].mean, mean[RISK].mean, mean[REGRET].mean, mean[REGRET].error, ratio);
}

void exp_limits(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb",
                                          "auto-gp-ucb constraint.margin_step=0",
                                          "auto-gp-ucb constraint.initial_margin=2",
                                          "auto-gp-ucb constraint.confidence=.9",
                                          "auto-gp-ucb constraint.confidence=.5",
                                          "random",
                                          NULL};
    experiment e = {.name = "limits", .runs = 8, .processes = 1, .seed = 1};
    scene s = {.steps = 300};
    const experiment_number own[] = {{"--steps", "actions of a run", &s.steps}};
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    printf("world,policy,runs,steps,measured,measured_se,measured_worst,latent,foretold,regret,regret_se,regret_of_cautious_"
           "worst\n");
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        s.world = &worlds[w];
        double *all = experiment_runs(&e, run, &s, (e.n_players + 3) * VALUES);
        for (size_t k = 0; k < e.n_players + 3; k++)
            print_player(&e, &s, all, k);
        free(all);
    }
}
