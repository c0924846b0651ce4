/* SPDX-License-Identifier: MIT */
/* Maintains W = L^-1 for a Cholesky factor (linalg/chol.h) whose rows are appended at the end and deleted anywhere
 * (linalg/chol_inverse.h). */
#include "linalg/chol_inverse.h"

#include "linalg/blas.h"
#include "linalg/chol.h"

void tvgp__chol_inverse_border(double *W, size_t ld, size_t r, double *v, double corner, double pivot) {
    if (r)
        tvgp__blas_trmm(TVGP__TRANS, r, 1, W, ld, v, r);
    for (size_t j = 0; j < r; j++)
        W[j * ld + r] = -v[j] / pivot;
    W[r * (ld + 1)] = corner / pivot;
}

enum { LANES = 4 }; /* columns processed together, because each is a chain of dependent operations */

/* A column under rotations: what is carried down it, and where it goes to. `to` may be a column that another lane reads, as
 * that has read the row already. */
typedef struct lane {
    const double *column;
    double *to, carried;
} lane;

static void turn_one(lane *a, size_t j, double c, double s) {
    const double next = a->column[j + 1];
    a->to[j] = c * a->carried + s * next;
    a->carried = c * next - s * a->carried;
}

/* Rows j to n - 2. */
static void turn_lanes(const lane *a, size_t j, size_t n, const double *c, const double *s) {
    const double *p0 = a[0].column, *p1 = a[1].column, *p2 = a[2].column, *p3 = a[3].column;
    double *t0 = a[0].to, *t1 = a[1].to, *t2 = a[2].to, *t3 = a[3].to;
    double x0 = a[0].carried, x1 = a[1].carried, x2 = a[2].carried, x3 = a[3].carried;
    for (; j + 1 < n; j++, c++, s++) {
        const double y0 = p0[j + 1], y1 = p1[j + 1], y2 = p2[j + 1], y3 = p3[j + 1];
        t0[j] = *c * x0 + *s * y0;
        t1[j] = *c * x1 + *s * y1;
        t2[j] = *c * x2 + *s * y2;
        t3[j] = *c * x3 + *s * y3;
        x0 = *c * y0 - *s * x0;
        x1 = *c * y1 - *s * x1;
        x2 = *c * y2 - *s * x2;
        x3 = *c * y3 - *s * x3;
    }
}

/* Processes columns k to k + m - 1, m <= LANES, all before i or all after i. After i, the rotations begin in the row
 * above a column's first entry, and the column moves one place to the left. */
static void delete_lanes(double *W, size_t ld, size_t n, size_t i, size_t k, size_t m, const double *c, const double *s) {
    const size_t behind = k > i, first = behind ? k + m - 2 : i;
    lane a[LANES];
    for (size_t q = 0; q < m; q++) {
        double *column = W + (k + q) * ld;
        a[q] = (lane){.column = column, .to = column - behind * ld, .carried = behind ? 0 : column[i]};
        for (size_t j = behind ? k + q - 1 : i; j < first; j++)
            turn_one(&a[q], j, c[j - i], s[j - i]);
    }
    if (m == LANES)
        turn_lanes(a, first, n, c + (first - i), s + (first - i));
    for (size_t q = 0; m < LANES && q < m; q++)
        for (size_t j = first; j + 1 < n; j++)
            turn_one(&a[q], j, c[j - i], s[j - i]);
}

/* Down the columns from where the rotations meet them, some at a time; column i goes. */
void tvgp__chol_inverse_delete(double *W, size_t ld, size_t n, size_t i, const double *c, const double *s) {
    for (size_t k = 0; k < i; k += LANES)
        delete_lanes(W, ld, n, i, k, i - k < LANES ? i - k : LANES, c, s);
    for (size_t k = i + 1; k < n; k += LANES)
        delete_lanes(W, ld, n, i, k, n - k < LANES ? n - k : LANES, c, s);
}
