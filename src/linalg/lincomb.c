/* SPDX-License-Identifier: MIT */
#include "linalg/lincomb.h"

#include "base/clones.h"

enum { ROWS = 1024 }; /* of a panel: its part of y stays in the first-level cache */

/* Four vectors in one pass over y. */
TVGP__CLONES
static void add_panel(size_t from, size_t to, size_t count, const tvgp__lincomb_term *term, double *restrict y) {
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const tvgp__lincomb_term *u = term + k;
        const double *x0 = u[0].x, *x1 = u[1].x, *x2 = u[2].x, *x3 = u[3].x;
        double a0 = u[0].a, a1 = u[1].a, a2 = u[2].a, a3 = u[3].a;
        for (size_t i = from; i < to; i++)
            y[i] += (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
    }
    for (; k < count; k++) {
        const double *x = term[k].x;
        double a = term[k].a;
        for (size_t i = from; i < to; i++)
            y[i] += a * x[i];
    }
}

void tvgp__lincomb_add(size_t n, size_t count, const tvgp__lincomb_term *term, double *y) {
    for (size_t from = 0; from < n; from += ROWS)
        add_panel(from, n - from < ROWS ? n : from + ROWS, count, term, y);
}
