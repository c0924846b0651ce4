/* SPDX-License-Identifier: MIT */
/* The common part of the policies that ask an expert (Mauduit, Berthier, Simonetto 2025) (policy/ucb/side_queries.h). */
#include "policy/ucb/side_queries.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "choose/search_points.h"
#include "model/refit.h"
#include "protocol/policy_options.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

#define MEMBER(name) offsetof(tvgp__side_queries_config, name)

const tvgp__option tvgp__side_queries_options[TVGP__SIDE_QUERIES_OPTIONS] = {
    {"side.noise", TVGP_F64, 0, MEMBER(noise), 0.01, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Noise variance of the outcome of a side query. Not set, with learned noise: the noise variance of an "
                "observation.")},
    {"side.round_factor", TVGP_F64, 0, MEMBER(scale), 6, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Factor of the size of a round of side queries: ceil(factor ln(t)^exponent), at least 1.")},
    {"side.round_exponent", TVGP_F64, 0, MEMBER(power), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Exponent of the size of a round of side queries. 0: the dimension of the domain.")},
    {"side.divergence", TVGP_F64, 0, MEMBER(divergence), 0, 0, 0.2, NULL,
     TVGP__TEXT("Divergence allowed between the posterior from side queries and that from fresh values of all points; it "
                "sets the size "
                "of a round. 0: side.round_factor sets it.")},
    {"kdpp.steps", TVGP_I64, 0, MEMBER(steps), 1000, -1, 0x1p53, NULL,
     TVGP__TEXT(
         "Number of swaps of the k-DPP chain that draws side queries. 0: the greedy set; -1: as many as its error bound "
         "requires.")},
    {"side.points", TVGP_I64, 0, MEMBER(points), 0, 0, TVGP__SIDE_QUERIES_ROUND, NULL,
     TVGP__TEXT("Number of points of the greedy set over a box from which side queries are drawn. 0: the points observed.")},
};

void tvgp__side_queries_defaults(void *config) {
    ((tvgp__ucb_config *)config)->width.schedule = TVGP__EXPLORATION_SCHEDULE_LOGDET;
}

/* ---- posterior -------------------------------------------------------------------------------------------------- */

/* How noise grows, in the unit of time that was found where the model is learned; otherwise in the user's. */
static tvgp__noise_age growth_of(const tvgp_policy *p) {
    tvgp__noise_age growth = ((const tvgp__side_queries *)p->state)->age;
    growth.unit = tvgp__time_unit_unit(p);
    return growth;
}

double tvgp__side_queries_age(const tvgp_policy *p, double t) {
    return tvgp__median_gap_units(((const tvgp__side_queries *)p->state)->newest - t, tvgp__time_unit_unit(p));
}

/* Learned: the mean that values are relative to, the noise of an observation that came without one, and the growth of noise. */
typedef struct terms {
    double mean, noise;
    tvgp__noise_age growth;
} terms;

static terms terms_at(const tvgp_policy *p, const tvgp__hyper_point *point) {
    return (terms){point->mean, point->noise, growth_of(p)};
}

static terms terms_of(const tvgp_policy *p) {
    const tvgp__learner *l = tvgp__ucb_learner(p);
    return l ? terms_at(p, &l->in_use.point) : (terms){.growth = growth_of(p)};
}

/* Between two actions, of what was answered or observed for the first. */
static double correlation(const tvgp_policy *p, double from, double to) {
    const tvgp__side_queries *e = p->state;
    const tvgp__noise_age growth = terms_of(p).growth;
    return tvgp__noise_age_correlation(&growth, e->ucb.posterior->largest, to - from);
}

/* On arms, everything that fitting a posterior to the log and n observations more can fail at. */
static tvgp_status make_room(const tvgp_policy *p, tvgp__posterior *post, size_t n) {
    const tvgp__side_queries *e = p->state;
    TVGP__TRY(tvgp__refit_room(post, e->log.n + n));
    return tvgp__observations_hold(&e->log, &post->rows);
}

/* A fit has three steps: nothing is observed, and what can fail is done; each record in use is observed; on arms, where K is
 * factorised once for all, the end. */
static tvgp_status begin(const tvgp_policy *p, tvgp__posterior *post, const tvgp__points *points) {
    if (!((const tvgp__side_queries *)p->state)->log.dim) {
        TVGP__TRY(make_room(p, post, 0));
        tvgp__refit_begin(post, p->clock);
        return TVGP_OK;
    }
    post->ops->reset(post);
    return points->n ? post->ops->prepare(post, points) : TVGP_OK;
}

static void observe(const tvgp_policy *p, terms now, tvgp__posterior *post, const tvgp__points *points, size_t i) {
    const tvgp__side_queries *e = p->state;
    const tvgp__observation *o = &e->log.list[i];
    const double y = o->y - o->mean - now.mean,
                 noise = tvgp__noise_age_noise(&now.growth, isnan(o->noise) ? now.noise : o->noise, e->newest - o->t);
    if (!e->log.dim)
        tvgp__refit_add(post, o->arm, y, noise);
    else if (noise <= TVGP__REFIT_LIMIT * post->largest)
        tvgp__posterior_observe(post, points, i, o->t, y, noise, o->assumed);
}

static tvgp_status fit(const tvgp_policy *p, terms now, tvgp__posterior *post) {
    tvgp__side_queries *e = p->state;
    const tvgp__points points = {.n = e->log.n, .X = e->log.X};
    TVGP__TRY(begin(p, post, &points));
    e->answers = 0;
    for (size_t i = 0; i < e->log.n; i++)
        if (e->log.list[i].kind == TVGP_SIDE) {
            observe(p, now, post, &points, i);
            e->answers++;
        }
    for (size_t i = 0; i < e->log.n; i++)
        if (e->log.list[i].kind == TVGP_ACTION && e->uses(p, &e->log.list[i]))
            observe(p, now, post, &points, i);
    if (!e->log.dim)
        post->counts.jitter += tvgp__refit_end(post);
    post->now = p->clock;
    post->counts.logged = e->log.n;
    return TVGP_OK;
}

/* Fits the posterior to the log, if that has changed, or the unit of time has. A failure is made up for by the next call. */
static tvgp_status refresh(const tvgp_policy *p) {
    tvgp__side_queries *e = p->state;
    if (!e->stale && e->unit == tvgp__time_unit_unit(p))
        return TVGP_OK;
    TVGP__TRY(fit(p, terms_of(p), tvgp__ucb_posterior(p)));
    e->stale = 0;
    e->unit = tvgp__time_unit_unit(p);
    if (e->ucb.learner)
        e->ucb.kept = e->log.n;
    return TVGP_OK;
}

/* Of a posterior for parameters that were learned. */
static tvgp_status fill(void *policy, tvgp__posterior *post, const tvgp__hyper_point *point) {
    return fit(policy, terms_at(policy, point), post);
}

/* The same for statistics and snapshots, which go on with what there is. */
static void finish(const tvgp_policy *p) {
    tvgp__error_forget(p->ctx, refresh(p));
}

static const tvgp__ucb_fitted fitted = {.correlation = correlation, .finish = finish};

static void change(tvgp_policy *p) {
    tvgp__side_queries *e = p->state;
    e->as_of = p->counts.asked;
    e->stale = 1;
}

/* On more arms: the same data fitted again. */
static tvgp_status enlarge(tvgp_policy *p, const tvgp_domain *larger, tvgp__posterior **out) {
    const tvgp__posterior *old = ((const tvgp__side_queries *)p->state)->ucb.posterior;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__refit_new(p->ctx, p->kernel, larger->n, larger->X, &fresh));
    tvgp_status status = fit(p, terms_of(p), fresh);
    if (status < 0) {
        tvgp__posterior_free(fresh);
        return status;
    }
    fresh->now = old->now;
    fresh->counts.jitter = old->counts.jitter;
    *out = fresh;
    return TVGP_OK;
}

