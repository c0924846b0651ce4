/* SPDX-License-Identifier: MIT */
/* A list of arms. */
#ifndef TVGP__DOMAIN_ARMS_H
#define TVGP__DOMAIN_ARMS_H

#include "domain/domain_ops.h"

tvgp_status tvgp__arms_new(tvgp_ctx *ctx, size_t n, size_t dim, const double *X, tvgp_domain **out);

extern const tvgp__domain_ops tvgp__arms_ops;

/* The arms of a domain and n more. */
tvgp_status tvgp__arms_append(tvgp_ctx *, const tvgp_domain *, size_t n, const double *X, tvgp_domain **out);

#endif
