/* SPDX-License-Identifier: MIT */
#include "empirical_kernel.h"

#include <math.h>
#include <stdlib.h>

static double pair_covariance(const readings *r, size_t n, size_t a, size_t b) {
    double count = 0, sum_a = 0, sum_b = 0, products = 0;
    for (size_t i = 0; i < n; i++) {
        const double *row = r->value + i * r->n_arms;
        if (isnan(row[a]) || isnan(row[b]))
            continue;
        count++;
        sum_a += row[a];
        sum_b += row[b];
        products += row[a] * row[b];
    }
    if (count < 2)
        return a == b ? 1 : 0;
    return (products - sum_a * sum_b / count) / (count - 1);
}

/* The table kernel of K with its off-diagonal entries scaled by 1 - shrinkage. */
static tvgp_status shrunk_kernel(tvgp_ctx *ctx, size_t A, const double *K, double shrinkage, double *work,
                                 tvgp_kernel **out) {
    for (size_t i = 0; i < A * A; i++)
        work[i] = i % (A + 1) == 0 ? K[i] : (1 - shrinkage) * K[i];
    return tvgp_kernel_table(ctx, A, work, out);
}

tvgp_status empirical_kernel(tvgp_ctx *ctx, const readings *r, size_t n, double *shrinkage, tvgp_kernel **out) {
    const size_t A = r->n_arms;
    double *K = malloc(2 * A * A * sizeof *K);
    if (!K)
        return TVGP_ERR_NOMEM;
    double *work = K + A * A;
    for (size_t a = 0; a < A; a++)
        for (size_t b = 0; b <= a; b++)
            K[a * A + b] = K[b * A + a] = pair_covariance(r, n, a, b);

    *shrinkage = 0;
    tvgp_status status = shrunk_kernel(ctx, A, K, 0, work, out);
    if (status == TVGP_ERR_NUMERIC) {
        double low = 0;
        *shrinkage = 1;
        while (*shrinkage - low > 1.0 / 1024) {
            const double middle = (low + *shrinkage) / 2;
            tvgp_kernel *kernel = NULL;
            if (shrunk_kernel(ctx, A, K, middle, work, &kernel) == TVGP_OK)
                *shrinkage = middle;
            else
                low = middle;
            tvgp_kernel_destroy(kernel);
        }
        status = shrunk_kernel(ctx, A, K, *shrinkage, work, out);
    }
    free(K);
    return status;
}
