/* SPDX-License-Identifier: MIT */
/* The log marginal likelihood of observations and its gradient by the coordinates of all parameters (Rasmussen and Williams
 * 2006, eq. 2.30, 2.45, 5.8, 5.9). y ~ N(c 1, s M), M = C + noise, C_ij = space(x_i, x_j) time(t_i, t_j) within a segment, 0
 * across segments (learn/marginal_likelihood.h). */
#include "learn/marginal_likelihood.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/gamma.h"
#include "base/numbers/simd_clones.h"
#include "base/scratch.h"
#include "base/valid_range.h"
#include "space/kernel/parameter.h"

#include <math.h>
#include <string.h>

static const double log_pi = 1.144729885849400174143;

/* Vectors of length n in `rows`; rows of the sweep below the observations. */
enum { RESIDUAL, ONES_SOLVED, RESIDUAL_SOLVED, VECTORS };
enum { GROUP = TVGP__SWEEP_GROUP, BELOW = 2, SHARED = 1024 }; /* SHARED: observations whose sweep uses scratch memory */

static double *vector(const tvgp__marginal_likelihood *e, int which) {
    return e->rows + (size_t)which * e->capacity;
}

tvgp_status tvgp__marginal_likelihood_reserve(tvgp__marginal_likelihood *e, size_t n) {
    if (n <= e->capacity)
        return TVGP_OK;
    double *rows = NULL;
    TVGP__TRY(tvgp__valid_range_count(e->ctx, "observations", n));
    TVGP__TRY(tvgp__memory_alloc(e->ctx, n, VECTORS * sizeof *rows, &rows));
    tvgp__marginal_likelihood_free(e);
    e->rows = rows;
    e->capacity = n;
    return TVGP_OK;
}

void tvgp__marginal_likelihood_free(tvgp__marginal_likelihood *e) {
    tvgp__memory_free(e->ctx, e->rows);
    e->rows = NULL;
    e->capacity = 0;
}

size_t tvgp__marginal_likelihood_count(const tvgp__marginal_likelihood_model *m) {
    return tvgp__parameter_count(m->space) + (m->time ? tvgp__parameter_count(m->time) : 0) + 1;
}

/* ---- the matrix ------------------------------------------------------------------------------------------------- */

/* The end of the segment of observation i. */
static size_t end_of(const tvgp__marginal_likelihood_data *data, size_t i) {
    const int64_t *segment = data->segment;
    size_t end = i + 1;
    if (!segment || segment[i] == segment[data->n - 1])
        return data->n;
    while (segment[end] == segment[i])
        end++;
    return end;
}

static int own_noise(const tvgp__marginal_likelihood_data *data, size_t i) {
    return data->noise && !isnan(data->noise[i]);
}

static double count_of(const tvgp__marginal_likelihood_data *data, size_t i) {
    return data->count ? data->count[i] : 1;
}

/* Observations `first` .. of a group of columns with all from the first to the end of the segment of the last. */
typedef struct {
    size_t first, count, width;
    size_t ld; /* of the columns */
    double *S; /* the columns, from row `first` on */
} group;

static group group_at(const tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_data *data, size_t first) {
    size_t count = data->n - first < GROUP ? data->n - first : GROUP;
    return (group){.first = first,
                   .count = count,
                   .width = end_of(data, first + count - 1) - first,
                   .ld = e->sweep.rows - first,
                   .S = tvgp__sweep_column(&e->sweep, first)};
}

/* Covariances of a group by point and by time, in rows of g->ld. */
static tvgp_status covariances(const tvgp__marginal_likelihood_model *m, const tvgp__marginal_likelihood_data *data,
                               const group *g, double *space, double *time) {
    const double *x = data->X + g->first * m->space->dim;
    TVGP__TRY(tvgp__kernel_block(m->space, g->count, x, g->width, x, space, g->ld));
    if (!m->time)
        return TVGP_OK;
    return tvgp__kernel_block(m->time, g->count, data->t + g->first, g->width, data->t + g->first, time, g->ld);
}

