/* SPDX-License-Identifier: MIT */
#include "belief/refit.h"

#include "base/error.h"
#include "base/memory.h"
#include "gp/explain.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

static const double log_2_pi = 1.8378770664093454836;

tvgp_status tvgp__refit_reserve(tvgp__belief *p, size_t n) {
    tvgp__refit *r = (tvgp__refit *)p;
    size_t rows = n < p->n ? n : p->n;
    if (rows <= r->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__chol_reserve(&r->factor, rows));
    size_t slots = r->factor.capacity < p->n ? r->factor.capacity : p->n;
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->arm, &r->arm));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->precision, &r->precision));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->y, &r->y));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, sizeof *r->z, &r->z));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, p->kernel->dim * sizeof *r->points, &r->points));
    TVGP__TRY(tvgp__memory_grow(p->ctx, slots, TVGP__EXPLAIN_BLOCK * sizeof *r->V, &r->V));
    r->slots = slots;
    return TVGP_OK;
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

static void clear(tvgp__refit *r) {
    for (size_t i = 0; i < r->factor.n; i++)
        r->row[r->arm[i]] = 0;
    r->factor.n = 0;
    r->apart = 0;
    tvgp__belief_prior(&r->base, 1);
}

/* An observation joins the row of its arm. The likelihoods of two observations of f with noises 1/p and 1/q are one of their
 * weighted mean with noise 1/(p + q), times N(difference; 0, 1/p + 1/q). */
static void collapse(tvgp__refit *r, size_t arm, double y, double noise) {
    tvgp__belief *b = &r->base;
    if (noise > TVGP__REFIT_LIMIT * b->largest)
        return;
    double q = 1 / fmax(noise, 1e-10 * b->largest); /* a noise of 0 would count as infinite information */
    b->observations++;
    if (!r->row[arm]) {
        size_t i = r->factor.n++, dim = b->kernel->dim;
        r->row[arm] = i + 1;
        r->arm[i] = arm;
        r->precision[i] = q;
        r->y[i] = y;
        memcpy(r->points + i * dim, b->X + arm * dim, dim * sizeof *r->points);
        return;
    }
    size_t i = r->row[arm] - 1;
    double sum = r->precision[i] + q, apart = y - r->y[i], share = q / sum * r->precision[i]; /* 1 / (1/p + 1/q) */
    r->apart -= 0.5 * (log_2_pi - log(share) + apart * apart * share);
    r->y[i] += apart * (q / sum);
    r->precision[i] = sum;
}

/* L L' = K + Sigma. The upper triangle keeps K for another attempt; jitter grows until the matrix is positive definite. */
static void factorise(tvgp__refit *r) {
    tvgp__belief *b = &r->base;
    size_t n = r->factor.n, ld = r->factor.capacity;
    double *L = r->factor.L, *diagonal = r->z;
    (void)tvgp__kernel_block(b->kernel, n, r->points, n, r->points, L, ld);
    for (size_t i = 0; i < n; i++)
        diagonal[i] = L[i * ld + i] + 1 / r->precision[i];
    for (double jitter = 0; isfinite(jitter); jitter = jitter > 0 ? 100 * jitter : 1e-10 * b->largest) {
        for (size_t i = 0; i < n; i++)
            L[i * ld + i] = diagonal[i] + jitter;
        b->jitter += jitter > 0;
        if (tvgp__blas_potrf(n, L, ld) == 0)
            return;
        for (size_t j = 0; j < n; j++)
            for (size_t i = j + 1; i < n; i++)
                L[j * ld + i] = L[i * ld + j];
    }
}

static void fit(tvgp__refit *r) {
    tvgp__belief *b = &r->base;
    size_t n = r->factor.n, dim = b->kernel->dim;
    double explained[TVGP__EXPLAIN_BLOCK];
    b->rank = n;
    if (!n)
        return;
    factorise(r);
    memcpy(r->z, r->y, n * sizeof *r->z);
    tvgp__chol_solve(&r->factor, TVGP__NO_TRANS, 1, r->z, n);
    for (size_t first = 0; first < b->n; first += TVGP__EXPLAIN_BLOCK) {
        size_t m = b->n - first < TVGP__EXPLAIN_BLOCK ? b->n - first : TVGP__EXPLAIN_BLOCK;
        tvgp__explain_block(b->kernel, &r->factor, r->points, NULL, r->z, m, b->X + first * dim, r->V, b->mean + first,
                            explained);
        for (size_t i = 0; i < m; i++)
            b->var[first + i] = b->prior[first + i] - explained[i];
    }
    double log_det = tvgp__chol_log_det(&r->factor);
    b->log_det_ratio = log_det;
    for (size_t i = 0; i < n; i++)
        b->log_det_ratio += log(r->precision[i]);
    b->log_evidence = r->apart - 0.5 * (tvgp__blas_dot(n, r->z, r->z) + log_det + (double)n * log_2_pi);
}

