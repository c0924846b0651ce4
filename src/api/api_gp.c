/* SPDX-License-Identifier: MIT */
/* The public functions of a Gaussian process without a policy (tvgp/gp.h). */
#include "api/enter.h"
#include "base/valid_range.h"
#include "model/dense_gp.h"
#include "protocol/copies/gp_snapshot.h"
#include "space/kernel/parameter.h"
#include "tvgp.h"

#include <math.h>

tvgp_status tvgp_gp_create(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time_or_null, double noise,
                           tvgp_gp **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, space);
    TVGP__REQUIRE(ctx, out);
    TVGP__TRY(tvgp__valid_range_positive(ctx, "noise", noise, 1));
    if (time_or_null && time_or_null->dim != 1)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "the time kernel has dimension %zu, must be 1", time_or_null->dim);
    return tvgp__dense_gp_new(ctx, space, time_or_null, noise, out);
}

tvgp_status tvgp_gp_set_prior_mean(tvgp_gp *gp, double intercept, const double *slope_or_null) {
    TVGP__ENTER_OF(gp);
    TVGP__TRY(tvgp__valid_range_value(ctx, "intercept", intercept));
    if (slope_or_null)
        TVGP__TRY(tvgp__valid_range_values(ctx, "slope", gp->space->dim, slope_or_null));
    return tvgp__dense_gp_set_prior_mean(gp, intercept, slope_or_null);
}

tvgp_status tvgp_gp_add(tvgp_gp *gp, size_t n, const double *X, const double *t_or_null, const double *y,
                        const double *noise_var_or_null) {
    TVGP__ENTER_OF(gp);
    if (n == 0)
        return TVGP_OK;
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, y);
    if (!t_or_null != !gp->time)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "t is %s, but the gp has %s time kernel", t_or_null ? "given" : "NULL",
                               gp->time ? "a" : "no");
    TVGP__TRY(tvgp__kernel_check(gp->space, ctx, "X", n, X)); /* n first of all */
    TVGP__TRY(tvgp__valid_range_values(ctx, "y", n, y));
    if (gp->time)
        TVGP__TRY(tvgp__kernel_check(gp->time, ctx, "t", n, t_or_null));
    for (size_t i = 0; noise_var_or_null && i < n; i++)
        TVGP__TRY(tvgp__valid_range_positive(ctx, "noise_var", noise_var_or_null[i], 1));
    TVGP__TRY(tvgp__dense_gp_check(gp, n, X, t_or_null, 1));
    return tvgp__dense_gp_add(gp, n, X, t_or_null, y, noise_var_or_null);
}

tvgp_status tvgp_gp_drop(tvgp_gp *gp, size_t n_oldest) {
    TVGP__ENTER_OF(gp);
    if (n_oldest > gp->rows.factor.n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "n_oldest = %zu exceeds the %zu observations held", n_oldest,
                               gp->rows.factor.n);
    tvgp__dense_gp_drop(gp, n_oldest);
    return TVGP_OK;
}

static tvgp_status check_points(tvgp_gp *gp, size_t n, const double *X, double t) {
    TVGP__REQUIRE(gp->ctx, X);
    TVGP__TRY(tvgp__kernel_check(gp->space, gp->ctx, "X", n, X));
    if (gp->time)
        TVGP__TRY(tvgp__kernel_check(gp->time, gp->ctx, "t", 1, &t));
    return tvgp__dense_gp_check(gp, n, X, &t, 0);
}

static tvgp_status predict(tvgp_gp *gp, size_t n, const double *X, double t, const tvgp__predictive_values *out) {
    if (n == 0)
        return TVGP_OK;
    TVGP__TRY(check_points(gp, n, X, t));
    return tvgp__dense_gp_predict(gp, n, X, t, out);
}

tvgp_status tvgp_gp_predict(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var) {
    TVGP__ENTER_OF(gp);
    return predict(gp, n, X, t, &(tvgp__predictive_values){.mean = mean, .var = var});
}

tvgp_status tvgp_gp_predict_gradient(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *var,
                                     double *dmean, double *dvar) {
    TVGP__ENTER_OF(gp);
    return predict(gp, n, X, t, &(tvgp__predictive_values){.mean = mean, .var = var, .dmean = dmean, .dvar = dvar});
}

tvgp_status tvgp_gp_predict_covariance(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *covariance) {
    TVGP__ENTER_OF(gp);
    if (n == 0)
        return TVGP_OK;
    TVGP__REQUIRE(ctx, covariance);
    TVGP__TRY(check_points(gp, n, X, t));
    return tvgp__dense_gp_joint(gp, n, X, t, mean, covariance);
}

