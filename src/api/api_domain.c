/* SPDX-License-Identifier: MIT */
/* The public functions of domains (tvgp/domain.h). */
#include "api/enter.h"
#include "base/integer_format.h"
#include "base/valid_range.h"
#include "space/domain/arms.h"
#include "space/domain/box.h"
#include "space/domain/domain_ops.h"
#include "space/domain/grid.h"
#include "space/domain/product.h"
#include "space/domain/seasonal_means.h"
#include "tvgp.h"

#include <math.h>
#include <string.h>

static tvgp_status check_arm(const tvgp_domain *domain, int64_t arm) {
    if (!domain->total)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "arm = %" PRId64 ": a box has no arms", arm);
    if (arm < 0 || (uint64_t)arm >= domain->total)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "arm = %" PRId64 " is outside 0..%zu", arm, domain->total - 1);
    return TVGP_OK;
}

tvgp_status tvgp_domain_arms(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, out);
    return tvgp__arms_new(ctx, n, dim, X, out);
}

tvgp_status tvgp_domain_indices(tvgp_ctx *ctx, size_t n, tvgp_domain **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, out);
    return tvgp__grid_indices_new(ctx, n, out);
}

tvgp_status tvgp_domain_grid(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                             tvgp_domain **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, lower);
    TVGP__REQUIRE(ctx, upper);
    TVGP__REQUIRE(ctx, points);
    TVGP__REQUIRE(ctx, out);
    return tvgp__grid_new(ctx, dim, lower, upper, points, out);
}

static tvgp_status refuse_shared(const tvgp_domain *domain, const char *argument) {
    if (domain->shared)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED, "the arms of %s are shared", argument);
    return TVGP_OK;
}

tvgp_status tvgp_domain_shard_range(const tvgp_domain *domain, size_t *first, size_t *n, size_t *n_total) {
    TVGP__ENTER_OF(domain);
    if (first)
        *first = domain->shared ? domain->shard->first : 0;
    if (n)
        *n = tvgp__domain_entries(domain);
    if (n_total)
        *n_total = domain->total;
    return TVGP_OK;
}

tvgp_status tvgp_domain_append(const tvgp_domain *domain, size_t n, const double *X, tvgp_domain **out) {
    TVGP__ENTER_OF(domain);
    TVGP__REQUIRE(ctx, X);
    TVGP__REQUIRE(ctx, out);
    TVGP__TRY(refuse_shared(domain, "the domain"));
    if (!n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "n = 0 must be >= 1");
    if (!domain->n || tvgp__product_contexts(domain))
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "%s",
                               domain->total ? "the domain is a product: append to its actions and multiply again"
                                             : "a box has no arms to append to");
    return tvgp__grid_continues(domain, n, X) ? tvgp__grid_indices_new(ctx, domain->n + n, out)
                                              : tvgp__arms_append(ctx, domain, n, X, out);
}

tvgp_status tvgp_domain_product(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, actions);
    TVGP__REQUIRE(ctx, contexts);
    TVGP__REQUIRE(ctx, out);
    TVGP__TRY(refuse_shared(actions, "actions"));
    TVGP__TRY(refuse_shared(contexts, "contexts"));
    return tvgp__product_new(ctx, actions, contexts, out);
}

tvgp_status tvgp_domain_split(const tvgp_domain *domain, int64_t arm, int64_t *action, int64_t *context) {
    TVGP__ENTER_OF(domain);
    int64_t contexts = (int64_t)tvgp__product_contexts(domain);
    if (!contexts)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED, "%s",
                               domain->total && !domain->n ? "contexts are measured: an arm is its action"
                                                           : "the domain is not a product");
    TVGP__TRY(check_arm(domain, arm));
    if (action)
        *action = arm / contexts;
    if (context)
        *context = arm % contexts;
    return TVGP_OK;
}

