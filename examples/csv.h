/* SPDX-License-Identifier: MIT */
/* Reads CSV files (RFC 4180): cells with commas between, without the blanks around them. A cell in quotes may hold commas, line
 * ends and doubled quotes.
 * - The first record is a header of distinct names. Empty lines are skipped, and a byte order mark is.
 * - Numbers may have thousands, "1,202.81"; times may be ISO 8601 dates.
 * - A header of numbers alone, a row whose length is not the header's, a quote that is not closed and a NUL byte are errors. */
#ifndef CSV_H
#define CSV_H

#include "readings.h"

/* A file as text. */
typedef struct csv_table {
    const char *path;
    size_t columns, rows;
    char **name;     /* columns */
    char **cell;     /* rows x columns */
    size_t *line;    /* rows: where each is in the file, from 1 */
    char error[256]; /* of the call that failed, one line: file, line, column, content */
    char *bytes;
} csv_table;

/* The file at this path, - being standard input. 0, or -1 with `error`; either is to be freed. The path is kept, not copied. */
int csv_table_read(const char *path, csv_table *out);
void csv_table_free(csv_table *table);
/* A cell as a finite number: 0, or -1 with `error`. */
int csv_table_number(csv_table *table, size_t row, size_t column, double *value);
/* A cell as a time: a finite number, or an ISO 8601 date with *is_date and as seconds since 1970. 0, or -1 with `error`. */
int csv_table_time(csv_table *table, size_t row, size_t column, double *value, int *is_date);
/* The first column of this name; `columns`: there is none. */
size_t csv_table_column(const csv_table *table, const char *name);
/* Whether a column is named as times are (time, date, hour, day, row, index, t, ..), or has no name. */
int csv_table_is_time(const csv_table *table, size_t column);

/* Sensor readings: one row per time, one column per arm, numbers or blanks (the arm has no value then). The first column is a time
 * label, and ignored, when it is named as times are, when its first entry is not a number, or when it has a number in every row, 4 at
 * least, and each is as much above the one before: numbers of rows, times. 0, or -1 with `error`. */
int csv_table_readings(csv_table *table, readings *out);

/* Both in one: 0, or -1 with the message in `error`. */
int csv_read(const char *path, readings *out, char *error, size_t error_size);

#endif
