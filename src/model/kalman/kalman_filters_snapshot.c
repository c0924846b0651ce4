/* SPDX-License-Identifier: MIT */
/* Filters in snapshots, with the numbers of their cores, because the next free core is state too. */
#include "model/kalman/kalman_filters.h"

#include <string.h>

static const double MOST = TVGP__VISIT_MOST;

static int alike(const tvgp__kalman_filter *a, const tvgp__kalman_filter *b) {
    return tvgp__drift_equal(&a->drift, &b->drift) && a->prior == b->prior && a->level == b->level;
}

/* Visits drift model, kernel and noise factor: those of one of the first `kinds` filters, or none yet. */
static void visit_kind(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, size_t kinds, tvgp__visit *v) {
    size_t i = 0;
    while (i < kinds && !(f->states && alike(&set->filter[i], f)))
        i++;
    tvgp__visit_indices(v, 1, &i, kinds + 1);
    if (!tvgp__visit_loads(v))
        return;
    f->drift = set->filter[i % kinds].drift;
    f->prior = set->filter[i % kinds].prior;
    f->level = set->filter[i % kinds].level;
    f->states = i < kinds ? tvgp__drift_states(&f->drift) : 0;
}

/* Whether it was copied, and the number of its lender, from 1, among the first `kinds`; 0: none. */
static void visit_copied(tvgp__kalman_filters *set, tvgp__kalman_filter *f, size_t kinds, tvgp__visit *v) {
    size_t lender = f->lender ? (size_t)(f->lender - set->filter) + 1 : 0;
    int copied = f->copied_at > 0;
    tvgp__visit_flag(v, &copied);
    tvgp__visit_indices(v, 1, &lender, kinds + 1);
    if (!tvgp__visit_loads(v) || !tvgp__visit_fine(v))
        return;
    f->copied_at = (size_t)copied;
    f->source = NULL;
    f->lender = lender ? &set->filter[lender - 1] : NULL;
    if (f->lender)
        f->lender->borrowers++;
    if (f->lender && (f->lender >= f || f->lender->lender || !f->lender->w != !f->w || f->lender->prior != f->prior ||
                      !tvgp__drift_equal(&f->lender->drift, &f->drift)))
        tvgp__visit_refuse(v, "a filter has the state of another that cannot be its lender");
}

static void visit_filter(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, tvgp__visit *v) {
    size_t n = set->basis.n, r = tvgp__kalman_filter_rank(set, f), states = f->states;
    for (size_t s = 0; s < states; s++)
        tvgp__visit_arms(v, n, f->mean + s * n, -MOST, MOST);
    for (size_t s = 0; s < 2 * states - 1; s++)
        tvgp__visit_arms(v, n, f->var + s * n, -MOST, MOST);
    tvgp__visit_reals(v, 4 * set->priors, f->E, -MOST, MOST);
    if (!n)
        tvgp__visit_reals(v, states * r, f->omega, -MOST, MOST);
    tvgp__visit_size(v, &f->fresh, 0, tvgp__kalman_filter_room(set, r));
    for (size_t k = 0; tvgp__visit_fine(v) && k < f->fresh; k++)
        tvgp__visit_reals(v, states * r, f->U + 2 * k * r, -MOST, MOST);
    if (f->w)
        tvgp__visit_reals(v, r, f->w, -MOST, MOST);
    if (!set->constants)
        return;
    for (size_t s = 0; s < states; s++)
        tvgp__visit_arms(v, n, f->fk + s * n, -MOST, MOST);
    tvgp__visit_reals(v, states * r, f->pk, -MOST, MOST);
}

/* The core of a filter, from 1; 0: none. */
static void visit_core(tvgp__kalman_filters *set, tvgp__kalman_filter *f, tvgp__visit *v) {
    size_t which = f->core ? (size_t)(f->core - set->cores) + 1 : 0;
    tvgp__visit_indices(v, 1, &which, set->ones + set->twos + set->seasons + 1);
    if (which && (which > set->ones + set->twos) != (f->w != NULL))
        tvgp__visit_refuse(v, "a filter has the covariance of one of another kind");
    else if (tvgp__visit_loads(v) && which) {
        f->core = &set->cores[which - 1];
        f->core->users++;
    }
    if (which)
        tvgp__visit_reals(v, 4, &f->N[0][0], -MOST, MOST); /* without a core it is not read before it is set */
}

void tvgp__kalman_filters_snapshot(tvgp__kalman_filters *set, size_t kinds, tvgp__visit *v) {
    size_t entries = set->priors * set->basis.n;
    int moved = set->basis.shard != NULL; /* other ranks may have some */
    if (set->basis.n)
        tvgp__basis_visit(&set->basis, v);
    for (size_t i = 0; i < entries; i++)
        moved |= set->mean[i] != 0;
    tvgp__visit_flag(v, &moved);
    if (tvgp__visit_loads(v) && !moved)
        memset(set->mean, 0, entries * sizeof *set->mean);
    if (moved)
        for (size_t i = 0; i < set->priors; i++)
            tvgp__visit_arms(v, set->basis.n, set->mean + i * set->basis.n, -MOST, MOST);
    tvgp__visit_tally_size(v, &set->jitter);
    tvgp__visit_size(v, &set->turn, 0, tvgp__kalman_filter_turn(set, set->basis.r) - 1);
    for (size_t i = 0; tvgp__visit_loads(v) && i < set->ones + set->twos + set->seasons; i++)
        set->cores[i].users = 0;
    for (size_t i = 0; tvgp__visit_loads(v) && i < set->count; i++) {
        set->filter[i].core = NULL;
        set->filter[i].borrowers = 0;
    }
    for (size_t i = 0; tvgp__visit_fine(v) && i < set->count; i++) {
        tvgp__kalman_filter *f = &set->filter[i];
        if (i >= kinds)
            visit_kind(set, f, kinds, v);
        if (!f->states)
            continue;
        visit_copied(set, f, kinds, v);
        if (set->constants) {
            tvgp__visit_real(v, &f->k, -MOST, MOST);
            tvgp__visit_real(v, &f->kk, -MOST, MOST);
        }
        if (f->lender)
            continue;
        visit_filter(set, f, v);
        visit_core(set, f, v);
    }
    for (size_t i = 0; tvgp__visit_fine(v) && i < set->ones + set->twos + set->seasons; i++)
        if (set->cores[i].users)
            tvgp__kalman_core_visit(&set->cores[i], i < set->ones + set->twos ? set->basis.r : set->size, v);
}
