/* SPDX-License-Identifier: MIT */
/* Reads sensor readings from a CSV file: a header line of names, then one row per time, one column per arm.
 * - A blank cell means that the arm has no value then. Empty lines are skipped.
 * - The first column is a time label, and ignored, when it is headed time, date, month or step, or when its first entry is
 *   not a number.
 * - Anything else that is not a finite number, and a row whose length is not the header's, is an error. */
#ifndef CSV_H
#define CSV_H

#include "readings.h"

/* 0, or -1 with a one-line message (file, line, column, content) in `error`. */
int csv_read(const char *path, readings *out, char *error, size_t error_size);

#endif
