/* SPDX-License-Identifier: MIT */
/* The field is a process convolution (Higdon 2002): independent weights w_c on a lattice of centres c, smoothed by a
 * Gaussian, f(x) = sum_c exp(-|x - c|^2 / l^2) w_c, have covariance exp(-|x - x'|^2 / (2 l^2)) up to a constant. Each weight
 * forgets: w <- sqrt(1 - epsilon) w + sqrt(epsilon) N(0, 1). */
#include "sensor_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tvgp.h>

enum { SENSORS = 36, SIDE = 13, CENTRES = SIDE * SIDE, DAY = 144, DAYS = 8, NAME_SIZE = 16 };
enum { PLACES = 1000, WEIGHTS = 1001 }; /* purposes of the random streams */

static const double LENGTHSCALE = 0.25, EPSILON = 0.03, PI = 3.14159265358979323846;

/* smooth[i * CENTRES + c]: influence of centre c on place i, scaled to unit variance at every place. The lattice reaches two
 * lengthscales over the walls. */
static void smoothing(double place[SENSORS][2], double *smooth) {
    const double margin = 2 * LENGTHSCALE, spacing = (1 + 2 * margin) / (SIDE - 1);
    for (int i = 0; i < SENSORS; i++) {
        double *row = smooth + i * CENTRES, squares = 0;
        for (int c = 0; c < CENTRES; c++) {
            const double dx = place[i][0] + margin - spacing * (c / SIDE), dy = place[i][1] + margin - spacing * (c % SIDE);
            row[c] = exp(-(dx * dx + dy * dy) / (LENGTHSCALE * LENGTHSCALE));
            squares += row[c] * row[c];
        }
        for (int c = 0; c < CENTRES; c++)
            row[c] /= sqrt(squares);
    }
}

/* The sun comes in on one side in the morning and leaves on the other in the evening, strongest by the window (y = 1). */
static double sun(const double place[2], int step) {
    return (0.5 + place[1]) * sin(2 * PI * ((double)step / DAY - 0.25 - 0.25 * place[0]));
}

static void fill(uint64_t seed, readings *out) {
    double place[SENSORS][2], weight[CENTRES], fresh[CENTRES], smooth[SENSORS * CENTRES];
    tvgp_random_uniform(seed, PLACES, 0, 2 * SENSORS, &place[0][0]);
    tvgp_random_normal(seed, WEIGHTS, 0, CENTRES, weight);
    smoothing(place, smooth);
    for (int t = 0; t < DAYS * DAY; t++) {
        for (int i = 0; i < SENSORS; i++) {
            double f = 0;
            for (int c = 0; c < CENTRES; c++)
                f += smooth[i * CENTRES + c] * weight[c];
            out->value[t * SENSORS + i] = 21 + sun(place[i], t) + f;
        }
        tvgp_random_normal(seed, WEIGHTS, (uint64_t)t + 1, CENTRES, fresh);
        for (int c = 0; c < CENTRES; c++)
            weight[c] = sqrt(1 - EPSILON) * weight[c] + sqrt(EPSILON) * fresh[c];
    }
}

int sensor_field(uint64_t seed, readings *out) {
    *out = (readings){.n_times = DAYS * DAY, .n_arms = SENSORS};
    out->names = calloc(SENSORS, sizeof *out->names);
    out->value = malloc((size_t)DAYS * DAY * SENSORS * sizeof *out->value);
    int failed = !out->names || !out->value;
    for (int i = 0; !failed && i < SENSORS; i++) {
        out->names[i] = malloc(NAME_SIZE);
        failed = !out->names[i];
        if (!failed)
            snprintf(out->names[i], NAME_SIZE, "s%02d", i + 1);
    }
    if (!failed)
        fill(seed, out);
    if (failed)
        readings_free(out);
    return failed ? -1 : 0;
}
