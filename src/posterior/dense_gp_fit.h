/* SPDX-License-Identifier: MIT */
/* Log marginal likelihood, its gradient, and hyperparameter optimisation of a tvgp_gp. */
#ifndef TVGP__POSTERIOR_DENSE_GP_FIT_H
#define TVGP__POSTERIOR_DENSE_GP_FIT_H

#include "posterior/dense_gp.h"

/* As the public functions say; lower and upper are both given or both NULL. */
tvgp_status tvgp__dense_gp_fit_gradient(tvgp_gp *gp, double *value, double *gradient);
tvgp_status tvgp__dense_gp_fit(tvgp_gp *gp, const double *lower, const double *upper, int64_t max_evals, double *objective);

#endif
