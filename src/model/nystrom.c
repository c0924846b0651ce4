/* SPDX-License-Identifier: MIT */
/* Computes b, R = I - W^-1, mean and variance of all arms from a dictionary (model/nystrom.h). */
#include "model/nystrom.h"

#include "base/constants.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/simd_clones.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/loops.h"
#include "linalg/trisolve.h"
#include "model/arm_columns.h"
#include "model/posterior.h"

#include <math.h>
#include <string.h>

enum { ROWS = 1024 }; /* arms in a block of a fit */

/* ---- weights ---------------------------------------------------------------------------------------------------- */

static size_t triangle(size_t r) {
    return r * (r + 1) / 2;
}

/* Makes room for `slots` features, of which *held have room now (updated); contents stay. */
static tvgp_status weights_reserve(tvgp__nystrom_weights *w, size_t slots, size_t *held) {
    if (slots <= *held)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, w->basis.n * sizeof *w->basis.Phi, &w->basis.Phi));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, sizeof *w->basis.pivot, &w->basis.pivot));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, slots * sizeof *w->basis.L, &w->basis.L));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, triangle(slots), sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, 2 * sizeof *w->phi, &w->phi));
    w->c = w->phi + slots;
    *held = slots;
    return TVGP_OK;
}

static void weights_free(tvgp__nystrom_weights *w) {
    tvgp_ctx *ctx = w->basis.ctx;
    tvgp__basis_free(&w->basis);
    tvgp__memory_free(ctx, w->phi);
    tvgp__memory_free(ctx, w->R);
}

/* Looks at an arm and makes its column, p = P[:, arm]. */
static void weights_column(tvgp__nystrom_weights *w, size_t arm, double *p) {
    const tvgp__basis *b = &w->basis;
    if (!b->r)
        return;
    tvgp__basis_row(b, arm, w->phi);
    memcpy(w->c, w->phi, b->r * sizeof *w->c);
    tvgp__loops_spmv(b->r, -1, w->R, w->phi, w->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, b->n, b->r, 1, b->Phi, b->n, w->c, 0, p);
}

/* Observes the arm last looked at, with s its variance and noise. */
static void weights_observe(tvgp__nystrom_weights *w, double s) {
    tvgp__loops_spr(w->basis.r, 1 / s, w->c, w->R);
}

