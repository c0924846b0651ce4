/* SPDX-License-Identifier: MIT */
/* Parameters of kernels, as hyperparameter optimisation sees them (space/kernel/parameter.h). */
#include "space/kernel/parameter.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/quota.h"
#include "base/valid_range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t tvgp__parameter_list(const tvgp_kernel *kernel, tvgp__param *list) {
    const tvgp__kernel_ops *ops = kernel->ops;
    return ops->params && (ops->assign || ops->clone) ? ops->params(kernel, list) : 0;
}

size_t tvgp__parameter_count(const tvgp_kernel *kernel) {
    return tvgp__parameter_list(kernel, NULL);
}

double tvgp__parameter_coordinate(const tvgp__param *param, double value) {
    return param->flags & TVGP_PARAM_EPSILON ? log(-0.5 * log1p(-value)) : log(value);
}

double tvgp__parameter_value(const tvgp__param *param, double u) {
    double value = param->flags & TVGP_PARAM_EPSILON ? -expm1(-2 * exp(u)) : exp(u);
    return fmin(fmax(value, param->lower), param->upper);
}

/* ---- clones ----------------------------------------------------------------------------------------------------- */

/* A list on the heap: kernels may have any number of parameters. */
static tvgp_status list_of(const tvgp_kernel *kernel, tvgp__param **list, size_t *n) {
    TVGP__TRY(tvgp__memory_alloc(kernel->ctx, tvgp__parameter_count(kernel), sizeof **list, list));
    *n = tvgp__parameter_list(kernel, *list);
    return TVGP_OK;
}

static tvgp_status check_value(tvgp_ctx *ctx, const tvgp__param *p, size_t i, double value) {
    TVGP__TRY(tvgp__error_finite(ctx, "values", 1, &value));
    if (value < p->lower || value > p->upper)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "values[%zu] (%s) = %g is outside %g..%g", i, p->name, value, p->lower,
                               p->upper);
    return TVGP_OK;
}

tvgp_status tvgp__parameter_check(const tvgp_kernel *kernel, const double *values) {
    tvgp__param *list = NULL;
    size_t n = 0;
    TVGP__TRY(list_of(kernel, &list, &n));
    tvgp_status status = TVGP_OK;
    for (size_t i = 0; i < n && status == TVGP_OK; i++)
        status = check_value(kernel->ctx, &list[i], i, values[i]);
    tvgp__memory_free(kernel->ctx, list);
    return status;
}

tvgp_status tvgp__parameter_clone(const tvgp_kernel *kernel, const double *values, tvgp_kernel **out) {
    if (!tvgp__parameter_count(kernel)) {
        *out = tvgp__kernel_retain(kernel); /* nothing in it can change */
        return TVGP_OK;
    }
    if (kernel->ops->clone)
        return kernel->ops->clone(kernel, values, out);
    TVGP__TRY(tvgp__kernel_copy(kernel, out));
    if (values)
        kernel->ops->assign(*out, values);
    return TVGP_OK;
}

tvgp_status tvgp__parameter_write(tvgp_kernel **kernel, const double *values) {
    if (!tvgp__parameter_count(*kernel))
        return TVGP_OK;
    if ((*kernel)->ops->assign) {
        (*kernel)->ops->assign(*kernel, values);
        return TVGP_OK;
    }
    tvgp_kernel *fresh = NULL;
    TVGP__TRY(tvgp__parameter_clone(*kernel, values, &fresh));
    tvgp__kernel_release(*kernel);
    *kernel = fresh;
    return TVGP_OK;
}

/* ---- contraction ------------------------------------------------------------------------------------------------ */

static const double STEP = 1e-4;
enum { CHUNK = 256 };

/* *sum += factor sum_ij W_ij k(X_i, Z_j) */
static tvgp_status contract_values(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                   const double *W, size_t ldw, double factor, double *sum) {
    double K[CHUNK];
    for (size_t i = 0; i < n; i++)
        for (size_t first = 0; first < m; first += CHUNK) {
            size_t width = m - first < CHUNK ? m - first : CHUNK;
            TVGP__TRY(tvgp__kernel_block(kernel, 1, X + i * kernel->dim, width, Z + first * kernel->dim, K, width));
            for (size_t j = 0; j < width; j++)
                *sum += factor * W[i * ldw + first + j] * K[j];
        }
    return TVGP_OK;
}

