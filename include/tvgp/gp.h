/* SPDX-License-Identifier: MIT */
/** @file
 * Exact Gaussian-process regression at any point, with a Cholesky factor that grows and shrinks by rows.
 *
 * Model: y_i = f(x_i, t_i) + N(0, noise_i), f ~ GP(m, k_space(x, x') k_time(t, t')) (Rasmussen and Williams 2006,
 * ch. 2). N below is the number of observations held.
 */
#ifndef TVGP_GP_H
#define TVGP_GP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a posterior without observations.
 *
 * @param ctx           The context.
 * @param space         Kernel over points; kept alive.
 * @param time_or_null  Kernel over time (dimension 1); kept alive. NULL: the function does not change.
 * @param noise         Default noise variance, >= 0.
 * @param[out] out      The new posterior; release it with tvgp_gp_destroy.
 * @retval TVGP_ERR_ARG        noise < 0.
 * @retval TVGP_ERR_DIM        The kernel over time is not one-dimensional.
 * @retval TVGP_ERR_NONFINITE  noise is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      noise is out of range.
 */
TVGP_API tvgp_status tvgp_gp_create(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time_or_null, double noise,
                                    tvgp_gp **out);

/** Sets the prior mean m(x) = intercept + slope' x, at any time. O(N^2). The mean is unchanged on error.
 *
 * @param gp             The posterior.
 * @param intercept      Value at x = 0.
 * @param slope_or_null  Slopes (dim), copied; NULL: a constant mean.
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number, or the mean at an observed point, is out of range.
 */
TVGP_API tvgp_status tvgp_gp_set_prior_mean(tvgp_gp *gp, double intercept, const double *slope_or_null);

/** Adds n observations in order, all or none. O(N^2) each.
 *
 * A row that makes the Gram matrix numerically singular gets jitter on its diagonal: 1e-10, then 1e-8, then 1e-6 of
 * its prior variance (tvgp_gp_jitter counts these). The posterior is unchanged on error.
 *
 * @param gp                 The posterior.
 * @param n                  Number of observations.
 * @param X                  Points, n x dim, row-major.
 * @param t_or_null          Times (n); required exactly if there is a kernel over time.
 * @param y                  Values (n).
 * @param noise_var_or_null  Noise variances (n), >= 0; NULL: the default noise.
 * @retval TVGP_ERR_ARG        Times are missing or superfluous, a variance is negative, or a kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 * @retval TVGP_ERR_NUMERIC    The Gram matrix is singular with the largest jitter.
 * @retval TVGP_ERR_LIMIT      A number is out of range.
 */
TVGP_API tvgp_status tvgp_gp_add(tvgp_gp *gp, size_t n, const double *X, const double *t_or_null, const double *y,
                                 const double *noise_var_or_null);

/** Removes the oldest observations, in order of adding, by Givens rotations. O(N^2) each.
 *
 * @param gp        The posterior.
 * @param n_oldest  Number of observations to remove.
 * @retval TVGP_ERR_ARG  n_oldest exceeds the number held.
 */
TVGP_API tvgp_status tvgp_gp_drop(tvgp_gp *gp, size_t n_oldest);

/** Computes the posterior mean and latent variance at n points. O(n N^2). Results are finite and variances >= 0.
 *
 * @param gp         The posterior.
 * @param n          Number of points.
 * @param X          Points, n x dim, row-major.
 * @param t          Time; ignored without a kernel over time.
 * @param[out] mean  Means (n); may be NULL.
 * @param[out] var   Variances without noise (n); may be NULL.
 * @retval TVGP_ERR_ARG        A kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range.
 */
TVGP_API tvgp_status tvgp_gp_predict(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var);

