/* SPDX-License-Identifier: MIT */
/* Evidence gradient and hyper-parameters of a tvgp_gp. */
#ifndef TVGP__BELIEF_DENSE_FIT_H
#define TVGP__BELIEF_DENSE_FIT_H

#include "belief/dense.h"

/* As the public functions say; lower and upper are both given or both NULL. */
tvgp_status tvgp__dense_fit_gradient(tvgp_gp *gp, double *value, double *gradient);
tvgp_status tvgp__dense_fit(tvgp_gp *gp, const double *lower, const double *upper, int64_t max_evals, double *objective);

#endif
