/* SPDX-License-Identifier: MIT */
/* Periods of a log. Of the rows, less the mean of each arm, a period of P slots explains
 *
 *     1 - (sum of squared errors when each value is predicted by the others of its phase and arm) / (sum of squares),
 *
 * where a value that is alone is predicted to be 0; the error of one of N that add up to S is (N y - S) / (N - 1). Whatever does
 * not repeat makes it smaller, so that drift is no season. Of P = 2 .. n / 3 the one that explains most is taken if that is
 * more than 0.05, a longer one only if it explains 0.002 more; its profile is subtracted, and the next one sought, three at
 * most. Beyond 4096 rows only the 64 highest peaks of the autocorrelation are looked at. */
#ifndef TVGP__HISTORY_MODEL_PERIODS_H
#define TVGP__HISTORY_MODEL_PERIODS_H

#include "history_model/history_table.h"
#include "history_model/season_profile.h"

enum { TVGP__PERIODS_MOST = 3, TVGP__PERIODS_BINS = 512 };

typedef struct tvgp__periods {
    size_t n;
    tvgp__cycle cycle[TVGP__PERIODS_MOST];
} tvgp__periods;

/* Periods of the table. Those that were told (in units of time; `told` of them) are taken, in their order, where they explain
 * more than 0.02 and the log holds two; if none is, or none was told, they are sought. NOMEM, INTERRUPTED. */
tvgp_status tvgp__periods_find(const tvgp__history_table *s, size_t told, const double *time, tvgp__periods *out);

/* The phase of every row of the table. */
void tvgp__periods_phases(const tvgp__history_table *s, const tvgp__cycle *c, uint32_t *phase);

/* What a period of the rows explains; sums: phases x arms x 3 and arms. */
double tvgp__periods_explained(const tvgp__cycle *c, const uint32_t *phase, const tvgp__kernel_rows_of *rows, double *sums);

#endif