tvgp_status tvgp_gp_sample(tvgp_gp *gp, size_t n, const double *X, double t, size_t draws, uint64_t seed, double *out) {
    TVGP__ENTER_OF(gp);
    if (n == 0 || draws == 0)
        return TVGP_OK;
    TVGP__REQUIRE(ctx, out);
    TVGP__TRY(check_points(gp, n, X, t));
    return tvgp__dense_gp_sample(gp, n, X, t, draws, seed, out);
}

tvgp_status tvgp_gp_log_marginal_likelihood(tvgp_gp *gp, double *value) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, value);
    *value = tvgp__dense_gp_log_evidence(gp);
    return TVGP_OK;
}

tvgp_status tvgp_gp_log_marginal_likelihood_gradient(tvgp_gp *gp, double *value, double *gradient) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, value);
    TVGP__REQUIRE(ctx, gradient);
    return tvgp__dense_gp_fit_gradient(gp, value, gradient);
}

/* Bounds on each parameter of the kernels, and on the noise. */
static tvgp_status check_bounds(tvgp_ctx *ctx, const tvgp_gp *gp, const double *lower, const double *upper) {
    size_t space = tvgp__parameter_count(gp->space), time = gp->time ? tvgp__parameter_count(gp->time) : 0;
    for (size_t i = 0; i <= space + time; i++) {
        TVGP__TRY(tvgp__valid_range_positive(ctx, "lower", lower[i], 0));
        TVGP__TRY(tvgp__valid_range_positive(ctx, "upper", upper[i], 0));
        if (lower[i] > upper[i])
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "lower[%zu] = %g is above upper[%zu] = %g", i, lower[i], i, upper[i]);
    }
    for (int side = 0; side < 2; side++) {
        TVGP__TRY(tvgp__parameter_check(gp->space, side ? upper : lower));
        if (gp->time)
            TVGP__TRY(tvgp__parameter_check(gp->time, (side ? upper : lower) + space));
    }
    return TVGP_OK;
}

tvgp_status tvgp_gp_fit(tvgp_gp *gp, const double *lower_or_null, const double *upper_or_null, size_t max_evals,
                        double *log_posterior) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, log_posterior);
    if (!lower_or_null != !upper_or_null)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s is NULL, the other bounds are not", lower_or_null ? "upper" : "lower");
    if (!max_evals)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "max_evals = 0 must be >= 1");
    if (lower_or_null)
        TVGP__TRY(check_bounds(ctx, gp, lower_or_null, upper_or_null));
    return tvgp__dense_gp_fit(gp, lower_or_null, upper_or_null, tvgp__enter_count(max_evals), log_posterior);
}

tvgp_status tvgp_gp_kernels(const tvgp_gp *gp, tvgp_kernel **space, tvgp_kernel **time_or_null) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, space);
    *space = tvgp__kernel_retain(gp->space);
    if (time_or_null)
        *time_or_null = gp->time ? tvgp__kernel_retain(gp->time) : NULL;
    return TVGP_OK;
}

tvgp_status tvgp_gp_noise(const tvgp_gp *gp, double *noise, double *intercept) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, noise);
    TVGP__REQUIRE(ctx, intercept);
    *noise = gp->noise;
    *intercept = gp->intercept;
    return TVGP_OK;
}

tvgp_status tvgp_gp_information_gain(tvgp_gp *gp, double *value) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, value);
    double gain = tvgp__dense_gp_information_gain(gp);
    if (!isfinite(gain))
        return tvgp__error_set(ctx, TVGP_ERR_NUMERIC, "an observation has noise_var 0: the information gain is infinite");
    *value = gain;
    return TVGP_OK;
}

tvgp_status tvgp_gp_size(const tvgp_gp *gp, size_t *n) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, n);
    *n = gp->rows.factor.n;
    return TVGP_OK;
}

tvgp_status tvgp_gp_jitter(const tvgp_gp *gp, size_t *count) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, count);
    *count = gp->rows.factor.jitter;
    return TVGP_OK;
}

tvgp_status tvgp_gp_save(const tvgp_gp *gp, size_t capacity, void *buffer_or_null, size_t *needed) {
    TVGP__ENTER_OF(gp);
    TVGP__REQUIRE(ctx, needed);
    return tvgp__gp_snapshot_save((tvgp_gp *)gp, buffer_or_null, capacity, needed);
}

tvgp_status tvgp_gp_restore(tvgp_ctx *ctx, size_t n, const void *bytes, tvgp_gp **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, bytes);
    TVGP__REQUIRE(ctx, out);
    return tvgp__gp_snapshot_restore(ctx, bytes, n, out);
}

void tvgp_gp_destroy(tvgp_gp *gp) {
    if (gp)
        tvgp__dense_gp_free(gp);
}
