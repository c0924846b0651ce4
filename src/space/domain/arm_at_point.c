/* SPDX-License-Identifier: MIT */
/* Points of arms as callers report them: rounded to single precision, or computed in another order (space/domain/arm_at_point.h). */
#include "space/domain/arm_at_point.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-6; /* of the largest coordinate; single precision has 6e-8 */
static const double APART = 4;       /* how many times as far the second arm must be */

static double largest(const tvgp_domain *domain, size_t d) {
    double most = 0;
    for (size_t i = 0; i < domain->n; i++)
        most = fmax(most, fabs(domain->X[i * domain->dim + d]));
    return most;
}

/* The largest difference of a coordinate between an arm and x. */
static double distance(const tvgp_domain *domain, size_t arm, const double *x) {
    double most = 0;
    for (size_t d = 0; d < domain->dim; d++)
        most = fmax(most, fabs(domain->X[arm * domain->dim + d] - x[d]));
    return most;
}

static int same(const tvgp_domain *domain, size_t a, size_t b) {
    return memcmp(domain->X + a * domain->dim, domain->X + b * domain->dim, domain->dim * sizeof *domain->X) == 0;
}

/* The nearest arm, and the distance of the second; an arm may be listed twice. */
static size_t nearest(const tvgp_domain *domain, const double *x, double *second) {
    size_t found = 0;
    double first = INFINITY;
    *second = INFINITY;
    for (size_t i = 0; i < domain->n; i++) {
        const double apart = distance(domain, i, x);
        if (apart < first) {
            *second = first;
            first = apart;
            found = i;
        } else if (apart < *second && !same(domain, i, found)) {
            *second = apart;
        }
    }
    return found;
}

int64_t tvgp__arm_at_point_locate(tvgp_domain *domain, const double *x) {
    const int64_t exact = domain->ops->locate(domain, x);
    double second;
    if (exact >= 0 || !domain->n || domain->shared || domain->indices)
        return exact;
    const size_t arm = nearest(domain, x, &second);
    if (second < APART * distance(domain, arm, x))
        return -1;
    for (size_t d = 0; d < domain->dim; d++)
        if (!(fabs(domain->X[arm * domain->dim + d] - x[d]) <= ROUNDING * largest(domain, d)))
            return -1;
    return (int64_t)arm;
}

tvgp_status tvgp__arm_at_point_refuse(tvgp_ctx *ctx, const tvgp_domain *domain, const char *what, const double *x) {
    const char *more = domain->dim > 1 ? ", .." : "";
    double second;
    if (!domain->n || domain->shared)
        return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "%s = (%.17g%s) is not a point of the domain", what, *x, more);
    const double *at = domain->X + nearest(domain, x, &second) * domain->dim;
    size_t d = 0;
    while (d + 1 < domain->dim && fabs(at[d] - x[d]) <= ROUNDING * largest(domain, d))
        d++;
    if (domain->dim == 1)
        return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "%s = (%.17g) is not a point of the domain; the nearest is (%.17g)",
                               what, *x, *at);
    return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND,
                           "%s = (%.17g%s) is not a point of the domain; coordinate %zu is %.17g, and %.17g at the nearest",
                           what, *x, more, d, x[d], at[d]);
}
