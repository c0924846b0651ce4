/* SPDX-License-Identifier: MIT */
/* The posterior of few arms that forget, by its covariance matrix: exact, n^2 multiply-adds a step. A delayed observation goes back to a
 * state of the past and repeats the observations after it; with more than late_limit observations since, it counts as one of the present,
 * blurred: y / m with noise (v + q k(x, x)) / m^2 for the step (m, q) since its time. */
#ifndef TVGP__MODEL_ARM_COVARIANCE_H
#define TVGP__MODEL_ARM_COVARIANCE_H

#include "model/feature/basis.h"
#include "model/posterior/posterior_ops.h"
#include "space/temporal/drift.h"

tvgp_status tvgp__arm_covariance_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__drift *drift, double noise,
                                     size_t late_limit, size_t n, const double *X, tvgp__posterior **out);

#endif
