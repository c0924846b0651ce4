/* SPDX-License-Identifier: MIT */
/* Factor, inverse and solutions in one pass: the sweep operator (Goodnight 1979) on blocks of four pivots (linalg/sweep.h). */
#include "linalg/sweep.h"

#include "base/numbers/simd_clones.h"
#include "linalg/inverse.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

enum { GROUP = TVGP__SWEEP_GROUP, PANEL = 32, FOUR = 4 }; /* columns together, columns of a panel, pivots at a time */

static size_t size_of(size_t rows) {
    return rows * (rows + GROUP) / 2;
}

size_t tvgp__sweep_room(size_t n, size_t below) {
    size_t rows = tvgp__inverse_stride(n + below);
    return GROUP + size_of(rows) + PANEL * rows;
}

void tvgp__sweep_open(tvgp__sweep *s, double *memory, size_t n, size_t below) {
    size_t rows = tvgp__inverse_stride(n + below);
    double *S = tvgp__inverse_align(memory);
    *s = (tvgp__sweep){.n = n, .rows = rows, .S = S, .panel = S + size_of(rows)};
}

double *tvgp__sweep_column(const tvgp__sweep *s, size_t j) {
    size_t first = j - j % GROUP; /* groups before it have rows, rows - 8, .. numbers in each column */
    return s->S + first * (2 * s->rows - first + GROUP) / 2 + (j - first) * (s->rows - first);
}

/* Entry (i, j), i >= j - j % 8. */
static double *entry(const tvgp__sweep *s, size_t i, size_t j) {
    return tvgp__sweep_column(s, j) + (i - (j - j % GROUP));
}

/* Moves columns k .. k + w - 1, from row `from` on, into the panel. Of the symmetric matrix: rows before k stand in columns
 * of their own. */
static void take_panel(const tvgp__sweep *s, size_t from, size_t k, size_t w) {
    double *X = s->panel;
    for (size_t i = from; i < k; i++) {
        double *row = entry(s, k, i);
        for (size_t c = 0; c < w; c++) {
            X[c * s->rows + i] = row[c];
            row[c] = 0;
        }
    }
    for (size_t c = 0; c < w; c++) {
        double *column = entry(s, k + c, k + c);
        memcpy(X + c * s->rows + k + c, column, (s->rows - k - c) * sizeof *X);
        memset(column, 0, (s->rows - k - c) * sizeof *X);
        for (size_t i = c + 1; i < w; i++)
            X[i * s->rows + k + c] = X[c * s->rows + k + i];
    }
}

/* L L' = -X_k of w pivots, the identity beyond them; the product of the diagonal, or NaN. */
static double factorise(const double *X, size_t ld, size_t w, double L[FOUR][FOUR]) {
    double product = 1;
    for (size_t i = 0; i < FOUR; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i < w ? -X[j * ld + i] : i == j;
            for (size_t l = 0; l < j; l++)
                sum -= L[i][l] * L[j][l];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
            if (i == j)
                product *= sum > 0 ? L[i][j] : NAN;
        }
    return product;
}

/* x = x L^-T in four columns. */
TVGP__SIMD_CLONES
static void solve(size_t n, double L[FOUR][FOUR], double *restrict x, size_t ld) {
    double *restrict x0 = x, *restrict x1 = x + ld, *restrict x2 = x + 2 * ld, *restrict x3 = x + 3 * ld;
    const double r0 = 1 / L[0][0], r1 = 1 / L[1][1], r2 = 1 / L[2][2], r3 = 1 / L[3][3];
    for (size_t i = 0; i < n; i++) {
        double y0 = x0[i] * r0;
        double y1 = (x1[i] - L[1][0] * y0) * r1;
        double y2 = ((x2[i] - L[2][0] * y0) - L[2][1] * y1) * r2;
        x3[i] = (((x3[i] - L[3][0] * y0) - L[3][1] * y1) - L[3][2] * y2) * r3;
        x0[i] = y0;
        x1[i] = y1;
        x2[i] = y2;
    }
}

/* Four columns that belong to rows j .. gain the share of the panel's columns a .. a + 3, from row `from` on. */
static void give(const tvgp__sweep *s, size_t a, size_t j, size_t from, double *const columns[FOUR]) {
    const double *x = s->panel + a * s->rows;
    double share[FOUR][FOUR];
    for (size_t c = 0; c < FOUR; c++)
        for (size_t l = 0; l < FOUR; l++)
            share[c][l] = x[l * s->rows + j + c];
    tvgp__loops_rank_four(s->rows - from, share, x + from, s->rows, columns);
}

/* The pivots k .. k + 3, whose columns are a .. a + 3 of a panel of w: they become V, and later columns of the panel are
 * brought up to date. What was in their rows before counts no more. */
static double pivot(const tvgp__sweep *s, size_t from, size_t k, size_t a, size_t w) {
    size_t ld = s->rows, count = w - a < FOUR ? w - a : FOUR;
    double *X = s->panel, L[FOUR][FOUR] = {{0}};
    double product = factorise(X + a * ld + k, ld, count, L);
    if (isnan(product))
        return NAN;
    for (size_t c = 0; c < w; c++)
        for (size_t i = 0; i < count; i++)
            X[c * ld + k + i] = c == a + i;
    for (size_t c = count; c < FOUR; c++) /* fewer are left */
        memset(X + (a + c) * ld + from, 0, (ld - from) * sizeof *X);
    solve(ld - from, L, X + a * ld + from, ld);
    for (size_t c = a + FOUR; c < w; c += FOUR)
        give(
            s, a, k + (c - a), from,
            (double *const[]){X + c * ld + from, X + (c + 1) * ld + from, X + (c + 2) * ld + from, X + (c + 3) * ld + from});
    return log(product);
}

/* S += V V' of a panel of w columns, from column `from` on. */
static void spread(const tvgp__sweep *s, size_t from, size_t w) {
    for (size_t j = from - from % FOUR; j < s->rows; j += FOUR) {
        double *columns[FOUR];
        size_t first = j - j % GROUP;
        for (size_t c = 0; c < FOUR; c++)
            columns[c] = tvgp__sweep_column(s, j + c);
        for (size_t a = 0; a < w; a += FOUR)
            give(s, a, j, first, columns);
    }
}

double tvgp__sweep_run(tvgp__sweep *s, int whole) {
    double sum = 0;
    for (size_t k = 0; k < s->n; k += PANEL) {
        size_t w = s->n - k < PANEL ? s->n - k : PANEL, from = whole ? 0 : k;
        take_panel(s, from, k, w);
        for (size_t a = 0; a < w; a += FOUR)
            sum += pivot(s, from, k + a, a, w);
        if (isnan(sum))
            return NAN;
        spread(s, whole ? 0 : k + w, w);
    }
    return sum;
}
