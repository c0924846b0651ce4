/* SPDX-License-Identifier: MIT */
/* Domains: where actions live. A finite domain numbers its points (arms) 0 .. n-1. n is at most 2^31 - 1 (LIMIT). A box has
 * points but no arms. */
#ifndef TVGP_DOMAIN_H
#define TVGP_DOMAIN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n explicit arms, X row-major n x dim (copied). Errors: ARG (n = 0), DIM (dim = 0), NONFINITE, LIMIT, NOMEM. */
TVGP_API tvgp_status tvgp_domain_arms(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);

/* n arms whose only coordinate is their index: 0, 1, .., n-1. For tvgp_kernel_table. */
TVGP_API tvgp_status tvgp_domain_indices(tvgp_ctx *ctx, size_t n, tvgp_domain **out);

/* Product grid: points[d] equally spaced values from lower[d] to upper[d], both included (points[d] = 1: lower[d] only).
 * The last coordinate varies fastest. Errors: ARG (points[d] = 0, lower > upper), DIM, NONFINITE, LIMIT, NOMEM. */
TVGP_API tvgp_status tvgp_domain_grid(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper,
                                      const size_t *points, tvgp_domain **out);

/* A larger domain: the arms of this one, with their numbers, and behind them n more, X row-major n x dim (copied). For
 * tvgp_policy_extend. A product is made anew from actions that were appended to: its arms keep their numbers. Errors: ARG
 * (n = 0), UNSUPPORTED (a box, a product), NONFINITE, LIMIT, NOMEM. */
TVGP_API tvgp_status tvgp_domain_append(const tvgp_domain *domain, size_t n, const double *X, tvgp_domain **out);

/* Every pair of an action and a context: arm = action * contexts + context, its point the action's coordinates followed by the
 * context's. Keeps both alive. Contexts may be a box: they are measured then (tvgp_policy_set_context_point), arms are the actions
 * (so many has the domain, and a mask or a mean has an entry for each), and a point (action, context) is any action's with any
 * point of the box, 64 coordinates at most. Errors: LIMIT (more than 2^31 - 1 pairs, or 64 coordinates; domains
 * made of domains more than 64 deep), UNSUPPORTED (actions that are a box or have measured contexts, contexts that have measured
 * ones), NOMEM. */
TVGP_API tvgp_status tvgp_domain_product(tvgp_ctx *ctx, const tvgp_domain *actions, const tvgp_domain *contexts,
                                         tvgp_domain **out);

/* The action and the context of an arm of a product; each may be NULL. Errors: UNSUPPORTED (not a product), ARG (arm is not in
 * 0..n-1). */
TVGP_API tvgp_status tvgp_domain_split(const tvgp_domain *domain, int64_t arm, int64_t *action, int64_t *context);

/* Means of the arms by phase of a period, from n observations y of arms at times t (for tvgp_policy_set_mean, or to see a
 * season): mean is bins x arms, bin b holds the times with frac(t / period) in [b, b + 1) / bins. Each mean is shrunk to its
 * arm's own as far as its bin has few observations (best linear predictor of a random-effects model, Searle, Casella,
 * McCulloch 1992, sec. 7.2); an arm never seen has the mean of all. Errors: ARG (n = 0, an arm out of range, period <= 0,
 * bins = 0), NONFINITE, LIMIT, NOMEM; then nothing is written. */
TVGP_API tvgp_status tvgp_domain_seasonal_mean(const tvgp_domain *domain, size_t n, const int64_t *arm, const double *t,
                                               const double *y, double period, size_t bins, double *mean);

/* A box: every point with lower[k] <= x[k] <= upper[k], for 1 <= dim <= 64. Policies ask any point of it (arm -1, so pass x)
 * and accept any point of it. Which policies do: docs/boxes.md; the others are refused at tvgp_policy_create (UNSUPPORTED).
 * Errors: ARG (lower[k] >= upper[k]), DIM (dim = 0), LIMIT (dim > 64), NONFINITE, NOMEM. */
TVGP_API tvgp_status tvgp_domain_box(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out);

/* Coordinate k of a box takes whole numbers only; its bounds move inwards to whole numbers. The kernel sees the whole number
 * itself. Before the first use of the domain. Errors: UNSUPPORTED (not a box), ARG (k, no whole number in between, beyond
 * 2^53), STATE (a policy has it already); domain unchanged. */
TVGP_API tvgp_status tvgp_domain_box_integer(tvgp_domain *domain, size_t k);

/* Number of arms (0 for a box); dimension of the points; coordinates of one arm (x has dim entries; ARG when arm is not in 0..n-1). */
TVGP_API tvgp_status tvgp_domain_size(const tvgp_domain *domain, size_t *n);
TVGP_API tvgp_status tvgp_domain_dim(const tvgp_domain *domain, size_t *dim);
TVGP_API tvgp_status tvgp_domain_point(const tvgp_domain *domain, int64_t arm, double *x);

/* The smallest and the largest value of each coordinate (dim entries each): the bounds of a box; of arms those of their points, of
 * shared arms of the points this rank holds; of arms with measured contexts those of the actions, then of the box. O(n dim).
 * Errors: ARG (NULL); nothing is written then. */
TVGP_API tvgp_status tvgp_domain_bounds(const tvgp_domain *domain, double *lower, double *upper);

/* What the domain is: "arms", "indices", "grid", "box", "product", or the name of a registered type (tvgp/extend.h). With n = 0
 * (tvgp_domain_size) it is a box. The text lives as long as the context. Errors: ARG (NULL). */
TVGP_API tvgp_status tvgp_domain_type_name(const tvgp_domain *domain, const char **type);

TVGP_API void tvgp_domain_destroy(tvgp_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
