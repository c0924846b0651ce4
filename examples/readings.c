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

/* Takes their mean off n values with a stride, NaN left out. */
static void centre(double *value, size_t n, size_t stride) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i * stride])) {
            sum += value[i * stride];
            count++;
        }
    for (size_t i = 0; i < n && count; i++)
        value[i * stride] -= sum / (double)count;
}

/* Mean product of values `lag` rows apart. */
static double covariance_at(const double *value, size_t n, size_t n_arms, size_t lag) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < (n - lag) * n_arms; i++) {
        const double product = value[i] * value[i + lag * n_arms];
        if (!isnan(product)) {
            sum += product;
            count++;
        }
    }
    return count ? sum / (double)count : 0;
}

double readings_lasting(const readings *r, size_t n) {
    const size_t cells = n * r->n_arms;
    double *departure = malloc(cells * sizeof *departure), before = 1, lasting = INFINITY;
    if (!departure)
        return NAN;
    for (size_t i = 0; i < cells; i++)
        departure[i] = r->value[i];
    for (int round = 0; round < 2; round++) { /* columns first: a blank would give its row another column's level */
        for (size_t a = 0; a < r->n_arms; a++)
            centre(departure + a, n, r->n_arms);
        for (size_t i = 0; i < n; i++)
            centre(departure + i * r->n_arms, r->n_arms, 1);
    }
    const double variance = covariance_at(departure, n, r->n_arms, 0);
    for (size_t lag = 1; variance > 0 && lag <= n / 4 && isinf(lasting); lag++) {
        const double now = covariance_at(departure, n, r->n_arms, lag) / variance;
        if (now < 0.5)
            lasting = (double)lag - (0.5 - now) / (before - now);
        before = now;
    }
    free(departure);
    return lasting;
}

static size_t phase_of(size_t row, size_t period, size_t bins) {
    return row % period * bins / period;
}

/* Mean of an arm over the training rows of a phase; below all others when it has no value there. */
static double mean_of_phase(const readings *r, size_t train, size_t period, size_t bins, size_t phase, size_t arm) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < train; i++) {
        const double value = r->value[i * r->n_arms + arm];
        if (phase_of(i, period, bins) != phase || isnan(value))
            continue;
        sum += value;
        count++;
    }
    return count ? sum / (double)count : -HUGE_VAL;
}

size_t readings_best_of_phase(const readings *r, size_t train, size_t period, size_t bins, size_t row) {
    const size_t phase = phase_of(row, period, bins);
    size_t best = r->n_arms;
    double most = -HUGE_VAL;
    for (size_t a = 0; a < r->n_arms; a++) {
        const double mean = mean_of_phase(r, train, period, bins, phase, a);
        if (isnan(r->value[row * r->n_arms + a]) || (best < r->n_arms && mean <= most))
            continue;
        best = a;
        most = mean;
    }
    return best;
}
