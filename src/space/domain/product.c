/* SPDX-License-Identifier: MIT */
/* Pairs of an action and a context: arm = action * contexts + context; coordinates of the action come first. If contexts
 * are the points of a box, arm = action. */
#include "space/domain/product.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "base/valid_range.h"
#include "space/domain/arm_at_point.h"
#include "space/domain/box.h"
#include "space/domain/domain_visit.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp_domain base;
    tvgp_domain *actions, *contexts;
    size_t depth;   /* of domains made of domains, itself included */
    double *bounds; /* measured contexts: lower, upper of all coordinates; behind them `scale` and `whole` */
} product;

static size_t depth_of(const tvgp_domain *domain) {
    return domain->ops == &tvgp__product_ops ? ((const product *)domain)->depth : 1;
}

static int64_t locate(tvgp_domain *domain, const double *x) {
    const product *p = (const product *)domain;
    const double *z = x + p->actions->dim;
    int64_t action = (p->contexts->n ? p->actions->ops->locate : tvgp__arm_at_point_locate)(p->actions, x), context = 0;
    if (p->contexts->n)
        context = p->contexts->ops->locate(p->contexts, z);
    else if (!p->contexts->ops->contains(p->contexts, z))
        return -1;
    return action < 0 || context < 0 ? -1 : action * (int64_t)(p->contexts->n ? p->contexts->n : 1) + context;
}

static void release(tvgp_domain *domain) {
    product *p = (product *)domain;
    tvgp__domain_release(p->actions);
    tvgp__domain_release(p->contexts);
    tvgp__memory_free(domain->ctx, p->bounds);
}

static void visit(tvgp__visit *v, tvgp_domain **domain) {
    const product *p = (const product *)*domain;
    tvgp_domain *actions = p ? p->actions : NULL, *contexts = p ? p->contexts : NULL;
    tvgp__domain_visit(v, &actions);
    tvgp__domain_visit(v, &contexts);
    if (tvgp__visit_loads(v) && tvgp__domain_visit_expects(v, actions->n, contexts->n))
        tvgp__visit_try(v, tvgp__product_new(v->ctx, actions, contexts, domain));
    if (v->purpose != TVGP__VISIT_LOAD)
        return;
    tvgp__domain_release(actions);
    tvgp__domain_release(contexts);
}

const tvgp__domain_ops tvgp__product_ops = {.type = "product", .visit = visit, .locate = locate, .release = release};

static void fill(product *p) {
    const tvgp_domain *a = p->actions, *c = p->contexts;
    double *x = p->base.X;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < c->n; j++, x += p->base.dim) {
            memcpy(x, a->X + i * a->dim, a->dim * sizeof *x);
            memcpy(x + a->dim, c->X + j * c->dim, c->dim * sizeof *x);
        }
}

/* Bounds that hold all actions, and the contexts' own; the points of all actions where the contexts have theirs. */
static void bound(product *p) {
    const tvgp_domain *a = p->actions, *c = p->contexts;
    const size_t dim = p->base.dim;
    double *lower = p->bounds, *upper = lower + dim, *scale = upper + dim;
    uint8_t *whole = (uint8_t *)(scale + p->base.n_scale * dim);
    for (size_t d = 0; d < a->dim; d++) {
        lower[d] = upper[d] = a->X[d];
        for (size_t i = 1; i < a->n; i++) {
            lower[d] = fmin(lower[d], a->X[i * a->dim + d]);
            upper[d] = fmax(upper[d], a->X[i * a->dim + d]);
        }
    }
    memcpy(lower + a->dim, c->lower, c->dim * sizeof *lower);
    memcpy(upper + a->dim, c->upper, c->dim * sizeof *upper);
    memcpy(whole + a->dim, c->whole, c->dim);
    p->base.lower = lower;
    p->base.upper = upper;
    p->base.whole = whole;
    p->base.scale = scale;
    for (size_t k = 0; k < c->n_scale; k++)
        tvgp__product_points(&p->base, c->scale + k * c->dim, scale + k * a->n * dim);
}

static tvgp_status with_arms(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, product **out) {
    if (actions->n > INT32_MAX / contexts->n)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu actions x %zu contexts exceed the limit of %d arms", actions->n,
                               contexts->n, (int)INT32_MAX);
    return tvgp__domain_new(ctx, &tvgp__product_ops, actions->n * contexts->n, actions->dim + contexts->dim, sizeof **out,
                            out);
}

