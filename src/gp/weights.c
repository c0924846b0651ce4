#include "gp/weights.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/pivoted.h"

#include <math.h>
#include <string.h>

typedef struct {
    const tvgp_kernel *kernel;
    size_t n;
    const double *X;
} gram;

static void gram_column(const void *user, size_t index, double *out) {
    const gram *g = user;
    g->kernel->ops->block(g->kernel, 1, g->X + index * g->kernel->dim, g->n, g->X, out, g->n);
}

static tvgp_status allocate(tvgp__weights *w, size_t r) {
    TVGP__TRY(tvgp__memory_alloc(w->ctx, r, r * sizeof *w->L, &w->L));
    TVGP__TRY(tvgp__memory_alloc(w->ctx, r, r * sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_alloc(w->ctx, r, TVGP__WEIGHTS_UNDO * sizeof *w->undo, &w->undo));
    TVGP__TRY(tvgp__memory_alloc(w->ctx, 2 * r, sizeof *w->phi, &w->phi));
    w->c = w->phi + r;
    return TVGP_OK;
}

tvgp_status tvgp__weights_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, double tolerance,
                              size_t max_rank, tvgp__weights *out) {
    tvgp__weights w = {.ctx = ctx, .n = n, .scale = 1};
    double *residual = NULL;
    gram g = {kernel, n, X};
    max_rank = max_rank < n ? max_rank : n;
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *residual, &residual);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, max_rank, n * sizeof *w.Phi, &w.Phi);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, max_rank, sizeof *w.pivot, &w.pivot);
    if (status == TVGP_OK) {
        kernel->ops->diag(kernel, n, X, residual);
        w.r = tvgp__pivoted_factor(n, gram_column, &g, tolerance, max_rank, residual, w.Phi, w.pivot);
        int complete = 1;
        for (size_t i = 0; i < n && complete; i++)
            complete = !(residual[i] > tolerance);
        if (complete && w.r < max_rank) /* give back what the rank did not need */
            status = tvgp__memory_grow(ctx, w.r ? w.r : 1, n * sizeof *w.Phi, &w.Phi);
        if (status == TVGP_OK && complete)
            status = allocate(&w, w.r ? w.r : 1);
        if (status == TVGP_OK && complete) {
            for (size_t j = 0; j < w.r; j++)
                for (size_t i = 0; i < w.r; i++)
                    w.L[j * w.r + i] = w.Phi[j * n + w.pivot[i]];
            *out = w;
            status = 1;
        }
    }
    tvgp__memory_free(ctx, residual);
    if (status != 1)
        tvgp__weights_free(&w);
    return status;
}

tvgp_status tvgp__weights_reserve(tvgp__weights *w, size_t slots, size_t *held) {
    if (slots <= *held)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(w->ctx, slots, w->n * sizeof *w->Phi, &w->Phi));
    TVGP__TRY(tvgp__memory_grow(w->ctx, slots, sizeof *w->pivot, &w->pivot));
    TVGP__TRY(tvgp__memory_grow(w->ctx, slots, slots * sizeof *w->L, &w->L));
    TVGP__TRY(tvgp__memory_grow(w->ctx, slots, slots * sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_grow(w->ctx, slots, TVGP__WEIGHTS_UNDO * sizeof *w->undo, &w->undo));
    TVGP__TRY(tvgp__memory_grow(w->ctx, slots, 2 * sizeof *w->phi, &w->phi));
    w->c = w->phi + slots;
    *held = slots;
    return TVGP_OK;
}

void tvgp__weights_free(tvgp__weights *w) {
    tvgp__memory_free(w->ctx, w->Phi);
    tvgp__memory_free(w->ctx, w->pivot);
    tvgp__memory_free(w->ctx, w->L);
    tvgp__memory_free(w->ctx, w->R);
    tvgp__memory_free(w->ctx, w->undo);
    tvgp__memory_free(w->ctx, w->phi);
}

