/* SPDX-License-Identifier: MIT */
/* Where on a box a policy may ask now: bounds inside the domain's, a set given as a function, and candidates
 * (protocol/actions/action_set.h). */
#include "protocol/actions/action_set.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/domain/product.h"
#include "space/kernel/kernel_ops.h"

#include <math.h>
#include <string.h>

static void take_bounds(tvgp__action_set *w, const tvgp_domain *domain, const double *lower, const double *upper) {
    for (size_t d = 0; d < domain->dim; d++) {
        w->bounds[d] = domain->whole[d] ? ceil(lower[d]) : lower[d];
        w->bounds[domain->dim + d] = domain->whole[d] ? floor(upper[d]) : upper[d];
    }
}

tvgp_status tvgp__action_set_new(const tvgp_domain *domain, tvgp__action_set **out) {
    tvgp__action_set *w = NULL;
    if (domain->n)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(domain->ctx, 1, sizeof *w + 4 * domain->dim * sizeof *w->bounds, &w));
    w->side = w->bounds + 2 * domain->dim;
    w->last_x = w->side + domain->dim;
    for (size_t d = 0; d < domain->dim; d++)
        w->side[d] = domain->upper[d] - domain->lower[d];
    take_bounds(w, domain, domain->lower, domain->upper);
    *out = w;
    if (!domain->total)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(domain->ctx, domain->total, domain->dim * sizeof *w->actions, &w->actions));
    tvgp__product_points(domain, domain->lower + domain->dim - tvgp__product_measured(domain), w->actions);
    return TVGP_OK;
}

void tvgp__action_set_free(tvgp_ctx *ctx, tvgp__action_set *w) {
    if (!w)
        return;
    tvgp__action_set_give_up(w, ctx);
    tvgp__candidates_free(ctx, w->among);
    tvgp__memory_free(ctx, w->actions);
    tvgp__memory_free(ctx, w->points);
    tvgp__memory_free(ctx, w->pending);
    tvgp__memory_free(ctx, w);
}

static tvgp_status check_bounds(const tvgp_domain *domain, size_t d, double lower, double upper) {
    TVGP__TRY(tvgp__valid_range_value(domain->ctx, "lower", lower));
    TVGP__TRY(tvgp__valid_range_value(domain->ctx, "upper", upper));
    if (lower < domain->lower[d] || upper > domain->upper[d] || lower > upper)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG,
                               "lower[%zu] = %.17g, upper[%zu] = %.17g: must be in order and within %.17g..%.17g", d, lower,
                               d, upper, domain->lower[d], domain->upper[d]);
    if (domain->whole[d] && ceil(lower) > floor(upper))
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG,
                               "there is no whole number between lower[%zu] = %.17g and upper[%zu] = %.17g", d, lower, d,
                               upper);
    return TVGP_OK;
}

static tvgp_status check_box(const tvgp_domain *domain, const char *what) {
    const char *contexts = !domain->n                       ? " in a measured context (tvgp_policy_set_context_point)"
                           : tvgp__product_contexts(domain) ? " in numbered contexts (tvgp_policy_set_context)"
                                                            : "";
    if (domain->total)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED, "%s: for a box; this domain has %zu arms%s", what,
                               domain->total, contexts);
    return TVGP_OK;
}

tvgp_status tvgp__action_set_set_bounds(tvgp__action_set *w, const tvgp_domain *domain, const double *lower,
                                        const double *upper) {
    size_t dim = domain->dim;
    TVGP__TRY(check_box(domain, "bounds"));
    lower = lower ? lower : domain->lower;
    upper = upper ? upper : domain->upper;
    for (size_t d = 0; d < dim; d++)
        TVGP__TRY(check_bounds(domain, d, lower[d], upper[d]));
    take_bounds(w, domain, lower, upper);
    return TVGP_OK;
}

static tvgp_status check_context(const tvgp_domain *domain, const double *z, size_t n) {
    const size_t measured = tvgp__product_measured(domain);
    if (!measured)
        return tvgp__error_set(domain->ctx, TVGP_ERR_UNSUPPORTED, "the domain has no measured contexts: %s",
                               tvgp__product_contexts(domain) ? "its contexts are numbered, use tvgp_policy_set_context"
                               : domain->n ? "tvgp_domain_product of its arms and a box makes one that has"
                                           : "on a box fix coordinates with tvgp_policy_set_bounds");
    if (n != measured)
        return tvgp__error_set(domain->ctx, TVGP_ERR_DIM, "z has n = %zu entries, a context has %zu coordinates", n,
                               measured);
    return tvgp__valid_range_values(domain->ctx, "z", n, z);
}

static tvgp_status check_inside(const tvgp_domain *domain, const double *z, size_t n) {
    const size_t first = domain->dim - n;
    for (size_t d = 0; d < n; d++) {
        const double lower = domain->lower[first + d], upper = domain->upper[first + d];
        if (z[d] < lower || z[d] > upper)
            return tvgp__error_set(domain->ctx, TVGP_ERR_ARG,
                                   "z[%zu] = %.17g is outside %.17g..%.17g (context.clamp=1 moves it to the border)", d,
                                   z[d], lower, upper);
        if (domain->whole[first + d] && z[d] != floor(z[d]))
            return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "z[%zu] = %.17g must be a whole number", d, z[d]);
    }
    return TVGP_OK;
}

tvgp_status tvgp__action_set_set_context(tvgp__action_set *w, const tvgp_domain *domain, const double *z, size_t n,
                                         int64_t *clamped) {
    double inside[TVGP__SEARCH_SPACE_MOST];
    TVGP__TRY(check_context(domain, z, n));
    memcpy(inside, z, n * sizeof *z);
    const int moved = clamped && tvgp__product_clamp(domain, inside);
    TVGP__TRY(check_inside(domain, inside, n));
    memcpy(w->bounds + domain->dim - n, inside, n * sizeof *z);
    memcpy(w->bounds + 2 * domain->dim - n, inside, n * sizeof *z);
    tvgp__product_points(domain, inside, w->actions);
    w->in_context = 1;
    if (clamped)
        *clamped += moved;
    return TVGP_OK;
}

