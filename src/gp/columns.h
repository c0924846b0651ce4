/* SPDX-License-Identifier: MIT */
/* R = sum_i D_i g_i g_i' as explicit columns, one per live observation, in a ring: the order of the terms does not matter to
 * the sum, so a slot is reused in place and a wrapped ring is two calls of dgemv. */
#ifndef TVGP__GP_COLUMNS_H
#define TVGP__GP_COLUMNS_H

#include "base/context.h"

/* What is known about the observation of one column. */
typedef struct tvgp__columns_record {
    size_t arm;
    double t, y, noise;
    double s, e;                  /* innovation variance and innovation */
    double evidence, information; /* its share of log_evidence and log_det_ratio */
} tvgp__columns_record;

typedef struct tvgp__columns {
    tvgp_ctx *ctx;
    size_t n;                      /* arms */
    tvgp__columns_record *records; /* `slots` of them; the k-th oldest is at (first + k) % slots */
    size_t first, count, slots;
    size_t faded;  /* the oldest `faded` records have D below round-off: they no longer count in R */
    double *G;     /* n x slots, column-major; NULL when only records are kept */
    double *h;     /* slots: workspace */
    double *decay; /* slots: D of each record, m^2 accumulated since; beside the records because every step multiplies all */
} tvgp__columns;

void tvgp__columns_free(tvgp__columns *c);

/* Room for `more` records and, with_g, their columns. NOMEM, LIMIT; unchanged. */
tvgp_status tvgp__columns_reserve(tvgp__columns *c, size_t more, int with_g);

size_t tvgp__columns_slot(const tvgp__columns *c, size_t k);
tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k);
double tvgp__columns_weight(const tvgp__columns *c, size_t k); /* D of the k-th oldest */

/* p -= R[:, arm]. */
void tvgp__columns_subtract(const tvgp__columns *c, size_t arm, double *p);

/* Multiplies every D by m2. A term with D below 2^-53 no longer counts in R, but its share of the mean is sqrt(D):
 * predictions off the arms and late answers need it until that is at round-off too, so records are dropped below 2^-106. */
void tvgp__columns_decay(tvgp__columns *c, double m2);

void tvgp__columns_clear(tvgp__columns *c);

#endif
