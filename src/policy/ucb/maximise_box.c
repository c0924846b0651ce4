/* SPDX-License-Identifier: MIT */
/* The choice if arms have no points of the domain's own. The terms' posteriors are predictive functions
 * (model/gp/predictive.h), in which pending actions are rows. On a box the sum of the scores is searched, with its gradient
 * and an upper bound, which are sums as well. In a context it is computed for every action, and with candidates for each
 * of them: n r^2 multiply-adds for r rows. */
#include "policy/ucb/maximise.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "choose/search.h"
#include "protocol/copies/scores_from_copy.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

static tvgp__maximise *box_search_of(const tvgp_policy *p) {
    return ((const tvgp__ucb *)p->state)->box_search;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__maximise_room(tvgp_policy *p) {
    tvgp__ucb *u = p->state;
    size_t dim = p->domain->dim;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *u->box_search, &u->box_search));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, tvgp__memory_product(TVGP__RULE_PENDING + 4, dim) + 3 + TVGP__RULE_PENDING,
                                 sizeof *u->box_search->x, &u->box_search->x));
    u->box_search->reach = u->box_search->x + 3 * (dim + 1);
    u->box_search->pending = u->box_search->reach + dim;
    u->box_search->times = u->box_search->pending + TVGP__RULE_PENDING * dim;
    return TVGP_OK;
}

void tvgp__maximise_release(tvgp_policy *p) {
    tvgp__maximise *box_search = box_search_of(p);
    if (!box_search)
        return;
    tvgp__memory_free(p->ctx, box_search->x);
    tvgp__memory_free(p->ctx, box_search->a);
    tvgp__memory_free(p->ctx, box_search->work);
    tvgp__memory_free(p->ctx, box_search->actions);
    tvgp__memory_free(p->ctx, box_search->joint);
    tvgp__memory_free(p->ctx, box_search);
}

