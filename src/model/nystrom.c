/* SPDX-License-Identifier: MIT */
/* Computes the Nystrom posterior of a dictionary (model/nystrom.h): W = I + sum b b' / noise over the pulls, R = I - W^-1. On arms b,
 * mean and variance are kept of all arms; on a box b of every pull, and the mean of the weights. */
#include "model/nystrom.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol_inverse.h"
#include "linalg/loops.h"
#include "linalg/trisolve.h"
#include "model/arm_columns.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <string.h>

enum { ROWS = 1024 };                                /* arms in a block of a fit */
enum { PENDING = 32 };                               /* rows of a predictive that pending actions may add at a time */
static const double SPAN = 1e-12, ROUND_OFF = 1e-15; /* of the largest variance: what a member must add to the span of those
                                                      * before it, on a box and on arms */

/* ---- pulls ------------------------------------------------------------------------------------------------------ */

/* Counts pull i: to its arm, or on a box as a point of its own. */
static void count(tvgp__nystrom *d, size_t i) {
    tvgp__observation *pull = &d->pulls.list[i];
    d->alone -= 0.5 * (tvgp__valid_range_misfit(pull->y, pull->noise) + log(TVGP__TWO_PI * pull->noise));
    if (!d->fixed) {
        pull->arm = d->distinct++;
        return;
    }
    if (!d->position[pull->arm]) {
        d->arms[d->distinct] = (tvgp__nystrom_arm){.arm = pull->arm};
        d->position[pull->arm] = ++d->distinct;
    }
    tvgp__nystrom_arm *a = &d->arms[d->position[pull->arm] - 1];
    a->precision += 1 / pull->noise;
    a->weighted += pull->y / pull->noise;
}

static void forget(tvgp__nystrom *d, size_t oldest) {
    if (!oldest)
        return;
    for (size_t i = 0; d->fixed && i < d->distinct; i++)
        d->position[d->arms[i].arm] = 0;
    d->distinct = 0;
    d->alone = 0;
    tvgp__observations_drop(&d->pulls, oldest);
    d->base.counts.logged = d->pulls.n;
    d->pulls_known -= oldest < d->pulls_known ? oldest : d->pulls_known;
    for (size_t i = 0; i < d->pulls.n; i++)
        count(d, i);
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    const double noise = tvgp__posterior_noise(base, o->noise);
    const tvgp__observation pull = {.arm = d->fixed ? points->arm[i] : d->pulls.n, .y = o->y, .noise = noise};
    tvgp__observations_add(&d->pulls, &pull, d->fixed ? NULL : points->X + i * base->kernel->dim);
    count(d, d->pulls.n - 1);
    base->counts.logged = d->pulls.n;
    base->now = fmax(base->now, o->t);
    if (d->exact)
        tvgp__posterior_observe(d->exact, points, i, o->t, o->y, noise, base->assumes);
}

/* ---- workspace -------------------------------------------------------------------------------------------------- */

/* Parts of the workspace, for u distinct points and a dictionary of m. */
typedef struct {
    double *S, *T;    /* m x m: on arms L_S, prepared for solves; the Gram matrix, then L_W */
    double *b;        /* b at the points, each divided by the root of its noise: on arms u x m, on a box m x u */
    double *h;        /* m: on arms W^-1 sum b y / noise */
    double *y;        /* u */
    double *block;    /* on arms ROWS x m: c at a block of arms */
    double *pivoting; /* 2 m */
    int32_t *pivot;   /* m */
} workspace;

static size_t size_of(const tvgp__nystrom *d, size_t u, size_t m) {
    return (2 * m + (u > m ? u : m) + (d->fixed ? ROWS : 0) + 4) * m + u;
}

static workspace lay_out(const tvgp__nystrom *d, size_t u, size_t m) {
    workspace w = {.S = d->work};
    w.T = w.S + m * m;
    w.b = w.T + m * m;
    w.h = w.b + (u > m ? u : m) * m;
    w.y = w.h + m;
    w.block = w.y + u;
    w.pivoting = w.block + (d->fixed ? ROWS * m : 0);
    w.pivot = (int32_t *)(void *)(w.pivoting + 2 * m);
    return w;
}

/* ---- W ---------------------------------------------------------------------------------------------------------- */

/* From W - I in T and sum b y / noise in h: L_W in T, R, the mean of the weights in h, and the log marginal
 * likelihood. */
