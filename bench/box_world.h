/* SPDX-License-Identifier: MIT */
/* What is played on the box [0, 1]^d: functions that others use, which stand still; fields that drift by the policies' own
 * model; peaks that wander, which is the model of no algorithm. Every function here ends the program when something fails. */
#ifndef BOX_WORLD_H
#define BOX_WORLD_H

#include <tvgp.h>

enum { BOX_DIM = 8, BOX_FEATURES = 400, BOX_LOOKS = 2500, BOX_GIVEN = 10 };

typedef struct box_scene {
    const char *name;
    size_t dim;
    double (*at)(const double *x); /* NULL: drawn */
    double most;                   /* of `at` */
    double length, unit, noise;    /* what a policy may be given: lengthscale, sd, variance of the noise in units */
    double epsilon;                /* rate of the field; 0 and no `at`: peaks */
    size_t steps;
} box_scene;
enum { BOX_SCENES = 13 };
extern const box_scene box_scenes[BOX_SCENES];
const box_scene *box_scene_of(const char *name); /* ends the program when there is none */

typedef struct box_world {
    const box_scene *scene;
    uint64_t seed, draws;
    double w[BOX_FEATURES * BOX_DIM], b[BOX_FEATURES], a[BOX_FEATURES]; /* peaks: w centres, a heights */
    double looks[BOX_LOOKS * BOX_DIM], best[BOX_DIM], mean;
} box_world;

void box_world_open(box_world *w, const box_scene *scene, uint64_t seed);
void box_world_step(box_world *w);
double box_world_at(const box_world *w, const double *x);
double box_world_noise(box_world *w); /* of an outcome */

/* The maximum over the box: of points spread over it, the last maximiser and those asked the best, improved by random steps
 * that shrink. `mean` becomes the mean over the box, which is what uniform play gets. */
double box_world_most(box_world *w, size_t asked, const double *x);

/* The i-th of the BOX_GIVEN points that everyone is given in a run where the function stands still. */
void box_world_given(const box_world *w, size_t i, double *x);

#endif
