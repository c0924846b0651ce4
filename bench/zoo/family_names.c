/* SPDX-License-Identifier: MIT */
/* Arms that are names: no similarity between them is given.
 *
 *   single    at each step, with chance `chance`, one arm's value is drawn again
 *   sphere    x_i'theta, x_i and theta on the sphere in R^10, theta replaced `changes` times (Hong, Li, Tewari, after their linear
 *             bandit: N = 100, values within +-.8, noise .1; here T = 1000), with the linear kernel
 *   coin      one coin a step; coins: twenty; the chances forget at a rate about a mean, a mapped Gaussian process (bench/noisy_names.c)
 *   counts    Poisson counts of mean exp(1 + .5 g)
 *   day       each arm swings over a day of 48 steps with phase and amplitude of its own, next to a rest that forgets; week: over a day
 *             of 24 and a week of 168; shifting: over a day whose phase drifts
 *   switches  Bernoulli; each arm's chance is drawn again from [0, 1] with chance `rate` a step (Mellor and Shapiro 2013; Liu, Lee
 *             and Shroff 2018)
 *   sines     Bernoulli; chances .5 + .3 sin(2 pi (2.5 t / T + phase + k / K)) (Besbes, Gur and Zeevi 2014, with V_T = 3)
 *   long      that many steps, five times another drift model: still, slow, fast, abruptly changed often, slow again */
#include "problem.h"

#include "../experiment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void make_single(zoo_problem *p) {
    const double chance = zoo_set(p, "chance");
    const size_t arms = (size_t)zoo_set(p, "arms");
    zoo_on_names(p, 1000, arms, 0, 1);
    p->info.noise = zoo_set(p, "noise");
    zoo_normal(p->seed, ZOO_TRUTH, 0, arms, p->f);
    for (size_t s = 1; s < p->info.steps; s++) {
        double u[2];
        memcpy(zoo_row(p, s), zoo_row(p, s - 1), arms * sizeof(double));
        zoo_uniforms(p->seed, ZOO_TRUTH, 2 * s, 2, u);
        if (u[0] >= chance)
            continue;
        zoo_normal(p->seed, ZOO_TRUTH, 2 * s + 1, 1, zoo_row(p, s) + (size_t)(u[1] * (double)arms));
        p->info.changes++;
    }
    p->epsilon = 2 * chance / (double)arms;
}

/* ---- the sphere --------------------------------------------------------------------------------------------------- */

enum { LINEAR = 10, DIRECTIONS = 100, LINEAR_STEPS = 1000 };

static void on_sphere(uint64_t seed, uint64_t step, double *x) {
    double length = 0;
    zoo_normal(seed, ZOO_TRUTH, step, LINEAR, x);
    for (size_t d = 0; d < LINEAR; d++)
        length += x[d] * x[d];
    for (size_t d = 0; d < LINEAR; d++)
        x[d] /= sqrt(length);
}

static void make_sphere(zoo_problem *p) {
    const size_t changes = (size_t)zoo_set(p, "changes");
    const double one = 1;
    double *X = experiment_allocate(DIRECTIONS * LINEAR, sizeof *X), theta[LINEAR];
    p->info.steps = LINEAR_STEPS;
    p->info.arms = DIRECTIONS;
    p->info.dim = LINEAR;
    p->info.noise = zoo_set(p, "noise");
    p->info.changes = (double)changes;
    p->variance = 0.64 / LINEAR;
    p->f = experiment_allocate(LINEAR_STEPS * DIRECTIONS, sizeof *p->f);
    for (size_t i = 0; i < DIRECTIONS; i++)
        on_sphere(p->seed, 1000 + i, X + i * LINEAR);
    for (size_t s = 0; s < LINEAR_STEPS; s++) {
        on_sphere(p->seed, s * (changes + 1) / LINEAR_STEPS, theta);
        for (size_t k = 0; k < DIRECTIONS * LINEAR; k++)
            zoo_row(p, s)[k / LINEAR] += 0.8 * X[k] * theta[k % LINEAR];
    }
    p->epsilon = 2 * (double)changes / LINEAR_STEPS;
    experiment_check(p->ctx, tvgp_domain_arms(p->ctx, DIRECTIONS, LINEAR, X, &p->domain), "arms");
    experiment_check(p->ctx, tvgp_kernel_linear(p->ctx, LINEAR, p->variance, 1, &one, 0, &p->kernel), "kernel");
    free(X);
}

/* ---- chances and counts ------------------------------------------------------------------------------------------- */

