/* SPDX-License-Identifier: MIT */
/* R = sum_i D_i g_i g_i' as explicit columns, one per live observation, in order of time. A column stays where it is in
 * memory while the ring of pointers to the columns changes; D_i = scale weight_i, so that a step of time is one product. */
#ifndef TVGP__GP_COLUMNS_H
#define TVGP__GP_COLUMNS_H

#include "gp/innovation.h"
#include "linalg/lincomb.h"

/* What is known about the observation of one column. */
typedef struct tvgp__columns_record {
    tvgp__innovation seen;
    double weight; /* 1 / scale when it was new */
} tvgp__columns_record;

typedef struct tvgp__columns {
    tvgp_ctx *ctx;
    size_t n;                      /* arms */
    tvgp__columns_record *records; /* `slots` of them; the k-th oldest is at (first + k) % slots */
    double **g;                    /* and its column; free slots may hold columns for reuse */
    size_t first, count, slots;
    size_t faded;              /* the oldest `faded` records have D below round-off: they no longer count in R */
    double scale;              /* m^2 accumulated since it was last 1 */
    tvgp__lincomb_term *terms; /* slots: workspace */
} tvgp__columns;

void tvgp__columns_init(tvgp__columns *c, tvgp_ctx *ctx, size_t n);
void tvgp__columns_free(tvgp__columns *c);

/* Room for `more` observations. NOMEM, LIMIT; unchanged. */
tvgp_status tvgp__columns_reserve(tvgp__columns *c, size_t more);

tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k); /* the k-th oldest */
double *tvgp__columns_g(const tvgp__columns *c, size_t k);
double tvgp__columns_decay(const tvgp__columns *c, size_t k); /* D */

/* Where the caller writes the next column, of which there must be one reserved; and its record, before the k-th oldest. */
double *tvgp__columns_next(const tvgp__columns *c);
void tvgp__columns_insert(tvgp__columns *c, size_t k, const tvgp__innovation *seen, double decay);

/* p -= R[:, arm], of the `keep` oldest records only, and with every D `factor` times as large (as at an earlier time). */
void tvgp__columns_subtract(const tvgp__columns *c, size_t keep, double factor, size_t arm, double *p);

/* Multiplies every D by m2. A term with D below 2^-53 no longer counts in R, but its share of the mean is sqrt(D):
 * predictions off the arms and late answers need it until that is at round-off too, so records are dropped below 2^-106. */
void tvgp__columns_move(tvgp__columns *c, double m2);

void tvgp__columns_clear(tvgp__columns *c);

#endif