/* Parameter p moved by h in its coordinate. */
static tvgp_status moved(const tvgp_kernel *kernel, const tvgp__param *list, double *values, size_t p, double h,
                         tvgp_kernel **out) {
    double kept = values[p];
    values[p] = tvgp__parameter_value(&list[p], tvgp__parameter_coordinate(&list[p], kept) + h);
    tvgp_status status = tvgp__parameter_clone(kernel, values, out);
    values[p] = kept;
    return status;
}

static tvgp_status difference(const tvgp_kernel *kernel, const tvgp__param *list, size_t count, double *values, size_t n,
                              const double *X, size_t m, const double *Z, const double *W, size_t ldw, double *gradient) {
    for (size_t p = 0; p < count; p++)
        for (int side = -1; side <= 1; side += 2) {
            tvgp_kernel *there = NULL;
            TVGP__TRY(moved(kernel, list, values, p, side * STEP, &there));
            tvgp_status status = contract_values(there, n, X, m, Z, W, ldw, side / (2 * STEP), &gradient[p]);
            tvgp__kernel_release(there);
            TVGP__TRY(status);
        }
    return TVGP_OK;
}

static tvgp_status differences(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                               const double *W, size_t ldw, double *gradient) {
    tvgp__param *list = NULL;
    double *values = NULL;
    size_t count = 0;
    TVGP__TRY(list_of(kernel, &list, &count));
    tvgp_status status = tvgp__memory_alloc(kernel->ctx, count, sizeof *values, &values);
    for (size_t p = 0; values && p < count; p++)
        values[p] = list[p].value;
    if (status == TVGP_OK)
        status = difference(kernel, list, count, values, n, X, m, Z, W, ldw, gradient);
    tvgp__memory_free(kernel->ctx, values);
    tvgp__memory_free(kernel->ctx, list);
    return status;
}

tvgp_status tvgp__parameter_contract(const tvgp_kernel *kernel, size_t n, const double *X, size_t m, const double *Z,
                                     const double *W, size_t ldw, double *gradient) {
    if (!tvgp__parameter_count(kernel))
        return TVGP_OK;
    TVGP__TRY(tvgp__quota_work(kernel->ctx, n, m));
    return (kernel->ops->contract ? kernel->ops->contract : differences)(kernel, n, X, m, Z, W, ldw, gradient);
}

/* ---- what the user sees ----------------------------------------------------------------------------------------- */

tvgp_status tvgp__parameter_info(const tvgp_kernel *kernel, size_t i, tvgp_param_info *info) {
    size_t n = tvgp__parameter_count(kernel);
    if (i >= n)
        return tvgp__error_set(kernel->ctx, TVGP_ERR_ARG, "i = %zu, the kernel has %zu parameters", i, n);
    tvgp_kernel *shared = (tvgp_kernel *)kernel; /* names are no part of what const promises */
    tvgp__param *list = NULL;
    if (!kernel->names)
        TVGP__TRY(list_of(kernel, &list, &n));
    shared->names = list ? list : kernel->names;
    const tvgp__param *p = (const tvgp__param *)kernel->names + i;
    *info = (tvgp_param_info){
        .name = p->name, .value = p->value, .lower = p->lower, .upper = p->upper, .kind = p->kind, .flags = p->flags};
    return TVGP_OK;
}

/* ---- for kernels ------------------------------------------------------------------------------------------------ */

void tvgp__parameter_put(tvgp__param *list, size_t *n, const char *name, int32_t kind, double value) {
    if (!(value > 0))
        return;
    if (list) {
        list[*n] =
            (tvgp__param){.value = value, .lower = TVGP__VALID_RANGE_LEAST, .upper = TVGP__VALID_RANGE_MOST, .kind = kind};
        snprintf(list[*n].name, sizeof list->name, "%s", name);
    }
    (*n)++;
}

void tvgp__parameter_put_each(tvgp__param *list, size_t *n, const char *name, int32_t kind, size_t count,
                              const double *values) {
    char numbered[TVGP__PARAMETER_NAME] = "";
    for (size_t i = 0; i < count; i++) {
        if (list)
            tvgp__number_text_print(numbered, sizeof numbered, "%s.%zu", name, i);
        tvgp__parameter_put(list, n, numbered, kind, values[i]);
    }
}

const double *tvgp__parameter_take_each(const double *values, size_t count, size_t dim, double *kept, double *reciprocals) {
    memcpy(kept, values, count * sizeof *kept);
    for (size_t d = 0; d < dim; d++)
        reciprocals[d] = 1 / values[count == 1 ? 0 : d];
    return values + count;
}
