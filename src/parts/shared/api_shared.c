/* SPDX-License-Identifier: MIT */
/* The public functions of domains whose arms are distributed over processes (tvgp/domain.h). */
#include "api/enter.h"
#include "parts/shared/shared_domain.h"
#include "space/domain/arms.h"
#include "space/domain/grid.h"
#include "tvgp.h"

tvgp_status tvgp_domain_arms_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t n, size_t dim, const double *X,
                                    tvgp_domain **out) {
    tvgp_domain *part = NULL;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, comm);
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, out);
    tvgp_status status = tvgp__arms_new(ctx, n, dim, X, &part);
    return tvgp__shared_domain_new(ctx, comm, status, part, out);
}

tvgp_status tvgp_domain_grid_shared(tvgp_ctx *ctx, const tvgp_comm *comm, size_t dim, const double *lower,
                                    const double *upper, const size_t *points, tvgp_domain **out) {
    tvgp_domain *part = NULL;
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, comm);
    TVGP__REQUIRE(ctx, lower);
    TVGP__REQUIRE(ctx, upper);
    TVGP__REQUIRE(ctx, points);
    TVGP__REQUIRE(ctx, out);
    const size_t ranks = comm->size > 0 ? (size_t)comm->size : 1;
    tvgp_status status = tvgp__grid_part_new(ctx, dim, lower, upper, points, (size_t)comm->rank % ranks, ranks, &part);
    return tvgp__shared_domain_new(ctx, comm, status, part, out);
}
