/* SPDX-License-Identifier: MIT */
/* The candidates of a policy on a box: the points among which it chooses instead of the whole box (the decision sets X_t of
 * Ziomek, Adachi, Osborne, section 2; action-dependent features of Li et al. 2010, alg. 1) (protocol/actions/candidates.h). */
#include "protocol/actions/candidates.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

/* One coordinate lies in the box. */
static tvgp_status check_coordinate(const tvgp_domain *domain, size_t i, size_t d, double x) {
    const double lower = domain->lower[d], upper = domain->upper[d];
    char name[64];
    if (x >= lower && x <= upper && (!domain->whole[d] || x == floor(x)))
        return TVGP_OK;
    tvgp__number_text_print(name, sizeof name, "X[%zu,%zu]", i, d);
    TVGP__TRY(tvgp__valid_range_value(domain->ctx, name, x));
    if (x < lower || x > upper)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "%s = %.17g is outside %.17g..%.17g", name, x, lower, upper);
    return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "%s = %.17g must be a whole number", name, x);
}

static tvgp_status check(const tvgp_domain *domain, size_t n, const double *X, const double *mean) {
    if (n > TVGP__CANDIDATES_MOST)
        return tvgp__error_set(domain->ctx, TVGP_ERR_LIMIT, "n = %zu candidates exceed the limit %d", n,
                               (int)TVGP__CANDIDATES_MOST);
    if (!n && (X || mean))
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "n = 0, but %s is not NULL", X ? "X" : "mean");
    if (n && !X)
        return tvgp__error_set(domain->ctx, TVGP_ERR_ARG, "X is NULL, but n = %zu", n);
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < domain->dim; d++)
            TVGP__TRY(check_coordinate(domain, i, d, X[i * domain->dim + d]));
    return mean ? tvgp__valid_range_values(domain->ctx, "mean", n, mean) : TVGP_OK;
}

/* Room for n candidates, whose contents are the caller's to fill. What there was is lost only on success. */
static tvgp_status make_room(tvgp__candidates **a, const tvgp_domain *domain, size_t n) {
    if (!*a)
        TVGP__TRY(tvgp__memory_alloc(domain->ctx, 1, sizeof **a, a));
    TVGP__TRY(tvgp__memory_reserve(domain->ctx, n, (domain->dim + 2) * sizeof *(*a)->X, &(*a)->X, &(*a)->slots));
    (*a)->n = n;
    if (!n)
        return TVGP_OK;
    (*a)->mean = (*a)->X + n * domain->dim;
    (*a)->ok = (uint8_t *)((*a)->mean + n);
    return TVGP_OK;
}

tvgp_status tvgp__candidates_set(tvgp__candidates **a, const tvgp_domain *domain, size_t n, const double *X,
                                 const double *mean) {
    TVGP__TRY(check(domain, n, X, mean));
    if (!n && !*a)
        return TVGP_OK;
    TVGP__TRY(make_room(a, domain, n));
    (*a)->with_means = mean != NULL;
    if (n)
        memcpy((*a)->X, X, n * domain->dim * sizeof *X);
    if (mean)
        memcpy((*a)->mean, mean, n * sizeof *mean);
    return TVGP_OK;
}

void tvgp__candidates_free(tvgp_ctx *ctx, tvgp__candidates *a) {
    if (!a)
        return;
    tvgp__memory_free(ctx, a->X);
    tvgp__memory_free(ctx, a);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static int all_inside(const tvgp__candidates *a, const tvgp_domain *domain) {
    size_t i = 0;
    while (i < a->n && domain->ops->contains(domain, a->X + i * domain->dim))
        i++;
    return i == a->n;
}

void tvgp__candidates_visit(tvgp__candidates **a, const tvgp_domain *domain, tvgp__visit *v) {
    size_t n = tvgp__candidates_count(*a);
    int with_means = n && (*a)->with_means;
    tvgp__visit_count(v, &n, TVGP__CANDIDATES_MOST, domain->dim * sizeof *(*a)->X);
    tvgp__visit_flag(v, &with_means);
    if (tvgp__visit_loads(v) && !tvgp__visit_try(v, make_room(a, domain, n)))
        return;
    if (!tvgp__visit_fine(v))
        return;
    (*a)->with_means = with_means;
    tvgp__visit_reals(v, n * domain->dim, (*a)->X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (with_means)
        tvgp__visit_reals(v, n, (*a)->mean, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && (!n || !all_inside(*a, domain)))
        tvgp__visit_refuse(v, "candidates before this are none, or not in the box");
}
