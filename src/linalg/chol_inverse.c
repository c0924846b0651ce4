/* SPDX-License-Identifier: MIT */
#include "linalg/chol_inverse.h"

#include "linalg/blas.h"
#include "linalg/chol.h"

#include <string.h>

void tvgp__chol_inverse_border(double *W, size_t ld, size_t r, double *v, double corner, double pivot) {
    if (r)
        tvgp__blas_trmm(TVGP__TRANS, r, 1, W, ld, v, r);
    for (size_t j = 0; j < r; j++)
        W[j * ld + r] = -v[j] / pivot;
    W[r * (ld + 1)] = corner / pivot;
}

/* Down the columns from where the rotations meet them; column i goes. */
void tvgp__chol_inverse_delete(double *W, size_t ld, size_t n, size_t i, const double *c, const double *s) {
    for (size_t k = 0; k < n; k++) {
        size_t from = k > i ? k - 1 : i;
        double *column = W + k * ld, *to = W + (k > i ? k - 1 : k) * ld;
        if (k > i)
            column[from] = 0;
        if (k == i)
            continue;
        tvgp__chol_carry(n - from, 0, c + (from - i), s + (from - i), 1, column + from, 1);
        memmove(to + from, column + from, (n - 1 - from) * sizeof *to);
    }
}