/* The posterior as a function of the point, which owns its arrays; arm_mean: posterior mean of all arms. NOMEM. */
static tvgp_status weights_predictive(const tvgp__nystrom_weights *w, const tvgp_kernel *kernel, const double *X,
                                      const double *arm_mean, tvgp__predictive *out) {
    const size_t r = w->basis.r;
    double *memory = NULL;
    TVGP__TRY(tvgp__memory_alloc(w->basis.ctx, r, (kernel->dim + 1 + r) * sizeof *memory, &memory));
    double *square = memory + r * (kernel->dim + 1);
    const double *packed = w->R;
    for (size_t j = 0; j < r; packed += r - j, j++)
        memcpy(square + j * (r + 1), packed, (r - j) * sizeof *square);
    tvgp__basis_weights(&w->basis, arm_mean, memory);
    tvgp__basis_points(&w->basis, kernel->dim, X, memory + r);
    *out = tvgp__predictive_of(w->basis.ctx, kernel, r, memory + r, w->basis.L, r, memory);
    out->S = square;
    out->memory = memory;
    return TVGP_OK;
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Adds a pull to the sums of its arm. */
static void tally(tvgp__nystrom *d, const tvgp__observation *pull) {
    if (!d->position[pull->arm]) {
        d->arms[d->dict.distinct] = (tvgp__nystrom_arm){.arm = pull->arm};
        d->position[pull->arm] = ++d->dict.distinct;
    }
    tvgp__nystrom_arm *a = &d->arms[d->position[pull->arm] - 1];
    a->count++;
    a->precision += 1 / pull->noise;
    a->weighted += pull->y / pull->noise;
    d->dict.alone -= 0.5 * (tvgp__valid_range_misfit(pull->y, pull->noise) + log(TVGP__TWO_PI * pull->noise));
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    const tvgp__observation pull = tvgp__dictionary_pull(&d->dict, points->arm[i], y, noise);
    tvgp__observations_add(&d->dict.pulls, &pull, NULL);
    tally(d, &pull);
    base->counts.logged = d->dict.pulls.n;
    base->now = fmax(base->now, t);
    if (d->exact)
        tvgp__posterior_observe(d->exact, points, i, t, y, pull.noise, 0);
}

static void forget(tvgp__nystrom *d, size_t oldest) {
    if (!oldest)
        return;
    for (size_t i = 0; i < d->dict.distinct; i++)
        d->position[d->arms[i].arm] = 0;
    d->dict.distinct = 0;
    d->dict.alone = 0;
    tvgp__observations_drop(&d->dict.pulls, oldest);
    d->dict.base.counts.logged = d->dict.pulls.n;
    d->dict.pulls_known -= oldest < d->dict.pulls_known ? oldest : d->dict.pulls_known;
    for (size_t i = 0; i < d->dict.pulls.n; i++)
        tally(d, &d->dict.pulls.list[i]);
}

static double dimension(const tvgp__dictionary *dict) {
    const tvgp__nystrom *d = (const tvgp__nystrom *)dict;
    double sum = 0;
    for (size_t i = 0; i < d->dict.distinct; i++)
        sum += d->arms[i].precision * fmax(d->dict.base.own.var[d->arms[i].arm], 0);
    return sum;
}

/* ---- fit -------------------------------------------------------------------------------------------------------- */

/* Parts of the workspace, for u distinct arms and a dictionary of m. */
typedef struct {
    double *S, *T;    /* m x m: L_S and L_W, prepared for solves */
    double *b;        /* u x m: b at the pulled arms, column-major; then m x m */
    double *h;        /* m: W^-1 sum b y / noise */
    double *y;        /* u */
    double *block;    /* ROWS x m: c at a block of arms */
    double *pivoting; /* 2 m */
    int32_t *pivot;   /* m */
} workspace;

static size_t lay_out(double *base, size_t u, size_t m, workspace *w) {
    size_t at = 0;
    *w = (workspace){0};
    double **const parts[] = {&w->S, &w->T, &w->b, &w->h, &w->y, &w->block, &w->pivoting};
    const size_t sizes[] = {m * m, m * m, (u > m ? u : m) * m, m, u, ROWS * m, 2 * m};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (base)
            *parts[i] = base + at;
        at += sizes[i];
    }
    if (base)
        w->pivot = (int32_t *)(void *)(base + at);
    return at + m;
}

/* L_S of the members that span, in the order of the pivots. */
static void factor_dictionary(tvgp__nystrom *d, size_t m, const size_t *arm, workspace *w) {
    tvgp__nystrom_weights *f = &d->features;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++)
            w->T[j * m + i] = tvgp__kernel_rows_at(&d->dict.base.rows, arm[j])[arm[i]];
    f->basis.r = tvgp__blas_pstrf(m, w->T, m, 1e-15 * d->dict.base.largest, w->pivot, w->pivoting);
    for (size_t j = 0; j < f->basis.r; j++) {
        f->basis.pivot[j] = arm[w->pivot[j]];
        for (size_t i = j; i < f->basis.r; i++)
            w->S[j * f->basis.r + i] = f->basis.L[j * f->basis.r + i] = w->T[j * m + i];
    }
    tvgp__trisolve_prepare(f->basis.r, w->S, f->basis.r);
    d->dict.members = m;
    d->dict.dropped += m - f->basis.r;
}

/* b at the member of pivot j is row j of L_S: exactly, where the solve leaves round-off divided by the smallest pivot. */
static void set_member(const tvgp__nystrom_weights *f, size_t j, double *b, size_t ld) {
    for (size_t c = 0; c < f->basis.r; c++)
        b[c * ld] = c <= j ? f->basis.L[c * f->basis.r + j] : 0;
}

