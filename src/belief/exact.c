/* SPDX-License-Identifier: MIT */
#include "belief/exact_rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/chol_inverse.h"

#include <math.h>
#include <string.h>

static const double HEARD = 0x1p53; /* prior variances of noise beyond which nothing is heard */

typedef tvgp__exact exact;

/* ---- room ------------------------------------------------------------------------------------------------------- */

static tvgp_status grow(exact *p, size_t slots) {
    tvgp_ctx *ctx = p->base.ctx;
    double **const arrays[] = {&p->t, &p->y, &p->noise, &p->prior, &p->sigma, &p->z, &p->c, &p->own, &p->work};
    double *W = NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TVGP__TRY(tvgp__memory_grow(ctx, slots, sizeof **arrays[i], arrays[i]));
    TVGP__TRY(tvgp__memory_grow(ctx, slots, 2 * sizeof *p->turn, &p->turn));
    TVGP__TRY(tvgp__memory_grow(ctx, slots, sizeof *p->origin, &p->origin));
    TVGP__TRY(tvgp__memory_grow(ctx, slots, p->base.kernel->dim * sizeof *p->X, &p->X));
    TVGP__TRY(tvgp__memory_alloc(ctx, slots, slots * sizeof *W, &W));
    for (size_t j = 0; j < p->factor.n; j++)
        memcpy(W + j * slots, p->W + j * p->slots, p->factor.n * sizeof *W);
    tvgp__memory_free(ctx, p->W);
    p->W = W;
    p->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__exact_rows_reserve(exact *p, size_t more) {
    size_t rows = p->factor.n + more;
    rows = (p->limit && rows > p->limit ? p->limit : rows) + TVGP__EXACT_PENDING;
    if (rows <= p->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__chol_reserve(&p->factor, rows));
    return grow(p, p->factor.capacity);
}

static tvgp_status prepare(tvgp__belief *b, const tvgp__points *points) {
    exact *p = (exact *)b;
    size_t n = p->factor.n, m = points->n;
    TVGP__TRY(tvgp__exact_rows_reserve(p, m));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, m, sizeof *p->variance, &p->variance, &p->variance_slots));
    TVGP__TRY(tvgp__kernel_diag(b->kernel, m, points->X, p->variance));
    TVGP__TRY(tvgp__memory_reserve(b->ctx, m * (n + m), sizeof *p->cross, &p->cross, &p->cross_slots));
    if (n)
        TVGP__TRY(tvgp__kernel_block(b->kernel, m, points->X, n, p->X, p->cross, n + m));
    TVGP__TRY(tvgp__kernel_block(b->kernel, m, points->X, m, points->X, p->cross + n, n + m));
    p->columns = n + m;
    p->first = n;
    for (size_t i = 0; i < n; i++)
        p->origin[i] = i;
    return TVGP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* K without row and column i. */
static void shrink_gram(exact *p, size_t n, size_t i) {
    for (size_t k = i + 1; k < n; k++) {
        const double *from = p->W + k * p->slots;
        double *to = p->W + (k - 1) * p->slots;
        memcpy(to, from, i * sizeof *to);
        memcpy(to + i, from + i + 1, (k - 1 - i) * sizeof *to);
    }
}

static void shift(void *array, size_t size, size_t n, size_t i) {
    char *at = (char *)array + i * size;
    memmove(at, at + size, (n - 1 - i) * size);
}

void tvgp__exact_rows_forget(exact *p, size_t i) {
    size_t n = p->factor.n;
    double *const arrays[] = {p->t, p->y, p->noise, p->prior, p->sigma};
    if (!p->aging) {
        tvgp__chol_delete(&p->factor, i, p->turn, p->turn + p->slots);
        tvgp__chol_carry(n, i, p->turn, p->turn + p->slots, 1, p->z, 1);
        tvgp__chol_inverse_delete(p->W, p->slots, n, i, p->turn, p->turn + p->slots);
    } else {
        shrink_gram(p, n, i);
        p->factor.n--;
    }
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        shift(arrays[k], sizeof(double), n, i);
    shift(p->origin, sizeof *p->origin, n, i);
    shift(p->X, p->base.kernel->dim * sizeof(double), n, i);
    p->dropped++;
}

void tvgp__exact_rows_stock(exact *p) {
    tvgp__belief_rows(&p->base, &p->factor, p->z, p->sigma);
    if (p->compared)
        p->base.log_evidence = p->foretold;
}

