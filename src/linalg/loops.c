/* SPDX-License-Identifier: MIT */
/* Vector and matrix-vector operations as plain loops, compiled for several instruction sets (base/numbers/simd_clones.h)
 * (linalg/loops.h). */
#include "linalg/loops.h"
#include "base/numbers/simd_clones.h"

#include <math.h>
#include <string.h>

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static inline double total(const double sum[8]) {
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* Eight sums in a fixed order, so that the loop is vectors although sums are not reassociated. */
TVGP__SIMD_CLONES
static double dot(size_t n, const double *restrict x, const double *restrict y) {
    double sum[8] = {0}, rest = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[i + (size_t)k] * y[i + (size_t)k];
    for (; i < n; i++)
        rest += x[i] * y[i];
    return total(sum) + rest;
}

double tvgp__loops_dot(size_t n, const double *x, const double *y) {
    return dot(n, x, y);
}

TVGP__SIMD_CLONES
static void axpy(size_t n, double a, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void tvgp__loops_axpy(size_t n, double a, const double *x, double *y) {
    axpy(n, a, x, y);
}

TVGP__SIMD_CLONES
static void add_four(size_t n, const double a[4], const double *const c[4], double *restrict y) {
    const double *c0 = c[0], *c1 = c[1], *c2 = c[2], *c3 = c[3];
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (size_t i = 0; i < n; i++)
        y[i] += (c0[i] * a0 + c1[i] * a1) + (c2[i] * a2 + c3[i] * a3);
}

void tvgp__loops_add_four(size_t n, const double a[4], const double *const c[4], double *y) {
    add_four(n, a, c, y);
}

TVGP__SIMD_CLONES
static void scale(size_t n, double b, double *y) {
    for (size_t i = 0; i < n; i++)
        y[i] *= b;
}

void tvgp__loops_scale(size_t n, double b, double *y) {
    if (b == 0)
        memset(y, 0, n * sizeof *y);
    else if (b != 1)
        scale(n, b, y);
}

TVGP__SIMD_CLONES
static void rot(size_t n, double *restrict x, double *restrict y, double c, double s) {
    for (size_t i = 0; i < n; i++) {
        double x0 = x[i], y0 = y[i];
        x[i] = c * x0 + s * y0;
        y[i] = c * y0 - s * x0;
    }
}

void tvgp__loops_rot(size_t n, double *x, double *y, double c, double s) {
    rot(n, x, y, c, s);
}

/* ---- a matrix and a vector -------------------------------------------------------------------------------------- */

/* y += a A x, x with a stride */
void tvgp__loops_columns(size_t m, size_t n, double a, const double *A, size_t lda, const double *x, size_t stride,
                         double *y) {
    size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const double f[4] = {a * x[j * stride], a * x[(j + 1) * stride], a * x[(j + 2) * stride], a * x[(j + 3) * stride]};
        const double *c = A + j * lda;
        add_four(m, f, (const double *const[]){c, c + lda, c + 2 * lda, c + 3 * lda}, y);
    }
    for (; j < n; j++)
        tvgp__loops_axpy(m, a * x[j * stride], A + j * lda, y);
}

void tvgp__loops_gemv(int trans, size_t m, size_t n, double a, const double *A, size_t lda, const double *x, double b,
                      double *y) {
    tvgp__loops_scale(trans ? n : m, b, y);
    if (!trans)
        tvgp__loops_columns(m, n, a, A, lda, x, 1, y);
    else
        for (size_t j = 0; j < n; j++)
            y[j] += a * tvgp__loops_dot(m, A + j * lda, x);
}

void tvgp__loops_symv(size_t n, double a, const double *A, size_t lda, const double *x, double b, double *y) {
    tvgp__loops_scale(n, b, y);
    for (size_t j = 0; j < n; j++) {
        const double *column = A + j * (lda + 1);
        y[j] += a * tvgp__loops_dot(n - j, column, x + j);
        tvgp__loops_axpy(n - j - 1, a * x[j], column + 1, y + j + 1);
    }
}

void tvgp__loops_symv_upper(size_t n, const double *A, size_t lda, const double *x, double *y) {
    for (size_t j = 0; j < n; j++) {
        const double *column = A + j * lda;
        y[j] = tvgp__loops_dot(j + 1, column, x);
        tvgp__loops_axpy(j, x[j], column, y);
    }
}

void tvgp__loops_syr(size_t n, double a, const double *x, double *A, size_t lda) {
    for (size_t j = 0; j < n; j++)
        tvgp__loops_axpy(n - j, a * x[j], x + j, A + j * (lda + 1));
}

enum { MANY = 64 }; /* rows from which four columns at a time are faster */

/* Four columns j .. j + 3 of a packed triangle, below the rows in which they begin. */
typedef struct {
    const double *below[4];
    double share[4], sum[4]; /* a x[j + k]; what column k gives to row j + k */
} four;

static inline void spmv_below(size_t m, four *f, const double *restrict u, double *restrict v) {
    const double *c0 = f->below[0], *c1 = f->below[1], *c2 = f->below[2], *c3 = f->below[3];
    const double h0 = f->share[0], h1 = f->share[1], h2 = f->share[2], h3 = f->share[3];
    double sum[4][8] = {{0}}, rest[4] = {0};
    size_t i = 0;
    for (; i + 8 <= m; i += 8)
        for (size_t k = i; k < i + 8; k++) {
            sum[0][k - i] += c0[k] * u[k];
            sum[1][k - i] += c1[k] * u[k];
            sum[2][k - i] += c2[k] * u[k];
            sum[3][k - i] += c3[k] * u[k];
            v[k] += (h0 * c0[k] + h1 * c1[k]) + (h2 * c2[k] + h3 * c3[k]);
        }
    for (; i < m; i++) {
        rest[0] += c0[i] * u[i];
        rest[1] += c1[i] * u[i];
        rest[2] += c2[i] * u[i];
        rest[3] += c3[i] * u[i];
        v[i] += (h0 * c0[i] + h1 * c1[i]) + (h2 * c2[i] + h3 * c3[i]);
    }
    for (int k = 0; k < 4; k++)
        f->sum[k] = total(sum[k]) + rest[k];
}

/* Every column is read once, for its dot product and for its share of the rows below. */
static inline void spmv_plain(size_t n, double a, const double *restrict A, const double *restrict x, double *restrict y) {
    for (size_t j = 0; j < n; A += n - j++) {
        const double *restrict u = x + j;
        double *restrict v = y + j;
        double sum[8] = {0}, rest = 0, share = a * x[j], before = y[j];
        size_t i = 0, m = n - j;
        for (; i + 8 <= m; i += 8) {
            for (int k = 0; k < 8; k++)
                sum[k] += A[i + (size_t)k] * u[i + (size_t)k];
            for (int k = 0; k < 8; k++)
                v[i + (size_t)k] += share * A[i + (size_t)k];
        }
        for (; i < m; i++) {
            rest += A[i] * u[i];
            v[i] += share * A[i];
        }
        v[0] = before + a * (total(sum) + rest);
    }
}

/* The same of four columns at a time, as long as there are many rows. */
TVGP__SIMD_CLONES
static void spmv(size_t n, double a, const double *A, const double *x, double *y) {
    size_t j = 0;
    for (; n >= MANY && j + 4 <= n; j += 4) {
        four f;
        const double *top[4];
        for (size_t k = 0; k < 4; A += n - j - k++) {
            top[k] = A;
            f.below[k] = A + 4 - k;
            f.share[k] = a * x[j + k];
        }
        spmv_below(n - j - 4, &f, x + j + 4, y + j + 4);
        for (size_t k = 0; k < 4; k++) {
            double own = top[k][0] * x[j + k];
            for (size_t l = 1; l < 4 - k; l++) {
                own += top[k][l] * x[j + k + l];
                y[j + k + l] += f.share[k] * top[k][l];
            }
            y[j + k] += a * (own + f.sum[k]);
        }
    }
    spmv_plain(n - j, a, A, x + j, y + j);
}

void tvgp__loops_spmv(size_t n, double a, const double *A, const double *x, double *y) {
    if (n) /* otherwise there need not be arrays */
        spmv(n, a, A, x, y);
}

TVGP__SIMD_CLONES
static void spr(size_t n, double a, const double *restrict x, double *restrict A) {
    for (size_t j = 0; j < n; A += n - j++) {
        double share = a * x[j];
        for (size_t i = j; i < n; i++)
            A[i - j] += share * x[i];
    }
}

void tvgp__loops_spr(size_t n, double a, const double *x, double *A) {
    spr(n, a, x, A);
}

TVGP__SIMD_CLONES
static void rank_four(size_t n, double a[4][4], const double *restrict x, size_t ldx, double *const A[4]) {
    const double *x0 = x, *x1 = x + ldx, *x2 = x1 + ldx, *x3 = x2 + ldx;
    double *restrict A0 = A[0], *restrict A1 = A[1], *restrict A2 = A[2], *restrict A3 = A[3];
    for (size_t i = 0; i < n; i++) {
        const double y0 = x0[i], y1 = x1[i], y2 = x2[i], y3 = x3[i];
        A0[i] += (a[0][0] * y0 + a[0][1] * y1) + (a[0][2] * y2 + a[0][3] * y3);
        A1[i] += (a[1][0] * y0 + a[1][1] * y1) + (a[1][2] * y2 + a[1][3] * y3);
        A2[i] += (a[2][0] * y0 + a[2][1] * y1) + (a[2][2] * y2 + a[2][3] * y3);
        A3[i] += (a[3][0] * y0 + a[3][1] * y1) + (a[3][2] * y2 + a[3][3] * y3);
    }
}

void tvgp__loops_rank_four(size_t n, double a[4][4], const double *x, size_t ldx, double *const A[4]) {
    rank_four(n, a, x, ldx, A);
}

/* Rows of a strip, columns of a panel: of four columns of A and a panel of C a strip stays in the first cache. */
enum { STRIP = 128, PANEL = 16 };

/* C += A B */
static void add_product(size_t m, size_t n, size_t k, const double *A, size_t lda, const double *B, size_t ldb, double *C,
                        size_t ldc) {
    size_t l = 0;
    for (; l + 4 <= k; l += 4) {
        const double *x = A + l * lda, *const four_of[] = {x, x + lda, x + 2 * lda, x + 3 * lda};
        size_t j = 0;
        for (; j + 4 <= n; j += 4) {
            double a[4][4], *columns[4];
            for (size_t c = 0; c < 4; c++) {
                memcpy(a[c], B + (j + c) * ldb + l, sizeof a[c]);
                columns[c] = C + (j + c) * ldc;
            }
            rank_four(m, a, x, lda, columns);
        }
        for (; j < n; j++)
            add_four(m, B + j * ldb + l, four_of, C + j * ldc);
    }
    for (; l < k; l++)
        for (size_t j = 0; j < n; j++)
            axpy(m, B[j * ldb + l], A + l * lda, C + j * ldc);
}

void tvgp__loops_product(size_t m, size_t n, size_t k, const double *A, size_t lda, const double *B, size_t ldb, double *C,
                         size_t ldc) {
    for (size_t i = 0; i < m; i += STRIP) {
        const size_t rows = m - i < STRIP ? m - i : STRIP;
        for (size_t j = 0; j < n; j += PANEL) {
            const size_t columns = n - j < PANEL ? n - j : PANEL;
            for (size_t c = j; c < j + columns; c++)
                memset(C + c * ldc + i, 0, rows * sizeof *C);
            add_product(rows, columns, k, A + i, lda, B + j * ldb, ldb, C + j * ldc + i, ldc);
        }
    }
}

void tvgp__loops_trsv(int trans, size_t n, const double *L, size_t ldl, double *x) {
    if (!trans)
        for (size_t j = 0; j < n; j++) {
            x[j] /= L[j * (ldl + 1)];
            tvgp__loops_axpy(n - j - 1, -x[j], L + j * (ldl + 1) + 1, x + j + 1);
        }
    else
        for (size_t j = n; j-- > 0;)
            x[j] = (x[j] - tvgp__loops_dot(n - j - 1, L + j * (ldl + 1) + 1, x + j + 1)) / L[j * (ldl + 1)];
}
