/* SPDX-License-Identifier: MIT */
/* Kernels of types that the caller registered (tvgp_kernel_register) (parts/foreign/foreign_kernel.h). */
#include "parts/foreign/foreign_kernel.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/registry.h"
#include "base/valid_range.h"
#include "space/kernel/parameter.h"

#include <math.h>
#include <string.h>

enum { BOX = 64 /* dimensions of a box, at most */ };

/* A registered type: the kernel's ops are its own, so that a kernel knows its type by them. */
typedef struct {
    tvgp__foreign_type base;
    tvgp__kernel_ops ops;
    tvgp_kernel_type given;
} foreign_type;

typedef struct {
    tvgp_kernel base;
    tvgp__foreign_type_call call;
    void *data;
    int owned; /* data, once the kernel has been made */
    tvgp__param *params;
    size_t n_params;
} foreign;

static const foreign_type *type_of(const tvgp__kernel_ops *ops) {
    return (const foreign_type *)(const void *)((const char *)ops - offsetof(foreign_type, ops));
}

/* Only its mark of being called is written. */
static foreign *foreign_of(const tvgp_kernel *kernel) {
    return (foreign *)kernel;
}

/* One callback of kernel k. */
#define CALL(k, op, ...)                                                                                                    \
    do {                                                                                                                    \
        TVGP__TRY(tvgp__foreign_type_enter(&(k)->call));                                                                    \
        TVGP__TRY(tvgp__foreign_type_leave(&(k)->call, type_of((k)->base.ops)->given.op((k)->data, __VA_ARGS__)));          \
    } while (0)

/* ---- values ------------------------------------------------------------------------------------------------------- */

static tvgp_status block(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, double *K,
                         size_t ldk) {
    CALL(foreign_of(kernel), block, n, X, m, Z, K, ldk);
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(tvgp__valid_range_values(kernel->ctx, "the kernel", m, K + i * ldk));
    return TVGP_OK;
}

static tvgp_status diag(const tvgp_kernel *kernel, size_t n, const double *X, double *d) {
    if (!type_of(kernel->ops)->given.diagonal) {
        for (size_t i = 0; i < n; i++)
            TVGP__TRY(block(kernel, 1, X + i * kernel->dim, 1, X + i * kernel->dim, &d[i], 1));
        return TVGP_OK;
    }
    CALL(foreign_of(kernel), diagonal, n, X, d);
    return tvgp__valid_range_values(kernel->ctx, "the kernel", n, d);
}

static tvgp_status pull(const tvgp_kernel *kernel, size_t n, const double *Z, size_t m, const double *X, const double *K,
                        double *C, double *G) {
    (void)K;
    CALL(foreign_of(kernel), gradient, n, Z, m, X, C, G);
    return tvgp__error_finite(kernel->ctx, "the kernel's gradient", n * kernel->dim, G);
}

static void reach(const tvgp_kernel *kernel, double *out) {
    double own[BOX];
    if (kernel->dim > BOX)
        return;
    memcpy(own, out, kernel->dim * sizeof *own);
    type_of(kernel->ops)->given.lengthscale(foreign_of(kernel)->data, own);
    for (size_t d = 0; d < kernel->dim; d++)
        if (own[d] > 0 && own[d] < out[d])
            out[d] = own[d];
}

static void release(tvgp_kernel *kernel) {
    const foreign *k = foreign_of(kernel);
    tvgp__memory_free(kernel->ctx, k->params);
    if (k->owned && type_of(kernel->ops)->given.release)
        type_of(kernel->ops)->given.release(k->data);
}

/* ---- parameters: looked at once, when a kernel is made -------------------------------------------------------------- */

static tvgp_status make(tvgp_ctx *ctx, const foreign_type *type, size_t dim, void *data, tvgp_kernel **out);

static size_t params(const tvgp_kernel *kernel, tvgp__param *list) {
    const foreign *k = foreign_of(kernel);
    if (list)
        memcpy(list, k->params, k->n_params * sizeof *list);
    return k->n_params;
}

