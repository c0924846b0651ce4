/* SPDX-License-Identifier: MIT */
/* Statistics of a sample (base/numbers/sample_statistics.h). */
#include "base/numbers/sample_statistics.h"

#include <stdlib.h>
#include <string.h>

double tvgp__sample_statistics_variance(size_t n, const double *y) {
    double mean = 0, sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        rest += y[i] - mean;
        sum += (y[i] - mean) * (y[i] - mean);
    }
    return n > 1 ? (sum - rest * rest / (double)n) / (double)(n - 1) : 0;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tvgp__sample_statistics_sort(size_t n, double *x) {
    qsort(x, n, sizeof *x, ascending);
}

static double middle(size_t n, const double *sorted) {
    return 0.5 * (sorted[n / 2] + sorted[(n - 1) / 2]);
}

double tvgp__sample_statistics_median(size_t n, double *x) {
    tvgp__sample_statistics_sort(n, x);
    return n ? middle(n, x) : 0;
}

/* The same of a few that are nearly sorted. */
static void sort(size_t n, double *x) {
    for (size_t i = 1; i < n; i++) {
        double value = x[i];
        size_t j = i;
        for (; j && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

double tvgp__sample_statistics_step(size_t n, const double *t, double *work) {
    size_t steps = 0;
    memcpy(work, t, n * sizeof *work);
    sort(n, work);
    for (size_t i = 0; i + 1 < n; i++)
        if (work[i + 1] > work[i])
            work[steps++] = work[i + 1] - work[i];
    sort(steps, work);
    return steps ? middle(steps, work) : 1;
}
