/* SPDX-License-Identifier: MIT */
/* Boxes [0, 1]^d.
 *
 *   still      Branin, Hartmann-3, Hartmann-6 (function 0, 1, 2), observed without noise (bench/box_world.c)
 *   fields     samples of a Gaussian process that forgets at rate .01, on 400 features; peaks: six that walk (the same)
 *   cart-pole  a cart with a pole (Barto, Sutton, Anderson 1983) held by force = gains'state, the four gains are searched; the
 *              value is 1 - mean over two seconds of min(1, (angle / .2)^2 + (place / 2.4)^2 / 4). At step 100 friction of the cart
 *              becomes `factor` times as large, after Brunzema et al., whose constants are not published */
#include "problem.h"

#include "../box_world.h"
#include "../experiment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The world has its state at step `now`. */
typedef struct place {
    const box_scene *scene;
    box_world *world;
    size_t now;
} place;

static void leave(zoo_problem *p) {
    place *w = p->world;
    free(w->world);
    free(w);
}

static void on_box(zoo_problem *p, size_t dim, size_t steps, double length, double variance, int smooth) {
    const double lower[BOX_DIM] = {0}, upper[BOX_DIM] = {1, 1, 1, 1, 1, 1, 1, 1};
    p->info.steps = steps;
    p->info.dim = dim;
    p->variance = variance;
    p->best = experiment_allocate(steps, sizeof *p->best);
    p->uniform = experiment_allocate(steps, sizeof *p->uniform);
    experiment_check(p->ctx, tvgp_domain_box(p->ctx, dim, lower, upper, &p->domain), "box");
    experiment_check(p->ctx,
                     smooth ? tvgp_kernel_se(p->ctx, dim, variance, 1, &length, &p->kernel)
                            : tvgp_kernel_matern(p->ctx, dim, 2.5, variance, 1, &length, &p->kernel),
                     "kernel");
}

/* ---- the world of the experiment with boxes ----------------------------------------------------------------------- */

static void go_to(place *w, uint64_t seed, size_t step) {
    if (step < w->now) {
        box_world_open(w->world, w->scene, seed);
        w->now = 0;
    }
    for (; w->now < step; w->now++)
        box_world_step(w->world);
}

static double world_at(zoo_problem *p, size_t step, const double *x) {
    place *w = p->world;
    go_to(w, p->seed, step);
    return box_world_at(w->world, x);
}

static void open_world(zoo_problem *p, const char *name) {
    place *w = experiment_allocate(1, sizeof *w);
    w->scene = box_scene_of(name);
    w->world = experiment_allocate(1, sizeof *w->world);
    on_box(p, w->scene->dim, w->scene->steps, w->scene->length, w->scene->unit * w->scene->unit, !w->scene->at);
    box_world_open(w->world, w->scene, p->seed);
    p->world = w;
    p->at = world_at;
    p->leave = leave;
    p->epsilon = w->scene->epsilon > 0 ? w->scene->epsilon : w->scene->at ? 1e-9 : 0.01;
    p->info.noise = w->scene->at ? 0 : w->scene->noise;
    for (size_t s = 0; s < w->scene->steps; s++) {
        go_to(w, p->seed, s);
        if (s && w->scene->at) {
            p->best[s] = p->best[0];
            p->uniform[s] = p->uniform[0];
            continue;
        }
        p->best[s] = box_world_most(w->world, 0, NULL);
        p->uniform[s] = w->world->mean;
    }
}

static void make_still(zoo_problem *p) {
    static const char *const names[] = {"branin", "hartmann3", "hartmann6"};
    open_world(p, names[(size_t)fmin(fmax(zoo_set(p, "function"), 0), 2)]);
}

static void of_dim(zoo_problem *p, const char *what, size_t least) {
    char name[32];
    const size_t dim = (size_t)zoo_set(p, "dim");
    snprintf(name, sizeof name, "%s%zu", what, dim < least ? least : dim);
    open_world(p, name);
}

static void make_fields(zoo_problem *p) {
    of_dim(p, "field", 1);
}

