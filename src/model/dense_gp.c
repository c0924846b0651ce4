/* SPDX-License-Identifier: MIT */
/* Adds, drops, predicts and samples rows of L L' = K + Sigma with z = L^-1 (y - m) (model/dense_gp.h). */
#include "model/dense_gp.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/random_stream.h"
#include "base/quota.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/pivoted.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__dense_gp_new(tvgp_ctx *ctx, const tvgp_kernel *space, const tvgp_kernel *time, double noise,
                               tvgp_gp **out) {
    tvgp_gp *gp = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *gp, &gp));
    gp->ctx = tvgp__context_retain(ctx);
    gp->space = tvgp__kernel_retain(space);
    gp->time = time ? tvgp__kernel_retain(time) : NULL;
    gp->noise = noise;
    gp->rows = tvgp__cholesky_rows_of(ctx, space->dim);
    *out = gp;
    return TVGP_OK;
}

void tvgp__dense_gp_free(tvgp_gp *gp) {
    tvgp_ctx *ctx = gp->ctx;
    tvgp__kernel_release(gp->space);
    tvgp__kernel_release(gp->time);
    tvgp__cholesky_rows_free(&gp->rows);
    tvgp__memory_free(ctx, gp->slope);
    tvgp__memory_free(ctx, gp);
    tvgp__context_release(ctx);
}

static double affine(double intercept, const double *slope, size_t dim, const double *x) {
    double mean = intercept;
    for (size_t d = 0; slope && d < dim; d++)
        mean += slope[d] * x[d];
    return mean;
}

double tvgp__dense_gp_prior_mean(const tvgp_gp *gp, const double *x) {
    return affine(gp->intercept, gp->slope, gp->space->dim, x);
}

