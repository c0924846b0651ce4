/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb against policies that are given the rate of change: samples of the policies' own model on a grid, with
 * a rate that is constant, switched on and off, different in the two halves of the square, or replaced by two abrupt changes of
 * everything. All policies see the same functions and the same noise. */
#include "exp.h"
#include "experiment.h"
#include "field.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 400, LONG = 2000 };

static double constant(double rate, size_t t, double x) {
    (void)t;
    (void)x;
    return rate;
}
static double switched(double rate, size_t t, double x) {
    (void)x;
    return t > 150 && t <= 300 ? rate : 0;
}
static double redrawn(double rate, size_t t, double x) {
    (void)rate;
    (void)x;
    return t == 131 || t == 271 ? 1 : 0;
}
static double half(double rate, size_t t, double x) {
    (void)t;
    return x < 0.5 ? rate : 0;
}
static double late(double rate, size_t t, double x) {
    (void)x;
    return t > 1000 && t <= 1500 ? rate : 0;
}

static const struct scene {
    const char *name;
    size_t steps;
    double (*epsilon)(double rate, size_t t, double x); /* of the change from t - 1 to t at first coordinate x */
    double rate, known, shock;                          /* shock: probability that an arm is 5 lower for one step */
} scenes[] = {
    {"eps 0", STEPS, constant, 0, 0, 0},
    {"eps 0.001", STEPS, constant, 0.001, 0.001, 0},
    {"eps 0.01", STEPS, constant, 0.01, 0.01, 0},
    {"eps 0.03", STEPS, constant, 0.03, 0.03, 0},
    {"eps 0.05", STEPS, constant, 0.05, 0.05, 0},
    {"eps 0.1", STEPS, constant, 0.1, 0.1, 0},
    {"switched", STEPS, switched, 0.05, 0.05, 0},
    {"redrawn", STEPS, redrawn, 0, 0.01, 0},
    {"half", STEPS, half, 0.05, 0.05, 0},
    {"long", LONG, late, 0.03, 0.03, 0},
    {"eps 0.003", STEPS, constant, 0.003, 0.003, 0},
    {"eps 0.3", STEPS, constant, 0.3, 0.3, 0},
    {"eps 1", STEPS, constant, 1, 0.999, 0},
    {"shocks", STEPS, constant, 0.003, 0.003, 0.01},
};
enum { SCENES = sizeof scenes / sizeof *scenes, VALUES = 2 /* regret and resets of an algorithm */ };

typedef struct world {
    field field;
    const struct scene *scene;
    size_t side;
    double noise, unit, offset; /* rewards are multiplied by unit, to which offset was added: no policy knows it */
} world;

static int shocked(const world *w, uint64_t seed, size_t i) {
    double z;
    experiment_check(w->field.ctx, tvgp_random_normal(seed, EXPERIMENT_OWN + 7, i, 1, &z), "shock");
    return 0.5 * erfc(z / sqrt(2)) < w->scene->shock;
}

static double *functions(const void *user, uint64_t seed) {
    const world *w = user;
    const size_t arms = w->field.arms, steps = w->scene->steps;
    double *f = experiment_allocate(steps * arms, sizeof *f);
    for (size_t t = 1; t <= steps; t++) {
        double *now = f + (t - 1) * arms;
        field_sample(&w->field, seed, t, now);
        for (size_t i = 0; i < arms; i++) {
            if (t == 1)
                continue;
            const double epsilon = w->scene->epsilon(w->scene->rate, t, (double)(i / w->side) / (double)(w->side - 1));
            now[i] = sqrt(1 - epsilon) * now[i - arms] + sqrt(epsilon) * now[i];
        }
    }
    for (size_t i = 0; i < steps * arms; i++)
        f[i] = w->unit * (f[i] + w->offset - (w->scene->shock > 0 && shocked(w, seed, i) ? 5 : 0));
    return f;
}

