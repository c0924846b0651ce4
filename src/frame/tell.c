/* SPDX-License-Identifier: MIT */
/* Tell: records are checked all together, then taken one by one; nothing can fail any more by then. */
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "frame/policy_ops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number of record i, or of its point; the name is written only when it is needed. */
static tvgp_status check_number(const tvgp_policy *p, double value, const char *name, size_t i, size_t d) {
    char text[64];
    if (fabs(value) <= TVGP__RANGE_MOST)
        return TVGP_OK;
    snprintf(text, sizeof text, name, i, d);
    return tvgp__range_value(p->ctx, text, value);
}

/* An answer nobody asked for; `clock` is the newest time before it. */
static tvgp_status fill_unsolicited(const tvgp_policy *p, const tvgp_obs *o, const double *x, size_t i, double clock,
                                    tvgp__answer *a) {
    if (o->outcome != TVGP_VALUE)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu] has id 0 and outcome %" PRId32 ", must be a value (0)", i,
                               o->outcome);
    if (!(o->flags & TVGP_OBS_TIME) && clock == -INFINITY)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG,
                               "obs[%zu] has id 0 and no time: set t and the flag TVGP_OBS_TIME (2), or ask first", i);
    if (!x)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].id = 0 needs its point, but x is NULL", i);
    for (size_t d = 0; d < p->domain->dim; d++)
        TVGP__TRY(check_number(p, x[i * p->domain->dim + d], "x[%zu,%zu]", i, d));
    const double *at = x + i * p->domain->dim;
    int64_t arm = p->domain->shard ? (int64_t)p->arms[i] : p->domain->ops->locate(p->domain, at);
    if (arm < 0 && !(p->domain->ops->contains && p->domain->ops->contains(p->domain, at)))
        return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "x[%zu] = (%g%s) is not a point of the domain", i, *at,
                               p->domain->dim > 1 ? ", .." : "");
    a->arm = (size_t)arm;
    TVGP__TRY(tvgp__policy_mean_at(p, a->arm, at, &a->prior_mean));
    if (!p->started) /* means are turned when the policy starts, after this */
        a->prior_mean = tvgp__policy_turn(p, a->prior_mean);
    if (!(o->flags & TVGP_OBS_TIME))
        a->t = clock;
    return TVGP_OK;
}

static tvgp_status check_noise(const tvgp_policy *p, double noise, size_t i) {
    TVGP__TRY(check_number(p, noise, "obs[%zu].noise_var", i, 0));
    if (noise < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].noise_var = %g must be >= 0", i, noise);
    if (noise > 0 && noise < TVGP__RANGE_LEAST)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "obs[%zu].noise_var = %g must be 0 or at least 1e-100", i, noise);
    return TVGP_OK;
}

/* Members without their flag are not read. */
static tvgp_status check_flagged(const tvgp_policy *p, const tvgp_obs *o, size_t i) {
    if (o->flags & ~(uint32_t)(TVGP_OBS_NOISE | TVGP_OBS_TIME))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].flags = %" PRIu32 " has bits beyond 3 (noise 1, time 2)", i,
                               o->flags);
    if (o->flags & TVGP_OBS_NOISE)
        TVGP__TRY(check_noise(p, o->noise_var, i));
    return o->flags & TVGP_OBS_TIME ? check_number(p, o->t, "obs[%zu].t", i, 0) : TVGP_OK;
}

/* What the ticket knows of its answer, of which a candidate's own mean is no part from here on. */
static void from_ticket(const tvgp_policy *p, tvgp__answer *a, int time) {
    const tvgp__ticket *ticket = a->ticket;
    a->kind = ticket->kind;
    a->arm = tvgp__domain_is(p->domain) == TVGP__BOX ? SIZE_MAX : ticket->arm;
    a->y -= ticket->extra;
    a->step = ticket->step;
    a->prior_mean = ticket->prior_mean;
    a->mean = ticket->mean;
    a->sd = ticket->sd;
    a->width = ticket->width;
    a->prior = ticket->prior;
    if (time)
        a->t = ticket->t;
}

/* Everything that can be wrong with one record, and the answer it is; marks its ticket so that a second record with the same
 * id is found. */
static tvgp_status fill(const tvgp_policy *p, const tvgp_obs *o, const double *x, size_t i, double clock, tvgp__answer *a) {
    if (o->outcome < TVGP_VALUE || o->outcome > TVGP_CANCELLED)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].outcome = %" PRId32 " is outside 0..3", i, o->outcome);
    if (o->outcome == TVGP_VALUE)
        TVGP__TRY(check_number(p, o->y, "obs[%zu].y", i, 0));
    TVGP__TRY(check_flagged(p, o, i));
    *a = (tvgp__answer){.kind = TVGP_ACTION,
                        .outcome = (int16_t)o->outcome,
                        .place = i,
                        .y = tvgp__policy_turn(p, o->y),
                        .noise = o->flags & TVGP_OBS_NOISE ? o->noise_var : NAN,
                        .t = o->t};
    if (o->id == 0)
        return fill_unsolicited(p, o, x, i, clock, a);
    TVGP__TRY(tvgp__tickets_find(p->ctx, &p->tickets, o->id, &a->ticket));
    from_ticket(p, a, !(o->flags & TVGP_OBS_TIME));
    if (o->outcome == TVGP_VALUE)
        TVGP__TRY(check_number(p, a->y, "obs[%zu].y less the mean of its candidate", i, 0));
    a->ticket->taken = 1;
    return TVGP_OK;
}

