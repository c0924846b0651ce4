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

static void gram_column(const void *user, size_t index, double *out) {
    const gram *g = user;
    for (size_t k = 0; k < g->n_kernels; k++) {
        const tvgp_kernel *kernel = g->kernels[k];
        double *column = k ? g->work : out;
        (void)tvgp__kernel_block(kernel, 1, g->X + index * kernel->dim, g->n, g->X, column, g->n);
        if (k)
            tvgp__blas_axpy(g->n, 1, column, out);
    }
}

static void gram_diagonal(const gram *g, double *out) {
    for (size_t k = 0; k < g->n_kernels; k++) {
        double *diagonal = k ? g->work : out;
        (void)tvgp__kernel_diag(g->kernels[k], g->n, g->X, diagonal);
        if (k)
            tvgp__blas_axpy(g->n, 1, diagonal, out);
    }
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
    return 1;
}

tvgp_status tvgp__basis_new(tvgp_ctx *ctx, size_t n_kernels, const tvgp_kernel *const *kernels, size_t n, const double *X,
                            double tolerance, size_t max_rank, tvgp__basis *out) {
    tvgp__basis b = {.ctx = ctx, .n = n};
    double *residual = NULL;
    max_rank = max_rank < n ? max_rank : n;
    tvgp_status status = tvgp__memory_alloc(ctx, n, 2 * sizeof *residual, &residual);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, max_rank, n * sizeof *b.Phi, &b.Phi);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, max_rank, sizeof *b.pivot, &b.pivot);
    if (status == TVGP_OK) {
        gram g = {n_kernels, kernels, n, X, residual + n};
        gram_diagonal(&g, residual);
        b.r = tvgp__pivoted_factor(n, gram_column, &g, tolerance, max_rank, residual, b.Phi, b.pivot);
        int complete = 1;
        for (size_t i = 0; i < n && complete; i++)
            complete = !(residual[i] > tolerance);
        if (complete)
            status = finish(&b, max_rank);
    }
    tvgp__memory_free(ctx, residual);
    if (status == 1)
        *out = b;
    else
        tvgp__basis_free(&b);
    return status;
}

void tvgp__basis_free(tvgp__basis *b) {
    tvgp__memory_free(b->ctx, b->Phi);
    tvgp__memory_free(b->ctx, b->pivot);
    tvgp__memory_free(b->ctx, b->L);
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
