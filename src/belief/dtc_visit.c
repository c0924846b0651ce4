/* SPDX-License-Identifier: MIT */
/* The Nystrom posterior in snapshots. */
#include "belief/dtc.h"

#include "base/range.h"

static void visit_features(tvgp__dtc *d, tvgp__visit *v) {
    tvgp__weights *f = &d->features;
    size_t r = f->basis.r;
    tvgp__visit_count(v, &r, d->base.n, sizeof(double));
    if (tvgp__visit_loads(v) && r && r > (v->end - v->at) / sizeof(double) / r)
        tvgp__visit_refuse(v, "there are more features than bytes for them");
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, tvgp__weights_reserve(f, r, &d->feature_slots)))
        f->basis.r = r;
    if (!tvgp__visit_fine(v) || !r)
        return;
    tvgp__visit_indices(v, r, f->basis.pivot, d->base.n);
    tvgp__visit_triangle(v, r, f->basis.L, r);
    tvgp__visit_real(v, &f->scale, 1e-200, 1e200);
    tvgp__visit_reals(v, tvgp__weights_triangle(r), f->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__dtc_find_again(d));
}

static void visit_exact(tvgp__dtc *d, int exact, tvgp__visit *v) {
    if (tvgp__visit_loads(v) && exact && !d->exact)
        tvgp__visit_try(v, tvgp__dtc_begin_exact(d, d->noise));
    if (tvgp__visit_loads(v) && !exact)
        tvgp__dtc_drop_exact(d);
    if (tvgp__visit_fine(v) && exact)
        tvgp__belief_visit(d->exact, v);
}

/* More members than arms say that the exact posterior is kept. */
void tvgp__dtc_visit(tvgp__belief *base, tvgp__visit *v) {
    tvgp__dtc *d = (tvgp__dtc *)base;
    if (tvgp__visit_loads(v))
        tvgp__dtc_forget(d, d->pulls.n);
    tvgp__log_visit(&d->pulls, base->n, v);
    tvgp__visit_size(v, &d->known, 0, d->pulls.n);
    size_t members = d->exact ? base->n + 1 : d->members;
    tvgp__visit_size(v, &members, 0, base->n + 1);
    int exact = members > base->n;
    d->members = exact ? 0 : members;
    tvgp__visit_size(v, &d->dropped, 0, INT64_MAX);
    if (tvgp__visit_loads(v))
        tvgp__visit_try(v, tvgp__dtc_room(d, d->pulls.n));
    for (size_t i = 0; tvgp__visit_loads(v) && i < d->pulls.n; i++) {
        if (!(d->pulls.list[i].noise >= TVGP__RANGE_LEAST * 1e-10))
            tvgp__visit_refuse(v, "a pull has no noise");
        else
            tvgp__dtc_tally(d, &d->pulls.list[i]);
    }
    base->logged = d->pulls.n;
    visit_features(d, v);
    visit_exact(d, exact, v);
}
