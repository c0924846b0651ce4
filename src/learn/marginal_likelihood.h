/* SPDX-License-Identifier: MIT */
/* The log marginal likelihood of observations and its gradient by the coordinates of all parameters (Rasmussen and
 * Williams 2006, eq. 2.30, 2.45, 5.8, 5.9). y ~ N(c 1, s M), M = C + noise, C_ij = space(x_i, x_j) time(t_i, t_j) within
 * a segment, 0 across segments:
 *
 *   known mean    c = 0, s = 1
 *   flat mean     c integrated out under a flat prior, s = 1
 *   collapsed     s too, under an inverse gamma prior (a0, b0): exactly equivariant under y -> a y + b
 *
 *   L L' = M   p = L^-1 1   q = L^-1 (y - mean y)   A = p'p   c = p'q / A   Q = q'q - c p'q   N = 2 a0 + n - 1
 *   collapsed  log E = -1/2 log|M| - 1/2 log A - N/2 log(2 B + Q) + lgamma(N/2) - (n-1)/2 log pi + a0 log(2 B) - lgamma(a0)
 *              s = (2 B + Q) / N,   B = b0 / (1 + g) for noise g s: b0 is a guess at the total variance s (1 + g)
 *   flat       log E = -1/2 log|M| - 1/2 log A - 1/2 Q - (n-1)/2 log 2 pi
 *   gradient   e = M^-1 (y - c), u = M^-1 1, W = e e'/s + u u'/A - M^-1;   dE/du_p = 1/2 sum_ij W_ij dM_ij/du_p
 *              collapsed, by log g: also -g / (1 + g) (a0 - B / s)
 *
 * An observation may be a group of outcomes with the model's noise v: their mean y_b with noise v / n_b, their number
 * n_b and the sum S_b of squares about that mean. If the function is constant within each group, the likelihood of all n
 * = sum n_b outcomes is that of the R means times a factor that depends on v alone. With S = sum S_b,
 *
 *   Q + S/v replaces Q,   log E gains -(n - R)/2 log v - 1/2 sum log n_b,   dE/dlog v gains S/(2 v s) - (n - R)/2
 *
 * One sweep (linalg/sweep.h) of M with the rows 1' and (y - mean y)' below it gives log|M|, p'p, p'q, q'q, M^-1 1, M^-1
 * (y - mean y) and M^-1: n^3 flops, a third of them without the gradient, and n^2 / 2 kernel entries twice, eight rows
 * at a time. W replaces M^-1 and is contracted with the derivatives as they are computed, so no matrix of derivatives is
 * stored. */
#ifndef TVGP__LEARN_MARGINAL_LIKELIHOOD_H
#define TVGP__LEARN_MARGINAL_LIKELIHOOD_H

#include "linalg/sweep.h"
#include "space/kernel/kernel_ops.h"

enum { TVGP__MARGINAL_LIKELIHOOD_KNOWN_MEAN, TVGP__MARGINAL_LIKELIHOOD_FLAT_MEAN, TVGP__MARGINAL_LIKELIHOOD_COLLAPSED };

typedef struct tvgp__marginal_likelihood_model {
    const tvgp_kernel *space, *time; /* time NULL: nothing changes */
    double noise;                    /* variance where the data have none of their own; collapsed: relative to s */
    int form;
    double a0, b0; /* collapsed: b0 > 0, of the total variance */
} tvgp__marginal_likelihood_model;

typedef struct tvgp__marginal_likelihood_data { /* borrowed */
    size_t n;                                   /* >= 1 */
    const double *X;                            /* n x dim */
    const double *t;                            /* n; not read without a time kernel */
    const double *y;                            /* n, less their prior mean */
    const double *noise;    /* n: variance of an observation, NaN: the model's; NULL: the model's for all */
    const double *count;    /* n: number of outcomes whose mean an observation with the model's noise is; NULL: one each */
    const double *within;   /* n: the sum of their squares about it; NULL: 0 each */
    const int64_t *segment; /* n, not falling; NULL: one */
} tvgp__marginal_likelihood_data;

typedef struct tvgp__marginal_likelihood_value {
    double log_marginal_likelihood; /* NaN when M is not positive definite in this arithmetic, or a value is not finite */
    double mean, scale;             /* c and s */
    double precision;               /* A: that of c is A / s */
} tvgp__marginal_likelihood_value;

typedef struct tvgp__marginal_likelihood {
    tvgp_ctx *ctx;
    size_t capacity;
    double *rows;   /* 3 x capacity */
    double *by_own; /* n, the caller's: derivative by each noise variance, filled with a gradient; NULL: not wanted */
    tvgp__sweep sweep;
} tvgp__marginal_likelihood;

/* Makes room for n observations. NOMEM, LIMIT. */
tvgp_status tvgp__marginal_likelihood_reserve(tvgp__marginal_likelihood *e, size_t n);
void tvgp__marginal_likelihood_free(tvgp__marginal_likelihood *e);

/* Counts the entries of a gradient: the parameters of space, those of time, log noise. */
size_t tvgp__marginal_likelihood_count(const tvgp__marginal_likelihood_model *m);

/* Evaluates the log marginal likelihood and (unless NULL) its gradient, which is 0 if the value is NaN. Requires
 * reserved room. The n^2 / 2 + 45 n doubles of the sweep are scratch memory of the context (base/scratch.h), shared by all that
 * evaluate; with more than 1024 observations they are allocated and freed. Errors: NOMEM, the kernel's. */
tvgp_status tvgp__marginal_likelihood_at(tvgp__marginal_likelihood *e, const tvgp__marginal_likelihood_model *m,
                                         const tvgp__marginal_likelihood_data *data, tvgp__marginal_likelihood_value *out,
                                         double *gradient_or_null);

#endif
