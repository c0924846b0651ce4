/* SPDX-License-Identifier: MIT */
/* Product grid, last coordinate fastest; the indices 0 .. n-1 are the grid of n points from 0 to n-1. An arm is found by
 * rounding its coordinates, which must then agree exactly. */
#include "space/domain/grid.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "space/domain/domain_visit.h"

#include <math.h>
#include <string.h>

typedef struct {
    size_t points;
    double lower, upper;
} axis;

typedef struct {
    tvgp_domain base;
    size_t first; /* the number of its first arm, when only a part of the grid is here */
    axis axes[];
} grid;

static double coordinate(const axis *a, size_t i) {
    if (i + 1 == a->points && i > 0)
        return a->upper;
    return i ? a->lower + (a->upper - a->lower) * (double)i / (double)(a->points - 1) : a->lower;
}

static int64_t locate(tvgp_domain *domain, const double *x) {
    const grid *g = (const grid *)domain;
    size_t arm = 0;
    for (size_t d = 0; d < domain->dim; d++) {
        const axis *a = &g->axes[d];
        double width = a->upper - a->lower, steps = (double)(a->points - 1);
        double at = width > 0 && a->points > 1 ? floor((x[d] - a->lower) / width * steps + 0.5) : 0;
        if (!(at >= 0) || at > steps || x[d] != coordinate(a, (size_t)at))
            return -1;
        arm = arm * a->points + (size_t)at;
    }
    return (int64_t)arm;
}

static void fill(grid *g) {
    for (size_t i = 0; i < g->base.n; i++) {
        size_t rest = g->first + i;
        for (size_t d = g->base.dim; d-- > 0;) {
            g->base.X[i * g->base.dim + d] = coordinate(&g->axes[d], rest % g->axes[d].points);
            rest /= g->axes[d].points;
        }
    }
}

/* Part `rank` of `size` parts of the first coordinate. */
tvgp_status tvgp__grid_part_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                                size_t rank, size_t size, tvgp_domain **out) {
    size_t n = 1, most = dim ? (points[0] + size - 1) / size : 0; /* of the first coordinate's points in a part */
    TVGP__TRY(tvgp__valid_range_count(ctx, "dim", dim));
    TVGP__TRY(tvgp__valid_range_values(ctx, "lower", dim, lower));
    TVGP__TRY(tvgp__valid_range_values(ctx, "upper", dim, upper));
    for (size_t d = 0; d < dim; d++) {
        if (lower[d] > upper[d])
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "lower[%zu] = %g exceeds upper[%zu] = %g", d, lower[d], d, upper[d]);
        if (points[d] == 0)
            return tvgp__error_set(ctx, TVGP_ERR_ARG, "points[%zu] = 0 must be >= 1", d);
        if ((d ? points[d] : most) > INT32_MAX / n)
            return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "points[%zu] = %zu takes the grid beyond the limit of %d arms", d,
                                   points[d], (int)INT32_MAX);
        n *= d ? points[d] : most;
    }
    if (dim && points[0] < size)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "points[0] = %zu must be >= %zu, the number of ranks", points[0], size);
    size_t low = dim ? points[0] * rank / size : 0, rest = dim ? n / most : 0;
    n = dim ? rest * (points[0] * (rank + 1) / size - low) : n;
    grid *g = NULL;
    TVGP__TRY(tvgp__domain_new(ctx, &tvgp__grid_ops, n, dim, sizeof *g + dim * sizeof *g->axes, &g));
    for (size_t d = 0; d < dim; d++)
        g->axes[d] = (axis){.points = points[d], .lower = lower[d], .upper = upper[d]};
    g->first = low * rest;
    fill(g);
    *out = &g->base;
    return TVGP_OK;
}

tvgp_status tvgp__grid_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, const size_t *points,
                           tvgp_domain **out) {
    return tvgp__grid_part_new(ctx, dim, lower, upper, points, 0, 1, out);
}

tvgp_status tvgp__grid_indices_new(tvgp_ctx *ctx, size_t n, tvgp_domain **out) {
    double lower = 0, upper = n ? (double)(n - 1) : 0;
    TVGP__TRY(tvgp__grid_new(ctx, 1, &lower, &upper, &n, out));
    (*out)->indices = 1;
    return TVGP_OK;
}

int tvgp__grid_continues(const tvgp_domain *domain, size_t n, const double *X) {
    size_t i = 0;
    while (i < n && X[i] == (double)(domain->n + i))
        i++;
    return domain->ops == &tvgp__grid_ops && domain->indices && i == n;
}

static void visit(tvgp__visit *v, tvgp_domain **domain) {
    const grid *g = (const grid *)*domain;
    size_t dim = g ? g->base.dim : 1, n = 1, *points = NULL;
    double *ends = NULL;
    int indices = g && g->base.indices;
    tvgp__visit_flag(v, &indices);
    tvgp__visit_count(v, &dim, INT32_MAX, 3 * sizeof *ends);
    tvgp__visit_room(v, dim + 1, 2 * sizeof *ends, &ends);
    tvgp__visit_room(v, dim + 1, sizeof *points, &points);
    for (size_t d = 0; tvgp__visit_fine(v) && d < dim; d++) {
        axis a = g ? g->axes[d] : (axis){0};
        tvgp__visit_real(v, &a.lower, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
        tvgp__visit_real(v, &a.upper, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
        tvgp__visit_size(v, &a.points, 1, INT32_MAX);
        if (!tvgp__visit_loads(v))
            continue;
        ends[d] = a.lower;
        ends[dim + d] = a.upper;
        points[d] = a.points;
    }
    for (size_t d = 0; tvgp__visit_loads(v) && d < dim; d++)
        if (tvgp__domain_visit_expects(v, n, points[d]))
            n *= points[d];
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, tvgp__grid_new(v->ctx, dim, ends, ends + dim, points, domain)))
        (*domain)->indices = indices;
    tvgp__memory_free(v->ctx, ends);
    tvgp__memory_free(v->ctx, points);
}

const tvgp__domain_ops tvgp__grid_ops = {.type = "grid", .visit = visit, .locate = locate};
