/* SPDX-License-Identifier: MIT */
#include "play/expert_box.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "belief/refit.h"
#include "search/candidates.h"

#include <math.h>
#include <string.h>

/* Points, with the arm of each where contexts are measured. */
typedef struct places {
    size_t n, arms, points; /* arms, points: room */
    size_t *arm;
    double *X; /* room for dim + 1 each */
} places;

struct tvgp__expert_box {
    int stale;    /* the posterior is not what the log says */
    size_t fixed; /* queries.points */
    places known; /* n x dim: what a round is drawn from; expert.distinct of them */
    places ground;
    places round, next; /* n x (dim + 1), as proposals have them: of the round drawn last; of one that may yet fail */
    uint8_t *ok;
    size_t oks;
};

typedef struct tvgp__expert_box box;

static tvgp_status room(const tvgp_policy *p, places *list, size_t n) {
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *list->arm, &list->arm, &list->arms));
    return tvgp__memory_reserve(p->ctx, n, (p->domain->dim + 1) * sizeof *list->X, &list->X, &list->points);
}

static void put(places *list, size_t stride, size_t dim, size_t arm, const double *x) {
    list->arm[list->n] = arm;
    memcpy(list->X + list->n++ * stride, x, dim * sizeof *x);
}

static tvgp__space space_of(const tvgp_policy *p, double *reach) {
    return tvgp__within_space(p->within, p->domain, p->kernel, reach);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__expert_box_start(tvgp_policy *p, size_t points) {
    tvgp__expert *e = p->state;
    double reach[TVGP__SPACE_MOST];
    if (points && p->domain->total)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'queries.points' = %zu spreads points over a box, and this domain has arms", points);
    if (!p->within)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *e->box, &e->box));
    e->log.dim = p->domain->dim;
    e->box->fixed = points;
    TVGP__TRY(room(p, &e->box->known, points));
    const tvgp__space space = space_of(p, reach);
    tvgp__candidates_spread(&space, points, e->box->known.X);
    e->distinct = e->box->known.n = points;
    return TVGP_OK;
}

void tvgp__expert_box_release(tvgp_policy *p) {
    box *b = ((tvgp__expert *)p->state)->box;
    if (!b)
        return;
    places *lists[] = {&b->known, &b->ground, &b->round, &b->next};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        tvgp__memory_free(p->ctx, lists[i]->arm);
        tvgp__memory_free(p->ctx, lists[i]->X);
    }
    tvgp__memory_free(p->ctx, b->ok);
    tvgp__memory_free(p->ctx, b);
}

/* ---- points told ------------------------------------------------------------------------------------------------ */

/* With all points there may be the posterior is prepared as the fit does it: that finds the room it needs. */
tvgp_status tvgp__expert_box_room(tvgp_policy *p, size_t n) {
    tvgp__expert *e = p->state;
    box *b = e->box;
    const size_t dim = p->domain->dim, wanted = e->distinct + n;
    TVGP__TRY(tvgp__log_reserve(&e->log, n));
    memcpy(e->log.X + e->log.n * dim, p->batch.X, n * dim * sizeof *e->log.X);
    if (!b->fixed)
        TVGP__TRY(room(p, &b->known, wanted < TVGP__EXPERT_ROUND ? wanted : TVGP__EXPERT_ROUND));
    const tvgp__points all = {.n = e->log.n + n, .X = e->log.X};
    return e->ucb.posterior->ops->prepare(e->ucb.posterior, &all);
}

static void forget_oldest(places *list, size_t dim) {
    list->n--;
    memmove(list->arm, list->arm + 1, list->n * sizeof *list->arm);
    memmove(list->X, list->X + dim, list->n * dim * sizeof *list->X);
}

void tvgp__expert_box_went(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__expert *e = p->state;
    places *known = &e->box->known;
    const size_t dim = p->domain->dim;
    const double *x = p->batch.X + a->place * dim;
    if (e->box->fixed)
        return;
    for (size_t i = 0; i < known->n; i++)
        if (!memcmp(known->X + i * dim, x, dim * sizeof *x))
            return;
    if (known->n == TVGP__EXPERT_ROUND)
        forget_oldest(known, dim);
    put(known, dim, dim, a->arm, x);
    e->distinct = known->n;
}

/* ---- posterior -------------------------------------------------------------------------------------------------- */

