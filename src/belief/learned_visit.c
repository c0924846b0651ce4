/* SPDX-License-Identifier: MIT */
/* A posterior that learns in snapshots. Posteriors and kernels are made again from the parameters they had, where a handle does
 * not hold such ones already. */
#include "belief/learned.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

#include <math.h>
#include <string.h>

/* The posterior of a model, for the parameters it has, which stand in `point`. */
static void take_over(tvgp__learned *l, tvgp__learned_model *m, const tvgp__hyper_point *point, tvgp__visit *v) {
    int same = m->inner && memcmp(point->theta, m->point.theta, l->hyper->p * sizeof *point->theta) == 0 &&
               point->scale == m->point.scale && point->noise == m->point.noise;
    if (!same) {
        tvgp__learned_model fresh = {0};
        if (!tvgp__visit_made(v, tvgp__learned_make(l, point, &fresh), "the parameters before this make no posterior"))
            return;
        if (m == &l->use) {
            tvgp__kernel_release(l->base.kernel);
            l->base.kernel = tvgp__kernel_retain(fresh.kernel);
            memcpy(l->base.prior, fresh.inner->prior, l->base.n * sizeof *l->base.prior);
        }
        tvgp__learned_free_model(m);
        *m = fresh;
        if (m == &l->use && l->spec.adopted)
            l->spec.adopted(l->spec.arg, m->inner, m->rate);
    }
    m->point = *point;
}

static void visit_model(tvgp__learned *l, tvgp__learned_model *m, tvgp__visit *v) {
    tvgp__hyper_point point = m->point;
    tvgp__hyper_visit_point(l->hyper, &point, v);
    if (tvgp__visit_loads(v))
        take_over(l, m, &point, v);
    if (tvgp__visit_fine(v))
        tvgp__belief_visit(m->inner, v);
}

static void visit_log(tvgp__learned *l, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    int64_t keep = l->spec.rules.keep, told = l->told;
    tvgp__visit_int(v, &told, 0, INT64_MAX);
    size_t kept = (size_t)(told < keep ? told : keep);
    tvgp__visit_count(v, &kept, kept, 48);
    if (tvgp__visit_loads(v)) {
        if (kept != (size_t)(told < keep ? told : keep))
            tvgp__visit_refuse(v, "the log has another length");
        l->log.n = 0;
        l->told = 0;
        if (tvgp__visit_fine(v) && tvgp__visit_try(v, tvgp__learned_reserve(l, kept))) {
            l->log.n = kept;
            l->told = told;
        }
    }
    for (size_t i = l->log.n - kept; tvgp__visit_fine(v) && i < l->log.n; i++) {
        tvgp__record *r = &l->log.list[i];
        tvgp__learned_note *note = &l->notes[i];
        if (tvgp__visit_loads(v))
            *r = (tvgp__record){0};
        if (l->log.dim)
            tvgp__visit_reals(v, l->log.dim, l->log.X + i * l->log.dim, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
        else
            tvgp__visit_indices(v, 1, &r->arm, l->base.n);
        tvgp__visit_real(v, &r->t, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
        tvgp__visit_real(v, &r->y, -most, most);
        tvgp__visit_maybe(v, 1, &r->noise, 0, most);
        tvgp__visit_real(v, &note->ratio, 0, INFINITY);
        tvgp__visit_real(v, &note->ratio_next, 0, INFINITY);
        tvgp__visit_int(v, &l->segments[i], 0, INT64_MAX);
    }
}

/* Observations that `next` is to be shown before what was told since. */
static void visit_cells(tvgp__learned *l, tvgp__visit *v) {
    const double range = TVGP__RANGE_MOST, most = TVGP__VISIT_MOST;
    tvgp__visit_count(v, &l->cells.n, l->cells.most, 36);
    for (size_t i = 0; tvgp__visit_fine(v) && i < l->cells.n; i++) {
        tvgp__cell *cell = &l->cells.list[i];
        tvgp__visit_indices(v, 1, &cell->arm, l->base.n);
        tvgp__visit_real(v, &cell->t, -range, range);
        tvgp__visit_real(v, &cell->y, -most, most);
        tvgp__visit_maybe(v, 1, &cell->noise, 0, most);
        tvgp__visit_real(v, &cell->count, 1, most);
    }
}

/* What `next` is shown (of use while there is one), and how far that has come. Version 1 showed what was told, one by one. */
static void visit_shown(tvgp__learned *l, int showing, tvgp__visit *v) {
    if (tvgp__visit_loads(v)) {
        l->fit_cell = 0;
        l->from = l->shown = l->ahead = 0;
        l->cells.n = 0;
    }
    if (v->version >= 2)
        tvgp__visit_real(v, &l->fit_cell, 0, INFINITY);
    if (v->version >= 2 && showing) {
        tvgp__visit_int(v, &l->from, 0, l->told);
        visit_cells(l, v);
    }
    if (v->version < 2 || showing) {
        const int64_t end = tvgp__visit_fine(v) ? tvgp__learned_end_of_showing(l) : 0;
        tvgp__visit_int(v, &l->shown, 0, end);
        tvgp__visit_int(v, &l->ahead, 0, end);
    }
}

static void visit_counts(tvgp__learned *l, tvgp__visit *v) {
    int64_t wanted = l->wanted;
    tvgp__visit_int(v, &l->segment, 0, INT64_MAX);
    tvgp__visit_int(v, &l->fitted_ask, INT64_MIN, INT64_MAX);
    tvgp__visit_flag(v, &l->fitted);
    tvgp__visit_int(v, &wanted, 0, 2);
    tvgp__visit_real(v, &l->scale, 0, TVGP__VISIT_MOST);
    tvgp__visit_int(v, &l->fit_told, 0, l->told);
    visit_shown(l, wanted == 2, v);
    tvgp__visit_int(v, &l->ask, -1, INT64_MAX);
    tvgp__visit_int(v, &l->evals_left, INT64_MIN, INT64_MAX);
    tvgp__visit_int(v, &l->rows_left, INT64_MIN, INT64_MAX);
    tvgp__visit_int(v, &l->fits, 0, INT64_MAX);
    tvgp__visit_int(v, &l->evals, 0, INT64_MAX);
    tvgp__visit_int(v, &l->adoptions, 0, INT64_MAX);
    tvgp__visit_int(v, &l->failures, 0, INT64_MAX);
    tvgp__hyper_visit_point(l->hyper, &l->last, v);
    tvgp__hyper_visit_point(l->hyper, &l->check, v);
    l->wanted = (int)wanted;
}

void tvgp__learned_visit(tvgp__belief *b, tvgp__visit *v) {
    tvgp__learned *l = (tvgp__learned *)b;
    int next = l->next.inner != NULL;
    visit_model(l, &l->use, v);
    tvgp__visit_flag(v, &next);
    if (next && tvgp__visit_fine(v))
        visit_model(l, &l->next, v);
    else if (tvgp__visit_loads(v))
        tvgp__learned_free_model(&l->next);
    visit_log(l, v);
    visit_counts(l, v);
    if (tvgp__visit_loads(v) && (l->wanted == 2) != next)
        tvgp__visit_refuse(v, "a posterior is shown the log and is not there");
    if (tvgp__visit_fine(v))
        tvgp__hyper_visit(l->hyper, v);
}