/* Independent Gaussian processes of mean 0 and variance 1 that forget at a rate. */
static void forget(zoo_problem *p, double rate) {
    const size_t arms = p->info.arms;
    p->epsilon = rate;
    for (size_t s = 0; s < p->info.steps; s++) {
        zoo_normal(p->seed, ZOO_TRUTH, s, arms, zoo_row(p, s));
        for (size_t i = 0; s && i < arms; i++)
            zoo_row(p, s)[i] = sqrt(1 - rate) * zoo_row(p, s - 1)[i] + sqrt(rate) * zoo_row(p, s)[i];
    }
}

static void chances(zoo_problem *p, double coins) {
    const double mean = zoo_set(p, "mean"), sd = zoo_set(p, "sd");
    const size_t arms = (size_t)zoo_set(p, "arms"), steps = (size_t)zoo_set(p, "steps");
    zoo_on_names(p, steps, arms, mean, sd * sd);
    forget(p, zoo_set(p, "rate"));
    for (size_t k = 0; k < steps * arms; k++)
        p->f[k] = fmin(fmax(mean + sd * p->f[k], 0.0005), 0.9995);
    p->answers = ZOO_COINS;
    p->coins = coins;
    p->info.noise = mean * (1 - mean) / coins;
    p->info.low = 0;
    p->info.high = 1;
}

static void make_coin(zoo_problem *p) {
    chances(p, 1);
}

static void make_coins(zoo_problem *p) {
    chances(p, 20);
}

static void make_counts(zoo_problem *p) {
    const double spread = 0.5, level = zoo_set(p, "level"), mean = level * exp(0.5 * spread * spread);
    zoo_on_names(p, 1000, 10, mean, mean * mean * (exp(spread * spread) - 1));
    forget(p, zoo_set(p, "rate"));
    for (size_t k = 0; k < 10000; k++)
        p->f[k] = level * exp(spread * p->f[k]);
    p->answers = ZOO_POISSON;
    p->info.noise = mean;
    p->info.low = 0;
    p->info.high = mean + 3 * sqrt(p->variance + mean);
}

/* ---- seasons ------------------------------------------------------------------------------------------------------ */

/* amplitude sin(2 pi (t / period + phase + drift t)) of each arm with a share sqrt(1 - rest) of the variance, the rest forgets
 * at rate .02; the second period has half the amplitude, 0: none. */
static void seasons(zoo_problem *p, size_t steps, double period, double second, double drift) {
    enum { ARMS = 30 };
    const double rest = zoo_set(p, "rest");
    double u[4 * ARMS];
    zoo_on_names(p, steps, ARMS, 0, 0.5);
    forget(p, 0.02);
    zoo_uniforms(p->seed, ZOO_TRUTH, 1000000, (size_t)4 * ARMS, u);
    for (size_t k = 0; k < steps * ARMS; k++) {
        const double *own = u + 4 * (k % ARMS), t = (double)(k / ARMS);
        double swing = (0.5 + own[0]) * sin(2 * pi * (t / period + own[1] + drift * t));
        if (second > 0)
            swing += (0.5 + own[2]) / 2 * sin(2 * pi * (t / second + own[3]));
        p->f[k] = sqrt(1 - rest) * swing + sqrt(rest / 2) * p->f[k];
    }
    p->epsilon = 0;
    p->info.noise = zoo_set(p, "noise");
    p->info.period = period;
}

static void make_day(zoo_problem *p) {
    seasons(p, 480, 48, 0, 0);
}

static void make_week(zoo_problem *p) {
    seasons(p, 1008, 24, 168, 0);
}

/* A tenth of a day in ten days, and ten times as fast. */
static void make_shifting(zoo_problem *p) {
    seasons(p, 480, 48, 0, zoo_set(p, "drift") / 480);
}

/* ---- few arms, long runs ------------------------------------------------------------------------------------------ */

/* Chances of mean .5 and this variance; an outcome is 0 or 1. */
static void few(zoo_problem *p, double variance) {
    zoo_on_names(p, 10000, (size_t)zoo_set(p, "arms"), 0.5, variance);
    p->answers = ZOO_COINS;
    p->coins = 1;
    p->info.noise = 0.25 - variance;
    p->info.low = 0;
    p->info.high = 1;
}

