/* SPDX-License-Identifier: MIT */
/* Covariance functions by their closed forms, one pair at a time: the reference the library is compared with. */
#ifndef REF_KERNEL_H
#define REF_KERNEL_H

#include <stddef.h>

enum { REF_MAX_DIM = 4 };

enum ref_kind {
    REF_SE,
    REF_MATERN12,
    REF_MATERN32,
    REF_MATERN52,
    REF_RATIONAL_QUADRATIC,
    REF_PERIODIC,
    REF_LINEAR,
    REF_TABLE,
    REF_SUM,
    REF_PRODUCT
};

struct ref_kernel {
    enum ref_kind kind;
    size_t dim;
    double variance, alpha, bias, l[REF_MAX_DIM], period[REF_MAX_DIM];
    size_t n; /* REF_TABLE: number of arms, row-major n x n covariance */
    const double *table;
    const struct ref_kernel *a, *b; /* REF_SUM, REF_PRODUCT */
};

double ref_kernel(const struct ref_kernel *k, const double *x, const double *z);

/* Kernels over time: (1 - epsilon)^(|t - s| / 2), 1 + rate (min(t, s) - origin), (1 + lambda |t - s|) e^(-lambda |t - s|).
 */
double ref_forgetting(double epsilon, double t, double s);
double ref_wiener(double rate, double origin, double t, double s);
double ref_matern(double lambda, double t, double s);

#endif
