/* SPDX-License-Identifier: MIT */
#include "gp/weights.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

static tvgp_status allocate(tvgp__weights *w) {
    tvgp_ctx *ctx = w->basis.ctx;
    size_t r = w->basis.r;
    TVGP__TRY(tvgp__memory_alloc(ctx, tvgp__weights_triangle(r), sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_alloc(ctx, 2 * r, sizeof *w->phi, &w->phi));
    w->c = w->phi + r;
    return TVGP_OK;
}

tvgp_status tvgp__weights_new(const tvgp__basis_search *search, tvgp__weights *out) {
    tvgp__weights w = {.scale = 1};
    TVGP__TRY(tvgp__basis_of(search, &w.basis));
    tvgp_status status = allocate(&w);
    if (status < 0)
        tvgp__weights_free(&w);
    else
        *out = w;
    return status;
}

tvgp_status tvgp__weights_reserve(tvgp__weights *w, size_t slots, size_t *held) {
    if (slots <= *held)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, w->basis.n * sizeof *w->basis.Phi, &w->basis.Phi));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, sizeof *w->basis.pivot, &w->basis.pivot));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, slots * sizeof *w->basis.L, &w->basis.L));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, tvgp__weights_triangle(slots), sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, 2 * sizeof *w->phi, &w->phi));
    w->c = w->phi + slots;
    *held = slots;
    return TVGP_OK;
}

void tvgp__weights_free(tvgp__weights *w) {
    tvgp_ctx *ctx = w->basis.ctx;
    tvgp__basis_free(&w->basis);
    tvgp__memory_free(ctx, w->R);
    tvgp__memory_free(ctx, w->phi);
}

void tvgp__weights_visit(tvgp__weights *w, tvgp__visit *v) {
    tvgp__basis_visit(&w->basis, v);
    tvgp__visit_real(v, &w->scale, 1e-200, 1e200);
    tvgp__visit_reals(v, tvgp__weights_triangle(w->basis.r), w->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

void tvgp__weights_look(tvgp__weights *w, size_t arm, double kappa) {
    const tvgp__basis *b = &w->basis;
    tvgp__basis_row(b, arm, w->phi);
    for (size_t j = 0; j < b->r; j++)
        w->c[j] = kappa * w->phi[j];
    tvgp__loops_spmv(b->r, -w->scale, w->R, w->phi, w->c);
}

void tvgp__weights_apply(const tvgp__weights *w, double *p) {
    const tvgp__basis *b = &w->basis;
    tvgp__blas_gemv(TVGP__NO_TRANS, b->n, b->r, 1, b->Phi, b->n, w->c, 0, p);
}

void tvgp__weights_column(tvgp__weights *w, size_t arm, double kappa, double *p) {
    tvgp__weights_look(w, arm, kappa);
    tvgp__weights_apply(w, p);
}

void tvgp__weights_observe(tvgp__weights *w, double s) {
    double root = sqrt(s);
    for (size_t j = 0; j < w->basis.r; j++)
        w->c[j] /= root;
    tvgp__weights_add(w, w->c);
}

void tvgp__weights_add(tvgp__weights *w, const double *u) {
    tvgp__loops_spr(w->basis.r, 1 / w->scale, u, w->R);
}

void tvgp__weights_absorb(tvgp__weights *w, const tvgp__columns *c, size_t from, size_t to, double unit, double *U,
                          double *mean) {
    const tvgp__basis *b = &w->basis;
    size_t r = b->r, count = to - from;
    for (size_t k = 0; k < count; k++) {
        const double *g = tvgp__columns_g(c, from + k);
        for (size_t j = 0; j < r; j++)
            U[k * r + j] = tvgp__shard_entry(b->shard, g, b->pivot[j]);
    }
    tvgp__shard_max(b->shard, U, r * count);
    for (size_t k = 0; k < count; k++)
        tvgp__loops_scale(r, sqrt(tvgp__columns_decay(c, from + k) / unit), U + k * r);
    tvgp__blas_trsm(TVGP__NO_TRANS, r, count, b->L, r, U, r);
    double *square = U + r * count, *packed = w->R;
    tvgp__blas_syrk(TVGP__NO_TRANS, r, count, 1, U, r, 0, square, r);
    for (size_t j = 0; j < r; packed += r - j++)
        tvgp__blas_axpy(r - j, 1, square + j * (r + 1), packed);
    for (size_t k = 0; mean && k < count; k++) {
        const tvgp__innovation *seen = &tvgp__columns_at(c, from + k)->seen;
        tvgp__blas_axpy(r, seen->e / sqrt(seen->s), U + k * r, mean);
    }
}

void tvgp__weights_decay(tvgp__weights *w, double m2) {
    w->scale *= m2;
    if (w->scale > 1e-100 && w->scale < 1e100)
        return;
    for (size_t i = 0; i < tvgp__weights_triangle(w->basis.r); i++)
        w->R[i] *= w->scale;
    w->scale = 1;
}

void tvgp__weights_clear(tvgp__weights *w) {
    memset(w->R, 0, tvgp__weights_triangle(w->basis.r) * sizeof *w->R);
    w->scale = 1;
}

tvgp_status tvgp__weights_form(const tvgp__weights *w, const tvgp_kernel *kernel, const double *X, const double *arm_mean,
                               tvgp__form *out) {
    size_t r = w->basis.r;
    double *memory = NULL;
    tvgp_status status = tvgp__memory_alloc(w->basis.ctx, r, (kernel->dim + 1 + r) * sizeof *memory, &memory);
    status = tvgp__shard_agree(w->basis.shard, status);
    if (status < 0) {
        tvgp__memory_free(w->basis.ctx, memory);
        return status;
    }
    double *square = memory + r * (kernel->dim + 1);
    const double *packed = w->R;
    for (size_t j = 0; j < r; packed += r - j++)
        memcpy(square + j * (r + 1), packed, (r - j) * sizeof *square);
    tvgp__basis_weights(&w->basis, arm_mean, memory);
    tvgp__basis_points(&w->basis, kernel->dim, X, memory + r);
    *out = tvgp__form_of(w->basis.ctx, kernel, r, memory + r, w->basis.L, r, memory);
    out->S = square;
    out->scale = w->scale;
    out->memory = memory;
    return TVGP_OK;
}
