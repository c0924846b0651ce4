/* SPDX-License-Identifier: MIT */
/* State of outcomes that are counts (outcome.type = poisson or binomial), in addition to their table: their noise
 * variance differs from outcome to outcome, so pending queries are assumed to have the mean of the last 32. */
#ifndef TVGP__PARTS_FEATURES_COUNTS_H
#define TVGP__PARTS_FEATURES_COUNTS_H

#include "protocol/guard_ops.h"

extern const tvgp__guard_ops tvgp__counts_ops;

#endif
