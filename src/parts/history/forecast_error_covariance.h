/* SPDX-License-Identifier: MIT */
/* The covariance of the forecast errors of a model of historical data. It uses the errors E of forecasts and not the
 * residuals of a fit, because a policy predicts out of sample, where the level's error in a period is part of the
 * uncertainty.
 *
 * If 30 % is recorded: S[a, b] = mean of E_a E_b over the rows that have both, shrunk to its diagonal (Ledoit and Wolf
 * 2004, "A well-conditioned estimator for large-dimensional covariance matrices", for the target diag S):
 *     K = (1 - lambda) S + lambda diag S,  lambda = clamp(sum V / sum S^2, 0, 1) over pairs,
 *     V = (mean of E_a^2 E_b^2 - S^2) / rows,
 * with eigenvalues of at least 1e-9 of the largest. An arm with fewer than 3 errors has the median variance; an arm that was never
 * recorded has the variance of the levels in addition.
 * Otherwise, in a record of chosen arms: s2 = mean E^2 and
 *     K = s2 C + diag(t2 / (N_i t2 / s2 + 1)),
 * t2 the variance of the means of the arms, N_i the records of arm i: arms with few records are uncertain. C is the correlation
 * of the supplied kernel, or rho 11' + (1 - rho) I with rho that of neighbouring records of different arms. */
#ifndef TVGP__PARTS_HISTORY_FORECAST_ERROR_COVARIANCE_H
#define TVGP__PARTS_HISTORY_FORECAST_ERROR_COVARIANCE_H

#include "parts/history/history_table.h"

/* K (arms x arms) from the errors (n x arms, 0 where there is none) and 1 or 0 where there is one or none; correlation: arms x
 * arms, or NULL. *made 0: the errors say nothing (there are none, or all are 0), and K is not written. NOMEM, INTERRUPTED. */
tvgp_status tvgp__forecast_error_covariance(const tvgp__history_table *s, const double *E, const double *is,
                                            const double *level, const double *correlation, double *K, int *made);

#endif
