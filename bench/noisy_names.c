/* SPDX-License-Identifier: MIT */
/* Arms that are names: clicks, and outcomes with normal or lognormal noise, on rates that swing, forget, are drawn again
 * twice or stand still, or of which best and worst change places twice. Third-party rules (zoo/forgetting.h) run with
 * every window or discount of a list; the table has them all, and the best on average is what tuning in hindsight gives. */
#include "noisy.h"
#include "zoo/forgetting.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWING, FORGET, SWAPS, REDRAWN, STILL };
enum { CLICKS, NORMAL, LOGNORMAL };
enum { FIELD = EXPERIMENT_OWN, ANSWERS };

typedef struct {
    const char *label;
    size_t arms;
    int drift, answers;
    double mean, sd, epsilon; /* of the rates */
    double noise;             /* variance, of the normal outcomes */
    size_t steps;
} problem_row;

static const problem_row rows[] = {
    {"6 clicks 5 +- 2 % swing", 6, SWING, CLICKS, 0.05, 0.02, 0, 0, 3000},
    {"2 clicks 5 +- 2 % swing", 2, SWING, CLICKS, 0.05, 0.02, 0, 0, 3000},
    {"6 clicks 30 +- 7 % forget .002", 6, FORGET, CLICKS, 0.3, 0.07, 0.002, 0, 3000},
    {"20 clicks 5 +- 2 % forget .002", 20, FORGET, CLICKS, 0.05, 0.02, 0.002, 0, 6000},
    {"6 clicks 5 +- 3 % two swaps", 6, SWAPS, CLICKS, 0.05, 0.03, 0, 0, 3000},
    {"6 clicks 5 +- 3 % redrawn twice", 6, REDRAWN, CLICKS, 0.05, 0.03, 0, 0, 3000},
    {"6 clicks 1 +- .6 % still", 6, STILL, CLICKS, 0.01, 0.006, 0, 0, 6000},
    {"6 normal N 100 forget .002", 6, FORGET, NORMAL, 0, 1, 0.002, 100, 3000},
    {"50 normal N 1 forget .002", 50, FORGET, NORMAL, 0, 1, 0.002, 1, 3000},
    {"6 lognormal forget .002", 6, FORGET, LOGNORMAL, 0, 1, 0.002, 100, 3000},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* A lognormal outcome is exp(spread f + sigma z - sigma^2 / 2): noise of about 100 times the variance that f makes. */
static const double spread = 0.3, sigma = 1.52;

/* The grid of sliding-window UCB: windows, and its width as a multiple of the theoretical sqrt(2 noise variance ln t). 0 is the rule
 * without exploration, so the lower end is closed; so is a window of 6000, the longest row. tests/grid_edges.py refuses a best setting
 * at an open end. */
enum { WINDOWS = 8, WIDTHS = 8, MEMORIES = (WIDTHS + 1) * WINDOWS };
static const size_t windows[WINDOWS] = {30, 60, 125, 250, 500, 1000, 2000, 6000};
static const double memories[WINDOWS] = {60,   125,  250,  500,
                                         1000, 2000, 6000, INFINITY}; /* of discounted Thompson sampling */
static const double widths[WIDTHS] = {2, 1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0};
enum { TOLD, NOTHING, NOTHING_LOG, TV_NOTHING, POLICIES, CONSTANT = POLICIES, RANDOM, OTHERS, COLUMNS = OTHERS + MEMORIES };

typedef struct {
    const problem_row *row;
    const double *f;
    uint64_t seed;
} world;

/* ---- rates and outcomes -------------------------------------------------------------------------------------------- */

/* One value for each arm and `which`. */
static void draw(const problem_row *w, uint64_t seed, uint64_t which, double *z) {
    experiment_check(NULL, tvgp_random_normal(seed, FIELD, which, w->arms, z), "rates");
}

static double swinging(const problem_row *w, const double *z, const double *other, size_t t, size_t i) {
    const double period = 1000 * pow(3, 0.5 + 0.5 * tanh(other[i]));
    return w->mean + w->sd * sin(2 * acos(-1) * ((double)t / period + z[i]));
}

/* Uniform rates, of which the best and the worst change places. */
static void swap(const problem_row *w, size_t t, const double *z, double *now) {
    size_t best = 0, worst = 0;
    for (size_t i = 0; i < w->arms; i++)
        now[i] = t ? now[(ptrdiff_t)i - (ptrdiff_t)w->arms] : w->mean + w->sd * erf(z[i] / sqrt(2));
    for (size_t i = 0; i < w->arms; i++) {
        best = now[i] > now[best] ? i : best;
        worst = now[i] < now[worst] ? i : worst;
    }
    if (t && t * 3 % w->steps < 3) {
        const double f = now[best];
        now[best] = now[worst];
        now[worst] = f;
    }
}

static double *rates(const problem_row *w, uint64_t seed) {
    double *f = experiment_allocate(w->steps * w->arms, sizeof *f), *z = experiment_allocate(2 * w->arms, sizeof *z);
    draw(w, seed, w->steps, z + w->arms);
    for (size_t t = 0; t < w->steps; t++) {
        double *now = f + t * w->arms;
        if (w->drift == FORGET || (w->drift == REDRAWN && t * 3 % w->steps < 3) || t == 0)
            draw(w, seed, t, z);
        if (w->drift == SWAPS)
            swap(w, t, z, now);
        for (size_t i = 0; w->drift != SWAPS && i < w->arms; i++) {
            const double before = t ? now[i - w->arms] : 0, fresh = w->mean + w->sd * z[i];
            now[i] = w->drift == SWING ? swinging(w, z, z + w->arms, t, i)
                     : w->drift == FORGET && t
                         ? w->mean + sqrt(1 - w->epsilon) * (before - w->mean) + sqrt(w->epsilon) * w->sd * z[i]
                         : fresh;
        }
    }
    for (size_t i = 0; w->answers == CLICKS && i < w->steps * w->arms; i++)
        f[i] = fmin(fmax(f[i], 0.0005), 0.9995);
    free(z);
    return f;
}

/* The same chance for all algorithms at a step. */
static double answer(const world *w, size_t t, size_t arm) {
    const double f = w->f[t * w->row->arms + arm];
    double z;
    experiment_check(NULL, tvgp_random_normal(w->seed, ANSWERS, t, 1, &z), "answer");
    if (w->row->answers == CLICKS)
        return 0.5 * erfc(-z / sqrt(2)) < f;
    return w->row->answers == NORMAL ? f + sqrt(w->row->noise) * z : exp(spread * f + sigma * z - 0.5 * sigma * sigma);
}

static double loss(const world *w, size_t t, size_t arm) {
    const double *now = w->f + t * w->row->arms;
    double best = now[0];
    for (size_t i = 1; i < w->row->arms; i++)
        best = fmax(best, now[i]);
    return best - now[arm];
}

/* Prior mean and variance of the rates and the noise, as the outcomes have them. */
static void truth(const problem_row *w, double *mean, double *variance, double *noise) {
    *mean = w->answers == LOGNORMAL ? exp(0.5 * spread * spread) : w->mean;
    *variance = w->sd * w->sd *
                (w->drift == SWING   ? 1.0 / 2
                 : w->drift == SWAPS ? 1.0 / 3
                                     : 1) *
                (w->answers == LOGNORMAL ? spread * spread : 1);
    *noise = w->answers == CLICKS ? w->mean * (1 - w->mean) : w->answers == LOGNORMAL ? exp(sigma * sigma) - 1 : w->noise;
}

/* ---- algorithms ------------------------------------------------------------------------------------------------------ */

static tvgp_policy *make(const world *w, int which, tvgp_ctx *ctx, const tvgp_domain *names) {
    double mean, variance, noise;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p;
    truth(w->row, &mean, &variance, &noise);
    if (which == TOLD)
        experiment_check(ctx, tvgp_kernel_categorical(ctx, variance, 0, &kernel), "kernel");
    const char *name = which == TV_NOTHING ? "tv-gp-ucb" : "auto-gp-ucb";
    experiment_check(ctx, tvgp_policy_create(ctx, name, names, kernel, &p), "policy");
    if (which == NOTHING || which == NOTHING_LOG) /* this page is about learned hyperparameters, not the default mixture */
        experiment_check(ctx, tvgp_policy_set(p, "fit=map"), "fit");
    if (which == TV_NOTHING)
        experiment_check(ctx, tvgp_policy_set(p, "width.schedule=rate"), "width");
    if (which == TOLD) {
        experiment_check(ctx, tvgp_policy_set_f64(p, "noise", noise), "noise");
        experiment_check(ctx, tvgp_policy_set_prior_mean(p, 1, &mean), "mean");
    }
    tvgp_kernel_destroy(kernel);
    return p;
}

static double play_policy(const world *w, int which, tvgp_ctx *ctx, const tvgp_domain *names) {
    tvgp_policy *p = make(w, which, ctx, names);
    double total = 0;
    for (size_t t = 0; t < w->row->steps; t++) {
        tvgp_query q;
        experiment_check(ctx, tvgp_policy_ask_one(p, (double)(t + 1), &q, NULL), "ask");
        const double y = answer(w, t, (size_t)q.arm);
        total += loss(w, t, (size_t)q.arm);
        experiment_check(ctx, tvgp_policy_tell_value(p, q.id, which == NOTHING_LOG ? log(y) : y), "tell");
    }
    tvgp_policy_destroy(p);
    return total;
}

static double play_window(const world *w, size_t window, double width) {
    window_ucb p;
    double total = 0;
    window_ucb_create(&p, w->row->arms, window, width);
    for (size_t t = 0; t < w->row->steps; t++) {
        const size_t arm = window_ucb_choose(&p, NULL);
        total += loss(w, t, arm);
        window_ucb_tell(&p, arm, answer(w, t, arm));
    }
    window_ucb_destroy(&p);
    return total;
}

static double play_thompson(const world *w, double memory) {
    discounted_thompson p;
    double total = 0;
    zoo_chance chance;
    discounted_thompson_create(&p, w->row->arms, 1 - 1 / memory);
    zoo_chance_open(&chance, w->seed);
    if (w->row->answers != CLICKS)
        truth(w->row, &p.prior_mean, &p.prior, &p.noise);
    for (size_t t = 0; t < w->row->steps; t++) {
        const size_t arm = discounted_thompson_choose(&p, NULL, &chance);
        total += loss(w, t, arm);
        discounted_thompson_tell(&p, arm, answer(w, t, arm));
    }
    discounted_thompson_destroy(&p);
    return total;
}

static double play_constant(const world *w, size_t arm) {
    double total = 0;
    for (size_t t = 0; t < w->row->steps; t++)
        total += loss(w, t, arm);
    return total;
}

/* ---- runs --------------------------------------------------------------------------------------------------------- */

static void run(experiment *e, const void *user, size_t r, double *values) {
    const problem_row *row = user;
    double *f = rates(row, e->seed + r), mean, variance, noise;
    const world w = {.row = row, .f = f, .seed = e->seed + r};
    tvgp_ctx *ctx;
    tvgp_domain *names;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_domain_indices(ctx, row->arms, &names), "names");
    truth(row, &mean, &variance, &noise);
    for (int which = 0; which < POLICIES; which++)
        values[which] =
            which == NOTHING_LOG && row->answers != LOGNORMAL ? values[NOTHING] : play_policy(&w, which, ctx, names);
    values[CONSTANT] = INFINITY;
    values[RANDOM] = 0;
    for (size_t i = 0; i < row->arms; i++) {
        const double of = play_constant(&w, i);
        values[CONSTANT] = fmin(values[CONSTANT], of);
        values[RANDOM] += of / (double)row->arms;
    }
    for (size_t i = 0; i < WINDOWS; i++) {
        for (size_t k = 0; k < WIDTHS; k++)
            values[OTHERS + k * WINDOWS + i] = play_window(&w, windows[i], widths[k] * sqrt(2 * noise));
        values[OTHERS + WIDTHS * WINDOWS + i] = play_thompson(&w, memories[i]);
    }
    tvgp_domain_destroy(names);
    tvgp_ctx_destroy(ctx);
    free(f);
}

void noisy_names(experiment *e, double only) {
    static const char *const first[OTHERS] = {"auto true",   "auto defaults", "auto defaults of logarithms",
                                              "tv defaults", "best constant", "random"};
    static char text[MEMORIES][40];
    const char *players[COLUMNS];
    memcpy(players, first, sizeof first);
    for (size_t i = 0; i < MEMORIES; i++) {
        if (i < WIDTHS * WINDOWS)
            snprintf(text[i], sizeof text[i], "sw-ucb width=%g window=%zu", widths[i / WINDOWS], windows[i % WINDOWS]);
        else
            snprintf(text[i], sizeof text[i], "disc thompson memory=%g", memories[i % WINDOWS]);
        players[OTHERS + i] = text[i];
    }
    for (size_t i = 0; i < ROWS; i++) {
        char label[64];
        if (only >= 0 && only != (double)i)
            continue;
        snprintf(label, sizeof label, "names,%s", rows[i].label);
        double *values = experiment_runs(e, run, &rows[i], COLUMNS);
        noisy_report(e, label, players, COLUMNS, values, RANDOM, TOLD);
        free(values);
    }
}
