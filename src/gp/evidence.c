/* SPDX-License-Identifier: MIT */
#include "gp/evidence.h"

#include "base/constants.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "kernel/parameter.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static const double log_pi = 1.144729885849400174143;

/* Vectors of length n in `rows`. */
enum { WHITE_ONES, WHITE_RESIDUAL, WORK, SPACE, TIME, BY_SPACE, BY_TIME, VECTORS };

static double *vector(const tvgp__evidence *e, int which) {
    return e->rows + (size_t)which * e->capacity;
}

tvgp_status tvgp__evidence_reserve(tvgp__evidence *e, size_t n) {
    if (n <= e->capacity)
        return TVGP_OK;
    double *M = NULL, *rows = NULL;
    TVGP__TRY(tvgp__range_count(e->ctx, "observations", n));
    TVGP__TRY(tvgp__memory_alloc(e->ctx, n, n * sizeof *M, &M));
    tvgp_status status = tvgp__memory_alloc(e->ctx, n, VECTORS * sizeof *rows, &rows);
    if (status < 0) {
        tvgp__memory_free(e->ctx, M);
        return status;
    }
    tvgp__evidence_free(e);
    e->M = M;
    e->rows = rows;
    e->capacity = n;
    return TVGP_OK;
}

void tvgp__evidence_free(tvgp__evidence *e) {
    tvgp__memory_free(e->ctx, e->M);
    tvgp__memory_free(e->ctx, e->rows);
    e->M = e->rows = NULL;
    e->capacity = 0;
}

size_t tvgp__evidence_count(const tvgp__evidence_model *m) {
    return tvgp__parameter_count(m->space) + (m->time ? tvgp__parameter_count(m->time) : 0) + 1;
}

/* ---- the matrix ------------------------------------------------------------------------------------------------- */

/* How many observations from i on are in its segment. */
static size_t width_of(const tvgp__evidence_data *data, size_t i) {
    size_t end = data->segment ? i + 1 : data->n;
    while (end < data->n && data->segment[end] == data->segment[i])
        end++;
    return end - i;
}

static int own_noise(const tvgp__evidence_data *data, size_t i) {
    return data->noise && !isnan(data->noise[i]);
}

/* Covariances of observation i with itself and the m - 1 after it: by place into `space`, by time into `time`. */
static tvgp_status covariances(const tvgp__evidence_model *m, const tvgp__evidence_data *data, size_t i, size_t width,
                               double *space, double *time) {
    size_t dim = m->space->dim;
    TVGP__TRY(tvgp__kernel_block(m->space, 1, data->X + i * dim, width, data->X + i * dim, space, width));
    return m->time ? tvgp__kernel_block(m->time, 1, data->t + i, width, data->t + i, time, width) : TVGP_OK;
}

/* Column i of the lower triangle. Covariances below e^-300 of the variance count as 0: denormal numbers are slow. */
static tvgp_status fill_column(const tvgp__evidence *e, const tvgp__evidence_model *m, const tvgp__evidence_data *data,
                               size_t i) {
    double *column = e->M + i * data->n + i, *time = vector(e, TIME);
    size_t width = width_of(data, i);
    TVGP__TRY(covariances(m, data, i, width, column, time));
    for (size_t j = 0; m->time && j < width; j++)
        column[j] *= time[j];
    for (size_t j = 1; j < width; j++)
        column[j] = fabs(column[j]) < 5e-131 * column[0] ? 0 : column[j];
    memset(column + width, 0, (data->n - i - width) * sizeof *column);
    column[0] += own_noise(data, i) ? data->noise[i] : m->noise;
    return TVGP_OK;
}

static tvgp_status fill(const tvgp__evidence *e, const tvgp__evidence_model *m, const tvgp__evidence_data *data) {
    for (size_t i = 0; i < data->n; i++)
        TVGP__TRY(fill_column(e, m, data, i));
    return TVGP_OK;
}

/* ---- value ------------------------------------------------------------------------------------------------------ */

/* The residuals less `offset`, their sample mean unless the mean is known: offsets of 1e9 stay harmless. */
static double residuals(const tvgp__evidence_model *m, const tvgp__evidence_data *data, double *r) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < data->n; i++)
        sum += data->y[i] / (double)data->n;
    for (size_t i = 0; i < data->n; i++)
        rest += (data->y[i] - sum) / (double)data->n;
    double offset = m->form == TVGP__EVIDENCE_KNOWN_MEAN ? 0 : sum + rest;
    for (size_t i = 0; i < data->n; i++)
        r[i] = data->y[i] - offset;
    return offset;
}

static double log_det_half(size_t n, const double *L) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(L[i * (n + 1)]);
    return sum;
}

