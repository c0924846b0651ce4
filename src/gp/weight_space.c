/* SPDX-License-Identifier: MIT */
#include "gp/weight_space.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__weight_space_reserve(tvgp__weight_space *w, size_t slots, size_t *held) {
    if (slots <= *held)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, w->basis.n * sizeof *w->basis.Phi, &w->basis.Phi));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, sizeof *w->basis.pivot, &w->basis.pivot));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, slots * sizeof *w->basis.L, &w->basis.L));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, tvgp__weight_space_triangle(slots), sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, 2 * sizeof *w->phi, &w->phi));
    w->c = w->phi + slots;
    *held = slots;
    return TVGP_OK;
}

void tvgp__weight_space_free(tvgp__weight_space *w) {
    tvgp_ctx *ctx = w->basis.ctx;
    tvgp__basis_free(&w->basis);
    tvgp__memory_free(ctx, w->phi);
    tvgp__memory_free(ctx, w->R);
}

void tvgp__weight_space_column(tvgp__weight_space *w, size_t arm, double *p) {
    const tvgp__basis *b = &w->basis;
    if (!b->r)
        return;
    tvgp__basis_row(b, arm, w->phi);
    memcpy(w->c, w->phi, b->r * sizeof *w->c);
    tvgp__loops_spmv(b->r, -1, w->R, w->phi, w->c);
    tvgp__blas_gemv(TVGP__NO_TRANS, b->n, b->r, 1, b->Phi, b->n, w->c, 0, p);
}

void tvgp__weight_space_observe(tvgp__weight_space *w, double s) {
    tvgp__loops_spr(w->basis.r, 1 / s, w->c, w->R);
}

tvgp_status tvgp__weight_space_form(const tvgp__weight_space *w, const tvgp_kernel *kernel, const double *X,
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
