/* SPDX-License-Identifier: MIT */
/* Keeps observations as they were told, in order of arrival, for those who compute from them again. A policy has at most
 * one log, and the owner of the log says which records stay. What is derived from records (columns, rows of a window) is
 * no log. */
#ifndef TVGP__FIT_LOG_H
#define TVGP__FIT_LOG_H

#include "gp/kernel_rows.h"

/* One observation. */
typedef struct tvgp__record {
    size_t arm;
    double t, y;   /* the time, and the value as it was told */
    double mean;   /* the prior mean when it was asked for; 0 where y is relative to that already */
    double noise;  /* the variance of its noise */
    int64_t step;  /* how many actions had been asked when it was asked for; 0: nobody asked for it */
    int64_t known; /* how many actions had been asked when it was told */
    int32_t kind;  /* the kind of its query */
} tvgp__record;

/* A list of records. */
typedef struct tvgp__log {
    tvgp_ctx *ctx;
    tvgp__record *list; /* n of them, and room for `slots` */
    size_t n, slots;
    size_t dim; /* of the points, on a box; 0: there are arms */
    double *X;  /* on a box: the points of the records (n x dim), which the owner of the log writes */
    size_t point_slots;
} tvgp__log;

void tvgp__log_free(tvgp__log *log);

/* Makes room for `more` records, which add then takes. NOMEM. */
tvgp_status tvgp__log_reserve(tvgp__log *log, size_t more);
void tvgp__log_add(tvgp__log *log, const tvgp__record *record);

/* Keeps only the records that are wanted. */
void tvgp__log_keep(tvgp__log *log, int (*wanted)(const void *user, const tvgp__record *), const void *user);
/* Drops the oldest n. */
void tvgp__log_drop(tvgp__log *log, size_t n);

/* Saves or loads the records (base/visit.h), whose arms are below n; n = 0: there are no arms. */
void tvgp__log_visit(tvgp__log *log, size_t n, tvgp__visit *v);

/* Gets ready to compute from the log again: adds the row of every arm in it to the set TVGP__KERNEL_ROWS_OBSERVED of `rows`, beside
 * what that set holds already. Fails with the kernel's status or NOMEM. */
tvgp_status tvgp__log_hold(const tvgp__log *log, tvgp__kernel_rows *rows);

#endif