tvgp_status tvgp__dense_gp_set_prior_mean(tvgp_gp *gp, double intercept, const double *slope) {
    double *copy = NULL;
    for (size_t i = 0; i < gp->rows.factor.n; i++)
        TVGP__TRY(tvgp__valid_range_value(gp->ctx, "the mean at an observed point",
                                          affine(intercept, slope, gp->space->dim, gp->rows.X + i * gp->space->dim)));
    if (slope) {
        TVGP__TRY(tvgp__memory_alloc(gp->ctx, gp->space->dim, sizeof *copy, &copy));
        memcpy(copy, slope, gp->space->dim * sizeof *copy);
    }
    tvgp__memory_free(gp->ctx, gp->slope);
    gp->slope = copy;
    gp->intercept = intercept;
    for (size_t i = 0; i < gp->rows.factor.n; i++)
        gp->rows.z[i] = gp->rows.y[i] - tvgp__dense_gp_prior_mean(gp, gp->rows.X + i * gp->space->dim);
    tvgp__chol_solve(&gp->rows.factor, TVGP__NO_TRANS, 1, gp->rows.z, gp->rows.slots);
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

tvgp_status tvgp__dense_gp_check(const tvgp_gp *gp, size_t n, const double *X, const double *t, size_t step) {
    for (size_t i = 0; i < n; i++) {
        const double *x = X + i * gp->space->dim;
        double variance;
        TVGP__TRY(prior_variance(gp, x, t ? t[i * step] : 0, &variance));
        TVGP__TRY(tvgp__valid_range_value(gp->ctx, "the mean at a point of X", tvgp__dense_gp_prior_mean(gp, x)));
        TVGP__TRY(tvgp__valid_range_value(gp->ctx, "the prior variance at a point of X", variance));
    }
    return TVGP_OK;
}

static tvgp_status append(tvgp_gp *gp, const tvgp__row *row) {
    tvgp__cholesky_rows *rows = &gp->rows;
    size_t n = rows->factor.n;
    double *k = rows->turn, *decay = rows->turn + rows->slots, variance;
    TVGP__TRY(prior_variance(gp, row->x, row->t, &variance));
    TVGP__TRY(tvgp__kernel_block(gp->space, 1, row->x, n, rows->X, k, n));
    if (gp->time) {
        TVGP__TRY(tvgp__kernel_block(gp->time, 1, &row->t, n, rows->t, decay, n));
        for (size_t i = 0; i < n; i++)
            k[i] *= decay[i];
    }
    return tvgp__cholesky_rows_append(rows, row, k, variance, row->y - tvgp__dense_gp_prior_mean(gp, row->x));
}

/* Observation i of a batch. */
static tvgp__row row_at(const tvgp_gp *gp, const double *X, const double *t, const double *y, const double *noise,
                        size_t i) {
    return (tvgp__row){X + i * gp->space->dim, t ? t[i] : 0, y[i], noise ? noise[i] : gp->noise};
}

/* ---- many at once ----------------------------------------------------------------------------------------------- */

enum { MANY = 16, PANEL = 64 }; /* observations from which they are factorised together; columns filled at a time */

/* K[i * ld + j] = k of observation i of n and j of m. */
static tvgp_status covariances(tvgp_gp *gp, size_t n, const double *X, const double *t, size_t m, const double *Z,
                               const double *s, double *K) {
    size_t ld = gp->rows.factor.capacity;
    TVGP__TRY(tvgp__kernel_block(gp->space, n, X, m, Z, K, ld));
    for (size_t i = 0; gp->time && i < n; i++) {
        TVGP__TRY(tvgp__kernel_block(gp->time, 1, t + i, m, s, gp->rows.turn, m));
        for (size_t j = 0; j < m; j++)
            K[i * ld + j] *= gp->rows.turn[j];
    }
    return TVGP_OK;
}

/* The rows of n new observations as covariances, in their places; variance: n. */
static tvgp_status fill_rows(tvgp_gp *gp, size_t n, const double *X, const double *t, const double *noise,
                             double *variance) {
    size_t held = gp->rows.factor.n, ld = gp->rows.factor.capacity, dim = gp->space->dim;
    double *rows = gp->rows.factor.L + held;
    TVGP__TRY(covariances(gp, held, gp->rows.X, gp->rows.t, n, X, t, rows));
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
    size_t held = gp->rows.factor.n, ld = gp->rows.factor.capacity;
    double *z = gp->rows.z + held, *variance = gp->rows.turn + gp->rows.slots;
    TVGP__TRY(fill_rows(gp, n, X, t, noise, variance));
    *done = tvgp__chol_extend(&gp->rows.factor, n, variance);
    if (!*done)
        return TVGP_OK;
    for (size_t i = 0; i < n; i++) {
        const tvgp__row row = row_at(gp, X, t, y, noise, i);
        tvgp__cholesky_rows_note(&gp->rows, held + i, &row);
        z[i] = row.y - tvgp__dense_gp_prior_mean(gp, row.x);
    }
    tvgp__blas_gemv(TVGP__NO_TRANS, n, held, -1, gp->rows.factor.L + held, ld, gp->rows.z, 1, z);
    tvgp__blas_trsv(TVGP__NO_TRANS, n, gp->rows.factor.L + held * (ld + 1), ld, z);
    return TVGP_OK;
}

tvgp_status tvgp__dense_gp_add(tvgp_gp *gp, size_t n, const double *X, const double *t, const double *y,
                               const double *noise) {
    size_t before = gp->rows.factor.n, jitter = gp->rows.factor.jitter;
    int done = 0;
    TVGP__TRY(tvgp__cholesky_rows_reserve(&gp->rows, before + n));
    if (n >= MANY)
        TVGP__TRY(append_many(gp, n, X, t, y, noise, &done));
    for (size_t i = 0; !done && i < n; i++) {
        const tvgp__row row = row_at(gp, X, t, y, noise, i);
        tvgp_status status = append(gp, &row);
        if (status < 0) { /* rows beyond n are not looked at: taking the batch back is a matter of counting */
            gp->rows.factor.n = before;
            gp->rows.factor.jitter = jitter;
            return status;
        }
    }
    return TVGP_OK;
}

void tvgp__dense_gp_drop(tvgp_gp *gp, size_t n_oldest) {
    for (size_t k = 0; k < n_oldest; k++)
        tvgp__cholesky_rows_drop(&gp->rows, 0);
}

/* At time t; c lies in gp->rows.turn. */
static tvgp_status form_at(tvgp_gp *gp, double t, tvgp__predictive *out) {
    *out = tvgp__predictive_of(gp->ctx, gp->space, gp->rows.factor.n, gp->rows.X, gp->rows.factor.L,
                               gp->rows.factor.capacity, gp->rows.z);
    if (!gp->time)
        return TVGP_OK;
    out->c = gp->rows.turn;
    if (gp->rows.factor.n)
        TVGP__TRY(tvgp__kernel_block(gp->time, 1, &t, gp->rows.factor.n, gp->rows.t, gp->rows.turn, gp->rows.factor.n));
    return tvgp__kernel_diag(gp->time, 1, &t, &out->kappa);
}

tvgp_status tvgp__dense_gp_predict(tvgp_gp *gp, size_t n, const double *X, double t, const tvgp__predictive_values *out) {
    size_t dim = gp->space->dim;
    tvgp__predictive predictive;
    TVGP__TRY(form_at(gp, t, &predictive));
    TVGP__TRY(tvgp__predictive_predict(&predictive, n, X, out));
    for (size_t i = 0; out->mean && i < n; i++)
        out->mean[i] += tvgp__dense_gp_prior_mean(gp, X + i * dim);
    for (size_t i = 0; out->dmean && gp->slope && i < n * dim; i++)
        out->dmean[i] += gp->slope[i % dim];
    return TVGP_OK;
}

/* ---- joint -------------------------------------------------------------------------------------------------------- */

/* work: n + as many as the predictive asks for. */
static tvgp_status joint(tvgp_gp *gp, const tvgp__predictive *predictive, size_t n, const double *X, double *work,
                         double *mean, double *covariance) {
    TVGP__TRY(tvgp__predictive_joint(predictive, n, X, work + n, work, covariance));
    for (size_t i = 0; i < n; i++) {
        work[i] += tvgp__dense_gp_prior_mean(gp, X + i * gp->space->dim);
        covariance[i * (n + 1)] = fmax(covariance[i * (n + 1)], 0);
        for (size_t j = 0; j < i; j++)
            covariance[i * n + j] = covariance[j * n + i];
    }
    if (mean)
        memcpy(mean, work, n * sizeof *mean);
    return TVGP_OK;
}

tvgp_status tvgp__dense_gp_joint(tvgp_gp *gp, size_t n, const double *X, double t, double *mean, double *covariance) {
    tvgp__predictive predictive;
    double *work = NULL;
    TVGP__TRY(form_at(gp, t, &predictive));
    TVGP__TRY(tvgp__memory_alloc(gp->ctx, n + tvgp__predictive_joint_work(&predictive, n), sizeof *work, &work));
    tvgp_status status = joint(gp, &predictive, n, X, work, mean, covariance);
    tvgp__memory_free(gp->ctx, work);
    return status;
}

typedef struct square {
    tvgp_ctx *ctx;
    size_t n;
    const double *K;
} square;

static tvgp_status column_of(const void *user, size_t index, double *out) {
    const square *s = user;
    memcpy(out, s->K + index * s->n, s->n * sizeof *out);
    return tvgp__quota_work(s->ctx, s->n, index + 1);
}

/* Prior variances bound posterior ones: the scale of the factor's residual. */
static tvgp_status largest_variance(const tvgp_gp *gp, size_t n, const double *X, double t, double *largest) {
    *largest = 0;
    for (size_t i = 0; i < n; i++) {
        double variance;
        TVGP__TRY(prior_variance(gp, X + i * gp->space->dim, t, &variance));
        *largest = fmax(*largest, variance);
    }
    return TVGP_OK;
}

/* F (n x rank): covariance = F F'. residual: n; work: n. */
static tvgp_status factorise(const square *s, double least, double *F, size_t *pivot, double *residual, double *work,
                             size_t *rank) {
    for (size_t i = 0; i < s->n; i++)
        residual[i] = s->K[i * (s->n + 1)];
    *rank = 0;
    return tvgp__pivoted_factor(NULL, s->n, column_of, s, least, s->n, residual, F, pivot, work, rank);
}

static void draw(const double *mean, size_t n, const double *F, size_t rank, uint64_t seed, size_t k, double *out) {
    tvgp__random_stream stream = tvgp__random_stream_open(seed, TVGP__RANDOM_STREAM_GP, k);
    memcpy(out, mean, n * sizeof *out);
    for (size_t r = 0; r < rank; r++)
        tvgp__blas_axpy(n, tvgp__random_stream_normal(&stream), F + r * n, out);
}

tvgp_status tvgp__dense_gp_sample(tvgp_gp *gp, size_t n, const double *X, double t, size_t draws, uint64_t seed,
                                  double *out) {
    const size_t entries = n * n;
    double *room = NULL, largest;
    size_t *pivot = NULL, rank;
    TVGP__TRY(largest_variance(gp, n, X, t, &largest));
    TVGP__TRY(tvgp__memory_alloc(gp->ctx, n, sizeof *pivot, &pivot));
    tvgp_status status = tvgp__memory_alloc(gp->ctx, tvgp__memory_product(2 * n + 3, n), sizeof *room, &room);
    if (status == TVGP_OK) {
        const square s = {gp->ctx, n, room};
        double *F = room + entries, *mean = F + entries, *residual = mean + n;
        status = tvgp__dense_gp_joint(gp, n, X, t, mean, room);
        if (status == TVGP_OK)
            status = factorise(&s, 1e-13 * largest, F, pivot, residual, residual + n, &rank);
        if (status == TVGP_OK)
            status = tvgp__quota_work(gp->ctx, draws, tvgp__memory_product(n, rank + 1));
        for (size_t k = 0; status == TVGP_OK && k < draws; k++)
            draw(mean, n, F, rank, seed, k, out + k * n);
    }
    tvgp__memory_free(gp->ctx, room);
    tvgp__memory_free(gp->ctx, pivot);
    return status;
}

double tvgp__dense_gp_log_evidence(const tvgp_gp *gp) {
    size_t n = gp->rows.factor.n;
    return n ? tvgp__chol_log_density(n, gp->rows.z, tvgp__chol_log_det(&gp->rows.factor)) : 0;
}

double tvgp__dense_gp_information_gain(const tvgp_gp *gp) {
    return 0.5 * tvgp__chol_log_det_ratio(&gp->rows.factor, gp->rows.noise);
}
