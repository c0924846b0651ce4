/* SPDX-License-Identifier: MIT */
/* The unit of time where nobody told one, from the times that are seen: the median gap between the first FEW of them, as soon as
 * there are two; once more at the MANY-th; then kept. It does not change by less than a hundredth. So laws of change whose rates
 * are told for a unit do the same whatever t counts in, and wherever it begins. */
#ifndef TVGP__LAW_CLOCK_H
#define TVGP__LAW_CLOCK_H

#include "base/visit.h"

enum { TVGP__CLOCK_FEW = 8, TVGP__CLOCK_MANY = 64, TVGP__CLOCK_ODD = 8 };

typedef struct tvgp__clock {
    double unit; /* 0: not known yet */
    size_t n;    /* times seen, each later than the one before; MANY: the unit stays */
    double time[TVGP__CLOCK_MANY];
    int64_t odd; /* steps in a row a hundred times longer or shorter than the unit; beyond ODD: it was said */
} tvgp__clock;

/* 0: as it will be found. */
void tvgp__clock_start(tvgp__clock *c, double told);

/* A time that counts; one that only says something as long as two others are not known. 1 when the unit has changed. */
int tvgp__clock_see(tvgp__clock *c, double t);
int tvgp__clock_glimpse(tvgp__clock *c, double t);

/* Time in units: a whole number of them, if it is but for round-off. */
double tvgp__clock_units(double elapsed, double unit);

/* A step of time: 1, once, when it is the ODD-th in a row that is a hundred times longer or shorter than the unit. */
int tvgp__clock_strange(tvgp__clock *c, double step);

void tvgp__clock_visit(tvgp__clock *c, tvgp__visit *v); /* base/visit.h */

#endif
