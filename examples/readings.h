/* SPDX-License-Identifier: MIT */
/* A table of sensor readings, times x arms; NaN where there is no value. */
#ifndef READINGS_H
#define READINGS_H

#include <stddef.h>

typedef struct readings {
    size_t n_times, n_arms;
    char **names;  /* one per arm */
    double *value; /* row-major n_times x n_arms */
} readings;

void readings_free(readings *r);

/* Mean and standard deviation of all values in rows first .. first + n - 1. */
void readings_moments(const readings *r, size_t first, size_t n, double *mean, double *sd);

/* value <- (value - mean) / sd, everywhere. */
void readings_standardise(readings *r, double mean, double sd);

/* How many rows the differences between columns last: the lag, over the first n rows, at which the correlation of a column's departures
 * falls to one half, where a departure is a value less what its row and its column usually have. INFINITY: it does
 * not within a quarter of them, or nothing departs; NaN: out of memory. O(n n_arms lag) flops. */
double readings_lasting(const readings *r, size_t n);

/* What the table `best arm of the hour` plays in a row: the arm that has a value there and the highest mean over the training
 * rows (the first `train`) of the same phase, of which a period of `period` rows has `bins`. n_arms: none. */
size_t readings_best_of_phase(const readings *r, size_t train, size_t period, size_t bins, size_t row);

#endif