static void make_switches(zoo_problem *p) {
    const double rate = zoo_set(p, "rate");
    few(p, 1.0 / 12);
    const size_t arms = p->info.arms;
    double u[64];
    for (size_t s = 0; s < p->info.steps; s++) {
        zoo_uniforms(p->seed, ZOO_TRUTH, s, 2 * arms, u);
        for (size_t i = 0; i < arms; i++) {
            const int again = !s || u[2 * i] < rate;
            zoo_row(p, s)[i] = again ? u[2 * i + 1] : zoo_row(p, s - 1)[i];
            p->info.changes += s && again;
        }
    }
    p->epsilon = 2 * rate;
}

static void make_sines(zoo_problem *p) {
    few(p, 0.3 * 0.3 / 2);
    const size_t arms = p->info.arms;
    const double phase = zoo_uniform_of(p->seed, ZOO_TRUTH, 0), steps = (double)p->info.steps;
    for (size_t k = 0; k < p->info.steps * arms; k++) {
        const double turns = 2.5 * (double)(k / arms) / steps + phase + (double)(k % arms) / (double)arms;
        p->f[k] = 0.5 + 0.3 * sin(2 * pi * turns);
    }
}

/* ---- long --------------------------------------------------------------------------------------------------------- */

static void make_long(zoo_problem *p) {
    static const double rate[] = {0, 1e-4, 1e-2, 0, 1e-4};
    const size_t steps = (size_t)zoo_set(p, "steps"), arms = (size_t)zoo_set(p, "arms"), part = steps / 5;
    zoo_on_names(p, steps, arms, 0, 1);
    p->info.noise = zoo_set(p, "noise");
    for (size_t s = 0; s < steps; s++) {
        const size_t law = s / part < 5 ? s / part : 4;
        const double e = s % part == 0 || (law == 3 && s % (part / 10) == 0) ? 1 : rate[law];
        zoo_normal(p->seed, ZOO_TRUTH, s, arms, zoo_row(p, s));
        for (size_t i = 0; s && i < arms; i++)
            zoo_row(p, s)[i] = sqrt(1 - e) * zoo_row(p, s - 1)[i] + sqrt(e) * zoo_row(p, s)[i];
    }
}

#define NOISE                                                                                                               \
    {                                                                                                                       \
        "noise", {                                                                                                          \
            0.02, 0.02, 0.02                                                                                                \
        }                                                                                                                   \
    }
const zoo_kind zoo_kinds_names[] = {
    {"single",
     "abrupt",
     "single arms jump",
     {{"chance", {0.01, 0.05, 0.2}}, {"arms", {20, 20, 20}}, {"noise", {0.1, 0.1, 0.1}}},
     make_single},
    {"sphere",
     "abrupt",
     "linear values of ten features, replaced",
     {{"changes", {1, 2, 5}}, {"noise", {0.01, 0.01, 0.01}}},
     make_sphere},
    {"coin",
     "answers",
     "one coin a step",
     {{"mean", {0.3, 0.05, 0.05}},
      {"sd", {0.07, 0.02, 0.02}},
      {"arms", {6, 6, 20}},
      {"steps", {2000, 2000, 4000}},
      {"rate", {0.002, 0.002, 0.002}}},
     make_coin},
    {"coins",
     "answers",
     "twenty coins a step",
     {{"mean", {0.3, 0.05, 0.05}},
      {"sd", {0.07, 0.02, 0.02}},
      {"arms", {6, 6, 20}},
      {"steps", {1000, 1000, 1000}},
      {"rate", {0.01, 0.01, 0.01}}},
     make_coins},
    {"counts", "answers", "counts", {{"level", {30, 3, 0.5}}, {"rate", {0.01, 0.01, 0.01}}}, make_counts},
    {"day", "seasons", "each arm has a day of its own", {{"rest", {0, 0.2, 0.5}}, NOISE}, make_day},
    {"week", "seasons", "a day and a week", {{"rest", {0, 0.2, 0.5}}, NOISE}, make_week},
    {"shifting",
     "seasons",
     "a day whose phase drifts",
     {{"drift", {0.1, 1, 3}}, {"rest", {0.1, 0.1, 0.1}}, NOISE},
     make_shifting},
    {"switches",
     "few arms",
     "chances of few arms that switch one by one",
     {{"arms", {2, 5, 10}}, {"rate", {0.0005, 0.0005, 0.0005}}},
     make_switches},
    {"sines", "few arms", "chances of few arms that swing slowly", {{"arms", {2, 5, 10}}}, make_sines},
    {"long",
     "long",
     "five kinds of change after each other",
     {{"steps", {10000, 30000, 100000}}, {"arms", {10, 10, 10}}, {"noise", {0.1, 0.1, 0.1}}},
     make_long},
    {0},
};
