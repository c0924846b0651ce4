/* SPDX-License-Identifier: MIT */
/* Filters for a box. There are no arms: the filters, of one kernel with prior mean zero, are in the weights of a growing
 * basis (model/feature/inducing_points.h). The rank is the number of support points there is room for. Weights beyond the
 * present support have their prior, and every feature is 0 there. If a point joins the support, its weight therefore
 * exists already. */
#ifndef TVGP__MODEL_KALMAN_KALMAN_FILTERS_POINTS_H
#define TVGP__MODEL_KALMAN_KALMAN_FILTERS_POINTS_H

#include "model/kalman/kalman_filters.h"

/* Makes a set as tvgp__kalman_filters_new does, with room for r support points; the points X only say how large variances are. */
tvgp_status tvgp__kalman_filters_points_new(tvgp_ctx *ctx, const tvgp__kalman_filters_spec *spec, size_t r,
                                            tvgp__kalman_filters *out);

/* Makes room for r support points, more than there was. NOMEM: nothing has changed. */
tvgp_status tvgp__kalman_filters_points_grow(tvgp__kalman_filters *set, size_t r);

/* Looks at a point: its n features are b, its prior variance is `variance`, of which features leave `rest`. Columns and
 * innovations are of it from now on. */
void tvgp__kalman_filters_points_look(tvgp__kalman_filters *set, size_t n, const double *b, double variance, double rest);

/* Follows a support point that left, the i-th of n, by the rotations c, s that took it out: the last weight is cut off. */
void tvgp__kalman_filters_points_leave(tvgp__kalman_filters *set, size_t n, size_t i, const double *c, const double *s);

/* Saves or loads the rank, at most `most`; loading makes room for it. It is called before tvgp__kalman_filters_snapshot. */
void tvgp__kalman_filters_points_visit(tvgp__kalman_filters *set, size_t most, tvgp__visit *v);

#endif