tvgp_status tvgp__side_queries_at(const tvgp_policy *p, double t, size_t n, const size_t *arm, double *mean, double *var) {
    TVGP__TRY(refresh(p));
    return tvgp__ucb_at(p, t, n, arm, mean, var);
}

tvgp_status tvgp__side_queries_predict(tvgp_policy *p, double t, size_t n, const double *X,
                                       const tvgp__predictive_values *out) {
    TVGP__TRY(refresh(p));
    return tvgp__ucb_predict(p, t, n, X, out);
}

tvgp_status tvgp__side_queries_best(tvgp_policy *p, double t, double *x) {
    if (p->state)
        TVGP__TRY(refresh(p));
    return tvgp__ucb_best(p, t, x);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static tvgp__search_space space_of(const tvgp_policy *p, double *reach) {
    return tvgp__query_points_space(p, p->kernel, reach);
}

/* The points that side queries are spread over, where the options give their number. */
static tvgp_status spread(tvgp_policy *p, size_t n) {
    tvgp__side_queries *e = p->state;
    double reach[TVGP__SEARCH_SPACE_MOST];
    if (!tvgp__domain_is_box(p->domain))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'side.points' = %zu spreads points over a box, and this domain has arms", n);
    const tvgp__search_space space = space_of(p, reach);
    TVGP__TRY(tvgp__point_list_reserve(&e->known, n));
    tvgp__search_points_spread(&space, n, e->known.X);
    for (size_t i = 0; i < n; i++)
        e->known.arm[i] = SIZE_MAX;
    e->known.n = n;
    return TVGP_OK;
}

static size_t fixed_points(const tvgp_policy *p) {
    return (size_t)((const tvgp__side_queries_config *)p->config)->points;
}

static tvgp_status make(void *policy, const tvgp_kernel *kernel, double rate, double noise, tvgp__basis_progress *progress,
                        tvgp__posterior **out) {
    tvgp__posterior_spec spec = tvgp__ucb_spec(policy, kernel, noise);
    (void)rate;
    (void)progress;
    spec.replaced = 1;
    return tvgp__posterior_make(&spec, out);
}

tvgp_status tvgp__side_queries_start(tvgp_policy *p, tvgp__noise_age age, int learns_exponent,
                                     int (*uses)(const tvgp_policy *, const tvgp__observation *own)) {
    tvgp__side_queries *e = p->state;
    const tvgp__learn_spec spec = {.make = make, .age = age, .rate_given = 1, .own_scale = 1, .fill = fill};
    e->age = age;
    e->learns_exponent = learns_exponent;
    e->ucb.fitted = &fitted;
    e->uses = uses;
    e->log = (tvgp__observations){.ctx = p->ctx, .dim = tvgp__domain_stored(p->domain)};
    e->newest = e->round_time = -INFINITY;
    e->round_step = -1;
    tvgp__noise_exponent_start(&e->exponent, p->ctx, e->log.dim);
    if (learns_exponent)
        TVGP__TRY(tvgp__noise_exponent_reserve(&e->exponent));
    e->dpp = (tvgp__dpp){.factor = {.ctx = p->ctx}};
    e->known = e->ground = tvgp__point_list_of(p->domain, 0);
    e->round = e->coming = tvgp__point_list_of(p->domain, 1);
    TVGP__TRY(tvgp__learn_start(p, &spec));
    if (((const tvgp__side_queries_config *)p->config)->steps < 0 && !e->ucb.learner && !(tvgp__ucb_noise(p) > 0))
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "kdpp.steps = -1 needs noise > 0, which its error bound divides by");
    if (e->ucb.learner && age.growth)
        TVGP__TRY(tvgp__time_unit_start(p, 0));
    e->unit = tvgp__time_unit_unit(p);
    e->noise_learned = e->ucb.learner && !tvgp__policy_options_was_set(p, "side.noise");
    e->ucb.enlarge = enlarge;
    if (p->domain->n)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, p->domain->n, sizeof *e->seen, &e->seen));
    return fixed_points(p) ? spread(p, fixed_points(p)) : TVGP_OK;
}

