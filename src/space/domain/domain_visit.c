/* SPDX-License-Identifier: MIT */
/* Domains in snapshots: the name of the type and the type's own data (space/domain/domain_visit.h). */
#include "space/domain/domain_visit.h"

#include "base/error.h"
#include "base/registry.h"
#include "base/valid_range.h"

#include <string.h>

enum { NAME = 64 };

int tvgp__domain_visit_expects(tvgp__visit *v, size_t n, size_t m) {
    if (v->dim && m && n > v->arms / m)
        tvgp__visit_refuse(v, "more arms than the template has");
    return tvgp__visit_fine(v);
}

void tvgp__domain_visit_points(tvgp__visit *v, tvgp_domain *d) {
    tvgp__visit_size(v, &d->n, 0, SIZE_MAX);
    tvgp__visit_size(v, &d->dim, 0, SIZE_MAX);
    tvgp__visit_maybe(v, d->n * d->dim, d->X, 0, 0);
}

void tvgp__domain_visit(tvgp__visit *v, tvgp_domain **domain) {
    char name[NAME] = "";
    const tvgp__domain_ops *ops = *domain ? (*domain)->ops : NULL;
    if (v->status < 0)
        return;
    if (ops)
        strncpy(name, ops->type ? ops->type : "unnamed", NAME - 1);
    tvgp__visit_name(v, name, NAME);
    if (tvgp__visit_loads(v) && ++v->depth > TVGP__VALID_RANGE_DEPTH) {
        tvgp__visit_refuse(v, "domains are nested too deeply");
        return;
    }
    if (tvgp__visit_loads(v) && !(ops = tvgp__registry_find(v->ctx, TVGP__TYPE_DOMAIN, name, NULL)))
        tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_UNSUPPORTED,
                                           "section %s, byte %zu: a domain of type '%s', which is not registered",
                                           v->section, v->at, name));
    v->made_of = ops;
    if (tvgp__visit_fine(v) && ops->visit)
        ops->visit(v, domain);
    else if (v->purpose == TVGP__VISIT_HASH)
        tvgp__domain_visit_points(v, *domain);
    else if (tvgp__visit_fine(v))
        tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_UNSUPPORTED, "a domain of type '%s' cannot be saved", name));
    if (v->purpose == TVGP__VISIT_LOAD)
        v->depth--;
    tvgp__visit_made(v, v->status, "the values before this make no domain");
}

uint64_t tvgp__domain_visit_hash(const tvgp_domain *domain) {
    tvgp_domain *d = (tvgp_domain *)domain; /* read only */
    tvgp__visit v = {.ctx = domain->ctx, .purpose = TVGP__VISIT_HASH, .hash = TVGP__VISIT_HASH_START};
    tvgp__domain_visit(&v, &d);
    return v.hash ? v.hash : 1;
}
