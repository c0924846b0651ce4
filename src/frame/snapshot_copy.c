/* SPDX-License-Identifier: MIT */
/* A copy of a policy is a snapshot that is read at once. */
#include "base/error.h"
#include "base/memory.h"
#include "frame/snapshot.h"

void tvgp__snapshot_adopt(tvgp_policy *p, const tvgp_policy *before) {
    const int turned = p->started && tvgp__policy_turn(p, 1) < 0;
    if (!p->within)
        return;
    tvgp__within_adopt(p->within, before->within);
    tvgp__mean_adopt(&p->mean, &before->mean, turned);
    for (size_t i = 0; i < p->n_priors && i < before->n_priors; i++)
        tvgp__mean_adopt(&p->priors[i].mean, &before->priors[i].mean, turned);
}

static tvgp_status copy(tvgp_policy *p, tvgp_policy *fresh) {
    size_t size = 0;
    uint8_t *bytes = NULL;
    TVGP__TRY(tvgp__snapshot_save(p, 0, NULL, 0, &size));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, size, 1, &bytes));
    tvgp_status status = tvgp__snapshot_save(p, 0, bytes, size, &size);
    if (status == TVGP_OK)
        status = tvgp__snapshot_load(fresh, bytes, size);
    if (status == TVGP_OK)
        tvgp__snapshot_adopt(fresh, p);
    tvgp__memory_free(p->ctx, bytes);
    return status;
}

tvgp_status tvgp__snapshot_clone(tvgp_policy *p, tvgp_policy **out) {
    tvgp_policy *fresh = NULL;
    TVGP__TRY(tvgp__policy_new(p->ctx, p->ops, p->domain, p->kernel_given ? p->kernel : NULL, &fresh));
    tvgp_status status = copy(p, fresh);
    if (status < 0)
        tvgp__policy_free(fresh);
    else
        *out = fresh;
    return status;
}