/* The row after the last from its covariances with those before, w = L^-1 k; the jitter of a singular one is counted. */
static void append(exact *p, double *k) {
    size_t n = p->factor.n, jitter = p->factor.jitter;
    if (tvgp__chol_append(&p->factor, k, tvgp__law_kappa(&p->law, p->t[n]) * p->prior[n], p->sigma[n]) < 0)
        return; /* not met: the noise is at least 1e-10 of the largest variance, the jitter more than a kernel may lack */
    double pivot = p->factor.L[n * (p->factor.capacity + 1)];
    p->base.jitter += p->factor.jitter - jitter;
    p->z[n] = (p->y[n] - tvgp__blas_dot(n, k, p->z)) / pivot;
    tvgp__chol_inverse_border(p->W, p->slots, n, k, 1, pivot);
    p->foretold += tvgp__chol_log_density(1, &p->z[n], 2 * log(pivot));
}

static void advance(tvgp__belief *b, double t) {
    b->now = t;
}

static double reference(const exact *p, double t) {
    return p->age.from_last ? p->newest : t;
}

static double grown(const exact *p, size_t i, double at) {
    return tvgp__age_noise(&p->age, p->noise[i], at - p->t[i]);
}

/* What is not heard any more goes for good: noise only grows. */
static void forget_unheard(exact *p) {
    double at = reference(p, p->base.now);
    for (size_t i = p->factor.n; p->aging && i-- > 0;)
        if (!(grown(p, i, at) <= HEARD * p->base.largest))
            tvgp__exact_rows_forget(p, i);
}

/* The oldest told, which prepare's columns know by where it stood then. */
static void make_room(exact *p) {
    while (p->limit && p->factor.n >= p->limit)
        tvgp__exact_rows_forget(p, 0);
}

static void observe(tvgp__belief *b, const tvgp__points *points, size_t i, double t, double y, double noise) {
    exact *p = (exact *)b;
    size_t dim = b->kernel->dim;
    b->now = fmax(b->now, t);
    p->newest = fmax(p->newest, t);
    forget_unheard(p);
    make_room(p);
    size_t n = p->factor.n;
    memcpy(p->X + n * dim, points->X + i * dim, dim * sizeof *p->X);
    p->t[n] = t;
    p->y[n] = y;
    p->noise[n] = p->sigma[n] = tvgp__belief_noise(b, noise);
    p->prior[n] = p->variance[i];
    p->origin[n] = p->first + i;
    p->fitted = 0;
    double *k = p->aging ? p->W + n * p->slots : p->work;
    for (size_t j = 0; j < n; j++)
        k[j] = tvgp__law_covariance(&p->law, t, p->t[j]) * p->cross[i * p->columns + p->origin[j]];
    if (p->aging) {
        p->factor.n++;
        return;
    }
    append(p, k);
    tvgp__exact_rows_stock(p);
}

static void reset(tvgp__belief *b) {
    exact *p = (exact *)b;
    p->factor.n = 0;
    p->newest = -INFINITY;
    p->fitted = 0;
    p->foretold = 0;
    tvgp__exact_rows_stock(p);
    b->effective = 0;
}

/* ---- aging noise ------------------------------------------------------------------------------------------------ */

/* What is not heard at a later time counts as next to nothing. */
static void grow_noise(exact *p, double at) {
    p->base.effective = 0;
    for (size_t i = 0; i < p->factor.n; i++) {
        p->sigma[i] = fmin(grown(p, i, at), 2 * HEARD * p->base.largest);
        p->base.effective += p->noise[i] / p->sigma[i];
    }
}

/* L, W and z from K + Sigma at this time; jitter grows until it is positive definite. */
static void refit(exact *p, double at) {
    tvgp__belief *b = &p->base;
    size_t n = p->factor.n, ld = p->factor.capacity;
    double *L = p->factor.L;
    if (p->fitted && p->at == at)
        return;
    grow_noise(p, at);
    for (size_t j = 0; j < n; j++) {
        p->work[j] = p->prior[j] + p->sigma[j];
        for (size_t i = j + 1; i < n; i++)
            L[j * ld + i] = L[i * ld + j] = p->W[i * p->slots + j];
    }
    if (n)
        b->jitter += tvgp__chol_factorise(&p->factor, p->work, b->largest);
    for (size_t j = 0; j < n; j++)
        memcpy(p->W + j * (p->slots + 1), L + j * (ld + 1), (n - j) * sizeof *L);
    if (n)
        tvgp__blas_trtri(n, p->W, p->slots);
    memcpy(p->z, p->y, n * sizeof *p->z);
    tvgp__chol_solve(&p->factor, TVGP__NO_TRANS, 1, p->z, n);
    p->fitted = 1;
    p->at = at;
    tvgp__exact_rows_stock(p);
}

static void settle(tvgp__belief *b) {
    exact *p = (exact *)b;
    if (p->aging && p->factor.n)
        refit(p, reference(p, b->now));
}

/* ---- form ------------------------------------------------------------------------------------------------------- */