void tvgp__maximise_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__maximise *box_search = box_search_of(p);
    tvgp__visit_flag(v, &box_search->searched);
    tvgp__visit_reals(v, p->domain->dim + 1, box_search->x, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

/* ---- terms ------------------------------------------------------------------------------------------------------ */

static void close_terms(tvgp_policy *p) {
    tvgp__maximise *box_search = box_search_of(p);
    for (size_t k = 0; k < box_search->rule.n; k++)
        tvgp__predictive_free(&box_search->rule.term[k].predictive);
    box_search->rule.n = 0;
    box_search->leaving = NULL;
}

/* Of width 0 without pending actions unless it is for an ask. */
static tvgp_status open_term(tvgp_policy *p, double t, int asks, tvgp__rule_term *term) {
    tvgp__maximise *box_search = box_search_of(p);
    tvgp__posterior *post = term->posterior;
    term->predictive = (tvgp__predictive){.ctx = p->ctx};
    TVGP__TRY(tvgp__posterior_predictive(post, t, &term->predictive));
    box_search->rule.n++;
    if (asks && tvgp__ucb_restarts(p))
        term->predictive.r = 0; /* nothing is known */
    term->known = term->predictive;
    term->width = asks ? tvgp__ucb_width_by(p, post) : 0;
    return asks ? post->ops->anywhere->pend(post, &term->predictive, t, box_search->n_pending, box_search->pending,
                                            box_search->times, post->unit * tvgp__ucb_noise(p) / term->predictive.spread)
                : TVGP_OK;
}

/* The rule has those terms whose predictives are open. */
static tvgp_status open_terms(tvgp_policy *p, double t, int asks, const tvgp__rule *rule) {
    tvgp__maximise *box_search = box_search_of(p);
    box_search->rule = *rule;
    box_search->rule.n = 0;
    for (size_t k = 0; k < rule->n; k++)
        TVGP__TRY(open_term(p, t, asks, &rule->term[k]));
    return TVGP_OK;
}

/* Workspace for the predictives at n points. */
static tvgp_status reserve_work(const tvgp_policy *p, size_t n) {
    tvgp__maximise *box_search = box_search_of(p);
    size_t most = 0;
    for (size_t k = 0; k < box_search->rule.n; k++) {
        const size_t work = tvgp__predictive_work(&box_search->rule.term[k].predictive, n);
        most = work > most ? work : most;
    }
    return tvgp__memory_reserve(p->ctx, most, sizeof *box_search->work, &box_search->work, &box_search->work_slots);
}

/* The same for a search, with what makes scores of a predictive cheaper, or else weights for its bounds (an array also where there are
 * none). */
static tvgp_status prepare_search(const tvgp_policy *p) {
    tvgp__maximise *box_search = box_search_of(p);
    size_t rows = 0;
    TVGP__TRY(reserve_work(p, TVGP__PREDICTIVE_BLOCK));
    for (size_t k = 0; k < box_search->rule.n; k++) {
        const tvgp__predictive *predictive = &box_search->rule.term[k].predictive;
        const size_t condensed = tvgp__predictive_condensed(predictive);
        box_search->rule.term[k].first = rows;
        rows += condensed ? condensed : predictive->r;
    }
    TVGP__TRY(tvgp__memory_reserve(p->ctx, rows + 1, sizeof *box_search->a, &box_search->a, &box_search->a_slots));
    for (size_t k = 0; k < box_search->rule.n; k++) {
        tvgp__predictive *predictive = &box_search->rule.term[k].predictive;
        double *own = box_search->a + box_search->rule.term[k].first;
        if (tvgp__predictive_condensed(predictive))
            tvgp__predictive_condense(predictive, own);
        else if (predictive->r)
            tvgp__predictive_weights(predictive, own);
    }
    return TVGP_OK;
}

/* ---- score ------------------------------------------------------------------------------------------------------ */

static tvgp_status score(void *user, size_t m, const double *Z, double *value, double *gradient) {
    const tvgp_policy *p = user;
    const tvgp__maximise *box_search = box_search_of(p);
    double *slope = NULL;
    TVGP__TRY(tvgp__scratch_take(p->ctx, gradient ? m * p->domain->dim : 0, &slope));
    tvgp_status status = tvgp__rule_points_score(&box_search->rule, m, Z, box_search->work, slope, value, gradient);
    tvgp__scratch_give(p->ctx, slope);
    if (status == TVGP_OK && box_search->leaving)
        tvgp__guard_way(p, box_search->leaving, m, Z, value, gradient);
    return status;
}

static tvgp_status bound(void *user, size_t m, const double *Z, double *value) {
    const tvgp_policy *p = user;
    const tvgp__maximise *box_search = box_search_of(p);
    TVGP__TRY(tvgp__rule_points_bound(&box_search->rule, m, Z, box_search->a, box_search->work, value));
    if (box_search->leaving)
        tvgp__guard_way(p, box_search->leaving, m, Z, value, NULL);
    return TVGP_OK;
}

/* ---- the maximiser ---------------------------------------------------------------------------------------------- */

/* Where it may go; lengths are the shortest lengthscales of any term. */
static tvgp__search_space space_of(const tvgp_policy *p) {
    const tvgp__maximise *box_search = box_search_of(p);
    double reach[TVGP__SEARCH_SPACE_MOST];
    tvgp__search_space space = {0};
    for (size_t k = 0; k < box_search->rule.n; k++) {
        space = tvgp__query_points_space(p, box_search->rule.term[k].posterior->kernel, reach);
        for (size_t d = 0; d < p->domain->dim; d++)
            box_search->reach[d] = k ? fmin(box_search->reach[d], reach[d]) : reach[d];
    }
    space.reach = box_search->reach;
    return space;
}

/* The best of the search, or the last action, where that may be asked and going brings less than it costs. The value becomes the score,
 * of which moving is no part. */
static tvgp_status stay_or_move(tvgp_policy *p, const tvgp__search_space *space, double *x, double *value) {
    tvgp__maximise *box_search = box_search_of(p);
    const size_t dim = p->domain->dim;
    double stay, copy[TVGP__SEARCH_SPACE_MOST];
    uint8_t ok = 0;
    const tvgp__guard_leaving *leaving = box_search->leaving;
    memcpy(copy, leaving->from, dim * sizeof *copy);
    tvgp__search_space_clip(space, copy);
    if (memcmp(copy, leaving->from, dim * sizeof *copy) == 0)
        TVGP__TRY(tvgp__search_space_test(space, 1, leaving->from, &ok));
    box_search->leaving = NULL;
    tvgp_status status = score(p, 1, x, value, NULL);
    if (status == TVGP_OK && ok)
        status = score(p, 1, leaving->from, &stay, NULL);
    box_search->leaving = leaving;
    if (status == TVGP_OK && ok &&
        tvgp__policy_reward(p, stay) >= tvgp__policy_reward(p, *value) - tvgp__guard_cost(leaving, dim, x)) {
        *value = stay;
        memcpy(x, leaving->from, dim * sizeof *x);
    }
    return status;
}

static tvgp_status maximise(tvgp_policy *p, double *x, double *value) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__maximise *box_search = box_search_of(p);
    tvgp__search s = {.space = space_of(p),
                      .target = {.score = score, .user = p},
                      .bound = bound,
                      .last = box_search->leaving    ? box_search->leaving->from
                              : box_search->searched ? box_search->x
                                                     : NULL,
                      .seed = (uint64_t)c->common.seed,
                      .step = (uint64_t)p->counts.asked};
    for (size_t k = 0; k < box_search->rule.n; k++) {
        const tvgp__rule_term *term = &box_search->rule.term[k];
        const size_t n = term->known.r;
        s.target.scale += term->weight * (term->width > 0 ? term->width : 1) *
                          sqrt(term->predictive.spread * term->predictive.kappa * term->posterior->largest);
        s.bound = term->predictive.own ? s.bound : NULL;
        s.support = k && n <= s.n_support ? s.support : term->predictive.X; /* of the one that has forgotten least */
        s.n_support = n > s.n_support ? n : s.n_support;
    }
    TVGP__TRY(prepare_search(p));
    TVGP__TRY(tvgp__search_run(&c->box.search, &s, x, value));
    if (box_search->leaving)
        TVGP__TRY(stay_or_move(p, &s.space, x, value));
    return s.space.safe.keep ? s.space.safe.keep(s.space.safe.of, 1, x, &(uint8_t){1})
                             : TVGP_OK; /* limits note the risk of the last */
}

