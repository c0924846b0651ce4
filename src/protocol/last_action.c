/* SPDX-License-Identifier: MIT */
/* The last action of a policy: the newest one asked whose outcome is not FAILED or CANCELLED (protocol/last_action.h). */
#include "protocol/last_action.h"

#include "base/valid_range.h"
#include "protocol/query_points.h"
#include "space/domain/product.h"

#include <math.h>
#include <string.h>

/* ---- distances -------------------------------------------------------------------------------------------------- */

double tvgp__last_action_distance(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sqrt(sum);
}

size_t tvgp__last_action_action(const tvgp_policy *p, size_t arm) {
    const size_t contexts = tvgp__product_contexts(p->domain);
    return contexts ? arm / contexts : arm;
}

double tvgp__last_action_between(const tvgp_policy *p, size_t a, size_t b) {
    return p->domain->indices || tvgp__last_action_action(p, a) == tvgp__last_action_action(p, b)
               ? 0
               : tvgp__last_action_distance(tvgp__product_action_dim(p->domain), tvgp__query_points_choice(p, a),
                                            tvgp__query_points_choice(p, b));
}

/* ---- the last action -------------------------------------------------------------------------------------------- */

static void carry(const tvgp_policy *p, const double *last, double *x) {
    const double *lower = p->within->bounds, *upper = lower + p->domain->dim;
    for (size_t d = 0; d < p->domain->dim; d++)
        x[d] = lower[d] == upper[d] ? lower[d] : last[d];
}

int tvgp__last_action_last(const tvgp_policy *p, size_t *arm, double *x) {
    const tvgp__ticket *ticket =
        NULL; /* the newest action that may still be reported as failed; those that time out do not fail */
    for (size_t i = p->tickets.first + p->tickets.count; !ticket && i > p->tickets.first; i--)
        if (p->tickets.list[i - 1].kind == TVGP_ACTION && tvgp__tickets_open_still(&p->tickets.list[i - 1]))
            ticket = &p->tickets.list[i - 1];
    const int pends = ticket && ticket->step > p->position.step;
    if (!pends && !p->position.step)
        return 0;
    *arm = pends ? ticket->arm : p->position.arm;
    if (tvgp__domain_is_box(p->domain))
        carry(p, pends ? tvgp__query_points_ticket(p, ticket) : p->within->last_x, x);
    return 1;
}

void tvgp__last_action_outcome(tvgp_policy *p, const tvgp__ticket *ticket) {
    tvgp__last_action *s = &p->position;
    if (ticket->kind != TVGP_ACTION || ticket->step <= s->step)
        return;
    s->step = ticket->step;
    s->arm = ticket->arm;
    if (tvgp__domain_is_box(p->domain))
        memcpy(p->within->last_x, tvgp__query_points_ticket(p, ticket), p->domain->dim * sizeof(double));
}

void tvgp__last_action_ask(tvgp_policy *p, size_t arm, const double *x) {
    double from[TVGP__SEARCH_SPACE_MOST], far = 0;
    size_t before;
    if (!tvgp__last_action_last(p, &before, from))
        return;
    const int box = tvgp__domain_is_box(p->domain);
    int moves = !box && tvgp__last_action_action(p, arm) != tvgp__last_action_action(p, before);
    if (box) {
        far = tvgp__last_action_distance(p->domain->dim, x, from);
        moves = far > 0;
    } else if (moves)
        far = tvgp__last_action_between(p, arm, before);
    p->position.moves += moves;
    p->position.way = fmin(p->position.way + far, TVGP__VISIT_MOST);
}

void tvgp__last_action_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__last_action *s = &p->position;
    if (tvgp__visit_loads(v))
        *s = (tvgp__last_action){0};
    tvgp__visit_int(v, &s->step, 0, p->counts.asked);
    if (tvgp__domain_is_box(p->domain))
        tvgp__visit_reals(v, p->domain->dim, p->within->last_x, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    else
        tvgp__visit_indices(v, 1, &s->arm, p->domain->total);
    tvgp__visit_tally(v, &s->moves);
    tvgp__visit_real(v, &s->way, 0, TVGP__VISIT_MOST);
}
