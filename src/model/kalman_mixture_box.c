/* SPDX-License-Identifier: MIT */
/* Inducing points of a mixture of Kalman filters on a box, and its predictive function (model/kalman_mixture_box.h). */
#include "model/kalman_mixture_box.h"
#include "model/kalman_mixture_delayed.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol_inverse.h"
#include "model/kalman/kalman_filters_points.h"

#include <math.h>
#include <string.h>

typedef tvgp__kalman_mixture_box box;

static const double ELSEWHERE = 0.9;   /* prior correlation below which another point is another arm */
static const double SHARE = 10;        /* of a posterior variance that features may leave, in terms of rank.tolerance */
static const double ROUND_OFF = 1e-10; /* of its size: what a variance is off by once rows were taken off it */

static tvgp__kalman_mixture *mixture_of(tvgp__posterior *base) {
    return (tvgp__kalman_mixture *)base;
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

/* Filters are there twice while they grow. */
static double bytes_at(const tvgp__kalman_mixture *b, size_t r) {
    const double with = (double)(r + TVGP__INDUCING_POINTS_SPARE);
    return 2 * tvgp__kalman_filters_bytes(&b->set, r) + 64 * with * with;
}

/* The support that memory.limit leaves room for. */
static tvgp_status bound_support(const tvgp__kalman_mixture *b, const tvgp__kalman_filters_spec *spec, size_t *limit) {
    const size_t least = b->set.basis.r;
    if (!(spec->limit > 0))
        return TVGP_OK;
    if (!*limit)
        *limit = (size_t)1 << 20;
    while (*limit > least && bytes_at(b, *limit) > (double)spec->limit)
        *limit -= *limit / 16 + 1;
    *limit = *limit > least ? *limit : least;
    if (bytes_at(b, *limit) > (double)spec->limit)
        return tvgp__error_set(b->base.ctx, TVGP_ERR_LIMIT,
                               "memory.limit = %lld: %zu filters of rank %zu need %.4g bytes or more",
                               (long long)spec->limit, b->set.count, *limit, bytes_at(b, *limit));
    return TVGP_OK;
}

static tvgp_status grow(tvgp__kalman_mixture *b, size_t r) {
    box *x = b->box;
    TVGP__TRY(tvgp__inducing_points_reserve(&x->atlas, r));
    TVGP__TRY(tvgp__memory_room(b->base.ctx, r, sizeof *x->k, &x->k));
    TVGP__TRY(tvgp__memory_room(b->base.ctx, r, sizeof *x->b, &x->b));
    TVGP__TRY(tvgp__memory_room(b->base.ctx, r, sizeof *x->origin, &x->origin));
    return r > b->set.basis.r ? tvgp__kalman_filters_points_grow(&b->set, r) : TVGP_OK;
}

tvgp_status tvgp__kalman_mixture_box_new(tvgp__kalman_mixture *b, const tvgp__kalman_filters_spec *spec, size_t limit) {
    tvgp_ctx *ctx = b->base.ctx;
    const tvgp_kernel *kernel = spec->kernels[0];
    tvgp__inducing_points start;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *b->box, &b->box));
    tvgp__inducing_points_init(&start, ctx, kernel, limit);
    TVGP__TRY(tvgp__kalman_filters_points_new(ctx, spec, tvgp__inducing_points_room(&start, 1), &b->set));
    TVGP__TRY(bound_support(b, spec, &limit));
    tvgp__inducing_points_init(&b->box->atlas, ctx, kernel, limit);
    b->box->atlas.leaves = spec->rule.tolerance * spec->noise;
    b->box->atlas.share = SHARE * spec->rule.tolerance;
    b->box->atlas.many = spec->rule.tolerance > 0 ? spec->rule.limit : 0;
    TVGP__TRY(tvgp__memory_alloc(ctx, kernel->dim, sizeof *b->box->slot, &b->box->slot));
    return grow(b, b->set.basis.r);
}

