/* SPDX-License-Identifier: MIT */
/* The choice rule: the highest score, ties to the lowest index (choose/argmax.h). */
#include "choose/argmax.h"

#include "base/simd_clones.h"

#include <math.h>

TVGP__SIMD_CLONES
static void score_all(size_t n, const double *restrict mean, const double *restrict var, double width,
                      double *restrict score) {
    for (size_t i = 0; i < n; i++) {
        double v = var[i] > 0 ? var[i] : 0;
        score[i] = mean[i] + width * sqrt(v);
    }
}

void tvgp__argmax_ucb(size_t n, const double *mean, const double *var, double width, double *score) {
    score_all(n, mean, var, width, score);
}

enum { LANES = 8 };

TVGP__SIMD_CLONES
static double highest(size_t n, const double *restrict score, const uint8_t *restrict mask) {
    double best[LANES], most = -INFINITY;
    for (size_t k = 0; k < LANES; k++)
        best[k] = -INFINITY;
    size_t i = 0;
    for (; !mask && i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            best[k] = score[i + k] > best[k] ? score[i + k] : best[k];
    for (; mask && i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double own = score[i + k], shown = mask[i + k] ? own : -INFINITY;
            best[k] = shown > best[k] ? shown : best[k];
        }
    for (; i < n; i++)
        if ((!mask || mask[i]) && score[i] > most)
            most = score[i];
    for (size_t k = 0; k < LANES; k++)
        most = best[k] > most ? best[k] : most;
    return most;
}

double tvgp__argmax_highest(size_t n, const double *score, const uint8_t *mask) {
    return highest(n, score, mask);
}

enum { BLOCK = 2 * LANES };

TVGP__SIMD_CLONES
static int one_reaches(const double *score, double bound) {
    int reaches = 0;
    for (int k = 0; k < BLOCK; k++)
        reaches |= score[k] >= bound;
    return reaches;
}

size_t tvgp__argmax_next(size_t n, size_t from, const double *score, double bound) {
    size_t i = from;
    while (i + BLOCK <= n && !one_reaches(score + i, bound))
        i += BLOCK;
    while (i < n && !(score[i] >= bound))
        i++;
    return i;
}

double tvgp__argmax_tie(double most, double scale) {
    return fmin(TVGP__ARGMAX_TIE * fabs(most), 1e-3 * scale);
}

size_t tvgp__argmax_first(size_t n, const double *score, const uint8_t *mask, double most, double scale) {
    double tied = isinf(most) ? most : most - tvgp__argmax_tie(most, scale);
    size_t first = tvgp__argmax_next(n, 0, score, tied);
    while (mask && first < n && !mask[first])
        first = tvgp__argmax_next(n, first + 1, score, tied);
    if (first < n)
        return first;
    for (first = 0; mask && first < n && !mask[first];) /* none is a number */
        first++;
    return first;
}

size_t tvgp__argmax_scaled(size_t n, const double *score, const uint8_t *mask, double scale) {
    return tvgp__argmax_first(n, score, mask, highest(n, score, mask), scale);
}

size_t tvgp__argmax_of(size_t n, const double *score, const uint8_t *mask) {
    return tvgp__argmax_scaled(n, score, mask, INFINITY);
}
