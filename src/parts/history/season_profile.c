/* SPDX-License-Identifier: MIT */
/* Seasons and levels with decay: the two parts of the mean of a model of historical data (parts/history/season_profile.h). */
#include "parts/history/season_profile.h"

#include <math.h>
#include <string.h>

size_t tvgp__season_profile_phase(const tvgp__cycle *c, int64_t row, double t) {
    if (!(c->time > 0)) {
        const int64_t P = (int64_t)c->phases;
        return (size_t)((row % P + P) % P);
    }
    const double turns = t / c->time, round_off = 1e-6; /* a time at the edge of a bin is in it */
    return (size_t)((turns - floor(turns)) * (double)c->phases + round_off) % c->phases;
}

/* ---- seasons ---------------------------------------------------------------------------------------------------- */

/* s2 from the sums of one arm; `seen` counts the phases with a value. A shift of all values of a phase changes nothing. */
static double spread(size_t phases, size_t stride, const tvgp__season_profile_sums *sums, size_t *seen) {
    double squares = 0, freedom = 0;
    *seen = 0;
    for (size_t p = 0; p < phases; p++) {
        const tvgp__season_profile_sums *s = &sums[p * stride];
        if (!(s->q > 0))
            continue;
        ++*seen;
        squares += fmax(s->yy - s->y * s->y / s->n, 0);
        freedom += s->n * fmax(0, 1 - 1 / fmax(s->n * s->n / s->q, 1));
    }
    return squares / fmax(1e-9, freedom);
}

void tvgp__season_profile_shrink(size_t phases, size_t stride, const tvgp__season_profile_sums *sums, double off,
                                 const double *shared, double *out) {
    size_t seen;
    const double s2 = spread(phases, stride, sums, &seen);
    double t2 = 0;
    for (size_t p = 0; p < phases; p++) {
        const tvgp__season_profile_sums *s = &sums[p * stride];
        const double m = s->y / s->n - off - (shared ? shared[p] : 0);
        out[p] = s->q > 0 ? m : 0;
        t2 += s->q > 0 ? m * m - s2 * s->q / (s->n * s->n) : 0;
    }
    t2 = seen ? fmax(0, t2 / (double)seen) : 0;
    for (size_t p = 0; p < phases; p++) {
        const tvgp__season_profile_sums *s = &sums[p * stride];
        out[p] *= s->q > 0 ? t2 / (t2 + s2 * s->q / (s->n * s->n) + 1e-12) : 0;
    }
}

void tvgp__season_profile_solve(size_t phases, size_t arms, const tvgp__season_profile_sums *sums, const double *mean,
                                double row_mean, double *work, double *T) {
    double *c = work, *d = work + phases;
    tvgp__season_profile_shrink(phases, arms + 1, sums + arms, row_mean, NULL, c);
    for (size_t a = 0; a < arms; a++) {
        tvgp__season_profile_shrink(phases, arms + 1, sums + a, mean ? mean[a] : 0, c, d);
        for (size_t p = 0; p < phases; p++)
            T[p * arms + a] = c[p] + d[p];
    }
}

void tvgp__season_profile_fit(const tvgp__cycle *c, const uint32_t *phase, const tvgp__kernel_rows_of *rows, double s,
                              tvgp__season_profile_sums *sums, double *work, double *T) {
    const size_t arms = rows->arms;
    memset(sums, 0, c->phases * (arms + 1) * sizeof *sums);
    for (size_t r = 0; r < rows->n; r++) {
        const double w = exp(-(double)(rows->n - 1 - r) / (s * c->slots)), *y = rows->y + r * arms,
                     *is = rows->is + r * arms;
        tvgp__season_profile_sums *at = sums + phase[r] * (arms + 1);
        double sum = 0, n = 0;
        for (size_t a = 0; a < arms; a++)
            if (is[a] > 0) {
                tvgp__season_profile_add(&at[a], w, y[a]);
                sum += y[a];
                n++;
            }
        if (n > 0)
            tvgp__season_profile_add(&at[arms], w, sum / n);
    }
    tvgp__season_profile_solve(c->phases, arms, sums, NULL, 0, work, T);
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

void tvgp__season_profile_level(const tvgp__kernel_rows_of *rows, double tau, double *work, double *level) {
    const size_t arms = rows->arms;
    double *n = work, *q = n + arms, *y = q + arms, *newest = y + arms, *weight = newest + arms, all = 0, sum = 0;
    size_t from = 0; /* newest row with a value, from 1 */
    memset(work, 0, 4 * arms * sizeof *work);
    for (size_t age = 0; age < rows->n; age++)
        weight[age] = exp(-(double)age / tau);
    for (size_t r = rows->n; r-- > 0;)
        for (size_t a = 0; a < arms; a++) {
            const size_t i = r * arms + a;
            if (!(rows->is[i] > 0))
                continue;
            newest[a] = newest[a] > 0 ? newest[a] : (double)(r + 1); /* the row, from 1 */
            from = from ? from : r + 1;
            const double w = weight[(size_t)newest[a] - 1 - r], of_all = weight[from - 1 - r];
            n[a] += w;
            q[a] += w * w;
            y[a] += w * rows->y[i];
            all += of_all;
            sum += of_all * rows->y[i];
        }
    for (size_t a = 0; a < arms; a++)
        level[a] = tvgp__season_profile_drawn(all > 0 ? sum / all : 0, n[a], q[a], y[a]);
}

/* ---- what is left ----------------------------------------------------------------------------------------------- */

void tvgp__season_profile_subtract(size_t n, size_t arms, const double *T, const uint32_t *phase, const double *is,
                                   double *y) {
    for (size_t r = 0; r < n; r++)
        for (size_t a = 0; a < arms; a++)
            y[r * arms + a] -= T[phase[r] * arms + a] * is[r * arms + a];
}

void tvgp__season_profile_centre(const tvgp__kernel_rows_of *rows, double *mean, double *out) {
    const size_t arms = rows->arms;
    double *n = mean + arms;
    memset(mean, 0, 2 * arms * sizeof *mean);
    for (size_t r = 0; r < rows->n; r++)
        for (size_t a = 0; a < arms; a++) {
            mean[a] += rows->y[r * arms + a];
            n[a] += rows->is[r * arms + a];
        }
    for (size_t a = 0; a < arms; a++)
        mean[a] = n[a] > 0 ? mean[a] / n[a] : 0;
    for (size_t r = 0; r < rows->n; r++)
        for (size_t a = 0; a < arms; a++)
            out[r * arms + a] = (rows->y[r * arms + a] - mean[a]) * rows->is[r * arms + a];
}
