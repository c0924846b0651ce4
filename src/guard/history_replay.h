/* SPDX-License-Identifier: MIT */
/* Whether a log is played with doubt: its newest third (at most 1000 rows) is replayed by a model of the rest, in the two
 * settings, on all arms and on ten subsets of them (subset j: the arms i with (7 i + 3 j) mod 10 < 7). Doubt is taken if it loses
 * at least 15 % less, and the difference over ten blocks of rows is at least two standard errors: lower bars take it where it
 * costs more than twice. From four subsets on the replay ends if it is clear: doubt loses more than 92 %, or at most 75 % with three
 * standard errors. 8 to 22 asks a row. */
#ifndef TVGP__GUARD_HISTORY_REPLAY_H
#define TVGP__GUARD_HISTORY_REPLAY_H

#include "history_model/history_table.h"
#include "protocol/policy_ops.h"

#define TVGP__HISTORY_REPLAY_WIDTH 0.4 /* factor of the width, with doubt */

/* *cautious 1: with doubt. 0 where nothing can be decided: the option doubt is set or there is none, less than 30 % is recorded,
 * or fewer than 60 rows. The policy stays as it is. Errors as of learning. */
tvgp_status tvgp__history_replay_doubt(const tvgp_policy *policy, size_t n, const tvgp__history_table_record *record,
                                       int *cautious);

#endif
