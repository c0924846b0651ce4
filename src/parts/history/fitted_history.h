/* SPDX-License-Identifier: MIT */
/* The model fitted to historical data: the mean of every arm at any time, the covariance of its forecast errors, and
 * sums from which the mean is recomputed as rows are added, without the data.
 *
 * For each period it holds, by phase, for every arm and for the means of rows, the sums of a profile
 * (parts/history/season_profile.h), and by phase and arm the weights of levels. For each arm it holds the sums of its
 * level and of its plain mean.
 *
 * A later period sees a row less the seasons T of the earlier periods, which the next fit changes. So weights W and sums
 * W y are kept for every combination u of phases that occurred, and the sums of a phase become, over its combinations,
 *     sum W (y - T_u) = sum W y - sum_u T_u W_u,   sum W (y - T_u)^2 = sum W y^2 - sum_u 2 T_u (W y)_u + sum_u T_u^2 W_u.
 * Rows of a combination without room are reduced by T at their arrival, and the mean of a row with blanks keeps its offsets of that
 * time. Otherwise, as with complete rows, the fit from the sums equals the fit to all rows. Values are in the standardised unit of
 * the data; the mean is reported in the caller's unit. */
#ifndef TVGP__PARTS_HISTORY_FITTED_HISTORY_H
#define TVGP__PARTS_HISTORY_FITTED_HISTORY_H

#include "base/visit.h"
#include "parts/history/model_selection.h"

enum { TVGP__FITTED_HISTORY_BYTES = 1 << 26 }; /* at most, unless the caller says less */

/* What the caller supplies in addition to the records. */
typedef struct tvgp__fitted_history_spec {
    size_t arms;
    size_t n_given; /* periods that are tried first, in units of time */
    const double *given;
    int still;                 /* no period is sought */
    const double *correlation; /* arms x arms, of a supplied kernel; NULL: none */
    double bytes;              /* at most; 0: no limit of the caller's */
} tvgp__fitted_history_spec;

/* Sums of one period. A weight is what stands here times the scale of its kind. */
typedef struct tvgp__fitted_history_season {
    tvgp__season_profile_sums *sums; /* phases x (arms + 1): of arms, then of means of rows */
    double *own, *all;               /* phases x arms: weights of levels */
    double scale;
} tvgp__fitted_history_season;

/* Of a combination of phases, one arm (or the means of rows): sum of W and of W y, less the scale of the period. */
typedef struct tvgp__fitted_history_pair {
    double n, y;
} tvgp__fitted_history_pair;

enum { TVGP__FITTED_HISTORY_COMBINATIONS = 4096, TVGP__FITTED_HISTORY_PAIR_BYTES = 1 << 24 }; /* at most */

/* The combinations that have come, of two periods or more: the phase of period k in number i stands at k slots + i, what period k
 * has of it at i (arms + 1) of its pairs. */
typedef struct tvgp__fitted_history_joint {
    size_t n, slots, newest;
    size_t *phase;
    tvgp__fitted_history_pair *pair[TVGP__PERIODS_MOST]; /* NULL for the first period */
    tvgp__season_profile_sums *sums;                     /* workspace: of the period with the most phases */
} tvgp__fitted_history_joint;

typedef struct tvgp__fitted_history {
    tvgp_ctx *ctx;
    size_t arms, records;
    int dense; /* at least 30 % of the log was recorded */
    int known; /* K says something: the log had errors to learn from */
    int unsteady; /* nothing forecast a dense log better than constant levels, and these changed (parts/history/level_changes.h) */
    tvgp__history_table_scale scale;
    double mean, sd; /* the unit */
    double error;    /* of the structure over that of constant levels, on the log */
    double longest;  /* interval at which the mean is recomputed: the period, or a tenth of the data's span */
    tvgp__structure structure;
    tvgp__period_search periods; /* those the structure uses */
    double *K;                   /* arms x arms, standardised; of errors */
    double *level, *T;           /* arms; phases x arms of each period: in the user's unit, the unit's mean in the level */
    tvgp__fitted_history_season season[TVGP__PERIODS_MOST];
    tvgp__fitted_history_joint joint;
    double *own_n, *own_q, *own_y, *own_scale; /* arms: sums of levels */
    double *plain_n, *plain_y;                 /* arms: sums of means */
    double *last;                              /* arms: newest row of each; -infinity: none */
    double all_n, all_y, all_scale;            /* of the level of all */
    double newest;                             /* row */
    double *work;
} tvgp__fitted_history;

/* Says whether this many arms fit the allowed memory, as far as that is known before the data are read. LIMIT. */
tvgp_status tvgp__fitted_history_fits(tvgp_ctx *ctx, const tvgp__fitted_history_spec *spec);

/* Learns from n >= 1 records. LIMIT (memory, rows), NOMEM, INTERRUPTED; then there is nothing to free. */
tvgp_status tvgp__fitted_history_learn(tvgp_ctx *ctx, const tvgp__fitted_history_spec *spec, size_t n,
                                       const tvgp__history_table_record *record, tvgp__fitted_history *out);
void tvgp__fitted_history_free(tvgp__fitted_history *p);

/* The mean of every arm at time t; arms additions a period. One of one arm. */
void tvgp__fitted_history_means(const tvgp__fitted_history *p, double t, double *mean);
double tvgp__fitted_history_mean(const tvgp__fitted_history *p, size_t arm, double t);

/* A complete row in the user's unit joins the sums; rows come in order. */
void tvgp__fitted_history_join(tvgp__fitted_history *p, double row, const double *y);

/* Recomputes the mean from the sums, in O(phases x arms). */
void tvgp__fitted_history_refit(tvgp__fitted_history *p);

/* The same of more arms: new ones have the level of all and the season that all share, the median variance and that of the
 * levels, and nothing in common with others. NOMEM, LIMIT. */
tvgp_status tvgp__fitted_history_extend(const tvgp__fitted_history *p, size_t arms, tvgp__fitted_history *out);

/* Visits everything, for a policy with `arms` arms. Loads into one that is zero or was learned (base/visit.h). */
void tvgp__fitted_history_visit(tvgp__fitted_history *p, tvgp_ctx *ctx, size_t arms, tvgp__visit *v);

#endif