static void factor_information(tvgp__nystrom *d, size_t r, double *T, double *h, double *R) {
    tvgp__posterior *b = &d->base;
    for (size_t j = 0; j < r; j++)
        T[j * (r + 1)] += 1;
    (void)tvgp__blas_potrf(r, T, r); /* cannot fail: W >= I */
    b->log_det_ratio = 0;
    for (size_t j = 0; j < r; j++)
        b->log_det_ratio += 2 * log(T[j * (r + 1)]);
    tvgp__blas_trsv(TVGP__NO_TRANS, r, T, r, h);
    b->log_marginal_likelihood = d->alone + 0.5 * (tvgp__valid_range_cap(tvgp__blas_dot(r, h, h)) - b->log_det_ratio);
    tvgp__blas_trsv(TVGP__TRANS, r, T, r, h);
    memcpy(R, T, r * r * sizeof *R);
    tvgp__blas_potri(r, R, r);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            R[j * r + i] = R[i * r + j] = (i == j) - R[j * r + i];
}

/* ---- on arms ---------------------------------------------------------------------------------------------------- */

/* Room for `slots` features; contents stay. */
static tvgp_status reserve_weights(tvgp__nystrom_weights *w, size_t slots) {
    if (slots <= w->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, w->basis.n * sizeof *w->basis.Phi, &w->basis.Phi));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, sizeof *w->basis.pivot, &w->basis.pivot));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, slots * sizeof *w->basis.L, &w->basis.L));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, tvgp__memory_product(slots, slots + 1) / 2, sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, 2 * sizeof *w->phi, &w->phi));
    w->c = w->phi + slots;
    w->slots = slots;
    return TVGP_OK;
}

/* L_S of the members that span, in the order of the pivots. */
static void factor_members(tvgp__nystrom *d, size_t m, const size_t *arm, workspace *w) {
    tvgp__basis *f = &d->features.basis;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++)
            w->T[j * m + i] = tvgp__kernel_rows_at(&d->base.rows, arm[j])[arm[i]];
    f->r = tvgp__blas_pstrf(m, w->T, m, ROUND_OFF * d->base.largest, w->pivot, w->pivoting);
    for (size_t j = 0; j < f->r; j++) {
        f->pivot[j] = arm[w->pivot[j]];
        for (size_t i = j; i < f->r; i++)
            w->S[j * f->r + i] = f->L[j * f->r + i] = w->T[j * m + i];
    }
    tvgp__trisolve_prepare(f->r, w->S, f->r);
}

/* b at the member of pivot j is row j of L_S: exactly, where the solve leaves round-off divided by the smallest pivot. */
static void set_member(const tvgp__basis *f, size_t j, double *b, size_t ld) {
    for (size_t c = 0; c < f->r; c++)
        b[c * ld] = c <= j ? f->L[c * f->r + j] : 0;
}

static void set_members(tvgp__basis *f) {
    for (size_t j = 0; j < f->r; j++)
        set_member(f, j, f->Phi + f->pivot[j], f->n);
}

/* L_W, h, R and the log marginal likelihood from b at the pulled arms. */
static void gather_arms(tvgp__nystrom *d, workspace *w) {
    tvgp__nystrom_weights *f = &d->features;
    const size_t u = d->distinct, r = f->basis.r;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < u; i++)
            w->b[j * u + i] = tvgp__kernel_rows_at(&d->base.rows, f->basis.pivot[j])[d->arms[i].arm];
    tvgp__trisolve_right(u, r, w->S, r, w->b, u);
    for (size_t j = 0; j < r; j++)
        if (d->position[f->basis.pivot[j]])
            set_member(&f->basis, j, w->b + d->position[f->basis.pivot[j]] - 1, u);
    for (size_t i = 0; i < u; i++)
        w->y[i] = sqrt(d->arms[i].precision);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < u; i++)
            w->b[j * u + i] *= w->y[i];
    for (size_t i = 0; i < u; i++)
        w->y[i] = d->arms[i].weighted / w->y[i];
    tvgp__blas_gemv(TVGP__TRANS, u, r, 1, w->b, u, w->y, 0, w->h);
    tvgp__blas_syrk(TVGP__TRANS, r, u, 1, w->b, u, 0, w->T, r);
    factor_information(d, r, w->T, w->h, w->b); /* b is not needed any more */
    for (size_t j = 0, at = 0; j < r; at += r - j, j++)
        memcpy(f->R + at, w->b + j * (r + 1), (r - j) * sizeof *f->R);
    tvgp__trisolve_prepare(r, w->T, r);
}