static void make_peaks(zoo_problem *p) {
    of_dim(p, "peaks", 2);
}

/* ---- cart and pole ------------------------------------------------------------------------------------------------ */

enum { GAINS = 4, CART_STEPS = 200, CHANGE = 100, TRIES = 4000 };

static double balance(const double *x, double friction) {
    static const double most[GAINS] = {10, 20, 100, 30};
    const double h = 0.02, gravity = 9.8, cart = 1, pole = 0.1, half = 0.5;
    double s[GAINS] = {0.3, 0, 0.1, 0}, cost = 0;
    for (int i = 0; i < 100; i++) {
        double force = -friction * s[1];
        for (size_t k = 0; k < GAINS; k++)
            force += x[k] * most[k] * s[k];
        force = fmin(fmax(force, -30), 30);
        const double part = (force + pole * half * s[3] * s[3] * sin(s[2])) / (cart + pole);
        const double turn =
            (gravity * sin(s[2]) - cos(s[2]) * part) / (half * (4.0 / 3 - pole * cos(s[2]) * cos(s[2]) / (cart + pole)));
        const double push = part - pole * half * turn * cos(s[2]) / (cart + pole);
        s[0] += h * s[1];
        s[1] += h * push;
        s[2] += h * s[3];
        s[3] += h * turn;
        cost += fmin(1, s[2] * s[2] / 0.04 + s[0] * s[0] / 23.04) / 100;
        if (fabs(s[2]) > 1)
            return 1 - cost - (double)(99 - i) / 100;
    }
    return 1 - cost;
}

static double cart_at(zoo_problem *p, size_t step, const double *x) {
    return balance(x, 2 * (step < CHANGE ? 1 : zoo_set(p, "factor")));
}

/* Best of points spread over the box, improved by random steps that shrink. */
static void cart_extremes(zoo_problem *p, size_t step, double *best, double *mean) {
    double x[GAINS], top[GAINS] = {0}, h = 0.1;
    *best = -INFINITY;
    *mean = 0;
    for (size_t i = 0; i < 2 * TRIES; i++) {
        zoo_uniforms(p->seed, ZOO_TRUTH, i, GAINS, x);
        for (size_t k = 0; i >= TRIES && k < GAINS; k++)
            x[k] = fmin(fmax(top[k] + h * (2 * x[k] - 1), 0), 1);
        const double y = cart_at(p, step, x);
        h *= i < TRIES ? 1 : y > *best ? 1.1 : 0.998;
        *mean += i < TRIES ? y / TRIES : 0;
        if (y > *best) {
            *best = y;
            memcpy(top, x, sizeof top);
        }
    }
}

static void make_cart(zoo_problem *p) {
    on_box(p, GAINS, CART_STEPS, 0.4, 0.04, 0);
    p->at = cart_at;
    p->info.noise = 1e-4;
    p->info.changes = 1;
    p->epsilon = 2.0 / CART_STEPS;
    for (size_t s = 0; s < CART_STEPS; s++)
        if (s == 0 || s == CHANGE)
            cart_extremes(p, s, &p->best[s], &p->uniform[s]);
        else {
            p->best[s] = p->best[s - 1];
            p->uniform[s] = p->uniform[s - 1];
        }
    p->info.mean = p->uniform[0];
    p->info.low = 0;
    p->info.high = 1;
}

const zoo_kind zoo_kinds_boxes[] = {
    {"still", "boxes", "functions that stand still: Branin, Hartmann-3, Hartmann-6", {{"function", {0, 1, 2}}}, make_still},
    {"fields", "boxes", "a field that forgets, in 1, 2 and 4 dimensions", {{"dim", {1, 2, 4}}}, make_fields},
    {"peaks", "boxes", "peaks that walk, in 2, 3 and 4 dimensions", {{"dim", {2, 3, 4}}}, make_peaks},
    {"cart-pole", "boxes", "gains that hold a pole; friction changes", {{"factor", {1.5, 2.5, 5}}}, make_cart},
    {0},
};
