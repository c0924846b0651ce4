/* SPDX-License-Identifier: MIT */
/* When the columns U of a filter become part of R, and of whose R: in turns, or, of few weights, as soon as that makes fewer
 * numbers to keep (gp/filter.h). */
#include "gp/filter.h"

#include <string.h>

enum { SMALL = 32 };             /* weights of a filter that has no turns */
static const double NEAR = 0.25; /* how small the determinant of N may be for a way back */

void tvgp__filter_leave_core(tvgp__filter *f) {
    if (f->core)
        f->core->users--;
    f->core = NULL;
}

static int owns(const tvgp__filter *f) {
    return f->core && f->core->users == 1 && f->core->states == f->states;
}

tvgp__filter_core *tvgp__filter_find_free(const tvgp__filters *set, const tvgp__filter *f) {
    const size_t all = set->ones + set->twos;
    const size_t first = f->w ? all : f->states == 1 ? 0 : set->ones;
    const size_t end = f->w ? all + set->seasons : f->states == 1 ? set->ones : all;
    for (size_t i = first; i < end; i++)
        if (!set->cores[i].users)
            return &set->cores[i];
    return NULL;
}

static int serves_two(const tvgp__filters *set, const tvgp__filter_core *core, const tvgp__filter *but) {
    for (size_t j = 0; j < set->count; j++)
        if (&set->filter[j] != but && set->filter[j].core == core && set->filter[j].states == 2)
            return 1;
    return 0;
}

/* R of now, in a core of the filter's own. Of one state there is always one free, or the filter's. Of two there are as many
 * as filters of two, so when none is free there is one at which, beside this filter, only filters of one state look, copies
 * that have not had their turn: they move out. */
static void move_out(tvgp__filters *set, tvgp__filter *f) {
    size_t r = tvgp__filter_rank(set, f), crowded = set->ones;
    if (!owns(f) && !tvgp__filter_find_free(set, f)) {
        while (serves_two(set, &set->cores[crowded], f))
            crowded++;
        for (size_t j = 0; j < set->count; j++)
            if (&set->filter[j] != f && set->filter[j].core == &set->cores[crowded])
                tvgp__filter_settle(set, &set->filter[j]);
    }
    tvgp__filter_core *core = f->core, *to = owns(f) ? core : tvgp__filter_find_free(set, f);
    if (core)
        tvgp__filter_core_transform(core, r, (const double(*)[2])f->N, to);
    else
        tvgp__filter_core_clear(to, r);
    tvgp__filter_leave_core(f);
    to->users = 1;
    f->core = to;
    memcpy(f->N, (const double[2][2]){{1, 0}, {0, 1}}, sizeof f->N);
}

/* U as it would have been when N was 1, where that is not long ago: then R stays as it is. */
static int go_back(const tvgp__filters *set, tvgp__filter *f) {
    const size_t r = tvgp__filter_rank(set, f);
    const double a = f->N[0][0], b = f->N[0][1], c = f->N[1][0], d = f->states == 1 ? 1 : f->N[1][1];
    const double det = f->states == 1 ? a : a * d - b * c;
    if (det < NEAR)
        return 0;
    const tvgp__law_transition back = {.M = {{d / det, -b / det}, {-c / det, a / det}}};
    for (size_t k = 0; k < f->fresh; k++)
        tvgp__filter_move(f, &back, r, f->U + 2 * k * r);
    return 1;
}

void tvgp__filter_settle(tvgp__filters *set, tvgp__filter *f) {
    if (!owns(f) || !go_back(set, f))
        move_out(set, f);
    tvgp__filter_core_add(f->core, tvgp__filter_rank(set, f), f->fresh, f->U);
    f->fresh = 0;
}

static int is_small(const tvgp__filters *set, const tvgp__filter *f) {
    return tvgp__filter_rank(set, f) <= SMALL;
}

/* Numbers of an R of its own, and of U. */
static size_t of_core(const tvgp__filters *set, const tvgp__filter *f, size_t states) {
    const size_t m = states * tvgp__filter_rank(set, f);
    return m * (m + 1) / 2;
}

static size_t of_fresh(const tvgp__filters *set, const tvgp__filter *f) {
    return f->fresh * f->states * tvgp__filter_rank(set, f);
}

void tvgp__filter_settle_small(tvgp__filters *set, tvgp__filter *f) {
    size_t now = f->core ? of_core(set, f, f->core->states) : 0, apart = 0;
    if (!is_small(set, f))
        return;
    for (size_t j = 0; f->core && j < set->count; j++)
        if (set->filter[j].core == f->core) {
            now += of_fresh(set, &set->filter[j]);
            apart += of_core(set, &set->filter[j], set->filter[j].states);
        }
    if (of_fresh(set, f) > of_core(set, f, f->states) || now > apart)
        tvgp__filter_settle(set, f);
}

/* R is written at every turn once it is there; before, U serves until it has as many columns as come between turns. */
void tvgp__filter_turns(tvgp__filters *set) {
    for (size_t j = set->turn; j < set->count; j += TVGP__FILTER_TURN) {
        tvgp__filter *f = &set->filter[j];
        if (f->fresh >= (size_t)(f->core ? 1 : TVGP__FILTER_TURN) && !f->copied && !is_small(set, f))
            tvgp__filter_settle(set, f);
    }
    set->turn = (set->turn + 1) % TVGP__FILTER_TURN;
}

void tvgp__filter_settle_copied(tvgp__filters *set, tvgp__filter *from) {
    if (from->fresh >= (is_small(set, from) ? 1 : TVGP__FILTER_TURN))
        tvgp__filter_settle(set, from);
}
