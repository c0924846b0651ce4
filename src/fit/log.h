/* SPDX-License-Identifier: MIT */
/* Observations as they were told, in order of arrival, for those who compute from them again; at most one log a policy, kept
 * by the rule its owner names. What is derived from records (columns, rows of a window) is no log. */
#ifndef TVGP__FIT_LOG_H
#define TVGP__FIT_LOG_H

#include "gp/rows.h"

typedef struct tvgp__record {
    size_t arm;
    double t, y;   /* y as it was told .. */
    double mean;   /* .. and the prior mean when it was asked for; 0 where y is relative to it already */
    double noise;  /* variance */
    int64_t step;  /* actions asked when it was asked for, 0: nobody asked */
    int64_t known; /* actions asked when it was told */
    int32_t kind;  /* of the query */
} tvgp__record;

typedef struct tvgp__log {
    tvgp_ctx *ctx;
    tvgp__record *list; /* n of them, and room */
    size_t n, slots;
    size_t dim; /* 0, or where arms have no points: theirs, n x dim, which the owner of the log writes */
    double *X;
    size_t point_slots;
} tvgp__log;

void tvgp__log_free(tvgp__log *log);

/* Room for `more` records, which add then takes. NOMEM. */
tvgp_status tvgp__log_reserve(tvgp__log *log, size_t more);
void tvgp__log_add(tvgp__log *log, const tvgp__record *record);

/* Keeps the records that are wanted; drops the oldest n. */
void tvgp__log_keep(tvgp__log *log, int (*wanted)(const void *user, const tvgp__record *), const void *user);
void tvgp__log_drop(tvgp__log *log, size_t n);

/* Its records, of arms below n; 0: there are none (base/visit.h). */
void tvgp__log_visit(tvgp__log *log, size_t n, tvgp__visit *v);

/* Gets ready to compute from the log again: adds the row of every arm in it to the set TVGP__ROWS_OBSERVED of `rows`, beside
 * what that set holds already. Fails with the kernel's status or NOMEM. */
tvgp_status tvgp__log_hold(const tvgp__log *log, tvgp__rows *rows);

#endif
