/* SPDX-License-Identifier: MIT */
/* Sum and product of two kernels over the same points (Rasmussen and Williams 2006, sec. 4.2.4). */
#include "space/kernel/combine.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "space/kernel/kernel_visit.h"
#include "space/kernel/parameter.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    tvgp_kernel base;
    tvgp_kernel *a, *b;
    int product;
} combine;

enum { CHUNK = 256 }; /* entries of a row held at a time */

static void merge(const combine *k, size_t m, const double *b, double *a) {
    if (k->product)
        for (size_t j = 0; j < m; j++)
            a[j] *= b[j];
    else
        for (size_t j = 0; j < m; j++)
            a[j] += b[j];
}

/* Workspace for `rows` of entries; kernels made of kernels are deep, and a stack is not. */
static tvgp_status take(const tvgp_kernel *kernel, size_t rows, double **work) {
    return tvgp__scratch_take(kernel->ctx, rows * CHUNK, work);
}

static tvgp_status give(const tvgp_kernel *kernel, double *work, tvgp_status status) {
    tvgp__scratch_give(kernel->ctx, work);
    return status;
}

static tvgp_status merge_block(const combine *k, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk,
                               double *other) {
    const size_t dim = k->base.dim;
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += CHUNK) {
            size_t width = m - first < CHUNK ? m - first : CHUNK;
            TVGP__TRY(tvgp__kernel_block(k->b, 1, X + i * dim, width, Z + first * dim, other, width));
            merge(k, width, other, K + i * ldk + first);
        }
    return TVGP_OK;
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    const combine *k = (const combine *)kernel;
    double *other = NULL;
    TVGP__TRY(tvgp__kernel_block(k->a, n, X, m, Z, K, ldk));
    TVGP__TRY(take(kernel, 1, &other));
    return give(kernel, other, merge_block(k, n, X, m, Z, K, ldk, other));
}

static tvgp_status merge_diag(const combine *k, size_t n, const double *X, double *d, double *other) {
    for (size_t first = 0; first < n; first += CHUNK) {
        size_t width = n - first < CHUNK ? n - first : CHUNK;
        TVGP__TRY(tvgp__kernel_diag(k->b, width, X + first * k->base.dim, other));
        merge(k, width, other, d + first);
    }
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    const combine *k = (const combine *)kernel;
    double *other = NULL;
    TVGP__TRY(tvgp__kernel_diag(k->a, n, X, d));
    TVGP__TRY(take(kernel, 1, &other));
    return give(kernel, other, merge_diag(k, n, X, d, other));
}

/* One part's share of a row of pull: with C o B for a product. */
static tvgp_status pull_part(const combine *k, const tvgp_kernel *part, const double *z, size_t m, const double *X,
                             const double *K, const double *other, const double *c, double *g, double *share) {
    for (size_t j = 0; j < m; j++)
        share[j] = k->product ? c[j] * other[j] : c[j];
    return tvgp__kernel_pull(part, 1, z, m, X, K, share, g);
}

static tvgp_status pull_all(const combine *k, size_t n, const double *Z, size_t m, const double *X, const double *C,
                            double *G, double *work) {
    const size_t dim = k->base.dim;
    double *a = work, *b = a + CHUNK, *share = b + CHUNK;
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += CHUNK) {
            size_t width = m - first < CHUNK ? m - first : CHUNK;
            const double *z = Z + i * dim, *x = X + first * dim, *c = C + i * m + first;
            TVGP__TRY(tvgp__kernel_block(k->a, 1, z, width, x, a, width));
            TVGP__TRY(tvgp__kernel_block(k->b, 1, z, width, x, b, width));
            TVGP__TRY(pull_part(k, k->a, z, width, x, a, b, c, G + i * dim, share));
            TVGP__TRY(pull_part(k, k->b, z, width, x, b, a, c, G + i * dim, share));
        }
    return TVGP_OK;
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    double *work = NULL;
    (void)K;
    TVGP__TRY(take(kernel, 3, &work));
    return give(kernel, work, pull_all((const combine *)kernel, n, Z, m, X, C, G, work));
}

static tvgp_status diag_pull(const tvgp_kernel *kernel, size_t n, const double *Z, const double *w, double *G) {
    const combine *k = (const combine *)kernel;
    if (!k->product) {
        TVGP__TRY(tvgp__kernel_diag_pull(k->a, n, Z, w, G));
        return tvgp__kernel_diag_pull(k->b, n, Z, w, G);
    }
    for (size_t i = 0; i < n; i++) {
        const double *z = Z + i * kernel->dim;
        double a, b;
        TVGP__TRY(tvgp__kernel_diag(k->a, 1, z, &a));
        TVGP__TRY(tvgp__kernel_diag(k->b, 1, z, &b));
        a *= w[i];
        b *= w[i];
        TVGP__TRY(tvgp__kernel_diag_pull(k->a, 1, z, &b, G + i * kernel->dim));
        TVGP__TRY(tvgp__kernel_diag_pull(k->b, 1, z, &a, G + i * kernel->dim));
    }
    return TVGP_OK;
}

