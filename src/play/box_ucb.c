/* SPDX-License-Identifier: MIT */
#include "play/box_ucb.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/before.h"
#include "search/argmax.h"

#include <math.h>
#include <string.h>

const tvgp__option tvgp__box_options[TVGP__BOX_OPTIONS] = {
    {"forget.tolerance", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(tvgp__box_config, tolerance), 1e-3, 0, 1, NULL,
     "boxes, keeps steps short: an old observation goes when that moves mean and sd by less than this many noise sds; 0: "
     "never"},
    {"rows.limit", TVGP_I64, TVGP_OPTION_ADVANCED, offsetof(tvgp__box_config, limit), 2048, 0, 0x1p31, NULL,
     "boxes, bounds the cost of a step: observations (auto-gp-ucb: support points) held; beyond it the oldest is forgotten; "
     "0: no limit"},
};

static double dropped(const tvgp_policy *p) {
    const tvgp__belief *inner = p->state && p->within ? tvgp__ucb_inner(p) : NULL;
    return inner ? (double)tvgp__belief_dropped(inner) : 0;
}

const tvgp__stat tvgp__box_stats[TVGP__BOX_STATS] = {
    {"rows.dropped", "boxes: observations forgotten one by one, by forget.tolerance, rows.limit or a window", dropped},
};

/* ---- life ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__box_ucb_room(tvgp_policy *p) {
    tvgp__ucb *u = p->state;
    size_t dim = p->domain->dim;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *u->box, &u->box));
    TVGP__TRY(
        tvgp__memory_alloc(p->ctx, (TVGP__UCB_PENDING + 3) * dim + 1 + TVGP__UCB_PENDING, sizeof *u->box->x, &u->box->x));
    u->box->reach = u->box->x + dim + 1;
    u->box->pending = u->box->reach + dim;
    u->box->times = u->box->pending + TVGP__UCB_PENDING * dim;
    u->box->anchor = u->box->times + TVGP__UCB_PENDING;
    return tvgp__memory_alloc(p->ctx, p->domain->total, 4 * sizeof *u->box->actions, &u->box->actions);
}

void tvgp__box_ucb_release(tvgp_policy *p) {
    tvgp__box_ucb *box = ((tvgp__ucb *)p->state)->box;
    if (!box)
        return;
    tvgp__box_score_clear(p);
    tvgp__memory_free(p->ctx, box->x);
    tvgp__memory_free(p->ctx, box->term);
    tvgp__memory_free(p->ctx, box->a);
    tvgp__memory_free(p->ctx, box->work);
    tvgp__memory_free(p->ctx, box->actions);
    tvgp__memory_free(p->ctx, box);
}

void tvgp__box_ucb_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__box_ucb *box = ((tvgp__ucb *)p->state)->box;
    tvgp__visit_flag(v, &box->searched);
    tvgp__visit_reals(v, p->domain->dim + 1, box->x, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

static size_t gather_pending(tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    size_t dim = p->domain->dim, n = 0, at[TVGP__UCB_PENDING];
    for (size_t i = p->tickets.first + p->tickets.count; i > p->tickets.first && n < TVGP__UCB_PENDING; i--)
        if (tvgp__ucb_pends(p, &p->tickets.list[i - 1]))
            at[n++] = i - 1;
    for (size_t k = 0; k < n; k++) { /* oldest first */
        const tvgp__ticket *ticket = &p->tickets.list[at[n - 1 - k]];
        memcpy(u->box->pending + k * dim, tvgp__tickets_point(&p->tickets, ticket, p->within->pending, dim),
               dim * sizeof *u->box->pending);
        u->box->times[k] = ticket->t;
    }
    return n;
}

void tvgp__box_ucb_open(tvgp_policy *p) {
    tvgp__box_score_clear(p);
    tvgp__box_ucb *box = ((tvgp__ucb *)p->state)->box;
    box->n_pending = gather_pending(p);
    box->anchored = !p->domain->total && tvgp__switch_anchor(p, box->anchor);
}

