/* SPDX-License-Identifier: MIT */
/* Filters without arms, in the weights of a basis that grows (feature/atlas.h): of one kernel and prior mean zero. The rank is the
 * room there is for support points. Weights beyond the support have their prior, and no feature is ever other than 0 there, so
 * that a point that joins the support finds its weight and nothing has to be moved. */
#ifndef TVGP__FILTER_FILTERS_ATLAS_H
#define TVGP__FILTER_FILTERS_ATLAS_H

#include "filter/filters.h"

/* As tvgp__filters_new for rank r, where X gives the scale of the variances alone. */
tvgp_status tvgp__filters_atlas_new(tvgp_ctx *ctx, const tvgp__filters_spec *spec, size_t r, tvgp__filters *out);

/* A rank r above the present one. NOMEM: nothing has changed. */
tvgp_status tvgp__filters_atlas_grow(tvgp__filters *set, size_t r);

/* Looks at the point of n features b and of this prior variance: what columns and innovations are of from now on. */
void tvgp__filters_atlas_look(tvgp__filters *set, size_t n, const double *b, double variance, double rest);

/* Point i of the n of the support left, by these rotations: the last weight is cut off. */
void tvgp__filters_atlas_leave(tvgp__filters *set, size_t n, size_t i, const double *c, const double *s);

/* The rank, at most `most`, before tvgp__filters_visit; loading makes it that of the snapshot. */
void tvgp__filters_atlas_visit(tvgp__filters *set, size_t most, tvgp__visit *v);

#endif
