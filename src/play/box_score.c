/* SPDX-License-Identifier: MIT */
#include "play/box_score.h"

#include "base/error.h"
#include "base/memory.h"
#include "search/argmax.h"
#include "search/search.h"

#include <math.h>
#include <string.h>

static tvgp__box_ucb *box_of(const tvgp_policy *p) {
    return ((const tvgp__ucb *)p->state)->box;
}

/* ---- terms ------------------------------------------------------------------------------------------------------ */

void tvgp__box_score_clear(tvgp_policy *p) {
    tvgp__box_ucb *box = box_of(p);
    for (size_t k = 0; k < box->terms; k++)
        tvgp__form_free(&box->term[k].form);
    box->terms = 0;
    box->anchored = 0;
}

tvgp_status tvgp__box_score_join(tvgp_policy *p, const tvgp__box_part *part, double t, int asks) {
    tvgp__box_ucb *box = box_of(p);
    const tvgp__belief_anywhere *anywhere = part->inner->ops->anywhere;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, box->terms + 1, sizeof *box->term, &box->term, &box->term_slots));
    tvgp__box_term *term = &box->term[box->terms];
    *term = (tvgp__box_term){.part = *part, .form.ctx = p->ctx};
    TVGP__TRY(part->posterior->ops->form(part->posterior, t, &term->form));
    box->terms++;
    term->own = anywhere->own ? anywhere->own(part->inner) : NULL;
    if (asks && tvgp__ucb_restarts(p))
        term->form.r = 0; /* nothing is known */
    term->known = term->form;
    if (!asks)
        return TVGP_OK;
    term->width = tvgp__ucb_width_by(p, part->posterior);
    return anywhere->pend(part->inner, &term->form, t, box->n_pending, box->pending, box->times,
                          tvgp__ucb_noise(p) / term->form.spread);
}

/* Weights (an array also where there are none) and workspace for the forms. */
static tvgp_status prepare_forms(const tvgp_policy *p) {
    tvgp__box_ucb *box = box_of(p);
    size_t rows = 0, most = 0;
    for (size_t k = 0; k < box->terms; k++) {
        const tvgp__form *form = &box->term[k].form;
        const size_t work = tvgp__form_work(form, TVGP__FORM_BLOCK);
        box->term[k].first = rows;
        rows += form->r;
        most = work > most ? work : most;
    }
    TVGP__TRY(tvgp__memory_reserve(p->ctx, rows + 1, sizeof *box->a, &box->a, &box->a_slots));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, most, sizeof *box->work, &box->work, &box->work_slots));
    for (size_t k = 0; k < box->terms; k++)
        if (box->term[k].form.r)
            tvgp__form_weights(&box->term[k].form, box->a + box->term[k].first);
    return TVGP_OK;
}

/* ---- score ------------------------------------------------------------------------------------------------------ */

static void add(size_t n, double weight, const double *from, double *to) {
    for (size_t i = 0; i < n; i++)
        to[i] += weight * from[i];
}

/* Takes in the prior mean of a term at m points; gradient NULL: not wanted. */
static tvgp_status add_mean(const tvgp_policy *p, const tvgp__box_part *part, size_t m, const double *Z, double *value,
                            double *gradient) {
    const size_t dim = p->domain->dim;
    double mean[TVGP__ASCENT_BLOCK], slope[TVGP__ASCENT_BLOCK * TVGP__SPACE_MOST];
    if (!tvgp__mean_is(part->mean))
        return TVGP_OK;
    TVGP__TRY(tvgp__mean_points(part->mean, p->ctx, dim, m, Z, mean, gradient ? slope : NULL));
    add(m, part->weight, mean, value);
    if (gradient)
        add(m * dim, part->weight, slope, gradient);
    return TVGP_OK;
}

static tvgp_status score(void *user, size_t m, const double *Z, double *value, double *gradient) {
    const tvgp_policy *p = user;
    const tvgp__box_ucb *box = box_of(p);
    const size_t all = m * p->domain->dim;
    double one[TVGP__ASCENT_BLOCK], slope[TVGP__ASCENT_BLOCK * TVGP__SPACE_MOST];
    memset(value, 0, m * sizeof *value);
    if (gradient)
        memset(gradient, 0, all * sizeof *gradient);
    for (size_t k = 0; k < box->terms; k++) {
        const tvgp__box_term *term = &box->term[k];
        TVGP__TRY(tvgp__form_score(&term->form, term->width, m, Z, box->work, one, gradient ? slope : NULL));
        add(m, term->part.weight, one, value);
        if (gradient)
            add(all, term->part.weight, slope, gradient);
        TVGP__TRY(add_mean(p, &term->part, m, Z, value, gradient));
    }
    if (box->anchored)
        tvgp__switch_way(p, box->anchor, m, Z, value, gradient);
    return TVGP_OK;
}

static tvgp_status bound(void *user, size_t m, const double *Z, double *value) {
    const tvgp_policy *p = user;
    const tvgp__box_ucb *box = box_of(p);
    double one[TVGP__ASCENT_BLOCK];
    memset(value, 0, m * sizeof *value);
    for (size_t k = 0; k < box->terms; k++) {
        const tvgp__box_term *term = &box->term[k];
        TVGP__TRY(tvgp__form_bound(&term->form, term->width, box->a + term->first, term->own, m, Z, box->work, one));
        add(m, term->part.weight, one, value);
        TVGP__TRY(add_mean(p, &term->part, m, Z, value, NULL));
    }
    if (box->anchored)
        tvgp__switch_way(p, box->anchor, m, Z, value, NULL);
    return TVGP_OK;
}