tvgp_status tvgp__side_queries_extend(tvgp_policy *p, const tvgp_domain *larger) {
    tvgp__side_queries *e = p->state;
    uint8_t *seen = NULL;
    TVGP__TRY(refresh(p));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, larger->n, sizeof *seen, &seen));
    tvgp_status status = tvgp__ucb_extend(p, larger);
    if (status < 0) {
        tvgp__memory_free(p->ctx, seen);
        return status;
    }
    memcpy(seen, e->seen, p->domain->n * sizeof *seen);
    tvgp__memory_free(p->ctx, e->seen);
    e->seen = seen;
    return TVGP_OK;
}

void tvgp__side_queries_release(tvgp_policy *p) {
    tvgp__side_queries *e = p->state;
    tvgp__point_list *lists[] = {&e->known, &e->ground, &e->round, &e->coming};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        tvgp__point_list_free(lists[i]);
    tvgp__memory_free(p->ctx, e->seen);
    tvgp__memory_free(p->ctx, e->allowed);
    tvgp__observations_free(&e->log);
    tvgp__noise_exponent_free(&e->exponent);
    tvgp__dpp_free(&e->dpp);
    tvgp__ucb_release(p);
}

/* At most linearly: if a function drifts by more than its noise, the estimate is large, and noise that grows by it would discard
 * observations after two steps. */
