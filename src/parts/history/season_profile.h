/* SPDX-License-Identifier: MIT */
/* Seasons and levels with decay: the two parts of the mean of a model of historical data,
 *
 *     y(arm i, time t) = l_i + sum over periods of [ c(phase) + d_i(phase) ] + remainder.
 *
 * A value of age a has weight W. For one arm, over the values of phase p:
 *     N_p = sum W, Q_p = sum W^2, m_p = sum W y / N_p, e_p = N_p^2 / Q_p (effective number), v_p = s2 / e_p,
 *     s2 = sum W (y - m_p)^2 / sum_p N_p max(0, 1 - 1 / max(e_p, 1)),   t2 = max(0, mean over phases of m_p^2 - v_p),
 * and a phase is m_p t2 / (t2 + v_p), the best linear predictor of a random effect; 0 without values. c is the profile of the
 * means of rows, d_i that of arm i minus c. W = e^(-a / (s P)) with a from the newest row.
 *
 * The level of arm i, W = e^(-a / tau) with a from the newest record of that arm, W' the same from the newest row:
 *     m_i = sum W y / sum W,  e_i = (sum W)^2 / sum W^2,  g = sum W' y / sum W' over all cells,  l_i = g + (m_i - g) e_i / (e_i + 1).
 * The level of an arm with only old records stays; an arm without records has g. */
#ifndef TVGP__PARTS_HISTORY_SEASON_PROFILE_H
#define TVGP__PARTS_HISTORY_SEASON_PROFILE_H

#include <stddef.h>
#include <stdint.h>

/* A period. A period that was found is a whole number of bins; a given one is exact and has bins. */
typedef struct tvgp__cycle {
    size_t phases;
    double time;  /* given: the period in units of time; 0: it was found */
    double slots; /* the period in slots */
} tvgp__cycle;

/* The phase of a row (counted from the first of all rows) at time t. */
size_t tvgp__season_profile_phase(const tvgp__cycle *c, int64_t row, double t);

/* Rows 0 .. n - 1 of a table: values (0 in a blank) and 1 or 0 where there is one or none. */
typedef struct tvgp__kernel_rows_of {
    size_t n, arms;
    const double *y, *is;
} tvgp__kernel_rows_of;

/* Sums over the values of one phase, from which a profile is computed. */
typedef struct tvgp__season_profile_sums {
    double n, q, y, yy; /* sum of W, W^2, W y, W y^2 */
} tvgp__season_profile_sums;

/* A season of one arm from the sums of its phases, which are `stride` apart, of values less `off` and less shared[p] (NULL: 0). */
void tvgp__season_profile_shrink(size_t phases, size_t stride, const tvgp__season_profile_sums *sums, double off,
                                 const double *shared, double *out);

/* A value of weight w joins the sums. */
static inline void tvgp__season_profile_add(tvgp__season_profile_sums *sums, double w, double y) {
    sums->n += w;
    sums->q += w * w;
    sums->y += w * y;
    sums->yy += w * y * y;
}

/* T (phases x arms) = c + d from the sums of all: of phase p those of the arms, then those of the means of rows, arms + 1 in all;
 * values are less the mean of their arm, those of rows less `row_mean`. work: 2 phases. */
void tvgp__season_profile_solve(size_t phases, size_t arms, const tvgp__season_profile_sums *sums, const double *mean,
                                double row_mean, double *work, double *T);

/* T (phases x arms) of rows that have been centred, whose phases are given; s in periods, infinite: nothing is forgotten.
 * sums: phases x (arms + 1); work: 2 phases. */
void tvgp__season_profile_fit(const tvgp__cycle *c, const uint32_t *phase, const tvgp__kernel_rows_of *rows, double s,
                              tvgp__season_profile_sums *sums, double *work, double *T);

/* Levels of the rows; tau in slots, infinite: nothing is forgotten. work: 4 arms + n. */
void tvgp__season_profile_level(const tvgp__kernel_rows_of *rows, double tau, double *work, double *level);

/* The same from sums: m_i drawn to g. */
static inline double tvgp__season_profile_drawn(double g, double n, double q, double y) {
    const double e = q > 0 ? n * n / q : 0;
    return e > 0 ? g + (y / n - g) * e / (e + 1) : g;
}

/* What is left of a row of the table: y less a season, 0 in blanks. */
void tvgp__season_profile_subtract(size_t n, size_t arms, const double *T, const uint32_t *phase, const double *is,
                                   double *y);

/* out = y less the plain mean of each arm, which is 0 for one without values. mean: 2 arms, workspace. */
void tvgp__season_profile_centre(const tvgp__kernel_rows_of *rows, double *mean, double *out);

#endif