static tvgp_status clone(const tvgp_kernel *kernel, const double *values, tvgp_kernel **out) {
    foreign *k = foreign_of(kernel);
    const foreign_type *type = type_of(kernel->ops);
    double *own = NULL;
    void *data = NULL;
    TVGP__TRY(tvgp__memory_alloc(kernel->ctx, k->n_params, sizeof *own, &own));
    for (size_t i = 0; i < k->n_params; i++)
        own[i] = values ? values[i] : k->params[i].value;
    tvgp_status status = tvgp__foreign_type_enter(&k->call);
    if (status == TVGP_OK)
        status = tvgp__foreign_type_leave(&k->call, type->given.with_params(k->data, own, &data));
    tvgp__memory_free(kernel->ctx, own);
    TVGP__TRY(status);
    status = make(kernel->ctx, type, kernel->dim, data, out);
    if (status == TVGP_OK && foreign_of(*out)->n_params != k->n_params) {
        tvgp__kernel_release(*out);
        return tvgp__error_set(kernel->ctx, TVGP_ERR_CALLBACK, "kernel '%s' has %zu parameters, and not when it is cloned",
                               kernel->ops->type, k->n_params);
    }
    if (status < 0 && type->given.release)
        type->given.release(data);
    return status;
}

static tvgp_status contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z, const double *W,
                            size_t ldw, double *gradient) {
    foreign *k = foreign_of(kernel);
    CALL(k, param_gradient, n, X, m, Z, W, ldw, gradient);
    return tvgp__error_finite(kernel->ctx, "the kernel's gradient", k->n_params, gradient);
}

static tvgp_status take_param(const foreign *k, size_t i, const tvgp_param_info *info) {
    const int bounded = (info->lower != 0 || info->upper != 0) && !(info->flags & TVGP_PARAM_SCALES),
              rate = (info->flags & TVGP_PARAM_EPSILON) != 0;
    tvgp__param *p = &k->params[i];
    *p = (tvgp__param){.value = info->value,
                       .lower = bounded ? info->lower : TVGP__VALID_RANGE_LEAST,
                       .upper = bounded ? info->upper
                                : rate  ? nextafter(1, 0)
                                        : TVGP__VALID_RANGE_MOST,
                       .kind = info->kind,
                       .flags = info->flags};
    if (!info->name || !*info->name || strlen(info->name) >= sizeof p->name)
        return tvgp__error_set(k->base.ctx, TVGP_ERR_CALLBACK,
                               "kernel '%s': the name of parameter %zu must have 1 to %zu bytes", k->call.name, i,
                               sizeof p->name - 1);
    memcpy(p->name, info->name, strlen(info->name));
    if (!(p->lower >= TVGP__VALID_RANGE_LEAST && p->lower <= p->value && p->value <= p->upper &&
          p->upper <= (rate ? nextafter(1, 0) : TVGP__VALID_RANGE_MOST)))
        return tvgp__error_set(k->base.ctx, TVGP_ERR_CALLBACK,
                               "kernel '%s': parameter '%s' = %g is outside %g..%g, or these %g..%g", k->call.name, p->name,
                               p->value, p->lower, p->upper, TVGP__VALID_RANGE_LEAST, rate ? 1 : TVGP__VALID_RANGE_MOST);
    if (p->kind < TVGP_PARAM_VARIANCE || p->kind > TVGP_PARAM_RATE || p->flags > (TVGP_PARAM_EPSILON | TVGP_PARAM_SCALES))
        return tvgp__error_set(k->base.ctx, TVGP_ERR_CALLBACK, "kernel '%s': parameter '%s' has kind %d and flags %u",
                               k->call.name, p->name, (int)p->kind, (unsigned)p->flags);
    return TVGP_OK;
}

