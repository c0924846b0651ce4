/* SPDX-License-Identifier: MIT */
/* Finds the unit of time of a policy whose rates the user did not set, so that t and a t + b give the same decisions
 * (policy/ucb/time_unit.h). */
#include "policy/ucb/time_unit.h"

#include "base/error.h"
#include "base/memory.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <string.h>

static tvgp__ucb *family(const tvgp_policy *p) {
    return p->state;
}

static void set_unit(tvgp__ucb *u, double unit) {
    if (u->learner)
        tvgp__learner_set_unit(u->learner, unit);
    else
        tvgp__posterior_set_unit(u->posterior, unit);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__time_unit_start(tvgp_policy *p, double unit) {
    tvgp__ucb *u = family(p);
    if (!u->time_unit)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, 1, sizeof *u->time_unit, &u->time_unit));
    u->time_unit->log = (tvgp__observations){.ctx = p->ctx, .dim = tvgp__domain_stored(p->domain)};
    tvgp__median_gap_start(&u->time_unit->clock, unit);
    if (unit > 0)
        set_unit(u, u->time_unit->clock.unit);
    return TVGP_OK;
}

void tvgp__time_unit_free(tvgp_ctx *ctx, tvgp__time_unit *time_unit) {
    if (time_unit)
        tvgp__observations_free(&time_unit->log);
    tvgp__memory_free(ctx, time_unit);
}

double tvgp__time_unit_unit(const tvgp_policy *p) {
    const tvgp__time_unit *time_unit = family(p)->time_unit;
    return time_unit && time_unit->clock.unit > 0 ? time_unit->clock.unit : 1;
}

/* ---- the posterior in another unit ------------------------------------------------------------------------------ */

static void hand_on(tvgp_policy *p) {
    tvgp__ucb *u = family(p);
    u->time_unit->due |= u->time_unit->moved;
    set_unit(u, u->time_unit->clock.unit);
}

/* Time will pass until t. */
static void move(tvgp_policy *p, double t) {
    const tvgp__ucb *u = family(p);
    u->time_unit->moved |= u->posterior->now > -INFINITY && t > u->posterior->now;
}

/* What conditioning the posterior again needs. */
static tvgp_status prepare_again(const tvgp_policy *p) {
    const tvgp__ucb *u = family(p);
    size_t arm[TVGP__TIME_UNIT_ANSWERS];
    const tvgp__points points = tvgp__posterior_points(&u->time_unit->log, 0, u->time_unit->log.n, arm);
    return points.n ? u->posterior->ops->prepare(u->posterior, &points) : TVGP_OK;
}

static void tell_again(const tvgp_policy *p) {
    tvgp__posterior *b = family(p)->posterior;
    const tvgp__observations *log = &family(p)->time_unit->log;
    const size_t widened = b->counts.widened;
    size_t arm[TVGP__TIME_UNIT_ANSWERS];
    const tvgp__points points = tvgp__posterior_points(log, 0, log->n, arm);
    if (!points.n)
        return;
    b->ops->reset(b);
    b->now = -INFINITY;
    for (size_t i = 0; i < points.n; i++) {
        const tvgp__observation *r = &log->list[i];
        if (r->reported > b->now)
            b->ops->advance(b, r->reported);
        if (r->exposure > 0)
            tvgp__posterior_observe_count(b, &points, i, r->t, r->y, r->exposure, r->mean);
        else
            tvgp__posterior_observe(b, &points, i, r->t, r->y, r->noise, r->assumed);
    }
    b->counts.widened = widened;
}

/* Not while the unit may change with every time. */
static int is_due(const tvgp_policy *p) {
    return family(p)->time_unit->due && family(p)->time_unit->clock.n >= TVGP__MEDIAN_GAP_FEW;
}

static int tells_again(const tvgp_policy *p) {
    return is_due(p) && !family(p)->learner;
}

/* ---- asks ------------------------------------------------------------------------------------------------------- */

static void say_when_strange(tvgp_policy *p, double t) {
    tvgp__ucb *u = family(p);
    const double step = t - u->monitor.asked;
    if (u->monitor.asked > -INFINITY && tvgp__median_gap_strange(&u->time_unit->clock, step))
        tvgp__context_log(p->ctx,
                          "%s: steps of time have become a hundred times %s, the last %g at t = %g: rates are for a unit of "
                          "%g, and stay so",
                          p->ops->name, step > u->time_unit->clock.unit ? "longer" : "shorter", step, t,
                          u->time_unit->clock.unit);
}

/* The part that cannot fail: a new unit holds for earlier outcomes. */
static void adopt(tvgp_policy *p) {
    tvgp__time_unit *time_unit = family(p)->time_unit;
    if (tells_again(p))
        tell_again(p);
    else if (is_due(p))
        tvgp__learner_again(family(p)->learner);
    if (is_due(p))
        time_unit->due = 0;
    if (time_unit->clock.n == TVGP__MEDIAN_GAP_MANY && time_unit->log.slots)
        tvgp__observations_free(&time_unit->log);
}