static void use_exponent(tvgp__side_queries *e) {
    e->age.alpha = fmin(e->exponent.estimate, 1);
    if (e->ucb.learner)
        tvgp__learner_set_exponent(e->ucb.learner, e->age.alpha);
}

void tvgp__side_queries_restart(tvgp_policy *p) {
    tvgp__side_queries *e = p->state;
    if (e->learns_exponent) {
        tvgp__noise_exponent_update(&e->exponent, e->ucb.learner ? e->ucb.learner->in_use.point.noise : tvgp__ucb_noise(p));
        use_exponent(e);
    }
    e->log.n = e->round.n = e->emitted = 0;
    e->round_step = -1;
    e->due = 1;
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

/* How many points can be known. */
static size_t most_known(const tvgp_policy *p) {
    return p->domain->n ? p->domain->n : TVGP__SIDE_QUERIES_ROUND;
}

static void visit_known(tvgp_policy *p, tvgp__visit *v) {
    tvgp__side_queries *e = p->state;
    tvgp__point_list_visit_count(&e->known, p->domain, most_known(p), v);
    tvgp__point_list_visit(&e->known, p->domain, v);
    if (!tvgp__visit_loads(v) || !e->seen)
        return;
    memset(e->seen, 0, p->domain->n);
    for (size_t i = 0; i < e->known.n; i++) {
        if (e->seen[e->known.arm[i]])
            tvgp__visit_refuse(v, "a point was visited first twice");
        e->seen[e->known.arm[i]] = 1;
    }
}

/* The posterior is computed from the log, unless it is learned. */
static void visit_posterior(tvgp_policy *p, tvgp__visit *v) {
    tvgp__side_queries *e = p->state;
    if (e->ucb.learner)
        tvgp__ucb_visit(p, v);
    else
        tvgp__ucb_visit_choices(p, v);
    if (tvgp__visit_loads(v))
        e->stale = 1;
}

void tvgp__side_queries_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__side_queries *e = p->state;
    if (!tvgp__visit_loads(v))
        finish(p);
    if (e->learns_exponent)
        tvgp__noise_exponent_visit(&e->exponent, p->domain->total, v);
    if (e->learns_exponent && tvgp__visit_loads(v))
        use_exponent(e);
    visit_posterior(p, v);
    tvgp__observations_visit(&e->log, p->domain->total, v);
    tvgp__visit_tally_size(v, &e->answers);
    tvgp__visit_real(v, &e->newest, -INFINITY, TVGP__VALID_RANGE_MOST);
    if (!fixed_points(p))
        visit_known(p, v);
    tvgp__visit_flag(v, &e->due);
    tvgp__point_list_visit_count(&e->round, p->domain, most_known(p), v);
    tvgp__visit_size(v, &e->emitted, 0, e->round.n);
    tvgp__point_list_visit(&e->round, p->domain, v);
    tvgp__visit_int(v, &e->round_step, -1, TVGP__VISIT_TALLY);
    tvgp__visit_real(v, &e->round_time, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_tally(v, &e->answered);
    tvgp__visit_tally(v, &e->skipped);
    tvgp__visit_tally(v, &e->late);
    tvgp__visit_tally(v, &e->as_of);
    tvgp__visit_tally_size(v, &tvgp__ucb_posterior(p)->counts.jitter);
}

void tvgp__side_queries_loaded(tvgp_policy *p, tvgp__visit *v) {
    tvgp__posterior *post = tvgp__ucb_posterior(p);
    const size_t jitter = post->counts.jitter;
    if (!tvgp__visit_loads(v) || !tvgp__visit_fine(v))
        return;
    const double now = tvgp__ucb_learner(p) ? post->now : p->clock;
    tvgp__visit_try(v, refresh(p));
    post->counts.jitter = jitter; /* it has counted this fit already, and was made at its time */
    post->now = now;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* On a box the mask is of candidates, for actions alone. */
static int allowed(const tvgp_policy *p, size_t arm, const double *x) {
    const uint8_t *mask = tvgp__domain_is_box(p->domain) ? NULL : p->available.mask;
    return (!mask || mask[arm]) &&
           (tvgp__domain_has_arms(p->domain) || tvgp__action_set_bounds(p->within, p->domain->dim, x));
}

/* What is not in the feasible set leaves the ground. */
static tvgp_status keep_feasible(tvgp_policy *p) {
    tvgp__side_queries *e = p->state;
    tvgp__point_list *ground = &e->ground;
    const size_t n = ground->n;
    double reach[TVGP__SEARCH_SPACE_MOST];
    if (!e->log.dim || !n)
        return TVGP_OK;
    const tvgp__search_space space = space_of(p, reach);
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *e->allowed, &e->allowed, &e->allowed_slots));
    TVGP__TRY(tvgp__search_space_test(&space, n, ground->X, e->allowed));
    ground->n = 0;
    for (size_t i = 0; i < n; i++)
        if (e->allowed[i])
            tvgp__point_list_add(ground, ground->arm[i], tvgp__point_list_point(ground, i));
    return TVGP_OK;
}

