/* SPDX-License-Identifier: MIT */
#include "frame/limits_visit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "frame/policy_ops.h"

#include <string.h>

static void visit_limit(tvgp__limit *one, tvgp__visit *v) {
    int64_t flags = one->flags;
    tvgp__visit_int(v, &flags, 0, TVGP_AT_MOST | TVGP_OF_MEAN);
    one->flags = (uint32_t)flags;
    tvgp__visit_real(v, &one->bound, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &one->margin, 0, TVGP__RANGE_MOST);
    tvgp__visit_tally(v, &one->told);
    tvgp__visit_tally(v, &one->broken);
    tvgp__visit_tally(v, &one->broken_declared);
    tvgp__visit_tally(v, &one->tended);
}

/* Which arms the declared points are. */
static void find_declared(const tvgp_policy *p, tvgp__visit *v) {
    tvgp__limits *l = p->limits;
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

static void visit_declared(tvgp_policy *p, tvgp__visit *v) {
    tvgp__limits *l = p->limits;
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
    tvgp__visit_reals(v, n * dim, l->declared, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    if (tvgp__visit_loads(v))
        find_declared(p, v);
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

void tvgp__limits_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__limits *l = p->limits;
    for (size_t k = 0; k < l->n; k++)
        visit_limit(&l->list[k], v);
    visit_declared(p, v);
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

void tvgp__limits_visit_none(tvgp_policy *p) {
    if (!p->limits)
        return;
    p->limits->n_declared = 0;
    if (p->limits->is_declared)
        memset(p->limits->is_declared, 0, tvgp__domain_entries(p->domain));
}

void tvgp__limits_visit_move(tvgp__limits *from, tvgp__limits *to) {
    for (size_t k = 0; from && to && k < from->n; k++) {
        tvgp__limit *a = &from->list[k], *b = &to->list[k];
        b->model = a->model;
        b->mean = a->mean;
        b->var = a->var;
        a->model = NULL;
        a->mean = a->var = NULL;
    }
    if (!from || !to || !from->n)
        return;
    to->safe = from->safe;
    to->own = from->own;
    from->safe = NULL;
    from->own = NULL;
}

tvgp_status tvgp__limits_visit_like(tvgp_ctx *ctx, const tvgp__limits *l, tvgp__limits **out) {
    if (!l)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof **out, out));
    (*out)->n = l->n;
    return TVGP_OK;
}
