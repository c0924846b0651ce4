/* SPDX-License-Identifier: MIT */
/** @file
 * Learning a prior for new runs from many earlier runs over the same arms (docs/guide/fleets.md).
 */
#ifndef TVGP_FLEET_H
#define TVGP_FLEET_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Estimates the mean and covariance over the arms, and the noise variance, that best explain several runs.
 *
 * Each run has its own function f ~ N(mean, kernel). The estimate is by expectation maximisation (Dempster, Laird,
 * Rubin 1977; for priors of bandits Wang, Dahl, Swersky et al. 2024). That a policy chose the arms causes no bias if
 * a run contains all observations that the policy received (Rubin 1976).
 *
 * Pass `mean` to tvgp_policy_set_prior_mean, `kernel` to tvgp_policy_create, and `noise` to the option of that name. The
 * kernel is defined at the arms only; a prediction elsewhere is TVGP_ERR_ARG. Arms with equal coordinates count as
 * one. An iteration takes about d^3 multiply-adds for each run of d different arms (epsilon > 0: of d rows) and
 * 4 n_arms^3; the memory is 7 arrays of n_arms^2 doubles. Nothing is written on error.
 *
 * @param ctx             The context.
 * @param domain          A finite domain.
 * @param n_runs          Number of runs, at least 1.
 * @param first           First row of each run (n_runs), ascending from 0. Run i has the rows first[i] .. first[i + 1] - 1,
 *                        the last run all remaining ones. A run may be empty.
 * @param n               Number of rows, at least 1.
 * @param arm             Arm of each row (n).
 * @param t_or_null       Time of each row (n); not read if epsilon is 0.
 * @param y               Value of each row (n).
 * @param kernel_or_null  Prior covariance for arms that no run played; NULL: the default kernel of policies, scaled by the
 *                        variance of y.
 * @param strength        Weight of that prior, in runs, >= 0; 3 is a good start. 0: none.
 * @param epsilon         Rate of change within a run, per unit of t, as the option epsilon of tv-gp-ucb; in [0, 1).
 * @param max_iterations  Number of iterations. 0: until a run gains less than 0.001 nats, at most 1000.
 * @param[out] mean       Mean of each arm (n_arms).
 * @param[out] kernel     Covariance between the arms; release it with tvgp_kernel_destroy.
 * @param[out] noise      Noise variance.
 * @retval TVGP_ERR_ARG          n_runs or n is 0; first descends, exceeds n or does not begin with 0; an arm is out of range;
 *                               epsilon, or strength is out of bounds; or kernel_or_null is NULL and contexts
 *                               are categorical.
 * @retval TVGP_ERR_DIM          The kernel and the domain have different dimensions.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        More than 4096 arms, or as many different arms (epsilon > 0: rows) in a run; or the variance of
 *                               y or of the kernel is outside 1e-100 .. 1e100.
 * @retval TVGP_ERR_UNSUPPORTED  The domain is a box, has measured contexts, or its arms are shared.
 * @retval TVGP_ERR_NUMERIC      A covariance is singular.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_prior_learn(tvgp_ctx *ctx, const tvgp_domain *domain, size_t n_runs, const size_t *first, size_t n,
                                      const int64_t *arm, const double *t_or_null, const double *y,
                                      const tvgp_kernel *kernel_or_null, double strength, double epsilon,
                                      size_t max_iterations, double *mean, tvgp_kernel **kernel, double *noise);

#ifdef __cplusplus
}
#endif
#endif
