/* SPDX-License-Identifier: MIT */
/* Appends and deletes observations as rows of L L' = K + Sigma, z = L^-1 (y - m) (model/gp/cholesky_rows.h). */
#include "model/gp/cholesky_rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <string.h>

tvgp__cholesky_rows tvgp__cholesky_rows_of(tvgp_ctx *ctx, size_t dim) {
    return (tvgp__cholesky_rows){.dim = dim, .factor.ctx = ctx};
}

void tvgp__cholesky_rows_free(tvgp__cholesky_rows *r) {
    double *const blocks[] = {r->X, r->t, r->y, r->noise, r->z, r->turn};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(r->factor.ctx, blocks[i]);
    tvgp__chol_free(&r->factor);
}

tvgp_status tvgp__cholesky_rows_reserve(tvgp__cholesky_rows *r, size_t n) {
    double **const columns[] = {&r->t, &r->y, &r->noise, &r->z};
    TVGP__TRY(tvgp__chol_reserve(&r->factor, n));
    if (n <= r->slots)
        return TVGP_OK;
    const size_t slots = r->factor.capacity;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        TVGP__TRY(tvgp__memory_grow(r->factor.ctx, slots, sizeof **columns[i], columns[i]));
    TVGP__TRY(tvgp__memory_grow(r->factor.ctx, slots, r->dim * sizeof *r->X, &r->X));
    TVGP__TRY(tvgp__memory_grow(r->factor.ctx, slots, 2 * sizeof *r->turn, &r->turn));
    r->slots = slots;
    return TVGP_OK;
}

void tvgp__cholesky_rows_note(tvgp__cholesky_rows *r, size_t index, const tvgp__row *row) {
    memcpy(r->X + index * r->dim, row->x, r->dim * sizeof *r->X);
    r->t[index] = row->t;
    r->y[index] = row->y;
    r->noise[index] = row->noise;
}

tvgp_status tvgp__cholesky_rows_append(tvgp__cholesky_rows *r, const tvgp__row *row, double *k, double variance,
                                       double residual) {
    const size_t n = r->factor.n;
    TVGP__TRY(tvgp__chol_append(&r->factor, k, variance, row->noise));
    tvgp__cholesky_rows_note(r, n, row);
    r->z[n] = (residual - tvgp__blas_dot(n, k, r->z)) / tvgp__cholesky_rows_pivot(r, n);
    return TVGP_OK;
}

static void shift(double *block, size_t width, size_t n, size_t index) {
    double *at = block + index * width;
    memmove(at, at + width, (n - 1 - index) * width * sizeof *at);
}

void tvgp__cholesky_rows_close_gap(tvgp__cholesky_rows *r, size_t index, size_t n) {
    shift(r->X, r->dim, n, index);
    shift(r->t, 1, n, index);
    shift(r->y, 1, n, index);
    shift(r->noise, 1, n, index);
}

void tvgp__cholesky_rows_drop(tvgp__cholesky_rows *r, size_t index) {
    const size_t n = r->factor.n;
    tvgp__chol_delete(&r->factor, index, r->turn, r->turn + r->slots);
    tvgp__chol_carry(n, index, r->turn, r->turn + r->slots, 1, r->z, 1);
    tvgp__cholesky_rows_close_gap(r, index, n);
}