static tvgp_status search(tvgp_policy *p, double *x, tvgp__chosen *out) {
    const tvgp__maximise *box_search = box_search_of(p);
    TVGP__TRY(maximise(p, x, &out->score));
    out->net = out->score;
    if (box_search->leaving)
        out->net = tvgp__policy_reward(p, out->score) - tvgp__guard_cost(box_search->leaving, p->domain->dim, x);
    return tvgp__policy_mean_at(p, SIZE_MAX, x, &x[p->domain->dim]);
}

/* The sum of the terms at n points X; `work` has room for 3 n. */
static tvgp_status score_points(tvgp_policy *p, size_t n, const double *X, double *work, double *total) {
    const tvgp__maximise *box_search = box_search_of(p);
    double *mean = work, *var = mean + n, *prior = var + n;
    const tvgp__predictive_values values = {.mean = mean, .var = var};
    for (size_t i = 0; i < n; i++)
        total[i] = tvgp__policy_extra(p, i);
    for (size_t k = 0; k < box_search->rule.n; k++) {
        const tvgp__rule_term *term = &box_search->rule.term[k];
        TVGP__TRY(tvgp__predictive_evaluate(&term->predictive, n, X, box_search->work, &values));
        TVGP__TRY(tvgp__policy_mean_actions(p, term->mean, prior));
        tvgp__rule_add(term, n, mean, var, prior, total);
    }
    if (box_search->rule.offsets.offset)
        tvgp__rule_shift(&box_search->rule.offsets, 0, 0, n, total);
    return TVGP_OK;
}

