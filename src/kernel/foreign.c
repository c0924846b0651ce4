/* SPDX-License-Identifier: MIT */
#include "kernel/foreign.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/range.h"
#include "kernel/kernel_visit.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 64, BOX = 64 /* of a box, at most */ };

/* A registered type: the kernel's ops are its own, so that a kernel knows its type by them. */
typedef struct {
    tvgp__context_part part;
    tvgp__kernel_ops ops;
    char name[NAME];
    tvgp_kernel_type told;
    void *user;
    tvgp_destroy_fn destroy;
} foreign_type;

typedef struct {
    tvgp_kernel base;
    void *data;
    int busy;
} foreign;

static const foreign_type *type_of(const tvgp__kernel_ops *ops) {
    return (const foreign_type *)(const void *)((const char *)ops - offsetof(foreign_type, ops));
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

static tvgp_status enter(foreign *k) {
    if (k->busy)
        return tvgp__error_set(k->base.ctx, TVGP_ERR_REENTRANT, "kernel '%s' was called from inside itself",
                               k->base.ops->type);
    k->busy = 1;
    return TVGP_OK;
}

static tvgp_status leave(foreign *k, int32_t status) {
    char name[80];
    k->busy = 0;
    if (status == TVGP_OK)
        return TVGP_OK;
    snprintf(name, sizeof name, "kernel '%s'", k->base.ops->type);
    return tvgp__error_returned(k->base.ctx, name, status);
}

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    foreign *k = (foreign *)kernel; /* only its mark of being busy is written */
    TVGP__TRY(enter(k));
    TVGP__TRY(leave(k, type_of(kernel->ops)->told.block(k->data, n, X, m, Z, K, ldk)));
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(tvgp__range_values(kernel->ctx, "the kernel", m, K + i * ldk));
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    foreign *k = (foreign *)kernel;
    const tvgp_kernel_type *told = &type_of(kernel->ops)->told;
    if (!told->diagonal) {
        for (size_t i = 0; i < n; i++)
            TVGP__TRY(block(kernel, 1, X + i * kernel->dim, 1, X + i * kernel->dim, &d[i], 1));
        return TVGP_OK;
    }
    TVGP__TRY(enter(k));
    TVGP__TRY(leave(k, told->diagonal(k->data, n, X, d)));
    return tvgp__range_values(kernel->ctx, "the kernel", n, d);
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    foreign *k = (foreign *)kernel;
    (void)K;
    TVGP__TRY(enter(k));
    TVGP__TRY(leave(k, type_of(kernel->ops)->told.gradient(k->data, n, Z, m, X, C, G)));
    return tvgp__error_finite(kernel->ctx, "the kernel's gradient", n * kernel->dim, G);
}

static void reach(const tvgp_kernel *kernel, double *out) {
    double own[BOX];
    if (kernel->dim > BOX)
        return;
    memcpy(own, out, kernel->dim * sizeof *own);
    type_of(kernel->ops)->told.reach(((const foreign *)kernel)->data, own);
    for (size_t d = 0; d < kernel->dim; d++)
        if (own[d] > 0 && own[d] < out[d])
            out[d] = own[d];
}

static void release(tvgp_kernel *kernel) {
    const tvgp_kernel_type *told = &type_of(kernel->ops)->told;
    if (told->release)
        told->release(((foreign *)kernel)->data);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    foreign *k = (foreign *)*kernel;
    const foreign_type *type = k ? type_of(k->base.ops) : type_of(v->made_of);
    size_t n = 0;
    uint8_t *bytes = NULL;
    void *data = NULL;
    if (k)
        tvgp__visit_try(v, leave(k, type->told.save(k->data, NULL, &n)));
    tvgp__visit_count(v, &n, SIZE_MAX, 1);
    if (k && tvgp__visit_fine(v) && tvgp__visit_try(v, tvgp__memory_alloc(v->ctx, n, 1, &bytes)))
        tvgp__visit_try(v, leave(k, type->told.save(k->data, bytes, &n)));
    tvgp__visit_room(v, n, 1, &bytes);
    tvgp__visit_bytes(v, n, bytes);
    if (tvgp__visit_loads(v)) {
        int32_t status = type->told.load(type->user, dim, bytes, n, &data);
        if (status != TVGP_OK)
            tvgp__visit_try(v, tvgp__error_set(v->ctx, tvgp__error_status(status),
                                               "a kernel of type '%s' could not be loaded: %d", type->name, (int)status));
        else if (!tvgp__visit_try(v, tvgp__foreign_new(v->ctx, type->name, dim, data, kernel)) && type->told.release)
            type->told.release(data);
    }
    tvgp__memory_free(v->ctx, bytes);
}

