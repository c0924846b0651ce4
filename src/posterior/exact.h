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
 * tvgp__exact_prune drops observations that no longer matter. Row i explains of the variance at z, exactly,
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

/* Gives the observed points (rows x dim) and how many they are. */
const double *tvgp__exact_points(const tvgp__posterior *p, size_t *n);
/* Counts the rows dropped since creation, by prune or by the limit. */
size_t tvgp__exact_dropped(const tvgp__posterior *p);

/* Gives the squared error of the prediction of the newest observation from those before it, in units of its variance:
 * e^2 / (variance + noise). Not with aging noise. */
double tvgp__exact_square(tvgp__posterior *p);

/* Says whether forgetting makes observations of time t and before move the sd at `now` by less than 1e-3 noise sds,
 * whatever they are. Dropping n of them raises the variance by at most the factor c^2 sqrt(n k / noise), c the correlation
 * since then. */
int tvgp__exact_faded(const tvgp__posterior *p, double noise, double t, double now);

/* Gives for each row of the form made last its prior variance and noise, k(x, x) T(t, t) + noise, which tvgp__predictive_bound
 * needs. */
const double *tvgp__exact_own(const tvgp__posterior *p);

/* Changes the latest predictive function, of time `now`, as if n <= TVGP__EXACT_PENDING pending points had been observed
 * at their means: means stay, variances shrink. X: n x dim, asked at times t (n). The kernel's status. */
tvgp_status tvgp__exact_pend(tvgp__posterior *p, tvgp__predictive *form, double now, size_t n, const double *X,
                             const double *t, double noise);

/* Drops the oldest rows while each changes the sd anywhere by less than `tolerance` noise sds (forgetting; other drift
 * models keep all), 16 at most. n^2 kernel entries for each tested row. The kernel's status; rows dropped before an
 * error stay dropped. */
tvgp_status tvgp__exact_prune(tvgp__posterior *p, double tolerance, double noise);

#endif
