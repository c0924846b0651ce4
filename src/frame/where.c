/* SPDX-License-Identifier: MIT */
#include "frame/where.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

const double *tvgp__where_ticket(const tvgp_policy *p, const tvgp__ticket *ticket) {
    double **points = tvgp__where_pending(p);
    return points ? tvgp__tickets_point(&p->tickets, ticket, *points, p->domain->dim)
                  : tvgp__shard_point(p->domain->shard, p->domain->X, p->domain->dim, ticket->arm);
}

void tvgp__where_keep(tvgp_policy *p, const tvgp__ticket *ticket, const double *x) {
    double **points = tvgp__where_pending(p);
    if (points)
        memcpy(tvgp__tickets_point(&p->tickets, ticket, *points, p->domain->dim), x, p->domain->dim * sizeof *x);
}

const double *tvgp__where_choices(const tvgp_policy *p, size_t *n) {
    const tvgp__within *w = p->within;
    *n = tvgp__policy_choices(p);
    if (!w)
        return p->domain->X;
    return w->actions ? w->actions : *n ? w->among->X : NULL;
}

const double *tvgp__where_choice(const tvgp_policy *p, size_t i) {
    size_t n;
    return tvgp__shard_point(p->domain->shard, tvgp__where_choices(p, &n), p->domain->dim, i);
}

tvgp__space tvgp__where_space(const tvgp_policy *p, const tvgp_kernel *kernel, double *reach) {
    tvgp__space space = tvgp__within_space(p->within, p->domain, kernel, reach);
    space.safe = p->terms.safe;
    space.of = p->terms.policy;
    space.n_known = p->terms.n_known;
    space.known = p->terms.known;
    return space;
}

tvgp_status tvgp__where_reserve(tvgp_policy *p, size_t most) {
    TVGP__TRY(tvgp__memory_reserve(p->ctx, most, sizeof *p->proposals, &p->proposals, &p->proposal_slots));
    if (p->domain->shard)
        TVGP__TRY(tvgp__shard_room(p->domain->shard, most));
    return tvgp__tickets_reserve(p->ctx, &p->tickets, most, tvgp__where_pending(p), p->domain->dim);
}
