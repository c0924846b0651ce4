/* SPDX-License-Identifier: MIT */
#include "policy/box_ucb.h"

#include "base/error.h"
#include "base/memory.h"
#include "frame/prior.h"
#include "search/argmax.h"

#include <math.h>
#include <string.h>

enum { PRUNE_EVERY = 8 };

struct tvgp__box_ucb {
    int searched;            /* x is the last maximiser */
    double *x, *reach;       /* the point and its prior mean; dim */
    double *pending, *times; /* UCB_PENDING x dim, UCB_PENDING */
    double *a, *work;        /* of the form asked: weights of the mean, workspace */
    double *actions;         /* measured contexts: workspace for mean, variance and score of each */
    size_t a_slots, work_slots;
};

const tvgp__option tvgp__box_options[TVGP__BOX_OPTIONS] = {
    {"forget.tolerance", TVGP_F64, 0, offsetof(tvgp__box_config, tolerance), 1e-3, 0, 1, NULL,
     "boxes: an old observation goes when that moves mean and sd by less than this many noise sds; 0: never"},
    {"rows.limit", TVGP_I64, 0, offsetof(tvgp__box_config, limit), 2048, 0, 0x1p31, NULL,
     "boxes: observations (auto-gp-ucb: support points) held; beyond it the oldest is forgotten; 0: no limit"},
};

/* A score under search. */
typedef struct {
    tvgp_policy *policy;
    tvgp__form form;
    const double *own;
    double width;
} objective;

static double dropped(const tvgp_policy *p) {
    const tvgp__belief *inner = p->state && p->within ? tvgp__learn_inner(p) : NULL;
    return inner ? (double)inner->ops->anywhere->dropped(inner) : 0;
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
        tvgp__memory_alloc(p->ctx, (TVGP__UCB_PENDING + 2) * dim + 1 + TVGP__UCB_PENDING, sizeof *u->box->x, &u->box->x));
    u->box->reach = u->box->x + dim + 1;
    u->box->pending = u->box->reach + dim;
    u->box->times = u->box->pending + TVGP__UCB_PENDING * dim;
    return tvgp__memory_alloc(p->ctx, p->domain->total, 3 * sizeof *u->box->actions, &u->box->actions);
}

/* As many as take a few milliseconds. */
static int64_t rows_an_ask(const tvgp__belief *inner) {
    const double n = (double)inner->rank;
    return (int64_t)fmax(32, n > 32 ? 2e7 / (n * n) : 2e4);
}

void tvgp__box_ucb_learns(tvgp__learned_spec *spec) {
    spec->rows = rows_an_ask;
    spec->square = tvgp__exact_square;
    spec->faded = tvgp__exact_faded;
}

