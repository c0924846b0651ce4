/* SPDX-License-Identifier: MIT */
#include "play/expert.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "belief/refit.h"
#include "play/expert_box.h"

#include <math.h>
#include <string.h>

#define MEMBER(name) offsetof(tvgp__expert_config, name)

const tvgp__option tvgp__expert_options[TVGP__EXPERT_OPTIONS] = {
    {"expert.noise", TVGP_F64, 0, MEMBER(noise), 0.01, 0, TVGP__RANGE_MOST, NULL,
     "noise variance of an answer to a side query"},
    {"queries.scale", TVGP_F64, 0, MEMBER(scale), 6, 0, TVGP__RANGE_MOST, NULL,
     "side queries of a round: ceil(scale ln(t)^power), at least 1"},
    {"queries.power", TVGP_F64, 0, MEMBER(power), 0, 0, TVGP__RANGE_MOST, NULL, "0 = dimension of the domain"},
    {"kdpp.steps", TVGP_I64, 0, MEMBER(steps), 1000, 0, 0x1p53, NULL,
     "swaps of the k-DPP that chooses side queries; 0 = the greedy set"},
    {"queries.points", TVGP_I64, 0, MEMBER(points), 0, 0, TVGP__EXPERT_ROUND, NULL,
     "boxes: side queries are the greedy set of so many points spread over the box; 0 = drawn from the points told"},
};

void tvgp__expert_defaults(void *config) {
    ((tvgp__ucb_config *)config)->width.schedule = TVGP__WIDTH_LOGDET;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Between two actions, of what was answered or observed for the first. */
static double correlation(const tvgp_policy *p, double from, double to) {
    const tvgp__expert *e = p->state;
    return tvgp__age_correlation(&e->age, e->ucb.posterior->largest, to - from);
}

/* ---- posterior -------------------------------------------------------------------------------------------------- */

static void add(const tvgp__expert *e, const tvgp__record *o, tvgp__belief *post) {
    tvgp__refit_add(post, o->arm, o->y - o->mean, tvgp__age_noise(&e->age, o->noise, e->newest - o->t));
}

/* There are room and rows: prepare made them when the data were told. */
static void fit(tvgp_policy *p, tvgp__belief *post) {
    tvgp__expert *e = p->state;
    e->as_of = p->asked;
    tvgp__refit_begin(post, p->clock);
    e->answers = 0;
    for (size_t i = 0; i < e->log.n; i++)
        if (e->log.list[i].kind == TVGP_SIDE) {
            add(e, &e->log.list[i], post);
            e->answers++;
        }
    for (size_t i = 0; i < e->log.n; i++)
        if (e->log.list[i].kind == TVGP_ACTION && e->uses(p, &e->log.list[i]))
            add(e, &e->log.list[i], post);
    post->jitter += tvgp__refit_end(post);
    post->logged = e->log.n;
}

/* On more arms: the same data fitted again. */
static tvgp_status enlarge(tvgp_policy *p, const tvgp_domain *larger, tvgp__belief **out) {
    const tvgp__expert *e = p->state;
    const tvgp__belief *old = e->ucb.posterior;
    tvgp__belief *fresh = NULL;
    TVGP__TRY(tvgp__refit_new(p->ctx, p->kernel, larger->n, larger->X, &fresh));
    tvgp_status status = tvgp__refit_room(fresh, e->log.n);
    if (status == TVGP_OK)
        status = tvgp__log_hold(&e->log, &fresh->rows);
    if (status < 0) {
        tvgp__belief_free(fresh);
        return status;
    }
    fit(p, fresh);
    fresh->now = old->now;
    fresh->jitter = old->jitter;
    *out = fresh;
    return TVGP_OK;
}

/* Arrays over the arms. */
static tvgp_status points_room(tvgp_policy *p, size_t n, tvgp__expert *e) {
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *e->visited, &e->visited));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *e->seen, &e->seen));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *e->ground, &e->ground));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, p->domain->dim * sizeof *e->X, &e->X));
    return tvgp__memory_alloc(p->ctx, n, sizeof *e->round, &e->round);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__expert_start(tvgp_policy *p, tvgp__age age, int (*uses)(const tvgp_policy *, const tvgp__record *own)) {
    tvgp__expert *e = p->state;
    tvgp__belief_spec spec = tvgp__ucb_spec(p, p->kernel, ((const tvgp__ucb_config *)p->config)->noise);
    tvgp__belief *posterior = NULL;
    e->age = age;
    e->ucb.own_correlation = correlation;
    e->uses = uses;
    e->log.ctx = p->ctx;
    e->newest = e->round_time = -INFINITY;
    e->round_step = -1;
    e->dpp = (tvgp__dpp){.kernel = p->kernel, .factor = {.ctx = p->ctx}};
    spec.replaced = 1;
    TVGP__TRY(tvgp__belief_make(&spec, &posterior));
    TVGP__TRY(tvgp__ucb_start(p, posterior));
    e->ucb.enlarge = enlarge;
    TVGP__TRY(points_room(p, p->domain->n, e));
    return tvgp__expert_box_start(p, (size_t)((const tvgp__expert_config *)p->config)->points);
}

