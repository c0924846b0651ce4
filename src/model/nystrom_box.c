/* SPDX-License-Identifier: MIT */
/* The Nystrom posterior (model/nystrom.h) on boxes: the same formulas without arms. An index is the number of a
 * play, and the posterior is a function of the point (model/gp/predictive.h). With u observations and a dictionary of rank r:
 *
 *   prepare   the rows b(x_i) = L_S^-1 k_S(x_i) of all plays: u r kernel values, u r^2 flops
 *   fit       W = I + sum b b' / noise and its inverse: u r^2 + r^3 flops
 *   condition one observation with the dictionary as it is: W gains b b' / noise, 2 r^2 flops
 *   variance  of an observation: r^2 flops
 *
 * Points within round-off of the span of the other points are left out of a dictionary. Every row is evaluated by itself, so the
 * rows after loading a snapshot have the same bits as before. */
#include "model/nystrom.h"

#include "base/constants.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol_inverse.h"

#include <math.h>
#include <string.h>

enum { PENDING = 32 };            /* rows of a predictive that pending actions may add at a time */
static const double SPAN = 1e-12; /* of the largest variance: what a member must add to the span of those before it */

/* Features of a dictionary, and of the pulls. */
typedef struct features {
    size_t r, slots;   /* rank; room */
    double *X, *W;     /* r x dim: points of the dictionary; r x r: L_S^-1, lower triangle */
    double *b, *prior; /* pulls x r: features of each; k(x, x) */
    size_t b_slots, prior_slots;
} features;

typedef struct sketch {
    tvgp__dictionary dict;
    features now, next; /* in use; of the dictionary prepared */
    size_t next_pulls;  /* that `next` has rows of */
    double *u, *R,
        *first; /* r: mean of the weights; r x r: I - W^-1 (symmetric); the same right after the fit, NULL: not kept */
    double *work;
    int32_t *pivot;
    size_t u_slots, R_slots, first_slots, work_slots, pivot_slots;
} sketch;

static sketch *of(tvgp__dictionary *d) {
    return (sketch *)d;
}

/* ---- features --------------------------------------------------------------------------------------------------- */

/* b of a pull; NULL without a dictionary. */
static double *row_of(const features *f, size_t i) {
    return f->r ? f->b + i * f->r : NULL;
}

/* b and k(x, x) of one point. */
static tvgp_status look(const tvgp__posterior *base, const features *f, const double *x, double *b, double *prior) {
    TVGP__TRY(tvgp__kernel_diag(base->kernel, 1, x, prior));
    if (!f->r)
        return TVGP_OK;
    TVGP__TRY(tvgp__kernel_block(base->kernel, 1, x, f->r, f->X, b, f->r));
    tvgp__blas_trmm(TVGP__NO_TRANS, f->r, 1, f->W, f->r, b, f->r);
    return TVGP_OK;
}

static tvgp_status reserve_rows(const tvgp__posterior *base, features *f, size_t pulls) {
    TVGP__TRY(tvgp__memory_reserve(base->ctx, tvgp__memory_product(pulls, f->r), sizeof *f->b, &f->b, &f->b_slots));
    return tvgp__memory_reserve(base->ctx, pulls, sizeof *f->prior, &f->prior, &f->prior_slots);
}

static tvgp_status reserve_dictionary(const tvgp__posterior *base, features *f, size_t r) {
    if (r <= f->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_room(base->ctx, tvgp__memory_product(r, base->kernel->dim), sizeof *f->X, &f->X));
    TVGP__TRY(tvgp__memory_room(base->ctx, tvgp__memory_product(r, r), sizeof *f->W, &f->W));
    f->slots = r;
    return TVGP_OK;
}

/* Rows of the first n pulls, noted ones included. */
static tvgp_status fill_rows(const tvgp__dictionary *d, features *f, size_t n) {
    const size_t dim = d->base.kernel->dim;
    TVGP__TRY(reserve_rows(&d->base, f, n));
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(look(&d->base, f, d->pulls.X + i * dim, row_of(f, i), &f->prior[i]));
    return TVGP_OK;
}

