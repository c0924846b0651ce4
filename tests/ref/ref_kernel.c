/* SPDX-License-Identifier: MIT */
/* Rasmussen and Williams 2006, section 4.2; Bogunovic, Scarlett, Cevher 2016 for the kernels over time. */
#include "ref/ref_kernel.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double scaled_distance(const struct ref_kernel *k, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < k->dim; d++)
        sum += (x[d] - z[d]) * (x[d] - z[d]) / (k->l[d] * k->l[d]);
    return sqrt(sum);
}

static double periodic_exponent(const struct ref_kernel *k, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < k->dim; d++) {
        double s = sin(pi * (x[d] - z[d]) / k->period[d]) / k->l[d];
        sum += 2 * s * s;
    }
    return sum;
}

static double scaled_product(const struct ref_kernel *k, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < k->dim; d++)
        sum += x[d] * z[d] / (k->l[d] * k->l[d]);
    return sum;
}

double ref_kernel(const struct ref_kernel *k, const double *x, const double *z) {
    double r, a;
    switch (k->kind) {
    case REF_SE:
        r = scaled_distance(k, x, z);
        return k->variance * exp(-r * r / 2);
    case REF_MATERN12:
        return k->variance * exp(-scaled_distance(k, x, z));
    case REF_MATERN32:
        a = sqrt(3.0) * scaled_distance(k, x, z);
        return k->variance * (1 + a) * exp(-a);
    case REF_MATERN52:
        a = sqrt(5.0) * scaled_distance(k, x, z);
        return k->variance * (1 + a + a * a / 3) * exp(-a);
    case REF_RATIONAL_QUADRATIC:
        r = scaled_distance(k, x, z);
        return k->variance * pow(1 + r * r / (2 * k->alpha), -k->alpha);
    case REF_PERIODIC:
        return k->variance * exp(-periodic_exponent(k, x, z));
    case REF_LINEAR:
        return k->bias + k->variance * scaled_product(k, x, z);
    case REF_TABLE:
        return k->table[(size_t)x[0] * k->n + (size_t)z[0]];
    case REF_SUM:
        return ref_kernel(k->a, x, z) + ref_kernel(k->b, x, z);
    case REF_PRODUCT:
        return ref_kernel(k->a, x, z) * ref_kernel(k->b, x, z);
    }
    return NAN;
}

double ref_forgetting(double epsilon, double t, double s) {
    return pow(1 - epsilon, fabs(t - s) / 2);
}

double ref_wiener(double rate, double origin, double t, double s) {
    return 1 + rate * (fmin(t, s) - origin);
}

double ref_matern(double lambda, double t, double s) {
    double x = lambda * fabs(t - s);
    return (1 + x) * exp(-x);
}
