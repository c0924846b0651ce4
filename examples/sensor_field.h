/* SPDX-License-Identifier: MIT */
/* A simulated room full of thermometers: the data of a replay without a file. */
#ifndef SENSOR_FIELD_H
#define SENSOR_FIELD_H

#include "readings.h"
#include <stdint.h>

/* Eight days of ten-minute temperatures at 36 places: a mean of 21 degrees, a daily cycle whose phase and strength depend on
 * the place, and a Gaussian field of standard deviation 1 with an SE kernel in space (lengthscale 0.25 of the room) and
 * forgetting in time (epsilon 0.03 per step). The same seed gives the same field everywhere. 0, or -1 out of memory. */
int sensor_field(uint64_t seed, readings *out);

#endif
