/* SPDX-License-Identifier: MIT */
/* Fields: f_t(x) = sqrt(2 / M) sum_m a_m(t) cos(w_m'x + b_m), a_m stationary with variance 1 and correlation
 * (1 - epsilon)^(dt/2): draws of the model of Bogunovic, Scarlett, Cevher 2016 with an SE kernel, on M features. */
#include "box_world.h"

#include "experiment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEAKS = 6, CLIMB = 200 };

/* ---- functions that stand still, as rewards ---------------------------------------------------------------------- */

static double branin(const double *u) { /* 0 at best */
    const double pi = 3.14159265358979323846, x = 15 * u[0] - 5, y = 15 * u[1];
    const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
    return -(a * a + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10 - 0.397887357729738) / 50;
}

static double hartmann(size_t dim, const double *u, const double *A, const double *P) {
    static const double alpha[] = {1, 1.2, 3, 3.2};
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        double inner = 0;
        for (size_t d = 0; d < dim; d++) {
            double e = u[d] - 1e-4 * P[i * dim + d];
            inner += A[i * dim + d] * e * e;
        }
        sum += alpha[i] * exp(-inner);
    }
    return sum;
}

static double hartmann3(const double *u) {
    static const double A[] = {3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35};
    static const double P[] = {3689, 1170, 2673, 4699, 4387, 7470, 1091, 8732, 5547, 381, 5743, 8828};
    return hartmann(3, u, A, P);
}

static double hartmann6(const double *u) {
    static const double A[] = {10, 3,   17,  3.5, 1.7, 8, 0.05, 10, 17,   0.1, 8,   14,
                               3,  3.5, 1.7, 10,  17,  8, 17,   8,  0.05, 10,  0.1, 14};
    static const double P[] = {1312, 1696, 5569, 124,  8283, 5886, 2329, 4135, 8307, 3736, 1004, 9991,
                               2348, 1451, 3522, 2883, 3047, 6650, 4047, 8828, 8732, 5743, 1091, 381};
    return hartmann(6, u, A, P);
}

static double ackley5(const double *u) { /* on [-5, 10]^5 */
    double squares = 0, waves = 0;
    for (size_t d = 0; d < 5; d++) {
        double x = 15 * u[d] - 5;
        squares += x * x / 5;
        waves += cos(6.283185307179586476925 * x) / 5;
    }
    return 20 * exp(-0.2 * sqrt(squares)) - 20 + exp(waves) - exp(1);
}

