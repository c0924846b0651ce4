/* SPDX-License-Identifier: MIT */
#include "feature/basis_turn.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

static tvgp_status new_features(const tvgp__basis_turn *t, const tvgp__basis *old, const tvgp_kernel *kernel,
                                const double *X) {
    tvgp__basis_points(old, kernel->dim, X, t->work);
    TVGP__TRY(tvgp__kernel_block(kernel, t->more, X + old->n * kernel->dim, t->r, t->work, t->V, t->r));
    tvgp__blas_trsm(TVGP__NO_TRANS, t->r, t->more, old->L, t->r, t->V, t->r);
    return TVGP_OK;
}

static void fill(const tvgp__basis_turn *t, const tvgp__basis *old, const tvgp__basis *fresh) {
    for (size_t i = 0; i < t->r2; i++) {
        const size_t arm = fresh->pivot[i];
        for (size_t j = 0; j < t->r; j++)
            t->T[j * t->r2 + i] = arm < old->n ? old->Phi[j * old->n + arm] : t->V[(arm - old->n) * t->r + j];
    }
    tvgp__blas_trsm(TVGP__NO_TRANS, t->r2, t->r, fresh->L, t->r2, t->T, t->r2);
}

tvgp_status tvgp__basis_turn_new(const tvgp__basis *old, const tvgp__basis *fresh, const tvgp_kernel *kernel,
                                 const double *X, tvgp__basis_turn *out) {
    tvgp__basis_turn t = {.ctx = fresh->ctx, .r = old->r, .r2 = fresh->r, .more = fresh->n - old->n};
    const size_t squares = t.r * t.r + 2 * t.r * t.r2 + t.r2 * t.r2, points = t.r * kernel->dim;
    tvgp_status status = tvgp__memory_alloc(t.ctx, t.r, (t.more + 1) * sizeof *t.V, &t.V);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(t.ctx, t.r, t.r2 * sizeof *t.T, &t.T);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(t.ctx, squares > points ? squares : points, sizeof *t.work, &t.work);
    if (status == TVGP_OK)
        status = new_features(&t, old, kernel, X);
    if (status < 0) {
        tvgp__basis_turn_free(&t);
        return status;
    }
    fill(&t, old, fresh);
    *out = t;
    return TVGP_OK;
}

void tvgp__basis_turn_free(tvgp__basis_turn *t) {
    tvgp__memory_free(t->ctx, t->V);
    tvgp__memory_free(t->ctx, t->T);
    tvgp__memory_free(t->ctx, t->work);
}

void tvgp__basis_turn_vector(const tvgp__basis_turn *t, const double *w, double *out) {
    tvgp__blas_gemv(TVGP__NO_TRANS, t->r2, t->r, 1, t->T, t->r2, w, 0, out);
}

void tvgp__basis_turn_square(const tvgp__basis_turn *t, int half, const double *A, double *out) {
    double *across = t->work, *C = across + t->r * t->r2; /* T', A T' */
    for (size_t i = 0; i < t->r2; i++)
        for (size_t j = 0; j < t->r; j++)
            across[i * t->r + j] = t->T[j * t->r2 + i];
    if (half)
        tvgp__blas_symm(t->r, t->r2, 1, A, t->r, across, t->r, 0, C, t->r);
    else
        tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__NO_TRANS, t->r, t->r2, t->r, 1, A, t->r, across, t->r, 0, C, t->r);
    tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__NO_TRANS, t->r2, t->r2, t->r, 1, t->T, t->r2, C, t->r, 0, out, t->r2);
}

void tvgp__basis_turn_packed(const tvgp__basis_turn *t, const double *A, double *out) {
    double *square = t->work + 2 * t->r * t->r2, *turned = square + t->r * t->r;
    for (size_t j = 0; j < t->r; j++)
        for (size_t i = j; i < t->r; i++)
            square[j * t->r + i] = *A++;
    tvgp__basis_turn_square(t, 1, square, turned);
    for (size_t j = 0; j < t->r2; j++)
        for (size_t i = j; i < t->r2; i++)
            *out++ = turned[j * t->r2 + i];
}
