/* SPDX-License-Identifier: MIT */
#include "frame/mean.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

#include <string.h>

tvgp_status tvgp__mean_new(tvgp_ctx *ctx, size_t arms, const double *value, size_t n, tvgp__mean *out) {
    tvgp__mean copy = {.n = n};
    if (!value && n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "mean is NULL and n = %zu, must be 0", n);
    if (value && n != 1 && n != arms)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "mean has n = %zu entries, must be 1 or %zu, the number of arms", n, arms);
    TVGP__TRY(tvgp__range_values(ctx, "mean", n, value));
    if (n) {
        TVGP__TRY(tvgp__memory_alloc(ctx, n, sizeof *value, &copy.value));
        memcpy(copy.value, value, n * sizeof *value);
    }
    *out = copy;
    return TVGP_OK;
}

void tvgp__mean_free(tvgp_ctx *ctx, tvgp__mean *m) {
    tvgp__memory_free(ctx, m->value);
    *m = (tvgp__mean){0};
}

void tvgp__mean_add(const tvgp__mean *m, size_t n, double *values) {
    if (m->n)
        for (size_t i = 0; i < n; i++)
            values[i] += tvgp__mean_at(m, i);
}