/* Per algorithm its regret in units and its resets; at the end the regret of the best constant arm. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const world *w = user;
    const size_t steps = w->scene->steps;
    double *f = functions(w, e->seed + r), *regret = experiment_allocate(steps, sizeof *regret);
    const experiment_table table = {
        .arms = w->field.arms, .steps = steps, .f = f, .noise = w->noise * w->unit * w->unit, .seed = e->seed + r};
    for (size_t i = 0; i < e->n_players; i++) {
        tvgp_policy *policy = experiment_policy(e, i, w->field.ctx, w->field.domain, w->field.kernel, r);
        experiment_play(&table, w->field.ctx, policy, regret);
        values[VALUES * i] = experiment_sum(steps, regret) / w->unit;
        values[VALUES * i + 1] = experiment_stat(policy, "resets");
        tvgp_policy_destroy(policy);
    }
    experiment_constant(&table, regret);
    values[VALUES * e->n_players] = experiment_sum(steps, regret) / w->unit;
    free(regret);
    free(f);
}

/* Mean regret of the first algorithm divided by this one's, same runs, with its standard error (delta method). */
static experiment_mean ratio(const double *values, size_t runs, size_t n_values, size_t column) {
    const double first = experiment_mean_of(values, runs, n_values, 0).mean;
    const double own = experiment_mean_of(values, runs, n_values, column).mean, quotient = first / own;
    double squares = 0;
    for (size_t r = 0; r < runs; r++)
        squares += pow(values[r * n_values] - quotient * values[r * n_values + column], 2);
    return (experiment_mean){quotient, sqrt(squares / (double)((runs - 1) * runs)) / own};
}

static void report(const experiment *e, const world *w, const double *values, size_t n_values) {
    for (size_t i = 0; i <= e->n_players; i++) {
        const experiment_mean regret = experiment_mean_of(values, e->runs, n_values, VALUES * i);
        const experiment_mean share = ratio(values, e->runs, n_values, VALUES * i);
        printf("%s,%s,%zu,%.2f,%.2f,", w->scene->name, i < e->n_players ? e->players[i].label : "best constant arm", e->runs,
               regret.mean, regret.error);
        if (regret.mean > 0)
            printf("%.3f,%.3f,", share.mean, share.error);
        else
            printf(",,");
        if (i < e->n_players) {
            const experiment_mean resets = experiment_mean_of(values, e->runs, n_values, VALUES * i + 1);
            printf("%.3f,%.3f", resets.mean, resets.error);
        } else {
            printf(",");
        }
        printf("\n");
    }
    fflush(stdout);
}

static void play_scene(experiment *e, world *w, const struct scene *scene) {
    char known[3][SETTINGS_SIZE];
    w->scene = scene;
    snprintf(known[0], sizeof known[0], "epsilon=%.17g", scene->known);
    snprintf(known[1], sizeof known[1], "horizon=%zu", scene->steps);
    snprintf(known[2], sizeof known[2], "noise=%.17g", w->noise);
    const char *const defaults[] = {known[0], known[1], known[2], "width.c1=0.4", "width.c2=4"};
    e->defaults.n = 0;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        settings_add(&e->defaults, defaults[i]);
    experiment_refuse_unused(e, w->field.ctx, w->field.domain, w->field.kernel);
    const size_t n_values = VALUES * e->n_players + 1;
    double *values = experiment_runs(e, run, w, n_values);
    report(e, w, values, n_values);
    free(values);
}

