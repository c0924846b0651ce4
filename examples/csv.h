/* SPDX-License-Identifier: MIT */
/* Reads sensor readings from a CSV file: a header line of names, then one row per time, one column per arm.
 * - A blank cell means that the arm has no value then. Empty lines are skipped.
 * - The first column is a time label, and ignored, when its name is one of time (time, date, hour, day, row, index, t, .. ) or
 *   empty, when its first entry is not a number, or when it has a number in every row, 4 at least, and each is as much above
 *   the one before: numbers of rows, times.
 * - A header of numbers alone is none. Anything else that is not a finite number, and a row whose length is not the header's, is an error. */
#ifndef CSV_H
#define CSV_H

#include "readings.h"

/* 0, or -1 with a one-line message (file, line, column, content) in `error`. */
int csv_read(const char *path, readings *out, char *error, size_t error_size);

#endif
