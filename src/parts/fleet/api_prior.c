/* SPDX-License-Identifier: MIT */
/* The public function that learns a prior from many short runs (tvgp/fleet.h). */
#include "api/enter.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "parts/fleet/fleet_prior.h"
#include "policy/ucb/learn.h"
#include "space/domain/domain_ops.h"
#include "space/kernel/table_points.h"
#include "tvgp.h"

#include <string.h>

static tvgp_status check_domain(tvgp_ctx *ctx, const tvgp_domain *domain) {
    if (!tvgp__domain_has_arms(domain))
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "the domain %s",
                               domain->total ? "has measured contexts" : "is a box: it has no arms");
    if (domain->shared)
        return tvgp__error_set(ctx, TVGP_ERR_UNSUPPORTED, "the arms of the domain are shared");
    if (domain->n > TVGP__FLEET_PRIOR_ARMS)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "the domain has %zu arms, at most %d", domain->n,
                               (int)TVGP__FLEET_PRIOR_ARMS);
    return TVGP_OK;
}

static tvgp_status check_first(tvgp_ctx *ctx, size_t n_runs, const size_t *first, size_t n) {
    if (!n_runs || !n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "%s = 0 must be >= 1", n_runs ? "n" : "n_runs");
    TVGP__TRY(tvgp__valid_range_count(ctx, "n_runs", n_runs));
    TVGP__TRY(tvgp__valid_range_count(ctx, "n", n));
    if (first[0])
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "first[0] = %zu must be 0", first[0]);
    for (size_t i = 1; i < n_runs; i++)
        if (first[i] < first[i - 1] || first[i] > n)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "first[%zu] = %zu is outside first[%zu] = %zu .. n = %zu", i, first[i],
                                   i - 1, first[i - 1], n);
    return TVGP_OK;
}

static tvgp_status check_rows(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp__fleet_prior_runs *runs) {
    const size_t n = runs->rows;
    for (size_t i = 0; i < n; i++)
        if (runs->arm[i] < 0 || (size_t)runs->arm[i] >= domain->n)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "arm[%zu] = %" PRId64 " is outside 0..%zu", i, runs->arm[i],
                                   domain->n - 1);
    TVGP__TRY(tvgp__valid_range_values(ctx, "y", n, runs->y));
    TVGP__TRY(tvgp__valid_range_value(ctx, "epsilon", runs->epsilon));
    if (runs->epsilon < 0 || runs->epsilon >= 1)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "epsilon = %g must be in [0, 1)", runs->epsilon);
    if (!(runs->epsilon > 0))
        return TVGP_OK;
    if (!runs->t)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "t_or_null is NULL: epsilon = %g needs times", runs->epsilon);
    return tvgp__valid_range_values(ctx, "t", n, runs->t);
}

static tvgp_status check_prior(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel, double strength) {
    TVGP__TRY(tvgp__valid_range_positive(ctx, "strength", strength, 1));
    if (!kernel)
        return TVGP_OK;
    if (kernel->dim != domain->dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "the kernel has %zu coordinates, the domain %zu", kernel->dim,
                               domain->dim);
    return tvgp__kernel_check(kernel, ctx, "the domain", domain->n, domain->X);
}

/* Learns with a kernel that is there, the arms of the rows in `arm` replaced by the first at the same place. */
static tvgp_status learn(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp__fleet_prior_runs *runs,
                         const tvgp__fleet_prior_prior *prior, int64_t steps, double *mean, tvgp_kernel **kernel,
                         double *noise) {
    const size_t n = domain->n;
    double *room = NULL;
    double v = 0;
    TVGP__TRY(tvgp__memory_alloc(ctx, n + 1, n * sizeof *room, &room));
    double *m = room + n * n;
    tvgp_status status = tvgp__fleet_prior_learn(ctx, runs, prior, steps, m, room, &v);
    if (status == TVGP_OK)
        status = tvgp__table_points_covariance(ctx, n, domain->dim, domain->X, room, kernel);
    for (size_t i = 0; status == TVGP_OK && i < n; i++)
        mean[i] = m[domain->ops->locate((tvgp_domain *)domain, domain->X + i * domain->dim)];
    if (status == TVGP_OK)
        *noise = v;
    tvgp__memory_free(ctx, room);
    return status;
}

tvgp_status tvgp_prior_learn(tvgp_ctx *ctx, const tvgp_domain *domain, size_t n_runs, const size_t *first, size_t n,
                             const int64_t *arm, const double *t_or_null, const double *y, const tvgp_kernel *kernel_or_null,
                             double strength, double epsilon, size_t max_iterations, double *mean, tvgp_kernel **kernel,
                             double *noise) {
    TVGP__ENTER(ctx);
    TVGP__REQUIRE(ctx, domain);
    TVGP__REQUIRE(ctx, first);
    TVGP__REQUIRE(ctx, arm);
    TVGP__REQUIRE(ctx, y);
    TVGP__REQUIRE(ctx, mean);
    TVGP__REQUIRE(ctx, kernel);
    TVGP__REQUIRE(ctx, noise);
    tvgp__fleet_prior_runs runs = {
        .n = n_runs, .n_arms = domain->n, .rows = n, .first = first, .arm = arm, .t = t_or_null, .y = y, .epsilon = epsilon};
    TVGP__TRY(check_domain(ctx, domain));
    TVGP__TRY(check_first(ctx, n_runs, first, n));
    TVGP__TRY(check_rows(ctx, domain, &runs));
    TVGP__TRY(check_prior(ctx, domain, kernel_or_null, strength));
    tvgp_kernel *prior_kernel = kernel_or_null ? tvgp__kernel_retain(kernel_or_null) : NULL;
    int64_t *indices = NULL;
    tvgp_status status = prior_kernel ? TVGP_OK : tvgp__learn_prior_kernel(ctx, domain, 0, &prior_kernel);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, n, sizeof *indices, &indices);
    for (size_t i = 0; status == TVGP_OK && i < n; i++)
        indices[i] = domain->ops->locate((tvgp_domain *)domain, domain->X + (size_t)arm[i] * domain->dim);
    runs.arm = indices;
    const tvgp__fleet_prior_prior prior = {
        .kernel = prior_kernel, .X = domain->X, .unit = !kernel_or_null, .strength = strength};
    if (status == TVGP_OK)
        status = learn(ctx, domain, &runs, &prior, tvgp__enter_count(max_iterations), mean, kernel, noise);
    tvgp__memory_free(ctx, indices);
    tvgp__kernel_release(prior_kernel);
    return status;
}