/* The points of the list, from point `first` on, that may be asked about now become the ground. */
static tvgp_status gather(tvgp_policy *p, const tvgp__point_list *list, size_t first) {
    tvgp__point_list *ground = &((tvgp__side_queries *)p->state)->ground;
    TVGP__TRY(tvgp__point_list_reserve(ground, list->n));
    ground->n = 0;
    for (size_t i = first; i < list->n; i++)
        if (allowed(p, list->arm[i], tvgp__point_list_point(list, i)))
            tvgp__point_list_add(ground, list->arm[i], tvgp__point_list_point(list, i));
    return keep_feasible(p);
}

/* The action that a round belongs to. */
static double action_of_round(const tvgp_policy *p) {
    const tvgp__side_queries *e = p->state;
    return (double)(e->window_start > 0 ? e->window_start : p->counts.asked);
}

static tvgp__side_query_rules divergence_of(const tvgp_policy *p) {
    const tvgp__side_queries_config *c = p->config;
    return (tvgp__side_query_rules){c->divergence, c->ucb.width.delta};
}

/* Points of a round drawn from n distinct points. */
static size_t quota(const tvgp_policy *p, size_t n) {
    const tvgp__side_queries_config *c = p->config;
    const double power = c->power > 0 ? c->power : (double)p->domain->dim;
    const double wanted = tvgp__side_query_rules_points(c->scale, power, action_of_round(p), divergence_of(p));
    return wanted < (double)n ? (size_t)wanted : n;
}

