/* SPDX-License-Identifier: MIT */
/* Squared distances in lengthscales, sum_d ((x_d - z_d) / l_d)^2, between two sets of points (space/kernel/distances.h). */
#include "space/kernel/distances.h"
#include "base/numbers/simd_clones.h"

#include <string.h>

enum {
    GROUP = TVGP__DISTANCES_GROUP,
    LANES = TVGP__DISTANCES_LANES,
    CHUNK = 3 * LANES, /* points transposed at a time, on the stack: 3.5 kB with all of a group */
    STRIDE = CHUNK + 8
};

/* Squared distances of one point to m points, times `factor`. */
static inline void distances(size_t dim, const double *restrict reciprocal, double factor, const double *restrict x,
                             size_t m, const double *restrict Z, double *restrict r2) {
    for (size_t j = 0; j < m; j++) {
        double sum = 0;
        for (size_t d = 0; d < dim; d++) {
            double diff = (x[d] - Z[j * dim + d]) * reciprocal[d];
            sum += diff * diff;
        }
        r2[j] = factor * sum;
    }
}

/* dim is a constant so that the loop vectorises. */
TVGP__SIMD_CLONES
static void distances_in_few(size_t dim, const double *reciprocal, double factor, const double *x, size_t m, const double *Z,
                             double *r2) {
    if (dim == 1)
        distances(1, reciprocal, factor, x, m, Z, r2);
    else if (dim == 2)
        distances(2, reciprocal, factor, x, m, Z, r2);
    else if (dim == 3)
        distances(3, reciprocal, factor, x, m, Z, r2);
    else
        distances(4, reciprocal, factor, x, m, Z, r2);
}

static inline void turn_of(size_t dim, size_t count, size_t m, const double *restrict Z, double *restrict T, size_t stride) {
    for (size_t d = 0; d < count; d++)
        for (size_t j = 0; j < m; j++)
            T[d * stride + j] = Z[j * dim + d];
}

/* dim is a constant so that the loop vectorises. */
TVGP__SIMD_CLONES
static void turn(size_t dim, size_t count, size_t m, const double *Z, double *T, size_t stride) {
    if (dim == 1)
        turn_of(1, 1, m, Z, T, stride);
    else if (dim == 2)
        turn_of(2, 2, m, Z, T, stride);
    else if (dim == 3)
        turn_of(3, 3, m, Z, T, stride);
    else
        turn_of(dim, count, m, Z, T, stride);
}

void tvgp__distances_turn(size_t dim, size_t from, size_t count, size_t m, const double *Z, double *T, size_t stride) {
    turn(dim, count, m, Z + from, T, stride);
    for (size_t d = 0; d < count; d++)
        memset(T + d * stride + m, 0, (-m % LANES) * sizeof *T);
}

/* r2 = factor (r2 + squares of `count` coordinates); r2 is 0 where the sum begins. */
static inline void add_some(int begins, size_t count, const double *restrict reciprocal, double factor,
                            const double *restrict x, size_t m, const double *restrict T, double *restrict r2) {
    for (size_t j = 0; j < m; j++) {
        double sum = begins ? 0 : r2[j];
        for (size_t d = 0; d < count; d++) {
            double diff = (x[d] - T[d * STRIDE + j]) * reciprocal[d];
            sum += diff * diff;
        }
        r2[j] = factor * sum;
    }
}

/* The first coordinates of five or more: a constant number, so that the loop vectorises. */
TVGP__SIMD_CLONES
static void begin_squares(size_t count, const double *reciprocal, double factor, const double *x, size_t m, const double *T,
                          double *r2) {
    if (count == 5)
        add_some(1, 5, reciprocal, factor, x, m, T, r2);
    else if (count == 6)
        add_some(1, 6, reciprocal, factor, x, m, T, r2);
    else if (count == 7)
        add_some(1, 7, reciprocal, factor, x, m, T, r2);
    else
        add_some(1, 8, reciprocal, factor, x, m, T, r2);
}

/* Further ones, four at a time. */
TVGP__SIMD_CLONES
static void add_squares(size_t count, const double *reciprocal, double factor, const double *x, size_t m, const double *T,
                        double *r2) {
    for (; count > 4; count -= 4, reciprocal += 4, x += 4, T += 4 * STRIDE)
        add_some(0, 4, reciprocal, 1, x, m, T, r2);
    if (count == 4)
        add_some(0, 4, reciprocal, factor, x, m, T, r2);
    else if (count == 3)
        add_some(0, 3, reciprocal, factor, x, m, T, r2);
    else if (count == 2)
        add_some(0, 2, reciprocal, factor, x, m, T, r2);
    else
        add_some(0, 1, reciprocal, factor, x, m, T, r2);
}

/* The same sums in more than four dimensions: a chunk of Z is turned once for all n points. */
static void distances_in_many(size_t dim, const double *reciprocal, double factor, size_t n, const double *X, size_t m,
                              const double *Z, double *R2, size_t ld) {
    double T[GROUP * STRIDE];
    for (size_t from = 0; from < dim; from += GROUP) {
        int last = dim - from <= GROUP;
        size_t count = last ? dim - from : GROUP;
        tvgp__distances_turn(dim, from, count, m, Z, T, STRIDE);
        for (size_t i = 0; i < n; i++)
            (from ? add_squares : begin_squares)(count, reciprocal + from, last ? factor : 1, X + i * dim + from, m, T,
                                                 R2 + i * ld);
    }
}

void tvgp__distances(size_t dim, const double *reciprocal, double factor, size_t n, const double *X, size_t m,
                     const double *Z, double *R2, size_t ld) {
    if (dim <= 4)
        for (size_t i = 0; i < n; i++)
            distances_in_few(dim, reciprocal, factor, X + i * dim, m, Z, R2 + i * ld);
    else
        for (size_t first = 0; first < m; first += CHUNK)
            distances_in_many(dim, reciprocal, factor, n, X, m - first < CHUNK ? m - first : CHUNK, Z + first * dim,
                              R2 + first, ld);
}
