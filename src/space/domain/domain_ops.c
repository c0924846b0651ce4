/* SPDX-License-Identifier: MIT */
/* Domains behind one ops table (space/domain/domain_ops.h). */
#include "space/domain/domain_ops.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "base/valid_range.h"

#include <string.h>

tvgp_status tvgp__domain_new(tvgp_ctx *ctx, const tvgp__domain_ops *ops, size_t n, size_t dim, size_t size, void *out) {
    if (n == 0)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "n = 0 arms, must be >= 1");
    if (dim == 0)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "dim = 0 must be >= 1");
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    TVGP__TRY(tvgp__valid_range_count(ctx, "dim", dim));
    TVGP__TRY(tvgp__quota_arms(ctx, n));
    tvgp_domain *domain = NULL;
    double *X = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, size, &domain));
    tvgp_status status = tvgp__memory_alloc(ctx, tvgp__memory_product(n, dim), sizeof *X, &X);
    if (status < 0) {
        tvgp__memory_free(ctx, domain);
        return status;
    }
    *domain =
        (tvgp_domain){.ctx = tvgp__context_retain(ctx), .ops = ops, .n = n, .dim = dim, .X = X, .total = n, .references = 1};
    memcpy(out, &domain, sizeof domain);
    return TVGP_OK;
}

tvgp_domain *tvgp__domain_retain(const tvgp_domain *domain) {
    tvgp_domain *shared = (tvgp_domain *)domain; /* the count is not part of what const promises */
    shared->references++;
    return shared;
}

void tvgp__domain_release(tvgp_domain *domain) {
    if (!domain || --domain->references > 0)
        return;
    tvgp_ctx *ctx = domain->ctx;
    if (domain->ops->release)
        domain->ops->release(domain);
    tvgp__shard_free(domain->shard);
    tvgp__memory_free(ctx, domain->X);
    tvgp__memory_free(ctx, domain);
    tvgp__context_release(ctx);
}