static void reach(const tvgp_kernel *kernel, double *out) {
    const combine *k = (const combine *)kernel;
    const tvgp_kernel *parts[] = {k->a, k->b};
    for (size_t i = 0; i < 2; i++)
        if (parts[i]->ops->reach)
            parts[i]->ops->reach(parts[i], out);
}

static tvgp_status check(const tvgp_kernel *kernel, tvgp_ctx *ctx, const char *argument, size_t n, const double *X) {
    const combine *k = (const combine *)kernel;
    TVGP__TRY(tvgp__kernel_check(k->a, ctx, argument, n, X));
    return tvgp__kernel_check(k->b, ctx, argument, n, X);
}

static void release(tvgp_kernel *kernel) {
    tvgp__kernel_release(((combine *)kernel)->a);
    tvgp__kernel_release(((combine *)kernel)->b);
}

/* ---- parameters: those of a, then those of b -------------------------------------------------------------------- */

/* Puts `letter.` before a name that has room for it. */
static void prefix(char letter, size_t n, tvgp__param *list) {
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i].name) + 2 < sizeof list[i].name) {
            memmove(list[i].name + 2, list[i].name, strlen(list[i].name) + 1);
            list[i].name[0] = letter;
            list[i].name[1] = '.';
        }
}

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    const combine *k = (const combine *)kernel;
    size_t a = tvgp__parameter_list(k->a, list), b = tvgp__parameter_list(k->b, list ? list + a : NULL);
    if (list) {
        prefix('a', a, list);
        prefix('b', b, list + a);
        for (size_t i = 0; i < a + b; i++)
            list[i].flags &= k->product ? ~0u : ~(uint32_t)TVGP_PARAM_SCALES;
    }
    return a + b;
}

static tvgp_status clone(const tvgp_kernel *kernel, const double *values, tvgp_kernel **out) {
    const combine *k = (const combine *)kernel;
    tvgp_kernel *a = NULL, *b = NULL;
    TVGP__TRY(tvgp__parameter_clone(k->a, values, &a));
    tvgp_status status = tvgp__parameter_clone(k->b, values ? values + tvgp__parameter_count(k->a) : NULL, &b);
    if (status == TVGP_OK)
        status = tvgp__combine_new(kernel->ctx, k->product, a, b, out);
    tvgp__kernel_release(a);
    tvgp__kernel_release(b);
    return status;
}

/* In a product a row of W meets the other factor before it is passed on. */
static tvgp_status contract_row(const combine *k, const double *x, size_t m, const double *Z, const double *w,
                                double *gradient, double *work) {
    double *a = work, *b = a + CHUNK;
    TVGP__TRY(tvgp__kernel_block(k->a, 1, x, m, Z, a, m));
    TVGP__TRY(tvgp__kernel_block(k->b, 1, x, m, Z, b, m));
    for (size_t j = 0; j < m; j++) {
        a[j] *= w[j];
        b[j] *= w[j];
    }
    TVGP__TRY(tvgp__parameter_contract(k->a, 1, x, m, Z, b, m, gradient));
    return tvgp__parameter_contract(k->b, 1, x, m, Z, a, m, gradient + tvgp__parameter_count(k->a));
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    const combine *k = (const combine *)kernel;
    if (!k->product) {
        TVGP__TRY(tvgp__parameter_contract(k->a, n, X, m, Z, W, ldw, gradient));
        return tvgp__parameter_contract(k->b, n, X, m, Z, W, ldw, gradient + tvgp__parameter_count(k->a));
    }
    double *work = NULL;
    TVGP__TRY(take(kernel, 2, &work));
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m && status == TVGP_OK; first += CHUNK)
            status = contract_row(k, X + i * kernel->dim, m - first < CHUNK ? m - first : CHUNK, Z + first * kernel->dim,
                                  W + i * ldw + first, gradient, work);
    return give(kernel, work, status);
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    const combine *k = (const combine *)*kernel;
    tvgp_kernel *a = k ? k->a : NULL, *b = k ? k->b : NULL;
    int product = k && k->product;
    (void)dim;
    tvgp__visit_flag(v, &product);
    tvgp__kernel_visit(v, &a);
    tvgp__kernel_visit(v, &b);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__combine_new(v->ctx, product, a, b, kernel));
    if (v->purpose != TVGP__VISIT_LOAD)
        return;
    tvgp__kernel_release(a);
    tvgp__kernel_release(b);
}

const tvgp__kernel_ops tvgp__combine_ops = {.type = "combine",
                                            .visit = visit,
                                            .block = block,
                                            .diag = diag,
                                            .check = check,
                                            .release = release,
                                            .pull = pull,
                                            .diag_pull = diag_pull,
                                            .reach = reach,
                                            .params = params,
                                            .clone = clone,
                                            .contract = contract};

tvgp_status tvgp__combine_new(tvgp_ctx *ctx, int product, const tvgp_kernel *a, const tvgp_kernel *b, tvgp_kernel **out) {
    if (a->dim != b->dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "dimension %zu of a differs from dimension %zu of b", a->dim, b->dim);
    combine *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &tvgp__combine_ops, a->dim, sizeof *k, &k));
    k->a = tvgp__kernel_retain(a);
    k->b = tvgp__kernel_retain(b);
    k->product = product;
    return tvgp__kernel_nest(&k->base, a, b, out);
}