static tvgp_status form(tvgp__belief *b, double t, tvgp__form *out) {
    exact *p = (exact *)b;
    TVGP__TRY(tvgp__exact_rows_reserve(p, 0));
    if (p->aging)
        refit(p, reference(p, t));
    for (size_t i = 0; i < p->factor.n; i++) {
        p->c[i] = tvgp__law_covariance(&p->law, t, p->t[i]);
        p->own[i] = tvgp__law_kappa(&p->law, p->t[i]) * p->prior[i] + p->sigma[i];
    }
    *out = tvgp__form_of(b->ctx, b->kernel, p->factor.n, p->X, p->W, p->slots, p->z);
    out->inverse = 1;
    out->c = p->c;
    out->kappa = tvgp__law_kappa(&p->law, t);
    return TVGP_OK;
}

/* v = W (T(t_p, .) o k(X, z_p)) gives the variance left, and so the next row; its z is 0, so the mean stays. */
static tvgp_status pend(exact *p, tvgp__form *form, const double *x, double t, double t_now, double noise) {
    size_t r = form->r, dim = p->base.kernel->dim;
    double *v = p->work, variance;
    TVGP__TRY(tvgp__kernel_diag(p->base.kernel, 1, x, &variance));
    if (r)
        TVGP__TRY(tvgp__kernel_block(p->base.kernel, 1, x, r, p->X, v, r));
    for (size_t j = 0; j < r; j++)
        v[j] *= tvgp__law_covariance(&p->law, t, p->t[j]);
    if (r)
        tvgp__blas_trmm(TVGP__NO_TRANS, r, 1, p->W, p->slots, v, r);
    double own = tvgp__law_kappa(&p->law, t) * variance + noise;
    double square = fmax(own - tvgp__blas_dot(r, v, v), noise);
    tvgp__chol_inverse_border(p->W, p->slots, r, v, 1, sqrt(square));
    memcpy(p->X + r * dim, x, dim * sizeof *p->X);
    p->t[r] = t;
    p->z[r] = 0;
    p->own[r] = own;
    p->c[r] = tvgp__law_covariance(&p->law, t_now, t);
    form->r++;
    return TVGP_OK;
}

tvgp_status tvgp__exact_pend(tvgp__belief *b, tvgp__form *form, double t_now, size_t n, const double *X, const double *t,
                             double noise) {
    noise = tvgp__belief_noise(b, noise);
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(pend((exact *)b, form, X + i * b->kernel->dim, t[i], t_now, noise));
    return TVGP_OK;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static void release(tvgp__belief *b) {
    exact *p = (exact *)b;
    double *blocks[] = {p->W, p->X, p->t,   p->y,    p->noise, p->prior, p->sigma,
                        p->z, p->c, p->own, p->work, p->turn,  p->cross, p->variance};
    tvgp__chol_free(&p->factor);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(b->ctx, blocks[i]);
    tvgp__memory_free(b->ctx, p->origin);
}

const double *tvgp__exact_points(const tvgp__belief *b, size_t *n) {
    *n = ((const exact *)b)->factor.n;
    return ((const exact *)b)->X;
}

const double *tvgp__exact_own(const tvgp__belief *b) {
    return ((const exact *)b)->own;
}

size_t tvgp__exact_dropped(const tvgp__belief *b) {
    return ((const exact *)b)->dropped;
}

double tvgp__exact_square(const tvgp__belief *b) {
    const exact *p = (const exact *)b;
    double z = p->factor.n ? p->z[p->factor.n - 1] : 0;
    return z * z;
}

static double correlation(const tvgp__belief *b, double from, double to) {
    const exact *p = (const exact *)b;
    return p->aging ? tvgp__age_correlation(&p->age, b->largest, to - from) : tvgp__law_correlation(&p->law, from, to);
}

static const tvgp__belief_anywhere anywhere = {.points = tvgp__exact_points,
                                               .dropped = tvgp__exact_dropped,
                                               .pend = tvgp__exact_pend,
                                               .own = tvgp__exact_own,
                                               .prune = tvgp__exact_prune};

static const tvgp__belief_ops ops = {.prepare = prepare,
                                     .observe = observe,
                                     .advance = advance,
                                     .settle = settle,
                                     .correlation = correlation,
                                     .form = form,
                                     .reset = reset,
                                     .anywhere = &anywhere,
                                     .release = release,
                                     .visit = tvgp__exact_rows_visit};

tvgp_status tvgp__exact_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__exact_spec *spec, size_t n,
                            const double *scale_at, tvgp__belief **out) {
    exact *p = NULL;
    TVGP__TRY(tvgp__belief_new(ctx, &ops, kernel, n, scale_at, sizeof *p, &p)); /* its arms give the scale, and no more */
    p->base.n = 0;
    p->base.X = NULL;
    p->factor.ctx = ctx;
    p->law = spec->law;
    p->limit = spec->limit;
    p->compared = spec->compared;
    p->newest = -INFINITY;
    p->aging = spec->age != NULL;
    if (spec->age)
        p->age = *spec->age;
    *out = &p->base;
    return TVGP_OK;
}
