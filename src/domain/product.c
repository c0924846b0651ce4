/* SPDX-License-Identifier: MIT */
/* Pairs of an action and a context: arm = action * contexts + context, coordinates of the action, then of the context. */
#include "domain/product.h"
#include "base/error.h"
#include "domain/domain_visit.h"

#include <string.h>

typedef struct {
    tvgp_domain base;
    tvgp_domain *actions, *contexts;
} product;

static int64_t locate(tvgp_domain *domain, const double *x) {
    const product *p = (const product *)domain;
    int64_t action = p->actions->ops->locate(p->actions, x);
    int64_t context = p->contexts->ops->locate(p->contexts, x + p->actions->dim);
    return action < 0 || context < 0 ? -1 : action * (int64_t)p->contexts->n + context;
}

static void release(tvgp_domain *domain) {
    tvgp__domain_release(((product *)domain)->actions);
    tvgp__domain_release(((product *)domain)->contexts);
}

static void visit(tvgp__visit *v, tvgp_domain **domain) {
    const product *p = (const product *)*domain;
    tvgp_domain *actions = p ? p->actions : NULL, *contexts = p ? p->contexts : NULL;
    tvgp__domain_visit(v, &actions);
    tvgp__domain_visit(v, &contexts);
    if (tvgp__visit_loads(v) && (!actions->n || !contexts->n))
        tvgp__visit_refuse(v, "a box is part of a product");
    if (tvgp__visit_loads(v))
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

tvgp_status tvgp__product_new(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out) {
    if (actions->n > INT32_MAX / contexts->n)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%zu actions x %zu contexts exceed the limit of %d arms", actions->n,
                               contexts->n, INT32_MAX);
    product *p = NULL;
    TVGP__TRY(
        tvgp__domain_new(ctx, &tvgp__product_ops, actions->n * contexts->n, actions->dim + contexts->dim, sizeof *p, &p));
    p->actions = tvgp__domain_retain(actions);
    p->contexts = tvgp__domain_retain(contexts);
    fill(p);
    *out = &p->base;
    return TVGP_OK;
}

size_t tvgp__product_contexts(const tvgp_domain *domain) {
    return domain->ops == &tvgp__product_ops ? ((const product *)domain)->contexts->n : 0;
}
