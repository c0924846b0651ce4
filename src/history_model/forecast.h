/* SPDX-License-Identifier: MIT */
/* Which structure a log has: what would have forecast the log itself best. A structure is the number of periods used, how fast
 * their profiles forget (s, in periods) and how fast levels do (tau, in slots). Without a season tau is infinite, n/2, n/8, n/32,
 * 4 or 1; with the first 1, 2 .. periods s is infinite, 8 or 3 and tau infinite, 3 L, L or L/6, L the first period.
 *
 * Each is fitted to the rows before an origin and forecasts the block of h rows after it; there are about a dozen origins in
 * the newest 60 % of the log. Its score is the sum of squared errors after the mean of each row was taken off, since only
 * differences between arms decide (where less than 30 % is recorded, the plain sum). The best is taken if it is below 0.95 of
 * constant levels; otherwise a season that all arms share, if that forecasts plain values so much better: it decides nothing,
 * but what is left changes more slowly without it. So a structure is never worse than constant levels on those rows.
 *
 * Flops: origins x candidates x cells before the origin, some 10 each. */
#ifndef TVGP__HISTORY_MODEL_FORECAST_H
#define TVGP__HISTORY_MODEL_FORECAST_H

#include "history_model/periods.h"

enum { TVGP__FORECAST_LEVELS = 6, TVGP__FORECAST_SEASONS = 12 };
enum { TVGP__FORECAST_MOST = TVGP__FORECAST_LEVELS + TVGP__FORECAST_SEASONS * TVGP__PERIODS_MOST };

typedef struct tvgp__structure {
    size_t periods; /* the first so many */
    double s, tau;  /* infinite: nothing is forgotten */
} tvgp__structure;

/* What a structure scored: errors less the mean of their row, and plain ones, squared and added up. */
typedef struct tvgp__forecast_score {
    double apart, plain;
} tvgp__forecast_score;

typedef struct tvgp__forecast {
    size_t n; /* candidates */
    tvgp__structure candidate[TVGP__FORECAST_MOST];
    tvgp__forecast_score score[TVGP__FORECAST_MOST];
    size_t chosen;
    double error; /* its score over that of constant levels; 1 where both are 0 */
} tvgp__forecast;

/* Scores all candidates and chooses; a log of fewer than 4 rows has constant levels. NOMEM, INTERRUPTED. */
tvgp_status tvgp__forecast_choose(const tvgp__history_table *s, const tvgp__periods *periods, tvgp__forecast *out);

/* Errors of the forecasts of a structure over the same rows, later ones in place of earlier ones: E (n x arms, 0 where none
 * was foretold or recorded) and `is` (1 where there is one). NOMEM, INTERRUPTED. */
tvgp_status tvgp__forecast_errors(const tvgp__history_table *s, const tvgp__periods *periods,
                                  const tvgp__structure *structure, double *E, double *is);

/* The structure fitted to all rows: level (arms) and T, one profile (phases x arms) behind the other. NOMEM. */
tvgp_status tvgp__forecast_fit(const tvgp__history_table *s, const tvgp__periods *periods, const tvgp__structure *structure,
                               double *level, double *T);

/* Entries of T. */
size_t tvgp__forecast_size(const tvgp__periods *periods, const tvgp__structure *structure, size_t arms);

#endif
