/* SPDX-License-Identifier: MIT */
/* The posterior of the public class tvgp_gp: exact, at any point (Rasmussen and Williams 2006, alg. 2.1). L L' = K +
 * Sigma and z = L^-1 (y - m) are updated by rows. Adding or dropping an observation costs n^2 flops, and so does a
 * predicted point (in blocks, one triangular solve each). */
#ifndef TVGP__MODEL_DENSE_GP_H
#define TVGP__MODEL_DENSE_GP_H

#include "model/gp/cholesky_rows.h"
#include "model/gp/predictive.h"
#include "space/kernel/kernel_ops.h"
#include "tvgp/gp.h"

struct tvgp_gp {
    tvgp_ctx *ctx;
    tvgp_kernel *space, *time; /* time may be NULL */
    double noise;              /* default */
    double intercept;
    double *slope;            /* dim, or NULL */
    tvgp__cholesky_rows rows; /* z = L^-1 (y - m(X)); turn is workspace */
};

tvgp_status tvgp__dense_gp_new(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time, double noise,
                               tvgp_gp **out);
void tvgp__dense_gp_free(tvgp_gp *gp);

/* The prior at n points within range: LIMIT where its mean or its variance leaves it. t (NULL without a time kernel): times
 * of the points, `step` apart (0: one for all). */
tvgp_status tvgp__dense_gp_check(const tvgp_gp *gp, size_t n, const double *X, const double *t, size_t step);

tvgp_status tvgp__dense_gp_set_prior_mean(tvgp_gp *gp, double intercept, const double *slope);
tvgp_status tvgp__dense_gp_add(tvgp_gp *gp, size_t n, const double *X, const double *t, const double *y,
                               const double *noise);
void tvgp__dense_gp_drop(tvgp_gp *gp, size_t n_oldest);
tvgp_status tvgp__dense_gp_predict(tvgp_gp *gp, size_t n, const double *X, double t, const tvgp__predictive_values *out);
/* mean: n, or NULL; covariance: n x n. */
tvgp_status tvgp__dense_gp_joint(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *covariance);
tvgp_status tvgp__dense_gp_sample(tvgp_gp *gp, size_t n, const double *X, double t, size_t draws, uint64_t seed,
                                  double *out);
double tvgp__dense_gp_prior_mean(const tvgp_gp *gp, const double *x);
double tvgp__dense_gp_log_evidence(const tvgp_gp *gp);
double tvgp__dense_gp_information_gain(const tvgp_gp *gp); /* infinite when a noise is 0 */

/* As the public functions say; lower and upper are both given or both NULL. */
tvgp_status tvgp__dense_gp_fit_gradient(tvgp_gp *gp, double *value, double *gradient);
tvgp_status tvgp__dense_gp_fit(tvgp_gp *gp, const double *lower, const double *upper, int64_t max_evals, double *objective);

#endif
