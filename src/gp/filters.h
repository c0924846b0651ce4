/* SPDX-License-Identifier: MIT */
/* A set of filters: its memory, and the columns of all of them at once. */
#ifndef TVGP__GP_FILTERS_H
#define TVGP__GP_FILTERS_H

#include "gp/filter.h"

/* Room for `count` filters of at most `states` states, none started. means[p] may be NULL: zero. */
tvgp_status tvgp__filters_new(tvgp_ctx *ctx, size_t priors, const tvgp_kernel *const *kernels, const double *const *means,
                              size_t n, const double *X, double noise, size_t count, size_t states, tvgp__filters *out);

void tvgp__filters_free(tvgp__filters *set);

/* Columns of the filters at an arm as it was `age` ago, in f->c and f->g, for condition. With age > 0 the observation counts
 * as one of the present, E[f_(now - age) | state now] = h'(f, u), blurred by the rest of the prior variance. */
void tvgp__filters_columns(tvgp__filters *set, size_t n, tvgp__filter *const *f, size_t arm, double age);

#endif