TVGP__SIMD_CLONES
static void multiply(size_t n, const double *restrict x, double *restrict y) {
    for (size_t j = 0; j < n; j++)
        y[j] *= x[j];
}

/* Minus the covariances; those below e^-300 of the variance count as 0: denormal numbers are slow. */
TVGP__SIMD_CLONES
static void negate(size_t n, double variance, double *column) {
    for (size_t j = 0; j < n; j++)
        column[j] = fabs(column[j]) < 5e-131 * variance ? 0 : -column[j];
}

/* Column c of a group and, below, its share of the two rows 1' and r'. */
static void finish_column(const tvgp__marginal_likelihood_model *m, const tvgp__marginal_likelihood_data *data,
                          const group *g, size_t c, double r) {
    size_t i = g->first + c, width = end_of(data, i) - g->first, below = data->n - g->first;
    double *column = g->S + c * g->ld, variance = column[c];
    negate(width, variance, column);
    column[c] = -variance - (own_noise(data, i) ? data->noise[i] : m->noise / count_of(data, i));
    memset(column + width, 0, (g->ld - width) * sizeof *column);
    column[below] = -1;
    column[below + 1] = -r;
}

static tvgp_status fill_group(const tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                              const tvgp__marginal_likelihood_data *data, const group *g) {
    double *time = e->sweep.panel;
    TVGP__TRY(covariances(m, data, g, g->S, time));
    for (size_t c = 0; c < g->count; c++) {
        if (m->time)
            multiply(g->width, time + c * g->ld, g->S + c * g->ld);
        finish_column(m, data, g, c, vector(e, RESIDUAL)[g->first + c]);
    }
    memset(g->S + g->count * g->ld, 0, (GROUP - g->count) * g->ld * sizeof *g->S);
    return TVGP_OK;
}

/* Minus M with 1' and r' below it. */
static tvgp_status fill(tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                        const tvgp__marginal_likelihood_data *data, double *memory) {
    tvgp__sweep_open(&e->sweep, memory, data->n, BELOW);
    const size_t rows = e->sweep.rows;
    for (size_t first = 0; first < data->n; first += GROUP) {
        const group g = group_at(e, data, first);
        TVGP__TRY(fill_group(e, m, data, &g));
    }
    for (size_t first = (data->n + GROUP - 1) / GROUP * GROUP; first < rows; first += GROUP)
        memset(tvgp__sweep_column(&e->sweep, first), 0, GROUP * (rows - first) * sizeof *memory);
    return TVGP_OK;
}

/* ---- value ------------------------------------------------------------------------------------------------------ */

/* The residuals less `offset`, their sample mean unless the mean is known: offsets of 1e9 stay harmless. */
static double residuals(const tvgp__marginal_likelihood_model *m, const tvgp__marginal_likelihood_data *data, double *r) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < data->n; i++)
        sum += data->y[i] / (double)data->n;
    for (size_t i = 0; i < data->n; i++)
        rest += (data->y[i] - sum) / (double)data->n;
    double offset = m->form == TVGP__MARGINAL_LIKELIHOOD_KNOWN_MEAN ? 0 : sum + rest;
    for (size_t i = 0; i < data->n; i++)
        r[i] = data->y[i] - offset;
    return offset;
}

/* The terms of grouped outcomes. */
typedef struct {
    double more;      /* their number less that of the observations, n - R */
    double log_count; /* sum log n_b */
    double squares;   /* S / v */
} grouped;

static grouped grouped_of(const tvgp__marginal_likelihood_model *m, const tvgp__marginal_likelihood_data *data) {
    grouped all = {0};
    for (size_t i = 0; data->count && i < data->n; i++)
        if (!own_noise(data, i)) {
            all.more += data->count[i] - 1;
            all.log_count += log(data->count[i]);
            all.squares += data->within ? data->within[i] / m->noise : 0;
        }
    return all;
}

/* B: the prior of s times 1 + g is that of the total variance. */
static double prior_scale(const tvgp__marginal_likelihood_model *m) {
    return m->b0 / (1 + m->noise);
}