/* sum[i] += sign sum_j V[i, j]^2, four columns a pass */
TVGP__SIMD_CLONES
static void add_squares(size_t rows, size_t r, double sign, const double *restrict V, size_t ld, double *restrict sum) {
    size_t j = 0;
    for (; j + 4 <= r; j += 4) {
        const double *c0 = V + j * ld, *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
        for (size_t i = 0; i < rows; i++)
            sum[i] += sign * ((c0[i] * c0[i] + c1[i] * c1[i]) + (c2[i] * c2[i] + c3[i] * c3[i]));
    }
    for (; j < r; j++)
        for (size_t i = 0; i < rows; i++)
            sum[i] += sign * (V[j * ld + i] * V[j * ld + i]);
}

/* b of arms first .. first + rows - 1. */
static void explain(tvgp__nystrom *d, size_t first, size_t rows, const double *S) {
    tvgp__basis *f = &d->features.basis;
    double *b = f->Phi + first;
    for (size_t j = 0; j < f->r; j++)
        memcpy(b + j * f->n, tvgp__kernel_rows_at(&d->base.rows, f->pivot[j]) + first, rows * sizeof *b);
    tvgp__trisolve_right(rows, f->r, S, f->r, b, f->n);
}

/* b, mean and variance of arms first .. first + rows - 1. */
static void evaluate(tvgp__nystrom *d, size_t first, size_t rows, workspace *w) {
    tvgp__posterior *p = &d->base;
    const tvgp__basis *f = &d->features.basis;
    const double *b = f->Phi + first;
    explain(d, first, rows, w->S);
    for (size_t j = 0; j < f->r; j++)
        memcpy(w->block + j * rows, b + j * p->n, rows * sizeof *b);
    tvgp__trisolve_right(rows, f->r, w->T, f->r, w->block, rows);
    tvgp__blas_gemv(TVGP__NO_TRANS, rows, f->r, 1, b, p->n, w->h, 0, p->own.mean + first);
    memcpy(p->own.var + first, p->prior + first, rows * sizeof *p->own.var);
    add_squares(rows, f->r, -1, b, p->n, p->own.var + first);
    add_squares(rows, f->r, 1, w->block, rows, p->own.var + first);
}

static void drop_exact(tvgp__nystrom *d) {
    tvgp__posterior_free(d->exact);
    d->exact = NULL;
}

static void fit_arms(tvgp__nystrom *d, size_t m, const size_t *arm) {
    const size_t n = d->base.n;
    workspace w = lay_out(d, d->distinct, m);
    drop_exact(d);
    factor_members(d, m, arm, &w);
    gather_arms(d, &w);
    for (size_t first = 0; first < n; first += ROWS)
        evaluate(d, first, n - first < ROWS ? n - first : ROWS, &w);
    set_members(&d->features.basis);
    if (d->first)
        memcpy(d->first, d->base.own.var, n * sizeof *d->first);
}

/* The column Phi c = P[:, arm] with c = phi - R phi; or, subtracted from the prior's column in `out`, its complement Phi R phi. */
static void make_column(const tvgp__nystrom_weights *f, size_t arm, int complement, double *out) {
    const size_t r = f->basis.r;
    tvgp__basis_row(&f->basis, arm, f->phi);
    for (size_t j = 0; j < r; j++)
        f->c[j] = complement ? 0 : f->phi[j];
    tvgp__loops_spmv(r, complement ? 1 : -1, f->R, f->phi, f->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, f->basis.n, r, complement ? -1 : 1, f->basis.Phi, f->basis.n, f->c, complement, out);
}

/* One pull with the dictionary as it is. */
static void take_in_arm(tvgp__nystrom *d, const tvgp__observation *pull) {
    const tvgp__nystrom_weights *f = &d->features;
    double e, *g = d->work;
    make_column(f, pull->arm, 0, g);
    const double s = tvgp__posterior_condition(&d->base, pull->arm, pull->y, pull->noise, NAN, g, &e);
    tvgp__loops_spr(f->basis.r, 1 / s, f->c, f->R);
}

static void column(tvgp__posterior *base, size_t arm, double *out) {
    const tvgp__nystrom *d = (const tvgp__nystrom *)base;
    if (d->exact) {
        d->exact->ops->column(d->exact, arm, out);
        return;
    }
    memcpy(out, tvgp__kernel_rows_at(&base->rows, arm), base->n * sizeof *out);
    make_column(&d->features, arm, 1, out);
}

