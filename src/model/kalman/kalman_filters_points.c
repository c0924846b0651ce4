/* SPDX-License-Identifier: MIT */
/* Adds and removes inducing points of all filters of a set (model/kalman/kalman_filters_points.h). */
#include "model/kalman/kalman_filters_points.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol.h"

#include <math.h>
#include <string.h>

static const tvgp__kalman_filters_spec no_season;

tvgp_status tvgp__kalman_filters_points_new(tvgp_ctx *ctx, const tvgp__kalman_filters_spec *spec, size_t r,
                                            tvgp__kalman_filters *out) {
    size_t n = spec->n, count = spec->ones + spec->twos;
    tvgp__kalman_filters set = {.ctx = ctx,
                                .updates = 1,
                                .priors = 1,
                                .count = count,
                                .ones = count,
                                .twos = spec->twos,
                                .basis = {.ctx = ctx, .r = r},
                                .largest = TVGP__VALID_RANGE_LEAST};
    double *variance = NULL, sum = 0;
    TVGP__TRY(tvgp__memory_alloc(ctx, n, sizeof *variance, &variance));
    tvgp_status status = tvgp__kernel_diag(spec->kernels[0], n, spec->X, variance);
    for (size_t i = 0; i < n; i++) {
        set.largest = fmax(set.largest, variance[i]);
        sum += variance[i] / (double)n;
    }
    tvgp__memory_free(ctx, variance);
    if (status == TVGP_OK)
        status = tvgp__kalman_filters_allocate(&set, &no_season);
    if (status < 0) {
        tvgp__kalman_filters_free(&set);
        return status;
    }
    set.constant[0] = fmin(spec->constant * sum, TVGP__VALID_RANGE_MOST);
    set.constants = set.constant[0] > 0;
    set.largest += set.constant[0];
    *out = set;
    return TVGP_OK;
}

/* `parts` vectors of r numbers, each at the head of one of r2 numbers that is 0 after it. */
static void widen(size_t parts, size_t r, const double *from, size_t r2, double *to) {
    for (size_t i = 0; i < parts; i++)
        memcpy(to + i * r2, from + i * r, r * sizeof *to);
}

static void move_filter(const tvgp__kalman_filters *old, const tvgp__kalman_filter *f, tvgp__kalman_filters *set,
                        tvgp__kalman_filter *to) {
    size_t r = old->basis.r, r2 = set->basis.r;
    tvgp__kalman_filter copy = *f;
    copy.mean = to->mean, copy.var = to->var, copy.E = to->E, copy.U = to->U, copy.omega = to->omega;
    copy.fk = to->fk, copy.pk = to->pk, copy.m = to->m;
    copy.lender = f->lender ? set->filter + (f->lender - old->filter) : NULL;
    copy.source = f->source ? set->filter + (f->source - old->filter) : NULL;
    copy.core = f->core ? set->cores + (f->core - old->cores) : NULL;
    *to = copy;
    memcpy(to->E, f->E, 4 * sizeof *f->E);
    widen(2, r, f->pk, r2, to->pk);
    widen(2, r, f->omega, r2, to->omega);
    widen(2 * f->fresh, r, f->U, r2, to->U);
}

tvgp_status tvgp__kalman_filters_points_grow(tvgp__kalman_filters *set, size_t r) {
    tvgp__kalman_filters fresh = *set, old = *set;
    fresh.basis.r = r;
    fresh.filter = NULL, fresh.cores = NULL, fresh.R = fresh.block = NULL;
    tvgp_status status = tvgp__kalman_filters_allocate(&fresh, &no_season);
    if (status < 0) {
        tvgp__kalman_filters_free(&fresh);
        return status;
    }
    fresh.constant[0] = set->constant[0];
    for (size_t i = 0; i < set->ones + set->twos; i++)
        if (set->cores[i].users)
            tvgp__kalman_core_widen(&set->cores[i], set->basis.r, &fresh.cores[i], r);
    for (size_t j = 0; j < set->count; j++)
        move_filter(set, &set->filter[j], &fresh, &fresh.filter[j]);
    *set = fresh;
    tvgp__kalman_filters_free(&old);
    return TVGP_OK;
}

void tvgp__kalman_filters_points_look(tvgp__kalman_filters *set, size_t n, const double *b, double variance, double rest) {
    const size_t r = set->basis.r;
    memset(set->phi, 0, r * sizeof *set->phi);
    memcpy(set->phi, b, n * sizeof *set->phi);
    set->at[0] = variance;
    set->rest[0] = rest;
    set->at[1] = 0;
    for (size_t i = 0; i < set->count; i++)
        for (size_t s = 0; s < 2; s++)
            set->filter[i].m[s] = tvgp__blas_dot(r, set->phi, tvgp__kalman_filter_state(&set->filter[i])->omega + s * r);
}

/* `parts` vectors of weights. */
static void rotate(size_t parts, size_t r, double *x, size_t n, size_t i, const double *c, const double *s) {
    for (size_t k = 0; k < parts; k++) {
        tvgp__chol_carry(n, i, c, s, 1, x + k * r, 1);
        x[k * r + n - 1] = 0;
    }
}

void tvgp__kalman_filters_points_leave(tvgp__kalman_filters *set, size_t n, size_t i, const double *c, const double *s) {
    size_t r = set->basis.r;
    for (size_t k = 0; k < set->ones + set->twos; k++)
        if (set->cores[k].users)
            tvgp__kalman_core_leave(&set->cores[k], r, n, i, c, s, set->square);
    for (size_t j = 0; j < set->count; j++) {
        tvgp__kalman_filter *f = &set->filter[j];
        rotate(2, r, f->pk, n, i, c, s);
        rotate(2, r, f->omega, n, i, c, s);
        rotate(2 * f->fresh, r, f->U, n, i, c, s);
    }
}

void tvgp__kalman_filters_points_visit(tvgp__kalman_filters *set, size_t most, tvgp__visit *v) {
    size_t r = set->basis.r;
    tvgp__visit_count(v, &r, most, sizeof *set->block); /* one filter at least has as many weights */
    if (!tvgp__visit_loads(v) || r == set->basis.r)
        return;
    for (size_t i = 0; i < set->ones + set->twos; i++)
        set->cores[i].users = 0;
    for (size_t j = 0; j < set->count; j++)
        set->filter[j].fresh = 0;
    if (r > set->room) {
        tvgp__visit_try(v, tvgp__kalman_filters_points_grow(set, r));
    } else {
        set->basis.r = r;
        tvgp__kalman_filters_lay_out(set, &no_season);
    }
}
