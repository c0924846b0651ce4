/* SPDX-License-Identifier: MIT */
#include "features.h"

#include <math.h>
#include <stdlib.h>

enum { FEATURES = 2000, FREQUENCIES = FEATURES_PURPOSE, PHASES, WEIGHTS };

tvgp_status features_draw(uint64_t seed, double lengthscale, size_t n, size_t dim, const double *X, double *f) {
    double *omega = malloc(FEATURES * dim * sizeof *omega), w[FEATURES], phase[FEATURES];
    tvgp_status status = omega ? TVGP_OK : TVGP_ERR_NOMEM;
    if (status == TVGP_OK)
        status = tvgp_random_normal(seed, FREQUENCIES, 0, FEATURES * dim, omega);
    if (status == TVGP_OK)
        status = tvgp_random_normal(seed, WEIGHTS, 0, FEATURES, w);
    if (status == TVGP_OK)
        status = tvgp_random_uniform(seed, PHASES, 0, FEATURES, phase);
    for (size_t i = 0; status == TVGP_OK && i < n; i++) {
        f[i] = 0;
        for (size_t j = 0; j < FEATURES; j++) {
            double angle = 2 * acos(-1.0) * phase[j];
            for (size_t d = 0; d < dim; d++)
                angle += omega[j * dim + d] * X[i * dim + d] / lengthscale;
            f[i] += sqrt(2.0 / FEATURES) * w[j] * cos(angle);
        }
    }
    free(omega);
    return status;
}
