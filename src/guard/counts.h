/* SPDX-License-Identifier: MIT */
/* What outcomes that are counts (outcome.type = poisson or binomial) need in addition to their table: their noise variance differs
 * from outcome to outcome, so pending queries are assumed to have the mean of the last 32. */
#ifndef TVGP__GUARD_COUNTS_H
#define TVGP__GUARD_COUNTS_H

#include "protocol/guard.h"

extern const tvgp__guard_ops tvgp__counts_ops;

#endif
