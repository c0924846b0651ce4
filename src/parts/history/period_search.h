/* SPDX-License-Identifier: MIT */
/* Finds the periods of historical data. Of the rows, less the mean of each arm, a period of P bins explains
 *
 *     1 - (sum of squared errors when each value is predicted by the others of its phase and arm) / (sum of squares),
 *
 * where a value without others is predicted to be 0; the error of one of N values with sum S is (N y - S) / (N - 1).
 * Variation that does not repeat reduces this share, so drift is not taken for a season. Of P = 2 .. n / 3 the best is
 * used if it explains more than 0.05; a longer one must explain 0.002 more. Its profile is subtracted and the next one
 * searched, three at most. Beyond 4096 rows only the 64 highest peaks of the autocorrelation are tried. */
#ifndef TVGP__PARTS_HISTORY_PERIOD_SEARCH_H
#define TVGP__PARTS_HISTORY_PERIOD_SEARCH_H

#include "parts/history/history_table.h"
#include "parts/history/season_profile.h"

enum { TVGP__PERIODS_MOST = 3, TVGP__PERIODS_BINS = 512 };

typedef struct tvgp__period_search {
    size_t n;
    tvgp__cycle cycle[TVGP__PERIODS_MOST];
} tvgp__period_search;

/* Finds the periods of the table. Those that the caller gave (`given` of them, in units of time) are used in their order
 * if they explain more than 0.02 and the data span two of them. If none is used, periods are searched. NOMEM,
 * INTERRUPTED. */
tvgp_status tvgp__period_search_find(const tvgp__history_table *s, size_t given, const double *time,
                                     tvgp__period_search *out);

/* The phase of every row of the table. */
void tvgp__period_search_phases(const tvgp__history_table *s, const tvgp__cycle *c, uint32_t *phase);

/* What a period of the rows explains; sums: phases x arms x 3 and arms. */
double tvgp__period_search_explained(const tvgp__cycle *c, const uint32_t *phase, const tvgp__kernel_rows_of *rows,
                                     double *sums);

#endif
