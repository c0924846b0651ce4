/* SPDX-License-Identifier: MIT */
/* Limits where the model is the truth: reward and output are drawn from the supplied priors, SE with lengthscale 0.15 on 60
 * points of [0, 1], and abruptly changed at the supplied rate epsilon; the output is to be at least -0.3 (without noise), and
 * the arm where it is highest at first is declared safe. So what is predicted can be compared with what comes. Next to the
 * policies SafeOpt (Sui, Gotovos, Burdick, Krause 2015) on the posteriors of the same drift model, and static, as published:
 * safe sets at the normal quantile of .99, potential maximisers, safe arms next to one that is not as expanders, the widest
 * of both asked. Regret is against the best arm that keeps the limit at that time, in units of the prior's standard
 * deviation. */
#include "exp.h"
#include "experiment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 60, STREAM = EXPERIMENT_OWN, NOISE };
enum { BROKEN, FORETOLD, REGRET, VALUES };
static const double LENGTH = 0.15, LIMIT = -0.3, VARIANCE = 0.01, WIDTH = 2.326347874040841;

typedef struct scene {
    double steps, epsilon, factor[ARMS][ARMS]; /* factor: of the kernel's matrix, lower */
} scene;

typedef struct game {
    const scene *s;
    uint64_t seed;
    size_t declared;
    double f[2][ARMS], best; /* reward and output now; of the best arm that keeps the limit */
    double *values;
} game;

static void factorise(scene *s) {
    for (int i = 0; i < ARMS; i++)
        for (int j = 0; j <= i; j++) {
            const double apart = (i - j) / (LENGTH * (ARMS - 1));
            double sum = exp(-0.5 * apart * apart) + (i == j ? 1e-9 : 0);
            for (int k = 0; k < j; k++)
                sum -= s->factor[i][k] * s->factor[j][k];
            s->factor[i][j] = i == j ? sqrt(sum) : sum / s->factor[j][j];
        }
}

/* On to step t, from 0 in order. */
static void move_to(game *g, size_t t) {
    const double keep = t ? sqrt(1 - g->s->epsilon) : 0;
    double z[2 * ARMS];
    tvgp_random_normal(g->seed, STREAM, t, 2 * ARMS, z);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ARMS; i++) {
            double sum = 0;
            for (int j = 0; j <= i; j++)
                sum += g->s->factor[i][j] * z[k * ARMS + j];
            g->f[k][i] = keep * g->f[k][i] + sqrt(1 - keep * keep) * sum;
        }
    for (size_t i = 0; t == 0 && i < ARMS; i++)
        g->declared = g->f[1][i] > g->f[1][g->declared] ? i : g->declared;
    g->best = g->f[0][g->declared];
    for (size_t i = 0; i < ARMS; i++)
        if (g->f[1][i] >= LIMIT)
            g->best = fmax(g->best, g->f[0][i]);
}

/* Counts an action, and what is measured of it. */
static void count(game *g, size_t t, size_t arm, double y[2]) {
    double z[2];
    tvgp_random_normal(g->seed, NOISE, t, 2, z);
    for (int k = 0; k < 2; k++)
        y[k] = g->f[k][arm] + sqrt(VARIANCE) * z[k];
    g->values[BROKEN] += g->f[1][arm] < LIMIT && arm != g->declared;
    g->values[REGRET] += (g->best - g->f[0][arm]) / g->s->steps;
}

typedef struct table {
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} table;

static table open_table(void) {
    table t;
    experiment_check(NULL, tvgp_ctx_create(NULL, &t.ctx), "context");
    experiment_check(t.ctx,
                     tvgp_domain_grid(t.ctx, 1, (const double[]){0}, (const double[]){1}, (const size_t[]){ARMS}, &t.domain),
                     "domain");
    experiment_check(t.ctx, tvgp_kernel_se(t.ctx, 1, 1, 1, &LENGTH, &t.kernel), "kernel");
    return t;
}

static void close_table(table *t) {
    tvgp_kernel_destroy(t->kernel);
    tvgp_domain_destroy(t->domain);
    tvgp_ctx_destroy(t->ctx);
}

static tvgp_policy *model_of(const table *t, double epsilon) {
    tvgp_policy *p;
    experiment_check(t->ctx, tvgp_policy_create(t->ctx, "tv-gp-ucb", t->domain, t->kernel, &p), "tv-gp-ucb");
    experiment_check(t->ctx, tvgp_policy_set_f64(p, "epsilon", epsilon), "epsilon");
    experiment_check(t->ctx, tvgp_policy_set_f64(p, "noise", VARIANCE), "noise");
    return p;
}

static void play_policy(game *g, experiment *e, size_t player, size_t run) {
    table t = open_table();
    tvgp_policy *p = experiment_policy(e, player, t.ctx, t.domain, t.kernel, run), *model = model_of(&t, g->s->epsilon);
    move_to(g, 0);
    const double safe = (double)g->declared / (ARMS - 1);
    experiment_check(t.ctx, tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST | TVGP_OF_MEAN, LIMIT), "limit");
    experiment_check(t.ctx, tvgp_policy_set_safe(p, 1, &safe), "safe");
    for (size_t i = 1; i <= (size_t)g->s->steps; i++) {
        tvgp_query q;
        double y[2];
        experiment_check(t.ctx, tvgp_policy_ask_one(p, (double)i, &q, NULL), "ask");
        count(g, i, (size_t)q.arm, y);
        experiment_check(t.ctx, tvgp_policy_tell_values(p, q.id, 2, y), "tell");
        move_to(g, i);
    }
    experiment_check(t.ctx, tvgp_policy_stat(p, "safe.expected_violations", &g->values[FORETOLD]),
                     "safe.expected_violations");
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(model);
    close_table(&t);
}

