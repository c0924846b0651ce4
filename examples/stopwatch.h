/* SPDX-License-Identifier: MIT */
#ifndef STOPWATCH_H
#define STOPWATCH_H

/* Seconds since some fixed moment, to the nanosecond; never set back. */
double stopwatch_seconds(void);

/* Seconds of the processor's time, to the nanosecond: what other programs take is left out. */
double stopwatch_processor(void);

#endif