void exp_auto(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb drift.models=ou",
                                          "auto-gp-ucb",
                                          "tv-gp-ucb",
                                          "tv-gp-ucb width.schedule=rate",
                                          "tv-gp-ucb epsilon=0.001",
                                          "tv-gp-ucb epsilon=0.1",
                                          "et-gp-ucb",
                                          "r-gp-ucb",
                                          "sw-gp-ucb window=60 width.schedule=log",
                                          "gp-ucb",
                                          "random",
                                          NULL};
    experiment e = {.name = "auto", .runs = 60, .processes = 2, .seed = 1};
    world w = {.noise = 0.02, .unit = 1};
    double only = -1, side = 30;
    const experiment_number own[] = {
        {"--scene", "play only this one, from 0; negative: all", &only},
        {"--side", "arms on a side of the grid", &side},
        {"--offset", "added to the rewards, unknown to the policies", &w.offset},
        {"--noise", "noise variance", &w.noise},
        {"--unit", "factor of the rewards, unknown to the policies", &w.unit},
    };
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    w.side = (size_t)fmax(side, 2);
    field_create(&w.field, w.side);
    printf("scene,policy,runs,regret,regret_error,first_over_this,ratio_error,resets,resets_error\n");
    for (size_t i = 0; i < SCENES; i++)
        if (only < 0 || only == (double)i)
            play_scene(&e, &w, &scenes[i]);
    field_destroy(&w.field);
}

/* ---- unknown lengthscale ---------------------------------------------------------------------------------------- */

enum { KERNELS = 3, CHOICES = KERNELS + 1 };                 /* one of three kernels, or all of them as priors */
static const double lengthscales[KERNELS] = {0.2, 0.1, 0.4}; /* the true one first */

typedef struct kernel_scene {
    world world;
    tvgp_kernel *kernel[KERNELS];
} kernel_scene;

static void run_kernels(experiment *e, const void *user, size_t r, double *values) {
    const kernel_scene *b = user;
    const world *w = &b->world;
    const size_t steps = w->scene->steps;
    double *f = functions(w, e->seed + r), *regret = experiment_allocate(steps, sizeof *regret);
    const experiment_table table = {.arms = w->field.arms, .steps = steps, .f = f, .noise = w->noise, .seed = e->seed + r};
    for (size_t i = 0; i < CHOICES; i++) {
        tvgp_policy *policy = experiment_policy(e, 0, w->field.ctx, w->field.domain, b->kernel[i < KERNELS ? i : 0], r);
        for (size_t k = 0; i == KERNELS && k < KERNELS; k++)
            experiment_check(w->field.ctx, tvgp_policy_add_prior(policy, b->kernel[k], 0, NULL, 0), "prior");
        experiment_play(&table, w->field.ctx, policy, regret);
        values[i] = experiment_sum(steps, regret);
        tvgp_policy_destroy(policy);
    }
    free(regret);
    free(f);
}

void exp_auto_kernels(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb drift.models=ou", NULL};
    experiment e = {.name = "auto-kernels", .runs = 60, .processes = 2, .seed = 1};
    kernel_scene b = {.world = {.noise = 0.02, .unit = 1, .side = 30}};
    double scene = 3;
    const experiment_number own[] = {{"--scene", "which scene of the experiment auto, from 0", &scene}};
    experiment_read(&e, argc, argv, players, own, 1);
    field_create(&b.world.field, b.world.side);
    b.world.scene = &scenes[(size_t)scene % SCENES];
    for (size_t k = 0; k < KERNELS; k++)
        experiment_check(b.world.field.ctx, tvgp_kernel_se(b.world.field.ctx, 2, 1, 1, &lengthscales[k], &b.kernel[k]),
                         "kernel");
    settings_add(&e.defaults, "noise=0.02");
    double *values = experiment_runs(&e, run_kernels, &b, CHOICES);
    printf("scene,kernel,runs,regret,regret_error,first_over_this,ratio_error\n");
    for (size_t i = 0; i < CHOICES; i++) {
        const experiment_mean regret = experiment_mean_of(values, e.runs, CHOICES, i);
        const experiment_mean share = ratio(values, e.runs, CHOICES, i);
        char label[64] = "bank of all three";
        if (i < KERNELS)
            snprintf(label, sizeof label, "lengthscale %g", lengthscales[i]);
        printf("%s,%s,%zu,%.2f,%.2f,%.3f,%.3f\n", b.world.scene->name, label, e.runs, regret.mean, regret.error, share.mean,
               share.error);
    }
    free(values);
    for (size_t k = 0; k < KERNELS; k++)
        tvgp_kernel_destroy(b.kernel[k]);
    field_destroy(&b.world.field);
}
