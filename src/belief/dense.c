/* SPDX-License-Identifier: MIT */
#include "belief/dense.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__dense_new(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time, double noise, tvgp_gp **out) {
    tvgp_gp *gp = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *gp, &gp));
    gp->ctx = tvgp__context_retain(ctx);
    gp->space = tvgp__kernel_retain(space);
    gp->time = time ? tvgp__kernel_retain(time) : NULL;
    gp->noise = noise;
    gp->factor.ctx = ctx;
    *out = gp;
    return TVGP_OK;
}

static void free_arrays(tvgp_ctx *ctx, double *X, double *t, double *work) {
    tvgp__memory_free(ctx, X);
    tvgp__memory_free(ctx, t); /* t, y, v, z are one block */
    tvgp__memory_free(ctx, work);
}

void tvgp__dense_free(tvgp_gp *gp) {
    tvgp_ctx *ctx = gp->ctx;
    tvgp__kernel_release(gp->space);
    tvgp__kernel_release(gp->time);
    tvgp__chol_free(&gp->factor);
    tvgp__memory_free(ctx, gp->slope);
    free_arrays(ctx, gp->X, gp->t, gp->work);
    tvgp__memory_free(ctx, gp);
    tvgp__context_release(ctx);
}

static tvgp_status reserve(tvgp_gp *gp, size_t n) {
    TVGP__TRY(tvgp__chol_reserve(&gp->factor, n));
    if (n <= gp->capacity)
        return TVGP_OK;
    size_t capacity = gp->factor.capacity, held = gp->factor.n, dim = gp->space->dim;
    double *X = NULL, *t = NULL, *work = NULL;
    tvgp_status status = tvgp__memory_alloc(gp->ctx, capacity, dim * sizeof *X, &X);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(gp->ctx, 4 * capacity, sizeof *t, &t);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(gp->ctx, 2 * capacity, sizeof *work, &work);
    if (status < 0) {
        free_arrays(gp->ctx, X, t, work);
        return status;
    }
    const double *from[] = {gp->t, gp->y, gp->v, gp->z};
    for (size_t i = 0; held && i < 4; i++)
        memcpy(t + i * capacity, from[i], held * sizeof *t);
    if (held)
        memcpy(X, gp->X, held * dim * sizeof *X);
    free_arrays(gp->ctx, gp->X, gp->t, gp->work);
    gp->X = X;
    gp->t = t;
    gp->y = t + capacity;
    gp->v = t + 2 * capacity;
    gp->z = t + 3 * capacity;
    gp->work = work;
    gp->capacity = capacity;
    return TVGP_OK;
}

static double affine(double intercept, const double *slope, size_t dim, const double *x) {
    double mean = intercept;
    for (size_t d = 0; slope && d < dim; d++)
        mean += slope[d] * x[d];
    return mean;
}

double tvgp__dense_prior_mean(const tvgp_gp *gp, const double *x) {
    return affine(gp->intercept, gp->slope, gp->space->dim, x);
}

tvgp_status tvgp__dense_set_mean(tvgp_gp *gp, double intercept, const double *slope) {
    double *copy = NULL;
    for (size_t i = 0; i < gp->factor.n; i++)
        TVGP__TRY(tvgp__range_value(gp->ctx, "the mean at an observed point",
                                    affine(intercept, slope, gp->space->dim, gp->X + i * gp->space->dim)));
    if (slope) {
        TVGP__TRY(tvgp__memory_alloc(gp->ctx, gp->space->dim, sizeof *copy, &copy));
        memcpy(copy, slope, gp->space->dim * sizeof *copy);
    }
    tvgp__memory_free(gp->ctx, gp->slope);
    gp->slope = copy;
    gp->intercept = intercept;
    for (size_t i = 0; i < gp->factor.n; i++)
        gp->z[i] = gp->y[i] - tvgp__dense_prior_mean(gp, gp->X + i * gp->space->dim);
    tvgp__chol_solve(&gp->factor, TVGP__NO_TRANS, 1, gp->z, gp->capacity);
    return TVGP_OK;
}

/* k((x, t), (x, t)) */
static tvgp_status prior_variance(const tvgp_gp *gp, const double *x, double t, double *variance) {
    double factor = 1;
    TVGP__TRY(tvgp__kernel_diag(gp->space, 1, x, variance));
    if (gp->time)
        TVGP__TRY(tvgp__kernel_diag(gp->time, 1, &t, &factor));
    *variance *= factor;
    return TVGP_OK;
}

