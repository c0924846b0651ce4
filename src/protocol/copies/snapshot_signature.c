/* SPDX-License-Identifier: MIT */
/* Name, hashes and sizes in a snapshot, compared with the policy that loads it (protocol/copies/snapshot_signature.h). */
#include "protocol/copies/snapshot_signature.h"

#include "base/error.h"
#include "protocol/policy_ops.h"

#include <string.h>

tvgp__snapshot_signature tvgp__snapshot_signature_of(const tvgp_policy *p) {
    tvgp__snapshot_signature t = {.domain = p->snapshots->domain,
                                  .kernel = p->snapshots->kernel,
                                  .n = p->domain->total,
                                  .dim = p->domain->dim,
                                  .no_kernel = !p->given.kernel};
    strncpy(t.name, p->ops->name, sizeof t.name - 1);
    return t;
}

void tvgp__snapshot_signature_visit(tvgp__snapshot_signature *t, tvgp__visit *v) {
    tvgp__visit_name(v, t->name, sizeof t->name);
    tvgp__visit_u64(v, &t->domain);
    tvgp__visit_u64(v, &t->kernel);
    tvgp__visit_size(v, &t->n, 0, SIZE_MAX);
    tvgp__visit_size(v, &t->dim, 1, SIZE_MAX);
    tvgp__visit_flag(v, &t->no_kernel);
}

uint64_t tvgp__snapshot_signature_hash(tvgp__snapshot_signature *t) {
    tvgp__visit v = {.purpose = TVGP__VISIT_HASH, .hash = TVGP__VISIT_HASH_START};
    tvgp__snapshot_signature_visit(t, &v);
    return v.hash;
}

void tvgp__snapshot_signature_compare(const tvgp__snapshot_signature *own, const tvgp__snapshot_signature *its,
                                      tvgp__visit *v) {
    tvgp_status status = TVGP_OK;
    if (strcmp(own->name, its->name) != 0)
        status = tvgp__error_set(v->ctx, TVGP_ERR_STATE, "the snapshot is of policy '%s', this one is '%s'", its->name,
                                 own->name);
    else if (own->n != its->n || own->dim != its->dim)
        status = tvgp__error_set(v->ctx, TVGP_ERR_STATE,
                                 "the snapshot is of %zu arms in %zu dimensions, the domain has %zu "
                                 "in %zu (0: a box)",
                                 its->n, its->dim, own->n, own->dim);
    else if (own->domain != its->domain)
        status = tvgp__error_set(v->ctx, TVGP_ERR_STATE, "the snapshot is of another domain: points or bounds differ");
    else if (own->no_kernel != its->no_kernel)
        status = tvgp__error_set(v->ctx, TVGP_ERR_STATE, "the snapshot is of a policy %s a kernel, this one is not",
                                 its->no_kernel ? "without" : "with");
    else if (own->kernel != its->kernel)
        status = tvgp__error_set(v->ctx, TVGP_ERR_STATE, "the snapshot is of another kernel");
    tvgp__visit_try(v, status);
}
