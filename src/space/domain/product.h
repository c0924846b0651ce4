/* SPDX-License-Identifier: MIT */
/* All pairs of an action and a context. Contexts are the arms of a domain, or the points of a box (measured contexts). */
#ifndef TVGP__SPACE_DOMAIN_PRODUCT_H
#define TVGP__SPACE_DOMAIN_PRODUCT_H

#include "space/domain/domain_ops.h"

/* LIMIT, UNSUPPORTED (actions without points, contexts that are a product with a box), NOMEM. */
tvgp_status tvgp__product_new(tvgp_ctx *, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out);

/* How many contexts the domain has: 0 when it is not a product, or they are measured. */
size_t tvgp__product_contexts(const tvgp_domain *);

/* Says whether coordinate d is an index: a category, not a number. */
int tvgp__product_named(const tvgp_domain *, size_t d);

/* How many coordinates the action has: of a domain that is no product all. */
size_t tvgp__product_action_dim(const tvgp_domain *);

/* The actions and contexts of a product; of another domain the domain itself and NULL. The domain holds both. */
void tvgp__product_parts(const tvgp_domain *, const tvgp_domain **actions, const tvgp_domain **contexts);

/* How many coordinates measured contexts have: 0 when there are none. */
size_t tvgp__product_measured(const tvgp_domain *);

/* Of a product with measured contexts: the points of all actions (total x dim) in context z. */
void tvgp__product_points(const tvgp_domain *, const double *z, double *X);

/* Of the same: moves a context with finite coordinates to the border of its box if it is outside, and returns whether it was. */
int tvgp__product_clamp(const tvgp_domain *, double *z);

extern const tvgp__domain_ops tvgp__product_ops;

#endif
