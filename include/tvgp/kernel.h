/* SPDX-License-Identifier: MIT */
/* Covariance functions. With r^2 = sum_d ((x_d - x'_d) / l_d)^2 throughout; a lengthscale array has 1 entry (shared by all
 * dimensions) or `dim` entries. Lengthscales, variances, alpha and periods are > 0 and
 * within 1e-100 .. 1e100. Common errors of the constructors: ARG (NULL, value out of bounds), DIM (dim 0, wrong array length),
 * NONFINITE, LIMIT (out of range; kernels nested more than 64 deep or of more than 65536 parts), NOMEM;
 * nothing is created on failure. */
#ifndef TVGP_KERNEL_H
#define TVGP_KERNEL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Squared exponential: variance exp(-r^2 / 2). */
TVGP_API tvgp_status tvgp_kernel_se(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale,
                                    size_t n_lengthscale, tvgp_kernel **out);

/* Matern with nu = 0.5, 1.5 or 2.5 (anything else: ARG): with a = sqrt(2 nu) r,
 * variance e^-a, variance (1 + a) e^-a, variance (1 + a + a^2/3) e^-a (Rasmussen and Williams 2006, eq. 4.17). */
TVGP_API tvgp_status tvgp_kernel_matern(tvgp_ctx *ctx, size_t dim, double nu, double variance, const double *lengthscale,
                                        size_t n_lengthscale, tvgp_kernel **out);

/* Rational quadratic: variance (1 + r^2 / (2 alpha))^-alpha (Rasmussen and Williams 2006, eq. 4.19). */
TVGP_API tvgp_status tvgp_kernel_rational_quadratic(tvgp_ctx *ctx, size_t dim, double alpha, double variance,
                                                    const double *lengthscale, size_t n_lengthscale, tvgp_kernel **out);

/* Periodic: variance exp(-2 sum_d sin^2(pi (x_d - x'_d) / period_d) / l_d^2) (Rasmussen and Williams 2006, eq. 4.31).
 * In one dimension it is a kernel over time too: a short lengthscale lets much happen within one period. */
TVGP_API tvgp_status tvgp_kernel_periodic(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale,
                                          size_t n_lengthscale, const double *period, size_t n_period, tvgp_kernel **out);

/* Linear: bias + variance sum_d x_d x'_d / l_d^2, bias >= 0. */
TVGP_API tvgp_status tvgp_kernel_linear(tvgp_ctx *ctx, size_t dim, double variance, const double *lengthscale,
                                        size_t n_lengthscale, double bias, tvgp_kernel **out);

/* A given covariance between n_arms arms, row-major n_arms x n_arms. Its points are arm indices (dim 1: use it with
 * tvgp_domain_indices). Symmetric to 1e-10 of the largest diagonal entry and positive semi-definite (smallest eigenvalue
 * above -1e-9 of the largest diagonal entry), or NUMERIC. */
TVGP_API tvgp_status tvgp_kernel_table(tvgp_ctx *ctx, size_t n_arms, const double *K, tvgp_kernel **out);

/* a + b and a * b. Both keep what they are made of alive. DIM when the dimensions differ. */
TVGP_API tvgp_status tvgp_kernel_sum(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);
TVGP_API tvgp_status tvgp_kernel_product(tvgp_ctx *ctx, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out);

/* inner on coordinates first .. first + its dimension - 1 of points with `dim` coordinates; sums and products of slices say
 * "this kernel over the arm times that one over the hour". Keeps inner alive. Errors: DIM (coordinates outside 0 .. dim - 1),
 * LIMIT (inner has more than 512 dimensions). */
TVGP_API tvgp_status tvgp_kernel_slice(tvgp_ctx *ctx, size_t dim, size_t first, const tvgp_kernel *inner, tvgp_kernel **out);

/* One coordinate, equal or not (dim 1): `variance` where two values are equal, variance times correlation where they differ,
 * correlation in [0, 1] (else ARG). 0: independent arms; above: groups that have something in common. */
TVGP_API tvgp_status tvgp_kernel_categorical(tvgp_ctx *ctx, double variance, double correlation, tvgp_kernel **out);