/** Computes mean, variance and their gradients by the point. O(n N^2). Any output may be NULL.
 *
 * A kernel of your own without a gradient is differenced numerically. At an observed point the contribution of a
 * Matern 1/2 kernel, which has no derivative there, counts as 0.
 *
 * @param gp          The posterior.
 * @param n           Number of points.
 * @param X           Points, n x dim, row-major.
 * @param t           Time; ignored without a kernel over time.
 * @param[out] mean   Means (n).
 * @param[out] var    Variances without noise (n).
 * @param[out] dmean  Gradients of the mean, n x dim, row-major.
 * @param[out] dvar   Gradients of the variance, n x dim, row-major.
 * @retval TVGP_ERR_ARG          A kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The kernel is a table, whose points are indices.
 */
TVGP_API tvgp_status tvgp_gp_predict_gradient(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var,
                                              double *dmean, double *dvar);

/** Computes the joint posterior of n points: means and covariances without noise. n N^2 + n^2 N multiplications.
 *
 * @param gp               The posterior.
 * @param n                Number of points.
 * @param X                Points, n x dim, row-major.
 * @param t                Time; ignored without a kernel over time.
 * @param[out] mean        Means (n); may be NULL.
 * @param[out] covariance  Covariances, n x n, symmetric; the diagonal is >= 0.
 * @retval TVGP_ERR_ARG        A kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE  A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range.
 */
TVGP_API tvgp_status tvgp_gp_predict_covariance(tvgp_gp *gp, size_t n, const double *X, double t, double *mean,
                                                double *covariance);

/** Draws functions from the posterior, each at n points jointly (Rasmussen and Williams 2006, sec. A.2).
 *
 * The covariance is factorised with pivoting, up to a residual variance of 1e-13 of the largest prior variance. Draw k depends
 * on the seed, k and the points, not on the number of draws. n N^2 + n^2 N multiplications, n r^2 for the factor of rank r,
 * and n r for each draw. Nothing is written on error.
 *
 * @param gp        The posterior.
 * @param n         Number of points.
 * @param X         Points, n x dim, row-major.
 * @param t         Time; ignored without a kernel over time.
 * @param draws     Number of draws.
 * @param seed      Seed of the draws.
 * @param[out] out  Values without noise, draws x n, row-major.
 * @retval TVGP_ERR_ARG          A kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range, or the quota of work is exceeded.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_gp_sample(tvgp_gp *gp, size_t n, const double *X, double t, size_t draws, uint64_t seed,
                                    double *out);

/** Computes the log marginal likelihood (evidence) log p(y | X, t) = -1/2 r'(K + Sigma)^-1 r - 1/2 log det(K + Sigma)
 * - N/2 log 2 pi; 0 without observations.
 *
 * @param gp          The posterior.
 * @param[out] value  The log marginal likelihood, in nats.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_gp_log_marginal_likelihood(tvgp_gp *gp, double *value);

/** Computes the log marginal likelihood and its gradient (Rasmussen and Williams 2006, eq. 5.9).
 *
 * N^3 flops and N^2 + O(N) doubles of work space. Zeros without observations. Nothing is written on error.
 *
 * @param gp             The posterior.
 * @param[out] value     The log marginal likelihood, in nats.
 * @param[out] gradient  Derivatives by the coordinates (tvgp/kernel.h) of the parameters of the kernel over space, then
 *                       of the kernel over time, then by the log of the default noise variance.
 * @retval TVGP_ERR_NUMERIC  The covariance is not positive definite.
 */
TVGP_API tvgp_status tvgp_gp_log_marginal_likelihood_gradient(tvgp_gp *gp, double *value, double *gradient);

