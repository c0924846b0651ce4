/* SPDX-License-Identifier: MIT */
/* Whether the levels of arms changed during historical data. Each value is taken relative to the mean of its row. The rows are
 * divided into five blocks of consecutive rows. The ratio comes from an analysis of variance: the variance of an arm's block
 * means over what its variance within blocks explains, both pooled over arms. Its expectation is 1 for constant levels and
 * independent noise, whatever their size. */
#ifndef TVGP__PARTS_HISTORY_LEVEL_CHANGES_H
#define TVGP__PARTS_HISTORY_LEVEL_CHANGES_H

#include "parts/history/history_table.h"

/* Computes the ratio, or 0 if the table is too small for it. NOMEM. */
tvgp_status tvgp__level_changes_ratio(const tvgp__history_table *s, double *out);

#endif
