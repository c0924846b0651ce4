/* SPDX-License-Identifier: MIT */
/* Squared distances in lengthscales, sum_d ((x_d - z_d) / l_d)^2, between two sets of points. In more than four
 * dimensions a chunk of points is first transposed, so that each coordinate is contiguous and the loops vectorise. */
#ifndef TVGP__SPACE_KERNEL_DISTANCES_H
#define TVGP__SPACE_KERNEL_DISTANCES_H

#include <stddef.h>

enum {
    TVGP__DISTANCES_CHUNK = 256,                       /* points turned at a time */
    TVGP__DISTANCES_GROUP = 8,                         /* coordinates at a time */
    TVGP__DISTANCES_LANES = 16,                        /* what is turned is 0 up to the next multiple */
    TVGP__DISTANCES_STRIDE = TVGP__DISTANCES_CHUNK + 8 /* from one turned coordinate to the next */
};

/* R2[i * ld + j] = factor times the squared distance of X_i (of n) and Z_j (of m); reciprocal: 1 / l_d. */
void tvgp__distances(size_t dim, const double *reciprocal, double factor, size_t n, const double *X, size_t m,
                     const double *Z, double *R2, size_t ld);

/* Coordinates from .. from + count - 1 (at most GROUP) of at most stride - 8 points: T[d * stride + j] = Z_j's from + d, and 0 up
 * to the next LANES. */
void tvgp__distances_turn(size_t dim, size_t from, size_t count, size_t m, const double *Z, double *T, size_t stride);

#endif
