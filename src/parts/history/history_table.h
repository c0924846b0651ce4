/* SPDX-License-Identifier: MIT */
/* Historical data as a table with a row for each bin of time and a column for each arm. A bin is as wide as the median
 * difference of successive distinct times; row r holds the times that round to t_first + r width. Records of one arm in
 * one bin are averaged. Values are standardised by mean and standard deviation of all records in the table. */
#ifndef TVGP__PARTS_HISTORY_HISTORY_TABLE_H
#define TVGP__PARTS_HISTORY_HISTORY_TABLE_H

#include "base/context.h"

enum { TVGP__HISTORY_TABLE_MOST = 8192 }; /* rows: the newest */

/* One historical record: a value of an arm at a time. */
typedef struct tvgp__history_table_record {
    double t, y;
    size_t arm;
} tvgp__history_table_record;

/* Where the rows of a table stand in time. */
typedef struct tvgp__history_table_scale {
    double first, width; /* time of row 0; of a slot, > 0 */
} tvgp__history_table_scale;

typedef struct tvgp__history_table {
    tvgp_ctx *ctx;
    tvgp__history_table_scale scale;
    size_t n, arms;
    int64_t before;  /* rows before the first one here, which were too many */
    size_t records;  /* that are in the table, two of one cell counted as two */
    size_t cells;    /* that are not blank */
    double *y, *is;  /* n x arms, row by row: the values (0 in a blank), and 1 where there is one, 0 in a blank */
    double mean, sd; /* of the records; 1 where they are all equal */
} tvgp__history_table;

/* The row of a time, counted from the first of all rows. */
double tvgp__history_table_row(const tvgp__history_table_scale *scale, double t);

/* Creates the table of n records (in any order) over this many arms. Counts rows x arms against a quota of work. Errors:
 * NOMEM, LIMIT (there are more than 2^53 rows, a time bin is out of range, or a quota is used up). */
tvgp_status tvgp__history_table_new(tvgp_ctx *ctx, size_t arms, size_t n, const tvgp__history_table_record *record,
                                    tvgp__history_table *out);
void tvgp__history_table_free(tvgp__history_table *s);

/* Whether so much is recorded that rows can be compared arm by arm: 3 cells in 10. */
static inline int tvgp__history_table_dense(const tvgp__history_table *s) {
    return 10 * s->cells >= 3 * s->n * s->arms;
}

#endif
