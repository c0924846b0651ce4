/* SPDX-License-Identifier: MIT */
/* A prior mean: zero (n = 0), one value for all points (n = 1), or one value per arm. */
#ifndef TVGP__FRAME_MEAN_H
#define TVGP__FRAME_MEAN_H

#include "base/context.h"

typedef struct tvgp__mean {
    double *value;
    size_t n;
} tvgp__mean;

static inline double tvgp__mean_at(const tvgp__mean *m, size_t arm) {
    return m->n == 0 ? 0 : m->value[m->n == 1 ? 0 : arm];
}

/* A copy of n values for a domain of `arms` arms: DIM unless n is 1 or arms, or 0 with value NULL; ARG, NONFINITE, NOMEM. */
tvgp_status tvgp__mean_new(tvgp_ctx *, size_t arms, const double *value, size_t n, tvgp__mean *out);
void tvgp__mean_free(tvgp_ctx *, tvgp__mean *);

/* Adds the mean to values at arms 0 .. n - 1. */
void tvgp__mean_add(const tvgp__mean *, size_t n, double *values);

#endif
