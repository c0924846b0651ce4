/* SPDX-License-Identifier: MIT */
/* Means of the arms by phase of a period, from historical data. */
#ifndef TVGP__SPACE_DOMAIN_SEASONAL_MEANS_H
#define TVGP__SPACE_DOMAIN_SEASONAL_MEANS_H

#include "space/domain/domain_ops.h"

/* mean: bins x arms. n >= 1, arms in range, numbers finite, period > 0, bins >= 1. NOMEM; nothing written. */
tvgp_status tvgp__seasonal_means(const tvgp_domain *domain, size_t n, const int64_t *arm, const double *t, const double *y,
                                 double period, size_t bins, double *mean);

#endif