/* ---- SafeOpt ------------------------------------------------------------------------------------------------------- */

typedef struct posterior {
    double mean[2][ARMS], sd[2][ARMS];
    int safe[ARMS];
} posterior;

static void believe(const game *g, const table *t, tvgp_policy *const p[2], double time, posterior *b) {
    for (int k = 0; k < 2; k++) {
        experiment_check(t->ctx, tvgp_policy_predict(p[k], time, ARMS, NULL, b->mean[k], b->sd[k]), "predict");
        for (size_t i = 0; i < ARMS; i++)
            b->sd[k][i] = sqrt(b->sd[k][i]);
    }
    for (size_t i = 0; i < ARMS; i++)
        b->safe[i] = i == g->declared || b->mean[1][i] - WIDTH * b->sd[1][i] >= LIMIT;
}

static size_t choose(const game *g, const posterior *b) {
    double lowest = -INFINITY, widest = -1;
    size_t best = g->declared;
    for (size_t i = 0; i < ARMS; i++)
        if (b->safe[i])
            lowest = fmax(lowest, b->mean[0][i] - WIDTH * b->sd[0][i]);
    for (size_t i = 0; i < ARMS; i++) {
        const int edge = (i > 0 && !b->safe[i - 1]) || (i + 1 < ARMS && !b->safe[i + 1]);
        const double wide = fmax(b->sd[0][i], b->sd[1][i]);
        if (b->safe[i] && (edge || b->mean[0][i] + WIDTH * b->sd[0][i] >= lowest) && wide > widest) {
            widest = wide;
            best = i;
        }
    }
    return best;
}

/* Whose drift model has this rate; 0: static. */
static void play_safeopt(game *g, double epsilon) {
    table t = open_table();
    tvgp_policy *p[2] = {model_of(&t, epsilon), model_of(&t, epsilon)};
    posterior b;
    move_to(g, 0);
    for (size_t i = 1; i <= (size_t)g->s->steps; i++) {
        double y[2];
        believe(g, &t, p, (double)i, &b);
        const size_t arm = choose(g, &b);
        const double x = (double)arm / (ARMS - 1);
        count(g, i, arm, y);
        g->values[FORETOLD] +=
            arm == g->declared ? 0 : 0.5 * erfc((b.mean[1][arm] - LIMIT) / b.sd[1][arm] * 0.7071067811865476);
        for (int k = 0; k < 2; k++)
            experiment_check(
                t.ctx, tvgp_policy_tell(p[k], 1, &(tvgp_obs){.y = y[k], .flags = TVGP_OBS_HAS_TIME, .t = (double)i}, &x),
                "tell");
        move_to(g, i);
    }
    for (int k = 0; k < 2; k++)
        tvgp_policy_destroy(p[k]);
    close_table(&t);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

/* The algorithms, SafeOpt by the drift model, static SafeOpt. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const scene *s = user;
    memset(values, 0, (e->n_players + 2) * VALUES * sizeof *values);
    for (size_t k = 0; k < e->n_players + 2; k++) {
        game g = {.s = s, .seed = e->seed + r, .values = values + k * VALUES};
        if (k < e->n_players)
            play_policy(&g, e, k, r);
        else
            play_safeopt(&g, k == e->n_players ? s->epsilon : 0);
    }
}

void exp_limits_drawn(int argc, char **argv) {
    static const char *const players[] = {"tv-gp-ucb",
                                          "tv-gp-ucb constraint.confidence=.9",
                                          "tv-gp-ucb constraint.confidence=.5",
                                          "tv-gp-ucb constraint.exploration_share=0",
                                          "random",
                                          NULL};
    static const char *const others[] = {"SafeOpt by the law", "static SafeOpt"};
    static char epsilon[SETTINGS_SIZE], noise[SETTINGS_SIZE];
    experiment e = {.name = "limits-drawn", .runs = 12, .processes = 1, .seed = 1};
    static scene s = {.steps = 300, .epsilon = 0.01};
    const experiment_number own[] = {{"--steps", "actions of a run", &s.steps},
                                     {"--epsilon", "rate at which both are redrawn", &s.epsilon}};
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    snprintf(epsilon, sizeof epsilon, "epsilon=%.17g", s.epsilon);
    snprintf(noise, sizeof noise, "noise=%.17g", VARIANCE);
    settings_add(&e.defaults, epsilon);
    settings_add(&e.defaults, noise);
    factorise(&s);
    const size_t n = (e.n_players + 2) * VALUES;
    double *all = experiment_runs(&e, run, &s, n);
    printf("policy,runs,steps,epsilon,broken,broken_se,foretold,regret,regret_se\n");
    for (size_t k = 0; k < e.n_players + 2; k++) {
        experiment_mean mean[VALUES];
        for (size_t v = 0; v < VALUES; v++)
            mean[v] = experiment_mean_of(all, e.runs, n, k * VALUES + v);
        printf("%s,%zu,%.0f,%g,%.2f,%.2f,%.2f,%.4f,%.4f\n", k < e.n_players ? e.players[k].label : others[k - e.n_players],
               e.runs, s.steps, s.epsilon, mean[BROKEN].mean, mean[BROKEN].error, mean[FORETOLD].mean, mean[REGRET].mean,
               mean[REGRET].error);
    }
    free(all);
}
