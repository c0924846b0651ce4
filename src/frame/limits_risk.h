/* SPDX-License-Identifier: MIT */
/* Risks of actions at a time (frame/limits.h). */
#ifndef TVGP__FRAME_LIMITS_RISK_H
#define TVGP__FRAME_LIMITS_RISK_H

#include "frame/limits.h"

enum { TVGP__LIMITS_RISK_MARGIN = 6 }; /* standard deviations of margin from which on only declared actions are asked */

static inline double tvgp__limits_risk_side(const tvgp__limit *one) {
    return one->flags & TVGP_AT_MOST ? -1 : 1;
}

/* z - theta of an action at a limit; -infinity where the margin leaves nothing. */
double tvgp__limits_risk_distance(const tvgp__limit *one, double mean, double var);

/* The probability that an action breaks a limit, of which the model gives this mean and variance. */
double tvgp__limits_risk_tail(const tvgp__limit *one, double mean, double var);

/* The sum over all limits, at an arm of which the moments have been worked out; at most 1. */
double tvgp__limits_risk_at(const tvgp__limits *l, size_t arm);

/* Notes the noise that counts beside the variance of the mean. */
void tvgp__limits_risk_noise(tvgp__limit *one);

/* Noise, mean and variance of all outputs at all arms, actions or candidates at time t. NOMEM, the kernels' and functions' status. */
tvgp_status tvgp__limits_risk_moments(tvgp_policy *p, double t);

#endif
