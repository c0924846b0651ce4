/* SPDX-License-Identifier: MIT */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stddef.h>

/* Sorts; the median is then value[n / 2]. */
void samples_sort(double *value, size_t n);

#endif