static tvgp_status make_room(tvgp_policy *p, size_t n) {
    tvgp__within *box = p->within; /* NULL on arms */
    size_t slots = p->answer_slots;
    if (p->domain->shard) {
        TVGP__TRY(tvgp__policy_make_room(p, 1)); /* for the next query; tickets may move, so before any is found */
        TVGP__TRY(tvgp__shard_room(p->domain->shard, n + 1));
    }
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *p->arms, &p->arms, &slots));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *p->answers, &p->answers, &p->answer_slots));
    if (box)
        return tvgp__memory_reserve(p->ctx, n, p->domain->dim * sizeof *box->points, &box->points, &box->point_slots);
    return TVGP_OK;
}

static int any_unsolicited(const tvgp_obs *obs, size_t n) {
    size_t i = 0;
    while (i < n && obs[i].id)
        i++;
    return i < n;
}

/* Shared arms: those of answers nobody asked for are found by the rank that holds them. */
static tvgp_status find_arms(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n, tvgp_status status) {
    const tvgp_domain *d = p->domain;
    for (size_t i = 0; status == TVGP_OK && i < n; i++) {
        if (obs[i].id)
            continue;
        double arm = (double)d->ops->locate(p->domain, x + i * d->dim);
        tvgp__shard_max(d->shard, &arm, 1);
        p->arms[i] = arm < 0 ? SIZE_MAX : tvgp__shard_index(d->shard, arm, (double)d->total);
        if (arm >= 0)
            tvgp__shard_meet(d->shard, d->X, p->arms[i]);
    }
    return status;
}

/* Checks and fills the answers of a batch until one is wrong; *filled of them are right. */
static tvgp_status fill_all(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n, size_t *filled) {
    double clock = p->clock;
    tvgp__within *box = p->within; /* NULL on arms */
    size_t dim = p->domain->dim;
    tvgp_status status = make_room(p, n);
    if (p->domain->shard && x && any_unsolicited(obs, n))
        status = find_arms(p, obs, x, n, tvgp__shard_agree(p->domain->shard, status));
    TVGP__TRY(status);
    for (; *filled < n; ++*filled) {
        tvgp__answer *a = &p->answers[*filled];
        TVGP__TRY(fill(p, &obs[*filled], x, *filled, clock, a));
        p->arms[*filled] = a->arm;
        if (box)
            memcpy(box->points + *filled * dim,
                   a->ticket ? tvgp__tickets_point(&p->tickets, a->ticket, box->pending, dim) : x + *filled * dim,
                   dim * sizeof *box->points);
        if (a->outcome == TVGP_VALUE && a->t > clock)
            clock = a->t;
    }
    p->batch = (tvgp__points){.n = n, .arm = p->arms};
    if (box)
        p->batch.X = box->points;
    return TVGP_OK;
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    if (a->ticket) {
        if (a->outcome == TVGP_VALUE || a->outcome == TVGP_SKIPPED)
            tvgp__switch_settle(p, a->ticket);
        tvgp__tickets_close(&p->tickets, a->ticket);
        p->told[a->outcome]++;
    } else {
        p->unsolicited++;
    }
    if (a->outcome == TVGP_VALUE && a->t > p->clock)
        p->clock = a->t;
    TVGP__POLICY_OP(p->ops, take)(p, a);
}

/* The arm of the first answer, when somebody asked: it is known without anything that may fail. */
static size_t first_arm(const tvgp_policy *p, const tvgp_obs *obs) {
    const tvgp__ticket *ticket = obs->id ? tvgp__tickets_peek(&p->tickets, obs->id) : NULL;
    return ticket ? ticket->arm : SIZE_MAX;
}

/* The ranks agree on what came of a batch; as there is room for the next query, they need not ask each other about that when
 * nothing is pending. */
static tvgp_status settle(tvgp_policy *p, size_t arm, tvgp_status status) {
    status = p->started ? p->ops->shared->settle(p, arm, status) : tvgp__shard_agree(p->domain->shard, status);
    p->ready |= status == TVGP_OK;
    return status;
}

tvgp_status tvgp__policy_tell(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n) {
    if (n == 0)
        return TVGP_OK;
    TVGP__TRY(tvgp__range_count(p->ctx, "n", n));
    const int first = !p->started;
    size_t filled = 0;
    tvgp_status status = fill_all(p, obs, x, n, &filled);
    if (first)
        status = tvgp__shard_agree(p->domain->shard, status);
    if (first && status == TVGP_OK)
        status = tvgp__policy_start(p);
    if (status == TVGP_OK)
        status = TVGP__POLICY_OP(p->ops, prepare)(p, n, p->answers);
    if (p->domain->shard)
        status = settle(p, first_arm(p, obs), status);
    for (size_t i = 0; i < filled; i++)
        if (p->answers[i].ticket)
            p->answers[i].ticket->taken = 0;
    if (status < 0) {
        if (first)
            tvgp__policy_stop(p);
        return status;
    }
    for (size_t i = 0; i < n; i++)
        take(p, &p->answers[i]);
    TVGP__POLICY_OP(p->ops, told)(p);
    return TVGP_OK;
}

void tvgp__policy_time_out(tvgp_policy *p, double oldest) {
    int64_t before = p->timed_out;
    tvgp__ticket *ticket;
    while ((ticket = tvgp__tickets_first(&p->tickets)) && ticket->t < oldest) {
        tvgp__answer a = {.outcome = TVGP_SKIPPED, .noise = NAN, .ticket = ticket};
        from_ticket(p, &a, 1);
        tvgp__switch_settle(p, ticket);
        tvgp__tickets_close(&p->tickets, ticket);
        p->timed_out++;
        TVGP__POLICY_OP(p->ops, take)(p, &a);
    }
    if (p->timed_out > before)
        TVGP__POLICY_OP(p->ops, told)(p);
}
