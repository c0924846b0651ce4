/* SPDX-License-Identifier: MIT */
#ifndef TVGP__SPACE_DOMAIN_BOX_H
#define TVGP__SPACE_DOMAIN_BOX_H

#include "space/domain/domain_ops.h"

enum { TVGP__BOX_MOST = 64 }; /* dimensions */

tvgp_status tvgp__box_new(tvgp_ctx *ctx, size_t dim, const double *lower, const double *upper, tvgp_domain **out);

/* Coordinate k takes whole numbers from now on; its bounds move inwards to the nearest. */
tvgp_status tvgp__box_integer(tvgp_domain *domain, size_t k);

extern const tvgp__domain_ops tvgp__box_ops;

#endif
