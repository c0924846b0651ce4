/* SPDX-License-Identifier: MIT */
/* A filter as it is seen off the arms. */
#include "gp/filter.h"
#include "gp/filter_season.h"
#include "linalg/blas.h"

#include <string.h>

void tvgp__filter_weights(const tvgp__filters *set, const tvgp__filter *f, double elapsed, double share, double *mean,
                          double *S, double *cross) {
    f = tvgp__filter_state(f);
    const tvgp__law_transition step = tvgp__law_transition_over(&f->law, elapsed);
    const double *h = step.M[0];
    size_t r = set->basis.r, n = set->basis.n;
    const double q[] = {f->N[0][0] * h[0] + f->N[1][0] * h[1], f->N[0][1] * h[0] + f->N[1][1] * h[1]};
    double *part = set->phi;
    if (f->w) {
        tvgp__filter_season_weights(set, h[0], share, mean, S, cross);
        return;
    }
    memset(mean, 0, r * sizeof *mean);
    for (size_t s = 0; s < f->states; s++) {
        if (n)
            tvgp__basis_weights(&set->basis, f->mean + s * n, part);
        tvgp__blas_axpy(r, h[s], n ? part : f->omega + s * r, mean);
        tvgp__blas_axpy(r, share * h[s], f->pk + s * r, cross);
    }
    if (f->core)
        tvgp__filter_core_gather(f->core, r, share, q, S);
    for (size_t k = 0; k < f->fresh; k++) {
        memset(part, 0, r * sizeof *part);
        for (size_t s = 0; s < f->states; s++)
            tvgp__blas_axpy(r, h[s], f->U + (2 * k + s) * r, part);
        tvgp__blas_syr(r, share, part, S, r);
    }
}
