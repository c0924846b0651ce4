/* SPDX-License-Identifier: MIT */
/* The cost of default settings: samples of a Gaussian process (SE kernel) on 15 x 15 arms, static, drifting, replaced at
 * once, with rewards in any unit around any offset. Each policy plays four times: true kernel, noise, mean and rate; a
 * lengthscale 3 times too long, and 3 times too short (--wrong: another factor); and created without a kernel. Same
 * functions and noise for all. */
#include "exp.h"
#include "experiment.h"
#include "field.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EARLY = 100, DRAW = EXPERIMENT_OWN + 1 };
enum { TRUE_PARAMETERS, LONG, SHORT, NOTHING, CHOICES };
static const char *const names[CHOICES] = {"true", "lengthscale x", "lengthscale /", "defaults"};

typedef struct scene {
    const char *name;
    double lengthscale, epsilon, unit, offset;
    int redrawn, drawn; /* everything is replaced in the middle; lengthscale, rate, unit and offset differ in every run */
} scene;

static const scene scenes[] = {
    {"static", 0.2, 0, 1, 0, 0, 0},       {"eps 0.01", 0.2, 0.01, 1, 0, 0, 0},   {"eps 0.03", 0.2, 0.03, 1, 0, 0, 0},
    {"redrawn", 0.2, 0, 1, 0, 1, 0},      {"200..205", 0.2, 0.01, 1, 202, 0, 0}, {"x 0.001", 0.2, 0.01, 1e-3, 0, 0, 0},
    {"x 1000", 0.2, 0.01, 1000, 0, 0, 0}, {"l 0.1", 0.1, 0.01, 1, 0, 0, 0},      {"l 0.5", 0.5, 0.01, 1, 0, 0, 0},
    {"draws", 0, 0, 0, 0, 0, 1},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct world {
    const scene *scene;
    size_t steps, side;
    double parameters; /* the only one played; negative: all */
    double noise;      /* of rewards of unit 1 */
    double wrong;      /* factor of a wrong lengthscale */
} world;

/* The scene of a run: what is drawn is drawn. */
static scene scene_of(const world *w, uint64_t seed) {
    scene s = *w->scene;
    double u[4];
    if (!s.drawn)
        return s;
    experiment_check(NULL, tvgp_random_uniform(seed, DRAW, 0, 4, u), "draws");
    s.lengthscale = 0.1 * pow(5, u[0]);
    s.epsilon = 0.003 * pow(10, u[1]);
    s.unit = pow(10, 5 * u[2] - 2);
    s.offset = 600 * u[3] - 300;
    return s;
}

static double *functions(const world *w, const scene *s, const field *grid, uint64_t seed) {
    const size_t arms = grid->arms;
    double *f = experiment_allocate(w->steps * arms, sizeof *f);
    for (size_t t = 1; t <= w->steps; t++) {
        const double epsilon = s->redrawn && t == w->steps / 2 ? 1 : s->epsilon;
        double *now = f + (t - 1) * arms;
        field_sample(grid, seed, t, now);
        for (size_t i = 0; i < arms && t > 1; i++)
            now[i] = sqrt(1 - epsilon) * now[i - arms] + sqrt(epsilon) * now[i];
    }
    for (size_t i = 0; i < w->steps * arms; i++)
        f[i] = s->offset + s->unit * f[i];
    return f;
}

static tvgp_policy *make(experiment *e, size_t player, int parameters, const scene *s, const world *w, const field *grid,
                         size_t run) {
    const double factor[CHOICES] = {[TRUE_PARAMETERS] = 1, [LONG] = w->wrong, [SHORT] = 1 / w->wrong};
    const double l = parameters == NOTHING ? 1 : s->lengthscale * factor[parameters], noise = w->noise * s->unit * s->unit;
    tvgp_kernel *kernel = NULL;
    experiment_check(grid->ctx, tvgp_kernel_se(grid->ctx, 2, s->unit * s->unit, 1, &l, &kernel), "kernel");
    tvgp_policy *p = experiment_policy(e, player, grid->ctx, grid->domain, parameters == NOTHING ? NULL : kernel, run);
    tvgp_kernel_destroy(kernel);
    if (parameters == NOTHING)
        return p;
    experiment_check(grid->ctx, tvgp_policy_set_prior_mean(p, 1, &s->offset), "mean");
    experiment_check(grid->ctx, tvgp_policy_set_f64(p, "noise", noise), "noise");
    (void)tvgp_policy_set_f64(p, "epsilon", s->redrawn ? 2 / (double)w->steps : s->epsilon); /* where there is one */
    return p;
}

/* Uniform play: the best value less the mean of all. */
static void of_random(const world *w, const field *grid, const double *f, double *regret) {
    for (size_t t = 0; t < w->steps; t++) {
        const double *now = f + t * grid->arms;
        double best = now[0], sum = 0;
        for (size_t i = 0; i < grid->arms; i++) {
            best = fmax(best, now[i]);
            sum += now[i];
        }
        regret[t] = best - sum / (double)grid->arms;
    }
}

static int plays(const world *w, int parameters) {
    return w->parameters < 0 || w->parameters == parameters;
}

/* Per algorithm and setting: regret, and regret after the first EARLY steps, both divided by uniform play's. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const world *w = user;
    const uint64_t seed = e->seed + r;
    const scene s = scene_of(w, seed);
    field grid;
    field_create_at(&grid, w->side, s.lengthscale);
    double *f = functions(w, &s, &grid, seed), *regret = experiment_allocate(w->steps, sizeof *regret);
    const experiment_table table = {
        .arms = grid.arms, .steps = w->steps, .f = f, .noise = w->noise * s.unit * s.unit, .seed = seed};
    of_random(w, &grid, f, regret);
    const double all = experiment_sum(w->steps, regret), late = experiment_sum(w->steps - EARLY, regret + EARLY);
    for (size_t i = 0; i < e->n_players; i++)
        for (int b = 0; b < CHOICES; b++) {
            if (!plays(w, b)) {
                values[0] = values[1] = NAN;
                values += 2;
                continue;
            }
            tvgp_policy *p = make(e, i, b, &s, w, &grid, r);
            experiment_play(&table, grid.ctx, p, regret);
            *values++ = experiment_sum(w->steps, regret) / all;
            *values++ = experiment_sum(w->steps - EARLY, regret + EARLY) / late;
            tvgp_policy_destroy(p);
        }
    free(regret);
    free(f);
    field_destroy(&grid);
}

/* Of column a less column b, run by run. */
static experiment_mean difference(const double *values, size_t runs, size_t n_values, size_t a, size_t b) {
    double *apart = experiment_allocate(runs, sizeof *apart);
    for (size_t r = 0; r < runs; r++)
        apart[r] = values[r * n_values + a] - values[r * n_values + b];
    const experiment_mean mean = experiment_mean_of(apart, runs, 1, 0);
    free(apart);
    return mean;
}

static void report(const experiment *e, const world *w, const double *values, size_t n_values) {
    for (size_t i = 0; i < e->n_players; i++)
        for (size_t b = 0; b < CHOICES; b++) {
            if (!plays(w, (int)b))
                continue;
            const size_t column = 2 * (i * CHOICES + b);
            const experiment_mean all = experiment_mean_of(values, e->runs, n_values, column);
            const experiment_mean late = experiment_mean_of(values, e->runs, n_values, column + 1);
            const experiment_mean more = difference(values, e->runs, n_values, column, 2 * i * CHOICES);
            const experiment_mean first = difference(values, e->runs, n_values, column, 2 * b);
            const double true_mean = experiment_mean_of(values, e->runs, n_values, 0).mean;
            const double true_late = experiment_mean_of(values, e->runs, n_values, 1).mean;
            printf("%s,%s,%s", w->scene->name, e->players[i].label, names[b]);
            if (b == LONG || b == SHORT)
                printf(" %g", w->wrong);
            printf(",%zu,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.3f,%.3f,%.4f,%.4f\n", e->runs, all.mean, all.error, late.mean,
                   late.error, more.mean, more.error, all.mean / true_mean, late.mean / true_late, first.mean, first.error);
        }
    fflush(stdout);
}

void exp_learn(int argc, char **argv) {
    static const char *const players[] = {"tv-gp-ucb", "auto-gp-ucb", NULL};
    experiment e = {.name = "learn", .runs = 20, .processes = 2, .seed = 1};
    world w = {.parameters = -1, .noise = 0.01, .wrong = 3};
    double only = -1, steps = 400, side = 15;
    const experiment_number own[] = {
        {"--scene", "play only this one, from 0; negative: all", &only},
        {"--steps", "steps of a run", &steps},
        {"--parameters", "play only true (0), too long (1), too short (2), or default (3) parameters; negative: all",
         &w.parameters},
        {"--side", "so many times so many arms", &side},
        {"--noise", "noise variance, in units of the variance of the function", &w.noise},
        {"--wrong", "how many times too long or too short a supplied lengthscale is", &w.wrong},
    };
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    w.side = (size_t)fmax(side, 2);
    w.steps = (size_t)steps > EARLY ? (size_t)steps : EARLY + 1;
    printf("scene,policy,parameters,runs,regret_share,share_error,after_100,after_100_error,more_than_true,more_error,over_"
           "first,"
           "over_first_after_100,more_than_first,more_than_first_error\n");
    for (size_t i = 0; i < SCENES; i++) {
        if (only >= 0 && only != (double)i)
            continue;
        w.scene = &scenes[i];
        const size_t n_values = 2 * CHOICES * e.n_players;
        double *values = experiment_runs(&e, run, &w, n_values);
        report(&e, &w, values, n_values);
        free(values);
    }
}
