/* SPDX-License-Identifier: MIT */
/* Samples of Gaussian processes (SE kernel of lengthscale .2, variance 1) on 10 x 10 arms that change by every drift model: families steady,
 * abrupt and moving in part, outcomes, choice and delays. g_s below is a sample of its own for every s.
 *
 *   ou         f_(t+1) = sqrt(1 - rate) f_t + sqrt(rate) g (Bogunovic, Scarlett, Cevher 2016)
 *   smooth     Matern-3/2 in time of lengthscale `length`: value and slope with their exact transition
 *   brownian   f_(t+1) = f_t + sqrt(rate) g
 *   half       two processes at rates `slow` and `fast`, sqrt(1 - w) and sqrt(w) of each, w from 0 to 1 over the first coordinate
 *   redrawn    f = g_s, another s at `changes` random steps
 *   mixed      correlation (1 - rate)^(dt / 2) in every case, `share` of it by being drawn again, the rest as ou
 *   jumps      f of norm 2 in the RKHS: `changes` times another combination of 20 kernel functions on a line of 100 arms (truth.h,
 *              after Deng et al. 2022)
 *   rotation   there cos(a) h_1 + sin(a) h_2 of norm 2, `turns` half turns over the run
 *   wander     six peaks whose centres walk at random by `way` a step and are reflected, heights return to 1.5 (bench/box_world.c) */
#include "problem.h"
#include "truth.h"

#include "../experiment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 10, STEPS = 400, LINE = 100, MOST = 20, PEAKS = 6 }; /* MOST: functions of known norm */
static const double pi = 3.14159265358979323846;

static void grid(zoo_problem *p) {
    zoo_on_grid(p, STEPS, SIDE, 2, 0.2, 1);
    p->info.noise = zoo_set(p, "noise");
}

/* ---- drift models --------------------------------------------------------------------------------------------------------- */

/* f_t = keep f_(t-1) + fresh g, the first g; streams first, first + 1, .. */
static void markov(zoo_problem *p, double keep, double fresh, uint64_t first, double *f) {
    const size_t arms = p->info.arms;
    zoo_field field;
    zoo_field_open(&field, SIDE, 2, 0.2);
    for (size_t s = 0; s < p->info.steps; s++) {
        double *now = f + s * arms;
        zoo_field_sample(&field, p->seed, first + s, now);
        for (size_t i = 0; s && i < arms; i++)
            now[i] = keep * now[(ptrdiff_t)i - (ptrdiff_t)arms] + fresh * now[i];
    }
    zoo_field_close(&field);
}

static void forgetting(zoo_problem *p, double rate) {
    p->epsilon = rate;
    markov(p, sqrt(1 - rate), sqrt(rate), 0, p->f);
}

static void make_ou(zoo_problem *p) {
    grid(p);
    forgetting(p, zoo_set(p, "rate"));
}

static void make_brownian(zoo_problem *p) {
    grid(p);
    markov(p, 1, sqrt(zoo_set(p, "rate")), 0, p->f);
}

/* With lam = sqrt(3) / length: value and slope go to e^-lam times (1 + lam, 1; -lam^2, 1 - lam) of them; what is new has the
 * covariance that keeps diag(1, lam^2) (Sarkka, Solin 2019, section 12.3). */
static void make_smooth(zoo_problem *p) {
    const double lam = sqrt(3) / zoo_set(p, "length"), e = exp(-lam), l2 = lam * lam;
    const double A[] = {e * (1 + lam), e, -e * l2, e * (1 - lam)};
    const double q0 = 1 - A[0] * A[0] - A[1] * A[1] * l2, q1 = -A[0] * A[2] - A[1] * A[3] * l2,
                 q2 = l2 - A[2] * A[2] - A[3] * A[3] * l2;
    const double c0 = sqrt(q0), c1 = q1 / c0, c2 = sqrt(fmax(0, q2 - c1 * c1));
    grid(p);
    const size_t arms = p->info.arms;
    double *slope = experiment_allocate(3 * arms, sizeof *slope), *g = slope + arms, *h = g + arms;
    zoo_field field;
    zoo_field_open(&field, SIDE, 2, 0.2);
    for (size_t s = 0; s < STEPS; s++) {
        zoo_field_sample(&field, p->seed, 2 * s, g);
        zoo_field_sample(&field, p->seed, 2 * s + 1, h);
        for (size_t i = 0; i < arms; i++) {
            const double f = s ? zoo_row(p, s - 1)[i] : 0, v = slope[i];
            zoo_row(p, s)[i] = s ? A[0] * f + A[1] * v + c0 * g[i] : g[i];
            slope[i] = s ? A[2] * f + A[3] * v + c1 * g[i] + c2 * h[i] : lam * h[i];
        }
    }
    zoo_field_close(&field);
    free(slope);
}

