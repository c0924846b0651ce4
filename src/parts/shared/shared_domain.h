/* SPDX-License-Identifier: MIT */
/* Turns the domains of several ranks into one shared domain. */
#ifndef TVGP__PARTS_SHARED_SHARED_DOMAIN_H
#define TVGP__PARTS_SHARED_SHARED_DOMAIN_H

#include "space/domain/domain_ops.h"

/* Makes this rank's domain, which was created with `status`, part of a shared one, and releases it on failure.
 * Collective; all ranks return the same status: as tvgp__shard_new, and UNSUPPORTED if the ranks' arithmetic differs. */
tvgp_status tvgp__shared_domain_new(tvgp_ctx *ctx, const tvgp_comm *comm, tvgp_status status, tvgp_domain *part,
                                    tvgp_domain **out);

#endif