static void free_points(tvgp_policy *p, tvgp__expert *e) {
    void *blocks[] = {e->visited, e->seen, e->ground, e->X, e->round};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(p->ctx, blocks[i]);
}

tvgp_status tvgp__expert_extend(tvgp_policy *p, const tvgp_domain *larger) {
    tvgp__expert *e = p->state, more = {0};
    tvgp_status status = points_room(p, larger->n, &more);
    if (status == TVGP_OK)
        status = tvgp__ucb_extend(p, larger);
    if (status < 0) {
        free_points(p, &more);
        return status;
    }
    memcpy(more.visited, e->visited, e->distinct * sizeof *e->visited);
    memcpy(more.seen, e->seen, p->domain->n * sizeof *e->seen);
    memcpy(more.round, e->round, e->n_round * sizeof *e->round);
    free_points(p, e);
    e->visited = more.visited;
    e->seen = more.seen;
    e->ground = more.ground;
    e->X = more.X;
    e->round = more.round;
    return TVGP_OK;
}

void tvgp__expert_release(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    free_points(p, e);
    tvgp__expert_box_release(p);
    tvgp__log_free(&e->log);
    tvgp__dpp_free(&e->dpp);
    tvgp__ucb_release(p);
}

static void visit_points(tvgp_policy *p, tvgp__visit *v) {
    tvgp__expert *e = p->state;
    size_t n = p->domain->n;
    tvgp__visit_size(v, &e->distinct, 0, n);
    tvgp__visit_indices(v, e->distinct, e->visited, n);
    if (!tvgp__visit_loads(v))
        return;
    memset(e->seen, 0, n);
    for (size_t i = 0; i < e->distinct; i++) {
        if (e->seen[e->visited[i]])
            tvgp__visit_refuse(v, "a point was visited first twice");
        e->seen[e->visited[i]] = 1;
    }
}

static void visit_round(tvgp_policy *p, tvgp__visit *v) {
    tvgp__expert *e = p->state;
    size_t n = p->domain->n;
    if (e->box) {
        tvgp__expert_box_visit(p, v);
    } else {
        tvgp__visit_size(v, &e->n_round, 0, n);
    }
    tvgp__visit_size(v, &e->emitted, 0, e->n_round);
    tvgp__visit_indices(v, e->box ? 0 : e->n_round, e->round, n);
}

void tvgp__expert_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__expert *e = p->state;
    if (e->box)
        tvgp__ucb_visit_choices(p, v); /* the posterior is fitted again */
    else
        tvgp__ucb_visit(p, v);
    tvgp__log_visit(&e->log, p->domain->total, v);
    tvgp__visit_tally_size(v, &e->answers);
    tvgp__visit_real(v, &e->newest, -INFINITY, TVGP__RANGE_MOST);
    if (!e->box)
        visit_points(p, v);
    tvgp__visit_tally(v, &e->dpp.accepted);
    tvgp__visit_tally(v, &e->dpp.refreshes);
    tvgp__visit_flag(v, &e->due);
    visit_round(p, v);
    tvgp__visit_int(v, &e->round_step, -1, TVGP__VISIT_TALLY);
    tvgp__visit_real(v, &e->round_time, -INFINITY, TVGP__RANGE_MOST);
    tvgp__visit_tally(v, &e->answered);
    tvgp__visit_tally(v, &e->skipped);
    tvgp__visit_tally(v, &e->late);
}

void tvgp__expert_loaded(tvgp_policy *p, tvgp__visit *v) {
    tvgp__expert *e = p->state;
    if (!tvgp__visit_loads(v) || !tvgp__visit_fine(v))
        return;
    if (e->box)
        tvgp__visit_try(v, tvgp__expert_box_load(p));
    else if (tvgp__visit_try(v, tvgp__refit_room(e->ucb.posterior, e->log.n)))
        tvgp__visit_try(v, tvgp__log_hold(&e->log, &e->ucb.posterior->rows)); /* for the next fit */
}

