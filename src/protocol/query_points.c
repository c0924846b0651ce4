/* SPDX-License-Identifier: MIT */
/* Points of pending queries, and those among which an ask chooses (protocol/query_points.h). */
#include "protocol/query_points.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

const double *tvgp__query_points_ticket(const tvgp_policy *p, const tvgp__ticket *ticket) {
    const tvgp_domain *d = p->domain;
    double **points = tvgp__query_points_pending(p);
    if (points)
        return tvgp__tickets_point(&p->tickets, ticket, *points, d->dim);
    return d->shared ? tvgp__domain_point(d, ticket->arm) : d->X + ticket->arm * d->dim;
}

void tvgp__query_points_keep(tvgp_policy *p, const tvgp__ticket *ticket, const double *x) {
    double **points = tvgp__query_points_pending(p);
    if (points)
        memcpy(tvgp__tickets_point(&p->tickets, ticket, *points, p->domain->dim), x, p->domain->dim * sizeof *x);
}

const double *tvgp__query_points_choices(const tvgp_policy *p, size_t *n) {
    const tvgp__action_set *w = p->within;
    *n = tvgp__policy_choices(p);
    if (!w)
        return p->domain->X;
    return w->actions ? w->actions : *n ? w->among->X : NULL;
}

const double *tvgp__query_points_choice(const tvgp_policy *p, size_t i) {
    size_t n;
    return p->domain->shared ? tvgp__domain_point(p->domain, i) : tvgp__query_points_choices(p, &n) + i * p->domain->dim;
}

tvgp__search_space tvgp__query_points_space(const tvgp_policy *p, const tvgp_kernel *kernel, double *reach) {
    tvgp__search_space space = tvgp__action_set_space(p->within, p->domain, kernel, reach);
    space.safe = p->terms.safe;
    return space;
}

tvgp_status tvgp__query_points_reserve(tvgp_policy *p, size_t most) {
    TVGP__TRY(tvgp__memory_reserve(p->ctx, most, sizeof *p->work.chosen, &p->work.chosen, &p->work.chosen_slots));
    if (p->domain->shared)
        TVGP__TRY(tvgp__domain_room(p->domain, most));
    return tvgp__tickets_reserve(p->ctx, &p->tickets, most, tvgp__query_points_pending(p), p->domain->dim);
}
