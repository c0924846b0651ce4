/* SPDX-License-Identifier: MIT */
/* Within-model comparison (Brunzema et al., event-triggered time-varying Bayesian optimisation, table 2): f_1 and every g_t
 * are samples of a Gaussian process with SE kernel (l = 0.2, variance 1) on a 50 x 50 grid of the unit square,
 * f_t = sqrt(1 - eps) f_(t-1) + sqrt(eps) g_t. All policies see the same functions and the same noise. And on a 15 x 15 grid, what
 * moving less costs: the options switch.cost and switch.distance_cost. */
#include "exp.h"
#include "experiment.h"
#include "field.h"
#include <math.h>
#include <stdio.h>

typedef struct scene {
    double epsilon, known, steps, noise; /* known: the rate the policies assume */
    size_t side;
    const char *const *players, *const *stats;
    field field;
} scene;

static const char *const algorithms[] = {"tv-gp-ucb", "et-gp-ucb", "r-gp-ucb", "gp-ucb", "random", NULL};

static double *functions(const void *user, uint64_t seed) {
    const scene *s = user;
    const size_t steps = (size_t)s->steps, arms = s->field.arms;
    double *f = experiment_allocate(steps * arms, sizeof *f);
    for (size_t t = 0; t < steps; t++) {
        double *now = f + t * arms;
        field_sample(&s->field, seed, t + 1, now);
        for (size_t i = 0; t && i < arms; i++)
            now[i] = sqrt(1 - s->epsilon) * now[i - arms] + sqrt(s->epsilon) * now[i];
    }
    return f;
}

static void compare(experiment *e, scene *s, int argc, char **argv) {
    const experiment_number own[] = {
        {"--epsilon", "rate at which the functions drift", &s->epsilon},
        {"--assumed", "rate that the policies assume; negative: the true one", &s->known},
        {"--steps", "actions of a run", &s->steps},
        {"--noise", "noise variance", &s->noise},
    };
    experiment_read(e, argc, argv, s->players, own, sizeof own / sizeof *own);
    field_create(&s->field, s->side);
    /* What all policies are given; the command line wins. */
    char known[3][SETTINGS_SIZE], variant[SETTINGS_SIZE];
    snprintf(known[0], sizeof known[0], "epsilon=%.17g", s->known < 0 ? s->epsilon : s->known);
    snprintf(known[1], sizeof known[1], "horizon=%.0f", s->steps);
    snprintf(known[2], sizeof known[2], "noise=%.17g", s->noise);
    const char *const defaults[] = {known[0], known[1], known[2], "width.c1=0.4", "width.c2=4"};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        settings_add(&e->defaults, defaults[i]);
    const experiment_problem problem = {.ctx = s->field.ctx,
                                        .domain = s->field.domain,
                                        .kernel = s->field.kernel,
                                        .arms = s->field.arms,
                                        .steps = (size_t)s->steps,
                                        .noise = s->noise,
                                        .functions = functions,
                                        .stats = s->stats,
                                        .user = s};
    snprintf(variant, sizeof variant, "epsilon=%g", s->epsilon);
    experiment_compare(e, &problem, variant);
    field_destroy(&s->field);
}

void exp_within_model(int argc, char **argv) {
    experiment e = {.name = "within-model", .runs = 100, .processes = 2, .seed = 1};
    scene s = {.epsilon = 0.03, .known = -1, .steps = 400, .noise = 0.02, .side = 50, .players = algorithms};
    compare(&e, &s, argc, argv);
}

void exp_misspecified(int argc, char **argv) {
    experiment e = {.name = "misspecified", .runs = 100, .processes = 2, .seed = 1};
    scene s = {.epsilon = 0.05, .known = 0.001, .steps = 400, .noise = 0.02, .side = 50, .players = algorithms};
    compare(&e, &s, argc, argv);
}

void exp_moves(int argc, char **argv) {
    static const char *const players[] = {"tv-gp-ucb",
                                          "tv-gp-ucb switch.cost=.02",
                                          "tv-gp-ucb switch.cost=.05",
                                          "tv-gp-ucb switch.cost=.1",
                                          "tv-gp-ucb switch.cost=.2",
                                          "tv-gp-ucb switch.cost=.5",
                                          "tv-gp-ucb switch.distance_cost=.3",
                                          "tv-gp-ucb switch.distance_cost=1",
                                          "random",
                                          NULL};
    static const char *const stats[] = {"switch.count", "switch.distance", NULL};
    experiment e = {.name = "moves", .runs = 20, .processes = 2, .seed = 1};
    scene s = {.epsilon = 0.03, .known = -1, .steps = 400, .noise = 0.02, .side = 15, .players = players, .stats = stats};
    compare(&e, &s, argc, argv);
}
