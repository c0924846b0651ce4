/* SPDX-License-Identifier: MIT */
/* Chooses the structure of a model of historical data: the one with the best forecasts of the data themselves. A
 * structure is the number of periods, the decay of their profiles (s, in periods) and that of levels (tau, in time
 * bins). Without a season tau is infinite, n/2, n/8, n/32, 4 or 1. With the first 1, 2 .. periods s is infinite, 8 or 3
 * and tau infinite, 3 L, L or L/6, L the first period.
 *
 * Each is fitted to the rows before an origin and forecasts the block of h rows after it; about a dozen origins lie in
 * the newest 60 % of the data. The score is the sum of squared errors less the mean of each row, because only
 * differences between arms affect decisions (if less than 30 % is recorded, the plain sum). The best is used if its
 * score is below 0.95 of the score of constant levels. Otherwise a season that all arms share is used if it improves
 * forecasts of plain values by as much: it affects no decision, but the remainder changes more slowly without it. A
 * structure is thus never worse than constant levels on those rows.
 *
 * Flops: origins x candidates x cells before the origin, some 10 each. */
#ifndef TVGP__PARTS_HISTORY_MODEL_SELECTION_H
#define TVGP__PARTS_HISTORY_MODEL_SELECTION_H

#include "parts/history/period_search.h"

enum { TVGP__MODEL_SELECTION_LEVELS = 6, TVGP__MODEL_SELECTION_SEASONS = 12 };
enum { TVGP__MODEL_SELECTION_MOST = TVGP__MODEL_SELECTION_LEVELS + TVGP__MODEL_SELECTION_SEASONS * TVGP__PERIODS_MOST };

typedef struct tvgp__structure {
    size_t periods; /* the first `periods` periods */
    double s, tau;  /* infinite: nothing is forgotten */
} tvgp__structure;

/* What a structure scored: errors less the mean of their row, and plain ones, squared and added up. */
typedef struct tvgp__model_selection_score {
    double apart, plain;
} tvgp__model_selection_score;

typedef struct tvgp__model_selection {
    size_t n; /* candidates */
    tvgp__structure candidate[TVGP__MODEL_SELECTION_MOST];
    tvgp__model_selection_score score[TVGP__MODEL_SELECTION_MOST];
    size_t chosen;
    double error; /* its score over that of constant levels; 1 where both are 0 */
} tvgp__model_selection;

/* Scores all candidates and chooses; a log of fewer than 4 rows has constant levels. NOMEM, INTERRUPTED. */
tvgp_status tvgp__model_selection_choose(const tvgp__history_table *s, const tvgp__period_search *periods,
                                         tvgp__model_selection *out);

/* Writes the errors of the forecasts of a structure over the same rows, where later forecasts replace earlier ones: E (n
 * x arms, 0 without forecast or record) and `is` (1 where there is one). NOMEM, INTERRUPTED. */
tvgp_status tvgp__model_selection_errors(const tvgp__history_table *s, const tvgp__period_search *periods,
                                         const tvgp__structure *structure, double *E, double *is);

/* The structure fitted to all rows: level (arms) and T, one profile (phases x arms) behind the other. NOMEM. */
tvgp_status tvgp__model_selection_fit(const tvgp__history_table *s, const tvgp__period_search *periods,
                                      const tvgp__structure *structure, double *level, double *T);

/* Entries of T. */
size_t tvgp__model_selection_size(const tvgp__period_search *periods, const tvgp__structure *structure, size_t arms);

#endif
