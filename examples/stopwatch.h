/* SPDX-License-Identifier: MIT */
#ifndef STOPWATCH_H
#define STOPWATCH_H

/* Seconds since some fixed moment, to the nanosecond; never set back. */
double stopwatch_seconds(void);

#endif