/* ---- the maximiser ---------------------------------------------------------------------------------------------- */

/* Where it may go; lengths are the shortest lengthscales of any term. */
static tvgp__space space_of(const tvgp_policy *p) {
    const tvgp__box_ucb *box = box_of(p);
    double reach[TVGP__SPACE_MOST];
    const tvgp__space space = tvgp__within_space(p->within, p->domain, box->term[0].part.posterior->kernel, box->reach);
    for (size_t k = 1; k < box->terms; k++) {
        (void)tvgp__within_space(p->within, p->domain, box->term[k].part.posterior->kernel, reach);
        for (size_t d = 0; d < p->domain->dim; d++)
            box->reach[d] = fmin(box->reach[d], reach[d]);
    }
    return space;
}

/* The best of the search, or the anchor, where that may be asked and going brings less than it costs. The value becomes the score, of
 * which moving is no part. */
static tvgp_status settle(tvgp_policy *p, const tvgp__space *space, double *x, double *value) {
    tvgp__box_ucb *box = box_of(p);
    const size_t dim = p->domain->dim;
    double stay = -INFINITY, copy[TVGP__SPACE_MOST];
    uint8_t ok = 0;
    memcpy(copy, box->anchor, dim * sizeof *copy);
    tvgp__space_clip(space, copy);
    if (memcmp(copy, box->anchor, dim * sizeof *copy) == 0)
        TVGP__TRY(tvgp__space_test(space, 1, box->anchor, &ok));
    box->anchored = 0;
    tvgp_status status = score(p, 1, x, value, NULL);
    if (status == TVGP_OK && ok)
        status = score(p, 1, box->anchor, &stay, NULL);
    box->anchored = 1;
    if (status == TVGP_OK && stay >= *value - tvgp__switch_cost(p, box->anchor, x)) {
        *value = stay;
        memcpy(x, box->anchor, dim * sizeof *x);
    }
    return status;
}

tvgp_status tvgp__box_score_maximise(tvgp_policy *p, double *x, double *value) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__box_ucb *box = box_of(p);
    tvgp__search s = {.space = space_of(p),
                      .target = {.score = score, .user = p},
                      .bound = bound,
                      .last = box->anchored   ? box->anchor
                              : box->searched ? box->x
                                              : NULL,
                      .seed = (uint64_t)c->common.seed,
                      .step = (uint64_t)p->asked};
    for (size_t k = 0; k < box->terms; k++) {
        const tvgp__box_term *term = &box->term[k];
        const tvgp__belief *inner = term->part.inner;
        size_t n;
        const double *points = inner->ops->anywhere->points(inner, &n);
        n = term->known.r ? n : 0;
        s.target.scale += term->part.weight * (term->width > 0 ? term->width : 1) *
                          sqrt(term->form.spread * term->form.kappa * term->part.posterior->largest);
        s.bound = term->own ? s.bound : NULL;
        s.support = k && n <= s.n_support ? s.support : points; /* of the one that has forgotten least */
        s.n_support = n > s.n_support ? n : s.n_support;
    }
    TVGP__TRY(prepare_forms(p));
    TVGP__TRY(tvgp__search_run(&c->box.search, &s, x, value));
    return box->anchored ? settle(p, &s.space, x, value) : TVGP_OK;
}

/* By the rule for arms; behind x its prior mean. */
tvgp_status tvgp__box_score_pick(tvgp_policy *p, double *x, double *value, size_t *arm) {
    const tvgp__box_ucb *box = box_of(p);
    const size_t n = p->domain->total, dim = p->domain->dim;
    double *mean = box->actions, *var = mean + n, *one = var + n, *total = one + n;
    const tvgp__form_values values = {.mean = mean, .var = var};
    TVGP__TRY(prepare_forms(p));
    memset(total, 0, n * sizeof *total);
    for (size_t k = 0; k < box->terms; k++) {
        const tvgp__box_term *term = &box->term[k];
        TVGP__TRY(tvgp__form_evaluate(&term->form, n, p->within->actions, box->work, &values));
        tvgp__argmax_ucb(n, mean, var, term->width, one);
        TVGP__TRY(tvgp__policy_mean_actions(p, term->part.mean, mean));
        add(n, 1, mean, one);
        add(n, term->part.weight, one, total);
    }
    tvgp__switch_charge(p, total);
    *arm = tvgp__argmax_of(n, total, p->available.mask);
    *value = total[*arm] + tvgp__switch_charged(p, *arm);
    if (!isfinite(*value))
        return tvgp__search_none(p->ctx);
    memcpy(x, p->within->actions + *arm * dim, dim * sizeof *x);
    return tvgp__policy_mean_at(p, *arm, x, &x[dim]);
}

tvgp_status tvgp__box_score_describe(const tvgp_policy *p, size_t term, const double *x, double *mean, double *sd) {
    const tvgp__box_ucb *box = box_of(p);
    double var;
    const tvgp__form_values values = {.mean = mean, .var = &var};
    TVGP__TRY(tvgp__form_evaluate(&box->term[term].known, 1, x, box->work, &values));
    *sd = sqrt(var);
    return TVGP_OK;
}
