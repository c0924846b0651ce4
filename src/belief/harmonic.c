/* SPDX-License-Identifier: MIT */
#include "belief/harmonic.h"

#include "base/error.h"
#include "base/memory.h"
#include "gp/basis.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

enum { MOST = TVGP__HARMONIC_MOST };

typedef struct {
    tvgp__belief base;
    tvgp__harmonic_season season;
    tvgp__law law;
    tvgp__basis basis;
    size_t harmonics, states, size; /* size: states x rank */
    double q[MOST + 1];
    double *R, scale; /* size x size, both triangles; the true R is scale times this */
    double *w;        /* size: mean of the weights, state by state */
    double *x, *c;    /* size: features of the arm last looked at; their column of the covariance */
    double *h, *v;    /* states; rank */
    double *Rh;       /* rank x rank, lower triangle: (h x I)'R (h x I) of the time last looked at */
    double *column;   /* n */
    double *block;    /* the arrays above */
} harmonic;

/* By the ratio of neighbours, backwards from where it is far below 1 (Miller; Abramowitz and Stegun 9.12): they sum to 1. */
size_t tvgp__harmonic_weights(double lengthscale, double *q) {
    const double a = 1 / (lengthscale * lengthscale);
    double ratio[2 * MOST + 1], sum = 1, left = 0;
    size_t count = MOST;
    ratio[2 * MOST] = 0;
    for (size_t j = 2 * MOST; j-- > 0;) /* I_j+1 / I_j = 1 / (2 (j + 1) / a + I_j+2 / I_j+1) */
        ratio[j] = 1 / (2 * (double)(j + 1) / a + ratio[j + 1]);
    q[0] = 1;
    for (size_t j = 1; j <= MOST; j++)
        sum += q[j] = (j > 1 ? q[j - 1] : 2) * ratio[j - 1];
    for (size_t j = 0; j <= MOST; j++)
        q[j] /= sum;
    for (; count && left + q[count] < 1e-13; count--) {
        left += q[count];
        q[count] = 0;
    }
    return count;
}

/* ---- features --------------------------------------------------------------------------------------------------- */

static void phase(harmonic *p, double t) {
    static const double two_pi = 6.283185307179586476925;
    const tvgp__harmonic_season *s = &p->season;
    size_t i = 0;
    p->h[i++] = sqrt(p->q[0]);
    for (size_t k = 0; k < s->n_periods; k++)
        for (size_t j = 1; j <= p->harmonics; j++) {
            const double angle = two_pi * (double)j * (fmod(t, s->period[k]) / s->period[k]);
            const double root = sqrt(p->q[j] / (double)s->n_periods);
            p->h[i++] = root * cos(angle);
            p->h[i++] = root * sin(angle);
        }
}

/* v = what size-vector z says about the time last looked at: sum_s h_s z_s. */
static void project(harmonic *p, const double *z) {
    tvgp__blas_gemv(TVGP__NO_TRANS, p->basis.r, p->states, 1, z, p->basis.r, p->h, 0, p->v);
}

/* Rh of the time last looked at. */
static void gather(harmonic *p) {
    const size_t r = p->basis.r;
    memset(p->Rh, 0, r * r * sizeof *p->Rh);
    for (size_t s = 0; s < p->states; s++)
        for (size_t u = 0; u < p->states; u++)
            for (size_t j = 0; j < r; j++)
                tvgp__blas_axpy(r - j, p->h[s] * p->h[u], p->R + (s * r + j) * p->size + u * r + j, p->Rh + j * r + j);
}

/* Mean and variance of an arm at the time last looked at, m after now; v and Rh are of that time. */
static void arm_at(const harmonic *p, double m, size_t arm, double *mean, double *var) {
    const tvgp__basis *b = &p->basis;
    double *phi = p->c, *Rphi = p->x; /* workspace */
    tvgp__basis_row(b, arm, phi);
    *mean = m * tvgp__blas_dot(b->r, phi, p->v);
    tvgp__blas_symv(b->r, m * m * p->scale, p->Rh, b->r, phi, 0, Rphi);
    *var = p->base.prior[arm] - tvgp__blas_dot(b->r, phi, Rphi);
}

