/* SPDX-License-Identifier: MIT */
/* Explicit arms, found by their coordinates in a hash table (open addressing, at most half full). */
#include "space/domain/arms.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <string.h>

/* FNV-1a over the coordinates' bytes, with -0 read as 0. */
static size_t hash(const double *x, size_t dim) {
    uint64_t h = 14695981039346656037u;
    for (size_t d = 0; d < dim; d++) {
        double value = x[d] + 0.0;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int byte = 0; byte < 8; byte++) {
            h ^= (bits >> (8 * byte)) & 0xff;
            h *= 1099511628211u;
        }
    }
    return (size_t)(h ^ (h >> 32));
}

static int equal(const double *a, const double *b, size_t dim) {
    for (size_t d = 0; d < dim; d++)
        if (a[d] != b[d])
            return 0;
    return 1;
}

/* The slot of the arm at x, or the empty slot where it would stand. */
static int32_t *slot_of(const tvgp__arms *a, const double *x) {
    size_t dim = a->base.dim, at = hash(x, dim) & a->mask;
    while (a->table[at] && !equal(x, a->base.X + (size_t)(a->table[at] - 1) * dim, dim))
        at = (at + 1) & a->mask;
    return &a->table[at];
}

int64_t tvgp__arms_locate(tvgp_domain *domain, const double *x) {
    int64_t found = (int64_t)*slot_of((const tvgp__arms *)domain, x) - 1;
    return found < 0 ? -1 : (int64_t)tvgp__domain_arm(domain, (size_t)found);
}

void tvgp__arms_release(tvgp_domain *domain) {
    tvgp__memory_free(domain->ctx, ((tvgp__arms *)domain)->table);
}

static void visit(tvgp__visit *v, tvgp_domain **domain) {
    size_t n = *domain ? (*domain)->n : 0, dim = *domain ? (*domain)->dim : 1;
    int indices = *domain && (*domain)->indices;
    double *X = NULL;
    tvgp__visit_flag(v, &indices);
    tvgp__visit_size(v, &dim, 1, INT32_MAX);
    tvgp__visit_count(v, &n, INT32_MAX, dim * sizeof *X);
    tvgp__visit_room(v, n, dim * sizeof *X, &X);
    tvgp__visit_reals(v, n * dim, *domain ? (*domain)->X : X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, tvgp__arms_new(v->ctx, n, dim, X, domain)))
        (*domain)->indices = indices;
    tvgp__memory_free(v->ctx, X);
}

const tvgp__domain_ops tvgp__arms_ops = {
    .type = "arms", .visit = visit, .locate = tvgp__arms_locate, .release = tvgp__arms_release};

tvgp_status tvgp__arms_index(tvgp__arms *a) {
    const tvgp_domain *d = &a->base;
    size_t size = 4;
    while (size < 2 * d->n)
        size *= 2;
    TVGP__TRY(tvgp__valid_range_values(d->ctx, "X", d->n * d->dim, d->X));
    TVGP__TRY(tvgp__memory_alloc(d->ctx, size, sizeof *a->table, &a->table));
    a->mask = size - 1;
    for (size_t i = 0; i < d->n; i++) {
        int32_t *empty = slot_of(a, d->X + i * d->dim);
        if (!*empty)
            *empty = (int32_t)(i + 1);
    }
    return TVGP_OK;
}

tvgp_status tvgp__arms_new(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out) {
    tvgp__arms *a = NULL;
    TVGP__TRY(tvgp__domain_new(ctx, &tvgp__arms_ops, n, dim, sizeof *a, &a));
    memcpy(a->base.X, X, n * dim * sizeof *X);
    tvgp_status status = tvgp__arms_index(a);
    if (status < 0)
        tvgp__domain_release(&a->base);
    else
        *out = &a->base;
    return status;
}

tvgp_status tvgp__arms_append(tvgp_ctx *ctx, const tvgp_domain *domain, size_t n, const double *X, tvgp_domain **out) {
    const size_t old = domain->n * domain->dim;
    double *all = NULL;
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    TVGP__TRY(tvgp__memory_alloc(ctx, domain->n + n, domain->dim * sizeof *all, &all));
    memcpy(all, domain->X, old * sizeof *all);
    memcpy(all + old, X, n * domain->dim * sizeof *all);
    tvgp_status status = tvgp__arms_new(ctx, domain->n + n, domain->dim, all, out);
    tvgp__memory_free(ctx, all);
    if (status == TVGP_OK)
        (*out)->indices = domain->indices;
    return status;
}