static tvgp_status reach(tvgp__posterior *base, const tvgp__points *points) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    return d->exact ? tvgp__posterior_reach(d->exact, points)
                    : tvgp__kernel_rows_replace(&base->rows, TVGP__KERNEL_ROWS_PENDING, points->n, points->arm);
}

/* ---- on a box --------------------------------------------------------------------------------------------------- */

/* b of a pull; NULL without a dictionary. */
static double *row_of(const tvgp__nystrom_rows *f, size_t i) {
    return f->r ? f->b + i * f->r : NULL;
}

/* b and k(x, x) of pulls first .. n - 1, noted ones included. */
static tvgp_status fill_rows(const tvgp__nystrom *d, tvgp__nystrom_rows *f, size_t first, size_t n) {
    const tvgp_kernel *kernel = d->base.kernel;
    for (size_t i = first; i < n; i++) {
        const double *x = d->pulls.X + i * kernel->dim;
        TVGP__TRY(tvgp__kernel_diag(kernel, 1, x, &f->prior[i]));
        if (!f->r)
            continue;
        TVGP__TRY(tvgp__kernel_block(kernel, 1, x, f->r, f->X, row_of(f, i), f->r));
        tvgp__blas_trmm(TVGP__NO_TRANS, f->r, 1, f->W, f->r, row_of(f, i), f->r);
    }
    return TVGP_OK;
}

static tvgp_status reserve_rows(const tvgp__nystrom *d, tvgp__nystrom_rows *f, size_t pulls, size_t r) {
    tvgp_ctx *ctx = d->base.ctx;
    TVGP__TRY(tvgp__memory_reserve(ctx, tvgp__memory_product(pulls, r), sizeof *f->b, &f->b, &f->b_slots));
    return tvgp__memory_reserve(ctx, pulls, sizeof *f->prior, &f->prior, &f->prior_slots);
}

/* Room for a dictionary of m points in f, and for what a fit computes from u pulls. */
static tvgp_status reserve_fit(tvgp__nystrom *d, tvgp__nystrom_rows *f, size_t u, size_t m) {
    tvgp_ctx *ctx = d->base.ctx;
    const size_t square = tvgp__memory_product(m, m);
    TVGP__TRY(tvgp__memory_reserve(ctx, size_of(d, u, m), sizeof *d->work, &d->work, &d->work_slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, m, sizeof *d->u, &d->u, &d->u_slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, square, sizeof *d->R, &d->R, &d->R_slots));
    if (d->keeps)
        TVGP__TRY(tvgp__memory_reserve(ctx, square, sizeof *d->first, &d->first, &d->first_slots));
    TVGP__TRY(tvgp__memory_room(ctx, tvgp__memory_product(m, d->base.kernel->dim), sizeof *f->X, &f->X));
    return tvgp__memory_room(ctx, square, sizeof *f->W, &f->W);
}

/* L_S^-1 of the members that span, in the order of the pivots. */
static tvgp_status invert_members(tvgp__nystrom *d, size_t m, const size_t *point, workspace *w) {
    const tvgp_kernel *kernel = d->base.kernel;
    const size_t dim = kernel->dim;
    tvgp__nystrom_rows *f = &d->next;
    for (size_t i = 0; i < m; i++)
        memcpy(f->X + i * dim, d->pulls.X + point[i] * dim, dim * sizeof *f->X);
    for (size_t i = 0; i < m; i++)
        TVGP__TRY(tvgp__kernel_block(kernel, 1, f->X + i * dim, m, f->X, w->T + i * m, m));
    f->r = tvgp__blas_pstrf(m, w->T, m, SPAN * d->base.largest, w->pivot, w->pivoting);
    for (size_t j = 0; j < f->r; j++) {
        memcpy(f->X + j * dim, d->pulls.X + point[w->pivot[j]] * dim, dim * sizeof *f->X);
        memcpy(f->W + j * (f->r + 1), w->T + j * (m + 1), (f->r - j) * sizeof *f->W);
    }
    tvgp__blas_trtri(f->r, f->W, f->r);
    return TVGP_OK;
}

static tvgp_status prepare_rows(tvgp__nystrom *d, size_t more, size_t m, const size_t *point) {
    const size_t n = d->pulls.n + more, room = m + m / 4 + 16 < n ? m + m / 4 + 16 : n; /* the next one may be larger */
    TVGP__TRY(reserve_fit(d, &d->next, n, room));
    TVGP__TRY(reserve_rows(d, &d->next, n, room));
    d->next_pulls = n;
    workspace w = lay_out(d, n, room);
    TVGP__TRY(invert_members(d, m, point, &w));
    return fill_rows(d, &d->next, 0, n);
}

