/* SPDX-License-Identifier: MIT */
/* Functions of the papers. Each is written here once, for the problems of the benchmark and for the papers'
 * experiments (bench/exp_sparq.c, exp_wsparq.c, exp_hills.c, exp_change.c), which play them with other sizes, options and
 * policies. */
#ifndef ZOO_TRUTH_H
#define ZOO_TRUTH_H

#include <stddef.h>

/* A peak that swings: exp(-.05 (x - 5 sin(speed t))^2) + .5 cos(.2 x) + 1.5 on [-50, 50] (SparQ: Mauduit, Berthier, Simonetto 2025,
 * section 4.1). */
double zoo_swing(double x, double t, double speed);

/* Waves: sum_i a_i k(x, c_i) on [-50, 50], a = weight u / |u|, u_i = sin(speed t + i + 1), k an SE kernel, at centres equally spaced
 * over it (W-SparQ, section 4.1; its centres are not published). */
enum { ZOO_WAVES = 20 };
typedef struct zoo_waves_kernel {
    double variance, lengthscale;
} zoo_waves_kernel;
double zoo_waves_centre(size_t i);
double zoo_waves(double x, double t, double speed, double weight, zoo_waves_kernel k);

/* Hills of width .02 and height 1 at ten places of [0, 1], hill `tall` (1 .. 10; 0: none) of height 2 (after Ziomek, Adachi, Osborne,
 * section 7, whose constants are not published). */
enum { ZOO_HILLS = 10 };
double zoo_hill(size_t h);
double zoo_hills(double x, size_t tall);

/* exp(-(a - b)^2 / (2 .2^2)). */
double zoo_likeness(double a, double b);

/* Functions of known norm on [0, 1]: combinations of 20 kernel functions (SE, lengthscale .2, variance 1) at equally spaced centres
 * (after Deng et al. 2022, whose objectives are not published). zoo_orthonormal: the n combinations in the rows of a become
 * orthonormal in the kernel's Hilbert space (Gram and Schmidt). */
enum { ZOO_CENTRES = 20 };
void zoo_orthonormal(size_t n, double *a);
double zoo_combination(const double *a, double x);

#endif
