/* SPDX-License-Identifier: MIT */
/* Chooses the action by the rule (choose/rule.h): finds the pending actions, sets up the rule, completes what it finds
 * (policy/ucb/maximise.h). */
#include "policy/ucb/maximise.h"

#include "base/error.h"
#include "base/memory.h"
#include "protocol/copies/scores_from_copy.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

/* ---- pending actions ---------------------------------------------------------------------------------------------- */

/* The newest that count, oldest first; how many. */
static size_t find(const tvgp_policy *p, const tvgp__ticket *list[TVGP__RULE_PENDING]) {
    size_t n = 0;
    for (size_t i = p->tickets.first + p->tickets.count; i > p->tickets.first && n < TVGP__RULE_PENDING; i--)
        if (tvgp__ucb_pends(p, &p->tickets.list[i - 1]))
            list[n++] = &p->tickets.list[i - 1];
    for (size_t k = 0; k < n / 2; k++) {
        const tvgp__ticket *newer = list[k];
        list[k] = list[n - 1 - k];
        list[n - 1 - k] = newer;
    }
    return n;
}

static tvgp_status open_arms(tvgp_policy *p) {
    const tvgp__ticket *list[TVGP__RULE_PENDING];
    tvgp__ucb *u = p->state;
    const size_t n = p->domain->n, pending = find(p, list);
    u->pending.n = 0;
    if (!pending)
        return TVGP_OK;
    if (!u->pending_arm)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, TVGP__RULE_PENDING, sizeof *u->pending_arm, &u->pending_arm));
    if (!u->shrunk)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *u->shrunk, &u->shrunk));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, pending, n * sizeof *u->columns, &u->columns, &u->column_slots));
    for (size_t k = 0; k < pending; k++)
        u->pending_arm[k] = list[k]->arm;
    u->pending = (tvgp__points){.n = pending, .arm = u->pending_arm};
    return TVGP_OK;
}

static void open_box(tvgp_policy *p) {
    const tvgp__ticket *list[TVGP__RULE_PENDING];
    const size_t dim = p->domain->dim;
    tvgp__maximise *box_search = ((const tvgp__ucb *)p->state)->box_search;
    box_search->n_pending = find(p, list);
    for (size_t k = 0; k < box_search->n_pending; k++) {
        memcpy(box_search->pending + k * dim, tvgp__query_points_ticket(p, list[k]), dim * sizeof *box_search->pending);
        box_search->times[k] = list[k]->t;
    }
}

tvgp_status tvgp__maximise_open(tvgp_policy *p) {
    if (tvgp__ucb_draws(p))
        return tvgp__maximise_open_draw(p);
    if (!((const tvgp__ucb *)p->state)->box_search)
        return open_arms(p);
    open_box(p);
    return TVGP_OK;
}

/* ---- the choice ---------------------------------------------------------------------------------------------------- */

static void choose_arm(tvgp_policy *p, tvgp__rule *rule, size_t credited, tvgp__chosen *out) {
    double *score = ((const tvgp__ucb *)p->state)->score;
    tvgp__rule_term *term = rule->term;
    const int draws = rule->n == 1 && tvgp__ucb_draws(p);
    for (size_t k = 0; k < rule->n; k++) {
        if (p->available.contexts)
            tvgp__posterior_attend(term[k].posterior, p->work.wanted ? -1 : p->available.context);
        tvgp__posterior_bounds(term[k].posterior, &term[k].m, &term[k].v, &term[k].slack);
        term[k].width = tvgp__ucb_width_by(p, term[k].posterior);
    }
    rule->noise = rule->pending->n ? tvgp__ucb_noise(p) : 0;
    if (draws)
        tvgp__maximise_draw_arms(p, term);
    else
        tvgp__rule_score_arms(rule, score);
    tvgp__across_ranks_here(p, score, term[credited].posterior, out);
    out->width = term[credited].width;
    if (p->work.wanted) { /* scores to be read: no choice depends on them */
        if (rule->n == 1 && !draws)
            tvgp__rule_score_exactly(rule, score);
        tvgp__scores_from_copy_arms(p, score, rule->n == 1 ? term->posterior->origin : 0);
    }
    for (size_t k = 0; p->available.contexts && k < rule->n; k++)
        tvgp__posterior_attend(term[k].posterior, -1);
}

