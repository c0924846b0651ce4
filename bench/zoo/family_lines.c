/* SPDX-License-Identifier: MIT */
/* Functions on a line whose peak moves, with an expert who may be asked and without, and priors of which one is true.
 *
 *   swing     SparQ's peak (truth.h); kernel as in bench/exp_sparq.c
 *   waves     W-SparQ's waves (truth.h), k = .5 exp(-d^2 / 18); the weight makes the largest value about that of the paper
 *   parabola  1 - (x - c)^2 on [-2, 2] with c another after each third of the run, after the thesis of Brunzema
 *   hills     ten hills, one of them tall, eleven priors (Ziomek, Adachi, Osborne, section 7; truth.h)
 *   days      12 days of 30 arms as prior means, today is like one of them except a rest that forgets */
#include "problem.h"
#include "truth.h"

#include "../experiment.h"
#include <math.h>
#include <stdlib.h>

enum { POINTS = 101, STEPS = 400, DAYS = 12, SENSORS = 30, DAY = 144 };

/* On [-50, 50] or another interval. */
static void on_line(zoo_problem *p, size_t steps, double lower, double upper, double lengthscale, double variance) {
    const size_t points = POINTS;
    p->info.steps = steps;
    p->info.dim = 1;
    p->info.arms = POINTS;
    p->info.noise = zoo_set(p, "noise");
    p->variance = variance;
    p->f = experiment_allocate(steps * POINTS, sizeof *p->f);
    experiment_check(p->ctx, tvgp_domain_grid(p->ctx, 1, &lower, &upper, &points, &p->domain), "arms");
    experiment_check(p->ctx, tvgp_kernel_se(p->ctx, 1, variance, 1, &lengthscale, &p->kernel), "kernel");
}

static void make_swing(zoo_problem *p) {
    const double speed = zoo_set(p, "speed");
    on_line(p, STEPS, -50, 50, 7.4, 1.5);
    for (size_t k = 0; k < STEPS * POINTS; k++)
        p->f[k] = zoo_swing((double)(k % POINTS) - 50, (double)(k / POINTS + 1), speed);
}

static void make_waves(zoo_problem *p) {
    const double speed = zoo_set(p, "speed");
    const zoo_waves_kernel kernel = {.variance = 0.5, .lengthscale = 3};
    on_line(p, STEPS, -50, 50, kernel.lengthscale, kernel.variance);
    for (size_t k = 0; k < STEPS * POINTS; k++)
        p->f[k] = zoo_waves((double)(k % POINTS) - 50, (double)(k / POINTS + 1), speed, 6, kernel);
}

static void make_swing_expert(zoo_problem *p) {
    make_swing(p);
    zoo_give_expert(p);
}

static void make_waves_expert(zoo_problem *p) {
    make_waves(p);
    zoo_give_expert(p);
}

static void make_parabola(zoo_problem *p) {
    on_line(p, STEPS, -2, 2, 1, 4);
    for (size_t k = 0; k < STEPS * POINTS; k++) {
        const double x = -2 + 4 * (double)(k % POINTS) / (POINTS - 1);
        const double c = 3 * zoo_uniform_of(p->seed, ZOO_TRUTH, 3 * (k / POINTS) / STEPS) - 1.5;
        p->f[k] = 1 - (x - c) * (x - c);
    }
    p->info.changes = 2;
}

/* ---- priors ------------------------------------------------------------------------------------------------------- */

