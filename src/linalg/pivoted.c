#include "linalg/pivoted.h"

#include "linalg/blas.h"

#include <math.h>

size_t tvgp__pivoted_factor(size_t n, tvgp__pivoted_column column, const void *user, double tolerance, size_t max_rank,
                            double *residual, double *Phi, size_t *pivot) {
    size_t rank = 0;
    for (; rank < max_rank; rank++) {
        size_t p = 0;
        for (size_t i = 1; i < n; i++)
            if (residual[i] > residual[p])
                p = i;
        if (!(residual[p] > tolerance))
            break;
        double *phi = Phi + rank * n, root = sqrt(residual[p]);
        column(user, p, phi);
        for (size_t j = 0; j < rank; j++)
            tvgp__blas_axpy(n, -Phi[j * n + p], Phi + j * n, phi);
        for (size_t i = 0; i < n; i++) {
            phi[i] /= root;
            residual[i] -= phi[i] * phi[i];
        }
        for (size_t j = 0; j < rank; j++)
            phi[pivot[j]] = 0; /* exactly: later factors are triangular in the order of the pivots */
        phi[p] = root;
        residual[p] = 0;
        pivot[rank] = p;
    }
    return rank;
}