tvgp_status tvgp__action_set_set_feasible(tvgp__action_set *w, const tvgp_domain *domain, tvgp_feasible_fn feasible,
                                          void *user, tvgp__context_user *owned) {
    TVGP__TRY(check_box(domain, "a feasible set"));
    tvgp__context_user *before = w->owned;
    w->feasible = feasible;
    w->user = user;
    w->owned = tvgp__context_user_retain(owned);
    w->lost_feasible = 0;
    tvgp__context_user_release(domain->ctx, before);
    return TVGP_OK;
}

/* ---- candidates --------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__action_set_set_candidates(tvgp__action_set *w, const tvgp_domain *domain, size_t n, const double *X,
                                            const double *mean) {
    TVGP__TRY(check_box(domain, "candidates"));
    return tvgp__candidates_set(&w->among, domain, n, X, mean);
}

int tvgp__action_set_bounds(const tvgp__action_set *w, size_t dim, const double *x) {
    const double *lower = w->bounds, *upper = lower + dim;
    size_t d = 0;
    while (d < dim && x[d] >= lower[d] && x[d] <= upper[d])
        d++;
    return d == dim;
}

tvgp_status tvgp__action_set_admit(tvgp__action_set *w, const tvgp_domain *domain, uint8_t **ok) {
    const size_t n = tvgp__candidates_count(w->among), dim = domain->dim;
    double reach[TVGP__SEARCH_SPACE_MOST];
    *ok = NULL;
    if (!n)
        return TVGP_OK;
    const tvgp__search_space space = tvgp__action_set_space(w, domain, NULL, reach);
    TVGP__TRY(tvgp__search_space_test(&space, n, w->among->X, w->among->ok));
    *ok = w->among->ok;
    for (size_t i = 0; i < n; i++)
        (*ok)[i] = (*ok)[i] && tvgp__action_set_bounds(w, dim, w->among->X + i * dim);
    return TVGP_OK;
}

/* ---- the whole box ------------------------------------------------------------------------------------------------ */

tvgp__search_space tvgp__action_set_space(const tvgp__action_set *w, const tvgp_domain *domain, const tvgp_kernel *kernel,
                                          double *reach) {
    size_t dim = domain->dim;
    if (kernel)
        tvgp__kernel_reach(kernel, w->side, reach);
    for (size_t d = 0; d < dim; d++)
        reach[d] = fmin(kernel ? reach[d] : INFINITY, w->side[d] > 0 ? w->side[d] : 1);
    return (tvgp__search_space){.ctx = domain->ctx,
                                .dim = dim,
                                .low = domain->lower,
                                .high = domain->upper,
                                .lower = w->bounds,
                                .upper = w->bounds + dim,
                                .reach = reach,
                                .whole = domain->whole,
                                .feasible = w->feasible,
                                .user = w->user};
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_bounds(tvgp__action_set *w, const tvgp_domain *domain, tvgp__visit *v) {
    double bounds[2 * TVGP__SEARCH_SPACE_MOST];
    memcpy(bounds, w->bounds, 2 * domain->dim * sizeof *bounds);
    tvgp__visit_reals(v, 2 * domain->dim, bounds, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && tvgp__action_set_set_bounds(w, domain, bounds, bounds + domain->dim) < 0)
        tvgp__visit_refuse(v, "bounds before this are not in the domain");
}

static void visit_context(tvgp__action_set *w, const tvgp_domain *domain, tvgp__visit *v) {
    const size_t n = tvgp__product_measured(domain);
    double z[TVGP__SEARCH_SPACE_MOST];
    memcpy(z, w->bounds + domain->dim - n, n * sizeof *z);
    tvgp__visit_flag(v, &w->in_context);
    if (w->in_context)
        tvgp__visit_reals(v, n, z, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && w->in_context && tvgp__action_set_set_context(w, domain, z, n, NULL) < 0)
        tvgp__visit_refuse(v, "the context before this is not in the domain");
}

void tvgp__action_set_visit(tvgp__action_set *w, const tvgp_domain *domain, tvgp__visit *v) {
    int feasible = w->feasible || w->lost_feasible;
    if (w->actions)
        visit_context(w, domain, v);
    else
        visit_bounds(w, domain, v);
    tvgp__visit_flag(v, &feasible);
    if (tvgp__visit_loads(v))
        w->lost_feasible = feasible;
}

void tvgp__action_set_adopt(tvgp__action_set *w, const tvgp__action_set *before) {
    w->feasible = before->feasible;
    w->user = before->user;
    w->owned = tvgp__context_user_retain(before->owned);
    w->lost_feasible = w->lost_feasible && !w->feasible;
}

void tvgp__action_set_give_up(tvgp__action_set *w, tvgp_ctx *ctx) {
    tvgp__context_user_release(ctx, w->owned);
    w->owned = NULL;
    w->feasible = NULL;
}

tvgp_status tvgp__action_set_check(const tvgp__action_set *w, tvgp_ctx *ctx) {
    if (w->lost_feasible)
        return tvgp__error_set(ctx, TVGP_ERR_STATE,
                               "the feasible set was a function when the snapshot was saved: set it again");
    if (w->actions && !w->in_context)
        return tvgp__error_set(
            ctx, TVGP_ERR_STATE,
            "no context holds yet: the domain has measured ones, call tvgp_policy_set_context_point first");
    return TVGP_OK;
}
