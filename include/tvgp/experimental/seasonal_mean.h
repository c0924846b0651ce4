/* SPDX-License-Identifier: MIT */
/** @file
 * The mean of each arm by phase of a period, estimated from a table of observations.
 *
 * Experimental: may change in any minor version.
 */
#ifndef TVGP_EXPERIMENTAL_SEASONAL_MEAN_H
#define TVGP_EXPERIMENTAL_SEASONAL_MEAN_H

#include "../types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Estimates the mean of each arm by phase of a period, for tvgp_policy_set_prior_mean or to look at a season.
 *
 * Bin b holds the times with frac(t / period) in [b, b + 1) / bins. Each mean is shrunk towards the mean of its arm,
 * the more the fewer observations its bin has (best linear predictor of a random-effects model; Searle, Casella,
 * McCulloch 1992, sec. 7.2). An arm without observations has the mean of all arms. Nothing is written on error.
 *
 * @param domain     A finite domain.
 * @param n          Number of observations, at least 1.
 * @param arm        Arm of each observation (n).
 * @param t          Time of each observation (n).
 * @param y          Value of each observation (n).
 * @param period     Period, in units of t, > 0.
 * @param bins       Number of phases, at least 1.
 * @param[out] mean  The means, bins x arms, row-major.
 * @retval TVGP_ERR_ARG        n or bins is 0, an arm is out of range, or period <= 0.
 * @retval TVGP_ERR_NONFINITE  A time, a value or the period is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range.
 */
TVGP_API tvgp_status tvgp_domain_seasonal_mean(const tvgp_domain *domain, size_t n, const int64_t *arm, const double *t,
                                               const double *y, double period, size_t bins, double *mean);

#ifdef __cplusplus
}
#endif

#endif
