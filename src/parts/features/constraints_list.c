/* SPDX-License-Identifier: MIT */
/* Memory of the list of a policy's constraints (parts/features/constraints_list.h). */
#include "parts/features/constraints_list.h"

#include "base/error.h"
#include "base/memory.h"

tvgp_status tvgp__constraints_list_make(tvgp_policy *p, tvgp__constraints **out) {
    return tvgp__guard_make(p, tvgp__guard_type(p->ctx, TVGP__CONSTRAINTS_NAME), sizeof **out, out);
}

void tvgp__constraints_list_free(tvgp_policy *p, tvgp__constraints *l) {
    for (size_t k = 0; k < TVGP__OUTPUTS_MOST; k++)
        tvgp__memory_free(p->ctx, l->list[k].mean);
    tvgp__memory_free(p->ctx, l->declared);
    tvgp__memory_free(p->ctx, l->is_declared);
    tvgp__memory_free(p->ctx, l->safe);
    tvgp__memory_free(p->ctx, l->own);
    tvgp__memory_free(p->ctx, l);
}

tvgp_status tvgp__constraints_list_room(tvgp_ctx *ctx, tvgp__constraints *l, size_t n) {
    TVGP__TRY(tvgp__memory_room(ctx, n, sizeof *l->safe, &l->safe));
    TVGP__TRY(tvgp__memory_room(ctx, n, sizeof *l->own, &l->own));
    if (l->is_declared)
        TVGP__TRY(tvgp__memory_room(ctx, n, sizeof *l->is_declared, &l->is_declared));
    for (size_t k = 0; k < l->n; k++) {
        TVGP__TRY(tvgp__memory_room(ctx, 2 * n, sizeof *l->list[k].mean, &l->list[k].mean));
        l->list[k].var = l->list[k].mean + n;
    }
    return TVGP_OK;
}

void tvgp__constraints_list_start(const tvgp_policy *p, tvgp__constraints *l) {
    for (size_t k = 0; k < l->n; k++)
        l->list[k].margin = ((const tvgp__policy_config *)p->config)->constraints.margin;
}