/* Swaps of the sampler that holds k points. Points spread over the box are the greedy set. */
static int64_t swaps(const tvgp_policy *p) {
    const tvgp__side_queries_config *c = p->config;
    const tvgp__dpp *dpp = &((const tvgp__side_queries *)p->state)->dpp;
    if (c->points || c->steps >= 0)
        return c->points ? 0 : c->steps;
    return tvgp__side_query_rules_swaps(dpp->n, dpp->k, action_of_round(p), tvgp__ucb_noise(p), dpp->largest,
                                        divergence_of(p));
}

/* Members of the ground, to dpp.member: as many as its rank allows. */
static tvgp_status sample(tvgp_policy *p) {
    const tvgp__side_queries_config *c = p->config;
    tvgp__side_queries *e = p->state;
    tvgp__random_stream stream =
        tvgp__random_stream_open((uint64_t)c->ucb.common.seed, TVGP__RANDOM_STREAM_DPP, (uint64_t)p->counts.asked);
    e->dpp.kernel = tvgp__ucb_posterior(p)->kernel;
    TVGP__TRY(tvgp__dpp_start(&e->dpp, e->ground.n, e->ground.X, quota(p, e->ground.n)));
    return tvgp__dpp_run(&e->dpp, swaps(p), &stream);
}

/* The k points of the ground in member (NULL: its first) are the coming round; the prior mean of those asked goes behind their
 * points. */
static tvgp_status line_up(tvgp_policy *p, size_t k, const size_t *member, size_t asked) {
    tvgp__side_queries *e = p->state;
    TVGP__TRY(tvgp__point_list_reserve(&e->coming, k));
    e->coming.n = 0;
    for (size_t i = 0; i < k; i++) {
        const size_t at = member ? member[i] : i;
        tvgp__point_list_add(&e->coming, e->ground.arm[at], tvgp__point_list_point(&e->ground, at));
    }
    for (size_t i = 0; i < asked; i++) {
        double *x = tvgp__point_list_point(&e->coming, i);
        TVGP__TRY(tvgp__policy_mean_at(p, e->coming.arm[i], x, &x[p->domain->dim]));
    }
    return TVGP_OK;
}

/* The coming round: drawn from the points known when one is due, or what is left of the last one. */
static tvgp_status find_round(tvgp_policy *p, int due, size_t cap) {
    tvgp__side_queries *e = p->state;
    TVGP__TRY(due ? gather(p, &e->known, 0) : gather(p, &e->round, e->emitted));
    const int draw = due && e->ground.n;
    if (draw)
        TVGP__TRY(sample(p));
    const size_t n = draw ? e->dpp.k : e->ground.n;
    return line_up(p, n, draw ? e->dpp.member : NULL, cap < n ? cap : n);
}

/* ---- ask -------------------------------------------------------------------------------------------------------- */

/* At most one round between two actions, however many outcomes arrive in between. */
static int is_due(const tvgp_policy *p) {
    const tvgp__side_queries *e = p->state;
    return e->due && e->known.n && p->counts.asked > e->round_step;
}

/* Whether a query of the round is still open; its queries are the newest, except actions asked after it. */
static int waits(const tvgp_policy *p) {
    const tvgp__side_queries *e = p->state;
    for (size_t i = p->tickets.first + p->tickets.count; i > p->tickets.first; i--) {
        const tvgp__ticket *ticket = &p->tickets.list[i - 1];
        if (ticket->step < e->round_step)
            break;
        if (ticket->step == e->round_step && ticket->kind == TVGP_SIDE && !ticket->taken)
            return 1;
    }
    return 0;
}

/* Values are removed after they have served an action; delayed ones that arrived since the last action stay for the
 * next. */