static void fit_rows(tvgp__nystrom *d) {
    const tvgp__nystrom_rows before = d->now;
    const size_t n = d->pulls.n, gone = d->next_pulls - n, r = d->next.r; /* of the pulls that rows were prepared for */
    const workspace w = lay_out(d, n, r);
    d->now = d->next;
    d->next = before;
    memmove(d->now.b, d->now.b + gone * r, n * r * sizeof *d->now.b);
    memmove(d->now.prior, d->now.prior + gone, n * sizeof *d->now.prior);
    memset(d->u, 0, r * sizeof *d->u);
    for (size_t i = 0; i < n; i++) {
        const double root = sqrt(d->pulls.list[i].noise);
        for (size_t j = 0; j < r; j++)
            w.b[i * r + j] = d->now.b[i * r + j] / root;
        tvgp__blas_axpy(r, d->pulls.list[i].y / root, w.b + i * r, d->u);
    }
    tvgp__blas_syrk(TVGP__NO_TRANS, r, n, 1, w.b, r, 0, w.T, r);
    factor_information(d, r, w.T, d->u, d->R);
    if (d->keeps)
        memcpy(d->first, d->R, r * r * sizeof *d->R);
}

/* One pull with the dictionary as it is: with a = W^-1 b and s = noise + b'a, the weights gain a e / s and R gains a a' / s. */
static void take_in_row(tvgp__nystrom *d, const tvgp__observation *pull) {
    const size_t r = d->now.r;
    const double *b = row_of(&d->now, pull->arm);
    double *a = d->work;
    for (size_t j = 0; j < r; j++) /* without features there need not be arrays */
        a[j] = b[j];
    tvgp__blas_gemv(TVGP__NO_TRANS, r, r, -1, d->R, r, b, 1, a);
    const double known = tvgp__blas_dot(r, b, a), sum = pull->noise + known, e = pull->y - tvgp__blas_dot(r, b, d->u);
    tvgp__blas_axpy(r, e / sum, a, d->u);
    for (size_t j = 0; j < r; j++)
        tvgp__blas_axpy(r, a[j] / sum, a, d->R + j * r);
    d->base.log_marginal_likelihood -= 0.5 * (tvgp__valid_range_misfit(e, sum) + log(TVGP__TWO_PI * sum));
    d->base.log_det_ratio += log(sum / pull->noise);
    d->base.counts.observations++;
}

/* The covariance of f at z with that at the pending point p is k(p, z) - q'v(z), q = S v(p): the row (-q'W, 1) of W. Divided by the
 * root of var(p) + noise it is a row with S = 1, whose share of the mean is 0. */
static tvgp_status pend(tvgp__posterior *base, tvgp__predictive *predictive, double now, size_t n, const double *Z,
                        const double *t, double noise) {
    const size_t ld = predictive->ld, dim = base->kernel->dim;
    double *X = predictive->memory + ld, *S = X + ld * dim, *W = S + ld * ld, *v = W + ld * ld, *q = v + ld, own;
    (void)now, (void)t;
    for (size_t i = 0; i < n && i < PENDING; i++) {
        const size_t r = predictive->r;
        TVGP__TRY(tvgp__kernel_diag(base->kernel, 1, Z + i * dim, &own));
        if (r) {
            TVGP__TRY(tvgp__kernel_block(base->kernel, 1, Z + i * dim, r, X, v, r));
            tvgp__blas_trmm(TVGP__NO_TRANS, r, 1, W, ld, v, r);
            tvgp__blas_symv(r, 1, S, ld, v, 0, q);
        }
        const double var = own - tvgp__blas_dot(r, v, q);
        if (!(var > SPAN * base->largest))
            continue;
        tvgp__chol_inverse_border(W, ld, r, q, 1, sqrt(var + tvgp__posterior_noise(base, noise)));
        memcpy(X + r * dim, Z + i * dim, dim * sizeof *X);
        S[r * (ld + 1)] = 1;
        predictive->r++;
    }
    return TVGP_OK;
}

static const tvgp__posterior_anywhere anywhere = {.pend = pend};

/* ---- as a dictionary -------------------------------------------------------------------------------------------- */