/* L_W, h, R and the log marginal likelihood from b at the played arms. */
static void factor_information(tvgp__nystrom *d, workspace *w) {
    tvgp__posterior *b = &d->dict.base;
    tvgp__nystrom_weights *f = &d->features;
    const size_t u = d->dict.distinct, r = f->basis.r;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < u; i++)
            w->b[j * u + i] = tvgp__kernel_rows_at(&b->rows, f->basis.pivot[j])[d->arms[i].arm];
    tvgp__trisolve_right(u, r, w->S, r, w->b, u);
    for (size_t j = 0; j < r; j++)
        if (d->position[f->basis.pivot[j]])
            set_member(f, j, w->b + d->position[f->basis.pivot[j]] - 1, u);
    for (size_t i = 0; i < u; i++)
        w->y[i] = sqrt(d->arms[i].precision);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < u; i++)
            w->b[j * u + i] *= w->y[i];
    for (size_t i = 0; i < u; i++)
        w->y[i] = d->arms[i].weighted / w->y[i];
    tvgp__blas_gemv(TVGP__TRANS, u, r, 1, w->b, u, w->y, 0, w->h);
    tvgp__blas_syrk(TVGP__TRANS, r, u, 1, w->b, u, 0, w->T, r);
    for (size_t j = 0; j < r; j++)
        w->T[j * r + j] += 1;
    (void)tvgp__blas_potrf(r, w->T, r); /* cannot fail: W >= I */
    b->log_det_ratio = 0;
    for (size_t j = 0; j < r; j++)
        b->log_det_ratio += 2 * log(w->T[j * r + j]);
    tvgp__blas_trsv(TVGP__NO_TRANS, r, w->T, r, w->h);
    b->log_marginal_likelihood =
        d->dict.alone + 0.5 * (tvgp__valid_range_cap(tvgp__blas_dot(r, w->h, w->h)) - b->log_det_ratio);
    tvgp__blas_trsv(TVGP__TRANS, r, w->T, r, w->h);
    memcpy(w->b, w->T, r * r * sizeof *w->b); /* b is not needed any more */
    tvgp__blas_potri(r, w->b, r);
    for (size_t j = 0, at = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            f->R[at++] = (i == j) - w->b[j * r + i];
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
    tvgp__posterior *p = &d->dict.base;
    tvgp__nystrom_weights *f = &d->features;
    double *b = f->basis.Phi + first;
    for (size_t j = 0; j < f->basis.r; j++)
        memcpy(b + j * p->n, tvgp__kernel_rows_at(&p->rows, f->basis.pivot[j]) + first, rows * sizeof *b);
    tvgp__trisolve_right(rows, f->basis.r, S, f->basis.r, b, p->n);
}

static void set_members(tvgp__nystrom_weights *f) {
    for (size_t j = 0; j < f->basis.r; j++)
        set_member(f, j, f->basis.Phi + f->basis.pivot[j], f->basis.n);
}

/* b, mean and variance of arms first .. first + rows - 1. */
static void evaluate(tvgp__nystrom *d, size_t first, size_t rows, workspace *w) {
    tvgp__posterior *p = &d->dict.base;
    tvgp__nystrom_weights *f = &d->features;
    double *b = f->basis.Phi + first;
    explain(d, first, rows, w->S);
    for (size_t j = 0; j < f->basis.r; j++)
        memcpy(w->block + j * rows, b + j * p->n, rows * sizeof *b);
    tvgp__trisolve_right(rows, f->basis.r, w->T, f->basis.r, w->block, rows);
    tvgp__blas_gemv(TVGP__NO_TRANS, rows, f->basis.r, 1, b, p->n, w->h, 0, p->own.mean + first);
    memcpy(p->own.var + first, p->prior + first, rows * sizeof *p->own.var);
    add_squares(rows, f->basis.r, -1, b, p->n, p->own.var + first);
    add_squares(rows, f->basis.r, 1, w->block, rows, p->own.var + first);
}