static int unused(const void *user, const tvgp__observation *o) {
    return o->kind != TVGP_SIDE || o->known == ((const tvgp_policy *)user)->counts.asked;
}

/* The noise of a side query's value that declares none. */
static double side_noise(const tvgp_policy *p) {
    const tvgp__side_queries *e = p->state;
    return e->noise_learned ? tvgp__ucb_noise(p) : ((const tvgp__side_queries_config *)p->config)->noise;
}

/* The next round is the current one from now on; drawn: its values replace the earlier ones. */
static size_t emit(tvgp_policy *p, double t, size_t cap, int drawn, tvgp__chosen *out) {
    const double noise = side_noise(p);
    tvgp__side_queries *e = p->state;
    const tvgp__point_list before = e->round;
    e->round = e->coming;
    e->coming = before;
    e->emitted = cap < e->round.n ? cap : e->round.n;
    for (size_t i = 0; i < e->emitted; i++)
        out[i] = (tvgp__chosen){
            .kind = TVGP_SIDE, .index = e->round.arm[i], .x = tvgp__point_list_point(&e->round, i), .noise = noise};
    e->round_time = t;
    if (drawn) {
        e->due = 0;
        e->round_step = p->counts.asked;
        tvgp__observations_keep(&e->log, unused, p);
        change(p);
    }
    return e->emitted;
}

/* The action. If no point of the round may be asked about, it is left out, and the values of the last round stay in use.
 */
static tvgp_status act(tvgp_policy *p, double t, size_t cap, int due, tvgp__chosen *out, size_t *n) {
    tvgp__side_queries *e = p->state;
    TVGP__TRY(refresh(p));
    TVGP__TRY(tvgp__ucb_ask(p, t, cap, out, n));
    e->due = e->due && !due;
    e->round.n = e->emitted;
    return TVGP_OK;
}

tvgp_status tvgp__side_queries_ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    tvgp__side_queries *e = p->state;
    const int due = is_due(p);
    TVGP__TRY(find_round(p, due, cap));
    *n = e->coming.n ? emit(p, t, cap, due, out) : 0;
    if (*n)
        return TVGP_OK;
    if (t <= e->round_time && waits(p))
        return TVGP_AGAIN;
    return act(p, t, cap, due, out, n);
}

/* ---- tell ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__side_queries_prepare(tvgp_policy *p, size_t n, const tvgp__answer *answers) {
    tvgp__side_queries *e = p->state;
    const size_t wanted = e->known.n + n, most = most_known(p);
    TVGP__TRY(tvgp__observations_reserve(&e->log, n));
    if (!fixed_points(p))
        TVGP__TRY(tvgp__point_list_reserve(&e->known, wanted < most ? wanted : most));
    if (e->log.dim)
        return tvgp__ucb_prepare(p, n, answers);
    TVGP__TRY(refresh(p)); /* outcomes are compared with the predictions before them */
    TVGP__TRY(tvgp__ucb_prepare(p, n, answers));
    return make_room(p, tvgp__ucb_posterior(p), n);
}

/* The point of an own observation is known from now on. Arms at the same point count as one, the arm of the lowest index. */
static void learn_point(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__side_queries *e = p->state;
    tvgp_domain *d = p->domain;
    const int arms = !e->log.dim;
    const double *x = arms ? d->X + a->arm * d->dim : p->work.batch.X + a->index * d->dim;
    const size_t arm = arms ? (size_t)d->ops->locate(d, x) : a->arm;
    if (fixed_points(p) || (e->seen ? e->seen[arm] : tvgp__point_list_has(&e->known, x)))
        return;
    if (e->known.n == most_known(p))
        tvgp__point_list_drop(&e->known);
    tvgp__point_list_add(&e->known, arm, x);
    if (e->seen)
        e->seen[arm] = 1;
}

