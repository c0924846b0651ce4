/* SPDX-License-Identifier: MIT */
#include "linalg/loops.h"
#include "base/clones.h"

#include <string.h>

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static inline double total(const double sum[8]) {
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* Eight sums in a fixed order, so that the loop is vectors although sums are not reassociated. */
TVGP__CLONES
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

TVGP__CLONES
static void axpy(size_t n, double a, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void tvgp__loops_axpy(size_t n, double a, const double *x, double *y) {
    axpy(n, a, x, y);
}

TVGP__CLONES
static void add_four(size_t n, const double a[4], const double *const c[4], double *restrict y) {
    const double *c0 = c[0], *c1 = c[1], *c2 = c[2], *c3 = c[3];
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (size_t i = 0; i < n; i++)
        y[i] += (c0[i] * a0 + c1[i] * a1) + (c2[i] * a2 + c3[i] * a3);
}

void tvgp__loops_add_four(size_t n, const double a[4], const double *const c[4], double *y) {
    add_four(n, a, c, y);
}

TVGP__CLONES
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

TVGP__CLONES
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

/* One pass over A: every column is read for its dot product and for its share of the rows below. */
TVGP__CLONES
static void spmv(size_t n, double a, const double *restrict A, const double *restrict x, double *restrict y) {
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

void tvgp__loops_spmv(size_t n, double a, const double *A, const double *x, double *y) {
    spmv(n, a, A, x, y);
}

TVGP__CLONES
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
