/* SPDX-License-Identifier: MIT */
/* Maintains the inverse G of a small Gram matrix K while points are replaced one at a time. A product costs 2 n^2 flops
 * and a replacement 4 n^2, both without dependent chains. The relative error is about the condition number of K times
 * round-off, and grows with replacements. Use it for well-conditioned K only, and the Cholesky factor (linalg/chol.h)
 * otherwise.
 *
 * Vectors have `stride` entries. Entries from n on are 0 (in k: any numbers). G is stride x stride. */
#ifndef TVGP__LINALG_INVERSE_H
#define TVGP__LINALG_INVERSE_H

#include "linalg/chol.h"

/* n rounded up to whole cache lines, and the first boundary of a line (at most a stride on): products are faster there. */
size_t tvgp__inverse_stride(size_t n);
double *tvgp__inverse_align(double *memory);

/* G = (L L')^-1 by LAPACK. Returns the largest entry of its diagonal, the reciprocal of the smallest variance that a point
 * has given the others. */
double tvgp__inverse_take(const tvgp__chol *f, double *G);

/* b = G k */
void tvgp__inverse_apply(size_t n, const double *G, const double *k, double *b);

/* Point r is replaced by one with covariances k to all points and variance `given` given those other than r; b = G k, which
 * is overwritten, as is g. With g column r of G and v = b - g b_r / G_rr, but v_r = -1: G - g g' / G_rr + v v' / given
 * (the inverse of a bordered matrix, Golub and Van Loan 2013, sec. 2.1.4, there and back). Returns the largest entry of the
 * diagonal. */
double tvgp__inverse_replace(size_t n, double *G, size_t r, double given, double *b, double *g);

#endif