/* x and c of an arm at time t. */
static void look(harmonic *p, size_t arm, double t) {
    const size_t r = p->basis.r;
    phase(p, t);
    tvgp__basis_row(&p->basis, arm, p->v);
    for (size_t s = 0; s < p->states; s++)
        for (size_t j = 0; j < r; j++)
            p->x[s * r + j] = p->h[s] * p->v[j];
    memcpy(p->c, p->x, p->size * sizeof *p->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, p->size, p->size, -p->scale, p->R, p->size, p->x, 1, p->c);
}

/* Covariance of all arms now with what was looked at. */
static void column_now(harmonic *p, double *out) {
    phase(p, p->base.now);
    project(p, p->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, p->basis.n, p->basis.r, 1, p->basis.Phi, p->basis.n, p->v, 0, out);
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static void refresh(harmonic *p) {
    phase(p, p->base.now);
    project(p, p->w);
    gather(p);
    for (size_t i = 0; i < p->base.n; i++)
        arm_at(p, 1, i, &p->base.mean[i], &p->base.var[i]);
}

static void decay(harmonic *p, double m) {
    tvgp__blas_scale(p->size, m, p->w);
    p->scale *= m * m;
    if (p->scale > 1e-100)
        return;
    for (size_t i = 0; i < p->size * p->size; i++)
        p->R[i] *= p->scale;
    p->scale = 1;
}

static void advance(tvgp__belief *base, double t) {
    harmonic *p = (harmonic *)base;
    if (base->now != -INFINITY && t != base->now)
        decay(p, tvgp__law_between(&p->law, base->now, t).m);
    base->now = t;
    refresh(p);
}

/* Of f at an arm and time t as a function of the weights of now. */
static void take(harmonic *p, size_t arm, double t, double y, double noise) {
    tvgp__belief *b = &p->base;
    look(p, arm, t);
    const double e = y - tvgp__blas_dot(p->size, p->x, p->w);
    const double s = tvgp__belief_surprise(b, e, tvgp__blas_dot(p->size, p->x, p->c), noise), root = sqrt(s);
    column_now(p, p->column);
    tvgp__blas_scale(b->n, 1 / root, p->column);
    tvgp__blas_scale(p->size, 1 / root, p->c);
    tvgp__blas_axpy(b->n, e / root, p->column, b->mean);
    for (size_t i = 0; i < b->n; i++)
        b->var[i] -= p->column[i] * p->column[i];
    tvgp__blas_axpy(p->size, e / root, p->c, p->w);
    for (size_t j = 0; j < p->size; j++)
        tvgp__blas_axpy(p->size, p->c[j] / p->scale, p->c, p->R + j * p->size);
}

static void observe(tvgp__belief *base, const tvgp__points *points, size_t i, double t, double y, double noise) {
    harmonic *p = (harmonic *)base;
    const size_t arm = points->arm[i];
    if (t > base->now)
        advance(base, t);
    const tvgp__law_step step = tvgp__law_between(&p->law, t, base->now);
    if (step.m < 0x1p-53)
        return; /* what it says about the present is below round-off */
    if (step.m < 1)
        base->widened++;
    take(p, arm, t, y / step.m, (noise + step.q * base->prior[arm]) / (step.m * step.m));
    base->log_evidence -= log(step.m); /* the density of y, not of y / m */
}

static double fade(const harmonic *p, double t) {
    return p->base.now == -INFINITY ? 1 : tvgp__law_between(&p->law, p->base.now, t).m;
}

static void at(tvgp__belief *base, double t, size_t n, const size_t *arm, double *mean, double *var) {
    harmonic *p = (harmonic *)base;
    const double m = fade(p, t);
    phase(p, t);
    project(p, p->w);
    gather(p);
    for (size_t i = 0; i < n; i++) {
        arm_at(p, m, arm ? arm[i] : i, &mean[i], &var[i]);
        var[i] = fmax(var[i], 0);
    }
}

static void column(tvgp__belief *base, size_t arm, double *out) {
    harmonic *p = (harmonic *)base;
    look(p, arm, base->now);
    column_now(p, out);
}

static tvgp_status form(tvgp__belief *base, double t, tvgp__form *out) {
    harmonic *p = (harmonic *)base;
    const size_t r = p->basis.r, dim = base->kernel->dim;
    const double m = fade(p, t);
    double *memory = NULL;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, r, (1 + r + dim) * sizeof *memory, &memory));
    double *u = memory, *S = u + r, *points = S + r * r;
    phase(p, t);
    project(p, p->w);
    gather(p);
    for (size_t j = 0; j < r; j++)
        u[j] = m * p->v[j];
    memcpy(S, p->Rh, r * r * sizeof *S);
    tvgp__basis_points(&p->basis, dim, base->X, points);
    *out = tvgp__form_of(base->ctx, base->kernel, r, points, p->basis.L, r, u);
    out->S = S;
    out->scale = m * m * p->scale;
    out->memory = memory;
    return TVGP_OK;
}

