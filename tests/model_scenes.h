/* SPDX-License-Identifier: MIT */
/* Scenes for tests of posteriors: a kernel, arms or a box, what changes with time, and a stream of outcomes, with the dense reference
 * of all outcomes in use. src/model/posterior_make.h picks the method from the scene, as it does for policies. */
#ifndef MODEL_SCENES_H
#define MODEL_SCENES_H

#include "harness.h"
#include "model/posterior_make.h"
#include "ref/ref_gp.h"

enum { SCENE_DRIFTS = 5, SCENE_DIM = 2, SCENE_ARMS = 300, SCENE_MOST = 2500 };
extern const tvgp__drift scene_drifts[SCENE_DRIFTS];

struct scene {
    const char *what;
    struct ref_kernel kernel;
    size_t arms, steps; /* arms 0: the unit square */
    double noise, tolerance;
    tvgp__drift drift;
    tvgp__noise_age age;
    size_t window;                /* newest outcomes in use; 0: all */
    size_t newest;                /* with aging noise: arms observed last whose outcomes are in use; 0: all */
    int several;                  /* all of scene_drifts instead of one drift model */
    int replaced;                 /* now and then others are in use */
    double features;              /* on a box: what the features may leave out; 0: a row for each outcome */
    double start, silence, tempo; /* time of the first outcome, the longest gap, scale of the other gaps (0: 1) */
    double horizon;               /* age at which correlations are below 1e-18, for the reference to leave out; 0: none */
    size_t favourites;            /* arms below this are observed four times in five */
};
extern const struct scene scenes[];
extern const size_t n_scenes;
/* Says whether outcomes are exact only up to a limit of later ones, and whether one of the past is exact at all. */
int scene_has_limit(const struct scene *s);
int scene_takes_late(const struct scene *s);

struct outcome {
    size_t arm;
    double x[SCENE_DIM], t, y, noise;
};

/* A posterior, and the outcomes it was conditioned on. */
struct world {
    const struct scene *scene;
    tvgp__posterior *p;
    size_t late; /* how many later outcomes may come before one */
    double X[SCENE_ARMS * SCENE_DIM];
    struct rnd rnd; /* of the stream */
    double now, times[SCENE_MOST];
    size_t n_times, n, drawn; /* times of all outcomes, sorted; outcomes in use, oldest first */
    struct outcome told[SCENE_MOST];
    struct ref_gp ref[SCENE_DRIFTS];
    double weight[SCENE_DRIFTS], evidence, at;
    size_t synced;
    int moments_only; /* likelihood and counts differ from the reference's */
};
void world_open(struct world *w, const struct scene *s, size_t late);
void world_close(struct world *w);
tvgp__posterior *world_make(const struct world *w); /* of its scene and limit, without outcomes */
/* The next outcome of the stream: at any place, some of them again, and every fourth before up to `late` others. */
struct outcome world_draw(struct world *w);
/* Observes n outcomes in the order given, as a part of a batch in another order. */
void world_tell(struct world *w, size_t n, const struct outcome *o);
void world_note(struct world *w, const struct outcome *o); /* for the reference alone */
void world_reset(struct world *w);
/* Moments of the reference, and the covariance with `other` (NULL: not wanted). */
void world_dense(struct world *w, double t, const double *x, const double *other, double *mean, double *var, double *cov);
/* Arms, points between them, columns, likelihood and counts equal the reference's, at time t and later. */
void world_check(struct world *w, double t);

#endif