void tvgp__kalman_mixture_box_free(tvgp__kalman_mixture *b) {
    box *x = b->box;
    if (!x)
        return;
    double *blocks[] = {x->slot, x->cross, x->variance, x->k, x->b};
    tvgp__inducing_points_free(&x->atlas);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(b->base.ctx, blocks[i]);
    tvgp__memory_free(b->base.ctx, x->origin);
    tvgp__memory_free(b->base.ctx, x);
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Covariances of observations that a late one makes be repeated, with the support and with the points, in rows behind theirs. */
static tvgp_status prepare_again(tvgp__kalman_mixture *b, const tvgp__points *points, size_t columns) {
    const box *x = b->box;
    const size_t n = x->atlas.factor.n, m = points->n, again = b->late->kept.n;
    double *rows = x->cross + m * columns;
    if (n)
        TVGP__TRY(tvgp__kernel_block(b->base.kernel, again, b->late->kept.X, n, x->atlas.X, rows, columns));
    TVGP__TRY(tvgp__kernel_block(b->base.kernel, again, b->late->kept.X, m, points->X, rows + n + 1, columns));
    for (size_t i = 0; i < again; i++)
        b->late->kept.list[i].arm = m + i;
    return tvgp__kernel_diag(b->base.kernel, again, b->late->kept.X, x->variance + m);
}

/* Covariances of the points with the support, with the slot and with each other: observing calls no kernel. */
tvgp_status tvgp__kalman_mixture_box_prepare(tvgp__posterior *base, const tvgp__points *points) {
    tvgp__kalman_mixture *b = mixture_of(base);
    box *x = b->box;
    const tvgp__inducing_points *a = &x->atlas;
    const size_t n = a->factor.n, m = points->n, columns = n + 1 + m, needed = tvgp__inducing_points_stays(a, n + m);
    const size_t rows = m + (b->late && !points->in_order ? b->late->kept.n : 0);
    TVGP__TRY(grow(b, needed > b->set.basis.r ? tvgp__inducing_points_room(a, needed) : b->set.basis.r));
    TVGP__TRY(tvgp__memory_reserve(base->ctx, rows, sizeof *x->variance, &x->variance, &x->variance_slots));
    TVGP__TRY(tvgp__memory_reserve(base->ctx, tvgp__memory_product(rows, a->slots + 1 + m), sizeof *x->cross, &x->cross,
                                   &x->cross_slots));
    TVGP__TRY(tvgp__kernel_diag(base->kernel, m, points->X, x->variance));
    if (n)
        TVGP__TRY(tvgp__kernel_block(base->kernel, m, points->X, n, a->X, x->cross, columns));
    if (b->slot_on)
        TVGP__TRY(tvgp__kernel_block(base->kernel, m, points->X, 1, x->slot, x->cross + n, columns));
    TVGP__TRY(tvgp__kernel_block(base->kernel, m, points->X, m, points->X, x->cross + n + 1, columns));
    if (rows > m)
        TVGP__TRY(prepare_again(b, points, columns));
    x->columns = columns;
    x->first = x->slot_origin = n;
    for (size_t i = 0; i < n; i++)
        x->origin[i] = i;
    return TVGP_OK;
}

static void make_room(tvgp__kalman_mixture *b) {
    box *x = b->box;
    tvgp__inducing_points *a = &x->atlas;
    const size_t n = a->factor.n, i = tvgp__inducing_points_oldest(a);
    tvgp__inducing_points_leave(a, i);
    tvgp__kalman_filters_points_leave(&b->set, n, i, a->turn, a->turn + a->slots);
    memmove(x->origin + i, x->origin + i + 1, (n - 1 - i) * sizeof *x->origin);
}

static double features(box *x, size_t i) {
    const tvgp__inducing_points *a = &x->atlas;
    for (size_t j = 0; j < a->factor.n; j++)
        x->k[j] = x->cross[i * x->columns + x->origin[j]];
    return tvgp__inducing_points_features(a, x->k, x->own, x->b);
}

/* Whether the filter that leads needs the point in the support, going by its observation. */
static int refines(tvgp__kalman_mixture *b, const tvgp__kalman_mixture_answer *o, double rest) {
    const box *x = b->box;
    tvgp__kalman_filter *f = o->lead, *list[] = {f->lender ? f->lender : f, f};
    double mean;
    tvgp__kalman_filters_points_look(&b->set, x->atlas.factor.n, x->b, x->own, rest);
    tvgp__kalman_filters_columns(&b->set, f->lender ? 2 : 1, list, 0);
    const double var = tvgp__kalman_filter_expect(&b->set, f, &mean);
    return tvgp__inducing_points_refines(&x->atlas, rest, x->own, o->y - mean, f->level * o->noise, var);
}

void tvgp__kalman_mixture_box_look(tvgp__kalman_mixture *b, const tvgp__points *points, size_t i,
                                   const tvgp__kalman_mixture_answer *o) {
    box *x = b->box;
    tvgp__inducing_points *a = &x->atlas;
    x->own = x->variance[i];
    x->to_slot = x->cross[i * x->columns + x->slot_origin];
    double rest = features(x, i);
    const int joins = i < points->n && (tvgp__inducing_points_takes(a, rest, x->own) || refines(b, o, rest));
    if (joins && tvgp__inducing_points_stays(a, a->factor.n + 1) == a->factor.n) {
        make_room(b);
        rest = features(x, i);
    }
    if (joins) {
        x->origin[a->factor.n] = x->first + 1 + i;
        rest = -tvgp__inducing_points_join(a, points->X + i * b->base.kernel->dim, x->own, rest, x->b);
    } else {
        tvgp__inducing_points_pass(a, x->k);
    }
    b->base.counts.rank = a->factor.n;
    tvgp__kalman_filters_points_look(&b->set, a->factor.n, x->b, x->own, rest);
}

void tvgp__kalman_mixture_box_mark(tvgp__kalman_mixture *b, const tvgp__points *points, size_t i) {
    box *x = b->box;
    const size_t dim = b->base.kernel->dim;
    memcpy(x->slot, points->X + i * dim, dim * sizeof *x->slot);
    x->slot_own = x->own;
    x->slot_origin = x->first + 1 + i;
}

int tvgp__kalman_mixture_box_elsewhere(const tvgp__kalman_mixture *b) {
    const box *x = b->box;
    return x->to_slot < ELSEWHERE * sqrt(x->own) * sqrt(x->slot_own);
}

void tvgp__kalman_mixture_box_clear(tvgp__kalman_mixture *b) {
    tvgp__inducing_points_clear(&b->box->atlas);
    b->base.counts.rank = 0;
}

/* ---- the predictive distribution ----------------------------------------------------------------------------- */

/* In its memory: u, cross (ld each) and S (ld x ld), with room for pending points, and workspace. */
tvgp_status tvgp__kalman_mixture_box_predictive(tvgp__posterior *base, double t, tvgp__predictive *out) {
    tvgp__kalman_mixture *b = mixture_of(base);
    const tvgp__inducing_points *a = &b->box->atlas;
    const size_t n = a->factor.n, ld = n + TVGP__INDUCING_POINTS_SPARE, r = b->set.basis.r;
    double *memory = NULL, *wide = b->set.square;
    const size_t most = tvgp__inducing_points_ld(a);
    TVGP__TRY(tvgp__scratch_take(base->ctx, most * (most + 4) + r * (b->J + 3), &memory));
    memset(memory, 0, (ld * (ld + 4) + r * (b->J + 3)) * sizeof *memory);
    double *u = memory, *cross = u + ld, *S = cross + ld, *work = S + ld * (ld + 2);
    *out = tvgp__predictive_of(base->ctx, base->kernel, n, a->X, a->W, tvgp__inducing_points_ld(a), u);
    out->inverse = 1;
    memset(wide, 0, r * r * sizeof *wide);
    tvgp__kalman_mixture_moments(b, t, work, wide, work + r, work + 2 * r, out);
    memcpy(u, work, n * sizeof *u);
    memcpy(cross, work + r, n * sizeof *cross);
    for (size_t j = 0; j < n; j++)
        memcpy(S + j * (ld + 1), wide + j * (r + 1), (n - j) * sizeof *S);
    out->S = S;
    out->ldS = ld;
    out->cross = b->set.constants ? cross : NULL;
    out->kappa = tvgp__kalman_mixture_factor(b);
    out->lent = memory;
    return TVGP_OK;
}

/* What the variance at a point, with v of its first `rows` entries, is a difference of: S may be of numbers that cancel, as far
 * as filters differ in their means, and of any v'S v it is known that |S_ij| <= sqrt(S_ii S_jj). */
static double size_of(const tvgp__predictive *predictive, size_t rows, const double *S, const double *v, double own) {
    double sum = 0;
    for (size_t j = 0; j < rows; j++)
        sum += fabs(v[j]) * sqrt(fabs(S[j * (predictive->ldS + 1)]));
    return predictive->kappa * own + tvgp__valid_range_product(sum, sum);
}

/* The covariance of f + constant at z with that at the pending point p is g'v(z) + gamma with the row (-q'W, kappa) of W
 * for kappa k(p, z) - q'v(z), q = S v(p) - cross, and gamma = extra + cross'v(p). Divided by the root of s = var(p) +
 * noise it is a row with S = 1, cross = -gamma / root, and extra loses gamma^2 / s. If the rest of var(p) is round-off
 * there is no row: after outcomes far beyond the noise, errors divided by such a root would grow from row to row beyond
 * the range. */
static tvgp_status pend(tvgp__kalman_mixture *b, tvgp__predictive *predictive, size_t rows, const double *at, double noise) {
    const tvgp__posterior *base = &b->base;
    tvgp__inducing_points *a = &b->box->atlas;
    const size_t r = predictive->r, ld = predictive->ldS, dim = base->kernel->dim;
    double *cross = predictive->lent + ld, *S = cross + ld, *v = S + ld * ld, *q = v + ld, own;
    TVGP__TRY(tvgp__kernel_diag(base->kernel, 1, at, &own));
    if (r) {
        TVGP__TRY(tvgp__kernel_block(base->kernel, 1, at, r, a->X, v, r));
        tvgp__blas_trmm(TVGP__NO_TRANS, r, 1, a->W, predictive->ld, v, r);
        memcpy(q, cross, r * sizeof *q);
        tvgp__blas_symv(r, 1, S, ld, v, -1, q);
    }
    const double shared = tvgp__blas_dot(r, cross, v), gamma = predictive->extra + shared;
    const double var = predictive->kappa * own + gamma - tvgp__blas_dot(r, v, q);
    if (!(var > ROUND_OFF * size_of(predictive, rows, S, v, own)))
        return TVGP_OK;
    const double root = sqrt(var + noise);
    tvgp__chol_inverse_border(a->W, predictive->ld, r, q, predictive->kappa, root);
    memcpy(a->X + r * dim, at, dim * sizeof *at);
    S[r * (ld + 1)] = 1;
    cross[r] = -gamma / root;
    predictive->extra -= gamma / root * (gamma / root);
    predictive->r++;
    return TVGP_OK;
}

static tvgp_status pend_all(tvgp__posterior *base, tvgp__predictive *predictive, double now, size_t n, const double *X,
                            const double *t, double noise) {
    (void)now;
    (void)t; /* drift models differ in the change since then: they count as observations of the present */
    const size_t rows = predictive->r;
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(pend(mixture_of(base), predictive, rows, X + i * base->kernel->dim, tvgp__posterior_noise(base, noise)));
    return TVGP_OK;
}

const tvgp__posterior_anywhere tvgp__kalman_mixture_anywhere = {.pend = pend_all};

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

void tvgp__kalman_mixture_box_visit(tvgp__kalman_mixture *b, tvgp__visit *v) {
    box *x = b->box;
    tvgp__inducing_points_visit(&x->atlas, v);
    b->base.counts.dropped = x->atlas.left;
    tvgp__kalman_filters_points_visit(&b->set, x->atlas.limit ? x->atlas.limit : INT32_MAX, v);
    if (tvgp__visit_loads(v) && x->atlas.factor.n > b->set.basis.r)
        tvgp__visit_refuse(v, "there are more support points than weights");
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, grow(b, b->set.basis.r));
}

void tvgp__kalman_mixture_box_visit_slot(tvgp__kalman_mixture *b, tvgp__visit *v) {
    box *x = b->box;
    tvgp__visit_reals(v, b->base.kernel->dim, x->slot, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &x->slot_own, 0, TVGP__VISIT_MOST);
}
