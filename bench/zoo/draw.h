/* SPDX-License-Identifier: MIT */
/* What the problems are drawn with: streams of random numbers that are functions of (seed, purpose, step), and samples of
 * Gaussian processes. No BLAS: the truth is the same in every build. */
#ifndef ZOO_DRAW_H
#define ZOO_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* Purposes of the streams. */
enum { ZOO_ANSWER = 1201, ZOO_EXPERT, ZOO_DELAY, ZOO_MASK, ZOO_TRUTH };

void zoo_normal(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *z);
void zoo_uniforms(uint64_t seed, uint32_t purpose, uint64_t step, size_t n, double *u);
double zoo_uniform_of(uint64_t seed, uint32_t purpose, uint64_t step);

/* The lower Cholesky factor of A (n x n, row-major) in place; a pivot that is round-off becomes 0 and so does its column. */
void zoo_factor(size_t n, double *A);

/* Samples with SE kernel, variance 1, on a grid of side^dim points of the unit square (dim 2, the last coordinate fastest) or the
 * unit interval (dim 1). */
typedef struct zoo_field {
    size_t side, dim, arms;
    double *L; /* side x side: of one coordinate */
} zoo_field;
void zoo_field_open(zoo_field *field, size_t side, size_t dim, double lengthscale);
void zoo_field_close(zoo_field *field);
void zoo_field_sample(const zoo_field *field, uint64_t seed, uint64_t step, double *g);

#endif