/* Computes c relative to the offset, s, A and the log marginal likelihood from the corner that the sweep leaves: p'p,
 * p'q, q'q. */
static void value_of(const tvgp__marginal_likelihood_model *m, const tvgp__sweep *sweep, const grouped *all,
                     double log_det_half, tvgp__marginal_likelihood_value *out) {
    const size_t row = sweep->n % GROUP;
    const double *first = tvgp__sweep_column(sweep, sweep->n) + row,
                 *second = tvgp__sweep_column(sweep, sweep->n + 1) + (sweep->n + 1) % GROUP;
    const double n = (double)sweep->n + all->more, degrees = 2 * m->a0 + n - 1, qq = *second, pq = first[1];
    double base = -log_det_half - 0.5 * all->log_count - (all->more > 0 ? 0.5 * all->more * log(m->noise) : 0);
    out->precision = *first;
    out->scale = 1;
    out->mean = 0;
    if (m->form == TVGP__MARGINAL_LIKELIHOOD_KNOWN_MEAN) {
        out->log_marginal_likelihood = base - 0.5 * (qq + all->squares + n * TVGP__LOG_TWO_PI);
        return;
    }
    out->mean = pq / out->precision;
    const double Q = fmax(qq - out->mean * pq, 1e-15 * qq) + all->squares, B = prior_scale(m);
    base -= 0.5 * log(out->precision);
    if (m->form == TVGP__MARGINAL_LIKELIHOOD_FLAT_MEAN) {
        out->log_marginal_likelihood = base - 0.5 * (Q + (n - 1) * TVGP__LOG_TWO_PI);
        return;
    }
    out->scale = fmin((2 * B + Q) / degrees, TVGP__VALID_RANGE_MOST);
    out->log_marginal_likelihood = base - 0.5 * degrees * log(2 * B + Q) + tvgp__gamma_log(0.5 * degrees) -
                                   0.5 * (n - 1) * log_pi + m->a0 * log(2 * B) - tvgp__gamma_log(m->a0);
}

/* ---- gradient --------------------------------------------------------------------------------------------------- */

/* Adds the share of a group whose columns of W stand in S. */
static tvgp_status contract(const tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                            const tvgp__marginal_likelihood_data *data, const group *g, double *gradient) {
    const double *x = data->X + g->first * m->space->dim;
    if (m->time) {
        double *space = e->sweep.panel, *time = space + GROUP * e->sweep.rows, *t = (double *)data->t + g->first;
        TVGP__TRY(covariances(m, data, g, space, time));
        multiply(g->count * g->ld, g->S, space);
        multiply(g->count * g->ld, time, g->S);
        TVGP__TRY(tvgp__parameter_contract(m->time, g->count, t, g->width, t, space, g->ld,
                                           gradient + tvgp__parameter_count(m->space)));
    }
    return tvgp__parameter_contract(m->space, g->count, x, g->width, x, g->S, g->ld, gradient);
}

/* w = a x + b y - w */
TVGP__SIMD_CLONES
static void combine(size_t n, double a, const double *restrict x, double b, const double *restrict y, double *restrict w) {
    for (size_t j = 0; j < n; j++)
        w[j] = (a * x[j] + b * y[j]) - w[j];
}

/* M^-1 in a group becomes W, half on the diagonal and 0 where the covariance is, or above. */
static void weights(const tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                    const tvgp__marginal_likelihood_data *data, const tvgp__marginal_likelihood_value *v, const group *g) {
    const double *u = vector(e, ONES_SOLVED), *r = vector(e, RESIDUAL_SOLVED);
    const double ones = m->form == TVGP__MARGINAL_LIKELIHOOD_KNOWN_MEAN ? 0 : 1 / v->precision;
    for (size_t c = 0; c < g->count; c++) {
        size_t i = g->first + c, end = end_of(data, i);
        double *w = g->S + c * g->ld;
        combine(end - i, r[i] / v->scale, r + i, ones * u[i], u + i, w + c);
        w[c] *= 0.5;
        memset(w, 0, c * sizeof *w);
        memset(w + (end - g->first), 0, (g->first + g->width - end) * sizeof *w);
    }
}

