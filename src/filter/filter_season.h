/* SPDX-License-Identifier: MIT */
/* Filters with a season (filter/filter.h): what their weights S x r say of the arms at one time. */
#ifndef TVGP__FILTER_FILTER_SEASON_H
#define TVGP__FILTER_FILTER_SEASON_H

#include "filter/filters.h"

/* The present, before the filters are moved to it. */
void tvgp__filter_season_clock(tvgp__filters *set, double t);

/* Ahead of tvgp__filter_arm_at and tvgp__filter_weights for time t. */
void tvgp__filter_season_at(const tvgp__filters *set, const tvgp__filter *f, double t);

/* Mean and variances of the arms at the present of the set (tvgp__filter_season_clock). */
void tvgp__filter_season_refresh(tvgp__filters *set, tvgp__filter *f);

/* f starts; `core` is a free one of its own kind. What is known of `from` at the present becomes its state: of these two one
 * has a season. */
void tvgp__filter_season_recast(tvgp__filters *set, tvgp__filter *f, const tvgp__filter *from, tvgp__filter_core *core);

/* The weights h x phi of the arm looked at, as it was `age` ago, in set->then.x; ahead of the columns of all filters. */
void tvgp__filter_season_arm(tvgp__filters *set, double age);

/* From the column f->c of the weights: what is seen of the arm, and out (r), the column of f now in its features. */
void tvgp__filter_season_seen(tvgp__filters *set, tvgp__filter *f, double *out);

/* As tvgp__filter_arm_at and tvgp__filter_weights, of the time of tvgp__filter_season_at, by which the weights
 * have faded by m. */
void tvgp__filter_season_arm_at(const tvgp__filters *set, const tvgp__filter *f, double m, size_t arm, double *mean,
                                double *var);
void tvgp__filter_season_weights(const tvgp__filters *set, double m, double share, double *mean, double *S, double *cross);

#endif
