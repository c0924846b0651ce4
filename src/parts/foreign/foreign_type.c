/* SPDX-License-Identifier: MIT */
/* The common part of kernels, domains and policies of registered types (tvgp/extend.h) (parts/foreign/foreign_type.h). */
#include "parts/foreign/foreign_type.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/registry.h"

#include <stdio.h>
#include <string.h>

/* ---- registering ------------------------------------------------------------------------------------------------------ */

typedef struct {
    size_t struct_size;
    const char *name;
} head;

tvgp_status tvgp__foreign_type_read(tvgp_ctx *ctx, int kind, const void *table, size_t least, void *copy, size_t size) {
    head h;
    memcpy(&h.struct_size, table, sizeof h.struct_size);
    if (h.struct_size < least)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->struct_size = %zu must be at least %zu", h.struct_size, least);
    memcpy(&h, table, sizeof h);
    if (!h.name || !*h.name || strlen(h.name) >= TVGP__FOREIGN_TYPE_NAME)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->name must have 1 to %d bytes", TVGP__FOREIGN_TYPE_NAME - 1);
    if (tvgp__registry_find(ctx, kind, h.name, NULL))
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->name = '%s' is taken", h.name);
    memcpy(copy, table, h.struct_size < size ? h.struct_size : size);
    return TVGP_OK;
}

tvgp_status tvgp__foreign_type_alloc(tvgp_ctx *ctx, const char *name, size_t size, void *out) {
    tvgp__foreign_type *type = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, size, &type));
    memcpy(type->name, name, strlen(name));
    memcpy(out, &type, sizeof type);
    return TVGP_OK;
}

void tvgp__foreign_type_free(tvgp_ctx *ctx, tvgp__foreign_type *type) {
    if (type->release)
        type->release(ctx, type);
    tvgp__memory_free(ctx, type->list);
    tvgp__memory_free(ctx, type);
}

static void forget(tvgp_ctx *ctx, tvgp__context_part *part) {
    tvgp__foreign_type *type = (tvgp__foreign_type *)part;
    if (type->destroy)
        type->destroy(type->user);
    tvgp__foreign_type_free(ctx, type);
}

tvgp_status tvgp__foreign_type_add(tvgp_ctx *ctx, int kind, tvgp__foreign_type *type, const void *ops, void *user,
                                   tvgp_destroy_fn destroy) {
    tvgp_status status = tvgp__registry_add(ctx, kind, ops, &type->list);
    if (status < 0) {
        tvgp__foreign_type_free(ctx, type);
        return status;
    }
    type->user = user;
    type->destroy = destroy;
    type->part = (tvgp__context_part){.next = ctx->parts, .forget = forget};
    ctx->parts = &type->part;
    return TVGP_OK;
}

/* ---- calling ---------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__foreign_type_enter(tvgp__foreign_type_call *c) {
    if (c->busy)
        return tvgp__error_set(c->ctx, TVGP_ERR_REENTRANT, "%s '%s' was called from inside itself", c->what, c->name);
    c->busy = 1;
    c->function = tvgp__error_pause(c->ctx);
    return TVGP_OK;
}

tvgp_status tvgp__foreign_type_leave(tvgp__foreign_type_call *c, int32_t status) {
    char who[16 + TVGP__FOREIGN_TYPE_NAME];
    c->busy = 0;
    tvgp__error_resume(c->ctx, c->function);
    if (status == TVGP_OK)
        return TVGP_OK;
    snprintf(who, sizeof who, "%s '%s'", c->what, c->name);
    return tvgp__error_returned(c->ctx, who, status);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------------- */

static int call_save(tvgp__visit *v, tvgp__foreign_type_call *c, tvgp__foreign_type_save save, void *data, void *bytes,
                     size_t *n) {
    return tvgp__visit_try(v, tvgp__foreign_type_enter(c)) &&
           tvgp__visit_try(v, tvgp__foreign_type_leave(c, save(data, bytes, n)));
}

/* n bytes to `bytes`; it must be as many as were announced. */
static void fill(tvgp__visit *v, tvgp__foreign_type_call *c, tvgp__foreign_type_save save, void *data, void *bytes,
                 size_t n) {
    size_t needed = n;
    if (call_save(v, c, save, data, bytes, &needed) && needed != n)
        tvgp__visit_try(
            v, tvgp__error_set(v->ctx, TVGP_ERR_CALLBACK, "%s '%s' saves %zu bytes, then %zu", c->what, c->name, n, needed));
}

void tvgp__foreign_type_visit(tvgp__visit *v, tvgp__foreign_type_call *c, tvgp__foreign_type_save save, void *data,
                              const void **bytes, size_t *n) {
    uint8_t *hashed = NULL;
    *n = 0;
    if (!tvgp__visit_fine(v) || (v->purpose != TVGP__VISIT_LOAD && !call_save(v, c, save, data, NULL, n)))
        return;
    tvgp__visit_count(v, n, SIZE_MAX, 1);
    if (v->purpose == TVGP__VISIT_HASH && tvgp__visit_fits(v, *n)) {
        if (tvgp__visit_try(v, tvgp__memory_alloc(v->ctx, *n, 1, &hashed)))
            fill(v, c, save, data, hashed, *n);
        tvgp__visit_bytes(v, *n, hashed);
        tvgp__memory_free(v->ctx, hashed);
        return;
    }
    const size_t at = v->at;
    if (tvgp__visit_skip(v, *n) && v->purpose == TVGP__VISIT_SAVE && v->at <= v->end)
        fill(v, c, save, data, v->out + at, *n);
    if (tvgp__visit_loads(v))
        *bytes = v->in + at;
}
