/* SPDX-License-Identifier: MIT */
#include "truth.h"

#include <math.h>

double zoo_swing(double x, double t, double speed) {
    const double away = x - 5 * sin(speed * t);
    return exp(-0.05 * away * away) + 0.5 * cos(0.2 * x) + 1.5;
}

double zoo_waves_centre(size_t i) {
    return -50 + 100.0 * (double)i / (ZOO_WAVES - 1);
}

double zoo_waves(double x, double t, double speed, double weight, zoo_waves_kernel k) {
    double sum = 0, square = 0;
    for (size_t i = 0; i < ZOO_WAVES; i++) {
        const double u = sin(speed * t + (double)(i + 1)), away = x - zoo_waves_centre(i);
        sum += u * k.variance * exp(-0.5 * away * away / (k.lengthscale * k.lengthscale));
        square += u * u;
    }
    return weight * sum / sqrt(square);
}

double zoo_hill(size_t h) {
    return (double)(h - 1) / (ZOO_HILLS - 1);
}

double zoo_hills(double x, size_t tall) {
    double sum = 0;
    for (size_t h = 1; h <= ZOO_HILLS; h++)
        sum += (h == tall ? 2 : 1) * exp(-0.5 * pow((x - zoo_hill(h)) / 0.02, 2));
    return sum;
}

double zoo_likeness(double a, double b) {
    return exp(-0.5 * (a - b) * (a - b) / 0.04);
}

static double centre(size_t i) {
    return (double)i / (ZOO_CENTRES - 1);
}

static double inner(const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < ZOO_CENTRES; i++)
        for (size_t j = 0; j < ZOO_CENTRES; j++)
            sum += a[i] * b[j] * zoo_likeness(centre(i), centre(j));
    return sum;
}

void zoo_orthonormal(size_t n, double *a) {
    for (size_t i = 0; i < n; i++) {
        double *own = a + i * ZOO_CENTRES;
        for (size_t j = 0; j < i; j++) {
            const double along = inner(a + j * ZOO_CENTRES, own);
            for (size_t c = 0; c < ZOO_CENTRES; c++)
                own[c] -= along * a[j * ZOO_CENTRES + c];
        }
        const double norm = sqrt(inner(own, own));
        for (size_t c = 0; c < ZOO_CENTRES; c++)
            own[c] /= norm;
    }
}

double zoo_combination(const double *a, double x) {
    double sum = 0;
    for (size_t c = 0; c < ZOO_CENTRES; c++)
        sum += a[c] * zoo_likeness(x, centre(c));
    return sum;
}