tvgp_status tvgp__nystrom_note(tvgp__nystrom *d, size_t k, size_t point, double y, double noise, const double *x) {
    const size_t dim = d->base.kernel->dim;
    d->pulls.list[k] = (tvgp__observation){.arm = point, .y = y, .noise = tvgp__posterior_noise(&d->base, noise)};
    if (d->fixed)
        return TVGP_OK;
    memcpy(d->pulls.X + k * dim, x, dim * sizeof *x);
    return fill_rows(d, &d->now, k, k + 1);
}

tvgp_status tvgp__nystrom_prepare(tvgp__nystrom *d, size_t more, size_t m, const size_t *point) {
    const size_t n = d->base.n, arms = d->distinct + more < n ? d->distinct + more : n;
    if (!d->fixed)
        return prepare_rows(d, more, m, point);
    TVGP__TRY(tvgp__posterior_hold(&d->base, &(tvgp__points){.n = m, .arm = point}));
    /* a dictionary drawn again at every step varies in size: a little more than it needs */
    TVGP__TRY(reserve_weights(&d->features, m > d->features.slots ? m + m / 8 : m));
    return tvgp__memory_reserve(d->base.ctx, size_of(d, arms, m), sizeof *d->work, &d->work, &d->work_slots);
}

static size_t rank_of(const tvgp__nystrom *d) {
    return d->fixed ? d->features.basis.r : d->now.r;
}

void tvgp__nystrom_fit(tvgp__nystrom *d, size_t oldest, size_t m, const size_t *point) {
    forget(d, oldest);
    if (d->fixed)
        fit_arms(d, m, point);
    else
        fit_rows(d);
    d->members = m;
    d->base.counts.rank = rank_of(d);
    d->dropped += m - rank_of(d);
    d->pulls_known = d->base.counts.observations = d->pulls.n;
}

void tvgp__nystrom_condition(tvgp__nystrom *d) {
    tvgp__posterior *b = &d->base;
    if (d->exact) {
        memcpy(b->own.mean, d->exact->own.mean, b->n * sizeof *b->own.mean);
        memcpy(b->own.var, d->exact->own.var, b->n * sizeof *b->own.var);
        b->log_marginal_likelihood = d->exact->log_marginal_likelihood;
        b->log_det_ratio = d->exact->log_det_ratio;
        b->counts = d->exact->counts;
        b->counts.logged = d->pulls_known = d->pulls.n;
    }
    for (; d->pulls_known < d->pulls.n; d->pulls_known++)
        (d->fixed ? take_in_arm : take_in_row)(d, &d->pulls.list[d->pulls_known]);
}

double tvgp__nystrom_variance(const tvgp__nystrom *d, size_t point, int first) {
    if (d->fixed)
        return first ? d->first[point] : d->base.own.var[point];
    const size_t r = d->now.r;
    const double *b = row_of(&d->now, point), *R = first ? d->first : d->R;
    double explained = 0;
    for (size_t j = 0; j < r; j++)
        explained += b[j] * tvgp__blas_dot(r, b, R + j * r);
    return d->now.prior[point] - explained;
}

double tvgp__nystrom_dimension(const tvgp__nystrom *d) {
    double sum = 0;
    for (size_t i = 0; i < d->distinct; i++)
        sum += d->fixed ? d->arms[i].precision * fmax(d->base.own.var[d->arms[i].arm], 0)
                        : fmax(tvgp__nystrom_variance(d, i, 0), 0) / d->pulls.list[i].noise;
    return sum;
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* Room for this many pulls, and to condition on them; the owner of the dictionary prepares a fit. */
static tvgp_status reserve(tvgp__nystrom *d, size_t pulls) {
    tvgp__posterior *b = &d->base;
    TVGP__TRY(tvgp__valid_range_count(b->ctx, "pulls", pulls));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, d->fixed ? b->n : d->now.r, sizeof *d->work, &d->work, &d->work_slots));
    if (!d->fixed)
        return reserve_rows(d, &d->now, pulls, d->now.r);
    if (d->keeps && !d->first)
        TVGP__TRY(tvgp__memory_alloc(b->ctx, b->n, sizeof *d->first, &d->first));
    return tvgp__memory_reserve(b->ctx, pulls, sizeof *d->arms, &d->arms, &d->arm_slots);
}

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    TVGP__TRY(reserve(d, d->pulls.n + points->n));
    TVGP__TRY(tvgp__observations_reserve(&d->pulls, points->n));
    return d->exact ? d->exact->ops->prepare(d->exact, points) : TVGP_OK;
}

static void advance(tvgp__posterior *base, double t) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    base->now = t;
    if (d->exact)
        d->exact->ops->advance(d->exact, t);
}