tvgp_status tvgp__box_ucb_choose(tvgp_policy *p, size_t term, double *x, tvgp__proposal *out) {
    const size_t dim = p->domain->dim;
    const int arms = p->domain->total > 0;
    size_t arm = 0;
    double value = 0, mean = 0, sd = 0;
    TVGP__TRY(arms ? tvgp__box_score_pick(p, x, &value, &arm) : tvgp__box_score_maximise(p, x, &value));
    TVGP__TRY(tvgp__box_score_describe(p, term, x, &mean, &sd));
    if (!arms)
        TVGP__TRY(tvgp__policy_mean_points(p, 1, x, &x[dim], NULL));
    *out = (tvgp__proposal){.kind = TVGP_ACTION,
                            .arm = arm,
                            .score = value,
                            .noise = tvgp__ucb_noise(p),
                            .mean = mean,
                            .sd = sd,
                            .width = ((const tvgp__ucb *)p->state)->box->term[term].width,
                            .propensity = arms ? 1 : 0};
    return TVGP_OK;
}

void tvgp__box_ucb_end(tvgp_policy *p, const double *x, tvgp__proposal *out) {
    tvgp__ucb *u = p->state;
    memcpy(u->box->x, x, (p->domain->dim + 1) * sizeof *x);
    u->box->searched = 1;
    out->x = u->box->x;
    u->width = out->width;
    u->mean = out->mean;
    u->sd = out->sd;
}

/* Its posterior is all that counts. */
static tvgp_status join(tvgp_policy *p, double t, int asks) {
    const tvgp__box_part part = {((tvgp__ucb *)p->state)->posterior, tvgp__ucb_inner(p), &p->mean, 1};
    return tvgp__box_score_join(p, &part, t, asks);
}

static tvgp_status choose(tvgp_policy *p, double t, double *x, tvgp__proposal *out) {
    tvgp__box_ucb_open(p);
    TVGP__TRY(join(p, t, 1));
    return tvgp__box_ucb_choose(p, 0, x, out);
}

/* The unit of time, then the choice; the unit stays only if the search comes to an end. */
static tvgp_status look_and_choose(tvgp_policy *p, double t, double *x, tvgp__proposal *out) {
    tvgp__pace_mark before;
    if (!((const tvgp__ucb *)p->state)->pace)
        return choose(p, t, x, out);
    TVGP__TRY(tvgp__pace_open(p, t, &before));
    tvgp_status status = choose(p, t, x, out);
    tvgp__pace_close(p, t, &before, status);
    return status;
}

/* Learns, then chooses; what was learned stays only if the search comes to an end. */
static tvgp_status learn_and_choose(tvgp_policy *p, double t, double *x, tvgp__proposal *out) {
    const tvgp__points none = {0};
    tvgp__learned *learned = tvgp__ucb_learned(p), before;
    if (!learned)
        return look_and_choose(p, t, x, out);
    TVGP__TRY(tvgp__learned_step(learned, p->asked, tvgp__ucb_restarts(p), &none, &before));
    tvgp_status status = look_and_choose(p, t, x, out);
    tvgp__learned_end(learned, &before, status);
    return status;
}

tvgp_status tvgp__box_ucb_ask(tvgp_policy *p, double t, tvgp__proposal *out, size_t *n) {
    const tvgp__ucb_config *c = p->config;
    tvgp__ucb *u = p->state;
    double x[TVGP__SPACE_MOST + 1];
    tvgp_status status = learn_and_choose(p, t, x, out);
    const double spread = u->box->terms ? u->box->term[0].form.spread : 1;
    tvgp__box_score_clear(p);
    TVGP__TRY(status);
    tvgp__ucb_restart(p, t);
    tvgp__box_ucb_end(p, x, out);
    u->posterior->ops->advance(u->posterior, t);
    tvgp__watch_ask(p, t);
    tvgp__belief *inner = tvgp__ucb_inner(p);
    if (p->asked % TVGP__UCB_PRUNE_EVERY == 0)
        tvgp__belief_prune(inner, c->box.tolerance, out->noise / spread);
    *n = 1;
    return TVGP_OK;
}

tvgp_status tvgp__ucb_best(tvgp_policy *p, double t, double *x) {
    const tvgp__ucb_config *c = p->config;
    double value;
    if (!p->state)
        return tvgp__before_best(p, &c->box.search, (uint64_t)c->common.seed, x);
    tvgp__box_score_clear(p);
    tvgp_status status = join(p, t, 0);
    if (status == TVGP_OK)
        status = tvgp__box_score_maximise(p, x, &value);
    tvgp__box_score_clear(p);
    return status;
}
