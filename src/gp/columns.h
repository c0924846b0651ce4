/* SPDX-License-Identifier: MIT */
/* What observations took from the prior covariance, R = sum_i D_i g_i g_i', as explicit columns, one per live observation, in
 * order of time. A column stays where it is in
 * memory while the ring of pointers to the columns changes; D_i = scale weight_i, so that a step of time is one product.
 *
 * An arm observed before starts from its own last column. Observed at time s with noise v and variance S of the innovation,
 * its posterior column was g v / sqrt(S), so that at time t
 *   P[:,x] = D (v / sqrt(S)) g + (kappa_t - D kappa_s) K[:,x] - sum over the records k after it of D_k g_k g_k[x]:
 * bandits play the same arms again, and only the columns made since are read.
 *
 * When nothing moves (all D = 1) the order of the records is free. Then an arm observed again is raised to the newest place,
 * past each record between by one Givens rotation of the two columns (and of the innovations over their deviations), and
 * takes the new observation in: one column for each arm, however often it is observed. */
#ifndef TVGP__GP_COLUMNS_H
#define TVGP__GP_COLUMNS_H

#include "base/shard.h"
#include "gp/form.h"
#include "gp/innovation.h"
#include "law/law.h"
#include "linalg/lincomb.h"

/* Of shared arms a column is followed by a few of its entries at arms of other ranks: its tail, which is changed with it by the
 * same steps on every rank. A run of steps that read one column at the arm of another fetches the tails once. */
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
    size_t faded;              /* the oldest `faded` records have D below round-off: they no longer count in R */
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

/* Give the k-th oldest record, its column g and its weight D. */
tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k);
double *tvgp__columns_g(const tvgp__columns *c, size_t k);
double tvgp__columns_decay(const tvgp__columns *c, size_t k);

/* Says where the caller writes the next column, for which there must be room. */
double *tvgp__columns_next(const tvgp__columns *c);
/* Takes it in, with its record, before the k-th oldest. */
void tvgp__columns_insert(tvgp__columns *c, size_t k, const tvgp__innovation *seen, double noise, double decay);

/* Drops the oldest record; its column becomes the next one. */
void tvgp__columns_drop_oldest(tvgp__columns *c);
/* Drops all but the newest `keep`, with their memory. */
void tvgp__columns_trim(tvgp__columns *c, size_t keep);

/* Finds the newest of the `keep` oldest records in which the arm taught something; `keep` when there is none. */
size_t tvgp__columns_find(const tvgp__columns *c, size_t keep, size_t arm);

/* Counts the records made by time t, for a late answer; SIZE_MAX: more than `limit` were made since. */
size_t tvgp__columns_made_by(const tvgp__columns *c, size_t limit, double t);

/* Reads the entries at an arm of the columns from .. to - 1 and, unless it is none, of `also`; valid until the next call on c.
 * Collective. */
const double *tvgp__columns_row(const tvgp__columns *c, size_t from, size_t to, size_t arm, size_t also);

/* Makes the tails of columns from .. to - 1, and unless NULL of h, their entries at the arms of these records. Collective. */
void tvgp__columns_fetch(const tvgp__columns *c, size_t from, size_t to, double *h);
/* Says how many records from k on are fetched at once. */
size_t tvgp__columns_chunk(const tvgp__columns *c, size_t k);

/* Reads the entry of the newest column, which was raised, at its own arm. */
double tvgp__columns_own(const tvgp__columns *c);

/* Writes the posterior column of the arm of record k just after it, times `decay`; returns by what its g was multiplied. */
double tvgp__columns_after(const tvgp__columns *c, size_t k, double decay, double *p);

/* Makes a posterior column, P[:, arm] at time t by the `keep` oldest records, with every D `factor` times as large (as at an earlier time); row: the
 * kernel's, not read when nothing moves and the arm was observed. Of shared arms (otherwise NaN) its entry at the arm, whose
 * prior variance is `prior`. Collective. */
double tvgp__columns_column(const tvgp__columns *c, const tvgp__law *law, size_t keep, double t, double factor, size_t arm,
                            double prior, const double *row, double *p);

/* Carries in->h, a column / sqrt(s) at time t, past the records from k on to `now`. */
void tvgp__columns_carry(tvgp__columns *c, const tvgp__law *law, size_t k, double t, double now, tvgp__insertion *in);

/* Nothing moves: record k becomes the newest; then one more observation of its arm, (s, e) with this noise, joins it. */
void tvgp__columns_raise(tvgp__columns *c, size_t k);
void tvgp__columns_join(tvgp__columns *c, const tvgp__innovation *seen, double noise);

/* Multiplies every D by m2. A term with D below 2^-53 no longer counts in R, but its share of the mean is sqrt(D):
 * predictions off the arms and late answers need it until that is at round-off too, so records are dropped below 2^-106. */
void tvgp__columns_move(tvgp__columns *c, double m2);

void tvgp__columns_clear(tvgp__columns *c);

/* The posterior at the time of now as rows of observations; points are those of the arms. The factor of K + Sigma comes from
 * the columns' entries at observed arms, L_ij = sqrt(D_j / D_i) g_j[x_i], L_ii = sqrt(s_i); u = e_i / sqrt(s_i),
 * c = kappa(t_i) sqrt(D_i). All is the form's own. NOMEM. */
tvgp_status tvgp__columns_form(const tvgp__columns *c, const tvgp__law *law, const tvgp_kernel *kernel, const double *points,
                               tvgp__form *out);

#endif
