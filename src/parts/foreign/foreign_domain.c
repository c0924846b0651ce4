/* SPDX-License-Identifier: MIT */
/* Domains of types that the caller registered: the caller's code computes the points of their arms (parts/foreign/foreign_domain.h). */
#include "parts/foreign/foreign_domain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/registry.h"
#include "base/valid_range.h"
#include "space/domain/arms.h"
#include "space/domain/domain_visit.h"

#include <string.h>

/* A registered type. The domain has the ops of its type, so a domain's type is found from its ops. */
typedef struct {
    tvgp__foreign_type base;
    tvgp__domain_ops ops;
    tvgp_domain_type given;
} foreign_type;

typedef struct {
    tvgp__arms arms;
    tvgp__foreign_type_call call;
    void *data;
    int owned; /* data, once the domain has been made */
} foreign;

static const foreign_type *type_of(const tvgp__domain_ops *ops) {
    return (const foreign_type *)(const void *)((const char *)ops - offsetof(foreign_type, ops));
}

static void release(tvgp_domain *domain) {
    const foreign *f = (const foreign *)domain;
    tvgp__arms_release(domain);
    if (f->owned && type_of(domain->ops)->given.release)
        type_of(domain->ops)->given.release(f->data);
}

static tvgp_status ask_points(foreign *f, const foreign_type *type) {
    tvgp_domain *d = &f->arms.base;
    TVGP__TRY(tvgp__foreign_type_enter(&f->call));
    return tvgp__foreign_type_leave(&f->call, type->given.points(f->data, d->n, d->dim, d->X));
}

/* From points that are known, or (NULL) asked for. The domain takes over data only when all went well. */
static tvgp_status make(tvgp_ctx *ctx, const foreign_type *type, size_t n, size_t dim, void *data, const double *X,
                        tvgp_domain **out) {
    foreign *f = NULL;
    TVGP__TRY(tvgp__domain_new(ctx, &type->ops, n, dim, sizeof *f, &f));
    tvgp_domain *d = &f->arms.base;
    f->call = (tvgp__foreign_type_call){.ctx = ctx, .what = "domain", .name = type->base.name};
    f->data = data;
    d->indices = type->given.categorical != 0;
    if (X)
        memcpy(d->X, X, n * dim * sizeof *X);
    tvgp_status status = X ? TVGP_OK : ask_points(f, type);
    if (status == TVGP_OK)
        status = tvgp__arms_index(&f->arms);
    f->owned = status == TVGP_OK;
    if (status < 0)
        tvgp__domain_release(d);
    else
        *out = d;
    return status;
}

/* ---- snapshots: the points, so that bytes that were forged ask for no more memory than there is of them, and the data ---- */

static void load(tvgp__visit *v, const foreign_type *type, size_t n, size_t dim, const double *X, const void *bytes,
                 size_t n_bytes, tvgp_domain **domain) {
    tvgp__foreign_type_call call = {.ctx = v->ctx, .what = "domain", .name = type->base.name};
    void *data = NULL;
    (void)tvgp__foreign_type_enter(&call); /* no caller has it yet */
    if (tvgp__visit_try(v,
                        tvgp__foreign_type_leave(&call, type->given.load(type->base.user, n, dim, n_bytes, bytes, &data))) &&
        !tvgp__visit_try(v, make(v->ctx, type, n, dim, data, X, domain)) && type->given.release)
        type->given.release(data);
}

static void visit(tvgp__visit *v, tvgp_domain **domain) {
    foreign *f = (foreign *)*domain;
    const foreign_type *type = type_of(*domain ? (*domain)->ops : v->made_of);
    size_t n = *domain ? (*domain)->n : 0, dim = *domain ? (*domain)->dim : 1, n_bytes = 0;
    double *X = NULL;
    const void *bytes = NULL;
    if (v->purpose == TVGP__VISIT_HASH) {
        tvgp__domain_visit_points(v, *domain);
        return;
    }
    tvgp__visit_size(v, &dim, 1, INT32_MAX);
    tvgp__visit_count(v, &n, INT32_MAX, dim * sizeof *X);
    tvgp__visit_room(v, n, dim * sizeof *X, &X);
    tvgp__visit_reals(v, n * dim, f ? f->arms.base.X : X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__foreign_type_visit(v, f ? &f->call : NULL, type->given.save, f ? f->data : NULL, &bytes, &n_bytes);
    if (tvgp__visit_loads(v))
        load(v, type, n, dim, X, bytes, n_bytes, domain);
    tvgp__memory_free(v->ctx, X);
}

/* ---- types and domains ------------------------------------------------------------------------------------------------ */

tvgp_status tvgp__foreign_domain_register(tvgp_ctx *ctx, const tvgp_domain_type *type, void *user, tvgp_destroy_fn destroy) {
    foreign_type *fresh = NULL;
    tvgp_domain_type given = {0};
    TVGP__TRY(tvgp__foreign_type_read(ctx, TVGP__TYPE_DOMAIN, type, offsetof(tvgp_domain_type, categorical), &given,
                                      sizeof given));
    if (!given.points)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->points is NULL");
    if (!given.save != !given.load)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->save and type->load: one is NULL, the other not");
    TVGP__TRY(tvgp__foreign_type_alloc(ctx, given.name, sizeof *fresh, &fresh));
    fresh->given = given;
    fresh->ops = (tvgp__domain_ops){
        .type = fresh->base.name, .visit = given.save ? visit : NULL, .locate = tvgp__arms_locate, .release = release};
    return tvgp__foreign_type_add(ctx, TVGP__TYPE_DOMAIN, &fresh->base, &fresh->ops, user, destroy);
}

tvgp_status tvgp__foreign_domain_new(tvgp_ctx *ctx, const char *name, size_t n, size_t dim, void *data, tvgp_domain **out) {
    tvgp__nearest_name nearest = {.typed = name};
    const tvgp__domain_ops *ops = tvgp__registry_find(ctx, TVGP__TYPE_DOMAIN, name, &nearest);
    if (!ops)
        return tvgp__nearest_name_unknown(ctx, "type of domain", &nearest, "tvgp_ctx_register_domain");
    if (ops->release != release)
        return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "type of domain '%s' is the library's own and has its constructor",
                               name);
    return make(ctx, type_of(ops), n, dim, data, NULL, out);
}
