/* SPDX-License-Identifier: MIT */
/* What makes a domain a shared one. */
#ifndef TVGP__DOMAIN_SHARING_H
#define TVGP__DOMAIN_SHARING_H

#include "domain/domain_ops.h"

/* Makes this rank's domain, which was created with `status`, part of a shared one; it is released on failure. Collective;
 * all ranks return the same. As tvgp__shard_new, and UNSUPPORTED when the ranks do not calculate alike. */
tvgp_status tvgp__sharing_new(tvgp_ctx *ctx, const tvgp_comm *comm, tvgp_status status, tvgp_domain *part,
                              tvgp_domain **out);

#endif