void tvgp__refit_set(tvgp__belief *p, double now, size_t n, const size_t *arm, const double *y, const double *noise) {
    tvgp__refit *r = (tvgp__refit *)p;
    clear(r);
    p->now = now;
    for (size_t i = 0; i < n; i++)
        collapse(r, arm[i], y[i], noise[i]);
    fit(r);
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

static tvgp_status reserve(tvgp__belief *p, size_t n) {
    return tvgp__refit_reserve(p, ((tvgp__refit *)p)->factor.n + n);
}

static void advance(tvgp__belief *p, double t) {
    p->now = t;
}

static void observe(tvgp__belief *p, size_t arm, double t, double y, double noise) {
    p->now = fmax(p->now, t);
    collapse((tvgp__refit *)p, arm, y, noise);
    fit((tvgp__refit *)p);
}

/* k(x, .) - k(x, P) (L L')^-1 k(P, .) */
void tvgp__refit_column(tvgp__belief *p, size_t arm, double *out) {
    tvgp__refit *r = (tvgp__refit *)p;
    const tvgp_kernel *kernel = p->kernel;
    size_t n = r->factor.n, dim = kernel->dim;
    (void)tvgp__kernel_block(kernel, 1, p->X + arm * dim, p->n, p->X, out, p->n);
    if (!n)
        return;
    double *w = r->V, *row = r->V + n;
    (void)tvgp__kernel_block(kernel, 1, p->X + arm * dim, n, r->points, w, n);
    tvgp__chol_solve(&r->factor, TVGP__NO_TRANS, 1, w, n);
    tvgp__chol_solve(&r->factor, TVGP__TRANS, 1, w, n);
    enum { BLOCK = TVGP__EXPLAIN_BLOCK - 1 }; /* what is left of V */
    for (size_t first = 0; first < p->n; first += BLOCK) {
        size_t m = p->n - first < BLOCK ? p->n - first : BLOCK;
        (void)tvgp__kernel_block(kernel, m, p->X + first * dim, n, r->points, row, n);
        tvgp__blas_gemv(TVGP__TRANS, n, m, -1, row, n, w, 1, out + first);
    }
}

tvgp_status tvgp__refit_form(tvgp__belief *p, double t, tvgp__form *out) {
    const tvgp__refit *r = (const tvgp__refit *)p;
    (void)t;
    *out = tvgp__form_of(p->ctx, p->kernel, r->factor.n, r->points, r->factor.L, r->factor.capacity, r->z);
    return TVGP_OK;
}

static void reset(tvgp__belief *p) {
    clear((tvgp__refit *)p);
}

static void arm_at(const tvgp__belief *p, double t, size_t arm, double *mean, double *var) {
    (void)t;
    *mean = p->mean[arm];
    *var = fmax(p->var[arm], 0);
}

void tvgp__refit_release(tvgp__belief *p) {
    tvgp__refit *r = (tvgp__refit *)p;
    tvgp__chol_free(&r->factor);
    double *blocks[] = {r->precision, r->y, r->z, r->points, r->V};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(p->ctx, blocks[i]);
    tvgp__memory_free(p->ctx, r->arm);
    tvgp__memory_free(p->ctx, r->row);
}

tvgp_status tvgp__refit_create(tvgp_ctx *ctx, const tvgp__belief_ops *ops, const tvgp_kernel *kernel, size_t n,
                               const double *X, size_t size, void *out) {
    tvgp__refit *r = NULL;
    TVGP__TRY(tvgp__belief_new(ctx, ops, kernel, n, X, size, &r));
    r->factor.ctx = ctx;
    tvgp__belief_prior(&r->base, 1);
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *r->row, &r->row);
    if (status < 0)
        tvgp__belief_free(&r->base);
    else
        memcpy(out, &r, sizeof r);
    return status;
}

static const tvgp__belief_ops refit_ops = {.struct_size = sizeof refit_ops,
                                           .reserve = reserve,
                                           .advance = advance,
                                           .observe = observe,
                                           .column = tvgp__refit_column,
                                           .form = tvgp__refit_form,
                                           .reset = reset,
                                           .arm_at = arm_at,
                                           .release = tvgp__refit_release};

tvgp_status tvgp__refit_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__belief **out) {
    return tvgp__refit_create(ctx, &refit_ops, kernel, n, X, sizeof(tvgp__refit), out);
}
