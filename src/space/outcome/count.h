/* SPDX-License-Identifier: MIT */
/* Counts as outcomes (options outcome.type = poisson and binomial): the Gaussian process is on z = ln rate or on z = logit rate. */
#ifndef TVGP__SPACE_OUTCOME_COUNT_H
#define TVGP__SPACE_OUTCOME_COUNT_H

#include "space/outcome/outcome.h"

extern const tvgp__outcome_ops tvgp__count_poisson, tvgp__count_binomial;

#endif
