/* SPDX-License-Identifier: MIT */
/* The reduction of the prior covariance by observations, R = sum_i D_i g_i g_i', as one explicit column per live
 * observation in order of time. A column keeps its address while the ring of pointers changes. D_i = scale weight_i, so
 * a step of time is one product.
 *
 * An arm observed before starts from its own last column. If it was observed at time s with noise v and innovation
 * variance S, its posterior column was g v / sqrt(S), and at time t
 *   P[:,x] = D (v / sqrt(S)) g + (kappa_t - D kappa_s) K[:,x] - sum over later records k of D_k g_k g_k[x]
 * Only columns added since then are read.
 *
 * If the drift model is static (all D = 1), the order of the records is free. An arm observed again then moves to the
 * newest place by one Givens rotation for each record between, and its record absorbs the observation: one column per
 * arm. */
#ifndef TVGP__GP_COLUMNS_H
#define TVGP__GP_COLUMNS_H

#include "base/shard.h"
#include "gp/innovation.h"
#include "gp/predictive.h"
#include "linalg/lincomb.h"
#include "temporal/drift.h"

/* Where arms are shared, each rank holds the entries of a column at its own arms, and behind them a few at arms of other
 * ranks: the tail. Every step changes the tail as it changes the column, so that many steps which read entries at others'
 * arms need to talk to the other ranks only once, when the tails are fetched. */
enum { TVGP__COLUMNS_TAIL = 64 };

/* What is known about the observation of one column. */
typedef struct tvgp__columns_record {
    tvgp__innovation seen;
    double noise;  /* v */
    double weight; /* 1 / scale when it was new */
} tvgp__columns_record;

typedef struct tvgp__columns {
    tvgp_ctx *ctx;
    tvgp__shard *shard;            /* the arms are shared; or NULL */
    size_t n;                      /* arms */
    size_t tail;                   /* entries behind the arms: 0 unless they are shared */
    tvgp__columns_record *records; /* `slots` of them; the k-th oldest is at (first + k) % slots */
    double **g;                    /* and its column; free slots may hold columns for reuse */
    size_t first, count, slots;
    size_t faded;              /* number of oldest records whose D is below round-off; R excludes them */
    double scale;              /* m^2 accumulated since it was last 1 */
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

/* Give what belongs to the k-th oldest observation: its record, its column g, and the weight D with which g g' counts in
 * R = sum_k D_k g_k g_k', by which the prior covariance is reduced (D = m^2 accumulated since then). */
tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k);
double *tvgp__columns_g(const tvgp__columns *c, size_t k);
double tvgp__columns_decay(const tvgp__columns *c, size_t k);

/* Gives the memory into which the caller writes the next column; there must be room (tvgp__columns_reserve). */
double *tvgp__columns_next(const tvgp__columns *c);
/* Inserts that column and its record before the k-th oldest (k = count: as the newest). */
void tvgp__columns_insert(tvgp__columns *c, size_t k, const tvgp__innovation *seen, double noise, double decay);

/* Drops the oldest record; the memory of its column will hold the next one. */
void tvgp__columns_drop_oldest(tvgp__columns *c);
/* Drops all but the newest `keep`, with their memory. */
void tvgp__columns_trim(tvgp__columns *c, size_t keep);

/* Finds, among the `keep` oldest records, the newest one of this arm that has a column (an arm known exactly has none);
 * `keep` when there is none. */
size_t tvgp__columns_find(const tvgp__columns *c, size_t keep, size_t arm);

/* Counts the records with a time of at most t, for delayed feedback; SIZE_MAX if more than `limit` are later. */
size_t tvgp__columns_made_by(const tvgp__columns *c, size_t limit, double t);

/* Reads the entries at one arm of the columns from .. to - 1, and of column `also` unless that is SIZE_MAX. What is
 * returned is valid until the next call on c. On shared arms all ranks call it together. */
const double *tvgp__columns_row(const tvgp__columns *c, size_t from, size_t to, size_t arm, size_t also);

/* On shared arms: fetches from the other ranks, for each of the columns from .. to - 1, its entries at the arms that the
 * records from .. to - 1 observed, and writes them behind the column (its tail, TVGP__COLUMNS_TAIL); also those of h,
 * another column, unless it is NULL. All ranks call it together. */
void tvgp__columns_fetch(const tvgp__columns *c, size_t from, size_t to, double *h);
/* Says how many records from k on are fetched at once. */
size_t tvgp__columns_chunk(const tvgp__columns *c, size_t k);

/* Reads the entry of the newest column at its own arm, after tvgp__columns_raise. */
double tvgp__columns_own(const tvgp__columns *c);

/* Writes into p the posterior column of the arm of record k, as it was just after that observation, times `decay`. The
 * column is a multiple of g; returns the factor. */
double tvgp__columns_after(const tvgp__columns *c, size_t k, double decay, double *p);

/* Writes into p the posterior covariance of one arm with all arms, P[:, arm], as it was at time t after the `keep`
 * oldest observations. factor: D at time t divided by D now. row: the kernel's row of the arm; it is not read if the
 * drift model is static and the arm was observed, because that observation's column contains it. On shared arms, returns
 * the entry of p at the arm, whose prior variance is `prior`; otherwise returns NaN. On shared arms all ranks call it
 * together. */
double tvgp__columns_column(const tvgp__columns *c, const tvgp__drift *law, size_t keep, double t, double factor, size_t arm,
                            double prior, const double *row, double *p);

/* Carries a late observation, whose column / sqrt(s) at its own time t is in->h, past the records from k on to the present
 * `now` (gp/innovation.h). */
void tvgp__columns_carry(tvgp__columns *c, const tvgp__drift *law, size_t k, double t, double now, tvgp__insertion *in);

/* Makes record k the newest one. Requires a static drift model. */
void tvgp__columns_raise(tvgp__columns *c, size_t k);
/* Then puts one more observation of that arm, with variance and innovation of *seen and this noise, into the newest
 * record. */
void tvgp__columns_join(tvgp__columns *c, const tvgp__innovation *seen, double noise);

/* Multiplies every D by m2. A term with D below 2^-53 no longer counts in R, but its share of the mean is sqrt(D).
 * Predictions off the arms and delayed feedback need it until that is below round-off too, so records are dropped below
 * 2^-106. */
void tvgp__columns_move(tvgp__columns *c, double m2);

void tvgp__columns_clear(tvgp__columns *c);

/* The posterior at the time of now as rows of observations; points are those of the arms. The factor of K + Sigma comes from
 * the columns' entries at observed arms, L_ij = sqrt(D_j / D_i) g_j[x_i], L_ii = sqrt(s_i); u = e_i / sqrt(s_i),
 * c = kappa(t_i) sqrt(D_i). All is the form's own. NOMEM. */
tvgp_status tvgp__columns_form(const tvgp__columns *c, const tvgp__drift *law, const tvgp_kernel *kernel,
                               const double *points, tvgp__predictive *out);

#endif
