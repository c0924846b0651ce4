/* SPDX-License-Identifier: MIT */
/* The exact posterior on a box (Rasmussen and Williams 2006, alg. 2.1): rows in order of arrival, L L' = K o T + Sigma
 * with T the correlation in time, W = L^-1, z = W y. Rows do not change as time passes, so delayed feedback is just
 * another row, and the posterior at a time costs O(n): c_j = T(t, t_j).
 *
 * An observation costs 2 n^2 flops; with w = L^-1 k the new row of W is (-w'W, 1) / p. Deleting row i costs 4 n^2: the
 * rotations that restore L also update the rows of W and z. With growing noise (temporal/noise_age.h) the whole diagonal
 * changes, and L, W and z are recomputed for each time at which they are needed, n^3 flops; observations beyond 2^53
 * prior variances are dropped.
 *
 * tvgp__posterior_prune drops observations that no longer matter. Row i explains of the variance at z, exactly,
 *   (om'D k(X, z))^2 <= (D om)'K(D om) k(z, z),   om = A^-1 e_i / sqrt(e_i'A^-1 e_i),   A = L L',  D = diag c,
 * and moves the mean by |om'D k(z)| times its standardised innovation. */
#ifndef TVGP__POSTERIOR_EXACT_H
#define TVGP__POSTERIOR_EXACT_H

#include "posterior/posterior.h"
#include "temporal/drift.h"
#include "temporal/noise_age.h"

enum { TVGP__EXACT_PENDING = 32 };

typedef struct tvgp__exact_spec {
    tvgp__drift drift;
    const tvgp__noise_age *age; /* NULL: noise does not grow; otherwise the drift model is static */
    size_t limit;               /* rows; beyond it the oldest leaves; 0: none */
    /* Its log marginal likelihood is compared with another's, so it counts all observations. Each counts by its density
     * given the rows at its arrival, whatever was dropped since. */
    int compared;
    int window; /* the rows are a window, as on arms: the likelihood is of all rows that are present */
} tvgp__exact_spec;

/* A posterior without arms: observe takes points by their coordinates, `form` is its only face. `scale_at`: n points of the
 * box at which the prior variance is looked up, for jitter and tolerances. */
tvgp_status tvgp__exact_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__exact_spec *spec, size_t n,
                            const double *scale_at, tvgp__posterior **out);

#endif