/* In its memory: u, X, S and W (on arms L), on a box with room for pending points. */
static tvgp_status predictive(tvgp__posterior *base, double t, tvgp__predictive *out) {
    const tvgp__nystrom *d = (const tvgp__nystrom *)base;
    const size_t r = rank_of(d), ld = d->fixed ? r : r + PENDING, dim = base->kernel->dim;
    double *memory = NULL;
    if (d->exact)
        return d->exact->ops->predictive(d->exact, t, out);
    TVGP__TRY(tvgp__memory_alloc(base->ctx, tvgp__memory_product(ld, 3 + dim + 2 * ld), sizeof *memory, &memory));
    double *X = memory + ld, *S = X + ld * dim, *W = S + ld * ld;
    const double *R = d->fixed ? d->features.R : d->R, *L = d->fixed ? d->features.basis.L : d->now.W;
    for (size_t j = 0; j < r; R += d->fixed ? r - j : r + 1, j++) {
        memcpy(S + j * (ld + 1), R, (r - j) * sizeof *S);
        memcpy(W + j * (ld + 1), L + j * (r + 1), (r - j) * sizeof *W);
    }
    if (d->fixed) {
        tvgp__basis_weights(&d->features.basis, base->own.mean, memory);
        tvgp__basis_points(&d->features.basis, dim, base->X, X);
    } else if (r) {
        memcpy(memory, d->u, r * sizeof *memory);
        memcpy(X, d->now.X, r * dim * sizeof *X);
    }
    *out = tvgp__predictive_of(base->ctx, base->kernel, r, X, W, ld, memory);
    out->inverse = !d->fixed;
    out->S = S;
    out->ldS = ld;
    out->memory = memory;
    return TVGP_OK;
}

static void reset(tvgp__posterior *base) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    forget(d, d->pulls.n);
    d->members = d->features.basis.r = d->now.r = base->counts.rank = 0;
    tvgp__posterior_prior(base, 1);
    if (d->exact)
        d->exact->ops->reset(d->exact);
}

static void free_rows(tvgp_ctx *ctx, tvgp__nystrom_rows *f) {
    double *const blocks[] = {f->X, f->W, f->b, f->prior};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(ctx, blocks[i]);
}

static void release(tvgp__posterior *base) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    if (!d->pulls.ctx)
        return;
    void *const blocks[] = {d->work, d->first, d->arms, d->position, d->features.phi, d->features.R, d->u, d->R};
    tvgp__posterior_free(d->exact);
    tvgp__basis_free(&d->features.basis);
    tvgp__observations_free(&d->pulls);
    free_rows(base->ctx, &d->now);
    free_rows(base->ctx, &d->next);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(base->ctx, blocks[i]);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/* The features again, from the factor of their pivots and the kernel. */
static tvgp_status find_again(tvgp__nystrom *d) {
    tvgp__basis *f = &d->features.basis;
    const size_t r = f->r;
    TVGP__TRY(tvgp__posterior_hold(&d->base, &(tvgp__points){.n = r, .arm = f->pivot}));
    TVGP__TRY(tvgp__memory_reserve(d->base.ctx, tvgp__memory_product(r, r), sizeof *d->work, &d->work, &d->work_slots));
    memcpy(d->work, f->L, r * r * sizeof *d->work);
    tvgp__trisolve_prepare(r, d->work, r);
    for (size_t first = 0; r && first < f->n; first += ROWS)
        explain(d, first, f->n - first < ROWS ? f->n - first : ROWS, d->work);
    set_members(f);
    return TVGP_OK;
}

/* The rank; when loading, with room for the members it is the size of, or 0. */
static size_t visit_rank(tvgp__nystrom *d, size_t most, tvgp__visit *v) {
    size_t r = rank_of(d), *const rank = d->fixed ? &d->features.basis.r : &d->now.r;
    tvgp__visit_count(v, &r, most, sizeof(double));
    if (!tvgp__visit_loads(v))
        return r;
    *rank = 0;
    if (r && r > (v->end - v->at) / sizeof(double) / r)
        tvgp__visit_refuse(v, "there are more features than bytes for them");
    if (tvgp__visit_fine(v) &&
        tvgp__visit_try(v, d->fixed ? reserve_weights(&d->features, r) : reserve_fit(d, &d->now, 0, r)))
        *rank = r;
    return *rank;
}

