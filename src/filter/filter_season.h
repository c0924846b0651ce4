/* SPDX-License-Identifier: MIT */
/* Works out what a filter with a season (filter/filter.h), which has S weights for each feature, says of the arms at one
 * time. */
#ifndef TVGP__FILTER_FILTER_SEASON_H
#define TVGP__FILTER_FILTER_SEASON_H

#include "filter/filters.h"

/* Sets the present of the set; it is called before the filters are moved there. */
void tvgp__filter_season_clock(tvgp__filters *set, double t);

/* Prepares the set for tvgp__filter_arm_at and tvgp__filter_weights of f at time t. */
void tvgp__filter_season_at(const tvgp__filters *set, const tvgp__filter *f, double t);

/* Works out mean and variances of the arms at the present of the set (tvgp__filter_season_clock). */
void tvgp__filter_season_refresh(tvgp__filters *set, tvgp__filter *f);

/* Starts f, and gives it as its state what `from` knows of the arms at the present. One of the two has a season. `core` is a
 * free core of the kind that f needs. */
void tvgp__filter_season_recast(tvgp__filters *set, tvgp__filter *f, const tvgp__filter *from, tvgp__filter_core *core);

/* Writes the weights h x phi of the arm looked at, as it was `age` ago, to set->then.x. It is called before the columns
 * of the filters are worked out. */
void tvgp__filter_season_arm(tvgp__filters *set, double age);

/* Takes from the column f->c of the weights what is seen of the arm (seen_mean, seen_var), and writes the column of f
 * now, in features, to out (r). */
void tvgp__filter_season_seen(tvgp__filters *set, tvgp__filter *f, double *out);

/* Do what tvgp__filter_arm_at and tvgp__filter_weights do, for the time of tvgp__filter_season_at, until which the
 * weights have faded by the factor m. */
void tvgp__filter_season_arm_at(const tvgp__filters *set, const tvgp__filter *f, double m, size_t arm, double *mean,
                                double *var);
void tvgp__filter_season_weights(const tvgp__filters *set, double m, double share, double *mean, double *S, double *cross);

#endif
