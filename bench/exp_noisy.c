/* SPDX-License-Identifier: MIT */
/* Outcomes that are mostly noise. Places: 21 arms on a line, samples of a Gaussian process (SE of lengthscale 0.2, variance
 * 1) that forget at a rate, noise from a hundredth to a hundred times the signal; policies with the true hyperparameters,
 * with default settings, and with a supplied noise that is wrong by a thousand. Names: noisy_names.c. Same functions and noise for
 * all algorithms of a run. */
#include "exp.h"
#include "noisy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARMS = 21, FIELD = EXPERIMENT_OWN };
static const double lengthscale = 0.2;

/* Kernel supplied or not. Factor of the supplied noise; 0: not supplied. */
typedef struct {
    const char *label, *policy, *options;
    int kernel;
    double noise;
} believer;

static const believer believers[] = {
    {"true", "tv-gp-ucb", "width.schedule=rate", 1, 1},   {"auto true", "auto-gp-ucb", "", 1, 1},
    {"auto defaults", "auto-gp-ucb", "", 0, 0},           {"tv defaults", "tv-gp-ucb", "width.schedule=rate", 0, 0},
    {"auto fit=noise", "auto-gp-ucb", "fit=noise", 1, 0}, {"auto noise x 1000", "auto-gp-ucb", "", 1, 1000},
    {"auto noise / 1000", "auto-gp-ucb", "", 1, 1e-3},
};
enum {
    BELIEVERS = sizeof believers / sizeof *believers,
    RIGHT = 4,
    COLUMNS = BELIEVERS + 1
}; /* the first ones play every row */

typedef struct {
    double epsilon;
    size_t steps;
    double noise;
    size_t players; /* that play it */
} rung;

static const rung rungs[] = {
    {0.001, 2000, 0.01, BELIEVERS}, {0.001, 2000, 0.1, BELIEVERS}, {0.001, 2000, 1, BELIEVERS}, {0.001, 2000, 10, BELIEVERS},
    {0.001, 2000, 100, BELIEVERS},  {0, 2000, 0.01, RIGHT},        {0, 2000, 1, RIGHT},         {0, 2000, 100, RIGHT},
    {0.01, 2000, 0.01, RIGHT},      {0.01, 2000, 1, RIGHT},        {0.01, 2000, 100, RIGHT},    {0.1, 1000, 0.01, RIGHT},
    {0.1, 1000, 1, RIGHT},          {0.4, 1000, 0.01, RIGHT},      {0.4, 1000, 1, RIGHT},       {0.0003, 10000, 1, RIGHT},
    {0.0003, 10000, 100, RIGHT},
};
enum { RUNGS = sizeof rungs / sizeof *rungs };

/* Rows of the factor of the Gram matrix of the arms. */
static void factor(double L[ARMS][ARMS]) {
    for (size_t i = 0; i < ARMS; i++)
        for (size_t j = 0; j <= i; j++) {
            const double apart = ((double)i - (double)j) / (ARMS - 1) / lengthscale;
            L[i][j] = exp(-0.5 * apart * apart) + (i == j ? 1e-9 : 0);
            for (size_t k = 0; k < j; k++)
                L[i][j] -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(L[i][j]) : L[i][j] / L[j][j];
        }
}

static double *functions(const rung *g, uint64_t seed) {
    static double L[ARMS][ARMS];
    double *f = experiment_allocate(g->steps * ARMS, sizeof *f), z[ARMS];
    factor(L);
    for (size_t t = 0; t < g->steps; t++) {
        double *now = f + t * ARMS;
        experiment_check(NULL, tvgp_random_normal(seed, FIELD, t, ARMS, z), "function");
        for (size_t i = 0; i < ARMS; i++) {
            double fresh = 0;
            for (size_t j = 0; j <= i; j++)
                fresh += L[i][j] * z[j];
            now[i] = t ? sqrt(1 - g->epsilon) * now[i - ARMS] + sqrt(g->epsilon) * fresh : fresh;
        }
    }
    return f;
}

static tvgp_policy *make(experiment *e, const believer *b, const rung *g, tvgp_ctx *ctx, const tvgp_domain *domain,
                         const tvgp_kernel *kernel, size_t run) {
    tvgp_policy *p;
    experiment_check(ctx, tvgp_policy_create(ctx, b->policy, domain, b->kernel ? kernel : NULL, &p), b->label);
    experiment_check(ctx, tvgp_policy_set(p, b->options), b->options);
    experiment_check(ctx, tvgp_policy_set_i64(p, "seed", (int64_t)(e->seed + run)), "seed");
    if (b->noise > 0)
        experiment_check(ctx, tvgp_policy_set_f64(p, "noise", b->noise * g->noise), "noise");
    if (b->kernel)
        (void)tvgp_policy_set_f64(p, "epsilon", g->epsilon); /* where there is one */
    return p;
}

static double of_random(const rung *g, const double *f) {
    double total = 0;
    for (size_t t = 0; t < g->steps; t++) {
        const double *now = f + t * ARMS;
        double best = now[0], sum = 0;
        for (size_t i = 0; i < ARMS; i++) {
            best = fmax(best, now[i]);
            sum += now[i] / ARMS;
        }
        total += best - sum;
    }
    return total;
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const rung *g = user;
    const double lower = 0, upper = 1;
    const size_t arms = ARMS;
    double *f = functions(g, e->seed + r), *regret = experiment_allocate(g->steps, sizeof *regret);
    const experiment_table table = {.arms = ARMS, .steps = g->steps, .f = f, .noise = g->noise, .seed = e->seed + r};
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_domain_grid(ctx, 1, &lower, &upper, &arms, &domain), "arms");
    experiment_check(ctx, tvgp_kernel_se(ctx, 1, 1, 1, &lengthscale, &kernel), "kernel");
    for (size_t b = 0; b < g->players; b++) {
        tvgp_policy *p = make(e, &believers[b], g, ctx, domain, kernel, r);
        experiment_play(&table, ctx, p, regret);
        values[b] = experiment_sum(g->steps, regret);
        tvgp_policy_destroy(p);
    }
    values[g->players] = of_random(g, f);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    free(regret);
    free(f);
}

static void ladder(experiment *e, double only) {
    for (size_t i = 0; i < RUNGS; i++) {
        const size_t n = rungs[i].players + 1;
        const char *names[COLUMNS];
        char row[64];
        if (only >= 0 && only != (double)i)
            continue;
        for (size_t b = 0; b < n; b++)
            names[b] = b + 1 < n ? believers[b].label : "random";
        snprintf(row, sizeof row, "line,eps %g T %zu N %g", rungs[i].epsilon, rungs[i].steps, rungs[i].noise);
        double *values = experiment_runs(e, run, &rungs[i], n);
        noisy_report(e, row, names, n, values, n - 1, 1);
        free(values);
    }
}

void exp_noisy(int argc, char **argv) {
    static const char *const nobody[] = {NULL};
    experiment e = {.name = "noisy", .runs = 10, .processes = 2, .seed = 1};
    double rung_only = -1, names_only = -1, part = 0;
    const experiment_number own[] = {
        {"--part", "0: both tables, 1: places, 2: names", &part},
        {"--rung", "of the places this row only, from 0; negative: all", &rung_only},
        {"--row", "of the names this row only, from 0; negative: all", &names_only},
    };
    experiment_read(&e, argc, argv, nobody, own, sizeof own / sizeof *own);
    printf("table,row,player,runs,regret,error,over_random,more_than_auto_true,more_error,over_auto_true\n");
    if (part != 2)
        ladder(&e, rung_only);
    if (part != 1)
        noisy_names(&e, names_only);
}
