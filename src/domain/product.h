/* SPDX-License-Identifier: MIT */
/* Every pair of an action and a context. */
#ifndef TVGP__DOMAIN_PRODUCT_H
#define TVGP__DOMAIN_PRODUCT_H

#include "domain/domain_ops.h"

tvgp_status tvgp__product_new(tvgp_ctx *, const tvgp_domain *actions, const tvgp_domain *contexts, tvgp_domain **out);

/* How many contexts the domain has: 0 when it is not a product. */
size_t tvgp__product_contexts(const tvgp_domain *);

extern const tvgp__domain_ops tvgp__product_ops;

#endif
