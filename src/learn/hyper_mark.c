/* SPDX-License-Identifier: MIT */
/* A reversible optimisation. Its state is the struct, the memory of the search and the kept curvature. The data of a
 * running optimisation do not change, and those of a new one are read again. */
#include "learn/hyper.h"

#include "base/valid_range.h"

#include <math.h>
#include <string.h>

void tvgp__hyper_mark(tvgp__hyper *h) {
    size_t room = tvgp__bfgs_room(h->p);
    *h->marked = *h;
    memcpy(h->marked_memory, h->search_memory, room * sizeof *h->search_memory);
    memcpy(h->marked_memory + room, h->curvature, h->p * h->p * sizeof *h->curvature);
}

void tvgp__hyper_undo(tvgp__hyper *h) {
    size_t room = tvgp__bfgs_room(h->p);
    tvgp_kernel *space = h->space, *time = h->time; /* those of the mark may be gone; each evaluation writes them */
    *h = *h->marked;
    h->space = space;
    h->time = time;
    memcpy(h->search_memory, h->marked_memory, room * sizeof *h->search_memory);
    memcpy(h->curvature, h->marked_memory + room, h->p * h->p * sizeof *h->curvature);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

void tvgp__hyper_visit_point(const tvgp__hyper *h, tvgp__hyper_point *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    tvgp__visit_reals(v, h->p, p->theta, -1e4, 1e4);
    tvgp__visit_real(v, &p->objective, -INFINITY, most);
    tvgp__visit_maybe(v, 1, &p->evidence, -INFINITY, most);
    tvgp__visit_real(v, &p->mean, -most, most);
    tvgp__visit_real(v, &p->scale, 0, most);
    tvgp__visit_real(v, &p->noise, 0, most);
    tvgp__visit_maybe(v, 1, &p->precision, 0, INFINITY);
    tvgp__visit_real(v, &p->compared, -INFINITY, most);
    tvgp__visit_real(v, &p->unit, 0, TVGP__VISIT_MOST);
}

/* The observations of a fit that is under way; others look at theirs first. */
static void visit_data(tvgp__hyper *h, tvgp__visit *v) {
    const double range = TVGP__VALID_RANGE_MOST;
    tvgp__visit_reals(v, h->n * h->space->dim, h->X, -range, range);
    tvgp__visit_reals(v, h->n, h->t, -range, range);
    tvgp__visit_reals(v, h->n, h->y, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_maybe(v, h->n, h->noise, 0, TVGP__VISIT_MOST);
    for (size_t i = 0; tvgp__visit_fine(v) && i < h->n; i++)
        tvgp__visit_int(v, &h->segment[i], i ? h->segment[i - 1] : 0, TVGP__VISIT_TALLY); /* they do not fall */
    tvgp__visit_reals(v, h->n, h->count, 1, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, h->n, h->within, 0, TVGP__VISIT_MOST);
}

static void visit_search(tvgp__hyper *h, tvgp__visit *v) {
    tvgp__bfgs *b = &h->search;
    const double most = TVGP__VISIT_MOST;
    int64_t tried = b->tried, iterations = b->iterations;
    if (tvgp__visit_loads(v)) /* for its pointers */
        tvgp__bfgs_open(b, h->p, h->search_memory, &h->rules, h->lower, h->upper, h->centre, NULL);
    tvgp__visit_real(v, &b->f, -most, INFINITY);
    tvgp__visit_reals(v, h->p * h->p, b->B, -most, most);
    tvgp__visit_reals(v, h->p, b->x, -1e4, 1e4);
    tvgp__visit_reals(v, h->p, b->g, -most, most);
    tvgp__visit_reals(v, h->p, b->trial, -1e4, 1e4);
    tvgp__visit_reals(v, h->p, b->d, -most, most);
    tvgp__visit_real(v, &b->a, 0, most);
    tvgp__visit_int(v, &tried, 0, INT32_MAX);
    tvgp__visit_flag(v, &b->fresh);
    tvgp__visit_int(v, &iterations, 0, INT32_MAX);
    b->tried = (int)tried;
    b->iterations = (int)iterations;
}

/* The start that comes next. */
static void visit_start(tvgp__hyper *h, tvgp__visit *v) {
    int64_t next = h->cold_next;
    tvgp__visit_int(v, &next, 0, 2);
    h->cold_next = (int)next;
}

/* Visits what was computed from the outcomes behind the data. */
static void visit_answers(tvgp__hyper *h, tvgp__visit *v) {
    tvgp__visit_real(v, &h->answers, 0, TVGP__VISIT_MOST);
    tvgp__visit_maybe(v, 1, &h->declared, 0, TVGP__VISIT_MOST);
}

void tvgp__hyper_visit(tvgp__hyper *h, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    tvgp__visit_flag(v, &h->running);
    visit_start(h, v);
    tvgp__visit_size(v, &h->n, 0, h->spec.window);
    tvgp__visit_real(v, &h->b0, 0, most);
    tvgp__visit_real(v, &h->step, 0, most);
    tvgp__visit_flag(v, &h->plain);
    tvgp__visit_reals(v, h->p, h->centre, -1e4, 1e4);
    tvgp__visit_reals(v, h->p, h->lower, -1e4, 1e4);
    tvgp__visit_reals(v, h->p, h->upper, -1e4, 1e4);
    visit_answers(h, v);
    tvgp__visit_size(v, &h->curvature_n, 0, UINT32_MAX);
    tvgp__visit_size(v, &h->cold_n, 0, UINT32_MAX);
    tvgp__hyper_visit_point(h, &h->best, v);
    if (h->curvature_n)
        tvgp__visit_reals(v, h->p * h->p, h->curvature, -most, most);
    if (!h->running || !tvgp__visit_fine(v))
        return;
    visit_data(h, v);
    visit_search(h, v);
}
