/* SPDX-License-Identifier: MIT */
/* What many short runs over the same arms teach the next one: a mean and a covariance over the arms
 * (docs/guide/fleets.md). */
#ifndef TVGP_FLEET_H
#define TVGP_FLEET_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Learns the mean and the covariance over the arms of a domain, and the noise, that explain n_runs
 * runs best: what a new device, cell or user may believe after the logs of others. Each run has a
 * function of its own with f ~ N(mean, kernel); by expectation maximisation (Dempster, Laird, Rubin
 * 1977; for priors of bandits Wang, Dahl, Swersky et al. 2024). That a policy chose what was asked
 * is no bias as long as all that it was told is in the run (Rubin 1976).
 *
 * Run i has the rows first[i] .. first[i + 1] - 1 of arm, t and y (n entries each), in any order,
 * and the last run all that are left; first has n_runs entries and begins with 0. A run may be
 * empty. epsilon: rate of change within a run, per unit of t, as the option epsilon of tv-gp-ucb;
 * at 0 t_or_null is not read. kernel_or_null: what is believed of arms nobody played, with the
 * weight of `strength` runs (3 is a good start; 0: nothing); NULL: what policies start from that
 * are told no kernel, scaled by the variance of y. max_iterations 0: until a run gains less than
 * .001 nats, at most 1000.
 *
 * mean (n_arms doubles, the caller's) is for tvgp_policy_set_mean, *kernel (an owned handle) for
 * tvgp_policy_create, *noise for the option noise. The kernel is known at the arms alone:
 * predictions elsewhere are ARG. An arm with the coordinates of an earlier one is that arm. An
 * iteration takes about d^3 multiply-adds for every run of d different arms (epsilon > 0: of d
 * rows), and 4 n_arms^3; the memory is 7 arrays of n_arms^2 doubles.
 *
 * Errors: ARG (NULL, n_runs or n = 0, `first` falls, goes beyond n or does not begin with 0, an arm
 * out of range, epsilon outside [0, 1), strength < 0, max_iterations < 0; no kernel where contexts
 * of names leave none to guess), DIM (the kernel's is not the domain's), NONFINITE, LIMIT (more
 * than 4096 arms, or of a run different arms, with epsilon > 0 rows; y whose variance or kernel
 * leaves 1e-100 .. 1e100), UNSUPPORTED (a box, measured contexts, shared arms), NUMERIC,
 * INTERRUPTED, NOMEM, and as the kernel fails; nothing is written then. */
TVGP_API tvgp_status tvgp_prior_learn(tvgp_ctx *ctx, const tvgp_domain *domain, size_t n_runs, const size_t *first, size_t n,
                                      const int64_t *arm, const double *t_or_null, const double *y,
                                      const tvgp_kernel *kernel_or_null, double strength, double epsilon,
                                      int64_t max_iterations, double *mean, tvgp_kernel **kernel, double *noise);

#ifdef __cplusplus
}
#endif
#endif
