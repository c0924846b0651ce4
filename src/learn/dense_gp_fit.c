/* SPDX-License-Identifier: MIT */
/* Maximises the log marginal likelihood of a tvgp_gp over its hyperparameters, and computes its gradient. */
#include "model/dense_gp.h"

#include "base/error.h"
#include "base/memory.h"
#include "learn/hyper.h"

#include <math.h>
#include <string.h>

/* Residuals y - m, and the noise of observations that do not have the default (NaN: the default). */
static void residuals(const tvgp_gp *gp, double *y, double *noise) {
    for (size_t i = 0; i < gp->rows.factor.n; i++) {
        y[i] = gp->rows.y[i] - tvgp__dense_gp_prior_mean(gp, gp->rows.X + i * gp->space->dim);
        noise[i] = gp->rows.noise[i] == gp->noise ? NAN : gp->rows.noise[i];
    }
}

/* ---- gradient --------------------------------------------------------------------------------------------------- */

static tvgp_status gradient_with(tvgp_gp *gp, tvgp__marginal_likelihood *e, double *work, double *value, double *gradient) {
    size_t n = gp->rows.factor.n;
    const tvgp__marginal_likelihood_model model = {
        .space = gp->space, .time = gp->time, .noise = gp->noise, .form = TVGP__MARGINAL_LIKELIHOOD_KNOWN_MEAN};
    const tvgp__marginal_likelihood_data data = {.n = n, .X = gp->rows.X, .t = gp->rows.t, .y = work, .noise = work + n};
    double *by = work + 2 * n;
    tvgp__marginal_likelihood_value out;
    residuals(gp, work, work + n);
    TVGP__TRY(tvgp__marginal_likelihood_reserve(e, n));
    TVGP__TRY(tvgp__marginal_likelihood_at(e, &model, &data, &out, by));
    if (isnan(out.log_marginal_likelihood))
        return tvgp__error_set(gp->ctx, TVGP_ERR_NUMERIC, "the Gram matrix of %zu observations is not positive definite", n);
    *value = out.log_marginal_likelihood;
    memcpy(gradient, by, tvgp__marginal_likelihood_count(&model) * sizeof *gradient);
    return TVGP_OK;
}

tvgp_status tvgp__dense_gp_fit_gradient(tvgp_gp *gp, double *value, double *gradient) {
    const tvgp__marginal_likelihood_model model = {.space = gp->space, .time = gp->time};
    size_t n = gp->rows.factor.n, count = tvgp__marginal_likelihood_count(&model);
    tvgp__marginal_likelihood e = {.ctx = gp->ctx};
    double *work = NULL;
    if (!n) {
        *value = 0;
        memset(gradient, 0, count * sizeof *gradient);
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__memory_alloc(gp->ctx, 2 * n + count, sizeof *work, &work));
    tvgp_status status = gradient_with(gp, &e, work, value, gradient);
    tvgp__marginal_likelihood_free(&e);
    tvgp__memory_free(gp->ctx, work);
    return status;
}

/* ---- fit -------------------------------------------------------------------------------------------------------- */

/* A gp with these hyper-parameters and the same observations takes the place of this one. */
static tvgp_status refill(tvgp_gp *gp, tvgp_gp *fresh, const tvgp__hyper *h) {
    double *noise = NULL;
    size_t n = gp->rows.factor.n;
    TVGP__TRY(tvgp__dense_gp_set_prior_mean(fresh, gp->intercept + h->best.mean, gp->slope));
    TVGP__TRY(tvgp__memory_alloc(gp->ctx, n, sizeof *noise, &noise));
    for (size_t i = 0; i < n; i++)
        noise[i] = isnan(h->noise[i]) ? h->best.noise : gp->rows.noise[i];
    tvgp_status status = tvgp__dense_gp_add(fresh, n, gp->rows.X, gp->time ? gp->rows.t : NULL, gp->rows.y, noise);
    tvgp__memory_free(gp->ctx, noise);
    return status;
}

static tvgp_status adopt(tvgp_gp *gp, tvgp__hyper *h) {
    tvgp_kernel *space = NULL, *time = NULL;
    tvgp_gp *fresh = NULL;
    TVGP__TRY(tvgp__hyper_kernels(h, &h->best, &space, &time));
    tvgp_status status = tvgp__dense_gp_new(gp->ctx, space, time, h->best.noise, &fresh);
    tvgp__kernel_release(space);
    tvgp__kernel_release(time);
    TVGP__TRY(status);
    status = refill(gp, fresh, h);
    if (status == TVGP_OK) {
        const tvgp_gp old = *gp;
        *gp = *fresh;
        *fresh = old;
    }
    tvgp__dense_gp_free(fresh);
    return status;
}

static void show_data(const tvgp_gp *gp, tvgp__hyper *h) {
    size_t n = h->n = gp->rows.factor.n;
    memcpy(h->X, gp->rows.X, n * gp->space->dim * sizeof *h->X);
    memcpy(h->t, gp->rows.t, n * sizeof *h->t);
    residuals(gp, h->y, h->noise);
}

static tvgp_status fit_with(tvgp_gp *gp, tvgp__hyper *h, const double *lower, const double *upper, int64_t max_evals,
                            double *objective) {
    int64_t evaluations = 0;
    show_data(gp, h);
    int learnable = tvgp__hyper_look(h);
    if (!learnable && !lower)
        return tvgp__error_set(gp->ctx, TVGP_ERR_NUMERIC, "nothing can be learned from %zu observations of one value", h->n);
    if (lower)
        tvgp__hyper_bound(h, lower, upper);
    tvgp__hyper_begin(h, NULL);
    tvgp_status status = tvgp__hyper_run(h, max_evals, &evaluations);
    if (status < 0)
        return status;
    if (!isfinite(h->best.objective))
        return tvgp__error_set(gp->ctx, TVGP_ERR_NUMERIC,
                               "the marginal likelihood cannot be evaluated after %lld evaluations", (long long)evaluations);
    TVGP__TRY(adopt(gp, h));
    *objective = h->best.objective;
    return status;
}

tvgp_status tvgp__dense_gp_fit(tvgp_gp *gp, const double *lower, const double *upper, int64_t max_evals, double *objective) {
    tvgp__hyper *h = NULL;
    const tvgp__hyper_spec spec = {.space = gp->space,
                                   .time = gp->time,
                                   .window = gp->rows.factor.n,
                                   .noise = lower ? gp->noise : NAN,
                                   .tolerance = lower ? 1e-9 : 1e-6,
                                   .usual_ratio = TVGP__HYPER_USUAL_RATIO,
                                   .likelihood = lower != NULL};
    if (!gp->rows.factor.n)
        return tvgp__error_set(gp->ctx, TVGP_ERR_NUMERIC, "nothing can be learned from 0 observations");
    TVGP__TRY(tvgp__hyper_new(gp->ctx, &spec, &h));
    tvgp_status status = fit_with(gp, h, lower, upper, max_evals, objective);
    tvgp__hyper_free(h);
    return status;
}
