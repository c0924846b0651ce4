/* SPDX-License-Identifier: MIT */
/* Ask: turns what the policy chooses into pending queries. */
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/policy_ops.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

/* The noise variance of the outcome, in the user's unit, at the mean of the process; of a count at the predicted rate. */
static double noise_of(const tvgp_policy *p, const tvgp__ticket *ticket) {
    if (!((const tvgp__policy_config *)p->config)->outcome)
        return ticket->noise;
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    double mean = tvgp__policy_turn(p, ticket->prior_mean + ticket->extra + ticket->mean), noise = ticket->noise;
    double var = type->counts ? ticket->sd * ticket->sd : noise;
    tvgp__outcome_show(type, 1, &mean, &var);
    if (!type->counts)
        return var;
    return p->ops->at ? type->counts->information(type->link(mean)) : 0;
}

/* Writes a pending query, and its point (NULL: not wanted). */
static void show(const tvgp_policy *p, const tvgp__ticket *ticket, tvgp_query *q, double *x) {
    *q = (tvgp_query){.id = ticket->id,
                      .kind = ticket->kind,
                      .arm = ticket->arm == SIZE_MAX ? -1 : (int64_t)ticket->arm,
                      .t = ticket->t,
                      .noise_var = noise_of(p, ticket),
                      .score = tvgp__policy_out(p, ticket->score) * ticket->payoff,
                      .propensity = ticket->propensity,
                      .risk = ticket->risk};
    if (x)
        memcpy(x, tvgp__query_points_ticket(p, ticket), p->domain->dim * sizeof *x);
}

static void emit(tvgp_policy *p, const tvgp__chosen *chosen, double t, tvgp_query *q, double *x) {
    const tvgp__policy_config *config = p->config;
    if (chosen->kind == TVGP_ACTION)
        tvgp__last_action_ask(p, chosen->index, chosen->x);
    if (p->tickets.pending >= (size_t)config->pending_limit) /* the oldest is forgotten */
        tvgp__last_action_outcome(p, tvgp__tickets_first(&p->tickets));
    int64_t *counter = chosen->kind == TVGP_ACTION ? &p->counts.asked : &p->counts.side_asked;
    (*counter)++;
    tvgp__ticket *ticket = tvgp__tickets_open(&p->tickets, (size_t)config->pending_limit);
    if (p->outputs)
        tvgp__tickets_await(ticket, p->outputs->n);
    ticket->kind = (uint32_t)chosen->kind & 3;
    ticket->arm = tvgp__policy_choices(p) ? chosen->index : SIZE_MAX;
    ticket->t = t;
    ticket->step = p->counts.asked;
    ticket->prior_mean =
        tvgp__domain_has_arms(p->domain) ? tvgp__mean_function_known(&p->mean, chosen->index) : chosen->x[p->domain->dim];
    ticket->extra = p->within ? tvgp__policy_extra(p, chosen->index) : 0;
    ticket->mean = chosen->mean;
    ticket->sd = chosen->sd;
    ticket->coefficient = chosen->width;
    ticket->moments = chosen->moments & 3;
    ticket->prior = chosen->prior;
    ticket->score = chosen->score;
    ticket->noise = chosen->noise;
    ticket->propensity = chosen->propensity;
    if (p->within)
        tvgp__query_points_keep(p, ticket, chosen->x);
    for (tvgp__guard *g = p->guards; g; g = g->next)
        if (g->ops->asked)
            g->ops->asked(g, p, ticket);
    show(p, ticket, q, x);
}

size_t tvgp__policy_pending(const tvgp_policy *p, size_t cap, tvgp_query *q, double *x) {
    size_t n = 0;
    for (size_t i = p->tickets.first; q && n < cap && i < p->tickets.first + p->tickets.count; i++)
        if (!p->tickets.list[i].taken) {
            show(p, &p->tickets.list[i], &q[n], x ? x + n * p->domain->dim : NULL);
            n++;
        }
    return q ? n : p->tickets.pending;
}

/* The choice with the features that the policy has. */
static tvgp_status ask_guarded(tvgp_policy *p, double t, size_t most, size_t *n) {
    int again;
    tvgp_status status = tvgp__guard_open(p, t, 1);
    if (status != TVGP_OK)
        return status;
    do {
        status = p->ops->ask(p, t, most, p->work.chosen, n);
        status = tvgp__guard_judge(p, status, *n, p->work.chosen, &again);
    } while (again);
    tvgp__guard_close(p, status);
    return status;
}

