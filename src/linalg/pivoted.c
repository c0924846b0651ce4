/* SPDX-License-Identifier: MIT */
#include "linalg/pivoted.h"

#include "base/clones.h"
#include "base/error.h"

#include <math.h>

/* phi -= Phi_j a_j for `rank` columns, a_j = Phi_j[p]: four columns in one pass over phi. */
TVGP__CLONES
static void subtract_columns(size_t n, size_t rank, const double *restrict Phi, size_t p, double *restrict phi) {
    size_t j = 0;
    for (; j + 4 <= rank; j += 4) {
        const double *c0 = Phi + j * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
        double a0 = c0[p], a1 = c1[p], a2 = c2[p], a3 = c3[p];
        for (size_t i = 0; i < n; i++)
            phi[i] -= (c0[i] * a0 + c1[i] * a1) + (c2[i] * a2 + c3[i] * a3);
    }
    for (; j < rank; j++) {
        const double *column = Phi + j * n;
        double a = column[p];
        for (size_t i = 0; i < n; i++)
            phi[i] -= column[i] * a;
    }
}

TVGP__CLONES
static void scale_and_explain(size_t n, double factor, double *restrict phi, double *restrict residual) {
    for (size_t i = 0; i < n; i++) {
        phi[i] *= factor;
        residual[i] -= phi[i] * phi[i];
    }
}

tvgp_status tvgp__pivoted_factor(size_t n, tvgp__pivoted_column column, const void *user, double tolerance, size_t max_rank,
                                 double *residual, double *Phi, size_t *pivot, size_t *reached) {
    size_t rank = *reached;
    for (; rank < max_rank; rank++) {
        size_t p = 0;
        for (size_t i = 1; i < n; i++)
            if (residual[i] > residual[p])
                p = i;
        if (!(residual[p] > tolerance))
            break;
        double *phi = Phi + rank * n, root = sqrt(residual[p]);
        TVGP__TRY(column(user, p, phi));
        subtract_columns(n, rank, Phi, p, phi);
        scale_and_explain(n, 1 / root, phi, residual);
        for (size_t j = 0; j < rank; j++)
            phi[pivot[j]] = 0; /* exactly: later factors are triangular in the order of the pivots */
        phi[p] = root;
        residual[p] = 0;
        pivot[rank] = p;
    }
    *reached = rank;
    return TVGP_OK;
}
