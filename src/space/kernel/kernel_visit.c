/* SPDX-License-Identifier: MIT */
/* Kernels in snapshots: the name of the type, the dimension and the type's own data (space/kernel/kernel_visit.h). */
#include "space/kernel/kernel_visit.h"

#include "base/error.h"
#include "base/registry.h"
#include "base/valid_range.h"

#include <string.h>

enum { NAME = 64 };

static const char *type_of(const tvgp_kernel *kernel) {
    return kernel->ops->type ? kernel->ops->type : "unnamed";
}

void tvgp__kernel_visit(tvgp__visit *v, tvgp_kernel **kernel) {
    char name[NAME] = "";
    const tvgp__kernel_ops *ops = *kernel ? (*kernel)->ops : NULL;
    size_t dim = *kernel ? (*kernel)->dim : 0;
    if (v->status < 0)
        return;
    if (ops)
        strncpy(name, type_of(*kernel), NAME - 1);
    tvgp__visit_name(v, name, NAME);
    tvgp__visit_size(v, &dim, 1, tvgp__visit_loads(v) && v->dim ? v->dim : INT32_MAX);
    if (tvgp__visit_loads(v) && ++v->depth > TVGP__VALID_RANGE_DEPTH) {
        tvgp__visit_refuse(v, "kernels are nested too deeply");
        return;
    }
    if (tvgp__visit_loads(v) && !(ops = tvgp__registry_find(v->ctx, TVGP__TYPE_KERNEL, name, NULL)))
        tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_UNSUPPORTED,
                                           "section %s, byte %zu: a kernel of type '%s', which is not registered",
                                           v->section, v->at, name));
    v->made_of = ops;
    if (tvgp__visit_fine(v) && ops->visit)
        ops->visit(v, dim, kernel);
    else if (tvgp__visit_fine(v) && v->purpose != TVGP__VISIT_HASH)
        tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_UNSUPPORTED, "a kernel of type '%s' cannot be saved", name));
    if (v->purpose == TVGP__VISIT_LOAD)
        v->depth--;
    tvgp__visit_made(v, v->status, "the values before this make no kernel");
}

int tvgp__kernel_visit_possible(const tvgp_kernel *kernel) {
    tvgp_kernel *k = (tvgp_kernel *)kernel; /* read only */
    tvgp__visit v = {.ctx = kernel->ctx, .purpose = TVGP__VISIT_SIZE};
    tvgp__kernel_visit(&v, &k);
    return tvgp__visit_fine(&v);
}

tvgp_status tvgp__kernel_visit_hash(const tvgp_kernel *kernel, uint64_t *out) {
    tvgp_kernel *k = (tvgp_kernel *)kernel; /* read only */
    tvgp__visit v = {.ctx = kernel->ctx, .purpose = TVGP__VISIT_HASH, .hash = TVGP__VISIT_HASH_START};
    tvgp__kernel_visit(&v, &k);
    *out = v.hash;
    return v.status;
}

void tvgp__kernel_visit_list(tvgp__visit *v, size_t dim, size_t *n, const double *list, double **loaded) {
    tvgp__visit_count(v, n, dim, sizeof *list);
    tvgp__visit_room(v, *n + 1, sizeof **loaded, loaded);
    tvgp__visit_reals(v, *n, v->purpose == TVGP__VISIT_LOAD ? *loaded : (double *)list, 0, TVGP__VALID_RANGE_MOST);
}