/* Prior 0 is the truth, hill 2 tall; the others those of hill 1, 3, .. 10, and none. */
static void make_hills(zoo_problem *p) {
    const double length = zoo_set(p, "length");
    zoo_on_grid(p, 100, POINTS, 1, length, 0.25);
    p->info.noise = zoo_set(p, "noise");
    p->n_priors = ZOO_HILLS + 1;
    p->priors = experiment_allocate(p->n_priors * POINTS, sizeof *p->priors);
    for (size_t k = 0; k < p->n_priors * POINTS; k++) {
        const size_t which = k / POINTS, tall = which == 0 ? 2 : which == 1 ? 1 : which + 1;
        p->priors[k] = zoo_hills((double)(k % POINTS) / (POINTS - 1), tall);
    }
    zoo_field field;
    double sample[POINTS];
    zoo_field_open(&field, POINTS, 1, length);
    zoo_field_sample(&field, p->seed, 0, sample);
    zoo_field_close(&field);
    for (size_t k = 0; k < 100 * POINTS; k++) {
        const double x = (double)(k % POINTS) / (POINTS - 1);
        p->f[k] = fabs(x - zoo_hill(2)) <= 0.05 && k / POINTS % 2 ? NAN : p->priors[k % POINTS] + 0.5 * sample[k % POINTS];
    }
    p->info.high = 4;
    p->info.low = -1;
    p->info.changes = 1;
    p->epsilon = 1e-9;
}

/* Prior d: the mean of day d; 0 is the day that today is like. */
static void make_days(zoo_problem *p) {
    const double rest = zoo_set(p, "rest"), keep = 0.98;
    double own[SENSORS];
    zoo_on_names(p, DAY, SENSORS, 0, rest * rest);
    p->info.noise = zoo_set(p, "noise");
    p->n_priors = DAYS;
    p->priors = experiment_allocate(DAYS * SENSORS, sizeof *p->priors);
    zoo_normal(p->seed, ZOO_TRUTH, 0, DAYS * SENSORS, p->priors);
    zoo_normal(p->seed, ZOO_TRUTH, 1, SENSORS, own);
    for (size_t k = 0; k < DAYS * SENSORS; k++)
        p->priors[k] = 0.5 * own[k % SENSORS] + 0.5 * p->priors[k];
    for (size_t s = 0; s < DAY; s++) {
        double z[SENSORS];
        zoo_normal(p->seed, ZOO_TRUTH, 2 + s, SENSORS, z);
        for (size_t i = 0; i < SENSORS; i++) {
            const double before = s ? zoo_row(p, s - 1)[i] - p->priors[i] : 0;
            zoo_row(p, s)[i] = p->priors[i] + (s ? keep * before + sqrt(1 - keep * keep) * rest * z[i] : rest * z[i]);
        }
    }
    p->epsilon = 1 - keep * keep;
    p->info.low = -3;
    p->info.high = 3;
}

#define NOISE                                                                                                               \
    {                                                                                                                       \
        "noise", {                                                                                                          \
            0.01, 0.01, 0.01                                                                                                \
        }                                                                                                                   \
    }
const zoo_kind zoo_kinds_lines[] = {
    {"swing", "moving", "a peak that swings", {{"speed", {0.02, 0.1, 0.3}}, NOISE}, make_swing},
    {"waves", "moving", "waves that move", {{"speed", {0.03, 0.1, 0.3}}, NOISE}, make_waves},
    {"parabola", "moving", "a parabola that jumps twice", {{"noise", {0.01, 0.1, 0.5}}}, make_parabola},
    {"swing-expert",
     "expert",
     "the peak, with an expert to ask",
     {{"speed", {0.1, 0.1, 0.1}}, NOISE, ZOO_EXPERT_SETTINGS},
     make_swing_expert},
    {"waves-expert",
     "expert",
     "the waves, with an expert to ask",
     {{"speed", {0.3, 0.3, 0.3}}, NOISE, ZOO_EXPERT_SETTINGS},
     make_waves_expert},
    {"hills", "prior", "ten hills, one is tall", {{"length", {1, 0.3, 0.1}}, {"noise", {1e-4, 1e-4, 1e-4}}}, make_hills},
    {"days", "prior", "today is like one of twelve days", {{"rest", {0.2, 0.5, 1}}, NOISE}, make_days},
    {0},
};
