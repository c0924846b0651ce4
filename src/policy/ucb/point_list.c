/* SPDX-License-Identifier: MIT */
/* A list of arms, points of a box, or actions in measured contexts, each with its arm and its point, so that code that iterates
 * over them need not distinguish these (policy/ucb/point_list.h). */
#include "policy/ucb/point_list.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <string.h>

tvgp__point_list tvgp__point_list_of(const tvgp_domain *domain, size_t behind) {
    return (tvgp__point_list){.ctx = domain->ctx, .dim = domain->dim, .stride = domain->dim + behind};
}

void tvgp__point_list_free(tvgp__point_list *list) {
    tvgp__memory_free(list->ctx, list->arm);
    tvgp__memory_free(list->ctx, list->X);
}

tvgp_status tvgp__point_list_reserve(tvgp__point_list *list, size_t n) {
    TVGP__TRY(tvgp__memory_reserve(list->ctx, n, sizeof *list->arm, &list->arm, &list->arm_slots));
    return tvgp__memory_reserve(list->ctx, n, list->stride * sizeof *list->X, &list->X, &list->point_slots);
}

double *tvgp__point_list_point(const tvgp__point_list *list, size_t i) {
    return list->X + i * list->stride;
}

void tvgp__point_list_add(tvgp__point_list *list, size_t arm, const double *x) {
    list->arm[list->n] = arm;
    memcpy(tvgp__point_list_point(list, list->n++), x, list->dim * sizeof *x);
}

void tvgp__point_list_drop(tvgp__point_list *list) {
    list->n--;
    memmove(list->arm, list->arm + 1, list->n * sizeof *list->arm);
    memmove(list->X, tvgp__point_list_point(list, 1), list->n * list->stride * sizeof *list->X);
}

int tvgp__point_list_has(const tvgp__point_list *list, const double *x) {
    size_t i = 0;
    while (i < list->n && memcmp(tvgp__point_list_point(list, i), x, list->dim * sizeof *x) != 0)
        i++;
    return i < list->n;
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/* Where arms have points, the arm says it all. */
void tvgp__point_list_visit_count(tvgp__point_list *list, const tvgp_domain *d, size_t most, tvgp__visit *v) {
    size_t n = list->n;
    tvgp__visit_count(v, &n, most, d->n ? sizeof(uint32_t) : list->dim * sizeof *list->X);
    if (!tvgp__visit_loads(v))
        return;
    list->n = 0;
    if (tvgp__visit_try(v, tvgp__point_list_reserve(list, n)))
        list->n = n;
}

static void visit_points(tvgp__point_list *list, tvgp__visit *v) {
    for (size_t i = 0; tvgp__visit_fine(v) && i < list->n; i++)
        tvgp__visit_reals(v, list->dim, tvgp__point_list_point(list, i), -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
}

void tvgp__point_list_visit(tvgp__point_list *list, const tvgp_domain *d, tvgp__visit *v) {
    if (!d->n)
        visit_points(list, v);
    if (d->total)
        tvgp__visit_indices(v, list->n, list->arm, d->total);
    for (size_t i = 0; tvgp__visit_loads(v) && i < list->n; i++)
        if (d->n)
            memcpy(tvgp__point_list_point(list, i), d->X + list->arm[i] * d->dim, d->dim * sizeof *list->X);
        else if (!d->total)
            list->arm[i] = SIZE_MAX;
}
