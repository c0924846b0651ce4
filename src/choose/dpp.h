/* SPDX-License-Identifier: MIT */
/* k-DPP over n distinct points: P(Z) proportional to det K_Z for sets Z of k points (Mauduit, Berthier, Simonetto 2025,
 * alg. 2 and 3; Burt, Rasmussen, van der Wilk 2020; mixing: Anari, Oveis Gharan, Rezaei 2016).
 *
 * Start: greedy, each next point maximises its Schur complement (pivoted Cholesky, n k^2 multiply-adds, ties to the
 * lowest index). Swap: i uniform in Z, j uniform outside, accepted with probability 1/2 min(1, det K_Z' / det K_Z),
 * where the ratio is the Schur complement of j given the rest over that of i. The factor 1/2 refuses half of the swaps
 * before anything is computed. The smallest Schur complement of a member given the others selects one of two
 * representations:
 *
 *   well-conditioned sets: G = K_Z^-1; with b = G K_Z,j the ratio is G_ii (k_jj - K_j,Z b) + b_i^2. A proposal costs 2 k^2 flops
 *   and k kernel entries, an accepted swap 4 k^2 flops. The ratio is accurate to 1e-4 in the worst admitted case, usually to
 *   1e-8, which no number of samples can detect;
 *   otherwise: the Cholesky factor L of K_Z, which is backward stable; with w = L^-1 K_Z,j and m = L^-1 e_i the ratio is
 *   |m|^2 (k_jj - |w|^2 + (m'w)^2 / |m|^2). 4/3 k^2 flops a proposal on average, k^2 more when accepted, in dependent chains.
 *
 * Both are recomputed (up to 4/3 k^3 flops) after a number of accepted swaps, and when a set stops being
 * well-conditioned. */
#ifndef TVGP__CHOOSE_DPP_H
#define TVGP__CHOOSE_DPP_H

#include "base/numbers/random_stream.h"
#include "linalg/chol.h"
#include "space/kernel/kernel_ops.h"

/* No set yet if zeroed, except factor.ctx and kernel. The next set uses its memory again. */
typedef struct tvgp__dpp {
    const tvgp_kernel *kernel; /* borrowed */
    const double *X;           /* n x dim, borrowed from kdpp_start on */
    size_t n, k;               /* k: what the rank allowed of what was asked for */
    size_t outside;            /* points that may enter: n - k, 0 when the rank was too low for k */
    size_t *member;            /* point of each row of the factor and the inverse */
    size_t *order;             /* rows by increasing point */
    double largest, tolerance; /* variance; Schur complements up to the tolerance count as 0 */
    enum { TVGP__DPP_NONE, TVGP__DPP_INVERSE, TVGP__DPP_FACTOR } kept;
    tvgp__chol factor;
    double *inverse, *work; /* stride x stride, three vectors of `stride`: parts of `small` */
    double *Z;              /* k x dim: the members' coordinates */
    double *Phi;            /* n x k, and n residual variances: the greedy start */
    double *small;
    size_t stride, slots, cells, small_cells;
    int64_t accepted, since_refresh, refreshes;
} tvgp__dpp;

/* The greedy set of k <= n distinct points that fit the kernel. LIMIT, NOMEM, the kernel's
 * status; the set of before is then gone. */
tvgp_status tvgp__dpp_start(tvgp__dpp *d, size_t n, const double *X, size_t k);
void tvgp__dpp_free(tvgp__dpp *d);

/* One step, from three uniforms of [0, 1). The member with increasing index floor(u0 k) may leave, and the other point
 * with index floor(u1 (n - k)) may enter; the swap happens if u2 < 1/2 min(1, ratio). Errors: the kernel's status; the
 * set is then lost. */
tvgp_status tvgp__dpp_swap(tvgp__dpp *d, double u0, double u1, double u2);

/* `steps` swaps with uniforms from the stream; nothing when no point is left outside, or the rank was below k. As swap. */
tvgp_status tvgp__dpp_run(tvgp__dpp *d, int64_t steps, tvgp__random_stream *stream);

/* tvgp_kdpp_sample: counts repeated points once. */
tvgp_status tvgp__dpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k, int64_t steps,
                             tvgp__random_stream *stream, size_t *index, size_t *n_index);

#endif
