#include "linalg/chol.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { PANEL = 64 }; /* columns of V rotated at a time */

void tvgp__chol_free(tvgp__chol *f) {
    if (f->ctx)
        tvgp__memory_free(f->ctx, f->L);
    f->L = NULL;
    f->n = f->capacity = 0;
}

tvgp_status tvgp__chol_reserve(tvgp__chol *f, size_t n) {
    if (n <= f->capacity)
        return TVGP_OK;
    TVGP__TRY(tvgp__blas_check(f->ctx, "rows of a Cholesky factor", n));
    size_t capacity = f->capacity * 2 > n ? f->capacity * 2 : (n > 16 ? n : 16);
    double *L = NULL;
    TVGP__TRY(tvgp__memory_alloc(f->ctx, capacity, capacity * sizeof *L, &L));
    for (size_t j = 0; j < f->n; j++)
        for (size_t i = j; i < f->n; i++)
            L[j * capacity + i] = f->L[j * f->capacity + i];
    tvgp__memory_free(f->ctx, f->L);
    f->L = L;
    f->capacity = capacity;
    return TVGP_OK;
}

tvgp_status tvgp__chol_pivot(tvgp_ctx *ctx, double variance, double *square, size_t *jitter) {
    static const double ladder[] = {0, 1e-10, 1e-8, 1e-6};
    for (size_t step = 0; step < sizeof ladder / sizeof *ladder; step++) {
        double tried = *square + ladder[step] * variance;
        if (tried > 1e-14 * variance) {
            *square = tried;
            *jitter += step > 0;
            return TVGP_OK;
        }
    }
    return tvgp__error_set(ctx, TVGP_ERR_NUMERIC,
                           "the Gram matrix is not positive definite: pivot %g with prior variance %g, bound %g", *square,
                           variance, -1e-6 * variance);
}

tvgp_status tvgp__chol_append(tvgp__chol *f, double *k, double variance, double noise) {
    TVGP__TRY(tvgp__chol_reserve(f, f->n + 1));
    tvgp__chol_solve(f, 0, 1, k, f->n ? f->n : 1);
    double square = variance + noise - tvgp__blas_dot(f->n, k, k);
    TVGP__TRY(tvgp__chol_pivot(f->ctx, variance, &square, &f->jitter));
    for (size_t j = 0; j < f->n; j++)
        f->L[j * f->capacity + f->n] = k[j];
    f->L[f->n * f->capacity + f->n] = sqrt(square);
    f->n++;
    return TVGP_OK;
}

void tvgp__chol_delete(tvgp__chol *f, size_t i, double *c, double *s) {
    size_t ld = f->capacity, n = f->n;
    /* Without row i, columns i.. are lower Hessenberg: rotate columns (j, j + 1) to clear the entry above the diagonal. */
    for (size_t j = i; j + 1 < n; j++) {
        double *left = f->L + j * ld, *right = f->L + (j + 1) * ld;
        double r = hypot(left[j + 1], right[j + 1]); /* row j + 1 becomes row j; its pivot stays positive */
        c[j - i] = left[j + 1] / r;
        s[j - i] = right[j + 1] / r;
        tvgp__blas_rot(n - j - 1, left + j + 1, right + j + 1, c[j - i], s[j - i]);
    }
    for (size_t j = 0; j + 1 < n; j++)
        for (size_t row = j > i ? j : i; row + 1 < n; row++)
            f->L[j * ld + row] = f->L[j * ld + row + 1];
    f->n--;
}

/* Row j becomes c x + s y of the row x that was carried down to it and the next row y; c y - s x is carried on. */
TVGP__CLONES
static void carry_panel(size_t rows, const double *c, const double *s, size_t width, double *V, size_t ld) {
    double x[PANEL];
    memcpy(x, V, width * sizeof *x);
    for (size_t j = 0; j + 1 < rows; j++) {
        double *row = V + j * ld, *next = row + ld, cj = c[j], sj = s[j];
        for (size_t k = 0; k < width; k++) {
            double y = next[k];
            row[k] = cj * x[k] + sj * y;
            x[k] = cj * y - sj * x[k];
        }
    }
    memcpy(V + (rows - 1) * ld, x, width * sizeof *x);
}

void tvgp__chol_carry(size_t n_before, size_t i, const double *c, const double *s, size_t m, double *V, size_t ld) {
    for (size_t first = 0; first < m; first += PANEL)
        carry_panel(n_before - i, c, s, m - first < PANEL ? m - first : PANEL, V + i * ld + first, ld);
}

void tvgp__chol_solve(const tvgp__chol *f, int trans, size_t m, double *B, size_t ldb) {
    if (!f->n || !m)
        return;
    if (m == 1)
        tvgp__blas_trsv(trans, f->n, f->L, f->capacity, B);
    else
        tvgp__blas_trsm(trans, f->n, m, f->L, f->capacity, B, ldb);
}

double tvgp__chol_log_det(const tvgp__chol *f) {
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += log(f->L[i * f->capacity + i]);
    return 2 * sum;
}
