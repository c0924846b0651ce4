/* SPDX-License-Identifier: MIT */
/* Categories: variance where two values are equal, variance times correlation where they differ. With correlation in [0, 1]
 * a covariance for any number of categories: correlation 11' + (1 - correlation) I (compound symmetry). */
#include "kernel/categorical.h"
#include "base/error.h"

typedef struct {
    tvgp_kernel base;
    double variance, apart;
} categorical;

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const categorical *k = (const categorical *)kernel;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = X[i] == Z[j] ? k->variance : k->apart;
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = ((const categorical *)kernel)->variance;
    return TVGP_OK;
}

static const tvgp__kernel_ops ops = {.struct_size = sizeof ops, .block = block, .diag = diag};

tvgp_status tvgp__categorical_new(tvgp_ctx *ctx, double variance, double correlation, tvgp_kernel **out) {
    TVGP__TRY(tvgp__error_positive(ctx, "variance", variance, 0));
    TVGP__TRY(tvgp__error_finite(ctx, "correlation", 1, &correlation));
    if (correlation < 0 || correlation > 1)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "correlation = %.17g is outside [0, 1]", correlation);
    categorical *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &ops, 1, sizeof *k, &k));
    k->variance = variance;
    k->apart = variance * correlation;
    *out = &k->base;
    return TVGP_OK;
}
