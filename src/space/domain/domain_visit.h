/* SPDX-License-Identifier: MIT */
/* Domains in snapshots: the name of the type and the type's own data. */
#ifndef TVGP__SPACE_DOMAIN_DOMAIN_VISIT_H
#define TVGP__SPACE_DOMAIN_DOMAIN_VISIT_H

#include "space/domain/domain_ops.h"

/* Visits *domain; a visitor that loads creates it (NULL before). UNSUPPORTED as tvgp__kernel_visit. */
void tvgp__domain_visit(tvgp__visit *v, tvgp_domain **domain);

/* LOAD: refuses a domain of n x m arms where the template has fewer, before any point is made. 1 when there is no failure. */
int tvgp__domain_visit_expects(tvgp__visit *v, size_t n, size_t m);

/* HASH: the points of one that does not say, or cannot, how it is made. */
void tvgp__domain_visit_points(tvgp__visit *v, tvgp_domain *domain);

/* What tells domains apart: points, bounds and contexts; never 0. */
uint64_t tvgp__domain_visit_hash(const tvgp_domain *domain);

#endif
