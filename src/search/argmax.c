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
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if ((!mask || mask[i]) && (best == n || score[i] > score[best] || (isnan(score[best]) && !isnan(score[i]))))
            best = i;
    double tied = score[best] - 1e-12 * fabs(score[best]); /* NaN when infinite: nothing ties then */
    for (size_t i = 0; i < best; i++)
        if (score[i] >= tied && (!mask || mask[i]))
            return i;
    return best;
}