void tvgp__expert_restart(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    e->log.n = e->n_round = e->emitted = 0;
    e->round_step = -1;
    e->due = 1;
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

static int available(const tvgp_policy *p, size_t arm) {
    return !p->available.mask || p->available.mask[arm];
}

size_t tvgp__expert_quota(const tvgp_policy *p, size_t distinct) {
    const tvgp__expert_config *c = p->config;
    double power = c->power > 0 ? c->power : (double)p->domain->dim;
    double wanted = fmax(1, ceil(c->scale * pow(log((double)p->asked), power)));
    return wanted < (double)distinct ? (size_t)wanted : distinct;
}

/* Answers go when they have served an action; late ones that came since the last action stay for the next. */
static int unused(const void *user, const tvgp__record *o) {
    return o->kind != TVGP_SIDE || o->known == ((const tvgp_policy *)user)->asked;
}

tvgp_status tvgp__expert_sample(tvgp_policy *p, size_t n, const double *X, size_t k, int64_t steps) {
    const tvgp__expert_config *c = p->config;
    tvgp__expert *e = p->state;
    tvgp__stream stream = tvgp__stream_open((uint64_t)c->ucb.common.seed, TVGP__STREAM_DPP, (uint64_t)p->asked);
    int64_t accepted = e->dpp.accepted, refreshes = e->dpp.refreshes;
    tvgp_status status = tvgp__dpp_start(&e->dpp, n, X, k);
    if (status == TVGP_OK)
        status = tvgp__dpp_run(&e->dpp, steps, &stream);
    if (status < 0) {
        e->dpp.accepted = accepted;
        e->dpp.refreshes = refreshes;
    }
    return status;
}

void tvgp__expert_drawn(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    e->due = 0;
    e->round_step = p->asked;
    tvgp__log_keep(&e->log, unused, p);
}

/* Draws the round that is due; its answers replace those before. A failure changes nothing. */
static tvgp_status draw(tvgp_policy *p) {
    const tvgp__expert_config *c = p->config;
    tvgp__expert *e = p->state;
    size_t dim = p->domain->dim, n = 0;
    for (size_t i = 0; i < e->distinct; i++)
        if (available(p, e->visited[i])) {
            memcpy(e->X + n * dim, p->domain->X + e->visited[i] * dim, dim * sizeof *e->X);
            e->ground[n++] = e->visited[i];
        }
    TVGP__TRY(tvgp__expert_sample(p, n, e->X, tvgp__expert_quota(p, n), c->steps));
    for (size_t i = 0; i < e->dpp.k; i++)
        e->round[i] = e->ground[e->dpp.member[i]];
    e->n_round = e->dpp.k;
    e->emitted = 0;
    tvgp__expert_drawn(p);
    fit(p, e->ucb.posterior);
    return TVGP_OK;
}

static size_t emit_round(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out) {
    const tvgp__expert_config *c = p->config;
    tvgp__expert *e = p->state;
    size_t n = 0;
    while (n < cap && e->emitted < e->n_round) {
        size_t arm = e->round[e->emitted++];
        if (available(p, arm)) /* it may have gone since the round was drawn */
            out[n++] = (tvgp__proposal){.kind = TVGP_SIDE, .arm = arm, .noise = c->noise};
    }
    if (n)
        e->round_time = t;
    return n;
}

/* Whether a query of the round waits for its answer; its tickets are the newest, but for actions asked after it. */
int tvgp__expert_waits(const tvgp_policy *p) {
    const tvgp__expert *e = p->state;
    for (size_t i = p->tickets.first + p->tickets.count; i > p->tickets.first; i--) {
        const tvgp__ticket *ticket = &p->tickets.list[i - 1];
        if (ticket->step < e->round_step)
            break;
        if (ticket->step == e->round_step && ticket->kind == TVGP_SIDE && !ticket->taken)
            return 1;
    }
    return 0;
}

/* At most one round between two actions, however many answers came in between. */
int tvgp__expert_due(const tvgp_policy *p) {
    const tvgp__expert *e = p->state;
    return e->due && e->distinct && p->asked > e->round_step;
}

tvgp_status tvgp__expert_ask(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out, size_t *n) {
    tvgp__expert *e = p->state;
    if (e->box)
        return tvgp__expert_box_ask(p, t, cap, out, n);
    if (tvgp__expert_due(p)) {
        TVGP__TRY(tvgp__ucb_reach(p)); /* an action may follow in this ask, and must not fail after the draw */
        TVGP__TRY(draw(p));
    }
    *n = emit_round(p, t, cap, out);
    if (*n)
        return TVGP_OK;
    if (t <= e->round_time && tvgp__expert_waits(p))
        return TVGP_AGAIN;
    return tvgp__ucb_ask(p, t, cap, out, n);
}

/* ---- tell ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__expert_prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    tvgp__expert *e = p->state;
    tvgp__belief *post = e->ucb.posterior;
    (void)answers;
    if (e->box)
        return tvgp__expert_box_room(p, n);
    TVGP__TRY(tvgp__log_reserve(&e->log, n));
    TVGP__TRY(tvgp__refit_room(post, e->log.n + n));
    TVGP__TRY(tvgp__belief_hold(post, &p->batch));
    return tvgp__log_hold(&e->log, &post->rows);
}

/* Arms at the same place are one point, that of the lowest index. */
static void visit(tvgp_policy *p, size_t arm) {
    tvgp__expert *e = p->state;
    size_t point = (size_t)p->domain->ops->locate(p->domain, p->domain->X + arm * p->domain->dim);
    if (e->seen[point])
        return;
    e->seen[point] = 1;
    e->visited[e->distinct++] = point;
}

void tvgp__expert_take(tvgp_policy *p, const tvgp__answer *a) {
    const tvgp__expert_config *c = p->config;
    tvgp__expert *e = p->state;
    int side = a->kind == TVGP_SIDE;
    const tvgp__belief *post = e->ucb.posterior;
    double y = a->y - a->prior_mean, noise = !isnan(a->noise) ? a->noise : side ? c->noise : c->ucb.noise;
    if (!e->box)
        noise = tvgp__watch_answer(p, y, post->mean[a->arm], post->var[a->arm], noise);
    else if (!side && a->step) /* only the action was predicted */
        noise = tvgp__watch_answer(p, y, a->mean, a->sd * a->sd, noise);
    if (e->box)
        memcpy(e->log.X + e->log.n * p->domain->dim, p->batch.X + a->place * p->domain->dim,
               p->domain->dim * sizeof *e->log.X);
    tvgp__log_add(&e->log, &(tvgp__record){.arm = a->arm,
                                           .t = a->t,
                                           .y = a->y,
                                           .mean = a->prior_mean,
                                           .noise = noise,
                                           .step = a->step,
                                           .known = p->asked,
                                           .kind = a->kind});
    if (side)
        return;
    e->newest = fmax(e->newest, a->t);
    if (e->box)
        tvgp__expert_box_went(p, a);
    else
        visit(p, a->arm);
}

void tvgp__expert_count(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__expert *e = p->state;
    if (a->kind != TVGP_SIDE)
        return;
    e->answered += a->outcome == TVGP_VALUE;
    e->skipped += a->outcome != TVGP_VALUE;
    e->late += a->outcome == TVGP_VALUE && a->step != e->round_step;
    if (a->outcome != TVGP_VALUE && e->skipped == 10 && !e->answered)
        tvgp__context_log(p->ctx,
                          "%s: the first ten side queries were all skipped; without an expert another policy does "
                          "better",
                          p->ops->name);
}

void tvgp__expert_told(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    if (e->box)
        tvgp__expert_box_changed(p);
    else
        fit(p, e->ucb.posterior);
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression) TVGP__POLICY_STAT(name, tvgp__expert, e, expression, 0)
STAT(stat_due, tvgp__expert_due(p) || e->emitted < e->n_round)
STAT(stat_answered, e->answered)
STAT(stat_skipped, e->skipped)
STAT(stat_late, e->late)
STAT(stat_distinct, e->distinct)
STAT(stat_swaps, e->dpp.accepted)
STAT(stat_refreshes, e->dpp.refreshes)

const tvgp__stat tvgp__expert_stats[TVGP__EXPERT_STATS] = {
    {"side_due", "1 when the next ask begins with side queries", stat_due},
    {"side_answered", "side queries answered with a value", stat_answered},
    {"side_skipped", "side queries told without a value", stat_skipped},
    {"side_late", "values of side queries that came after the next round was due or drawn", stat_late},
    {"distinct", "distinct points told so far: what side queries are drawn from", stat_distinct},
    {"kdpp_swaps", "accepted swaps of the k-DPP", stat_swaps},
    {"kdpp_refreshes", "times the k-DPP computed its factor or inverse afresh", stat_refreshes},
};
