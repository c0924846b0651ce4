/* SPDX-License-Identifier: MIT */
#include "readings.h"

#include <math.h>
#include <stdlib.h>

void readings_free(readings *r) {
    for (size_t a = 0; r->names && a < r->n_arms; a++)
        free(r->names[a]);
    free(r->names);
    free(r->value);
    *r = (readings){0};
}

void readings_moments(const readings *r, size_t first, size_t n, double *mean, double *sd) {
    const double *value = r->value + first * r->n_arms;
    double sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < n * r->n_arms; i++) {
        if (!isnan(value[i])) {
            sum += value[i];
            count++;
        }
    }
    *mean = count ? sum / (double)count : 0;
    for (size_t i = 0; i < n * r->n_arms; i++)
        if (!isnan(value[i]))
            squares += (value[i] - *mean) * (value[i] - *mean);
    *sd = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

void readings_standardise(readings *r, double mean, double sd) {
    for (size_t i = 0; i < r->n_times * r->n_arms; i++)
        r->value[i] = (r->value[i] - mean) / sd;
}
