/* SPDX-License-Identifier: MIT */
/* Counts as outcomes (options outcome.type = poisson and binomial): the Gaussian process is on z = ln rate or on z = logit rate. */
#ifndef TVGP__OUTCOME_COUNT_H
#define TVGP__OUTCOME_COUNT_H

#include "outcome/outcome.h"

extern const tvgp__outcome_ops tvgp__count_poisson, tvgp__count_binomial;

#endif