/* L_S^-1 of the members that span, in the order of the pivots. */
static tvgp_status factor_dictionary(sketch *s, size_t m, const size_t *point) {
    const tvgp__posterior *base = &s->dict.base;
    const size_t dim = base->kernel->dim;
    features *f = &s->next;
    double *K = s->work, *own = K + m * m;
    for (size_t i = 0; i < m; i++)
        memcpy(f->X + i * dim, s->dict.pulls.X + point[i] * dim, dim * sizeof *f->X);
    for (size_t i = 0; i < m; i++)
        TVGP__TRY(tvgp__kernel_block(base->kernel, 1, f->X + i * dim, m, f->X, K + i * m, m));
    f->r = tvgp__blas_pstrf(m, K, m, SPAN * base->largest, s->pivot, own);
    for (size_t j = 0; j < f->r; j++) {
        memcpy(f->X + j * dim, s->dict.pulls.X + point[s->pivot[j]] * dim, dim * sizeof *f->X);
        memcpy(f->W + j * (f->r + 1), K + j * (m + 1), (f->r - j) * sizeof *f->W);
    }
    tvgp__blas_trtri(f->r, f->W, f->r);
    return TVGP_OK;
}

/* Room for what a fit computes at rank r from u pulls. */
static tvgp_status reserve_fit(sketch *s, size_t u, size_t m) {
    tvgp_ctx *ctx = s->dict.base.ctx;
    const size_t work = u * m + 2 * m * m + 2 * m;
    TVGP__TRY(tvgp__memory_reserve(ctx, work, sizeof *s->work, &s->work, &s->work_slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, m, sizeof *s->pivot, &s->pivot, &s->pivot_slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, m, sizeof *s->u, &s->u, &s->u_slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, tvgp__memory_product(m, m), sizeof *s->R, &s->R, &s->R_slots));
    return s->dict.keeps
               ? tvgp__memory_reserve(ctx, tvgp__memory_product(m, m), sizeof *s->first, &s->first, &s->first_slots)
               : TVGP_OK;
}

static tvgp_status prepare_fit(tvgp__dictionary *d, size_t more, size_t m, const size_t *point) {
    sketch *s = of(d);
    const size_t n = d->pulls.n + more, room = m + m / 4 + 16 < n ? m + m / 4 + 16 : n; /* the next one may be larger */
    TVGP__TRY(reserve_fit(s, n, room));
    TVGP__TRY(reserve_dictionary(&d->base, &s->next, room));
    TVGP__TRY(
        tvgp__memory_reserve(d->base.ctx, tvgp__memory_product(n, room), sizeof *s->next.b, &s->next.b, &s->next.b_slots));
    s->next_pulls = n;
    TVGP__TRY(factor_dictionary(s, m, point));
    return fill_rows(d, &s->next, n);
}

/* ---- fit -------------------------------------------------------------------------------------------------------- */

/* log density of a pull if f were 0 */
static double alone(const tvgp__observation *pull) {
    return -0.5 * (tvgp__valid_range_misfit(pull->y, pull->noise) + log(TVGP__TWO_PI * pull->noise));
}

/* W = I + sum b b' / noise into its Cholesky factor T, and h = sum b y / noise. */
static void gather(sketch *s, double *T, double *scaled, double *h) {
    const tvgp__observations *pulls = &s->dict.pulls;
    const size_t r = s->now.r;
    memset(h, 0, r * sizeof *h);
    for (size_t i = 0; i < pulls->n; i++) {
        const double root = sqrt(pulls->list[i].noise);
        for (size_t j = 0; j < r; j++)
            scaled[i * r + j] = s->now.b[i * r + j] / root;
        tvgp__blas_axpy(r, pulls->list[i].y / root, scaled + i * r, h);
    }
    tvgp__blas_syrk(TVGP__NO_TRANS, r, pulls->n, 1, scaled, r, 0, T, r);
    for (size_t j = 0; j < r; j++)
        T[j * (r + 1)] += 1;
    (void)tvgp__blas_potrf(r, T, r); /* cannot fail: W >= I */
}

/* R = I - W^-1, both triangles, from the factor of W. */
static void explain(sketch *s, double *T) {
    const size_t r = s->now.r;
    tvgp__blas_potri(r, T, r);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            s->R[j * r + i] = s->R[i * r + j] = (i == j) - T[j * r + i];
    if (s->dict.keeps)
        memcpy(s->first, s->R, r * r * sizeof *s->R);
}