static void make_half(zoo_problem *p) {
    const double rate[] = {zoo_set(p, "slow"), zoo_set(p, "fast")};
    grid(p);
    const size_t n = STEPS * p->info.arms;
    double *other = experiment_allocate(n, sizeof *other);
    markov(p, sqrt(1 - rate[0]), sqrt(rate[0]), 0, p->f);
    markov(p, sqrt(1 - rate[1]), sqrt(rate[1]), 1000000, other);
    for (size_t k = 0; k < n; k++) {
        const double w = (double)(k % p->info.arms / SIDE) / (SIDE - 1);
        p->f[k] = sqrt(1 - w) * p->f[k] + sqrt(w) * other[k];
    }
    free(other);
}

/* At that many different steps, drawn at random, the function becomes another. */
static void mark_changes(zoo_problem *p, size_t changes, uint8_t *changed) {
    for (uint64_t draw = 0, made = 0; made < changes && draw < 100000; draw++) {
        const size_t at = 1 + (size_t)(zoo_uniform_of(p->seed, ZOO_TRUTH, 2000000 + draw) * (double)(p->info.steps - 1));
        made += !changed[at];
        changed[at] = 1;
    }
    p->info.changes = (double)changes;
    p->epsilon = 2 * (double)changes / (double)p->info.steps;
}

static void make_redrawn(zoo_problem *p) {
    uint8_t changed[STEPS] = {0};
    zoo_field field;
    grid(p);
    mark_changes(p, (size_t)zoo_set(p, "changes"), changed);
    zoo_field_open(&field, SIDE, 2, 0.2);
    for (size_t s = 0; s < STEPS; s++)
        if (s == 0 || changed[s])
            zoo_field_sample(&field, p->seed, s, zoo_row(p, s));
        else
            memcpy(zoo_row(p, s), zoo_row(p, s - 1), p->info.arms * sizeof(double));
    zoo_field_close(&field);
}

/* With u = -ln(1 - rate) / 2 the field is drawn again with chance 1 - e^(-share u) a step, and forgets e^(-(1 - share) u). */
static void make_mixed(zoo_problem *p) {
    const double u = -log(1 - zoo_set(p, "rate")) / 2, share = zoo_set(p, "share"), keep = exp(-(1 - share) * u);
    zoo_field field;
    grid(p);
    p->epsilon = zoo_set(p, "rate");
    zoo_field_open(&field, SIDE, 2, 0.2);
    for (size_t s = 0; s < STEPS; s++) {
        const int anew = s == 0 || zoo_uniform_of(p->seed, ZOO_TRUTH, 2000000 + s) < 1 - exp(-share * u);
        zoo_field_sample(&field, p->seed, s, zoo_row(p, s));
        for (size_t i = 0; !anew && i < p->info.arms; i++)
            zoo_row(p, s)[i] = keep * zoo_row(p, s - 1)[i] + sqrt(1 - keep * keep) * zoo_row(p, s)[i];
    }
    zoo_field_close(&field);
}

/* ---- functions of known norm -------------------------------------------------------------------------------------- */

/* h[i], i < n: orthonormal functions (at most MOST), as values at the arms. */
static void directions(const zoo_problem *p, size_t n, double *h) {
    double a[MOST * ZOO_CENTRES];
    zoo_normal(p->seed, ZOO_TRUTH, 0, n * ZOO_CENTRES, a);
    zoo_orthonormal(n, a);
    for (size_t k = 0; k < n * LINE; k++)
        h[k] = zoo_combination(a + k / LINE * ZOO_CENTRES, (double)(k % LINE) / (LINE - 1));
}

static void make_normed(zoo_problem *p) {
    const size_t changes = p->kind->settings[0].key[0] == 'c' ? (size_t)fmin(fmax(1, zoo_set(p, "changes")), MOST - 1) : 0;
    const double turns = changes ? 0 : zoo_set(p, "turns");
    double h[MOST * LINE];
    zoo_on_grid(p, STEPS, LINE, 1, 0.2, 1);
    p->info.noise = zoo_set(p, "noise");
    directions(p, changes ? changes + 1 : 2, h);
    for (size_t s = 0; s < STEPS; s++) {
        const double a = pi * turns * (double)s / (STEPS - 1);
        const double *one = h + s * (changes + 1) / STEPS * LINE;
        for (size_t i = 0; i < LINE; i++)
            zoo_row(p, s)[i] = 2 * (changes ? one[i] : cos(a) * h[i] + sin(a) * h[LINE + i]);
    }
    p->info.changes = (double)changes;
    if (changes)
        p->epsilon = 2 * (double)changes / STEPS;
}

/* ---- peaks -------------------------------------------------------------------------------------------------------- */

