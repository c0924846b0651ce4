/* SPDX-License-Identifier: MIT */
/** @file
 * Kernels (covariance functions).
 *
 * Throughout, r^2 = sum_d ((x_d - x'_d) / l_d)^2. An array of lengthscales has one entry, shared by all coordinates,
 * or `dim` entries. Lengthscales, variances, alpha and periods are within 1e-100 .. 1e100.
 *
 * Kernels never change, are reference counted, and may be shared by policies of one context. Constructors write *out
 * on success only; release the result with tvgp_kernel_destroy. Errors of every constructor:
 * - TVGP_ERR_ARG: a pointer is NULL, or a value is out of its bounds.
 * - TVGP_ERR_DIM: dim is 0, or an array has neither 1 nor dim entries.
 * - TVGP_ERR_NONFINITE: a number is NaN or infinite.
 * - TVGP_ERR_LIMIT: a number is out of range; or kernels are nested more than 64 deep or have more than 65,536 parts.
 * - TVGP_ERR_NOMEM: no memory.
 */
#ifndef TVGP_KERNEL_H
#define TVGP_KERNEL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a squared exponential kernel: variance exp(-r^2 / 2).
 *
 * @param ctx            The context.
 * @param dim            Number of coordinates.
 * @param variance       Variance k(x, x).
 * @param n_lengthscale  1 or dim.
 * @param lengthscale    Lengthscales (n_lengthscale), in units of the coordinates.
 * @param[out] out       The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_se(tvgp_ctx *ctx, size_t dim, double variance, size_t n_lengthscale,
                                    const double *lengthscale, tvgp_kernel **out);

