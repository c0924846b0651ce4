/* SPDX-License-Identifier: MIT */
#include "field.h"

#include "experiment.h"
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

enum { SAMPLE = EXPERIMENT_OWN };

void field_create(field *f, size_t side) {
    field_create_at(f, side, 0.2);
}

void field_create_at(field *f, size_t side, double lengthscale) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points[] = {side, side};
    tvgp_kernel *along;
    *f = (field){.side = side, .arms = side * side};
    experiment_check(NULL, tvgp_ctx_create(NULL, &f->ctx), "context");
    experiment_check(f->ctx, tvgp_domain_grid(f->ctx, 2, lower, upper, points, &f->domain), "domain");
    experiment_check(f->ctx, tvgp_kernel_se(f->ctx, 2, 1, 1, &lengthscale, &f->kernel), "kernel");
    experiment_check(f->ctx, tvgp_kernel_se(f->ctx, 1, 1, 1, &lengthscale, &along), "kernel");
    f->L = experiment_allocate(side * side, sizeof *f->L);
    double *x = experiment_allocate(side, sizeof *x);
    for (size_t i = 0; i < side; i++)
        x[i] = (double)i / (double)(side - 1);
    experiment_check(f->ctx, tvgp_kernel_gram(along, side, x, side, x, f->L), "Gram matrix");
    for (size_t i = 0; i < side; i++)
        f->L[i * side + i] += 1e-10; /* it is singular to round-off */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)side, f->L, (int)side) != 0)
        experiment_check(f->ctx, TVGP_ERR_NUMERIC, "factor");
    free(x);
    tvgp_kernel_destroy(along);
}

void field_destroy(field *f) {
    tvgp_kernel_destroy(f->kernel);
    tvgp_domain_destroy(f->domain);
    tvgp_ctx_destroy(f->ctx);
    free(f->L);
}

/* g = L Z L' */
void field_sample(const field *f, uint64_t seed, uint64_t step, double *g) {
    const int n = (int)f->side;
    experiment_check(f->ctx, tvgp_random_normal(seed, SAMPLE, step, f->arms, g), "sample");
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, f->L, n, g, n);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, f->L, n, g, n);
}