static void compute(sketch *s) {
    tvgp__dictionary *d = &s->dict;
    const size_t r = s->now.r;
    double *T = s->work, *scaled = T + r * r;
    gather(s, T, scaled, s->u);
    d->base.log_det_ratio = 0;
    for (size_t j = 0; j < r; j++)
        d->base.log_det_ratio += 2 * log(T[j * (r + 1)]);
    tvgp__blas_trsv(TVGP__NO_TRANS, r, T, r, s->u);
    d->base.log_marginal_likelihood =
        d->alone + 0.5 * (tvgp__valid_range_cap(tvgp__blas_dot(r, s->u, s->u)) - d->base.log_det_ratio);
    tvgp__blas_trsv(TVGP__TRANS, r, T, r, s->u);
    explain(s, T);
}

static void forget(tvgp__dictionary *d, size_t oldest) {
    sketch *s = of(d);
    if (!oldest)
        return;
    tvgp__observations_drop(&d->pulls, oldest);
    d->alone = 0;
    for (size_t i = 0; i < d->pulls.n; i++) {
        d->pulls.list[i].arm = i;
        d->alone += alone(&d->pulls.list[i]);
    }
    if (s->now.r && d->pulls.n)
        memmove(s->now.b, s->now.b + oldest * s->now.r, d->pulls.n * s->now.r * sizeof *s->now.b);
    if (d->pulls.n)
        memmove(s->now.prior, s->now.prior + oldest, d->pulls.n * sizeof *s->now.prior);
    d->base.counts.logged = d->distinct = d->pulls.n;
    d->pulls_known -= oldest < d->pulls_known ? oldest : d->pulls_known;
}

static void fit(tvgp__dictionary *d, size_t oldest, size_t m, const size_t *point) {
    sketch *s = of(d);
    (void)point;
    forget(d, oldest);
    const features before = s->now;
    const size_t gone = s->next_pulls - d->pulls.n; /* of the pulls that rows were prepared for */
    s->now = s->next;
    s->next = before;
    const size_t r = s->now.r;
    memmove(s->now.b, s->now.b + gone * r, d->pulls.n * r * sizeof *s->now.b);
    memmove(s->now.prior, s->now.prior + gone, d->pulls.n * sizeof *s->now.prior);
    compute(s);
    d->members = m;
    d->dropped += m - r;
    d->pulls_known = d->base.counts.observations = d->pulls.n;
    d->base.counts.rank = r;
}

/* One pull with the dictionary as it is: with a = W^-1 b and s = noise + b'a, the weights gain a e / s and R gains a a' / s. */
static void take_in(sketch *s, size_t i) {
    tvgp__dictionary *d = &s->dict;
    const tvgp__observation *pull = &d->pulls.list[i];
    const size_t r = s->now.r;
    const double *b = row_of(&s->now, i);
    double *a = s->work;
    memcpy(a, b, r * sizeof *a);
    tvgp__blas_gemv(TVGP__NO_TRANS, r, r, -1, s->R, r, b, 1, a);
    const double known = tvgp__blas_dot(r, b, a), sum = pull->noise + known, e = pull->y - tvgp__blas_dot(r, b, s->u);
    tvgp__blas_axpy(r, e / sum, a, s->u);
    for (size_t j = 0; j < r; j++)
        tvgp__blas_axpy(r, a[j] / sum, a, s->R + j * r);
    d->base.log_marginal_likelihood -= 0.5 * (tvgp__valid_range_misfit(e, sum) + log(TVGP__TWO_PI * sum));
    d->base.log_det_ratio += log(sum / pull->noise);
}