static void observe(tvgp_policy *p, const tvgp__points *points, size_t i) {
    const tvgp__expert *e = p->state;
    tvgp__belief *post = e->ucb.posterior;
    const tvgp__record *o = &e->log.list[i];
    const double noise = tvgp__age_noise(&e->age, o->noise, e->newest - o->t);
    if (noise <= TVGP__REFIT_LIMIT * post->largest)
        post->ops->observe(post, points, i, o->t, o->y - o->mean, noise);
}

tvgp_status tvgp__expert_box_fit(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    tvgp__belief *post = e->ucb.posterior;
    const tvgp__points points = {.n = e->log.n, .X = e->log.X};
    if (!e->box || !e->box->stale)
        return TVGP_OK;
    post->ops->reset(post);
    if (points.n)
        TVGP__TRY(post->ops->prepare(post, &points));
    e->answers = 0;
    for (size_t i = 0; i < e->log.n; i++)
        if (e->log.list[i].kind == TVGP_SIDE) {
            observe(p, &points, i);
            e->answers++;
        }
    for (size_t i = 0; i < e->log.n; i++)
        if (e->log.list[i].kind == TVGP_ACTION && e->uses(p, &e->log.list[i]))
            observe(p, &points, i);
    post->now = p->clock;
    post->logged = e->log.n;
    e->box->stale = 0;
    return TVGP_OK;
}

void tvgp__expert_box_changed(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    e->as_of = p->asked;
    e->box->stale = 1;
    tvgp__error_forget(p->ctx, tvgp__expert_box_fit(p)); /* a kernel from outside: then when it is read */
}

tvgp_status tvgp__expert_predict(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    TVGP__TRY(tvgp__expert_box_fit(p));
    return tvgp__ucb_predict(p, t, n, X, mean, var);
}

tvgp_status tvgp__expert_gradient(tvgp_policy *p, double t, size_t n, const double *X, const tvgp__form_values *out) {
    TVGP__TRY(tvgp__expert_box_fit(p));
    return tvgp__ucb_gradient(p, t, n, X, out);
}

tvgp_status tvgp__expert_best(tvgp_policy *p, double t, double *x) {
    if (p->state)
        TVGP__TRY(tvgp__expert_box_fit(p));
    return tvgp__ucb_best(p, t, x);
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

static int allowed(const tvgp_policy *p, size_t arm, const double *x) {
    const double *lower = p->within->bounds, *upper = lower + p->domain->dim;
    int inside = !p->available.mask || p->available.mask[arm];
    for (size_t d = 0; d < p->domain->dim; d++)
        inside = inside && x[d] >= lower[d] && x[d] <= upper[d];
    return inside;
}

/* Those of the list, from place `first` on, that may be asked about now become the ground. */
static tvgp_status gather(tvgp_policy *p, const places *list, size_t first, size_t stride) {
    box *b = ((tvgp__expert *)p->state)->box;
    places *ground = &b->ground;
    const size_t dim = p->domain->dim;
    double reach[TVGP__SPACE_MOST];
    const tvgp__space space = space_of(p, reach);
    TVGP__TRY(room(p, ground, list->n));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, list->n, sizeof *b->ok, &b->ok, &b->oks));
    ground->n = 0;
    for (size_t i = first; i < list->n; i++)
        if (allowed(p, list->arm[i], list->X + i * stride))
            put(ground, dim, dim, list->arm[i], list->X + i * stride);
    const size_t n = ground->n;
    if (n)
        TVGP__TRY(tvgp__space_test(&space, n, ground->X, b->ok));
    ground->n = 0;
    for (size_t i = 0; i < n; i++)
        if (b->ok[i])
            put(ground, dim, dim, ground->arm[i], ground->X + i * dim);
    return TVGP_OK;
}

/* The k points of the ground in member (NULL: its first) become the next round, `asked` of them with the prior mean. */
static tvgp_status line_up(tvgp_policy *p, size_t k, const size_t *member, size_t asked) {
    box *b = ((tvgp__expert *)p->state)->box;
    const size_t dim = p->domain->dim;
    TVGP__TRY(room(p, &b->next, k));
    b->next.n = 0;
    for (size_t i = 0; i < k; i++) {
        const size_t at = member ? member[i] : i;
        put(&b->next, dim + 1, dim, b->ground.arm[at], b->ground.X + at * dim);
    }
    for (size_t i = 0; i < asked; i++) {
        double *x = b->next.X + i * (dim + 1);
        TVGP__TRY(tvgp__policy_mean_at(p, p->domain->total ? b->next.arm[i] : SIZE_MAX, x, &x[dim]));
    }
    return TVGP_OK;
}