/* Of an ask that cannot fail any more. */
static void end(tvgp_policy *p, double t) {
    adopt(p);
    move(p, t);
    say_when_strange(p, t);
}

void tvgp__time_unit_ask(tvgp_policy *p, double t) {
    tvgp__time_unit *time_unit = family(p)->time_unit;
    if (tvgp__median_gap_see(&time_unit->clock, t))
        hand_on(p);
    if (tells_again(p))
        (void)prepare_again(p); /* on arms there is nothing it could fail at */
    end(p, t);
}

tvgp_status tvgp__time_unit_open(tvgp_policy *p, double t, tvgp__time_unit_mark *before) {
    tvgp__time_unit *time_unit = family(p)->time_unit;
    tvgp_status status = TVGP_OK;
    *before = (tvgp__time_unit_mark){.clock = time_unit->clock, .due = time_unit->due};
    if (tvgp__median_gap_see(&time_unit->clock, t))
        hand_on(p);
    if (tells_again(p))
        status = prepare_again(p);
    if (status < 0)
        tvgp__time_unit_close(p, t, before, status);
    return status;
}

void tvgp__time_unit_close(tvgp_policy *p, double t, const tvgp__time_unit_mark *before, tvgp_status status) {
    tvgp__time_unit *time_unit = family(p)->time_unit;
    const int changed = before->clock.unit != time_unit->clock.unit;
    if (status >= 0) {
        end(p, t);
        return;
    }
    time_unit->clock = before->clock;
    if (changed)
        hand_on(p);
    time_unit->due = before->due;
}

/* ---- models -------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__time_unit_reach(const tvgp_policy *p) {
    return family(p)->time_unit && tells_again(p) ? prepare_again(p) : TVGP_OK;
}

void tvgp__time_unit_finish(tvgp_policy *p) {
    if (family(p)->time_unit)
        adopt(p);
}

/* ---- outcomes --------------------------------------------------------------------------------------------------- */

static int keeps(const tvgp_policy *p) {
    const tvgp__time_unit *time_unit = family(p)->time_unit;
    return !family(p)->learner && !time_unit->overflowed && (time_unit->clock.n < TVGP__MEDIAN_GAP_MANY || time_unit->due);
}

tvgp_status tvgp__time_unit_prepare(tvgp_policy *p, size_t n) {
    tvgp__observations *log = keeps(p) ? &family(p)->time_unit->log : NULL;
    const size_t room = log ? TVGP__TIME_UNIT_ANSWERS - log->n : 0;
    return room ? tvgp__observations_reserve(log, n < room ? n : room) : TVGP_OK;
}

void tvgp__time_unit_take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__time_unit *time_unit = family(p)->time_unit;
    if (a->ticket ? tvgp__median_gap_glimpse(&time_unit->clock, a->t) : tvgp__median_gap_see(&time_unit->clock, a->t))
        hand_on(p);
    move(p, a->t);
}

void tvgp__time_unit_forget(tvgp_policy *p) {
    if (family(p)->time_unit)
        family(p)->time_unit->log.n = 0;
}

void tvgp__time_unit_note(tvgp_policy *p, const tvgp__answer *a, double y, double noise) {
    tvgp__time_unit *time_unit = family(p)->time_unit;
    const size_t dim = time_unit->log.dim;
    if (!keeps(p))
        return;
    if (time_unit->log.n == TVGP__TIME_UNIT_ANSWERS) {
        tvgp__observations_free(&time_unit->log);
        time_unit->overflowed = 1;
        return;
    }
    tvgp__observation o = {.arm = dim ? 0 : a->arm,
                           .t = a->t,
                           .y = y,
                           .noise = noise,
                           .reported = family(p)->posterior->now,
                           .assumed = a->assumed};
    if (tvgp__ucb_counts(p, a)) {
        o.y = a->count;
        o.exposure = a->exposure;
        o.mean = a->prior_mean;
    }
    tvgp__observations_add(&time_unit->log, &o, dim ? p->work.batch.X + a->index * dim : NULL);
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

void tvgp__time_unit_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__ucb *u = family(p);
    tvgp__time_unit *time_unit = u->time_unit;
    if (!time_unit)
        return;
    tvgp__median_gap_visit(&time_unit->clock, v);
    tvgp__visit_flag(v, &time_unit->moved);
    tvgp__visit_flag(v, &time_unit->due);
    tvgp__visit_flag(v, &time_unit->overflowed);
    tvgp__observations_visit(&time_unit->log, time_unit->log.dim ? 0 : p->domain->total, v);
    if (tvgp__visit_loads(v) && time_unit->log.n > TVGP__TIME_UNIT_ANSWERS)
        tvgp__visit_refuse(v, "more observations are kept than are repeated");
    for (size_t i = 0; tvgp__visit_fine(v) && i < time_unit->log.n; i++)
        tvgp__visit_real(v, &time_unit->log.list[i].reported, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && !u->learner)
        tvgp__posterior_set_unit(u->posterior, time_unit->clock.unit);
}
