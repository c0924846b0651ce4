/* SPDX-License-Identifier: MIT */
/* Lets a fit see more answers than it can hold rows: those to one arm within one cell of time and one segment become one
 * observation (fit/evidence.h). How wide a cell may be follows from what the fit before has found: g = noise / scale, and the
 * rate kappa (correlation e^(-kappa dt)).
 *
 *   width 0: the newest `most` answers singly
 *   width = 2 step, 4 step, 8 step, ..  while kappa width <= 0.2: from the newest answer back, until the most + 1st observation would
 *       begin: n answers in R observations. No further where kappa width n / R > g: what the function moves within a cell stays
 *       below the noise of the cell's mean. The width that takes in most answers is the one.
 *   kappa = 0: all time is one cell
 *
 * Where noise is small and change is seen the first width is refused, and nothing is put together. Cells begin at multiples of the
 * width, so that old ones do not change while it stays. Answers with noise of their own are put together with such alone, by weight. A
 * width is one pass over the answers, with one look into a table each. */
#ifndef TVGP__FIT_CELLS_H
#define TVGP__FIT_CELLS_H

#include "fit/log.h"

typedef struct tvgp__cell {
    size_t arm, place; /* place: of its newest answer among those given */
    int64_t segment;
    double t, y;     /* means */
    double noise;    /* of y, where its answers said theirs; otherwise NaN */
    double count;    /* answers */
    double within;   /* their squares about y */
    double interval; /* floor(t / width) */
} tvgp__cell;

typedef struct tvgp__cells {
    tvgp_ctx *ctx;
    tvgp__cell *list; /* n of at most `most`, in the order of their newest answers */
    size_t n, most;
    size_t answers; /* in them */
    double width,
        step; /* width: 0 single answers; step: median positive time step of the newest `most`, 1 when there is none */
    uint32_t *table; /* of `slots`, a power of 2: cells by arm, interval, segment; 0: none, otherwise index + 1 */
    size_t slots;
    double *times; /* 2 x most */
} tvgp__cells;

/* Makes room for so many observations, after which `put` allocates nothing. NOMEM. */
tvgp_status tvgp__cells_reserve(tvgp__cells *c, size_t most);
void tvgp__cells_free(tvgp__cells *c);

/* Puts the newest of n answers together; segment: n. rate NaN: nothing is known yet, they stay single. */
void tvgp__cells_put(tvgp__cells *c, size_t n, const tvgp__record *answers, const int64_t *segment, double rate,
                     double ratio);

/* Orders cells by their times. */
void tvgp__cells_sort(tvgp__cells *c);

#endif
