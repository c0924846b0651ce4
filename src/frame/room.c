/* SPDX-License-Identifier: MIT */
/* Room for the queries of the next ask, which a tell makes ahead of it. */
#include "base/error.h"
#include "base/memory.h"
#include "frame/policy_ops.h"

tvgp_status tvgp__policy_make_room(tvgp_policy *p, size_t most) {
    TVGP__TRY(tvgp__memory_reserve(p->ctx, most, sizeof *p->proposals, &p->proposals, &p->proposal_slots));
    if (p->domain->shard)
        TVGP__TRY(tvgp__shard_room(p->domain->shard, most));
    return tvgp__tickets_reserve(p->ctx, &p->tickets, most, p->within ? &p->within->pending : NULL, p->domain->dim);
}