/* Whether an outcome was predicted, and as what: on a box only the action was. */
static int predicted(const tvgp_policy *p, const tvgp__answer *a, double *mean, double *var) {
    const tvgp__side_queries *e = p->state;
    if (!e->log.dim) {
        tvgp__posterior_exact(e->ucb.posterior, 1, &a->arm, mean, var);
        return tvgp__ucb_predicts(p, 0);
    }
    *mean = a->mean;
    *var = a->sd * a->sd;
    return a->kind == TVGP_ACTION && a->step && tvgp__ucb_predicts(p, a->step);
}

/* The noise of an outcome; NaN: the learned one, whatever it will be. */
static double noise_of(tvgp_policy *p, const tvgp__answer *a) {
    const tvgp__side_queries *e = p->state;
    const int side = a->kind == TVGP_SIDE, learned = e->ucb.learner && isnan(a->noise) && (!side || e->noise_learned);
    const double noise = !isnan(a->noise) ? a->noise : side ? side_noise(p) : tvgp__ucb_noise(p);
    double mean, var, taken = noise;
    if (!a->assumed && predicted(p, a, &mean, &var))
        taken = tvgp__outlier_monitor_answer(p, a->y - a->prior_mean, mean, var, noise);
    return learned && taken == noise ? NAN : taken;
}

void tvgp__side_queries_take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__side_queries *e = p->state;
    const size_t dim = e->log.dim;
    if (((const tvgp__ucb *)p->state)->time_unit)
        tvgp__time_unit_take(p, a);
    const double noise = noise_of(p, a);
    const double *x = dim ? p->work.batch.X + a->index * dim : NULL;
    if (e->learns_exponent && !a->assumed)
        tvgp__noise_exponent_take(&e->exponent, a->arm, x, a->t, a->y - a->prior_mean, tvgp__time_unit_unit(p));
    if (e->ucb.learner)
        tvgp__ucb_learn(p, a, a->y - a->prior_mean, noise);
    tvgp__observations_add(&e->log,
                           &(tvgp__observation){.arm = a->arm,
                                                .t = a->t,
                                                .y = a->y,
                                                .mean = a->prior_mean,
                                                .noise = noise,
                                                .step = a->step,
                                                .known = p->counts.asked,
                                                .kind = a->kind,
                                                .assumed = a->assumed},
                           x);
    if (a->kind == TVGP_SIDE)
        return;
    e->newest = fmax(e->newest, a->t);
    if (!a->assumed)
        learn_point(p, a);
}

void tvgp__side_queries_count(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__side_queries *e = p->state;
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

void tvgp__side_queries_end_batch(tvgp_policy *p) {
    change(p);
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression) TVGP__POLICY_STAT(name, tvgp__side_queries, e, expression, 0)
STAT(stat_due, is_due(p) || e->emitted < e->round.n)
STAT(stat_answered, e->answered)
STAT(stat_skipped, e->skipped)
STAT(stat_late, e->late)
STAT(stat_distinct, e->known.n)

const tvgp__stat tvgp__side_queries_stats[TVGP__SIDE_QUERIES_STATS] = {
    {"side.due", TVGP__TEXT("Whether the next ask begins with side queries. 1: yes."), stat_due, TVGP_STAT_DIAGNOSTIC, ""},
    {"side.values", TVGP__TEXT("Number of side queries with a value."), stat_answered, TVGP_STAT_COUNTER, ""},
    {"side.missing_values", TVGP__TEXT("Number of side queries whose outcome had no value."), stat_skipped,
     TVGP_STAT_COUNTER, ""},
    {"side.delayed", TVGP__TEXT("Number of values of side queries that came after the next round was due or drawn."),
     stat_late, TVGP_STAT_COUNTER, ""},
    {"distinct", TVGP__TEXT("Number of distinct points observed, from which side queries are drawn."), stat_distinct,
     TVGP_STAT_DIAGNOSTIC, ""},
};

const tvgp__policy_learns tvgp__side_queries_learns = {
    .make_kernel = tvgp__learn_make_kernel, .fit = tvgp__learn_fit, .kernel_in_use = tvgp__learn_kernel};
