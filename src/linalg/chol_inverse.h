/* SPDX-License-Identifier: MIT */
/* Maintains W = L^-1 for a Cholesky factor (linalg/chol.h) whose rows are appended at the end and deleted anywhere. W is
 * lower triangular, column-major with leading dimension ld. Entries above its diagonal are neither read nor written. */
#ifndef TVGP__LINALG_CHOL_INVERSE_H
#define TVGP__LINALG_CHOL_INVERSE_H

#include <stddef.h>

/* Row r becomes (-v'W, corner) / pivot: with corner 1 that of the row (v, pivot) of L. v (r entries) is used up. r^2 flops. */
void tvgp__chol_inverse_border(double *W, size_t ld, size_t r, double *v, double corner, double pivot);

/* After tvgp__chol_delete of row i of n, whose rotations are c and s. */
void tvgp__chol_inverse_delete(double *W, size_t ld, size_t n, size_t i, const double *c, const double *s);

#endif
