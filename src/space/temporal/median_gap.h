/* SPDX-License-Identifier: MIT */
/* Finds the unit of time if the user set no rate, so that a policy behaves equally whether t counts seconds or days, and
 * wherever t begins. The unit is the median gap between observed times. It is computed as soon as there are two times,
 * again at each of the first FEW times and at the MANY-th, and then kept. A change by less than a hundredth is ignored.
 */
#ifndef TVGP__SPACE_TEMPORAL_MEDIAN_GAP_H
#define TVGP__SPACE_TEMPORAL_MEDIAN_GAP_H

#include "base/visit.h"

enum { TVGP__MEDIAN_GAP_FEW = 8, TVGP__MEDIAN_GAP_MANY = 64, TVGP__MEDIAN_GAP_ODD = 8 };

typedef struct tvgp__median_gap {
    double unit; /* 0: not known yet */
    size_t n;    /* times seen, each later than the one before; MANY: the unit stays */
    double time[TVGP__MEDIAN_GAP_MANY];
    int64_t odd; /* steps in a row that are a hundred times longer or shorter than the unit; beyond ODD: already reported */
} tvgp__median_gap;

/* Starts with the unit that the user gave; 0: it is to be found. */
void tvgp__median_gap_start(tvgp__median_gap *c, double unit);

/* Records the time of an ask or an outcome. Returns 1 if the unit has changed. */
int tvgp__median_gap_see(tvgp__median_gap *c, double t);
/* Takes notice of a time that is used only as long as fewer than two others are known. Returns 1 when the unit has
 * changed. */
int tvgp__median_gap_glimpse(tvgp__median_gap *c, double t);

/* Expresses a time in units; what differs from a whole number by round-off alone becomes that number. */
double tvgp__median_gap_units(double elapsed, double unit);

/* Counts unusual steps of time. Returns 1 once, at the ODD-th step in a row that is a hundred times longer or shorter than
 * the unit: the user should hear of it. */
int tvgp__median_gap_strange(tvgp__median_gap *c, double step);

void tvgp__median_gap_visit(tvgp__median_gap *c, tvgp__visit *v); /* base/visit.h */

#endif
