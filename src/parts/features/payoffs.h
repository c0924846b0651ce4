/* SPDX-License-Identifier: MIT */
/* Payoffs of actions whose outcomes are counts: choices compare payoff x rate, and the posterior is of the rate. */
#ifndef TVGP__PARTS_FEATURES_PAYOFFS_H
#define TVGP__PARTS_FEATURES_PAYOFFS_H

#include "protocol/guard_ops.h"

/* As tvgp_policy_set_payoffs. */
tvgp_status tvgp__payoffs_set(tvgp_policy *, size_t n, const double *payoff);

extern const tvgp__guard_ops tvgp__payoffs_ops;

#endif
