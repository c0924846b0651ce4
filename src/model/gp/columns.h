/* SPDX-License-Identifier: MIT */
/* The reduction of the prior covariance by observations, R = sum_i g_i g_i', as one column for each observed arm. The order of
 * the records is free. An arm observed again moves to the newest place by one Givens rotation for each record between; its
 * record then takes the observation in, or gives one back. A column keeps its address while the ring of pointers changes.
 *
 * Entries of the columns at observed arms are the Cholesky factor of K + Sigma, L_ij = g_j[x_i]: no other is kept. */
#ifndef TVGP__MODEL_GP_COLUMNS_H
#define TVGP__MODEL_GP_COLUMNS_H

#include "base/shard.h"
#include "linalg/lincomb.h"
#include "model/gp/predictive.h"

/* Where arms are shared, each rank holds the entries of a column at its own arms, and behind them a few at arms of other
 * ranks: the tail. Every step changes the tail as it changes the column, so that many steps which read entries at others'
 * arms need to talk to the other ranks only once, when the tails are fetched. */
enum { TVGP__COLUMNS_TAIL = 64 };

typedef struct tvgp__innovation {
    size_t arm;
    double t, s, e; /* time; variance, infinite where the arm was known exactly already; innovation */
} tvgp__innovation;

/* What is known about the observations of one arm. */
typedef struct tvgp__columns_record {
    tvgp__innovation seen;
    double noise; /* v */
} tvgp__columns_record;

typedef struct tvgp__columns {
    tvgp_ctx *ctx;
    tvgp__shard *shard;            /* the arms are shared; or NULL */
    size_t n;                      /* arms */
    size_t tail;                   /* entries behind the arms: 0 unless they are shared */
    tvgp__columns_record *records; /* `slots` of them; the k-th oldest is at (first + k) % slots */
    double **g;                    /* and its column; free slots may hold columns for reuse */
    size_t first, count, slots;
    tvgp__lincomb_term *terms; /* slots: workspace */
    double *row;               /* slots: workspace, entries of the columns at one arm */
    double *corner;            /* shared: workspace for tails */
} tvgp__columns;

void tvgp__columns_init(tvgp__columns *c, tvgp_ctx *ctx, size_t n);
void tvgp__columns_free(tvgp__columns *c);

/* Saves records and columns (base/visit.h). */
void tvgp__columns_visit(tvgp__columns *c, tvgp__visit *v);

/* Says from the start that the arms are shared. NOMEM. */
tvgp_status tvgp__columns_share(tvgp__columns *c, tvgp__shard *shard);

/* Makes room for `more` observations. NOMEM, LIMIT; unchanged. */
tvgp_status tvgp__columns_reserve(tvgp__columns *c, size_t more);

/* Give what belongs to the k-th oldest record: itself and its column. */
tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k);
double *tvgp__columns_g(const tvgp__columns *c, size_t k);

/* Gives the memory into which the caller writes the next column; there must be room (tvgp__columns_reserve). */
double *tvgp__columns_next(const tvgp__columns *c);
/* Adds that column and its record. */
void tvgp__columns_push(tvgp__columns *c, const tvgp__innovation *seen, double noise);

/* Finds, among the `keep` oldest records, the newest one of this arm that has a column (an arm known exactly has none);
 * `keep` when there is none. */
size_t tvgp__columns_find(const tvgp__columns *c, size_t keep, size_t arm);

/* Reads the entries at one arm of the columns from .. to - 1, and of column `also` unless that is SIZE_MAX. What is
 * returned is valid until the next call on c. On shared arms all ranks call it together. */
const double *tvgp__columns_row(const tvgp__columns *c, size_t from, size_t to, size_t arm, size_t also);

/* On shared arms: fetches from the other ranks, for each of the columns from .. to - 1, its entries at the arms of these records, and
 * writes them behind the column (its tail). All ranks call it together. */
void tvgp__columns_fetch(const tvgp__columns *c, size_t from, size_t to);
/* Says how many records from k on are fetched at once. */
size_t tvgp__columns_chunk(const tvgp__columns *c, size_t k);

/* The entry of the newest column at its own arm, after tvgp__columns_raise; where it is in the column g, also of one that left. */
double tvgp__columns_own(const tvgp__columns *c);
const double *tvgp__columns_entry(const tvgp__columns *c, const double *g, size_t arm);

/* Writes into p the posterior column of the arm of record k just after it, a multiple of g; returns the factor. */
double tvgp__columns_after(const tvgp__columns *c, size_t k, double *p);

/* Writes into p the posterior covariance of one arm with all arms. row: the kernel's row of the arm, not read if it was observed. On
 * shared arms, returns the entry of p at the arm, whose prior variance is `prior`; otherwise NaN. All ranks call it together. */
double tvgp__columns_column(const tvgp__columns *c, size_t arm, double prior, const double *row, double *p);

/* Makes record k the newest one. */
void tvgp__columns_raise(tvgp__columns *c, size_t k);
/* Then puts one more observation of that arm, with variance and innovation of *seen and this noise, into the newest
 * record. */
void tvgp__columns_join(tvgp__columns *c, const tvgp__innovation *seen, double noise);
/* Or takes observations out of the newest record: those that stay have this noise together and this innovation (noise infinite: none
 * stays, and the record goes). The mean loses *gain times its column g as it was, and each variance *share times g^2. */
const double *tvgp__columns_leave(tvgp__columns *c, double noise, double e, double *gain, double *share);

void tvgp__columns_clear(tvgp__columns *c);

/* The posterior as rows of observations at the points of the arms, u = e_i / sqrt(s_i). All is the predictive's own. NOMEM. */
tvgp_status tvgp__columns_predictive(const tvgp__columns *c, const tvgp_kernel *kernel, const double *points,
                                     tvgp__predictive *out);

#endif
