/* SPDX-License-Identifier: MIT */
/* Lets a fit see more answers than it can hold rows: the answers to one arm within one cell of time, and one segment,
 * become one observation (fit/marginal_likelihood.h). How wide a cell may be follows from what the last fit found: g = noise /
 * scale, and the rate kappa of the law (correlation e^(-kappa dt)). These widths are tried:
 *
 *   0                            the newest `most` answers stay single
 *   2 step, 4 step, 8 step, ..   while kappa width <= 0.2. Answers are taken from the newest back until observation most + 1
 *                                would begin: n answers make R observations. A width is refused where kappa width n / R > g,
 *                                so that what the function moves within a cell stays below the noise of the cell's mean.
 *   all time                     where kappa = 0
 *
 * The width that takes in most answers is used. Where noise is small and change is seen, the first width is refused and
 * nothing is put together. Cells begin at multiples of the width, so that old ones do not change while it stays. Answers
 * that say their own noise are put together with one another only, by weight. To try a width takes one pass over the
 * answers, with one look into a table for each.
 *
 * Under a law by which nothing changes the answers to one arm, with the same noise variance v, are one of their mean: its
 * noise variance is v / count, their likelihood that of the mean times
 *   (2 pi v)^(-(count - 1) / 2) count^(-1/2) exp(-within / (2 v)). */
#ifndef TVGP__FIT_OBSERVATION_GROUPS_H
#define TVGP__FIT_OBSERVATION_GROUPS_H

#include "fit/observations.h"

/* One observation made of answers. */
typedef struct tvgp__cell {
    size_t arm, place; /* the arm, and which of the answers given is its newest */
    int64_t segment;
    double t, y;     /* the means of times and values */
    double noise;    /* the noise variance of y, where the answers said theirs; otherwise NaN */
    double count;    /* how many answers it is made of */
    double within;   /* the sum of their squares about y */
    double interval; /* floor(t / width) */
} tvgp__cell;

/* All observations of a fit. */
typedef struct tvgp__observation_groups {
    tvgp_ctx *ctx;
    tvgp__cell *list; /* n, in the order of their newest answers */
    size_t n, most;   /* most: of a fit */
    size_t room;      /* of list, at least `most` */
    size_t answers;   /* how many answers are in them */
    double width;     /* 0: each is a single answer */
    double step;      /* the median positive time step of the newest `most` answers; 1 when there is none */
    uint32_t *table;  /* finds a cell by arm, interval and segment: its index + 1, or 0 */
    size_t slots;     /* of the table, a power of 2 */
    double *times;    /* workspace: 2 x most */
} tvgp__observation_groups;

/* Makes room for so many observations of a fit, after which `put` allocates nothing. NOMEM. */
tvgp_status tvgp__observation_groups_reserve(tvgp__observation_groups *c, size_t most);
/* Makes room for so many cells, more than those of a fit; what the list holds stays. NOMEM. */
tvgp_status tvgp__observation_groups_room(tvgp__observation_groups *c, size_t cells);
void tvgp__observation_groups_free(tvgp__observation_groups *c);

/* Puts the newest of n answers together; `segment` has the segment of each, `rate` is kappa and `ratio` g. With a rate
 * of NaN nothing is known yet and the answers stay single. */
void tvgp__observation_groups_put(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers,
                                  const int64_t *segment, double rate, double ratio);

/* Puts all answers to one arm together, of one segment, where nothing changes; those that say their own noise stay single.
 * 0 when there are more than there is room for: the list is then empty. */
int tvgp__observation_groups_pool(tvgp__observation_groups *c, size_t n, const tvgp__observation *answers,
                                  const int64_t *segment);

/* Gives what the log likelihood of a cell's answers, of noise variance v each, is beside that of their mean. */
double tvgp__observation_groups_apart(const tvgp__cell *cell, double v);

/* Orders cells by their times. */
void tvgp__observation_groups_sort(tvgp__observation_groups *c);

#endif