#define DRIFTS(d, l)                                                                                                        \
    { "field" #d, d, NULL, 0, l, 1, 0.01, 0.01, 150 }
#define WANDERS(d, l)                                                                                                       \
    { "peaks" #d, d, NULL, 0, l, 1, 0.01, 0, 150 }
const box_scene box_scenes[BOX_SCENES] = {
    {"branin", 2, branin, 0, 0.25, 1, 1e-4, 0, 60},
    {"hartmann3", 3, hartmann3, 3.86278214782076, 0.3, 1, 1e-4, 0, 100},
    {"hartmann6", 6, hartmann6, 3.32236801141551, 0.4, 1, 1e-4, 0, 100},
    {"ackley5", 5, ackley5, 0, 0.4, 4, 1e-4, 0, 100},
    DRIFTS(1, 0.141),
    DRIFTS(2, 0.2),
    DRIFTS(3, 0.245),
    DRIFTS(4, 0.283),
    DRIFTS(6, 0.346), /* .2 sqrt(d / 2) */
    WANDERS(2, 0.2),
    WANDERS(3, 0.245),
    WANDERS(4, 0.283),
    WANDERS(6, 0.346),
};

const box_scene *box_scene_of(const char *name) {
    for (size_t i = 0; i < BOX_SCENES; i++)
        if (!strcmp(box_scenes[i].name, name))
            return &box_scenes[i];
    fprintf(stderr, "no scene '%s'\n", name);
    exit(2);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static double normal(box_world *w) {
    double z;
    experiment_check(NULL, tvgp_random_normal(w->seed, 2000, w->draws++, 1, &z), "random numbers");
    return z;
}

static void uniform(const box_world *w, uint32_t purpose, size_t n, double *u) {
    experiment_check(NULL, tvgp_random_uniform(w->seed, purpose, 0, n, u), "random numbers");
}

void box_world_open(box_world *w, const box_scene *scene, uint64_t seed) {
    *w = (box_world){.scene = scene, .seed = seed};
    uniform(w, 2001, BOX_LOOKS * scene->dim, w->looks);
    for (size_t i = 0; i < BOX_FEATURES * scene->dim; i++)
        w->w[i] = normal(w) / scene->length;
    uniform(w, 2003, BOX_FEATURES, w->b);
    for (size_t m = 0; m < BOX_FEATURES; m++) {
        w->b[m] *= 6.283185307179586476925;
        w->a[m] = normal(w);
    }
    if (scene->epsilon > 0)
        return;
    uniform(w, 2005, PEAKS * scene->dim, w->w);
    for (size_t m = 0; m < PEAKS; m++)
        w->a[m] = 1.5 + 0.5 * w->a[m];
}

/* Centres walk at random and are reflected, heights return to 1.5. */
static void step_peaks(box_world *w) {
    for (size_t m = 0; m < PEAKS; m++)
        w->a[m] = 1.5 + 0.99 * (w->a[m] - 1.5) + 0.1 * normal(w);
    for (size_t i = 0; i < PEAKS * w->scene->dim; i++) {
        double at = fabs(w->w[i] + 0.01 * normal(w));
        w->w[i] = at > 1 ? 2 - at : at;
    }
}

void box_world_step(box_world *w) {
    const double epsilon = w->scene->epsilon, keep = sqrt(1 - epsilon), fresh = sqrt(epsilon);
    if (w->scene->at)
        return;
    if (!(epsilon > 0)) {
        step_peaks(w);
        return;
    }
    for (size_t m = 0; m < BOX_FEATURES; m++)
        w->a[m] = keep * w->a[m] + fresh * normal(w);
}

static double peaks_at(const box_world *w, const double *x) {
    const double length = w->scene->length;
    double most = 0;
    for (size_t m = 0; m < PEAKS; m++) {
        double away = 0;
        for (size_t d = 0; d < w->scene->dim; d++)
            away += pow((x[d] - w->w[m * w->scene->dim + d]) / length, 2);
        most = fmax(most, w->a[m] * exp(-away / 2));
    }
    return most;
}

double box_world_at(const box_world *w, const double *x) {
    double sum = 0;
    if (w->scene->at)
        return w->scene->at(x);
    if (!(w->scene->epsilon > 0))
        return peaks_at(w, x);
    for (size_t m = 0; m < BOX_FEATURES; m++) {
        double phase = w->b[m];
        for (size_t d = 0; d < w->scene->dim; d++)
            phase += w->w[m * w->scene->dim + d] * x[d];
        sum += w->a[m] * cos(phase);
    }
    return sum * sqrt(2.0 / BOX_FEATURES);
}

double box_world_noise(box_world *w) {
    return w->scene->at ? 0 : sqrt(w->scene->noise) * normal(w);
}

static double improve(box_world *w, const double *x, double *most) {
    const double y = box_world_at(w, x);
    if (y > *most) {
        *most = y;
        memcpy(w->best, x, w->scene->dim * sizeof *x);
    }
    return y;
}

double box_world_most(box_world *w, size_t asked, const double *x) {
    const size_t dim = w->scene->dim, looks = dim < 3 ? 700 : BOX_LOOKS;
    double trial[BOX_DIM], u[CLIMB * BOX_DIM], most = -INFINITY, h = 0.05;
    memcpy(trial, w->best, sizeof trial);
    improve(w, trial, &most);
    w->mean = 0;
    for (size_t i = 0; i < looks; i++)
        w->mean += improve(w, w->looks + i * dim, &most) / (double)looks;
    for (size_t i = 0; i < asked; i++)
        improve(w, x + i * dim, &most);
    uniform(w, 2004, CLIMB * dim, u);
    for (size_t i = 0; i < CLIMB; i++) {
        const double before = most;
        for (size_t d = 0; d < dim; d++)
            trial[d] = fmin(fmax(w->best[d] + h * (2 * u[i * dim + d] - 1), 0), 1);
        improve(w, trial, &most);
        h *= most > before ? 1.1 : 0.96;
    }
    return w->scene->at ? w->scene->most : most;
}

void box_world_given(const box_world *w, size_t i, double *x) {
    for (size_t d = 0; d < w->scene->dim; d++)
        experiment_check(NULL, tvgp_random_uniform(w->seed, 1000, 100 * i + d, 1, x + d), "random numbers");
}