/* c relative to the offset, s, A and the log evidence from the whitened vectors. */
static void value_of(const tvgp__evidence_model *m, size_t n, const double *L, const double *p, const double *q,
                     tvgp__evidence_value *out) {
    double degrees = 2 * m->a0 + (double)n - 1, qq = tvgp__blas_dot(n, q, q), pq = tvgp__blas_dot(n, p, q);
    double base = -log_det_half(n, L);
    out->precision = tvgp__blas_dot(n, p, p);
    out->scale = 1;
    out->mean = 0;
    if (m->form == TVGP__EVIDENCE_KNOWN_MEAN) {
        out->log_evidence = base - 0.5 * (qq + (double)n * TVGP__LOG_TWO_PI);
        return;
    }
    out->mean = pq / out->precision;
    double Q = fmax(qq - out->mean * pq, 1e-15 * qq);
    base -= 0.5 * log(out->precision);
    if (m->form == TVGP__EVIDENCE_FLAT_MEAN) {
        out->log_evidence = base - 0.5 * (Q + (double)(n - 1) * TVGP__LOG_TWO_PI);
        return;
    }
    out->scale = fmin((2 * m->b0 + Q) / degrees, TVGP__RANGE_MOST);
    out->log_evidence = base - 0.5 * degrees * log(2 * m->b0 + Q) + lgamma(0.5 * degrees) - 0.5 * (double)(n - 1) * log_pi +
                        m->a0 * log(2 * m->b0) - lgamma(m->a0);
}

/* ---- gradient --------------------------------------------------------------------------------------------------- */

/* Adds column i's share, weights w on the pairs of i with itself (half) and those after it. */
static tvgp_status contract(const tvgp__evidence *e, const tvgp__evidence_model *m, const tvgp__evidence_data *data,
                            size_t i, const double *w, double *gradient) {
    size_t dim = m->space->dim, width = width_of(data, i);
    const double *x = data->X + i * dim;
    if (!m->time)
        return tvgp__parameter_contract(m->space, 1, x, width, x, w, width, gradient);
    double *space = vector(e, SPACE), *time = vector(e, TIME), *by_space = vector(e, BY_SPACE),
           *by_time = vector(e, BY_TIME);
    TVGP__TRY(covariances(m, data, i, width, space, time));
    for (size_t j = 0; j < width; j++) {
        by_space[j] = w[j] * time[j];
        by_time[j] = w[j] * space[j];
    }
    TVGP__TRY(tvgp__parameter_contract(m->space, 1, x, width, x, by_space, width, gradient));
    return tvgp__parameter_contract(m->time, 1, data->t + i, width, data->t + i, by_time, width,
                                    gradient + tvgp__parameter_count(m->space));
}

/* p and q become u and e, the factor the inverse; then the columns of W. */
static tvgp_status gradient_of(const tvgp__evidence *e, const tvgp__evidence_model *m, const tvgp__evidence_data *data,
                               const tvgp__evidence_value *v, double *gradient) {
    size_t n = data->n;
    double *u = vector(e, WHITE_ONES), *r = vector(e, WHITE_RESIDUAL), *w = vector(e, WORK);
    double *by_noise = gradient + tvgp__evidence_count(m) - 1;
    const double ones = m->form == TVGP__EVIDENCE_KNOWN_MEAN ? 0 : 1 / v->precision;
    tvgp__blas_axpy(n, -v->mean, u, r);
    tvgp__blas_trsv(TVGP__TRANS, n, e->M, n, u);
    tvgp__blas_trsv(TVGP__TRANS, n, e->M, n, r);
    tvgp__blas_potri(n, e->M, n);
    for (size_t i = 0; i < n; i++) {
        const double *inverse = e->M + i * n;
        for (size_t j = i; j < n; j++)
            w[j] = r[i] / v->scale * r[j] + ones * u[i] * u[j] - inverse[j];
        w[i] *= 0.5;
        *by_noise += own_noise(data, i) ? 0 : m->noise * w[i];
        TVGP__TRY(contract(e, m, data, i, w + i, gradient));
    }
    return TVGP_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static int is_finite(const tvgp__evidence_value *v) {
    return isfinite(v->log_evidence) && isfinite(v->mean) && isfinite(v->scale) && v->scale > 0 && v->precision > 0;
}

tvgp_status tvgp__evidence_at(tvgp__evidence *e, const tvgp__evidence_model *m, const tvgp__evidence_data *data,
                              tvgp__evidence_value *out, double *gradient) {
    size_t n = data->n;
    double *r = vector(e, WHITE_RESIDUAL), *ones = vector(e, WHITE_ONES), offset = residuals(m, data, r);
    out->log_evidence = NAN;
    if (gradient)
        memset(gradient, 0, tvgp__evidence_count(m) * sizeof *gradient);
    TVGP__TRY(fill(e, m, data));
    if (tvgp__blas_potrf(n, e->M, n))
        return TVGP_OK;
    for (size_t i = 0; i < n; i++)
        ones[i] = 1;
    tvgp__blas_trsv(TVGP__NO_TRANS, n, e->M, n, ones);
    tvgp__blas_trsv(TVGP__NO_TRANS, n, e->M, n, r);
    value_of(m, n, e->M, ones, r, out);
    if (!is_finite(out)) {
        out->log_evidence = NAN;
        return TVGP_OK;
    }
    if (gradient)
        TVGP__TRY(gradient_of(e, m, data, out, gradient));
    out->mean += offset;
    return TVGP_OK;
}