/* The next round from the points known, or what is left of the last one. */
static tvgp_status find_round(tvgp_policy *p, int due, size_t cap) {
    const tvgp__expert_config *c = p->config;
    tvgp__expert *e = p->state;
    box *b = e->box;
    b->next.n = 0;
    b->round.n = e->n_round;
    TVGP__TRY(due ? gather(p, &b->known, 0, p->domain->dim) : gather(p, &b->round, e->emitted, p->domain->dim + 1));
    size_t n = b->ground.n;
    if (n && due) {
        TVGP__TRY(tvgp__expert_sample(p, n, b->ground.X, tvgp__expert_quota(p, n), b->fixed ? 0 : c->steps));
        n = e->dpp.k; /* what the rank allowed */
    }
    return line_up(p, n, due ? e->dpp.member : NULL, cap < n ? cap : n);
}

static size_t emit(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out) {
    const tvgp__expert_config *c = p->config;
    tvgp__expert *e = p->state;
    box *b = e->box;
    const places used = b->round;
    b->round = b->next;
    b->next = used;
    e->n_round = b->round.n;
    e->emitted = cap < e->n_round ? cap : e->n_round;
    for (size_t i = 0; i < e->emitted; i++)
        out[i] = (tvgp__proposal){
            .kind = TVGP_SIDE, .arm = b->round.arm[i], .x = b->round.X + i * (p->domain->dim + 1), .noise = c->noise};
    e->round_time = t;
    return e->emitted;
}

/* The action. When no point of the round may be asked about there is none, and the answers of the last one serve on. */
static tvgp_status act(tvgp_policy *p, double t, size_t cap, int due, tvgp__proposal *out, size_t *n) {
    tvgp__expert *e = p->state;
    TVGP__TRY(tvgp__expert_box_fit(p));
    TVGP__TRY(tvgp__ucb_ask(p, t, cap, out, n));
    e->due = e->due && !due;
    e->n_round = e->emitted;
    return TVGP_OK;
}

tvgp_status tvgp__expert_box_ask(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out, size_t *n) {
    tvgp__expert *e = p->state;
    const int due = tvgp__expert_due(p);
    const int64_t accepted = e->dpp.accepted, refreshes = e->dpp.refreshes;
    tvgp_status status = find_round(p, due, cap);
    if (status < 0) {
        e->dpp.accepted = accepted;
        e->dpp.refreshes = refreshes;
        return status;
    }
    *n = e->box->next.n ? emit(p, t, cap, out) : 0;
    if (*n && due) {
        tvgp__expert_drawn(p);
        tvgp__expert_box_changed(p);
    }
    if (*n)
        return TVGP_OK;
    if (t <= e->round_time && tvgp__expert_waits(p))
        return TVGP_AGAIN;
    return act(p, t, cap, due, out, n);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static void visit_places(tvgp_policy *p, places *list, size_t most, size_t stride, tvgp__visit *v) {
    const size_t dim = p->domain->dim;
    size_t n = list->n;
    tvgp__visit_count(v, &n, most, dim * sizeof *list->X);
    if (tvgp__visit_loads(v)) {
        list->n = 0;
        if (!tvgp__visit_fine(v) || !tvgp__visit_try(v, room(p, list, n)))
            return;
        list->n = n;
    }
    for (size_t i = 0; tvgp__visit_fine(v) && i < n; i++)
        tvgp__visit_reals(v, dim, list->X + i * stride, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    if (p->domain->total)
        tvgp__visit_indices(v, n, list->arm, p->domain->total);
}

void tvgp__expert_box_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__expert *e = p->state;
    box *b = e->box;
    if (!b->fixed)
        visit_places(p, &b->known, TVGP__EXPERT_ROUND, p->domain->dim, v);
    e->distinct = b->known.n;
    b->round.n = e->n_round;
    visit_places(p, &b->round, TVGP__EXPERT_ROUND, p->domain->dim + 1, v);
    e->n_round = b->round.n;
    tvgp__visit_tally(v, &e->as_of);
    tvgp__visit_tally_size(v, &e->ucb.posterior->jitter);
}

tvgp_status tvgp__expert_box_load(tvgp_policy *p) {
    tvgp__expert *e = p->state;
    const size_t jitter = e->ucb.posterior->jitter;
    e->box->stale = 1;
    tvgp_status status = tvgp__expert_box_fit(p);
    e->ucb.posterior->jitter = jitter;
    return status;
}
