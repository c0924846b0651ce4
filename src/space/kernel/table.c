/* SPDX-License-Identifier: MIT */
/* A covariance table over arms. A point is its arm index. */
#include "space/kernel/table.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "space/kernel/kernel_visit.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp_kernel base;
    size_t n;
    double *K; /* n x n, symmetric */
} table;

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const table *k = (const table *)kernel;
    for (size_t i = 0; i < n; i++) {
        const double *row = k->K + (size_t)X[i] * k->n;
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = row[(size_t)Z[j]];
    }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    const table *k = (const table *)kernel;
    for (size_t i = 0; i < n; i++)
        d[i] = k->K[(size_t)X[i] * (k->n + 1)];
    return TVGP_OK;
}

static tvgp_status check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X) {
    const table *k = (const table *)kernel;
    for (size_t i = 0; i < n; i++)
        if (!(X[i] >= 0) || X[i] >= (double)k->n || X[i] != floor(X[i]))
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s[%zu] = %g is not an arm index of the table, 0..%zu", argument, i,
                                   X[i], k->n - 1);
    return TVGP_OK;
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    (void)n, (void)Z, (void)m, (void)X, (void)K, (void)C, (void)G;
    return tvgp__error_set(kernel->ctx, TVGP_ERR_UNSUPPORTED, "a table kernel is known at indices and has no gradient");
}

static void release(tvgp_kernel *kernel) {
    tvgp__memory_free(kernel->ctx, ((table *)kernel)->K);
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const table *k = (const table *)*kernel;
    size_t n = k ? k->n : 0;
    double *K = NULL;
    (void)dim;
    tvgp__visit_count(v, &n, UINT32_MAX, sizeof *K);
    if (tvgp__visit_loads(v) && n > (v->end - v->at) / sizeof *K / (n ? n : 1))
        tvgp__visit_refuse(v, "there are more entries than bytes for them");
    tvgp__visit_room(v, n * n, sizeof *K, &K);
    tvgp__visit_reals(v, n * n, k ? k->K : K, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__table_new(v->ctx, n, K, kernel));
    tvgp__memory_free(v->ctx, K);
}

const tvgp__kernel_ops tvgp__table_ops = {
    .type = "table", .visit = visit, .block = block, .diag = diag, .check = check, .release = release, .pull = pull};

static tvgp_status check_symmetric(tvgp_ctx *ctx, size_t n, const double *K, double largest) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!(fabs(K[i * n + j] - K[j * n + i]) <= 1e-10 * largest))
                return tvgp__error_set(ctx, TVGP_ERR_NUMERIC, "K is not symmetric: K[%zu,%zu] = %g, K[%zu,%zu] = %g", i, j,
                                       K[i * n + j], j, i, K[j * n + i]);
    return TVGP_OK;
}

/* Why a table with the leading minor `minor` is refused: where one entry or one pair of arms shows it, that. */
static tvgp_status blame(tvgp_ctx *ctx, size_t n, const double *K, double largest, size_t minor) {
    double slack = 1e-9 * largest;
    for (size_t i = 0; i < n; i++) {
        double own = K[i * (n + 1)];
        if (own < -slack)
            return tvgp__error_set(ctx, TVGP_ERR_NUMERIC, "K is not positive semi-definite: K[%zu,%zu] = %g < 0", i, i, own);
        for (size_t j = 0; j < i; j++) {
            double pair = K[i * n + j], other = K[j * (n + 1)];
            if (pair * pair > (own + slack) * (other + slack))
                return tvgp__error_set(ctx, TVGP_ERR_NUMERIC,
                                       "K is not positive semi-definite: K[%zu,%zu]^2 > K[%zu,%zu] K[%zu,%zu], %g > %g", i,
                                       j, j, j, i, i, pair * pair, other * own);
        }
    }
    if (!(largest > 0))
        return tvgp__error_set(ctx, TVGP_ERR_NUMERIC, "K has no variance: its largest diagonal entry is %g", largest);
    return tvgp__error_set(ctx, TVGP_ERR_NUMERIC,
                           "K is not positive semi-definite: leading minor %zu fails with 1e-9 of the largest diagonal "
                           "entry %g added",
                           minor, largest);
}

/* Positive semi-definite when K + 1e-9 max diag I has a Cholesky factor: n^3 / 3 flops, in `work` (n x n). */
static tvgp_status check_psd(tvgp_ctx *ctx, size_t n, const double *K, double largest, double *work) {
    memcpy(work, K, n * n * sizeof *K);
    for (size_t i = 0; i < n; i++)
        work[i * (n + 1)] += 1e-9 * largest;
    size_t minor = tvgp__blas_potrf(n, work, n);
    return minor || !(largest > 0) ? blame(ctx, n, K, largest, minor) : TVGP_OK;
}

tvgp_status tvgp__table_new(tvgp_ctx *ctx, size_t n_arms, const double *K, tvgp_kernel **out) {
    if (n_arms == 0)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "n_arms = 0 must be >= 1");
    TVGP__TRY(tvgp__valid_range_count(ctx, "n_arms", n_arms));
    TVGP__TRY(tvgp__valid_range_values(ctx, "K", n_arms * n_arms, K));
    double largest = 0;
    for (size_t i = 0; i < n_arms; i++)
        largest = fmax(largest, K[i * (n_arms + 1)]);
    if (largest > 0)
        TVGP__TRY(tvgp__valid_range_positive(ctx, "the largest diagonal entry of K", largest, 0));
    TVGP__TRY(check_symmetric(ctx, n_arms, K, largest));
    table *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__table_ops, 1, sizeof *k, &k));
    k->n = n_arms;
    tvgp_status status = tvgp__memory_alloc(ctx, tvgp__memory_product(n_arms, n_arms), sizeof *K, &k->K);
    if (status == TVGP_OK)
        status = check_psd(ctx, n_arms, K, largest, k->K);
    if (status < 0) {
        tvgp__kernel_release(&k->base);
        return status;
    }
    for (size_t i = 0; i < n_arms; i++)
        for (size_t j = 0; j < n_arms; j++)
            k->K[i * n_arms + j] = 0.5 * (K[i * n_arms + j] + K[j * n_arms + i]);
    *out = &k->base;
    return TVGP_OK;
}