static void visit_arms(tvgp__nystrom *d, int exact, tvgp__visit *v) {
    tvgp__nystrom_weights *f = &d->features;
    const size_t r = visit_rank(d, d->base.n, v);
    if (tvgp__visit_fine(v) && r) {
        tvgp__visit_indices(v, r, f->basis.pivot, d->base.n);
        tvgp__visit_triangle(v, r, f->basis.L, r);
        tvgp__visit_reals(v, r * (r + 1) / 2, f->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
        if (tvgp__visit_loads(v))
            tvgp__visit_try(v, find_again(d));
    }
    if (tvgp__visit_loads(v) && exact && !d->exact)
        tvgp__visit_try(v, tvgp__nystrom_begin_exact(d));
    if (tvgp__visit_loads(v) && !exact)
        drop_exact(d);
    if (tvgp__visit_fine(v) && exact)
        tvgp__posterior_visit(d->exact, v);
    if (d->keeps && d->pulls.n)
        tvgp__visit_reals(v, d->base.n, d->first, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

static void visit_matrix(tvgp__visit *v, size_t r, double *A) {
    tvgp__visit_triangle(v, r, A, r);
    for (size_t j = 0; tvgp__visit_loads(v) && j < r; j++)
        for (size_t i = j + 1; i < r; i++)
            A[i * r + j] = A[j * r + i];
}

static void visit_rows(tvgp__nystrom *d, tvgp__visit *v) {
    const size_t r = visit_rank(d, d->members, v);
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_reals(v, r * d->base.kernel->dim, d->now.X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_triangle(v, r, d->now.W, r);
    tvgp__visit_reals(v, r, d->u, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    visit_matrix(v, r, d->R);
    if (d->keeps)
        visit_matrix(v, r, d->first);
    if (tvgp__visit_loads(v) && tvgp__visit_fine(v) && tvgp__visit_try(v, reserve(d, d->pulls.n)))
        tvgp__visit_try(v, fill_rows(d, &d->now, 0, d->pulls.n));
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    int exact = d->exact != NULL;
    if (tvgp__visit_loads(v))
        forget(d, d->pulls.n);
    tvgp__observations_visit(&d->pulls, base->n, v);
    tvgp__visit_size(v, &d->pulls_known, 0, d->pulls.n);
    if (d->fixed)
        tvgp__visit_flag(v, &exact);
    tvgp__visit_size(v, &d->members, 0, d->fixed ? base->n : INT32_MAX);
    if (tvgp__visit_loads(v) && d->fixed)
        tvgp__visit_try(v, reserve(d, d->pulls.n));
    for (size_t i = 0; tvgp__visit_loads(v) && tvgp__visit_fine(v) && i < d->pulls.n; i++)
        if (d->pulls.list[i].noise >= TVGP__VALID_RANGE_LEAST * 1e-10)
            count(d, i);
        else
            tvgp__visit_refuse(v, "a pull has no noise");
    base->counts.logged = d->pulls.n;
    if (d->fixed)
        visit_arms(d, exact, v);
    else
        visit_rows(d, v);
}

#define COMMON                                                                                                              \
    .visit = visit, .prepare = prepare, .observe = observe, .advance = advance, .predictive = predictive, .reset = reset,   \
    .release = release
static const tvgp__posterior_ops on_arms = {COMMON, .at = tvgp__posterior_still, .column = column, .reach = reach};
static const tvgp__posterior_ops on_box = {COMMON, .anywhere = &anywhere};

tvgp_status tvgp__nystrom_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, int fixed, size_t n, const double *X,
                              tvgp__nystrom **out) {
    tvgp__nystrom *d = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, fixed ? &on_arms : &on_box, kernel, n, X, sizeof *d, &d));
    d->fixed = fixed;
    d->base.n = fixed ? n : 0; /* on a box its arms give the scale, and no more */
    d->base.X = fixed ? X : NULL;
    d->features.basis = (tvgp__basis){.ctx = ctx, .n = d->base.n};
    d->pulls = (tvgp__observations){.ctx = ctx, .dim = fixed ? 0 : kernel->dim};
    tvgp__posterior_prior(&d->base, 1);
    const tvgp_status status = fixed ? tvgp__memory_alloc(ctx, n, sizeof *d->position, &d->position) : TVGP_OK;
    if (status < 0)
        tvgp__posterior_free(&d->base);
    else
        *out = d;
    return status;
}

tvgp_status tvgp__nystrom_begin_exact(tvgp__nystrom *d) {
    return tvgp__arm_columns_new(d->base.ctx, d->base.kernel, 0, d->base.n, d->base.X, &d->exact);
}
