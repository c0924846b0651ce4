/* SPDX-License-Identifier: MIT */
/* Decides by replay whether to assume a misspecified model of historical data. The newest third (at most 1000 rows) is
 * replayed by a model of the rest, in the two settings, on all arms and on ten subsets of them (subset j: the arms i
 * with (7 i + 3 j) mod 10 < 7). The misspecified setting is chosen if it loses at least 15 % less, and the difference
 * over ten blocks of rows is at least two standard errors. From four subsets on the replay ends if it is clear: that
 * setting loses more than 92 %, or at most 75 % with three standard errors. 8 to 22 asks a row. */
#ifndef TVGP__PARTS_HISTORY_HISTORY_MISSPECIFIED_H
#define TVGP__PARTS_HISTORY_HISTORY_MISSPECIFIED_H

#include "parts/history/history_table.h"
#include "protocol/policy_ops.h"

#define TVGP__HISTORY_REPLAY_WIDTH 0.4 /* factor of the coefficient, in the misspecified setting */

/* Writes 1 to *cautious for the misspecified setting. 0 if nothing can be decided: the option is set or missing, less
 * than 30 % is recorded, or there are fewer than 60 rows. The policy is unchanged. Errors as of learning. */
tvgp_status tvgp__history_misspecified_doubt(const tvgp_policy *policy, size_t n, const tvgp__history_table_record *record,
                                             int *cautious);

#endif