static void reset(tvgp__belief *base) {
    harmonic *p = (harmonic *)base;
    memset(p->R, 0, p->size * p->size * sizeof *p->R);
    memset(p->w, 0, p->size * sizeof *p->w);
    p->scale = 1;
    tvgp__belief_prior(base, 1);
}

static double correlation(const tvgp__belief *base, double from, double to) {
    return tvgp__law_correlation(&((const harmonic *)base)->law, from, to);
}

static void release(tvgp__belief *base) {
    harmonic *p = (harmonic *)base;
    tvgp__memory_free(base->ctx, p->R);
    tvgp__memory_free(base->ctx, p->block);
    tvgp__basis_free(&p->basis);
}

static void visit(tvgp__belief *base, tvgp__visit *v) {
    harmonic *p = (harmonic *)base;
    const double most = TVGP__VISIT_MOST;
    tvgp__basis_visit(&p->basis, v);
    tvgp__visit_real(v, &p->scale, 1e-200, 1e200);
    tvgp__visit_reals(v, p->size, p->w, -most, most);
    tvgp__visit_reals(v, p->size * p->size, p->R, -most, most); /* whose halves may differ in the last bit */
}

static const tvgp__belief_ops ops = {.struct_size = sizeof ops,
                                     .prepare = tvgp__belief_hold, /* the basis holds the kernel */
                                     .observe = observe,
                                     .advance = advance,
                                     .at = at,
                                     .column = column,
                                     .form = form,
                                     .reset = reset,
                                     .correlation = correlation,
                                     .release = release,
                                     .visit = visit};

static tvgp_status find_basis(harmonic *p, double noise) {
    tvgp__belief *b = &p->base;
    tvgp__basis_search s = tvgp__basis_search_of(b->ctx, 1, (const tvgp_kernel *const *)&b->kernel, b->n, b->X,
                                                 tvgp__basis_tolerance(b->largest, noise));
    tvgp_status status = tvgp__basis_search_on(&s, b->n);
    if (status == TVGP_OK)
        status = tvgp__basis_of(&s, &p->basis);
    tvgp__basis_search_end(&s);
    return status;
}

static tvgp_status build(harmonic *p, double noise) {
    tvgp_ctx *ctx = p->base.ctx;
    TVGP__TRY(find_basis(p, noise));
    const size_t r = p->basis.r;
    p->size = p->states * r;
    TVGP__TRY(tvgp__memory_alloc(ctx, p->size, p->size * sizeof *p->R, &p->R));
    TVGP__TRY(tvgp__memory_alloc(ctx, 3 * p->size + p->states + r + r * r + p->base.n, sizeof *p->block, &p->block));
    p->w = p->block;
    p->x = p->w + p->size;
    p->c = p->x + p->size;
    p->h = p->c + p->size;
    p->v = p->h + p->states;
    p->Rh = p->v + r;
    p->column = p->Rh + r * r;
    p->base.rank = p->size;
    reset(&p->base);
    return TVGP_OK;
}

tvgp_status tvgp__harmonic_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__harmonic_season *season, double epsilon,
                               double noise, size_t n, const double *X, tvgp__belief **out) {
    harmonic *p = NULL;
    TVGP__TRY(tvgp__belief_new(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->season = *season;
    p->law = (tvgp__law){.kind = TVGP__LAW_FORGETTING, .rate = epsilon};
    p->basis.ctx = ctx;
    p->harmonics = tvgp__harmonic_weights(season->lengthscale, p->q);
    p->states = 1 + 2 * season->n_periods * p->harmonics;
    tvgp__rows_free(&p->base.rows);
    tvgp_status status = build(p, noise);
    if (status < 0)
        tvgp__belief_free(&p->base);
    else
        *out = &p->base;
    return status;
}