static void condition(tvgp__dictionary *d) {
    for (; d->pulls_known < d->pulls.n; d->pulls_known++)
        take_in(of(d), d->pulls_known);
    d->base.counts.observations = d->pulls.n;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static double variance_by(const sketch *s, size_t point, const double *R) {
    const size_t r = s->now.r;
    const double *b = row_of(&s->now, point);
    double explained = 0;
    for (size_t j = 0; j < r; j++)
        explained += b[j] * tvgp__blas_dot(r, b, R + j * r);
    return s->now.prior[point] - explained;
}

static double variance(const tvgp__dictionary *d, size_t point, int first) {
    const sketch *s = (const sketch *)d;
    return variance_by(s, point, first ? s->first : s->R);
}

static double dimension(const tvgp__dictionary *d) {
    double sum = 0;
    for (size_t i = 0; i < d->pulls.n; i++)
        sum += fmax(variance(d, i, 0), 0) / d->pulls.list[i].noise;
    return sum;
}

/* ---- ops of the posterior --------------------------------------------------------------------------------------- */

static tvgp_status prepare(tvgp__posterior *base, const tvgp__points *points) {
    sketch *s = (sketch *)base;
    const size_t n = s->dict.pulls.n + points->n;
    TVGP__TRY(tvgp__valid_range_count(base->ctx, "pulls", n));
    TVGP__TRY(tvgp__observations_reserve(&s->dict.pulls, points->n));
    TVGP__TRY(tvgp__memory_reserve(base->ctx, s->now.r, sizeof *s->work, &s->work, &s->work_slots));
    return reserve_rows(base, &s->now, n);
}

static tvgp_status note(tvgp__dictionary *d, size_t k, const tvgp__observation *pull, const double *x) {
    features *f = &of(d)->now;
    const size_t dim = d->base.kernel->dim;
    d->pulls.list[k] = *pull;
    memcpy(d->pulls.X + k * dim, x, dim * sizeof *x);
    return look(&d->base, f, x, row_of(f, k), &f->prior[k]);
}

static void observe(tvgp__posterior *base, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    const double t = o->t, y = o->y, noise = o->noise;
    tvgp__dictionary *d = (tvgp__dictionary *)base;
    const size_t n = d->pulls.n, dim = base->kernel->dim;
    const tvgp__observation pull = tvgp__dictionary_pull(d, n, y, noise);
    tvgp__observations_add(&d->pulls, &pull, points->X + i * dim);
    d->alone += alone(&pull);
    base->counts.logged = d->distinct = d->pulls.n;
    base->now = fmax(base->now, t);
}

static void advance(tvgp__posterior *base, double t) {
    base->now = t;
}

/* In its memory, with room for pending points: u, X, W and S. */
static tvgp_status predictive(tvgp__posterior *base, double t, tvgp__predictive *out) {
    const sketch *s = (const sketch *)base;
    const size_t r = s->now.r, ld = r + PENDING, dim = base->kernel->dim;
    double *memory = NULL;
    (void)t;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, tvgp__memory_product(ld, 1 + dim + 2 * ld) + 2 * ld, sizeof *memory, &memory));
    double *X = memory + ld, *W = X + ld * dim, *S = W + ld * ld;
    if (r) {
        memcpy(memory, s->u, r * sizeof *memory);
        memcpy(X, s->now.X, r * dim * sizeof *X);
    }
    for (size_t j = 0; j < r; j++) {
        memcpy(W + j * (ld + 1), s->now.W + j * (r + 1), (r - j) * sizeof *W);
        memcpy(S + j * (ld + 1), s->R + j * (r + 1), (r - j) * sizeof *S);
    }
    *out = tvgp__predictive_of(base->ctx, base->kernel, r, X, W, ld, memory);
    out->inverse = 1;
    out->S = S;
    out->ldS = ld;
    out->memory = memory;
    return TVGP_OK;
}

/* The covariance of f at z with that at the pending point p is k(p, z) - q'v(z), q = S v(p): the row (-q'W, 1) of W. Divided by the
 * root of var(p) + noise it is a row with S = 1, whose share of the mean is 0. */
static tvgp_status pend(const tvgp__posterior *base, tvgp__predictive *predictive, const double *at, double noise) {
    const size_t r = predictive->r, ld = predictive->ld, dim = base->kernel->dim;
    double *X = predictive->memory + ld, *W = X + ld * dim, *S = W + ld * ld, *v = S + ld * ld, *q = v + ld, own;
    TVGP__TRY(tvgp__kernel_diag(base->kernel, 1, at, &own));
    if (r) {
        TVGP__TRY(tvgp__kernel_block(base->kernel, 1, at, r, X, v, r));
        tvgp__blas_trmm(TVGP__NO_TRANS, r, 1, W, ld, v, r);
        tvgp__blas_symv(r, 1, S, ld, v, 0, q);
    }
    const double var = own - tvgp__blas_dot(r, v, q);
    if (!(var > SPAN * base->largest))
        return TVGP_OK;
    tvgp__chol_inverse_border(W, ld, r, q, 1, sqrt(var + noise));
    memcpy(X + r * dim, at, dim * sizeof *at);
    S[r * (ld + 1)] = 1;
    predictive->r++;
    return TVGP_OK;
}

static tvgp_status pend_all(tvgp__posterior *base, tvgp__predictive *predictive, double now, size_t n, const double *X,
                            const double *t, double noise) {
    (void)now;
    (void)t;
    for (size_t i = 0; i < n && i < PENDING; i++)
        TVGP__TRY(pend(base, predictive, X + i * base->kernel->dim, tvgp__posterior_noise(base, noise)));
    return TVGP_OK;
}

