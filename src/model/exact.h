/* SPDX-License-Identifier: MIT */
#ifndef TVGP__MODEL_EXACT_H
#define TVGP__MODEL_EXACT_H

#include "model/posterior/posterior_ops.h"
#include "space/temporal/drift.h"
#include "space/temporal/noise_age.h"

enum { TVGP__EXACT_PENDING = 32 };

typedef struct tvgp__exact_spec {
    tvgp__drift drift;
    const tvgp__noise_age *age; /* NULL: noise does not grow; otherwise the drift model is static */
    size_t limit;               /* rows; beyond it the oldest leaves; 0: none */
    /* Its log marginal likelihood is compared with another's, so it counts all observations. Each counts by its density
     * given the rows at its arrival, whatever was dropped since. */
    int compared;
    int window; /* the rows are a window, as on arms: the likelihood is of all rows that are present */
} tvgp__exact_spec;

/* A posterior without arms: observe takes points by their coordinates, `predictive` is its only face. `scale_at`: n points of the
 * box at which the prior variance is looked up, for jitter and tolerances. */
tvgp_status tvgp__exact_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__exact_spec *spec, size_t n,
                            const double *scale_at, tvgp__posterior **out);

#endif
