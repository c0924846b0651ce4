/* SPDX-License-Identifier: MIT */
#include "api/enter.h"
#include "domain/arms.h"
#include "domain/domain_ops.h"
#include "domain/grid.h"
#include "tvgp.h"

#include <inttypes.h>
#include <string.h>

tvgp_status tvgp_domain_arms(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out) {
    if (!ctx)
        return TVGP_ERR_ARG;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, out);
    return tvgp__arms_new(ctx, n, dim, X, out);
}

tvgp_status tvgp_domain_indices(tvgp_ctx *ctx, size_t n, tvgp_domain **out) {
    if (!ctx)
        return TVGP_ERR_ARG;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, out);
    return tvgp__grid_indices_new(ctx, n, out);
}

tvgp_status tvgp_domain_grid(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                             tvgp_domain **out) {
    if (!ctx)
        return TVGP_ERR_ARG;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, lower);
    TVGP__REQUIRE(ctx, upper);
    TVGP__REQUIRE(ctx, points);
    TVGP__REQUIRE(ctx, out);
    return tvgp__grid_new(ctx, dim, lower, upper, points, out);
}

tvgp_status tvgp_domain_size(const tvgp_domain *domain, size_t *n) {
    if (!domain || !n)
        return TVGP_ERR_ARG;
    *n = domain->n;
    return TVGP_OK;
}

tvgp_status tvgp_domain_dim(const tvgp_domain *domain, size_t *dim) {
    if (!domain || !dim)
        return TVGP_ERR_ARG;
    *dim = domain->dim;
    return TVGP_OK;
}

tvgp_status tvgp_domain_point(const tvgp_domain *domain, int64_t arm, double *x) {
    if (!domain)
        return TVGP_ERR_ARG;
    TVGP__ENTER(domain->ctx);
    TVGP__REQUIRE(domain->ctx, x);
    if (arm < 0 || (uint64_t)arm >= domain->n)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "arm = %" PRId64 " is outside 0..%zu", arm, domain->n - 1);
    memcpy(x, domain->X + (size_t)arm * domain->dim, domain->dim * sizeof *x);
    return TVGP_OK;
}

const char *tvgp_domain_errmsg(const tvgp_domain *domain) {
    return domain ? tvgp_ctx_errmsg(domain->ctx) : "the domain is NULL";
}

void tvgp_domain_destroy(tvgp_domain *domain) {
    tvgp__domain_release(domain);
}