static void make_wander(zoo_problem *p) {
    const double way = zoo_set(p, "way");
    double centre[2 * PEAKS], height[PEAKS], z[3 * PEAKS];
    grid(p);
    zoo_uniforms(p->seed, ZOO_TRUTH, 0, 2 * PEAKS, centre);
    zoo_normal(p->seed, ZOO_TRUTH, 1, PEAKS, height);
    for (size_t s = 0; s < STEPS; s++) {
        zoo_normal(p->seed, ZOO_TRUTH, s + 2, 3 * PEAKS, z);
        for (size_t m = 0; m < PEAKS; m++)
            height[m] = s ? 1.5 + 0.99 * (height[m] - 1.5) + 0.1 * z[2 * PEAKS + m] : 1.5 + 0.5 * height[m];
        for (size_t c = 0; c < 2 * PEAKS; c++) {
            const double at = fabs(centre[c] + way * z[c]);
            centre[c] = at > 1 ? 2 - at : at;
        }
        for (size_t i = 0; i < p->info.arms; i++) {
            const double x = (double)(i / SIDE) / (SIDE - 1), y = (double)(i % SIDE) / (SIDE - 1);
            double most = 0;
            for (size_t m = 0; m < PEAKS; m++)
                most = fmax(most, height[m] * zoo_likeness(x, centre[2 * m]) * zoo_likeness(y, centre[2 * m + 1]));
            zoo_row(p, s)[i] = most;
        }
    }
}

/* ---- outcomes, choice and delays, on forgetting fields ------------------------------------------------------------- */

static void make_heavy(zoo_problem *p) {
    make_ou(p);
    p->answers = ZOO_STUDENT;
}

/* Values offset + unit f: a policy that learns nothing is given both, one with default settings starts there. */
static void make_unit(zoo_problem *p) {
    const double unit = zoo_set(p, "unit"), offset = zoo_set(p, "offset"), lengthscale = 0.2;
    make_ou(p);
    for (size_t k = 0; k < STEPS * p->info.arms; k++)
        p->f[k] = offset + unit * p->f[k];
    p->info.mean = offset;
    p->info.noise *= unit * unit;
    p->variance *= unit * unit;
    tvgp_kernel_destroy(p->kernel);
    experiment_check(p->ctx, tvgp_kernel_se(p->ctx, 2, p->variance, 1, &lengthscale, &p->kernel), "kernel");
}

/* Every arm is there for a while and gone for a while, `length` steps on average together, a share of the time there. */
static void make_come_and_go(zoo_problem *p) {
    const double share = zoo_set(p, "share"), length = zoo_set(p, "length");
    make_ou(p);
    for (size_t i = 0; i < p->info.arms; i++) {
        int there = zoo_uniform_of(p->seed, ZOO_MASK, i) < share;
        for (size_t s = 0; s < STEPS; s++) {
            const double u = zoo_uniform_of(p->seed, ZOO_MASK, 1000 + s * p->info.arms + i);
            there = u < 1 / (length * (there ? share : 1 - share)) ? !there : there;
            if (!there && i != s % p->info.arms) /* one at least is there */
                zoo_row(p, s)[i] = NAN;
        }
    }
}

/* Every step offers that many arms, others each time. */
static void make_lists(zoo_problem *p) {
    const size_t offered = (size_t)zoo_set(p, "offered");
    make_ou(p);
    const size_t arms = p->info.arms;
    double *u = experiment_allocate(arms, sizeof *u);
    for (size_t s = 0; s < STEPS; s++) {
        zoo_uniforms(p->seed, ZOO_MASK, s, arms, u);
        for (size_t i = 0; i < arms; i++) {
            size_t before = 0;
            for (size_t k = 0; k < arms; k++)
                before += u[k] < u[i];
            if (before >= offered)
                zoo_row(p, s)[i] = NAN;
        }
    }
    free(u);
}

/* A context is a column of the field, drawn at every step among `contexts` that are as far from each other as can be; an action is a
 * row. */
static void make_contexts(zoo_problem *p) {
    const double contexts = zoo_set(p, "contexts");
    make_ou(p);
    for (size_t s = 0; s < STEPS; s++) {
        const double which = floor(contexts * zoo_uniform_of(p->seed, ZOO_MASK, s));
        const size_t column = (size_t)lround(which * (SIDE - 1) / fmax(1, contexts - 1));
        for (size_t i = 0; i < p->info.arms; i++)
            if (i % SIDE != column)
                zoo_row(p, s)[i] = NAN;
    }
}

static void delayed(zoo_problem *p, int when, const char *key) {
    make_ou(p);
    p->when = when;
    p->delay = zoo_set(p, key);
}

static void make_late(zoo_problem *p) {
    delayed(p, ZOO_FIXED, "delay");
}