static tvgp_status propose(tvgp_policy *p, double t, double oldest, size_t cap, size_t *n) {
    /* A policy never needs more at once than its domain has arms, and the action. */
    const size_t wanted = (p->domain->n ? p->domain->n : p->ops->side_queries) + 1, most = cap < wanted ? cap : wanted;
    const int sure = p->work.ready && most == 1 && !p->tickets.count;
    tvgp_status status = sure ? TVGP_OK : tvgp__query_points_reserve(p, most);
    p->work.ready = 0;
    if (oldest > -INFINITY)
        tvgp__tickets_hide(&p->tickets, oldest); /* closed only once nothing can fail any more */
    if (p->domain->shared && !sure)
        status = tvgp__domain_agree(p->domain, status == TVGP_OK ? p->ops->shared->reach(p) : status);
    if (status == TVGP_OK)
        status = p->guards ? ask_guarded(p, t, most, n) : p->ops->ask(p, t, most, p->work.chosen, n);
    if (oldest > -INFINITY)
        tvgp__tickets_show(&p->tickets, oldest);
    return status;
}

/* Side queries on a box are of no candidate. */
static tvgp_status check_where(const tvgp_policy *p, const double *x) {
    const int numbered = tvgp__policy_choices(p) && !(p->ops->side_queries && tvgp__domain_is_box(p->domain));
    return x || numbered ? TVGP_OK : tvgp__error_set(p->ctx, TVGP_ERR_ARG, "x is NULL: on a box it says where");
}

/* Follows the times of asks, for the log alone: their median gap, by steps of a tenth up or down; asks at one time. */
static void monitor(tvgp_policy *p, double t) {
    tvgp__ask_times *w = &p->work.times;
    const double gap = t - w->last;
    w->same = gap == 0 ? w->same + (w->same <= 50) : 1;
    if (gap > 0 && isfinite(gap))
        w->gap = !(w->gap > 0) ? gap : gap > w->gap ? 1.1 * w->gap : w->gap / 1.1;
    w->last = t;
    if (w->same == 50 && !(w->said & 1)) {
        w->said |= 1;
        tvgp__context_log(p->ctx, "%s: 50 asks at one time, t = %g: the policy sees no time pass", p->ops->name, t);
    }
}

/* The time of an ask, with time.clamp at least the newest one. */
static double clamp(tvgp_policy *p, double t) {
    tvgp__ask_times *w = &p->work.times;
    if (!(t < p->clock && t >= -TVGP__VALID_RANGE_MOST))
        return t;
    if (w->gap > 0 && p->clock - t > 100 * w->gap && !(w->said & 2)) {
        w->said |= 2;
        tvgp__context_log(
            p->ctx,
            "%s: time.clamp moved an ask by %g, %.3g median gaps, from t = %g to the newest time: was that time in "
            "another unit?",
            p->ops->name, p->clock - t, (p->clock - t) / w->gap, t);
    }
    return p->clock;
}

tvgp_status tvgp__policy_ask(tvgp_policy *p, double t, size_t cap, tvgp_query *q, double *x, size_t *n) {
    TVGP__TRY(tvgp__policy_check_free(p));
    if (((const tvgp__policy_config *)p->config)->time_clamp)
        t = clamp(p, t);
    if (cap == 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "cap = 0 must be >= 1");
    TVGP__TRY(check_where(p, x));
    TVGP__TRY(tvgp__policy_check_time(p, "t", t));
    TVGP__TRY(tvgp__policy_admit(p));
    for (const tvgp__guard *g = p->guards; g; g = g->next)
        if (g->ops->check)
            TVGP__TRY(g->ops->check(g, p));
    const int first = !p->started;
    const double timeout = ((const tvgp__policy_config *)p->config)->pending_timeout;
    const double oldest = timeout > 0 ? t - timeout : -INFINITY; /* queries from before will not be answered any more */
    size_t proposed = 0;
    if (first)
        TVGP__TRY(tvgp__policy_start(p));
    const tvgp_status status = propose(p, t, oldest, cap, &proposed);
    if (status < 0) {
        if (first)
            tvgp__policy_stop(p);
        return status;
    }
    p->clock = t;
    monitor(p, t);
    if (oldest > -INFINITY)
        tvgp__policy_time_out(p, oldest);
    for (size_t i = 0; i < proposed; i++)
        emit(p, &p->work.chosen[i], t, &q[i], x ? x + i * p->domain->dim : NULL);
    *n = proposed;
    return status;
}