/** Optimises the hyperparameters on the observations held.
 *
 * Without bounds: the most probable ones under a prior around the present kernels (docs/theory/hyperparameter-learning.md); variance, noise
 * and the intercept of the mean are optimised as well, in any unit of y. With bounds: by maximum likelihood
 * within them; the prior mean stays. Afterwards the posterior has new kernels (the handles it was created from do not
 * change), the new noise as its default, and the same observations. Observations with a noise variance of their own
 * keep it. The posterior is unchanged on error.
 *
 * @param gp                  The posterior.
 * @param lower_or_null       Lower bounds, in the order of the gradient, the last of the noise variance; all > 0.
 * @param upper_or_null       Upper bounds, >= lower; NULL exactly if lower is NULL.
 * @param max_evals           Largest number of evaluations of the objective, at least 1.
 * @param[out] log_posterior  The objective reached, without the constants of the prior.
 * @retval TVGP_AGAIN            The evaluations did not suffice; the best parameters found are in use.
 * @retval TVGP_ERR_ARG          max_evals is 0, or only one bound is NULL, or a lower bound is above the upper one.
 * @retval TVGP_ERR_NONFINITE    A bound is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        More than 62 parameters, or a bound is out of range.
 * @retval TVGP_ERR_NUMERIC      Nothing can be learned from these observations.
 * @retval TVGP_ERR_INTERRUPTED  The interrupt function ended the call.
 */
TVGP_API tvgp_status tvgp_gp_fit(tvgp_gp *gp, const double *lower_or_null, const double *upper_or_null, size_t max_evals,
                                 double *log_posterior);

/** Gives the kernels in use, as new references that the caller releases with tvgp_kernel_destroy.
 *
 * @param gp                 The posterior.
 * @param[out] space         The kernel over space.
 * @param[out] time_or_null  The kernel over time, NULL if there is none; the pointer may be NULL.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_gp_kernels(const tvgp_gp *gp, tvgp_kernel **space, tvgp_kernel **time_or_null);

/** Gives the default noise variance and the intercept of the prior mean.
 *
 * @param gp              The posterior.
 * @param[out] noise      The noise variance.
 * @param[out] intercept  The intercept.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_gp_noise(const tvgp_gp *gp, double *noise, double *intercept);

/** Computes the information gain 1/2 log det(I + Sigma^-1 K) of the observations held; 0 without observations.
 *
 * @param gp          The posterior.
 * @param[out] value  The information gain, in nats.
 * @retval TVGP_ERR_NUMERIC  A noise variance is 0, so the gain is infinite.
 */
TVGP_API tvgp_status tvgp_gp_information_gain(tvgp_gp *gp, double *value);

/** Gives the number of observations held.
 *
 * @param gp      The posterior.
 * @param[out] n  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_gp_size(const tvgp_gp *gp, size_t *n);

/** Gives how often jitter was added since creation.
 *
 * @param gp          The posterior.
 * @param[out] count  The number.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_gp_jitter(const tvgp_gp *gp, size_t *count);

/** Saves the posterior with its kernels. The restored one gives the same numbers, bit for bit, with the same library on the same
 * machine. About 4 N^2 bytes. The posterior is unchanged.
 *
 * @param gp              The posterior.
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the bytes; NULL: only *needed is written.
 * @param[out] needed     Size of the snapshot, in bytes.
 * @retval TVGP_ERR_BUFFER       The buffer is too small; *needed is written.
 * @retval TVGP_ERR_UNSUPPORTED  A registered kernel without save.
 */
TVGP_API tvgp_status tvgp_gp_save(const tvgp_gp *gp, size_t capacity, void *buffer_or_null, size_t *needed);

/** Creates a posterior from the bytes that tvgp_gp_save wrote.
 *
 * @param ctx       The context.
 * @param n         Number of bytes.
 * @param bytes     The bytes (n).
 * @param[out] out  The new posterior; release it with tvgp_gp_destroy.
 * @retval TVGP_ERR_FORMAT       The bytes are no valid snapshot of a posterior; the message names section and byte.
 * @retval TVGP_ERR_VERSION      A newer format.
 * @retval TVGP_ERR_UNSUPPORTED  The type of a kernel is not registered in this context.
 * @retval TVGP_ERR_LIMIT        A quota is exceeded.
 */
TVGP_API tvgp_status tvgp_gp_restore(tvgp_ctx *ctx, size_t n, const void *bytes, tvgp_gp **out);

/** Destroys a posterior.
 *
 * @param gp  A posterior, or NULL (no effect).
 */
TVGP_API void tvgp_gp_destroy(tvgp_gp *gp);

#ifdef __cplusplus
}
#endif
#endif
