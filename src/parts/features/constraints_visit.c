/* SPDX-License-Identifier: MIT */
/* Constraints in snapshots (base/visit.h) (parts/features/constraints_visit.h). */
#include "parts/features/constraints_visit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "parts/features/constraints_risk.h"
#include "protocol/copies/snapshot.h"

#include <string.h>

static void visit_limit(tvgp__constraint *one, tvgp__visit *v) {
    int64_t flags = one->flags;
    tvgp__visit_int(v, &flags, 0, TVGP_AT_MOST | TVGP_OF_MEAN);
    one->flags = (uint32_t)flags;
    tvgp__visit_real(v, &one->bound, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &one->margin, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_tally(v, &one->outcomes);
    tvgp__visit_tally(v, &one->broken);
    tvgp__visit_tally(v, &one->broken_declared);
    tvgp__visit_tally(v, &one->maintained);
}

/* Which arms the declared points are. */
static void find_declared(const tvgp_policy *p, tvgp__constraints *l, tvgp__visit *v) {
    const size_t arms = tvgp__domain_entries(p->domain), dim = p->domain->dim;
    memset(l->is_declared, 0, arms);
    for (size_t i = 0; i < l->n_declared; i++) {
        const double *x = l->declared + i * dim;
        const int64_t arm = arms ? p->domain->ops->locate(p->domain, x) : -1;
        if (arm >= 0)
            l->is_declared[arm] = 1;
        else if (arms || !p->domain->ops->contains(p->domain, x))
            tvgp__visit_refuse(v, "an action before this that was declared safe is not of the domain");
    }
}

static void visit_declared(const tvgp_policy *p, tvgp__constraints *l, tvgp__visit *v) {
    const size_t arms = tvgp__domain_entries(p->domain), dim = p->domain->dim;
    size_t n = l->n_declared;
    tvgp__visit_count(v, &n, INT32_MAX, dim * sizeof *l->declared);
    if (tvgp__visit_loads(v)) {
        tvgp__visit_room(v, n * dim, sizeof *l->declared, &l->declared);
        tvgp__visit_room(v, arms, sizeof *l->is_declared, &l->is_declared);
    }
    if (!tvgp__visit_fine(v))
        return;
    l->n_declared = n;
    tvgp__visit_reals(v, n * dim, l->declared, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v))
        find_declared(p, l, v);
}

static void visit_ticket(tvgp__ticket *ticket, int64_t most, tvgp__visit *v) {
    int64_t open = ticket->open;
    int declared = ticket->declared;
    tvgp__visit_int(v, &open, 1, most);
    tvgp__visit_flag(v, &declared);
    tvgp__visit_real(v, &ticket->risk, 0, 1);
    ticket->open = (uint32_t)open & 0x1ffff;
    ticket->declared = declared != 0;
}

void tvgp__constraints_visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    tvgp__constraints *l = (tvgp__constraints *)g;
    tvgp__snapshot_visit_models(p, v);
    if (tvgp__visit_loads(v)) {
        l->n = tvgp__policy_outputs(p);
        for (size_t k = 0; k < l->n; k++)
            l->list[k].model = p->outputs->model[k];
        if (l->n)
            tvgp__visit_try(v, tvgp__constraints_risk_room(p->ctx, l, tvgp__domain_entries(p->domain)));
    }
    if (!tvgp__visit_fine(v))
        return;
    for (size_t k = 0; k < l->n; k++)
        visit_limit(&l->list[k], v);
    visit_declared(p, l, v);
    tvgp__visit_real(v, &l->spent, 0, TVGP__VISIT_MOST);
    tvgp__visit_tally(v, &l->fallbacks);
    tvgp__visit_tally(v, &l->widened);
    tvgp__visit_tally(v, &l->last_widening);
    tvgp__visit_tally(v, &l->looked);
    tvgp__visit_size(v, &l->count, 0, SIZE_MAX);
    const int64_t most = ((int64_t)2 << l->n) - 1;
    for (size_t i = p->tickets.first; tvgp__visit_fine(v) && i < p->tickets.first + p->tickets.count; i++)
        if (!p->tickets.list[i].taken)
            visit_ticket(&p->tickets.list[i], most, v);
}