/* The rows below hold minus M^-1 1 and M^-1 r. */
static void take_solutions(const tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_value *v) {
    double *u = vector(e, ONES_SOLVED), *r = vector(e, RESIDUAL_SOLVED);
    for (size_t i = 0; i < e->sweep.n; i++) {
        const double *below = tvgp__sweep_column(&e->sweep, i) + (e->sweep.n - (i - i % GROUP));
        u[i] = -below[0];
        r[i] = -below[1] - v->mean * u[i];
    }
}

/* Derivative by log noise without the share of M. */
static double beside_matrix(const tvgp__marginal_likelihood_model *m, const grouped *all,
                            const tvgp__marginal_likelihood_value *v) {
    const double by = 0.5 * (all->squares / v->scale - all->more);
    if (m->form != TVGP__MARGINAL_LIKELIHOOD_COLLAPSED)
        return by;
    return by - m->noise / (1 + m->noise) * (m->a0 - prior_scale(m) / v->scale);
}

static tvgp_status gradient_of(const tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                               const tvgp__marginal_likelihood_data *data, const grouped *all,
                               const tvgp__marginal_likelihood_value *v, double *gradient) {
    double *by_noise = gradient + tvgp__marginal_likelihood_count(m) - 1;
    *by_noise = beside_matrix(m, all, v);
    take_solutions(e, v);
    for (size_t first = 0; first < data->n; first += GROUP) {
        const group g = group_at(e, data, first);
        weights(e, m, data, v, &g);
        for (size_t c = 0; e->by_own && c < g.count; c++)
            e->by_own[first + c] = g.S[c * g.ld + c];
        for (size_t c = 0; c < g.count; c++)
            *by_noise += own_noise(data, first + c) ? 0 : m->noise / count_of(data, first + c) * g.S[c * g.ld + c];
        TVGP__TRY(contract(e, m, data, &g, gradient));
    }
    return TVGP_OK;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static int is_finite(const tvgp__marginal_likelihood_value *v) {
    return isfinite(v->log_marginal_likelihood) && isfinite(v->mean) && isfinite(v->scale) && v->scale > 0 &&
           v->precision > 0;
}

static tvgp_status evaluate(tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                            const tvgp__marginal_likelihood_data *data, double *memory, tvgp__marginal_likelihood_value *out,
                            double *gradient) {
    const double offset = residuals(m, data, vector(e, RESIDUAL));
    const grouped all = grouped_of(m, data);
    if (gradient)
        memset(gradient, 0, tvgp__marginal_likelihood_count(m) * sizeof *gradient);
    if (gradient && e->by_own)
        memset(e->by_own, 0, data->n * sizeof *e->by_own);
    TVGP__TRY(fill(e, m, data, memory));
    value_of(m, &e->sweep, &all, tvgp__sweep_run(&e->sweep, gradient != NULL), out);
    if (!is_finite(out)) {
        out->log_marginal_likelihood = NAN;
        return TVGP_OK;
    }
    if (gradient)
        TVGP__TRY(gradient_of(e, m, data, &all, out, gradient));
    out->mean += offset;
    return TVGP_OK;
}

tvgp_status tvgp__marginal_likelihood_at(tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                                         const tvgp__marginal_likelihood_data *data, tvgp__marginal_likelihood_value *out,
                                         double *gradient) {
    const size_t room = tvgp__sweep_room(e->capacity, BELOW);
    const int shared = e->capacity <= SHARED;
    double *memory = NULL;
    TVGP__TRY(shared ? tvgp__scratch_take(e->ctx, room, &memory)
                     : tvgp__memory_alloc(e->ctx, room, sizeof *memory, &memory));
    const tvgp_status status = evaluate(e, m, data, memory, out, gradient);
    if (shared)
        tvgp__scratch_give(e->ctx, memory);
    else
        tvgp__memory_free(e->ctx, memory);
    return status;
}