tvgp_status tvgp__dense_check(const tvgp_gp *gp, size_t n, const double *X, const double *t, size_t step) {
    for (size_t i = 0; i < n; i++) {
        const double *x = X + i * gp->space->dim;
        double variance;
        TVGP__TRY(prior_variance(gp, x, t ? t[i * step] : 0, &variance));
        TVGP__TRY(tvgp__range_value(gp->ctx, "the mean at a point of X", tvgp__dense_prior_mean(gp, x)));
        TVGP__TRY(tvgp__range_value(gp->ctx, "the prior variance at a point of X", variance));
    }
    return TVGP_OK;
}

static tvgp_status append(tvgp_gp *gp, const double *x, double t, double y, double noise) {
    size_t n = gp->factor.n, dim = gp->space->dim;
    double *k = gp->work, *decay = gp->work + gp->capacity, variance;
    TVGP__TRY(prior_variance(gp, x, t, &variance));
    TVGP__TRY(tvgp__kernel_block(gp->space, 1, x, n, gp->X, k, n));
    if (gp->time) {
        TVGP__TRY(tvgp__kernel_block(gp->time, 1, &t, n, gp->t, decay, n));
        for (size_t i = 0; i < n; i++)
            k[i] *= decay[i];
    }
    TVGP__TRY(tvgp__chol_append(&gp->factor, k, variance, noise));
    double pivot = gp->factor.L[n * gp->factor.capacity + n];
    memcpy(gp->X + n * dim, x, dim * sizeof *x);
    gp->t[n] = t;
    gp->y[n] = y;
    gp->v[n] = noise;
    gp->z[n] = (y - tvgp__dense_prior_mean(gp, x) - tvgp__blas_dot(n, k, gp->z)) / pivot;
    return TVGP_OK;
}

/* ---- many at once ----------------------------------------------------------------------------------------------- */

enum { MANY = 16, PANEL = 64 }; /* observations from which they are factorised together; columns filled at a time */

/* K[i * ld + j] = k of observation i of n and j of m. */
static tvgp_status covariances(tvgp_gp *gp, size_t n, const double *X, const double *t, size_t m, const double *Z,
                               const double *s, double *K) {
    size_t ld = gp->factor.capacity;
    TVGP__TRY(tvgp__kernel_block(gp->space, n, X, m, Z, K, ld));
    for (size_t i = 0; gp->time && i < n; i++) {
        TVGP__TRY(tvgp__kernel_block(gp->time, 1, t + i, m, s, gp->work, m));
        for (size_t j = 0; j < m; j++)
            K[i * ld + j] *= gp->work[j];
    }
    return TVGP_OK;
}

/* The rows of n new observations as covariances, in their places; variance: n. */
static tvgp_status fill_rows(tvgp_gp *gp, size_t n, const double *X, const double *t, const double *noise,
                             double *variance) {
    size_t held = gp->factor.n, ld = gp->factor.capacity, dim = gp->space->dim;
    double *rows = gp->factor.L + held;
    TVGP__TRY(covariances(gp, held, gp->X, gp->t, n, X, t, rows));
    for (size_t from = 0; from < n; from += PANEL) {
        const double *x = X + from * dim, *s = t ? t + from : NULL;
        size_t width = n - from < PANEL ? n - from : PANEL;
        TVGP__TRY(covariances(gp, width, x, s, n - from, x, s, rows + (held + from) * ld + from));
    }
    for (size_t i = 0; i < n; i++) {
        TVGP__TRY(prior_variance(gp, X + i * dim, t ? t[i] : 0, variance + i));
        rows[(held + i) * ld + i] = variance[i] + (noise ? noise[i] : gp->noise);
    }
    return TVGP_OK;
}

