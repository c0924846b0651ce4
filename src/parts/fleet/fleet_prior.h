/* SPDX-License-Identifier: MIT */
/* Learns a prior from many short runs over the same arms: mean and covariance, over the arms, of the runs' functions,
 * and the noise of the outcomes. Method: expectation maximisation (Dempster, Laird, Rubin 1977) of
 *
 *   y_i = f(a_i, t_i) + e_i,  f(., t) ~ N(m, K), a new f in each run,  cov(f(., t), f(., s)) = (1 - epsilon)^(|t - s| / 2) K,  e ~ N(0, v)
 *
 * The outcomes of a run at one arm (and, if epsilon > 0, at one time) are one cell: n of them with mean y and sum S of
 * squares about it. For the cells of a run, R_ij their correlation in time:
 *
 *   G = K[a, a] o R + v diag(1 / n)      u = G^-1 (y - m[a])
 *   log E = -1/2 (log|G| + u'(y - m[a]) + sum (log n + (n - 1) log v + S / v) + rows log 2 pi)
 *   h_a   = sum of u_i                            over all runs and their cells of arm a       dlog E / dm
 *   H_ab  = sum of R_ij (u_i u_j - (G^-1)_ij)     over the cells i of a and j of b of one run  2 dlog E / dK
 *   N     = sum over runs of 1'R^-1 1 = 1 + sum (1 - r) / (1 + r), r from each time to the next: the effective number of runs
 *
 *   m' = m + K h / N                                                    d = m' - m
 *   K' = (nu K0 + N K + K H K - N d d') / (nu + N)                      nu = strength
 *   v' = sum (S + v + v^2 / n (u_i^2 - (G^-1)_ii)) / rows
 *
 * If epsilon = 0, N is the number of runs, and with B = K[., a] G^-1 the moments of the functions given their outcomes
 * are E f = m + B (y - m[a]) and cov f = K - B K[a, .]. This is the step of EM, which cannot reduce log E plus the
 * prior's term in nu, K0. If epsilon > 0 it is a step towards the same fixed point, where h = 0 and, without the prior,
 * H = 0. The N of K' is then doubled permanently if log E falls, and for one step while K' is not positive semidefinite.
 */
#ifndef TVGP__PARTS_FLEET_FLEET_PRIOR_H
#define TVGP__PARTS_FLEET_FLEET_PRIOR_H

#include "space/kernel/kernel_ops.h"

enum { TVGP__FLEET_PRIOR_ARMS = 4096, TVGP__FLEET_PRIOR_STEPS = 1000 };

typedef struct tvgp__fleet_prior_runs { /* borrowed */
    size_t n, n_arms, rows;
    const size_t *first; /* n: run i has the rows from first[i] on, up to those of the next */
    const int64_t *arm;  /* below n_arms */
    const double *t, *y;
    double epsilon;
} tvgp__fleet_prior_runs;

typedef struct tvgp__fleet_prior_prior {
    const tvgp_kernel *kernel; /* K0 at the points X */
    const double *X;           /* n_arms x dim */
    int unit;                  /* the scale is unknown: K0 is multiplied by the variance of the outcomes */
    double strength;
} tvgp__fleet_prior_prior;

/* Runs at most `steps` steps (0: until log E of a run gains less than .001, TVGP__FLEET_PRIOR_STEPS at most). Writes the
 * mean (n_arms), the covariance (n_arms x n_arms) and the noise variance. A step costs d^3 multiply-adds for each run of
 * d cells, and 4 n_arms^3; memory is the covariance and five more arrays of n_arms^2. Errors: NOMEM, LIMIT (a run of
 * more than 4096 cells), NUMERIC (no covariance explains the runs in this arithmetic), INTERRUPTED, and the kernel's;
 * nothing is written then. */
tvgp_status tvgp__fleet_prior_learn(tvgp_ctx *ctx, const tvgp__fleet_prior_runs *runs, const tvgp__fleet_prior_prior *prior,
                                    int64_t steps, double *mean, double *K, double *noise);

#endif
