/* SPDX-License-Identifier: MIT */
#include "posterior/sliding_window.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd_clones.h"
#include "base/valid_range.h"
#include "gp/cholesky_rows.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp__posterior base;
    size_t w;
    size_t unsummed;          /* observations since mean and var were summed */
    tvgp__cholesky_rows rows; /* the oldest first */
    size_t slots;             /* room of the following arrays */
    double *V;                /* slots x arms: row j of L^-1 k(X, arms) at V + j * arms; and a row of workspace */
    size_t *arm;              /* of each row */
    double *row; /* workspace: covariances of an arm with the rows, and its prior variance; then the new row of L */
} window;

static tvgp_status make_room(window *p, size_t rows) {
    if (rows <= p->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__cholesky_rows_reserve(&p->rows, rows));
    size_t slots = p->rows.slots < p->w ? p->rows.slots : p->w;
    TVGP__TRY(tvgp__memory_grow(p->base.ctx, slots + 1, p->base.n * sizeof *p->V, &p->V));
    TVGP__TRY(tvgp__memory_grow(p->base.ctx, slots + 1, sizeof *p->row, &p->row));
    TVGP__TRY(tvgp__memory_grow(p->base.ctx, slots, sizeof *p->arm, &p->arm));
    p->slots = slots;
    return TVGP_OK;
}

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    window *p = (window *)base;
    size_t n = points->n;
    TVGP__TRY(tvgp__posterior_hold(base, points));
    return make_room(p, n < p->w - p->rows.factor.n ? p->rows.factor.n + n : p->w);
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

TVGP__SIMD_CLONES
static void add_row(size_t n, double z, double sign, const double *restrict v, double *restrict mean, double *restrict var) {
    for (size_t i = 0; i < n; i++) {
        mean[i] += z * v[i];
        var[i] -= sign * v[i] * v[i];
    }
}

/* Row v of V with weight z joins (sign 1) or leaves (-1) the sums. */
static void take_row(tvgp__posterior *b, const double *v, double z, double sign) {
    add_row(b->n, sign * z, sign, v, b->own.mean, b->own.var);
    b->own.moments.valid = 0;
}

/* The rows of V stay to be carried along. */
static void drop_oldest(window *p) {
    tvgp__cholesky_rows_drop(&p->rows, 0);
    memmove(p->arm, p->arm + 1, p->rows.factor.n * sizeof *p->arm);
}

/* Collective: covariances of an arm whose row of the kernel is held with the arms of all rows, and behind them its prior
 * variance. */
static void read_covariances(const window *p, size_t arm, double *out) {
    const tvgp__posterior *b = &p->base;
    const double *v = tvgp__kernel_rows_at(&b->rows, arm);
    const size_t n = p->rows.factor.n;
    for (size_t j = 0; j < n; j++)
        out[j] = tvgp__shard_entry(b->shard, v, p->arm[j]);
    out[n] = tvgp__shard_entry(b->shard, b->prior, arm);
    tvgp__shard_max(b->shard, out, n + 1);
}

/* The rows of V are carried along in the same pass in which v gains their sum with weights w; the one cut off, of weight z,
 * leaves. */
static void carry(window *p, size_t rows, double z, const double *w, double *v) {
    tvgp__posterior *b = &p->base;
    tvgp__chol_carry_sum(rows, p->rows.turn, p->rows.turn + p->rows.slots, w, b->n, p->V, b->n, v);
    take_row(b, p->V + (rows - 1) * b->n, z, -1);
}

/* Row n of L and of V. With `dropped`, V holds n + 1 rows from before. */
static void append(window *p, size_t arm, double t, double y, double noise, int dropped) {
    tvgp__posterior *b = &p->base;
    tvgp__cholesky_rows *rows = &p->rows;
    size_t n = rows->factor.n, jitter = rows->factor.jitter;
    double *v = p->V + (dropped ? p->slots : n) * b->n, *l = p->row;
    const tvgp__row row = {tvgp__shard_point(b->shard, b->X, b->kernel->dim, arm), t, y, noise};
    const double gone = rows->z[n];
    read_covariances(p, arm, l);
    const tvgp_status status = tvgp__cholesky_rows_append(rows, &row, l, l[n], y);
    tvgp__error_forget(b->ctx, status);
    if (status < 0) { /* as tvgp__posterior_lack: it says nothing */
        b->counts.jitter++;
        if (dropped)
            carry(p, n + 1, gone, NULL, NULL);
        return;
    }
    double pivot = tvgp__cholesky_rows_pivot(rows, n);
    b->counts.jitter += rows->factor.jitter - jitter;
    memcpy(v, tvgp__kernel_rows_at(&b->rows, arm), b->n * sizeof *v);
    tvgp__blas_scale(b->n, 1 / pivot, v);
    tvgp__blas_scale(n, -1 / pivot, l);
    if (dropped)
        carry(p, n + 1, gone, l, v);
    else if (n)
        tvgp__blas_gemv(TVGP__NO_TRANS, b->n, n, 1, p->V, b->n, l, 1, v);
    if (dropped)
        memcpy(p->V + n * b->n, v, b->n * sizeof *v);
    p->arm[n] = arm;
    take_row(b, v, rows->z[n], 1);
}

static void sum_afresh(window *p) {
    tvgp__posterior_prior(&p->base, 1);
    for (size_t j = 0; j < p->rows.factor.n; j++)
        take_row(&p->base, p->V + j * p->base.n, p->rows.z[j], 1);
    p->unsummed = 0;
}