static void drop_exact(tvgp__nystrom *d) {
    tvgp__posterior_free(d->exact);
    d->exact = NULL;
}

static void fit(tvgp__dictionary *dict, size_t oldest, size_t m, const size_t *arm) {
    tvgp__nystrom *d = (tvgp__nystrom *)dict;
    workspace w;
    forget(d, oldest);
    drop_exact(d);
    tvgp__nystrom_weights *f = &d->features;
    lay_out(d->work, d->dict.distinct, m, &w);
    factor_dictionary(d, m, arm, &w);
    factor_information(d, &w);
    for (size_t first = 0; first < d->dict.base.n; first += ROWS)
        evaluate(d, first, d->dict.base.n - first < ROWS ? d->dict.base.n - first : ROWS, &w);
    set_members(f);
    d->dict.pulls_known = d->dict.base.counts.observations = d->dict.pulls.n;
    d->dict.base.counts.rank = f->basis.r;
    if (d->first)
        memcpy(d->first, d->dict.base.own.var, d->dict.base.n * sizeof *d->first);
}

/* What is seen of the exact posterior. */
static void show_exact(tvgp__nystrom *d) {
    const tvgp__posterior *exact = d->exact;
    tvgp__posterior *b = &d->dict.base;
    memcpy(b->own.mean, exact->own.mean, b->n * sizeof *b->own.mean);
    memcpy(b->own.var, exact->own.var, b->n * sizeof *b->own.var);
    b->log_marginal_likelihood = exact->log_marginal_likelihood;
    b->log_det_ratio = exact->log_det_ratio;
    b->counts.observations = exact->counts.observations;
    b->counts.jitter = exact->counts.jitter;
    b->counts.rank = exact->counts.rank;
    d->dict.pulls_known = d->dict.pulls.n;
}

static void condition(tvgp__dictionary *dict) {
    tvgp__nystrom *d = (tvgp__nystrom *)dict;
    double e, *column = d->work;
    if (d->exact) {
        show_exact(d);
        return;
    }
    for (; d->dict.pulls_known < d->dict.pulls.n; d->dict.pulls_known++) {
        const tvgp__observation *pull = &d->dict.pulls.list[d->dict.pulls_known];
        weights_column(&d->features, pull->arm, column);
        weights_observe(&d->features,
                        tvgp__posterior_condition(&d->dict.base, pull->arm, pull->y, pull->noise, NAN, column, &e));
    }
}

static tvgp_status prepare_fit(tvgp__dictionary *dict, size_t more, size_t m, const size_t *arm) {
    tvgp__nystrom *d = (tvgp__nystrom *)dict;
    tvgp__posterior *b = &d->dict.base;
    const size_t arms = d->dict.distinct + more < b->n ? d->dict.distinct + more : b->n;
    workspace w;
    TVGP__TRY(tvgp__posterior_hold(b, &(tvgp__points){.n = m, .arm = arm}));
    if (m > d->feature_slots) /* a dictionary drawn again at every step varies in size: a little more than it needs */
        TVGP__TRY(weights_reserve(&d->features, m + m / 8, &d->feature_slots));
    return tvgp__memory_reserve(b->ctx, lay_out(NULL, arms, m, &w), sizeof *d->work, &d->work, &d->work_size);
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* Room for this many plays, and to condition on them; the owner of the dictionary prepares a fit. */
static tvgp_status reserve(tvgp__nystrom *d, size_t pulls) {
    tvgp__posterior *b = &d->dict.base;
    TVGP__TRY(tvgp__valid_range_count(b->ctx, "pulls", pulls));
    if (d->dict.keeps && !d->first)
        TVGP__TRY(tvgp__memory_alloc(b->ctx, b->n, sizeof *d->first, &d->first));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, b->n, sizeof *d->work, &d->work, &d->work_size));
    return tvgp__memory_reserve(b->ctx, pulls, sizeof *d->arms, &d->arms, &d->arm_slots);
}

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    TVGP__TRY(reserve(d, d->dict.pulls.n + points->n));
    TVGP__TRY(tvgp__observations_reserve(&d->dict.pulls, points->n));
    return d->exact ? d->exact->ops->prepare(d->exact, points) : TVGP_OK;
}

