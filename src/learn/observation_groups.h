/* SPDX-License-Identifier: MIT */
/* Groups outcomes so that an optimisation can use more of them than it has rows. The outcomes of one arm, one interval
 * of time and one segment become one observation (learn/marginal_likelihood.h). The width of the intervals follows from
 * the last optimisation: g = noise / scale, and the rate kappa of the drift model (correlation e^(-kappa dt)). These
 * widths are tried:
 *
 *   0                            the newest `most` outcomes stay single
 *   2 step, 4 step, 8 step, ..   while kappa width <= 0.2. Outcomes are added from the newest back until observation most + 1
 *                                would begin: n outcomes give R observations. A width is refused if kappa width n / R > g,
 *                                so the function changes less within an interval than the noise of the interval's mean.
 *   all time                     if kappa = 0
 *
 * The width that includes most outcomes is used. If noise is small and change is visible, the first width is refused and
 * nothing is grouped. Intervals begin at multiples of the width after the origin, so old groups do not change while the width
 * stays, and a shift of all times changes no group.
 * Outcomes that declare their noise are grouped only with one another, by weight. A width costs one pass over the
 * outcomes, with one table look-up each.
 *
 * If nothing changes, the outcomes of one arm with noise variance v are equivalent to one observation of their mean with
 * noise v / count. Their likelihood is that of the mean times
 *   (2 pi v)^(-(count - 1) / 2) count^(-1/2) exp(-within / (2 v)). */
#ifndef TVGP__LEARN_OBSERVATION_GROUPS_H
#define TVGP__LEARN_OBSERVATION_GROUPS_H

#include "model/posterior/observations.h"

/* One observation: a group of outcomes. */
typedef struct tvgp__cell {
    size_t arm, newest; /* the arm, and the index of the group's newest outcome */
    int64_t segment;
    double t, y;     /* the means of times and values */
    double noise;    /* the noise variance of y if the outcomes declared theirs; otherwise NaN */
    double count;    /* number of outcomes */
    double within;   /* the sum of their squares about y */
    double interval; /* floor((t - origin) / width) */
    int assumed;     /* of assumed outcomes, which share no group with measured ones */
} tvgp__cell;

/* All observations of a fit. */
typedef struct tvgp__observation_groups {
    tvgp_ctx *ctx;
    tvgp__cell *list; /* n, in the order of their newest outcomes */
    size_t n, most;   /* most: of a fit */
    size_t room;      /* of list, at least `most` */
    size_t answers;   /* number of outcomes in them */
    double width;     /* 0: each is a single outcome */
    double origin;    /* the time of the first outcome of all */
    double step;      /* the median positive time step of the newest `most` outcomes; 1 if there is none */
    uint32_t *table;  /* finds a cell by arm, interval and segment: its index + 1, or 0 */
    size_t slots;     /* of the table, a power of 2 */
    int measured;     /* assumed outcomes are left out */
    double *times;    /* workspace: 2 x most */
} tvgp__observation_groups;

/* Allocates room for n = `most` observations, after which `put` allocates nothing. NOMEM. */
tvgp_status tvgp__observation_groups_reserve(tvgp__observation_groups *c, size_t most);
/* Allocates room for n = `cells` groups, more than an optimisation uses. The content of the list stays. NOMEM. */
tvgp_status tvgp__observation_groups_room(tvgp__observation_groups *c, size_t cells);
void tvgp__observation_groups_free(tvgp__observation_groups *c);

/* Groups the newest of n outcomes. `segment` has the segment of each, `rate` is kappa and `ratio` g. With a rate of NaN
 * nothing is known yet and the outcomes stay single. */
void tvgp__observation_groups_put(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers,
                                  const int64_t *segment, double rate, double ratio);

/* Groups all outcomes of one arm in one segment, for a static function. Outcomes that declare their noise stay single.
 * Returns 0 and leaves the list empty if there are more groups than room. */
int tvgp__observation_groups_pool(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers,
                                  const int64_t *segment);

/* Returns the log likelihood of a group's outcomes, with noise variance v each, minus the log likelihood of their mean. */
double tvgp__observation_groups_apart(const tvgp__cell *cell, double v);

/* Orders cells by their times. */
void tvgp__observation_groups_sort(tvgp__observation_groups *c);

#endif
