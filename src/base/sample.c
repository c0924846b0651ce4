/* SPDX-License-Identifier: MIT */
#include "base/sample.h"

#include <string.h>

double tvgp__sample_variance(size_t n, const double *y) {
    double mean = 0, sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        rest += y[i] - mean;
        sum += (y[i] - mean) * (y[i] - mean);
    }
    return n > 1 ? (sum - rest * rest / (double)n) / (double)(n - 1) : 0;
}

static void sort(size_t n, double *x) {
    for (size_t i = 1; i < n; i++) {
        double value = x[i];
        size_t j = i;
        for (; j && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

double tvgp__sample_step(size_t n, const double *t, double *work) {
    size_t steps = 0;
    memcpy(work, t, n * sizeof *work);
    sort(n, work);
    for (size_t i = 0; i + 1 < n; i++)
        if (work[i + 1] > work[i])
            work[steps++] = work[i + 1] - work[i];
    sort(steps, work);
    return steps ? 0.5 * (work[steps / 2] + work[(steps - 1) / 2]) : 1;
}