static tvgp_status reach(tvgp__posterior *base, const tvgp__points *points) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    return d->exact ? tvgp__posterior_reach(d->exact, points)
                    : tvgp__kernel_rows_replace(&base->rows, TVGP__KERNEL_ROWS_PENDING, points->n, points->arm);
}

static void advance(tvgp__posterior *base, double t) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    base->now = t;
    if (d->exact)
        d->exact->ops->advance(d->exact, t);
}

static void column(tvgp__posterior *base, size_t arm, double *out) {
    const tvgp__nystrom *d = (const tvgp__nystrom *)base;
    const tvgp__nystrom_weights *f = &d->features;
    if (d->exact) {
        d->exact->ops->column(d->exact, arm, out);
        return;
    }
    memcpy(out, tvgp__kernel_rows_at(&base->rows, arm), base->n * sizeof *out);
    if (!f->basis.r)
        return;
    for (size_t j = 0; j < f->basis.r; j++)
        f->phi[j] = f->basis.Phi[j * f->basis.n + arm];
    memset(f->c, 0, f->basis.r * sizeof *f->c);
    tvgp__loops_spmv(f->basis.r, 1, f->R, f->phi, f->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, f->basis.n, f->basis.r, -1, f->basis.Phi, f->basis.n, f->c, 1, out);
}

static tvgp_status predictive(tvgp__posterior *base, double t, tvgp__predictive *out) {
    const tvgp__nystrom *d = (const tvgp__nystrom *)base;
    if (d->exact)
        return d->exact->ops->predictive(d->exact, t, out);
    return weights_predictive(&d->features, base->kernel, base->X, base->own.mean, out);
}

static void reset(tvgp__posterior *base) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    forget(d, d->dict.pulls.n);
    d->dict.members = d->features.basis.r = base->counts.rank = 0;
    tvgp__posterior_prior(base, 1);
    if (d->exact)
        d->exact->ops->reset(d->exact);
}

static void release(tvgp__posterior *base) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    if (!d->features.basis.ctx)
        return;
    tvgp__posterior_free(d->exact);
    weights_free(&d->features);
    tvgp__observations_free(&d->dict.pulls);
    tvgp__memory_free(base->ctx, d->arms);
    tvgp__memory_free(base->ctx, d->position);
    tvgp__memory_free(base->ctx, d->work);
    tvgp__memory_free(base->ctx, d->first);
}

/* The features again, from the factor of their pivots and the kernel. */
static tvgp_status find_again(tvgp__nystrom *d) {
    const tvgp__nystrom_weights *f = &d->features;
    tvgp__posterior *b = &d->dict.base;
    size_t r = f->basis.r;
    TVGP__TRY(tvgp__posterior_hold(b, &(tvgp__points){.n = r, .arm = f->basis.pivot}));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, tvgp__memory_product(r, r), sizeof *d->work, &d->work, &d->work_size));
    memcpy(d->work, f->basis.L, r * r * sizeof *d->work);
    tvgp__trisolve_prepare(r, d->work, r);
    for (size_t first = 0; r && first < b->n; first += ROWS)
        explain(d, first, b->n - first < ROWS ? b->n - first : ROWS, d->work);
    set_members(&d->features);
    return TVGP_OK;
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static void visit_features(tvgp__nystrom *d, tvgp__visit *v) {
    tvgp__nystrom_weights *f = &d->features;
    size_t r = f->basis.r;
    tvgp__visit_count(v, &r, d->dict.base.n, sizeof(double));
    if (tvgp__visit_loads(v) && r && r > (v->end - v->at) / sizeof(double) / r)
        tvgp__visit_refuse(v, "there are more features than bytes for them");
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, weights_reserve(f, r, &d->feature_slots)))
        f->basis.r = r;
    if (!tvgp__visit_fine(v) || !r)
        return;
    tvgp__visit_indices(v, r, f->basis.pivot, d->dict.base.n);
    tvgp__visit_triangle(v, r, f->basis.L, r);
    tvgp__visit_reals(v, triangle(r), f->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, find_again(d));
}