/* Kernels over time (dim 1). Forgetting: (1 - epsilon)^(|t - t'| / 2), epsilon in [0, 1) per unit of the user's time
 * (Bogunovic, Scarlett, Cevher 2016). Wiener: 1 + rate (min(t, t') - origin), rate >= 0, times >= origin. */
TVGP_API tvgp_status tvgp_kernel_forgetting(tvgp_ctx *ctx, double epsilon, tvgp_kernel **out);
TVGP_API tvgp_status tvgp_kernel_wiener(tvgp_ctx *ctx, double rate, double origin, tvgp_kernel **out);

/* K[i, j] = k(X_i, Z_j): X is n x dim, Z is m x dim, K is n x m, all row-major. Writes nothing on failure.
 * Errors: ARG (also a point the kernel is not defined at, such as an index that is not an arm), NONFINITE, LIMIT. */
TVGP_API tvgp_status tvgp_kernel_gram(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                      double *K);

/* ---- parameters ----
 * What can be learned about a kernel: names are `variance`, `lengthscale.0` .. (one when one was given: shared by all
 * dimensions), `alpha`, `period.0` .., `bias`, `correlation`, `epsilon`, `rate`; in a sum or product `a.variance`, `b.a.variance`, at most 63
 * characters (outer prefixes are left out beyond). Every one is positive; a bias, correlation, epsilon or rate of 0 is not listed and stays
 * 0. Learning moves the coordinate u = log value; for epsilon (TVGP_PARAM_EPSILON) u = log(-log(1 - epsilon) / 2). */
enum {
    TVGP_PARAM_VARIANCE = 0,
    TVGP_PARAM_LENGTHSCALE = 1,
    TVGP_PARAM_SHAPE = 2, /* alpha, bias, correlation */
    TVGP_PARAM_PERIOD = 3,
    TVGP_PARAM_RATE = 4 /* epsilon, rate */
};
enum {
    TVGP_PARAM_EPSILON = 1,
    TVGP_PARAM_SCALES = 2 /* multiplies the whole kernel */
};                        /* tvgp_param_info.flags */

/* One parameter. 64 bytes, frozen. */
typedef struct tvgp_param_info {
    const char *name; /* lives as long as the kernel */
    double value;
    double lower, upper; /* what tvgp_kernel_with_params takes, both included */
    int32_t kind;        /* TVGP_PARAM_VARIANCE .. TVGP_PARAM_RATE */
    uint32_t flags;      /* TVGP_PARAM_EPSILON, TVGP_PARAM_SCALES */
    double reserved[3];  /* 0 */
} tvgp_param_info;

/* How many parameters there are; 0: nothing can be learned (a table). Errors: ARG. */
TVGP_API tvgp_status tvgp_kernel_param_count(const tvgp_kernel *kernel, size_t *n);

/* Parameter i. Errors: ARG (i too large), NOMEM; *info unchanged on failure. */
TVGP_API tvgp_status tvgp_kernel_param_info(const tvgp_kernel *kernel, size_t i, tvgp_param_info *info);

/* The same family with other values, one for each parameter; NULL: its own values. The kernel itself never changes. An owned
 * handle. Errors: ARG (a value out of bounds), NONFINITE, NOMEM; nothing is created on failure. */
TVGP_API tvgp_status tvgp_kernel_with_params(const tvgp_kernel *kernel, const double *values_or_null, tvgp_kernel **out);

/* gradient[p] = sum_ij W[i, j] dk(X_i, Z_j)/du_p for every parameter: the derivative of sum_ij W[i, j] k(X_i, Z_j). X is n x
 * dim, Z is m x dim, W is n x m, all row-major. A kernel without derivatives of its own is differenced, at steps of 1e-4 of u.
 * Errors: ARG, NONFINITE, LIMIT, NOMEM, UNSUPPORTED (no parameters); writes nothing on failure. */
TVGP_API tvgp_status tvgp_kernel_param_gradient(const tvgp_kernel *kernel, size_t n, const double *X, size_t m,
                                                const double *Z, const double *W, double *gradient);

/* Dimension of the kernel's points. */
TVGP_API tvgp_status tvgp_kernel_dim(const tvgp_kernel *kernel, size_t *dim);

TVGP_API void tvgp_kernel_destroy(tvgp_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
