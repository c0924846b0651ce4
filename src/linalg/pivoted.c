/* SPDX-License-Identifier: MIT */
/* Pivoted Cholesky factorisation K ~ Phi Phi' of a Gram matrix that is never stored (Harbrecht, Peters, Schneider 2012)
 * (linalg/pivoted.h). */
#include "linalg/pivoted.h"

#include "base/error.h"
#include "base/numbers/simd_clones.h"

#include <math.h>

/* phi -= Phi_j a_j for `rank` columns: four columns in one pass over phi. */
TVGP__SIMD_CLONES
static void subtract_columns(size_t n, size_t rank, const double *restrict Phi, const double *restrict a,
                             double *restrict phi) {
    size_t j = 0;
    for (; j + 4 <= rank; j += 4) {
        const double *c0 = Phi + j * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
        double a0 = a[j], a1 = a[j + 1], a2 = a[j + 2], a3 = a[j + 3];
        for (size_t i = 0; i < n; i++)
            phi[i] -= (c0[i] * a0 + c1[i] * a1) + (c2[i] * a2 + c3[i] * a3);
    }
    for (; j < rank; j++) {
        const double *column = Phi + j * n;
        for (size_t i = 0; i < n; i++)
            phi[i] -= column[i] * a[j];
    }
}

TVGP__SIMD_CLONES
static void scale_and_explain(size_t n, double factor, double *restrict phi, double *restrict residual) {
    for (size_t i = 0; i < n; i++) {
        phi[i] *= factor;
        residual[i] -= phi[i] * phi[i];
    }
}

/* Residuals that differ by less than this share of the largest are equal: round-off must not choose between arms with
 * equal covariance. */
static const double TIE = 1e-9;

/* The first that is as good as `most`. */
static size_t first_of(size_t n, const double *residual, double most) {
    size_t i = 0;
    while (i + 1 < n && !(residual[i] >= most - TIE * fabs(most)))
        i++;
    return i;
}

/* The first of the largest residuals, and whose it is. */
static double largest(tvgp__shard *shard, size_t n, const double *residual, size_t *index) {
    double own = residual[0], most;
    size_t rank;
    for (size_t i = 1; i < n; i++)
        own = residual[i] > own ? residual[i] : own;
    size_t p = first_of(n, residual, own);
    double value = residual[p];
    *index = tvgp__shard_best(shard, own, TIE, value, p, 1, &value, &most, &rank);
    if (*index != SIZE_MAX)
        return value;
    p = first_of(n, residual, most);
    value = residual[p];
    *index = tvgp__shard_send(shard, rank, p, 1, &value);
    return value;
}

tvgp_status tvgp__pivoted_factor(tvgp__shard *shard, size_t n, tvgp__pivoted_column column, const void *user,
                                 double tolerance, size_t max_rank, double *residual, double *Phi, size_t *pivot,
                                 double *work, size_t *reached) {
    size_t rank = *reached;
    for (; rank < max_rank; rank++) {
        size_t p;
        double most = largest(shard, n, residual, &p), root = sqrt(most);
        if (!(most > tolerance))
            break;
        double *phi = Phi + rank * n;
        TVGP__TRY(tvgp__shard_agree(shard, column(user, p, phi)));
        tvgp__shard_row(shard, p, rank, Phi, n, work);
        subtract_columns(n, rank, Phi, work, phi);
        scale_and_explain(n, 1 / root, phi, residual);
        for (size_t j = 0; j < rank; j++) /* exactly: later factors are triangular in the order of the pivots */
            if (tvgp__shard_owns(shard, pivot[j]))
                phi[tvgp__shard_local(shard, pivot[j])] = 0;
        if (tvgp__shard_owns(shard, p)) {
            phi[tvgp__shard_local(shard, p)] = root;
            residual[tvgp__shard_local(shard, p)] = 0;
        }
        pivot[rank] = p;
    }
    *reached = rank;
    return TVGP_OK;
}