/* By the rule for arms, among the actions or the candidates. */
static tvgp_status pick(tvgp_policy *p, double *x, tvgp__chosen *out) {
    tvgp__maximise *box_search = box_search_of(p);
    size_t n;
    const double *X = tvgp__query_points_choices(p, &n);
    TVGP__TRY(reserve_work(p, n));
    TVGP__TRY(
        tvgp__memory_reserve(p->ctx, n, 4 * sizeof *box_search->actions, &box_search->actions, &box_search->action_slots));
    double *total = box_search->actions, *work = total + n;
    TVGP__TRY(tvgp__ucb_draws(p) ? tvgp__maximise_draw_points(p, box_search->rule.term, n, X, work, total)
                                 : score_points(p, n, X, work, total));
    if (p->work.wanted && (!p->work.wanted->X || tvgp__scores_from_copy_draws(p)))
        tvgp__scores_from_copy_arms(p, total, 0);
    const size_t i = out->index = tvgp__rule_highest(n, total, box_search->rule.mask, p->work.scale);
    out->net = total[i];
    out->score = tvgp__rule_unshift(&box_search->rule.offsets, 0, out->net, tvgp__guard_shifted(&p->terms, i), i);
    return isfinite(out->score) ? tvgp__policy_point(p, i, x) : tvgp__search_none(p->ctx);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The scores of the points of an inquiry, of which moving is no part. */
static tvgp_status show_scores(tvgp_policy *p) {
    tvgp__scores_from_copy *wanted = p->work.wanted;
    const size_t dim = p->domain->dim;
    box_search_of(p)->leaving = NULL;
    TVGP__TRY(reserve_work(p, TVGP__ASCENT_BLOCK));
    for (size_t i = 0, m; i < wanted->n; i += m) {
        m = wanted->n - i < TVGP__ASCENT_BLOCK ? wanted->n - i : TVGP__ASCENT_BLOCK;
        TVGP__TRY(score(p, m, wanted->X + i * dim, wanted->score + i, NULL));
    }
    wanted->answered = 1;
    return TVGP_OK;
}

static tvgp_status choose(tvgp_policy *p, double t, const tvgp__rule *rule, size_t credited, tvgp__chosen *out) {
    const int whole = !tvgp__policy_choices(p);
    tvgp__maximise *box_search = box_search_of(p);
    double *last = box_search->x, *x = last + (out->x == last + p->domain->dim + 1 ? 2 : 1) * (p->domain->dim + 1);
    const tvgp__predictive_values values = {.mean = &out->mean, .var = &out->sd};
    box_search->leaving = p->terms.leaving;
    TVGP__TRY(open_terms(p, t, 1, rule));
    TVGP__TRY(whole ? search(p, x, out) : pick(p, x, out));
    if (p->work.wanted && (whole || p->work.wanted->X) && !tvgp__ucb_draws(p))
        TVGP__TRY(show_scores(p));
    TVGP__TRY(tvgp__predictive_evaluate(&rule->term[credited].known, 1, x, box_search->work, &values));
    out->x = x;
    out->sd = sqrt(out->sd);
    out->width = rule->term[credited].width;
    out->spread = rule->term[credited].predictive.spread;
    return TVGP_OK;
}

tvgp_status tvgp__maximise_box(tvgp_policy *p, double t, const tvgp__rule *rule, size_t credited, tvgp__chosen *out) {
    tvgp_status status = choose(p, t, rule, credited, out);
    close_terms(p);
    return status;
}

tvgp_status tvgp__maximise_best(tvgp_policy *p, double t, size_t n, tvgp__rule_term *term, double *x) {
    double value;
    tvgp_status status = open_terms(p, t, 0, &(tvgp__rule){.n = n, .term = term});
    if (status == TVGP_OK)
        status = maximise(p, x, &value);
    close_terms(p);
    return status;
}
