/* SPDX-License-Identifier: MIT */
/* The rows that both tables of the experiment with noisy outcomes print. */
#include "noisy.h"
#include <stdio.h>
#include <stdlib.h>

void noisy_report(const experiment *e, const char *row, const char *const *players, size_t n, const double *values,
                  size_t whole, size_t base) {
    double *apart = experiment_allocate(e->runs, sizeof *apart);
    const double all = experiment_mean_of(values, e->runs, n, whole).mean,
                 true_mean = experiment_mean_of(values, e->runs, n, base).mean;
    for (size_t i = 0; i < n; i++) {
        const experiment_mean mean = experiment_mean_of(values, e->runs, n, i);
        for (size_t r = 0; r < e->runs; r++)
            apart[r] = values[r * n + i] - values[r * n + base];
        const experiment_mean more = experiment_mean_of(apart, e->runs, 1, 0);
        printf("%s,%s,%zu,%.2f,%.2f,%.3f,%.2f,%.2f,%.3f\n", row, players[i], e->runs, mean.mean, mean.error, mean.mean / all,
               more.mean, more.error, mean.mean / true_mean);
    }
    fflush(stdout);
    free(apart);
}