static void observe(tvgp__posterior *b, const tvgp__points *points, size_t i, double t, double y, double noise) {
    window *p = (window *)b;
    b->now = fmax(b->now, t);
    const int full = p->rows.factor.n == p->w;
    if (full)
        drop_oldest(p);
    append(p, points->arm[i], t, y, tvgp__posterior_noise(b, noise), full);
    if (++p->unsummed >= p->w)
        sum_afresh(p);
    tvgp__posterior_rows(b, &p->rows.factor, p->rows.z, p->rows.noise);
}

/* ---- the other ops ---------------------------------------------------------------------------------------------- */

static void advance(tvgp__posterior *b, double t) {
    b->now = t;
}

static void column(tvgp__posterior *b, size_t arm, double *out) {
    window *p = (window *)b;
    memcpy(out, tvgp__kernel_rows_at(&b->rows, arm), b->n * sizeof *out);
    for (size_t j = 0; j < p->rows.factor.n; j++)
        p->rows.turn[j] = tvgp__shard_entry(b->shard, p->V + j * b->n, arm);
    tvgp__shard_give(b->shard, arm, p->rows.turn, p->rows.factor.n);
    if (p->rows.factor.n)
        tvgp__blas_gemv(TVGP__NO_TRANS, b->n, p->rows.factor.n, -1, p->V, b->n, p->rows.turn, 1, out);
}

static tvgp_status form(tvgp__posterior *b, double t, tvgp__predictive *out) {
    const window *p = (const window *)b;
    (void)t;
    *out = tvgp__predictive_of(b->ctx, b->kernel, p->rows.factor.n, p->rows.X, p->rows.factor.L, p->rows.factor.capacity,
                               p->rows.z);
    return TVGP_OK;
}

static void reset(tvgp__posterior *b) {
    ((window *)b)->rows.factor.n = 0;
    sum_afresh((window *)b);
}

/* Rows of V gain the new arms: L^-1 k(points, arm), which their mean and variance sum. */
static tvgp_status extend_rows(const window *from, window *p) {
    tvgp__posterior *b = &p->base;
    const size_t rows = from->rows.factor.n, old = from->base.n, more = b->n - old;
    double *V = NULL;
    TVGP__TRY(tvgp__memory_alloc(b->ctx, more, rows * sizeof *V, &V));
    tvgp_status status = tvgp__kernel_block(b->kernel, more, b->X + old * b->kernel->dim, rows, from->rows.X, V, rows);
    tvgp__chol_solve(&from->rows.factor, TVGP__NO_TRANS, more, V, rows);
    for (size_t j = 0; j < rows; j++) {
        double *v = p->V + j * b->n;
        memcpy(v, from->V + j * old, old * sizeof *v);
        for (size_t i = 0; i < more; i++) {
            v[old + i] = V[i * rows + j];
            b->own.mean[old + i] += from->rows.z[j] * v[old + i];
            b->own.var[old + i] -= v[old + i] * v[old + i];
        }
    }
    tvgp__memory_free(b->ctx, V);
    return status;
}

static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const window *from = (const window *)base;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__sliding_window_new(base->ctx, base->kernel, from->w, n, X, &fresh));
    tvgp__posterior_inherit(fresh, base);
    window *p = (window *)fresh;
    p->unsummed = from->unsummed;
    tvgp_status status = make_room(p, from->rows.factor.n);
    if (status == TVGP_OK && from->rows.factor.n) {
        tvgp__cholesky_rows_copy(&from->rows, &p->rows);
        memcpy(p->arm, from->arm, from->rows.factor.n * sizeof *p->arm);
        status = extend_rows(from, p);
    }
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

static void release(tvgp__posterior *b) {
    window *p = (window *)b;
    tvgp__cholesky_rows_free(&p->rows);
    tvgp__memory_free(b->ctx, p->V);
    tvgp__memory_free(b->ctx, p->row);
    tvgp__memory_free(b->ctx, p->arm);
}

static void visit(tvgp__posterior *b, tvgp__visit *v) {
    window *p = (window *)b;
    const double most = TVGP__VISIT_MOST;
    size_t dim = b->kernel->dim;
    tvgp__visit_size(v, &p->unsummed, 0, p->w);
    tvgp__chol_visit(&p->rows.factor, p->w, v);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, make_room(p, p->rows.factor.n));
    if (!tvgp__visit_fine(v))
        return;
    for (size_t j = 0; j < p->rows.factor.n; j++)
        tvgp__visit_arms(v, b->n, p->V + j * b->n, -most, most);
    tvgp__visit_reals(v, p->rows.factor.n, p->rows.z, -most, most);
    tvgp__visit_reals(v, p->rows.factor.n, p->rows.noise, TVGP__VALID_RANGE_LEAST * 1e-10, most);
    tvgp__visit_indices(v, p->rows.factor.n, p->arm, tvgp__shard_total(b->shard, b->n));
    for (size_t j = 0; tvgp__visit_loads(v) && j < p->rows.factor.n; j++)
        memcpy(p->rows.X + j * dim, tvgp__shard_point(b->shard, b->X, dim, p->arm[j]), dim * sizeof *p->rows.X);
}

static const tvgp__posterior_ops ops = {.visit = visit,
                                        .prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .at = tvgp__posterior_still,
                                        .column = column,
                                        .form = form,
                                        .shared = &tvgp__posterior_shares,
                                        .reset = reset,
                                        .extend = extend,
                                        .release = release};

tvgp_status tvgp__sliding_window_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t w, size_t n, const double *X,
                                     tvgp__posterior **out) {
    window *p = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->rows = tvgp__cholesky_rows_of(ctx, kernel->dim);
    p->w = w;
    tvgp__posterior_prior(&p->base, 1);
    *out = &p->base;
    return TVGP_OK;
}