void tvgp__weights_column(tvgp__weights *w, size_t arm, double kappa, double *p) {
    for (size_t j = 0; j < w->r; j++) {
        w->phi[j] = w->Phi[j * w->n + arm];
        w->c[j] = kappa * w->phi[j];
    }
    tvgp__blas_symv(w->r, -w->scale, w->R, w->r, w->phi, 1, w->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, w->n, w->r, 1, w->Phi, w->n, w->c, 0, p);
}

void tvgp__weights_observe(tvgp__weights *w, double s) {
    double *u = w->undo + (w->taken++ % TVGP__WEIGHTS_UNDO) * w->r;
    for (size_t j = 0; j < w->r; j++)
        u[j] = w->c[j] / sqrt(s);
    tvgp__blas_syr(w->r, 1 / w->scale, u, w->R, w->r);
    if (w->undoable < TVGP__WEIGHTS_UNDO)
        w->undoable++;
}

void tvgp__weights_take_back(tvgp__weights *w, double *g) {
    const double *u = w->undo + (--w->taken % TVGP__WEIGHTS_UNDO) * w->r;
    w->undoable--;
    tvgp__blas_syr(w->r, -1 / w->scale, u, w->R, w->r);
    tvgp__blas_gemv(TVGP__NO_TRANS, w->n, w->r, 1, w->Phi, w->n, u, 0, g);
}

void tvgp__weights_decay(tvgp__weights *w, double m2) {
    w->scale *= m2;
    if (w->scale > 1e-100 && w->scale < 1e100)
        return;
    for (size_t i = 0; i < w->r * w->r; i++)
        w->R[i] *= w->scale;
    w->scale = 1;
}

void tvgp__weights_clear(tvgp__weights *w) {
    memset(w->R, 0, w->r * w->r * sizeof *w->R);
    w->scale = 1;
    w->undoable = 0;
}

void tvgp__weights_absorb(tvgp__weights *w, size_t count, const double *G, const double *D, double *U) {
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < w->r; j++)
            U[k * w->r + j] = sqrt(D[k]) * G[k * w->n + w->pivot[j]];
    tvgp__blas_trsm(TVGP__NO_TRANS, w->r, count, w->L, w->r, U, w->r);
    tvgp__blas_syrk(TVGP__NO_TRANS, w->r, count, 1, U, w->r, 0, w->R, w->r);
}

void tvgp__weights_features(const tvgp__weights *w, const tvgp_kernel *kernel, const double *X, size_t m, const double *Z,
                            double *work, double *B) {
    for (size_t j = 0; j < w->r; j++)
        memcpy(work + j * kernel->dim, X + w->pivot[j] * kernel->dim, kernel->dim * sizeof *work);
    kernel->ops->block(kernel, m, Z, w->r, work, B, w->r);
    tvgp__blas_trsm(TVGP__NO_TRANS, w->r, m, w->L, w->r, B, w->r);
}

size_t tvgp__weights_predict_work(const tvgp__weights *w, const tvgp_kernel *kernel, size_t m) {
    return w->r * (m + kernel->dim + 2);
}

/* B = features (r x m): mean B' w with w from the pivots' means, var = kappa k - B' R B. */
void tvgp__weights_predict(const tvgp__weights *f, const tvgp_kernel *kernel, const double *X, const double *arm_mean,
                           size_t m, const double *Z, double *work, double *mean, double *var) {
    double *B = work, *RB = B + f->r * m, *w = RB + f->r, *points = w + f->r;
    for (size_t j = 0; j < f->r; j++)
        w[j] = arm_mean[f->pivot[j]];
    tvgp__blas_trsv(TVGP__NO_TRANS, f->r, f->L, f->r, w);
    tvgp__weights_features(f, kernel, X, m, Z, points, B);
    for (size_t i = 0; i < m; i++) {
        const double *b = B + i * f->r;
        tvgp__blas_symv(f->r, f->scale, f->R, f->r, b, 0, RB);
        mean[i] += tvgp__blas_dot(f->r, b, w);
        var[i] -= tvgp__blas_dot(f->r, b, RB);
    }
}
