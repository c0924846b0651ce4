/* SPDX-License-Identifier: MIT */
/* k(X_i, X_j) = table(i, j); undefined at all other points. A point is found among the sorted sites by bisection, in
 * about log2 n comparisons. */
#include "space/kernel/table_points.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/table.h"

#include <stdlib.h>
#include <string.h>

enum { WORK = 128 }; /* indices at a time */

typedef struct {
    size_t site;     /* its index in X */
    size_t dim;      /* of the points: sorting has no other way to know */
    const double *x; /* its point */
} entry;

typedef struct {
    tvgp_kernel base;
    tvgp_kernel *table;
    size_t n;
    double *X;     /* n x dim */
    entry *sorted; /* n, by point and then by site */
} sites;

static int compare(size_t dim, const double *a, const double *b) {
    size_t d = 0;
    while (d < dim && a[d] == b[d])
        d++;
    return d == dim ? 0 : a[d] < b[d] ? -1 : 1;
}

static int order(const void *a, const void *b) {
    const entry *first = a, *second = b;
    const int by_point = compare(first->dim, first->x, second->x);
    return by_point ? by_point : first->site < second->site ? -1 : 1;
}

/* The first site at x; n where there is none. */
static size_t find(const sites *k, const double *x) {
    const size_t dim = k->base.dim;
    size_t low = 0, high = k->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(dim, k->sorted[middle].x, x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->n && !compare(dim, k->sorted[low].x, x) ? k->sorted[low].site : k->n;
}

/* The indices of points `from` .. of X, at most WORK; returns how many. */
static size_t pack(const sites *k, size_t n, const double *X, size_t from, double *index) {
    const size_t count = n - from < WORK ? n - from : WORK;
    for (size_t j = 0; j < count; j++)
        index[j] = (double)find(k, X + (from + j) * k->base.dim);
    return count;
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const sites *k = (const sites *)kernel;
    double rows[WORK], columns[WORK];
    for (size_t i = 0, height; i < n; i += height) {
        height = pack(k, n, X, i, rows);
        for (size_t j = 0, count; j < m; j += count) {
            count = pack(k, m, Z, j, columns);
            TVGP__TRY(tvgp__kernel_block(k->table, height, rows, count, columns, K + i * ldk + j, ldk));
        }
    }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    const sites *k = (const sites *)kernel;
    double index[WORK];
    for (size_t i = 0, count; i < n; i += count) {
        count = pack(k, n, X, i, index);
        TVGP__TRY(tvgp__kernel_diag(k->table, count, index, d + i));
    }
    return TVGP_OK;
}

static tvgp_status check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X) {
    const sites *k = (const sites *)kernel;
    for (size_t i = 0; i < n; i++)
        if (find(k, X + i * kernel->dim) == k->n)
            return tvgp__error_set(ctx, TVGP_ERR_ARG,
                                   "%s[%zu] = (%g%s) is none of the %zu points at which the kernel is known", argument, i,
                                   X[i * kernel->dim], kernel->dim > 1 ? ", .." : "", k->n);
    return TVGP_OK;
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    (void)n, (void)Z, (void)m, (void)X, (void)K, (void)C, (void)G;
    return tvgp__error_set(kernel->ctx, TVGP_ERR_UNSUPPORTED, "a kernel known at points has no gradient");
}

static void release(tvgp_kernel *kernel) {
    sites *k = (sites *)kernel;
    tvgp__kernel_release(k->table);
    tvgp__memory_free(kernel->ctx, k->X);
    tvgp__memory_free(kernel->ctx, k->sorted);
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const sites *k = (const sites *)*kernel;
    tvgp_kernel *table = k ? k->table : NULL;
    size_t n = k ? k->n : 0;
    double *X = NULL;
    tvgp__visit_count(v, &n, INT32_MAX, dim * sizeof *X);
    tvgp__visit_room(v, n, dim * sizeof *X, &X);
    tvgp__visit_reals(v, n * dim, k ? k->X : X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__kernel_visit(v, &table);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__table_points_new(v->ctx, n, dim, X, table, kernel));
    if (v->purpose == TVGP__VISIT_LOAD)
        tvgp__kernel_release(table);
    tvgp__memory_free(v->ctx, X);
}

const tvgp__kernel_ops tvgp__table_points_ops = {
    .type = "sites", .visit = visit, .block = block, .diag = diag, .check = check, .release = release, .pull = pull};

/* Room for the points, and the table asked whether it knows all their indices. */
static tvgp_status fill(sites *k, tvgp_ctx *ctx, const double *X) {
    const size_t dim = k->base.dim;
    TVGP__TRY(tvgp__memory_alloc(ctx, k->n, dim * sizeof *X, &k->X));
    TVGP__TRY(tvgp__memory_alloc(ctx, k->n, sizeof *k->sorted, &k->sorted));
    memcpy(k->X, X, k->n * dim * sizeof *X);
    for (size_t i = 0; i < k->n; i++)
        k->sorted[i] = (entry){.site = i, .dim = dim, .x = k->X + i * dim};
    qsort(k->sorted, k->n, sizeof *k->sorted, order);
    const double last = (double)(k->n - 1);
    return tvgp__kernel_check(k->table, ctx, "sites", 1, &last);
}

tvgp_status tvgp__table_points_new(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, const tvgp_kernel *table,
                                   tvgp_kernel **out) {
    sites *k = NULL;
    if (!n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "sites: n = 0 must be >= 1");
    if (table->dim != 1)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "sites: the table has %zu coordinates, not 1", table->dim);
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__table_points_ops, dim, sizeof *k, &k));
    k->n = n;
    k->table = tvgp__kernel_retain(table);
    tvgp_status status = tvgp__valid_range_values(ctx, "X", n * dim, X);
    if (status == TVGP_OK)
        status = fill(k, ctx, X);
    if (status == TVGP_OK)
        return tvgp__kernel_nest(&k->base, table, NULL, out);
    tvgp__kernel_release(&k->base);
    return status;
}

static int are_indices(size_t n, size_t dim, const double *X) {
    size_t i = 0;
    while (dim == 1 && i < n && X[i] == (double)i)
        i++;
    return i == n;
}

tvgp_status tvgp__table_points_covariance(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, const double *K,
                                          tvgp_kernel **out) {
    tvgp_kernel *table = NULL;
    TVGP__TRY(tvgp__table_new(ctx, n, K, &table));
    if (are_indices(n, dim, X)) {
        *out = table;
        return TVGP_OK;
    }
    const tvgp_status status = tvgp__table_points_new(ctx, n, dim, X, table, out);
    tvgp__kernel_release(table);
    return status;
}
