/* SPDX-License-Identifier: MIT */
/* Linear combinations of vectors at arbitrary addresses: a product with a matrix whose columns are added, removed and reordered
 * without copies (linalg/lincomb.h). */
#include "linalg/lincomb.h"

#include "linalg/loops.h"

enum { ROWS = 1024 }; /* rows in a panel: its part of y stays in the first-level cache */

static void add_panel(size_t from, size_t n, size_t count, const tvgp__lincomb_term *u, double *y) {
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const double a[] = {u[k].a, u[k + 1].a, u[k + 2].a, u[k + 3].a};
        const double *const x[] = {u[k].x + from, u[k + 1].x + from, u[k + 2].x + from, u[k + 3].x + from};
        tvgp__loops_add_four(n, a, x, y + from);
    }
    for (; k < count; k++)
        tvgp__loops_axpy(n, u[k].a, u[k].x + from, y + from);
}

void tvgp__lincomb_add(size_t n, size_t count, const tvgp__lincomb_term *term, double *y) {
    for (size_t from = 0; from < n; from += ROWS)
        add_panel(from, n - from < ROWS ? n - from : ROWS, count, term, y);
}
