/* SPDX-License-Identifier: MIT */
/* Limits in snapshots (base/visit.h); the models are nested by frame/snapshot.h. */
#ifndef TVGP__FRAME_LIMITS_VISIT_H
#define TVGP__FRAME_LIMITS_VISIT_H

#include "frame/limits.h"

/* Limits, declared actions, counts, and what the pending queries wait for. A visitor that loads finds as many limits, and the
 * tickets already loaded. */
void tvgp__limits_visit(tvgp_policy *p, tvgp__visit *v);

/* A snapshot without limits is loaded: nothing is declared. */
void tvgp__limits_visit_none(tvgp_policy *p);

/* What belongs to a handle, models and workspace, goes from the one list to the other, whose limits are as many; either may be NULL,
 * where there are none. */
void tvgp__limits_visit_move(tvgp__limits *from, tvgp__limits *to);

/* A list for as many limits, without models and workspace. NOMEM. */
tvgp_status tvgp__limits_visit_like(tvgp_ctx *ctx, const tvgp__limits *l, tvgp__limits **out);

#endif