static tvgp_status take_params(foreign *k) {
    tvgp_param_info *list = NULL;
    size_t n = 0;
    CALL(k, params, &n, NULL);
    TVGP__TRY(tvgp__valid_range_count(k->base.ctx, "the number of parameters", n));
    TVGP__TRY(tvgp__memory_alloc(k->base.ctx, n, sizeof *k->params, &k->params));
    TVGP__TRY(tvgp__memory_alloc(k->base.ctx, n, sizeof *list, &list));
    size_t listed = n;
    tvgp_status status = tvgp__foreign_type_enter(&k->call);
    if (status == TVGP_OK)
        status = tvgp__foreign_type_leave(&k->call, type_of(k->base.ops)->given.params(k->data, &listed, list));
    for (size_t i = 0; status == TVGP_OK && i < n; i++)
        status = take_param(k, i, &list[i]);
    tvgp__memory_free(k->base.ctx, list);
    k->n_params = n;
    return status;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void load(tvgp__visit *v, const foreign_type *type, size_t dim, const void *bytes, size_t n, tvgp_kernel **kernel) {
    tvgp__foreign_type_call call = {.ctx = v->ctx, .what = "kernel", .name = type->base.name};
    void *data = NULL;
    (void)tvgp__foreign_type_enter(&call); /* no caller has it yet */
    if (tvgp__visit_try(v, tvgp__foreign_type_leave(&call, type->given.load(type->base.user, dim, n, bytes, &data))) &&
        !tvgp__visit_try(v, make(v->ctx, type, dim, data, kernel)) && type->given.release)
        type->given.release(data);
}

static void visit(tvgp__visit *v, size_t dim, tvgp_kernel **kernel) {
    foreign *k = *kernel ? foreign_of(*kernel) : NULL;
    const foreign_type *type = type_of(k ? k->base.ops : v->made_of);
    const void *bytes = NULL;
    size_t n = 0;
    tvgp__foreign_type_visit(v, k ? &k->call : NULL, type->given.save, k ? k->data : NULL, &bytes, &n);
    if (tvgp__visit_loads(v))
        load(v, type, dim, bytes, n, kernel);
}

/* ---- types and kernels ---------------------------------------------------------------------------------------------- */

static tvgp_status check(tvgp_ctx *ctx, const tvgp_kernel_type *t) {
    if (!t->block)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->block is NULL");
    if (!t->save != !t->load)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->save and type->load: one is NULL, the other not");
    if (!t->params != !t->with_params)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "type->params and type->with_params: one is NULL, the other not");
    return TVGP_OK;
}

tvgp_status tvgp__foreign_kernel_register(tvgp_ctx *ctx, const tvgp_kernel_type *type, void *user, tvgp_destroy_fn destroy) {
    foreign_type *fresh = NULL;
    tvgp_kernel_type given = {0};
    TVGP__TRY(
        tvgp__foreign_type_read(ctx, TVGP__TYPE_KERNEL, type, offsetof(tvgp_kernel_type, diagonal), &given, sizeof given));
    TVGP__TRY(check(ctx, &given));
    TVGP__TRY(tvgp__foreign_type_alloc(ctx, given.name, sizeof *fresh, &fresh));
    fresh->given = given;
    fresh->ops = (tvgp__kernel_ops){.type = fresh->base.name,
                                    .visit = given.save ? visit : NULL,
                                    .block = block,
                                    .diag = diag,
                                    .release = release,
                                    .pull = given.gradient ? pull : NULL,
                                    .reach = given.lengthscale ? reach : NULL,
                                    .params = given.params ? params : NULL,
                                    .clone = given.params ? clone : NULL,
                                    .contract = given.param_gradient ? contract : NULL};
    return tvgp__foreign_type_add(ctx, TVGP__TYPE_KERNEL, &fresh->base, &fresh->ops, user, destroy);
}

/* The kernel takes over data only when all went well. */
static tvgp_status make(tvgp_ctx *ctx, const foreign_type *type, size_t dim, void *data, tvgp_kernel **out) {
    foreign *k = NULL;
    TVGP__TRY(tvgp__kernel_new(ctx, &type->ops, dim, sizeof *k, &k));
    k->call = (tvgp__foreign_type_call){.ctx = ctx, .what = "kernel", .name = type->base.name};
    k->data = data;
    tvgp_status status = type->given.params ? take_params(k) : TVGP_OK;
    k->owned = status == TVGP_OK;
    if (status < 0)
        tvgp__kernel_release(&k->base);
    else
        *out = &k->base;
    return status;
}

tvgp_status tvgp__foreign_kernel_new(tvgp_ctx *ctx, const char *name, size_t dim, void *data, tvgp_kernel **out) {
    tvgp__nearest_name nearest = {.typed = name};
    const tvgp__kernel_ops *ops = tvgp__registry_find(ctx, TVGP__TYPE_KERNEL, name, &nearest);
    if (!ops)
        return tvgp__nearest_name_unknown(ctx, "type of kernel", &nearest, "tvgp_ctx_register_kernel");
    if (ops->block != block)
        return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "type of kernel '%s' is the library's own and has its constructors",
                               name);
    return make(ctx, type_of(ops), dim, data, out);
}