/* ---- types -------------------------------------------------------------------------------------------------------- */

static void forget(tvgp_ctx *ctx, tvgp__context_part *part) {
    foreign_type *type = (foreign_type *)part;
    if (type->destroy)
        type->destroy(type->user);
    tvgp__memory_free(ctx, type);
}

static foreign_type *look_up(const tvgp_ctx *ctx, const char *name, const char **nearest) {
    for (tvgp__context_part *part = ctx->parts; part; part = part->next) {
        foreign_type *type = (foreign_type *)part;
        if (part->forget == forget && strcmp(type->name, name) == 0)
            return type;
        if (part->forget == forget && nearest)
            tvgp__nearest_offer(name, type->name, nearest);
    }
    return NULL;
}

const tvgp__kernel_ops *tvgp__foreign_find(const tvgp_ctx *ctx, const char *name) {
    foreign_type *type = look_up(ctx, name, NULL);
    return type ? &type->ops : NULL;
}

static tvgp_status check(tvgp_ctx *ctx, const tvgp_kernel_type *t) {
    if (t->struct_size < offsetof(tvgp_kernel_type, diagonal))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->struct_size = %zu must be at least %zu", t->struct_size,
                               offsetof(tvgp_kernel_type, diagonal));
    if (!t->name || !*t->name || strlen(t->name) >= NAME)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->name must have 1 to %d bytes", NAME - 1);
    if (!t->block)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->block is NULL");
    if (tvgp__kernel_visit_type(ctx, t->name))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->name = '%s' is taken", t->name);
    return TVGP_OK;
}

tvgp_status tvgp__foreign_register(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy) {
    foreign_type *fresh = NULL;
    TVGP__TRY(check(ctx, type));
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *fresh, &fresh));
    memcpy(&fresh->told, type, type->struct_size < sizeof fresh->told ? type->struct_size : sizeof fresh->told);
    if (!fresh->told.save != !fresh->told.load) {
        tvgp__memory_free(ctx, fresh);
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->save and type->load: one is NULL, the other not");
    }
    memcpy(fresh->name, type->name, strlen(type->name));
    fresh->user = user;
    fresh->destroy = destroy;
    fresh->ops = (tvgp__kernel_ops){.struct_size = sizeof fresh->ops,
                                    .type = fresh->name,
                                    .visit = fresh->told.save ? visit : NULL,
                                    .block = block,
                                    .diag = diag,
                                    .release = release,
                                    .pull = fresh->told.gradient ? pull : NULL,
                                    .reach = fresh->told.reach ? reach : NULL};
    fresh->part = (tvgp__context_part){.next = ctx->parts, .forget = forget};
    ctx->parts = &fresh->part;
    return TVGP_OK;
}

tvgp_status tvgp__foreign_new(tvgp_ctx *ctx, const char *name, size_t dim, void *data, tvgp_kernel **out) {
    const char *nearest = NULL;
    const foreign_type *type = look_up(ctx, name, &nearest);
    foreign *k = NULL;
    if (!type)
        return tvgp__nearest_unknown(ctx, "type of kernel", name, nearest, "tvgp_ctx_register_kernel");
    TVGP__TRY(tvgp__kernel_new(ctx, &type->ops, dim, sizeof *k, &k));
    k->data = data;
    *out = &k->base;
    return TVGP_OK;
}
