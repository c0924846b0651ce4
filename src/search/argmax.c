/* SPDX-License-Identifier: MIT */
#include "search/argmax.h"

#include <math.h>

void tvgp__argmax_ucb(size_t n, const double *mean, const double *var, double width, double *score) {
    for (size_t i = 0; i < n; i++) {
        double v = var[i] > 0 ? var[i] : 0;
        score[i] = mean[i] + width * sqrt(v);
    }
}

size_t tvgp__argmax_of(size_t n, const double *score, const uint8_t *mask) {
    double best = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (score[i] > best && (!mask || mask[i]))
            best = score[i];
    double tied = best - 1e-12 * fabs(best);
    for (size_t i = 0; i < n; i++)
        if (score[i] >= tied && (!mask || mask[i]))
            return i;
    return 0;
}
