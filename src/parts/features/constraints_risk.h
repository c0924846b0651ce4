/* SPDX-License-Identifier: MIT */
/* Risks of actions at a time (parts/features/constraints.h). */
#ifndef TVGP__PARTS_FEATURES_CONSTRAINTS_RISK_H
#define TVGP__PARTS_FEATURES_CONSTRAINTS_RISK_H

#include "parts/features/constraints.h"

/* Room for what is computed of n actions, for all constraints; none of the new actions is declared safe. NOMEM. */
tvgp_status tvgp__constraints_risk_room(tvgp_ctx *, tvgp__constraints *, size_t n);

/* The margins are as the options say: when the policy starts. */
void tvgp__constraints_risk_start(const tvgp_policy *, tvgp__constraints *);

enum { TVGP__CONSTRAINTS_RISK_MARGIN = 6 }; /* standard deviations of margin from which on only declared actions are asked */

static inline double tvgp__constraints_risk_side(const tvgp__constraint *one) {
    return one->flags & TVGP_AT_MOST ? -1 : 1;
}

/* z - theta of an action at a limit; -infinity where the margin leaves nothing. */
double tvgp__constraints_risk_distance(const tvgp__constraint *one, double mean, double var);

/* The probability that an action breaks a limit, of which the model gives this mean and variance. */
double tvgp__constraints_risk_tail(const tvgp__constraint *one, double mean, double var);

/* The sum over all limits, at an arm of which the moments have been worked out; at most 1. */
double tvgp__constraints_risk_at(const tvgp__constraints *l, size_t arm);

/* Notes the noise that counts in addition to the variance of the mean. */
void tvgp__constraints_risk_noise(tvgp__constraint *one);

/* Noise, mean and variance of all outputs at all arms, actions or candidates at time t.
 * NOMEM, the kernels' and functions' status. */
tvgp_status tvgp__constraints_risk_moments(tvgp_policy *p, double t);

#endif