void tvgp__box_ucb_release(tvgp_policy *p) {
    tvgp__box_ucb *box = ((tvgp__ucb *)p->state)->box;
    if (!box)
        return;
    tvgp__memory_free(p->ctx, box->x);
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

/* ---- score ------------------------------------------------------------------------------------------------------ */

/* The policy's prior mean at m points is added to value, its gradient to `gradient` (NULL: not wanted). */
static tvgp_status add_mean(const tvgp_policy *p, size_t m, const double *Z, double *value, double *gradient) {
    size_t dim = p->domain->dim;
    double mean[TVGP__ASCENT_BLOCK], slope[TVGP__ASCENT_BLOCK * TVGP__SPACE_MOST];
    TVGP__TRY(tvgp__policy_mean_points(p, m, Z, mean, gradient ? slope : NULL));
    for (size_t i = 0; i < m; i++)
        value[i] += mean[i];
    for (size_t i = 0; gradient && i < m * dim; i++)
        gradient[i] += slope[i];
    return TVGP_OK;
}

static tvgp_status score(void *user, size_t m, const double *Z, double *value, double *gradient) {
    const objective *o = user;
    const tvgp__box_ucb *box = ((const tvgp__ucb *)o->policy->state)->box;
    TVGP__TRY(tvgp__form_score(&o->form, o->width, m, Z, box->work, value, gradient));
    return add_mean(o->policy, m, Z, value, gradient);
}

static tvgp_status bound(void *user, size_t m, const double *Z, double *value) {
    const objective *o = user;
    const tvgp__box_ucb *box = ((const tvgp__ucb *)o->policy->state)->box;
    TVGP__TRY(tvgp__form_bound(&o->form, o->width, box->a, o->own, m, Z, box->work, value));
    return add_mean(o->policy, m, Z, value, NULL);
}

/* Weights and workspace for the form of the objective. */
static tvgp_status prepare_form(const objective *o) {
    tvgp__box_ucb *box = ((tvgp__ucb *)o->policy->state)->box;
    tvgp_ctx *ctx = o->policy->ctx;
    TVGP__TRY(tvgp__memory_reserve(ctx, o->form.r, sizeof *box->a, &box->a, &box->a_slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, tvgp__form_work(&o->form, TVGP__FORM_BLOCK), sizeof *box->work, &box->work,
                                   &box->work_slots));
    tvgp__form_weights(&o->form, box->a);
    return TVGP_OK;
}

/* The maximiser of the objective to x. */
static tvgp_status maximise(objective *o, double *x, double *value) {
    tvgp_policy *p = o->policy;
    const tvgp__ucb_config *c = p->config;
    const tvgp__ucb *u = p->state;
    const tvgp__belief *inner = tvgp__learn_inner(p);
    tvgp__search s = {.space = tvgp__within_space(p->within, p->domain, u->posterior->kernel, u->box->reach),
                      .target = {.score = score, .user = o},
                      .bound = o->own ? bound : NULL,
                      .last = u->box->searched ? u->box->x : NULL,
                      .seed = (uint64_t)c->common.seed,
                      .step = (uint64_t)p->asked};
    s.target.scale = (o->width > 0 ? o->width : 1) * sqrt(o->form.spread * o->form.kappa * u->posterior->largest);
    s.support = inner->ops->anywhere->points(inner, &s.n_support);
    s.n_support = o->form.r ? s.n_support : 0;
    TVGP__TRY(prepare_form(o));
    return tvgp__search_run(&c->box.search, &s, x, value);
}

/* The best available action in the context that holds, by the rule for arms, to x with its prior mean. */
static tvgp_status pick(const objective *o, double *x, double *value, size_t *arm) {
    const tvgp_policy *p = o->policy;
    const tvgp__box_ucb *box = ((const tvgp__ucb *)p->state)->box;
    const size_t n = p->domain->total, dim = p->domain->dim;
    double *mean = box->actions, *var = mean + n, *score_of = var + n;
    const tvgp__form_values values = {.mean = mean, .var = var};
    TVGP__TRY(prepare_form(o));
    TVGP__TRY(tvgp__form_evaluate(&o->form, n, p->within->actions, box->work, &values));
    tvgp__argmax_ucb(n, mean, var, o->width, score_of);
    TVGP__TRY(tvgp__policy_mean_actions(p, mean));
    for (size_t i = 0; i < n; i++)
        score_of[i] += mean[i];
    *arm = tvgp__argmax_of(n, score_of, p->available.mask);
    *value = score_of[*arm];
    memcpy(x, p->within->actions + *arm * dim, dim * sizeof *x);
    x[dim] = mean[*arm];
    return TVGP_OK;
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

/* The form of the posterior at time t. */
static tvgp_status open_form(objective *o, double t) {
    const tvgp__ucb *u = o->policy->state;
    const tvgp__belief *inner = tvgp__learn_inner(o->policy);
    TVGP__TRY(u->posterior->ops->form(u->posterior, t, &o->form));
    o->own = inner->ops->anywhere->own ? inner->ops->anywhere->own(inner) : NULL;
    return TVGP_OK;
}

/* Mean and sd at x by what is known there, which leaves the pending actions out. */
static tvgp_status describe(const tvgp_policy *p, const tvgp__form *known, const double *x, double *mean, double *sd) {
    double var;
    const tvgp__form_values values = {.mean = mean, .var = &var};
    TVGP__TRY(tvgp__form_evaluate(known, 1, x, ((const tvgp__ucb *)p->state)->box->work, &values));
    *sd = sqrt(var);
    return TVGP_OK;
}

static tvgp_status choose(objective *o, double t, double *x, tvgp__proposal *out) {
    tvgp_policy *p = o->policy;
    tvgp__ucb *u = p->state;
    tvgp__belief *inner = tvgp__learn_inner(p);
    size_t pending = gather_pending(p), arm = 0;
    double value = 0, mean = 0, sd = 0, noise = tvgp__learn_noise(p);
    TVGP__TRY(open_form(o, t));
    if (tvgp__ucb_restarts(p))
        o->form.r = 0; /* nothing is known */
    const tvgp__form known = o->form;
    TVGP__TRY(
        inner->ops->anywhere->pend(inner, &o->form, t, pending, u->box->pending, u->box->times, noise / o->form.spread));
    o->width = tvgp__ucb_width(p);
    x[p->domain->dim] = 0;
    TVGP__TRY(p->domain->total ? pick(o, x, &value, &arm) : maximise(o, x, &value));
    TVGP__TRY(describe(p, &known, x, &mean, &sd));
    if (!p->domain->total)
        TVGP__TRY(add_mean(p, 1, x, &x[p->domain->dim], NULL));
    *out = (tvgp__proposal){.kind = TVGP_ACTION,
                            .arm = arm,
                            .score = value,
                            .noise = noise,
                            .mean = mean,
                            .sd = sd,
                            .width = o->width,
                            .propensity = p->domain->total ? 1 : 0};
    return TVGP_OK;
}

/* Learns, then chooses; what was learned stays only if the search comes to an end. */
static tvgp_status learn_and_choose(objective *o, double t, double *x, tvgp__proposal *out) {
    const tvgp_policy *p = o->policy;
    const tvgp__points none = {0};
    tvgp__learned *learned = tvgp__learn_of(p), before;
    if (!learned)
        return choose(o, t, x, out);
    TVGP__TRY(tvgp__learned_step(learned, p->asked, tvgp__ucb_restarts(p), &none, &before));
    tvgp_status status = choose(o, t, x, out);
    tvgp__learned_end(learned, &before, status);
    return status;
}

tvgp_status tvgp__box_ucb_ask(tvgp_policy *p, double t, tvgp__proposal *out, size_t *n) {
    const tvgp__ucb_config *c = p->config;
    tvgp__ucb *u = p->state;
    objective o = {.policy = p, .form.ctx = p->ctx};
    double x[TVGP__SPACE_MOST + 1];
    tvgp_status status = learn_and_choose(&o, t, x, out);
    tvgp__form_free(&o.form);
    TVGP__TRY(status);
    tvgp__ucb_restart(p, t);
    memcpy(u->box->x, x, (p->domain->dim + 1) * sizeof *x);
    u->box->searched = 1;
    out->x = u->box->x;
    u->width = out->width;
    u->mean = out->mean;
    u->sd = out->sd;
    u->posterior->ops->advance(u->posterior, t);
    tvgp__watch_ask(p, t);
    tvgp__belief *inner = tvgp__learn_inner(p);
    if (p->asked % PRUNE_EVERY == 0 && inner->ops->anywhere->prune) /* it may wait for the next time */
        (void)inner->ops->anywhere->prune(inner, c->box.tolerance, out->noise / o.form.spread);
    *n = 1;
    return TVGP_OK;
}

tvgp_status tvgp__ucb_best(tvgp_policy *p, double t, double *x) {
    const tvgp__ucb_config *c = p->config;
    objective o = {.policy = p, .form.ctx = p->ctx};
    double value;
    if (!p->state)
        return tvgp__prior_best(p, &c->box.search, (uint64_t)c->common.seed, x);
    tvgp_status status = open_form(&o, t);
    if (status == TVGP_OK)
        status = maximise(&o, x, &value);
    tvgp__form_free(&o.form);
    return status;
}
