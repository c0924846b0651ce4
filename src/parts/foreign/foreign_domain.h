/* SPDX-License-Identifier: MIT */
/* Domains of types that the caller registered: the caller's code computes the points of their arms. */
#ifndef TVGP__PARTS_FOREIGN_FOREIGN_DOMAIN_H
#define TVGP__PARTS_FOREIGN_FOREIGN_DOMAIN_H

#include "parts/foreign/foreign_type.h"
#include "space/domain/domain_ops.h"

tvgp_status tvgp__foreign_domain_register(tvgp_ctx *ctx, const tvgp_domain_type *type, void *user, tvgp_destroy_fn destroy);
tvgp_status tvgp__foreign_domain_new(tvgp_ctx *ctx, const char *type, size_t n, size_t dim, void *data, tvgp_domain **out);

#endif