static const tvgp__posterior_anywhere anywhere = {.pend = pend_all};

static void reset(tvgp__posterior *base) {
    sketch *s = (sketch *)base;
    forget(&s->dict, s->dict.pulls.n);
    s->now.r = s->dict.members = base->counts.rank = base->counts.observations = 0;
    base->log_marginal_likelihood = base->log_det_ratio = 0;
}

static void free_features(tvgp_ctx *ctx, features *f) {
    tvgp__memory_free(ctx, f->X);
    tvgp__memory_free(ctx, f->W);
    tvgp__memory_free(ctx, f->b);
    tvgp__memory_free(ctx, f->prior);
}

static void release(tvgp__posterior *base) {
    sketch *s = (sketch *)base;
    void *const blocks[] = {s->u, s->R, s->first, s->work, s->pivot};
    free_features(base->ctx, &s->now);
    free_features(base->ctx, &s->next);
    tvgp__observations_free(&s->dict.pulls);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(base->ctx, blocks[i]);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static void room_for_features(sketch *s, size_t r, tvgp__visit *v) {
    if (r && r > (v->end - v->at) / sizeof(double) / r)
        tvgp__visit_refuse(v, "there are more features than bytes for them");
    if (!tvgp__visit_fine(v))
        return;
    s->now.r = 0;
    if (tvgp__visit_try(v, reserve_dictionary(&s->dict.base, &s->now, r)) && tvgp__visit_try(v, reserve_fit(s, 0, r)))
        s->now.r = r;
}

static void visit_matrix(tvgp__visit *v, size_t r, double *A) {
    tvgp__visit_triangle(v, r, A, r);
    for (size_t j = 0; tvgp__visit_loads(v) && j < r; j++)
        for (size_t i = j + 1; i < r; i++)
            A[i * r + j] = A[j * r + i];
}

static void visit(tvgp__posterior *base, tvgp__visit *v) {
    sketch *s = (sketch *)base;
    tvgp__dictionary *d = &s->dict;
    size_t r = s->now.r;
    tvgp__observations_visit(&d->pulls, 0, v);
    tvgp__visit_size(v, &d->pulls_known, 0, d->pulls.n);
    tvgp__visit_size(v, &d->members, 0, INT32_MAX);
    tvgp__visit_count(v, &r, d->members, sizeof(double));
    if (tvgp__visit_loads(v))
        room_for_features(s, r, v);
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_reals(v, r * base->kernel->dim, s->now.X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_triangle(v, r, s->now.W, r);
    tvgp__visit_reals(v, r, s->u, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    visit_matrix(v, r, s->R);
    if (s->dict.keeps)
        visit_matrix(v, r, s->first);
    d->alone = tvgp__visit_loads(v) ? 0 : d->alone;
    for (size_t i = 0; tvgp__visit_loads(v) && i < d->pulls.n; i++) {
        if (!(d->pulls.list[i].noise >= TVGP__VALID_RANGE_LEAST * 1e-10))
            tvgp__visit_refuse(v, "a pull has no noise");
        d->pulls.list[i].arm = i;
        d->alone += alone(&d->pulls.list[i]);
    }
    base->counts.logged = d->distinct = d->pulls.n;
    if (tvgp__visit_loads(v) && tvgp__visit_fine(v))
        tvgp__visit_try(v, fill_rows(d, &s->now, d->pulls.n));
}

static const tvgp__posterior_ops ops = {.visit = visit,
                                        .prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .predictive = predictive,
                                        .reset = reset,
                                        .anywhere = &anywhere,
                                        .release = release};

static const tvgp__dictionary_ops dictionary = {
    .prepare = prepare_fit, .note = note, .fit = fit, .condition = condition, .variance = variance, .dimension = dimension};

tvgp_status tvgp__nystrom_box_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X,
                                  tvgp__posterior **out) {
    sketch *s = NULL;
    TVGP__TRY(tvgp__posterior_new(ctx, &ops, kernel, n, X, sizeof *s, &s)); /* its arms give the scale, and no more */
    s->dict.base.n = 0;
    s->dict.base.X = NULL;
    s->dict.ops = &dictionary;
    s->dict.pulls = (tvgp__observations){.ctx = ctx, .dim = kernel->dim};
    *out = &s->dict.base;
    return TVGP_OK;
}
