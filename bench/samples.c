/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void samples_sort(double *value, size_t n) {
    qsort(value, n, sizeof *value, compare);
}
