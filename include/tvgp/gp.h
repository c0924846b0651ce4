/* SPDX-License-Identifier: MIT */
/* Exact Gaussian-process posterior at any point: a Cholesky factor that grows and shrinks by rows.
 * Model: y_i = f(x_i, t_i) + N(0, noise_i), f ~ GP(m, k_space(x,x') k_time(t,t')) (Rasmussen and Williams 2006, ch. 2). */
#ifndef TVGP_GP_H
#define TVGP_GP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty posterior. time NULL: the function does not change. noise >= 0 is the default noise variance.
 * Errors: ARG, DIM (the time kernel is not one-dimensional), NONFINITE, LIMIT, NOMEM. */
TVGP_API tvgp_status tvgp_gp_create(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time_or_null, double noise,
                                    tvgp_gp **out);

/* Affine prior mean m(x) = intercept + slope' x; slope has dim entries, NULL for a constant mean. May be called at any time:
 * O(n^2). Errors: ARG, NONFINITE, LIMIT (also when the mean at an observed point leaves the range), NOMEM. */
TVGP_API tvgp_status tvgp_gp_set_mean(tvgp_gp *gp, double intercept, const double *slope_or_null);

/* Adds n observations in order, all or none. X is n x dim; t has n entries and is required exactly when there is a time
 * kernel; noise_var has n entries >= 0, NULL: the default noise. O(N^2) each for N observations held. A row that makes the
 * Gram matrix numerically singular gets jitter on its diagonal: 1e-10, then 1e-8, then 1e-6 times its prior variance
 * (counted: tvgp_gp_jitter), then NUMERIC. Errors: ARG, NONFINITE, NUMERIC, LIMIT, NOMEM; state unchanged. */
TVGP_API tvgp_status tvgp_gp_add(tvgp_gp *gp, size_t n, const double *X, const double *t_or_null, const double *y,
                                 const double *noise_var_or_null);

/* Forgets the n oldest observations (in order of adding): O(N^2) each, by Givens rotations. ARG when n exceeds those held.
 */
TVGP_API tvgp_status tvgp_gp_drop(tvgp_gp *gp, size_t n_oldest);

/* Mean and latent variance at n points (n x dim) at time t (ignored without a time kernel). mean or var may be NULL.
 * Predictions are finite and variances >= 0. O(n N^2). Errors: ARG, NONFINITE, NOMEM. */
TVGP_API tvgp_status tvgp_gp_predict(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var);

/* The same with gradients by the point: dmean and dvar are n x dim, row-major. Any output may be NULL. A kernel of your own
 * is differenced. Where Matern 1/2 has no derivative (at an observed point) its share counts as 0. UNSUPPORTED for a table
 * kernel, whose points are indices; otherwise errors as tvgp_gp_predict; nothing is changed by a failure but the outputs.
 * O(n N^2). */
TVGP_API tvgp_status tvgp_gp_predict_gradient(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var,
                                              double *dmean, double *dvar);

/* log p(y | X, t): -1/2 r'(K+Sigma)^-1 r - 1/2 log det(K+Sigma) - N/2 log 2 pi; 0 without data. */
TVGP_API tvgp_status tvgp_gp_log_marginal_likelihood(tvgp_gp *gp, double *value);

/* Log evidence as above and its gradient by the coordinates of the parameters (tvgp/kernel.h): those of the kernel over space,
 * those of the time kernel, last log noise, which is of the observations whose noise variance is the default. gradient has as
 * many entries. n^3 flops for n observations, and n^2 + O(n) doubles while it runs. Zeros without data. Errors: ARG, NUMERIC
 * (not positive definite), NOMEM; writes nothing on failure. (Rasmussen and Williams 2006, eq. 5.9.) */
TVGP_API tvgp_status tvgp_gp_log_marginal_likelihood_gradient(tvgp_gp *gp, double *value, double *gradient);

/* Hyper-parameters from the observations held. Without bounds: the most probable ones under a prior around the kernels given
 * (docs/learning.md); variance, noise and the intercept of the mean are learned too, whatever the unit of y. With bounds on
 * all parameters (in the order of the gradient, last the default noise variance; 0 < lower <= upper): those of maximum
 * likelihood within them, the prior mean staying as it is. The gp then has other kernels (the handles it was made from do not
 * change), the fitted noise as its default, and the same observations; those with a noise variance that was not the default
 * keep it. At most max_evals >= 1 evaluations; AGAIN: they did not suffice, the best is in use. *log_posterior: the objective
 * there, without the constants of the prior. Errors: ARG, NONFINITE, LIMIT (more than 62 parameters), NUMERIC (nothing can be
 * learned from these observations), NOMEM; state unchanged. */
TVGP_API tvgp_status tvgp_gp_fit(tvgp_gp *gp, const double *lower_or_null, const double *upper_or_null, int64_t max_evals,
                                 double *log_posterior);

/* The kernels in use, owned handles; time_or_null may be NULL, and *time is NULL without a time kernel. Errors: ARG. */
TVGP_API tvgp_status tvgp_gp_kernels(const tvgp_gp *gp, tvgp_kernel **space, tvgp_kernel **time_or_null);

/* The default noise variance and the intercept of the mean. Errors: ARG. */
TVGP_API tvgp_status tvgp_gp_noise(const tvgp_gp *gp, double *noise, double *intercept);

/* Information gain 1/2 log det(I + Sigma^-1 K) of the observations held; 0 without data. NUMERIC when a noise is 0
 * (infinite). */
TVGP_API tvgp_status tvgp_gp_information_gain(tvgp_gp *gp, double *value);

/* Observations held; how often jitter was added since creation. */
TVGP_API tvgp_status tvgp_gp_size(const tvgp_gp *gp, size_t *n);
TVGP_API tvgp_status tvgp_gp_jitter(const tvgp_gp *gp, size_t *count);

TVGP_API void tvgp_gp_destroy(tvgp_gp *gp);

#ifdef __cplusplus
}
#endif
#endif
