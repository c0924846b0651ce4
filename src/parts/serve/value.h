/* SPDX-License-Identifier: MIT */
/* Off-policy estimates of a target policy's value, from logged decisions with propensities (Dudik, Langford, Li 2011;
 * Swaminathan, Joachims 2015). With weights k of the records, which sum to 1, and importance weights w:
 *   dm    sum k sum_a target(a) model(a)
 *   ips   sum k w y
 *   snips sum k w y / sum k w
 *   dr    sum k phi, phi = sum_a target(a) model(a) + w (y - model(arm))
 * Variances: ips and dr sum k^2 (phi - mean)^2 / (1 - sum k^2), with phi = w y for ips; snips sum k^2 w^2 (y - snips)^2 / (sum k w)^2.
 */
#ifndef TVGP__CHOOSE_VALUE_H
#define TVGP__CHOOSE_VALUE_H

#include "tvgp/serve.h"

/* n logged decisions, as in tvgp_off_policy_value; model may be NULL. */
typedef struct tvgp__value_log {
    size_t n, arms;
    const double *t;
    const int64_t *arm;
    const double *y, *propensity, *target, *model;
    double now, half_life;
} tvgp__value_log;

/* The errors of tvgp_off_policy_value. */
tvgp_status tvgp__value_check(tvgp_ctx *, const tvgp__value_log *);
/* Of records that were checked. */
tvgp_value_estimate tvgp__value_estimate(const tvgp__value_log *);

#endif
