/* SPDX-License-Identifier: MIT */
/* Returns a mixture to an earlier state and repeats the observations after it (model/kalman_mixture_delayed.h). */
#include "model/kalman_mixture_delayed.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <math.h>
#include <string.h>

typedef tvgp__kalman_mixture_delayed late;

static size_t slots(const late *l) {
    return 2 * l->limit + 2;
}

tvgp_status tvgp__kalman_mixture_delayed_new(tvgp__kalman_mixture *b, size_t limit) {
    tvgp_ctx *ctx = b->base.ctx;
    TVGP__TRY(tvgp__memory_alloc(ctx, 1, sizeof *b->late, &b->late));
    *b->late = (late){.ctx = ctx, .limit = limit, .kept = {.ctx = ctx, .dim = b->box ? b->base.kernel->dim : 0}};
    return tvgp__observations_reserve(&b->late->kept, slots(b->late));
}

void tvgp__kalman_mixture_delayed_free(tvgp__kalman_mixture *b) {
    late *l = b->late;
    if (!l)
        return;
    tvgp__observations_free(&l->kept);
    tvgp__memory_free(l->ctx, l);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static tvgp__kalman_filter *filter_of(tvgp__kalman_mixture *b, size_t which) {
    return &b->set.filter[b->set.count - 2 + which];
}

/* State `which` becomes that of now. */
static void keep(tvgp__kalman_mixture *b, size_t which) {
    const tvgp__posterior *p = &b->base;
    tvgp__kalman_filter *to = filter_of(b, which);
    b->late->past[which] = (tvgp__kalman_mixture_past){.now = p->now,
                                                       .newest = b->newest,
                                                       .log_marginal_likelihood = p->log_marginal_likelihood,
                                                       .log_det_ratio = p->log_det_ratio,
                                                       .observations = p->counts.observations,
                                                       .member = b->member[0]};
    to->drift = b->set.filter[0].drift;
    tvgp__kalman_filter_copy(&b->set, to, &b->set.filter[0]);
}

static void restore(tvgp__kalman_mixture *b, size_t which) {
    const tvgp__kalman_mixture_past *past = &b->late->past[which];
    b->base.now = past->now;
    b->newest = past->newest;
    b->base.log_marginal_likelihood = past->log_marginal_likelihood;
    b->base.log_det_ratio = past->log_det_ratio;
    b->base.counts.observations = past->observations;
    b->member[0] = past->member;
    tvgp__kalman_filter_copy(&b->set, &b->set.filter[0], filter_of(b, which));
    b->base.own.stale = !b->box;
    b->base.own.moments.valid = 0;
}

void tvgp__kalman_mixture_delayed_clear(tvgp__kalman_mixture *b) {
    const tvgp__kalman_filter *now = &b->set.filter[0];
    for (size_t i = 0; i < 2; i++) {
        b->late->past[i] = (tvgp__kalman_mixture_past){.now = -INFINITY, .newest = -INFINITY, .member = b->member[0]};
        tvgp__kalman_filter_start(&b->set, filter_of(b, i), &now->drift, now->prior, now->level);
    }
    b->late->kept.n = b->late->in_newer = b->late->newer = 0;
}

void tvgp__kalman_mixture_delayed_copy(const late *from, late *to) {
    memcpy(to->past, from->past, sizeof to->past);
    to->newer = from->newer;
    to->in_newer = from->in_newer;
    for (size_t i = 0; i < from->kept.n; i++)
        tvgp__observations_add(&to->kept, &from->kept.list[i], NULL);
}

/* ---- observations ------------------------------------------------------------------------------------------------ */

/* How many were taken by time t. */
static size_t taken_by(const late *l, double t) {
    size_t k = l->kept.n;
    while (k && l->kept.list[k - 1].reported > t)
        k--;
    return k;
}

int tvgp__kalman_mixture_delayed_reaches(const tvgp__kalman_mixture *b, double t) {
    const late *l = b->late;
    const size_t k = taken_by(l, t);
    return l->kept.n - k <= l->limit && (k || l->past[1 - l->newer].now <= t);
}

size_t tvgp__kalman_mixture_delayed_add(tvgp__kalman_mixture *b, const tvgp__observation *seen, const double *x) {
    late *l = b->late;
    const size_t k = taken_by(l, seen->reported);
    tvgp__observations_insert(&l->kept, k, seen, x);
    l->in_newer += seen->reported < l->past[l->newer].now;
    return k;
}

void tvgp__kalman_mixture_delayed_keep(tvgp__kalman_mixture *b) {
    late *l = b->late;
    if (l->kept.n - l->in_newer < l->limit)
        return;
    tvgp__observations_drop(&l->kept, l->in_newer);
    l->newer = 1 - l->newer;
    l->in_newer = l->kept.n;
    keep(b, l->newer);
}

size_t tvgp__kalman_mixture_delayed_back(tvgp__kalman_mixture *b, size_t k) {
    late *l = b->late;
    const int inside = k < l->in_newer;
    restore(b, inside ? 1 - l->newer : l->newer);
    return inside ? 0 : l->in_newer;
}

/* Where the newer state knows more than `limit`, the older one takes its oldest, so that there is room. */
void tvgp__kalman_mixture_delayed_repeated(tvgp__kalman_mixture *b, size_t i) {
    late *l = b->late;
    if (i == 0 && l->in_newer > l->limit)
        keep(b, 1 - l->newer);
    if (i + 1 == l->in_newer)
        keep(b, l->newer);
}

void tvgp__kalman_mixture_delayed_end(tvgp__kalman_mixture *b) {
    late *l = b->late;
    if (l->in_newer > l->limit) {
        tvgp__observations_drop(&l->kept, 1);
        l->in_newer--;
    }
    tvgp__kalman_mixture_delayed_keep(b);
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

static void visit_past(tvgp__kalman_mixture_past *past, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    tvgp__visit_real(v, &past->now, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &past->newest, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &past->log_marginal_likelihood, -most, most);
    tvgp__visit_real(v, &past->log_det_ratio, -most, most);
    tvgp__visit_tally_size(v, &past->observations);
}

void tvgp__kalman_mixture_delayed_visit(tvgp__kalman_mixture *b, tvgp__visit *v) {
    const double range = TVGP__VALID_RANGE_MOST, most = TVGP__VISIT_MOST;
    late *l = b->late;
    for (size_t i = 0; i < 2; i++) {
        visit_past(&l->past[i], v);
        if (tvgp__visit_loads(v))
            l->past[i].member = b->member[0]; /* the only one there is: its weight is 1 */
        if (tvgp__visit_loads(v) && !filter_of(b, i)->states)
            tvgp__visit_refuse(v, "a state of the past has no filter");
    }
    tvgp__visit_size(v, &l->newer, 0, 1);
    tvgp__visit_size(v, &l->kept.n, 0, slots(l) - 1);
    tvgp__visit_size(v, &l->in_newer, 0, l->kept.n);
    for (size_t i = 0; tvgp__visit_fine(v) && i < l->kept.n; i++) {
        tvgp__observation *seen = &l->kept.list[i];
        tvgp__visit_real(v, &seen->reported, i ? seen[-1].reported : -range, range);
        tvgp__visit_real(v, &seen->t, -range, range);
        tvgp__visit_real(v, &seen->y, -most, most);
        tvgp__visit_real(v, &seen->noise, 0, most);
        tvgp__visit_flag(v, &seen->assumed);
        if (l->kept.dim)
            tvgp__visit_reals(v, l->kept.dim, l->kept.X + i * l->kept.dim, -range, range);
        else
            tvgp__visit_indices(v, 1, &seen->arm, tvgp__posterior_arms(&b->base));
    }
    if (tvgp__visit_loads(v) && tvgp__visit_fine(v) && (l->in_newer > l->limit || l->kept.n - l->in_newer >= l->limit))
        tvgp__visit_refuse(v, "more observations than the states of the past serve for");
}