static tvgp_status with_box(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, product **out) {
    const size_t dim = actions->dim + contexts->dim;
    product *p = NULL;
    if (contexts->total)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED,
                               "contexts has arms and measured contexts itself, must be arms or a box");
    if (dim > TVGP__BOX_MOST)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu coordinates of an action and %zu of a context exceed the limit %d",
                               actions->dim, contexts->dim, (int)TVGP__BOX_MOST);
    TVGP__TRY(tvgp__quota_arms(ctx, actions->n));
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *p, &p));
    tvgp_status status = tvgp__memory_alloc(ctx, 3 + tvgp__memory_product(contexts->n_scale, actions->n),
                                            dim * sizeof *p->bounds, &p->bounds);
    if (status < 0) {
        tvgp__memory_free(ctx, p);
        return status;
    }
    p->base = (tvgp_domain){.ctx = tvgp__context_retain(ctx),
                            .ops = &tvgp__product_ops,
                            .dim = dim,
                            .total = actions->n,
                            .n_scale = contexts->n_scale * actions->n,
                            .indices = actions->indices,
                            .references = 1};
    *out = p;
    return TVGP_OK;
}

tvgp_status tvgp__product_new(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out) {
    product *p = NULL;
    const size_t a = depth_of(actions), c = depth_of(contexts), depth = 1 + (a > c ? a : c);
    if (depth > TVGP__VALID_RANGE_DEPTH)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu domains deep, which exceeds the limit %d", depth,
                               (int)TVGP__VALID_RANGE_DEPTH);
    if (!actions->n)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED,
                               "actions must be arms; %s, give its coordinates as contexts or choose on the box itself",
                               actions->total ? "these have measured contexts" : "this is a box");
    TVGP__TRY(contexts->n ? with_arms(ctx, actions, contexts, &p) : with_box(ctx, actions, contexts, &p));
    p->actions = tvgp__domain_retain(actions);
    p->contexts = tvgp__domain_retain(contexts);
    p->depth = depth;
    if (contexts->n)
        fill(p);
    else
        bound(p);
    *out = &p->base;
    return TVGP_OK;
}

size_t tvgp__product_contexts(const tvgp_domain *domain) {
    return domain->ops == &tvgp__product_ops ? ((const product *)domain)->contexts->n : 0;
}

int tvgp__product_named(const tvgp_domain *domain, size_t d) {
    while (domain->ops == &tvgp__product_ops) {
        const product *p = (const product *)domain;
        const size_t dim = p->actions->dim;
        domain = d < dim ? p->actions : p->contexts;
        d -= d < dim ? 0 : dim;
    }
    return domain->indices;
}

size_t tvgp__product_action_dim(const tvgp_domain *domain) {
    return domain->ops == &tvgp__product_ops ? ((const product *)domain)->actions->dim : domain->dim;
}

void tvgp__product_parts(const tvgp_domain *domain, const tvgp_domain **actions, const tvgp_domain **contexts) {
    const product *p = domain->ops == &tvgp__product_ops ? (const product *)domain : NULL;
    *actions = p ? p->actions : domain;
    *contexts = p ? p->contexts : NULL;
}

size_t tvgp__product_measured(const tvgp_domain *domain) {
    return domain->ops == &tvgp__product_ops && !domain->n ? ((const product *)domain)->contexts->dim : 0;
}

int tvgp__product_clamp(const tvgp_domain *domain, double *z) {
    const tvgp_domain *box = ((const product *)domain)->contexts;
    int moved = 0;
    for (size_t d = 0; d < box->dim; d++) {
        const double lower = box->whole[d] ? ceil(box->lower[d]) : box->lower[d];
        const double upper = box->whole[d] ? floor(box->upper[d]) : box->upper[d];
        const double inside = fmax(lower, fmin(upper, z[d]));
        moved |= inside != z[d];
        z[d] = inside;
    }
    return moved;
}

void tvgp__product_points(const tvgp_domain *domain, const double *z, double *X) {
    const tvgp_domain *a = ((const product *)domain)->actions;
    for (size_t i = 0; i < a->n; i++, X += domain->dim) {
        memcpy(X, a->X + i * a->dim, a->dim * sizeof *X);
        memcpy(X + a->dim, z, (domain->dim - a->dim) * sizeof *X);
    }
}