/* *done: not where a pivot would need jitter, which rows one by one say best. There is room. */
static tvgp_status append_many(tvgp_gp *gp, size_t n, const double *X, const double *t, const double *y, const double *noise,
                               int *done) {
    size_t held = gp->factor.n, ld = gp->factor.capacity, dim = gp->space->dim;
    double *z = gp->z + held, *variance = gp->work + gp->capacity;
    TVGP__TRY(fill_rows(gp, n, X, t, noise, variance));
    *done = tvgp__chol_extend(&gp->factor, n, variance);
    if (!*done)
        return TVGP_OK;
    memcpy(gp->X + held * dim, X, n * dim * sizeof *X);
    for (size_t i = 0; i < n; i++) {
        gp->t[held + i] = t ? t[i] : 0;
        gp->y[held + i] = y[i];
        gp->v[held + i] = noise ? noise[i] : gp->noise;
        z[i] = y[i] - tvgp__dense_prior_mean(gp, X + i * dim);
    }
    tvgp__blas_gemv(TVGP__NO_TRANS, n, held, -1, gp->factor.L + held, ld, gp->z, 1, z);
    tvgp__blas_trsv(TVGP__NO_TRANS, n, gp->factor.L + held * (ld + 1), ld, z);
    return TVGP_OK;
}

tvgp_status tvgp__dense_add(tvgp_gp *gp, size_t n, const double *X, const double *t, const double *y, const double *noise) {
    size_t before = gp->factor.n, jitter = gp->factor.jitter, dim = gp->space->dim;
    int done = 0;
    TVGP__TRY(reserve(gp, before + n));
    if (n >= MANY)
        TVGP__TRY(append_many(gp, n, X, t, y, noise, &done));
    for (size_t i = 0; !done && i < n; i++) {
        tvgp_status status = append(gp, X + i * dim, t ? t[i] : 0, y[i], noise ? noise[i] : gp->noise);
        if (status < 0) { /* rows beyond n are not looked at: taking the batch back is a matter of counting */
            gp->factor.n = before;
            gp->factor.jitter = jitter;
            return status;
        }
    }
    return TVGP_OK;
}

void tvgp__dense_drop(tvgp_gp *gp, size_t n_oldest) {
    size_t dim = gp->space->dim;
    for (size_t k = 0; k < n_oldest; k++) {
        size_t n = gp->factor.n;
        double *c = gp->work, *s = gp->work + gp->capacity;
        tvgp__chol_delete(&gp->factor, 0, c, s);
        tvgp__chol_carry(n, 0, c, s, 1, gp->z, 1);
    }
    size_t left = gp->factor.n;
    if (!left) /* nor need there be arrays */
        return;
    memmove(gp->X, gp->X + n_oldest * dim, left * dim * sizeof *gp->X);
    memmove(gp->t, gp->t + n_oldest, left * sizeof *gp->t);
    memmove(gp->y, gp->y + n_oldest, left * sizeof *gp->y);
    memmove(gp->v, gp->v + n_oldest, left * sizeof *gp->v);
}

/* At time t; c lies in gp->work. */
static tvgp_status form_at(tvgp_gp *gp, double t, tvgp__form *out) {
    *out = tvgp__form_of(gp->ctx, gp->space, gp->factor.n, gp->X, gp->factor.L, gp->factor.capacity, gp->z);
    if (!gp->time)
        return TVGP_OK;
    out->c = gp->work;
    if (gp->factor.n)
        TVGP__TRY(tvgp__kernel_block(gp->time, 1, &t, gp->factor.n, gp->t, gp->work, gp->factor.n));
    return tvgp__kernel_diag(gp->time, 1, &t, &out->kappa);
}

tvgp_status tvgp__dense_predict(tvgp_gp *gp, size_t n, const double *X, double t, const tvgp__form_values *out) {
    size_t dim = gp->space->dim;
    tvgp__form form;
    TVGP__TRY(form_at(gp, t, &form));
    TVGP__TRY(tvgp__form_predict(&form, n, X, out));
    for (size_t i = 0; out->mean && i < n; i++)
        out->mean[i] += tvgp__dense_prior_mean(gp, X + i * dim);
    for (size_t i = 0; out->dmean && gp->slope && i < n * dim; i++)
        out->dmean[i] += gp->slope[i % dim];
    return TVGP_OK;
}

double tvgp__dense_log_evidence(const tvgp_gp *gp) {
    size_t n = gp->factor.n;
    return n ? tvgp__chol_log_density(n, gp->z, tvgp__chol_log_det(&gp->factor)) : 0;
}

double tvgp__dense_information_gain(const tvgp_gp *gp) {
    double sum = tvgp__chol_log_det(&gp->factor);
    for (size_t i = 0; i < gp->factor.n; i++)
        sum -= log(gp->v[i]);
    return 0.5 * sum;
}
