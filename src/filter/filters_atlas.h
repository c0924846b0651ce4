/* SPDX-License-Identifier: MIT */
/* Filters for a box: there are no arms, and the filters, of one kernel with prior mean zero, live in the weights of a
 * basis that grows (feature/atlas.h). The rank is the number of support points there is room for. Weights beyond the
 * present support have their prior, and every feature is 0 there; so when a point joins the support its weight is there
 * already. */
#ifndef TVGP__FILTER_FILTERS_ATLAS_H
#define TVGP__FILTER_FILTERS_ATLAS_H

#include "filter/filters.h"

/* Makes a set as tvgp__filters_new does, with room for r support points; the points X only say how large variances are. */
tvgp_status tvgp__filters_atlas_new(tvgp_ctx *ctx, const tvgp__filters_spec *spec, size_t r, tvgp__filters *out);

/* Makes room for r support points, more than there was. NOMEM: nothing has changed. */
tvgp_status tvgp__filters_atlas_grow(tvgp__filters *set, size_t r);

/* Looks at a point: its n features are b, its prior variance is `variance`, of which features leave `rest`. Columns and
 * innovations are of it from now on. */
void tvgp__filters_atlas_look(tvgp__filters *set, size_t n, const double *b, double variance, double rest);

/* Follows a support point that left, the i-th of n, by the rotations c, s that took it out: the last weight is cut off. */
void tvgp__filters_atlas_leave(tvgp__filters *set, size_t n, size_t i, const double *c, const double *s);

/* Saves or loads the rank, at most `most`; loading makes room for it. It is called before tvgp__filters_visit. */
void tvgp__filters_atlas_visit(tvgp__filters *set, size_t most, tvgp__visit *v);

#endif
