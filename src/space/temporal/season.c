/* SPDX-License-Identifier: MIT */
/* A periodic function as states of a filter (space/temporal/season.h). */
#include "space/temporal/season.h"
#include "base/numbers/constants.h"

#include <math.h>

enum { MOST = TVGP__SEASON_MOST };

/* Ratios of neighbours, backwards from where they are far below 1 (Miller; Abramowitz and Stegun 9.12): the q_j sum to
 * 1. */
size_t tvgp__season_weights(double lengthscale, double *q) {
    const double a = 1 / (lengthscale * lengthscale);
    double ratio[2 * MOST + 1], sum = 1, left = 0;
    size_t count = MOST;
    ratio[2 * MOST] = 0;
    for (size_t j = 2 * MOST; j-- > 0;) /* I_j+1 / I_j = 1 / (2 (j + 1) / a + I_j+2 / I_j+1) */
        ratio[j] = 1 / (2 * (double)(j + 1) / a + ratio[j + 1]);
    q[0] = 1;
    for (size_t j = 1; j <= MOST; j++)
        sum += q[j] = (j > 1 ? q[j - 1] : 2) * ratio[j - 1];
    for (size_t j = 0; j <= MOST; j++)
        q[j] /= sum;
    for (; count && left + q[count] < 1e-13; count--) {
        left += q[count];
        q[count] = 0;
    }
    return count;
}

size_t tvgp__season_states(const tvgp__season *s) {
    double q[MOST + 1];
    return s->n_periods ? 1 + 2 * s->n_periods * tvgp__season_weights(s->lengthscale, q) : 0;
}

void tvgp__season_features(const tvgp__season *s, double t, double *h) {
    double q[MOST + 1];
    const size_t harmonics = tvgp__season_weights(s->lengthscale, q);
    *h++ = sqrt(q[0]);
    for (size_t k = 0; k < s->n_periods; k++)
        for (size_t j = 1; j <= harmonics; j++) {
            const double angle = TVGP__TWO_PI * (double)j * (fmod(t, s->period[k]) / s->period[k]);
            const double root = sqrt(q[j] / (double)s->n_periods);
            *h++ = root * cos(angle);
            *h++ = root * sin(angle);
        }
}
