/* SPDX-License-Identifier: MIT */
/* Means and variances of the arms at one time from a filter with a season (model/kalman/kalman_filter.h), which has S weights
 * for each feature. */
#ifndef TVGP__MODEL_KALMAN_KALMAN_SEASON_H
#define TVGP__MODEL_KALMAN_KALMAN_SEASON_H

#include "model/kalman/kalman_filters.h"

/* Sets the present of the set; it is called before the filters are moved there. */
void tvgp__kalman_season_clock(tvgp__kalman_filters *set, double t);

/* Prepares the set for tvgp__kalman_filter_arm_at and tvgp__kalman_filter_weights of f at time t. */
void tvgp__kalman_season_at(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double t);

/* Works out mean and variances of the arms at the present of the set (tvgp__kalman_season_clock). */
void tvgp__kalman_season_refresh(tvgp__kalman_filters *set, tvgp__kalman_filter *f);

/* Starts f, and gives it as its state what `from` knows of the arms at the present. One of the two has a season. `core` is a
 * free core of the kind that f needs. */
void tvgp__kalman_season_recast(tvgp__kalman_filters *set, tvgp__kalman_filter *f, const tvgp__kalman_filter *from,
                                tvgp__kalman_core *core);

/* Writes the weights h x phi of the arm looked at, as it was `age` ago, to set->then.x. It is called before the columns
 * of the filters are worked out. */
void tvgp__kalman_season_arm(tvgp__kalman_filters *set, double age);

/* Takes from the column f->c of the weights what is seen of the arm (seen_mean, seen_var), and writes the column of f
 * now, in features, to out (r). */
void tvgp__kalman_season_seen(tvgp__kalman_filters *set, tvgp__kalman_filter *f, double *out);

/* Do what tvgp__kalman_filter_arm_at and tvgp__kalman_filter_weights do, for the time of tvgp__kalman_season_at, until which the
 * weights have faded by the factor m. */
void tvgp__kalman_season_arm_at(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double m, size_t arm,
                                double *mean, double *var);
void tvgp__kalman_season_weights(const tvgp__kalman_filters *set, double m, double share, double *mean, double *S,
                                 double *cross);

#endif