tvgp_status tvgp_domain_seasonal_mean(const tvgp_domain *domain, size_t n, const int64_t *arm, const double *t,
                                      const double *y, double period, size_t bins, double *mean) {
    TVGP__ENTER_OF(domain);
    TVGP__REQUIRE(ctx, arm);
    TVGP__REQUIRE(ctx, t);
    TVGP__REQUIRE(ctx, y);
    TVGP__REQUIRE(ctx, mean);
    if (n == 0 || bins == 0)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s = 0 must be >= 1", n ? "bins" : "n");
    TVGP__TRY(refuse_shared(domain, "the domain"));
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    TVGP__TRY(tvgp__valid_range_count(ctx, "bins", bins));
    TVGP__TRY(tvgp__valid_range_positive(ctx, "period", period, 0));
    TVGP__TRY(tvgp__valid_range_values(ctx, "t", n, t));
    TVGP__TRY(tvgp__valid_range_values(ctx, "y", n, y));
    for (size_t i = 0; i < n; i++)
        TVGP__TRY(check_arm(domain, arm[i]));
    return tvgp__seasonal_means(domain, n, arm, t, y, period, bins, mean);
}

tvgp_status tvgp_domain_box(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, lower);
    TVGP__REQUIRE(ctx, upper);
    TVGP__REQUIRE(ctx, out);
    return tvgp__box_new(ctx, dim, lower, upper, out);
}

tvgp_status tvgp_domain_box_integer(tvgp_domain *domain, size_t k) {
    TVGP__ENTER_OF(domain);
    return tvgp__box_integer(domain, k);
}

tvgp_status tvgp_domain_size(const tvgp_domain *domain, size_t *n) {
    if (!domain || !n)
        return TVGP_ERR_ARG;
    *n = domain->total;
    return TVGP_OK;
}

tvgp_status tvgp_domain_dim(const tvgp_domain *domain, size_t *dim) {
    if (!domain || !dim)
        return TVGP_ERR_ARG;
    *dim = domain->dim;
    return TVGP_OK;
}

tvgp_status tvgp_domain_bounds(const tvgp_domain *domain, double *lower, double *upper) {
    TVGP__ENTER_OF(domain);
    TVGP__REQUIRE(ctx, lower);
    TVGP__REQUIRE(ctx, upper);
    const size_t dim = domain->dim, n = domain->n;
    memcpy(lower, n ? domain->X : domain->lower, dim * sizeof *lower);
    memcpy(upper, n ? domain->X : domain->upper, dim * sizeof *upper);
    for (size_t i = 1; i < n; i++)
        for (size_t d = 0; d < dim; d++) {
            lower[d] = fmin(lower[d], domain->X[i * dim + d]);
            upper[d] = fmax(upper[d], domain->X[i * dim + d]);
        }
    return TVGP_OK;
}

tvgp_status tvgp_domain_type_name(const tvgp_domain *domain, const char **type) {
    TVGP__ENTER_OF(domain);
    TVGP__REQUIRE(ctx, type);
    const int plain = domain->ops == &tvgp__grid_ops || domain->ops == &tvgp__arms_ops;
    *type = plain && domain->indices ? "indices" : domain->ops->type;
    return TVGP_OK;
}

tvgp_status tvgp_domain_point(const tvgp_domain *domain, int64_t arm, double *x) {
    TVGP__ENTER_OF(domain);
    TVGP__REQUIRE(domain->ctx, x);
    TVGP__TRY(check_arm(domain, arm));
    if (!domain->n)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED,
                               "contexts are measured: the point of an arm is the point of its action, then the context");
    if (!tvgp__shard_owns(domain->shard, (size_t)arm))
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "arm = %" PRId64 " is held by another rank", arm);
    memcpy(x, domain->X + tvgp__shard_local(domain->shard, (size_t)arm) * domain->dim, domain->dim * sizeof *x);
    return TVGP_OK;
}

void tvgp_domain_destroy(tvgp_domain *domain) {
    tvgp__domain_release(domain);
}