/** Creates a Matern kernel (Rasmussen and Williams 2006, eq. 4.17).
 *
 * With a = sqrt(2 nu) r it is variance e^-a for nu = 0.5, variance (1 + a) e^-a for 1.5, and
 * variance (1 + a + a^2/3) e^-a for 2.5.
 *
 * @param ctx            The context.
 * @param dim            Number of coordinates.
 * @param nu             0.5, 1.5 or 2.5; otherwise TVGP_ERR_ARG.
 * @param variance       Variance k(x, x).
 * @param n_lengthscale  1 or dim.
 * @param lengthscale    Lengthscales (n_lengthscale), in units of the coordinates.
 * @param[out] out       The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_matern(tvgp_ctx *ctx, size_t dim, double nu, double variance, size_t n_lengthscale,
                                        const double *lengthscale, tvgp_kernel **out);

/** Creates a rational quadratic kernel: variance (1 + r^2 / (2 alpha))^-alpha (Rasmussen and Williams 2006, eq. 4.19).
 *
 * @param ctx            The context.
 * @param dim            Number of coordinates.
 * @param alpha          Shape, > 0. For large alpha the kernel tends to the squared exponential one.
 * @param variance       Variance k(x, x).
 * @param n_lengthscale  1 or dim.
 * @param lengthscale    Lengthscales (n_lengthscale), in units of the coordinates.
 * @param[out] out       The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_rational_quadratic(tvgp_ctx *ctx, size_t dim, double alpha, double variance,
                                                    size_t n_lengthscale, const double *lengthscale, tvgp_kernel **out);

/** Creates a periodic kernel: variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / period_d) / l_d^2) (Rasmussen and Williams
 * 2006, eq. 4.31). In one dimension it also serves as a kernel over time.
 *
 * @param ctx            The context.
 * @param dim            Number of coordinates.
 * @param variance       Variance k(x, x).
 * @param n_lengthscale  1 or dim.
 * @param lengthscale    Lengthscales (n_lengthscale), relative to a period: a small one allows fast change within it.
 * @param n_period       1 or dim.
 * @param period         Periods (n_period), in units of the coordinates.
 * @param[out] out       The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_periodic(tvgp_ctx *ctx, size_t dim, double variance, size_t n_lengthscale,
                                          const double *lengthscale, size_t n_period, const double *period,
                                          tvgp_kernel **out);

/** Creates a linear kernel: bias + variance sum_d x_d x'_d / l_d^2.
 *
 * @param ctx            The context.
 * @param dim            Number of coordinates.
 * @param variance       Variance of the slopes.
 * @param n_lengthscale  1 or dim.
 * @param lengthscale    Lengthscales (n_lengthscale), in units of the coordinates.
 * @param bias           Variance of the intercept, >= 0.
 * @param[out] out       The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_linear(tvgp_ctx *ctx, size_t dim, double variance, size_t n_lengthscale,
                                        const double *lengthscale, double bias, tvgp_kernel **out);

/** Creates a kernel from a covariance matrix between arms. Its points are arm indices (dim 1), for
 * tvgp_domain_indices.
 *
 * @param ctx       The context.
 * @param n_arms    Number of arms.
 * @param K         Covariances, n_arms x n_arms, row-major, copied.
 * @param[out] out  The new kernel.
 * @retval TVGP_ERR_NUMERIC  K is not symmetric to 1e-10 of its largest diagonal entry, or its smallest eigenvalue is
 *                           below -1e-9 of that entry.
 * @return otherwise TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_table(tvgp_ctx *ctx, size_t n_arms, const double *K, tvgp_kernel **out);

/** Creates the sum of two kernels, which it keeps alive.
 *
 * @param ctx       The context.
 * @param a         A kernel.
 * @param b         A kernel of the same dimension; otherwise TVGP_ERR_DIM.
 * @param[out] out  The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_sum(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);

/** Creates the product of two kernels, which it keeps alive.
 *
 * @param ctx       The context.
 * @param a         A kernel.
 * @param b         A kernel of the same dimension; otherwise TVGP_ERR_DIM.
 * @param[out] out  The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_product(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);

/** Applies a kernel to some coordinates of longer points. Sums and products of slices combine, for instance, a kernel
 * over the action with one over the hour.
 *
 * @param ctx       The context.
 * @param dim       Number of coordinates of a point.
 * @param first     First coordinate that `inner` sees; it sees as many as its dimension.
 * @param inner     A kernel, kept alive.
 * @param[out] out  The new kernel.
 * @retval TVGP_ERR_DIM    Coordinates first .. first + dimension of inner - 1 are not all in 0 .. dim - 1.
 * @retval TVGP_ERR_LIMIT  inner has more than 512 dimensions.
 * @return otherwise TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_slice(tvgp_ctx *ctx, size_t dim, size_t first, const tvgp_kernel *inner, tvgp_kernel **out);

/** Creates a kernel over one categorical coordinate: `variance` if two values are equal, variance times correlation
 * otherwise.
 *
 * @param ctx          The context.
 * @param variance     Variance k(x, x).
 * @param correlation  Correlation of different categories, in [0, 1]. 0: independent arms.
 * @param[out] out     The new kernel.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_categorical(tvgp_ctx *ctx, double variance, double correlation, tvgp_kernel **out);

/** Creates the temporal kernel of tv-gp-ucb: (1 - epsilon)^(|t - t'| / 2) (Bogunovic, Scarlett, Cevher 2016).
 *
 * @param ctx       The context.
 * @param epsilon   Rate of change per unit of time, in [0, 1).
 * @param[out] out  The new kernel, of dimension 1.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_forgetting(tvgp_ctx *ctx, double epsilon, tvgp_kernel **out);

/** Creates the temporal kernel of a Wiener process: 1 + rate (min(t, t') - origin), for times >= origin.
 *
 * @param ctx       The context.
 * @param rate      Growth of the variance per unit of time, >= 0.
 * @param origin    Time at which the variance is 1.
 * @param[out] out  The new kernel, of dimension 1.
 * @return TVGP_OK, or an error of every constructor.
 */
TVGP_API tvgp_status tvgp_kernel_wiener(tvgp_ctx *ctx, double rate, double origin, tvgp_kernel **out);

/** Computes K[i, j] = k(X_i, Z_j). Nothing is written on error.
 *
 * @param kernel  A kernel over dim coordinates.
 * @param n       Number of points in X.
 * @param X       Points, n x dim, row-major.
 * @param m       Number of points in Z.
 * @param Z       Points, m x dim, row-major.
 * @param[out] K  Covariances, n x m, row-major.
 * @retval TVGP_ERR_ARG        The kernel is not defined at a point, for instance at an index that is no arm.
 * @retval TVGP_ERR_NONFINITE  A coordinate is NaN or infinite.
 * @retval TVGP_ERR_LIMIT      A number is out of range.
 */
TVGP_API tvgp_status tvgp_kernel_gram(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                      double *K);

/** @name Kernel parameters
 *
 * Parameters are what hyperparameter optimisation changes. Their names are `variance`, `lengthscale.0` .. (a single
 * one if it is shared by all coordinates), `alpha`, `period.0` .., `bias`, `correlation`, `epsilon` and `rate`; in a
 * sum or product `a.variance`, `b.a.variance`, at most 63 characters (outer prefixes are dropped beyond). All are
 * positive. A bias, correlation, epsilon or rate of 0 is not listed and stays 0. The optimiser moves the coordinate
 * u = log value; for epsilon (TVGP_PARAM_EPSILON) u = log(-log(1 - epsilon) / 2).
 * @{ */

