/* SPDX-License-Identifier: MIT */
#include "gp/basis.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/pivoted.h"

#include <math.h>
#include <string.h>

typedef struct {
    size_t n_kernels;
    const tvgp_kernel *const *kernels;
    size_t n;
    const double *X;
    double *work; /* n: with several kernels */
} gram;

static tvgp_status gram_column(const void *user, size_t index, double *out) {
    const gram *g = user;
    for (size_t k = 0; k < g->n_kernels; k++) {
        const tvgp_kernel *kernel = g->kernels[k];
        double *column = k ? g->work : out;
        TVGP__TRY(tvgp__kernel_block(kernel, 1, g->X + index * kernel->dim, g->n, g->X, column, g->n));
        if (k)
            tvgp__blas_axpy(g->n, 1, column, out);
    }
    return TVGP_OK;
}

static tvgp_status gram_diagonal(const gram *g, double *out) {
    for (size_t k = 0; k < g->n_kernels; k++) {
        double *diagonal = k ? g->work : out;
        TVGP__TRY(tvgp__kernel_diag(g->kernels[k], g->n, g->X, diagonal));
        if (k)
            tvgp__blas_axpy(g->n, 1, diagonal, out);
    }
    return TVGP_OK;
}

double tvgp__basis_tolerance(double largest, double noise) {
    return largest * fmax(1e-15, 1e-13 * fmin(1, noise / (0.01 * largest)));
}

/* Gives back what the rank did not need and keeps the triangular rows. */
static tvgp_status finish(tvgp__basis *b, size_t max_rank) {
    int zero = b->r == 0; /* K = 0: one feature that is zero everywhere */
    size_t r = b->r += (size_t)zero;
    if (r < max_rank)
        TVGP__TRY(tvgp__memory_grow(b->ctx, r, b->n * sizeof *b->Phi, &b->Phi));
    TVGP__TRY(tvgp__memory_alloc(b->ctx, r, r * sizeof *b->L, &b->L));
    for (size_t j = 0; j < b->r; j++)
        for (size_t i = 0; i < b->r; i++)
            b->L[j * b->r + i] = zero ? 1 : b->Phi[j * b->n + b->pivot[i]];
    return TVGP_OK;
}

static tvgp_status factor(tvgp__basis *b, const gram *g, double tolerance, size_t max_rank, double *residual) {
    double left = 0;
    TVGP__TRY(tvgp__memory_alloc(b->ctx, max_rank, b->n * sizeof *b->Phi, &b->Phi));
    TVGP__TRY(tvgp__memory_alloc(b->ctx, max_rank, sizeof *b->pivot, &b->pivot));
    TVGP__TRY(gram_diagonal(g, residual));
    TVGP__TRY(tvgp__pivoted_factor(b->n, gram_column, g, tolerance, max_rank, residual, b->Phi, b->pivot, &b->r));
    for (size_t i = 0; i < b->n; i++)
        left = fmax(left, residual[i]);
    if (!(left > tolerance))
        return finish(b, max_rank);
    tvgp__basis_free(b);
    return TVGP_OK;
}

tvgp_status tvgp__basis_new(tvgp_ctx *ctx, size_t n_kernels, const tvgp_kernel *const *kernels, size_t n, const double *X,
                            double tolerance, size_t max_rank, tvgp__basis *out) {
    tvgp__basis b = {.ctx = ctx, .n = n};
    double *residual = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, n, 2 * sizeof *residual, &residual));
    const gram g = {n_kernels, kernels, n, X, residual + n};
    tvgp_status status = factor(&b, &g, tolerance, max_rank < n ? max_rank : n, residual);
    tvgp__memory_free(ctx, residual);
    if (status < 0)
        tvgp__basis_free(&b);
    else
        *out = b;
    return status;
}

void tvgp__basis_free(tvgp__basis *b) {
    tvgp__memory_free(b->ctx, b->Phi);
    tvgp__memory_free(b->ctx, b->pivot);
    tvgp__memory_free(b->ctx, b->L);
    *b = (tvgp__basis){.ctx = b->ctx, .n = b->n};
}

void tvgp__basis_row(const tvgp__basis *b, size_t arm, double *phi) {
    for (size_t j = 0; j < b->r; j++)
        phi[j] = b->Phi[j * b->n + arm];
}

void tvgp__basis_weights(const tvgp__basis *b, const double *f, double *w) {
    for (size_t j = 0; j < b->r; j++)
        w[j] = f[b->pivot[j]];
    tvgp__blas_trsv(TVGP__NO_TRANS, b->r, b->L, b->r, w);
}

void tvgp__basis_points(const tvgp__basis *b, size_t dim, const double *X, double *out) {
    for (size_t j = 0; j < b->r; j++)
        memcpy(out + j * dim, X + b->pivot[j] * dim, dim * sizeof *out);
}
