/* SPDX-License-Identifier: MIT */
/* Samples of a Gaussian process with SE kernel (variance 1, l = 0.2 unless it is said) on a square grid of the unit square. */
#ifndef FIELD_H
#define FIELD_H

#include <tvgp.h>

typedef struct field {
    size_t side, arms; /* arms = side^2, last coordinate fastest */
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    double *L; /* factor along one side: the Gram matrix of the grid is the Kronecker product with itself */
} field;

void field_create(field *f, size_t side);
void field_create_at(field *f, size_t side, double lengthscale);
void field_destroy(field *f);

/* The sample of this seed and step. */
void field_sample(const field *f, uint64_t seed, uint64_t step, double *g);

#endif
