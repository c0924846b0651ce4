/* SPDX-License-Identifier: MIT */
#include "belief/exact_rows.h"

#include "base/range.h"

#include <math.h>

static void visit_rows(tvgp__exact *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST, least = 1e-10 * TVGP__RANGE_LEAST;
    size_t n = p->factor.n;
    tvgp__visit_reals(v, n * p->base.kernel->dim, p->X, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_reals(v, n, p->t, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_reals(v, n, p->y, -most, most);
    tvgp__visit_reals(v, n, p->noise, least, most);
    tvgp__visit_reals(v, n, p->prior, 0, TVGP__RANGE_MOST);
    tvgp__visit_reals(v, n, p->sigma, least, most);
    tvgp__visit_reals(v, n, p->z, -most, most);
}

/* Room for the rows of a snapshot in place of those there are. */
static void make_room(tvgp__exact *p, size_t n, tvgp__visit *v) {
    if (!tvgp__visit_loads(v))
        return;
    if (n && (n + 1) / 2 > (v->end - v->at) / sizeof *p->W / n)
        tvgp__visit_refuse(v, "there are more rows than bytes for them");
    p->factor.n = 0;
    if (tvgp__visit_fine(v) && tvgp__visit_try(v, tvgp__exact_rows_reserve(p, n)))
        p->factor.n = n;
}

void tvgp__exact_rows_visit(tvgp__belief *b, tvgp__visit *v) {
    tvgp__exact *p = (tvgp__exact *)b;
    const double most = TVGP__VISIT_MOST;
    size_t n = p->factor.n;
    tvgp__visit_flag(v, &p->fitted);
    tvgp__visit_real(v, &p->at, -INFINITY, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &p->newest, -INFINITY, TVGP__RANGE_MOST);
    tvgp__visit_size(v, &p->dropped, 0, INT64_MAX);
    if (p->compared)
        tvgp__visit_real(v, &p->foretold, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_count(v, &n, p->limit ? p->limit : INT32_MAX, sizeof *p->W);
    make_room(p, n, v);
    if (!tvgp__visit_fine(v))
        return;
    visit_rows(p, v);
    for (size_t j = 0; p->aging && j < n; j++) /* K above the diagonal */
        tvgp__visit_reals(v, j, p->W + j * p->slots, -most, most);
    if (p->aging && !p->fitted) /* L and W come with the next fit */
        return;
    tvgp__visit_size(v, &p->factor.jitter, 0, INT64_MAX);
    tvgp__visit_triangle(v, n, p->factor.L, p->factor.capacity);
    tvgp__visit_triangle(v, n, p->W, p->slots);
    for (size_t i = 0; tvgp__visit_loads(v) && i < n; i++)
        if (!(p->factor.L[i * (p->factor.capacity + 1)] > 0) || !(p->W[i * (p->slots + 1)] > 0))
            tvgp__visit_refuse(v, "a pivot is not positive");
}
