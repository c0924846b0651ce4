/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "stopwatch.h"

#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double stopwatch_seconds(void) {
    return seconds(CLOCK_MONOTONIC);
}

double stopwatch_processor(void) {
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