tvgp_status tvgp__maximise_choose(tvgp_policy *p, double t, size_t n, tvgp__rule_term *term, size_t credited, size_t prior,
                                  tvgp__chosen *out) {
    const tvgp__ucb *u = p->state;
    tvgp__rule rule = {.n = n,
                       .term = term,
                       .mask = p->available.mask,
                       .pending = &u->pending,
                       .columns = u->columns,
                       .shrunk = u->shrunk,
                       .offsets = p->terms.offsets,
                       .same_noise = p->terms.noise > 0};
    *out = (tvgp__chosen){.kind = TVGP_ACTION, .prior = (uint32_t)prior, .x = out->x, .noise = tvgp__ucb_outcome_noise(p)};
    p->work.scale = p->terms.offsets.factor ? INFINITY : sqrt(term[credited].posterior->largest);
    if (u->box_search)
        return tvgp__maximise_box(p, t, &rule, credited, out);
    choose_arm(p, &rule, credited, out);
    return TVGP_OK;
}

void tvgp__maximise_agree(tvgp_policy *p, tvgp__chosen *chosen,
                          tvgp__posterior *(*posterior)(const tvgp_policy *, size_t prior)) {
    const tvgp__ucb *u = p->state;
    const uint32_t prior = chosen->prior;
    if (u->box_search)
        return;
    if (p->domain->shared)
        (void)tvgp__across_ranks_agree(p, chosen, posterior);
    if (chosen->prior != prior)
        chosen->width = tvgp__ucb_width_by(p, posterior(p, chosen->prior));
    if (p->terms.offsets.offset)
        chosen->score =
            tvgp__rule_unshift(&p->terms.offsets, u->posterior->origin, chosen->score, chosen->offset, chosen->index);
}

/* Of a choice by a draw. */
static double propensity(tvgp_policy *p, size_t arm) {
    const tvgp__ucb_config *c = p->config;
    tvgp__ucb *u = p->state;
    if (p->terms.other && c->choice.draws)
        p->terms.other_probability = tvgp__thompson_propensity(
            u->thompson, (uint64_t)c->common.seed, (uint64_t)p->counts.asked, *p->terms.other, (size_t)c->choice.draws);
    return c->choice.draws && !tvgp__scores_from_copy_draws(p)
               ? tvgp__thompson_propensity(u->thompson, (uint64_t)c->common.seed, (uint64_t)p->counts.asked, arm,
                                           (size_t)c->choice.draws)
               : 0;
}

void tvgp__maximise_complete(tvgp_policy *p, tvgp__chosen *chosen) {
    tvgp__ucb *u = p->state;
    const double origin = u->posterior->origin;
    if (!u->box_search) {
        tvgp__posterior_arm(u->posterior, chosen->index, &chosen->mean, &chosen->sd);
        chosen->mean += origin;
        chosen->sd = sqrt(fmax(chosen->sd, 0));
    } else {
        chosen->x = memcpy(u->box_search->x, chosen->x, (p->domain->dim + 1) * sizeof *chosen->x);
        u->box_search->searched = 1;
    }
    u->width = chosen->width;
    u->mean = chosen->mean;
    u->sd = chosen->sd;
    chosen->score += origin;
    if (u->posterior->ops->noise_at)
        chosen->noise = tvgp__ucb_noise_at(p, u->posterior, chosen->index);
    chosen->moments = u->posterior->learned.vague ? TVGP__MOMENTS_VAGUE : TVGP__MOMENTS_KNOWN;
    chosen->propensity = tvgp__ucb_draws(p) ? propensity(p, chosen->index) : tvgp__policy_choices(p) > 0;
}