static void visit_exact(tvgp__nystrom *d, int exact, tvgp__visit *v) {
    if (tvgp__visit_loads(v) && exact && !d->exact)
        tvgp__visit_try(v, tvgp__nystrom_begin_exact(d, d->noise));
    if (tvgp__visit_loads(v) && !exact)
        drop_exact(d);
    if (tvgp__visit_fine(v) && exact)
        tvgp__posterior_visit(d->exact, v);
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    tvgp__nystrom *d = (tvgp__nystrom *)base;
    if (tvgp__visit_loads(v))
        forget(d, d->dict.pulls.n);
    tvgp__observations_visit(&d->dict.pulls, base->n, v);
    tvgp__visit_size(v, &d->dict.pulls_known, 0, d->dict.pulls.n);
    int exact = d->exact != NULL;
    tvgp__visit_flag(v, &exact);
    tvgp__visit_size(v, &d->dict.members, 0, base->n);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, reserve(d, d->dict.pulls.n));
    for (size_t i = 0; tvgp__visit_loads(v) && i < d->dict.pulls.n; i++) {
        if (!(d->dict.pulls.list[i].noise >= TVGP__VALID_RANGE_LEAST * 1e-10))
            tvgp__visit_refuse(v, "a pull has no noise");
        else
            tally(d, &d->dict.pulls.list[i]);
    }
    base->counts.logged = d->dict.pulls.n;
    visit_features(d, v);
    visit_exact(d, exact, v);
    if (d->dict.keeps && d->dict.pulls.n)
        tvgp__visit_reals(v, base->n, d->first, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

static const tvgp__posterior_ops ops = {.visit = visit,
                                        .prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .at = tvgp__posterior_still,
                                        .column = column,
                                        .reach = reach,
                                        .predictive = predictive,
                                        .reset = reset,
                                        .release = release};

/* ---- as a dictionary -------------------------------------------------------------------------------------------- */

static tvgp_status note(tvgp__dictionary *d, size_t k, const tvgp__observation *pull, const double *x) {
    (void)x;
    d->pulls.list[k] = *pull;
    return TVGP_OK;
}

static double variance(const tvgp__dictionary *d, size_t arm, int first) {
    return first ? ((const tvgp__nystrom *)d)->first[arm] : d->base.own.var[arm];
}

static const tvgp__dictionary_ops dictionary = {
    .prepare = prepare_fit, .note = note, .fit = fit, .condition = condition, .variance = variance, .dimension = dimension};

tvgp_status tvgp__nystrom_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__nystrom **out) {
    tvgp__nystrom *d = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, X, sizeof *d, &d));
    d->dict.ops = &dictionary;
    d->features = (tvgp__nystrom_weights){.basis = {.ctx = ctx, .n = n}};
    d->dict.pulls.ctx = ctx;
    tvgp__posterior_prior(&d->dict.base, 1);
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *d->position, &d->position);
    if (status < 0)
        tvgp__posterior_free(&d->dict.base);
    else
        *out = d;
    return status;
}

tvgp_status tvgp__nystrom_begin_exact(tvgp__nystrom *d, double noise) {
    const tvgp__posterior *b = &d->dict.base;
    d->noise = noise;
    return tvgp__arm_columns_new(b->ctx, b->kernel, 0, b->n, b->X, &d->exact);
}