static void make_geometric(zoo_problem *p) {
    delayed(p, ZOO_GEOMETRIC, "delay");
}

static void make_lost(zoo_problem *p) {
    delayed(p, ZOO_LOST, "lost");
}

/* Gaps between steps are 1 with chance .9, else `gap` on average (exponential); the field forgets by the time that passed. */
static void make_irregular(zoo_problem *p) {
    const double rate = zoo_set(p, "rate"), gap = zoo_set(p, "gap");
    double t = 0;
    grid(p);
    p->epsilon = rate;
    p->time = experiment_allocate(STEPS, sizeof *p->time);
    zoo_field field;
    zoo_field_open(&field, SIDE, 2, 0.2);
    for (size_t s = 0; s < STEPS; s++) {
        double u[2];
        zoo_uniforms(p->seed, ZOO_DELAY, 1000000 + s, 2, u);
        const double apart = u[0] < 0.9 ? 1 : 1 - gap * log(1 - u[1]), keep = pow(1 - rate, apart / 2);
        p->time[s] = t += apart;
        zoo_field_sample(&field, p->seed, s, zoo_row(p, s));
        for (size_t i = 0; s && i < p->info.arms; i++)
            zoo_row(p, s)[i] = keep * zoo_row(p, s - 1)[i] + sqrt(1 - keep * keep) * zoo_row(p, s)[i];
    }
    zoo_field_close(&field);
}

#define NOISE                                                                                                               \
    {                                                                                                                       \
        "noise", {                                                                                                          \
            0.02, 0.02, 0.02                                                                                                \
        }                                                                                                                   \
    }
#define RATE                                                                                                                \
    {                                                                                                                       \
        "rate", {                                                                                                           \
            0.01, 0.01, 0.01                                                                                                \
        }                                                                                                                   \
    }
const zoo_kind zoo_kinds_fields[] = {
    {"ou", "steady", "a field that forgets at a rate", {{"rate", {0.003, 0.03, 0.1}}, NOISE}, make_ou},
    {"smooth", "steady", "a field that moves smoothly in time", {{"length", {300, 100, 30}}, NOISE}, make_smooth},
    {"brownian", "steady", "a field whose variance grows", {{"rate", {0.001, 0.01, 0.1}}, NOISE}, make_brownian},
    {"half",
     "steady",
     "one half of a field changes faster",
     {{"slow", {0, 0.003, 0.01}}, {"fast", {0.03, 0.1, 0.3}}, NOISE},
     make_half},
    {"redrawn", "abrupt", "a field drawn anew now and then", {{"changes", {2, 6, 20}}, NOISE}, make_redrawn},
    {"mixed",
     "abrupt",
     "a field that forgets and is drawn anew at times",
     {{"share", {0.25, 0.5, 0.75}}, {"rate", {0.03, 0.03, 0.03}}, NOISE},
     make_mixed},
    {"jumps",
     "abrupt",
     "functions of norm 2 that replace each other",
     {{"changes", {1, 4, 12}}, {"noise", {0.01, 0.01, 0.01}}},
     make_normed},
    {"rotation",
     "moving",
     "a function of norm 2 that turns into others",
     {{"turns", {0.5, 1, 4}}, {"noise", {0.01, 0.01, 0.01}}},
     make_normed},
    {"wander", "moving", "peaks that walk", {{"way", {0.003, 0.01, 0.03}}, NOISE}, make_wander},
    {"heavy", "answers", "noise with heavy tails", {{"noise", {0.02, 0.1, 0.5}}, RATE}, make_heavy},
    {"unit",
     "answers",
     "values with a unit and an offset",
     {{"unit", {1, 1000, 1000}}, {"offset", {200, 0, 200000}}, NOISE, RATE},
     make_unit},
    {"come-and-go",
     "choice",
     "arms that come and go",
     {{"share", {0.9, 0.5, 0.2}}, {"length", {50, 50, 50}}, NOISE, RATE},
     make_come_and_go},
    {"lists", "choice", "a list of arms at every step", {{"offered", {40, 10, 3}}, NOISE, RATE}, make_lists},
    {"contexts", "choice", "a context at every step", {{"contexts", {2, 5, 10}}, NOISE, RATE}, make_contexts},
    {"late", "delays", "every answer comes late", {{"delay", {3, 10, 30}}, NOISE, RATE}, make_late},
    {"geometric", "delays", "answers come late, some much", {{"delay", {3, 10, 30}}, NOISE, RATE}, make_geometric},
    {"lost", "delays", "answers that never come", {{"lost", {0.1, 0.3, 0.6}}, NOISE, RATE}, make_lost},
    {"irregular", "delays", "irregular times", {{"gap", {5, 20, 100}}, NOISE, RATE}, make_irregular},
    {0},
};