/** Kinds of parameters (tvgp_param_info.kind). */
enum {
    TVGP_PARAM_VARIANCE = 0,    /**< A variance. */
    TVGP_PARAM_LENGTHSCALE = 1, /**< A lengthscale. */
    TVGP_PARAM_SHAPE = 2,       /**< alpha, bias or correlation. */
    TVGP_PARAM_PERIOD = 3,      /**< A period. */
    TVGP_PARAM_RATE = 4         /**< epsilon or rate. */
};

/** Flags of parameters (tvgp_param_info.flags). */
enum {
    TVGP_PARAM_EPSILON = 1, /**< The coordinate of the optimiser is log(-log(1 - value) / 2). */
    TVGP_PARAM_SCALES = 2   /**< The parameter multiplies the whole kernel. */
};

/** One parameter of a kernel. 64 bytes. */
typedef struct tvgp_param_info {
    const char *name;   /**< Name, valid as long as the kernel. */
    double value;       /**< Its value. */
    double lower;       /**< Smallest value that tvgp_kernel_with_params accepts. */
    double upper;       /**< Largest value that tvgp_kernel_with_params accepts. */
    int32_t kind;       /**< TVGP_PARAM_VARIANCE to TVGP_PARAM_RATE. */
    uint32_t flags;     /**< TVGP_PARAM_EPSILON and TVGP_PARAM_SCALES, or'ed. */
    double reserved[3]; /**< 0. */
} tvgp_param_info;

/** Gives the number of parameters.
 *
 * @param kernel  A kernel.
 * @param[out] n  The number; 0 if nothing can be optimised (a table).
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_kernel_param_count(const tvgp_kernel *kernel, size_t *n);

/** Gives parameter i.
 *
 * @param kernel     A kernel.
 * @param i          A parameter, 0 .. count - 1.
 * @param[out] info  The parameter; unchanged on error.
 * @retval TVGP_ERR_ARG  i is too large.
 */
TVGP_API tvgp_status tvgp_kernel_param_info(const tvgp_kernel *kernel, size_t i, tvgp_param_info *info);

/** Creates a kernel of the same form with other parameter values.
 *
 * @param kernel          A kernel; not changed.
 * @param values_or_null  One value for each parameter; NULL: the values of the kernel.
 * @param[out] out        The new kernel.
 * @retval TVGP_ERR_ARG        A value is outside the bounds of its parameter.
 * @retval TVGP_ERR_NONFINITE  A value is NaN or infinite.
 */
TVGP_API tvgp_status tvgp_kernel_with_params(const tvgp_kernel *kernel, const double *values_or_null, tvgp_kernel **out);

/** Computes gradient[p] = sum_ij W[i, j] dk(X_i, Z_j) / du_p, the derivative of a weighted sum of covariances by the
 * coordinate u_p of every parameter. Nothing is written on error.
 *
 * A kernel without analytic derivatives is differenced numerically, with steps of 1e-4 in u.
 *
 * @param kernel         A kernel over dim coordinates.
 * @param n              Number of points in X.
 * @param X              Points, n x dim, row-major.
 * @param m              Number of points in Z.
 * @param Z              Points, m x dim, row-major.
 * @param W              Weights, n x m, row-major.
 * @param[out] gradient  One entry for each parameter.
 * @retval TVGP_ERR_ARG          The kernel is not defined at a point.
 * @retval TVGP_ERR_NONFINITE    A number is NaN or infinite.
 * @retval TVGP_ERR_LIMIT        A number is out of range.
 * @retval TVGP_ERR_UNSUPPORTED  The kernel has no parameters.
 */
TVGP_API tvgp_status tvgp_kernel_param_gradient(const tvgp_kernel *kernel, size_t n, const double *X, size_t m,
                                                const double *Z, const double *W, double *gradient);
/** @} */

/** Gives the number of coordinates of the kernel's points.
 *
 * @param kernel    A kernel.
 * @param[out] dim  The number of coordinates.
 * @retval TVGP_ERR_ARG  A pointer is NULL.
 */
TVGP_API tvgp_status tvgp_kernel_dim(const tvgp_kernel *kernel, size_t *dim);

/** Releases the caller's reference to a kernel.
 *
 * @param kernel  A kernel, or NULL (no effect).
 */
TVGP_API void tvgp_kernel_destroy(tvgp_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
