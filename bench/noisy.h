/* SPDX-License-Identifier: MIT */
/* The two tables of exp_noisy.c, arms on a line and arms that are names, and the report of their rows. */
#ifndef NOISY_H
#define NOISY_H

#include "experiment.h"

/* Prints, for each of n columns of a row's values: total, its share of column `whole`, what column `base` has less (its error run by
 * run), and their ratio. */
void noisy_report(const experiment *e, const char *row, const char *const *players, size_t n, const double *values,
                  size_t whole, size_t base);

void noisy_names(experiment *e, double only);

#endif
