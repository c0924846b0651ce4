/* SPDX-License-Identifier: MIT */
/* A box: no arms, lower and upper bounds, and optional integer coordinates. */
#include "space/domain/box.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp_domain base;
    uint8_t whole[TVGP__BOX_MOST];
    double bounds[]; /* lower, upper, the middle */
} box;

static void find_middle(box *b) {
    const size_t dim = b->base.dim;
    for (size_t d = 0; d < dim; d++)
        b->bounds[2 * dim + d] = 0.5 * b->bounds[d] + 0.5 * b->bounds[dim + d];
}

static int64_t locate(tvgp_domain *domain, const double *x) {
    (void)domain;
    (void)x;
    return -1;
}

static int contains(const tvgp_domain *domain, const double *x) {
    for (size_t d = 0; d < domain->dim; d++)
        if (!(x[d] >= domain->lower[d] && x[d] <= domain->upper[d]) || (domain->whole[d] && x[d] != floor(x[d])))
            return 0;
    return 1;
}

/* Bounds differ, but of a coordinate that takes whole numbers, which may have one between them. */
static tvgp_status box_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const uint8_t *whole,
                           tvgp_domain **out) {
    box *b = NULL;
    if (dim == 0)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "dim = 0 must be >= 1");
    if (dim > TVGP__BOX_MOST)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "dim = %zu exceeds the limit %d of a box", dim, (int)TVGP__BOX_MOST);
    TVGP__TRY(tvgp__valid_range_values(ctx, "lower", dim, lower));
    TVGP__TRY(tvgp__valid_range_values(ctx, "upper", dim, upper));
    for (size_t d = 0; d < dim; d++)
        if (!(lower[d] < upper[d]) && !(whole[d] && lower[d] == upper[d]))
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "lower[%zu] = %g is not below upper[%zu] = %g", d, lower[d], d,
                                   upper[d]);
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *b + 3 * dim * sizeof *b->bounds, &b));
    memcpy(b->bounds, lower, dim * sizeof *lower);
    memcpy(b->bounds + dim, upper, dim * sizeof *upper);
    b->base = (tvgp_domain){.ctx = tvgp__context_retain(ctx),
                            .ops = &tvgp__box_ops,
                            .dim = dim,
                            .lower = b->bounds,
                            .upper = b->bounds + dim,
                            .scale = b->bounds,
                            .n_scale = 3,
                            .whole = b->whole,
                            .references = 1};
    find_middle(b);
    *out = &b->base;
    return TVGP_OK;
}

static void visit(tvgp__visit *v, tvgp_domain **domain) {
    size_t dim = *domain ? (*domain)->dim : 1;
    double bounds[2 * TVGP__BOX_MOST];
    uint8_t whole[TVGP__BOX_MOST];
    tvgp__visit_size(v, &dim, 1, TVGP__BOX_MOST);
    if (*domain) {
        memcpy(bounds, (*domain)->lower, dim * sizeof *bounds);
        memcpy(bounds + dim, (*domain)->upper, dim * sizeof *bounds);
        memcpy(whole, (*domain)->whole, dim);
    }
    tvgp__visit_reals(v, 2 * dim, bounds, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_bytes(v, dim, whole);
    if (!tvgp__visit_loads(v) || !tvgp__visit_try(v, box_new(v->ctx, dim, bounds, bounds + dim, whole, domain)))
        return;
    for (size_t k = 0; k < dim && tvgp__visit_fine(v); k++)
        if (whole[k])
            tvgp__visit_try(v, tvgp__box_integer(*domain, k));
}

const tvgp__domain_ops tvgp__box_ops = {.type = "box", .visit = visit, .locate = locate, .contains = contains};

tvgp_status tvgp__box_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out) {
    static const uint8_t none[TVGP__BOX_MOST];
    return box_new(ctx, dim, lower, upper, none, out);
}

tvgp_status tvgp__box_integer(tvgp_domain *domain, size_t k) {
    box *b = (box *)domain;
    if (domain->ops != &tvgp__box_ops)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED, "the domain is not a box");
    if (k >= domain->dim)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "k = %zu is outside 0..%zu", k, domain->dim - 1);
    if (domain->references > 1)
        return tvgp__error_set(domain->ctx, TVGP_ERR_STATE, "the domain is in use");
    double low = ceil(domain->lower[k]), high = floor(domain->upper[k]);
    if (low > high)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG,
                               "there is no whole number between lower[%zu] = %g and upper[%zu] = %g", k, domain->lower[k],
                               k, domain->upper[k]);
    if (fmax(fabs(low), fabs(high)) > 0x1p53)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "coordinate %zu reaches %g, whole numbers only 2^53", k,
                               fabs(low) > fabs(high) ? low : high);
    b->whole[k] = 1;
    b->bounds[k] = low;
    b->bounds[domain->dim + k] = high;
    find_middle(b);
    return TVGP_OK;
}
