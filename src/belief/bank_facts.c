/* SPDX-License-Identifier: MIT */
/* What a bank of filters has learned about the law of change, and about what it was told. */
#include "base/error.h"
#include "base/range.h"
#include "belief/bank_box.h"
#include "gp/filter_season.h"

#include <math.h>
#include <string.h>

/* Weights of the filters alone, relative to the heaviest: the slot's may round to 1 and theirs to 0. */
static double relative(const tvgp__bank *b, size_t j, double most) {
    return exp(b->member[j].log_weight - most);
}

double tvgp__bank_rate(const tvgp__bank *b) {
    double most = tvgp__bank_heaviest(b, b->J), sum = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        sum += relative(b, j, most) * b->rate[j];
        all += relative(b, j, most);
    }
    return sum / all;
}

static double mixed_correlation(const tvgp__bank *b, double elapsed) {
    double most = tvgp__bank_heaviest(b, b->J), sum = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        sum += relative(b, j, most) * tvgp__law_transition_over(&b->set.filter[j].law, elapsed).M[0][0];
        all += relative(b, j, most);
    }
    return sum / all;
}

/* Of the law that fits such a step best: there are some for any unit of time but the wrong ones. */
double tvgp__bank_correlation(const tvgp__belief *base, double from, double to) {
    const tvgp__bank *b = (const tvgp__bank *)base;
    double best = -1;
    for (size_t j = 0; j < b->n_laws; j++) {
        double rho = tvgp__law_correlation(&b->set.filter[j].law, from, to);
        if (fabs(rho - 0.5) < fabs(best - 0.5))
            best = rho;
    }
    return best;
}

double tvgp__bank_half_life(const tvgp__bank *b) {
    double low = 0, high = 1;
    while (mixed_correlation(b, high) > 0.5) {
        low = high;
        high *= 2;
        if (high > 1e12)
            return INFINITY;
    }
    for (int i = 0; i < 50; i++) { /* correlations fall */
        double middle = 0.5 * (low + high);
        if (mixed_correlation(b, middle) > 0.5)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double tvgp__bank_effective(const tvgp__bank *b) {
    double most = tvgp__bank_heaviest(b, b->J), squares = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        squares += relative(b, j, most) * relative(b, j, most);
        all += relative(b, j, most);
    }
    return all * all / squares;
}

/* ---- what was told: an empty slot has weight 0, and nothing to say ---------------------------------------------- */

static size_t members(const tvgp__bank *b) {
    return b->J + (size_t)b->slot_on;
}

double tvgp__bank_member_factor(const tvgp__bank *b, size_t j) {
    return b->scale ? b->member[j].b / b->member[j].a : 1;
}

double tvgp__bank_factor(const tvgp__bank *b) {
    double sum = 0;
    for (size_t j = 0; b->scale && j < members(b); j++)
        sum += b->weight[j] * tvgp__bank_member_factor(b, j);
    return b->scale ? sum : 1;
}

double tvgp__bank_unit(const tvgp__bank *b) {
    double sum = 0;
    for (size_t j = 0; b->doubts_noise && j < members(b); j++)
        sum += b->weight[j] * tvgp__bank_member_factor(b, j) * b->set.filter[j].level;
    return b->doubts_noise ? sum : tvgp__bank_factor(b);
}

double tvgp__bank_level(const tvgp__bank *b) {
    double sum = 0;
    for (size_t j = 0; b->doubts_noise && j < members(b); j++)
        sum += b->weight[j] * b->set.filter[j].level;
    return b->doubts_noise ? sum : 1;
}

double tvgp__bank_constant(const tvgp__bank *b) {
    double sum = 0;
    for (size_t j = 0; j < members(b); j++)
        sum += b->weight[j] * b->set.filter[j].k;
    return sum;
}

double tvgp__bank_jumped(const tvgp__bank *b) {
    double sum = 0;
    for (size_t j = 0; j < members(b); j++)
        sum += b->weight[j] * (1 - b->member[j].stayed);
    return sum;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

static void visit_member(tvgp__bank_member *m, tvgp__visit *v) {
    tvgp__visit_real(v, &m->log_weight, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &m->a, 0.5, 1e18);
    tvgp__visit_real(v, &m->b, 1e-300, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &m->stayed, 0, 1);
    tvgp__visit_real(v, &m->spawn, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

void tvgp__bank_visit(tvgp__belief *base, tvgp__visit *v) {
    tvgp__bank *b = (tvgp__bank *)base;
    if (b->box)
        tvgp__bank_box_visit(b, v);
    tvgp__filters_visit(&b->set, b->J, v);
    tvgp__visit_flag(v, &b->slot_on);
    for (size_t j = 0; tvgp__visit_fine(v) && j < b->J + (size_t)b->slot_on; j++)
        visit_member(&b->member[j], v);
    tvgp__visit_reals(v, b->J + 1, b->weight, 0, 1);
    if (b->earn && b->slot_on) {
        tvgp__visit_real(v, &b->earned, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
        visit_member(&b->witness, v);
    }
    tvgp__visit_flag(v, &b->confirmed);
    if (b->box)
        tvgp__bank_box_visit_slot(b, v);
    else
        tvgp__visit_indices(v, 1, &b->slot_arm, tvgp__shard_total(base->shard, base->n));
    tvgp__visit_size(v, &b->slot_made, 0, INT64_MAX);
    tvgp__visit_real(v, &b->slot_time, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &b->newest, -INFINITY, TVGP__RANGE_MOST);
    tvgp__visit_int(v, &b->resets, 0, INT64_MAX);
    tvgp__visit_real(v, &b->reset_time, -INFINITY, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &b->redraw_time, -INFINITY, TVGP__RANGE_MOST);
    if (!tvgp__visit_loads(v))
        return;
    const tvgp__filter *slot = &b->set.filter[b->J];
    if (base->now != -INFINITY)
        tvgp__filter_season_clock(&b->set, base->now);
    if (b->slot_on && (!slot->states || (b->earn && !b->set.filter[b->J + 1].states)))
        tvgp__visit_refuse(v, "the hypothesis of a redraw has no filter");
    if (!b->slot_on)
        b->member[b->J].log_weight = -INFINITY;
    b->rate[b->J] = slot->states ? tvgp__law_epsilon(&slot->law) : 0;
}

/* ---- more arms ---------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__bank_extend(const tvgp__belief *base, tvgp__belief *fresh) {
    const tvgp__bank *from = (const tvgp__bank *)base;
    tvgp__bank *b = (tvgp__bank *)fresh, own = *b;
    if (from->set.seasons)
        return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED, "with a season (season.period) no arms can come");
    if (!from->anywhere)
        return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED,
                               "with several priors or the mean of one no arms can come: nothing is known there");
    TVGP__TRY(tvgp__filters_extend(&from->set, base->kernel, fresh->X, &b->set));
    own.set = b->set;
    *b = *from;
    b->base = own.base;
    b->set = own.set;
    b->member = own.member;
    b->active = own.active;
    b->rate = own.rate;
    b->weight = own.weight;
    memcpy(b->member, from->member, (b->J + 1) * sizeof *b->member);
    memcpy(b->rate, from->rate, 2 * (b->J + 1) * sizeof *b->rate); /* and the weights */
    tvgp__belief_inherit(fresh, base);
    fresh->rank = b->set.basis.r;
    if (base->now != -INFINITY)
        tvgp__bank_at(fresh, base->now, fresh->n, NULL, fresh->mean, fresh->var);
    return TVGP_OK;
}
