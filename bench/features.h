/* SPDX-License-Identifier: MIT */
/* Functions drawn from an SE kernel of variance 1, by random Fourier features (Rahimi and Recht 2007):
 * f(x) = sqrt(2 / F) sum_j w_j cos(omega_j' x + phase_j), omega ~ N(0, I / l^2), w ~ N(0, 1), F = 2000. */
#ifndef FEATURES_H
#define FEATURES_H

#include <tvgp.h>

enum { FEATURES_PURPOSE = 1101 }; /* of the random streams: this one and the next two */

/* The function of this seed at n points. */
tvgp_status features_draw(uint64_t seed, double lengthscale, size_t n, size_t dim, const double *X, double *f);

#endif
