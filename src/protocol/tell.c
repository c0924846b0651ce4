/* SPDX-License-Identifier: MIT */
/* Tell: all records are checked together and then used one by one, which cannot fail. Records of output 0 go to the
 * policy, those of output k to its model, as unsolicited observations. Each receives a batch of its own; all are
 * prepared, then all are used. */
#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "base/valid_range.h"
#include "protocol/across_ranks.h"
#include "protocol/policy_ops.h"
#include "protocol/query_points.h"
#include "space/domain/arm_at_point.h"
#include "space/domain/product.h"
#include "space/outcome/censored.h"

#include <math.h>
#include <string.h>

/* The policy itself for output 0, then the models of the others. */
static tvgp_policy *receiver(tvgp_policy *p, size_t output) {
    return output ? p->outputs->model[output - 1] : p;
}

/* The prior mean for an unsolicited observation: that of now, or the forecast for its time. */
static tvgp_status take_mean(const tvgp_policy *p, const double *at, tvgp__answer *a) {
    const tvgp__mean_function *m = &p->mean;
    if (m->forecast)
        m->forecast(m->of, a->t, a->arm, &a->prior_mean);
    else
        TVGP__TRY(tvgp__policy_mean_at(p, a->arm, at, &a->prior_mean));
    if (m->forecast || !p->started) /* means are turned when the policy starts, after this */
        a->prior_mean = tvgp__policy_turn(p, a->prior_mean);
    return TVGP_OK;
}

/* Stores the point of the next record of r, on arms nowhere; the context of an unsolicited one may be moved. */
static const double *keep_point(tvgp_policy *p, const tvgp_policy *r, const double *x, int unsolicited) {
    const tvgp__action_set *w = r->within;
    if (!w)
        return x;
    const size_t dim = p->domain->dim, measured = tvgp__product_measured(p->domain);
    double *kept = memcpy(w->points + r->work.batch.n * dim, x, dim * sizeof *x);
    if (unsolicited && measured && ((const tvgp__policy_config *)p->config)->context_clamp)
        p->work.clamped += tvgp__product_clamp(p->domain, kept + dim - measured);
    return kept;
}

/* An unsolicited observation; `clock` is the newest time before it. */
static tvgp_status fill_unsolicited(tvgp_policy *p, const tvgp_policy *r, const tvgp_obs *o, const double **x, size_t i,
                                    double clock, tvgp__answer *a) {
    if (o->outcome != TVGP_VALUE)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu] has id 0 and outcome %" PRId32 ", must be a value (0)", i,
                               o->outcome);
    if (!(o->flags & TVGP_OBS_HAS_TIME) && clock == -INFINITY)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG,
                               "obs[%zu] has id 0 and no time: set t and the flag TVGP_OBS_HAS_TIME (2), or ask first", i);
    if (!*x)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].id = 0 needs its point, but x is NULL", i);
    for (size_t d = 0; d < p->domain->dim; d++)
        TVGP__TRY(tvgp__valid_range_entry(p->ctx, "x[%zu,%zu]", i, d, (*x)[d]));
    const double *at = *x = keep_point(p, r, *x, 1);
    int64_t arm = p->domain->shared ? (int64_t)r->work.arms[r->work.batch.n] : tvgp__arm_at_point_locate(p->domain, at);
    char argument[32];
    if (arm < 0 && !(p->domain->ops->contains && p->domain->ops->contains(p->domain, at))) {
        tvgp__number_text_print(argument, sizeof argument, "x[%zu]", i);
        return tvgp__arm_at_point_refuse(p->ctx, p->domain, argument, at);
    }
    a->arm = (size_t)arm;
    if (!(o->flags & TVGP_OBS_HAS_TIME))
        a->t = clock;
    return take_mean(r, at, a);
}

static tvgp_status refuse_output(const tvgp_policy *p, int32_t output, size_t i) {
    return tvgp__error_set(p->ctx, TVGP_ERR_ARG,
                           "obs[%zu].output = %" PRId32 " is outside 0..%zu, the number of constraints", i, output,
                           tvgp__policy_outputs(p));
}

static tvgp_status check_noise(const tvgp_policy *p, double noise, size_t i) {
    TVGP__TRY(tvgp__valid_range_entry(p->ctx, "obs[%zu].noise_var", i, 0, noise));
    if (noise < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].noise_var = %g must be >= 0", i, noise);
    if (noise > 0 && noise < TVGP__VALID_RANGE_LEAST)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "obs[%zu].noise_var = %g must be 0 or at least 1e-100", i, noise);
    return TVGP_OK;
}

static tvgp_status check_t(const tvgp_policy *p, double t, size_t i, double clock) {
    char argument[32];
    TVGP__TRY(tvgp__valid_range_entry(p->ctx, "obs[%zu].t", i, 0, t));
    if (!(((const tvgp__policy_config *)p->config)->max_step > 0))
        return TVGP_OK;
    tvgp__number_text_print(argument, sizeof argument, "obs[%zu].t", i);
    return tvgp__policy_check_step(p, argument, clock, t);
}

/* A part of an outcome is a value of a query, as precise as it says: a count by its exposure, otherwise by a noise variance. */
static tvgp_status check_partial(const tvgp_policy *p, const tvgp__outcome_ops *type, const tvgp_obs *o, size_t i) {
    if (!o->id || o->outcome != TVGP_VALUE)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG,
                               "obs[%zu] is partial with id %" PRId64 " and outcome %" PRId32 ", must be a value of a query",
                               i, o->id, o->outcome);
    if (!(type && type->counts) && !(o->flags & TVGP_OBS_HAS_NOISE))
        return tvgp__error_set(
            p->ctx, TVGP_ERR_ARG,
            "obs[%zu] is partial and has no noise variance: set noise_var and the flag TVGP_OBS_HAS_NOISE "
            "(1)",
            i);
    return TVGP_OK;
}

static tvgp_status check_flagged(const tvgp_policy *p, const tvgp__outcome_ops *type, const tvgp_obs *o, size_t i,
                                 double clock) {
    TVGP__TRY(tvgp__outcome_check(p->ctx, type, o, i));
    if (o->flags & TVGP_OBS_HAS_NOISE)
        TVGP__TRY(check_noise(p, o->noise_var, i));
    if (o->flags & TVGP_OBS_PARTIAL)
        TVGP__TRY(check_partial(p, type, o, i));
    return o->flags & TVGP_OBS_HAS_TIME ? check_t(p, o->t, i, clock) : TVGP_OK;
}

/* Copies what the pending query stores for its outcome, from here on without a candidate's own mean. */
static void from_ticket(const tvgp_policy *p, tvgp__answer *a, int time) {
    const tvgp__ticket *ticket = a->ticket;
    a->kind = (int16_t)ticket->kind;
    a->arm = tvgp__domain_is_box(p->domain) ? SIZE_MAX : ticket->arm;
    a->y -= ticket->extra;
    a->step = ticket->step;
    a->prior_mean = ticket->prior_mean;
    a->mean = ticket->mean;
    a->sd = ticket->sd;
    a->coefficient = ticket->coefficient;
    a->prior = ticket->prior;
    if (time)
        a->t = ticket->t;
}

/* The observation that a value is for r, by its outcome type; asked: the pending query, if r asked, otherwise the
 * observation is at this point. */
static tvgp_status match(tvgp_policy *r, const tvgp_obs *o, const tvgp__ticket *asked, const double *at, size_t i,
                         tvgp__answer *a) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(r);
    double m = NAN, v = NAN;
    if (asked) {
        m = tvgp__policy_turn(r, asked->prior_mean + asked->extra + asked->mean);
        v = asked->sd * asked->sd;
    } else if (type->counts) {
        TVGP__TRY(tvgp__policy_predict_now(r, a->t, at, &m, &v));
    }
    TVGP__TRY(type->match(r->ctx, o, i, m, v, &a->y, &a->noise));
    if (type->counts) {
        a->count = o->y;
        a->exposure = o->flags & TVGP_OBS_HAS_EXPOSURE ? o->exposure : 1;
    }
    a->y = tvgp__policy_turn(r, a->y) - (asked ? asked->extra : 0);
    return TVGP_OK;
}

/* Makes a bound on the outcome the observation that stands for it. The moments are of the ask, or of now where r did not ask; until
 * the policy started and outcomes have shown the unit, or without a model, the bound itself is the value. */
static tvgp_status censor(const tvgp_policy *p, tvgp_policy *r, const tvgp_obs *o, const double *at, tvgp__answer *a) {
    const tvgp__ticket *asked = r == p ? a->ticket : NULL;
    double m, v, w = a->noise;
    if (r->domain->shared)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "censored outcomes with shared arms");
    if (asked ? asked->moments != TVGP__MOMENTS_KNOWN
              : !r->ops->model || !r->ops->at || !r->started || r->ops->model->posterior(r)->learned.vague)
        return TVGP_OK;
    if (asked) {
        m = asked->prior_mean + asked->mean;
        v = asked->sd * asked->sd;
        w = isnan(w) ? asked->noise : w;
    } else {
        TVGP__TRY(tvgp__policy_predict_now(r, a->t, at, &m, &v));
        m = tvgp__policy_turn(r, m);
        w = isnan(w) ? r->ops->model->noise(r) : w;
    }
    const int at_least = (tvgp__policy_turn(r, 1) > 0) == ((o->flags & TVGP_OBS_RIGHT_CENSORED) != 0),
              sign = at_least ? 1 : -1;
    tvgp__censored_match(sign * a->y, sign * m, fmax(v, 0), w, &a->y, &a->noise);
    a->y = tvgp__valid_range_cap(sign * a->y);
    return TVGP_OK;
}

/* For the model of an output: at the arm and time of the query, unless another time is given. */
static tvgp_status to_model(const tvgp_policy *p, const tvgp_policy *model, int time, tvgp__answer *a) {
    a->arm = tvgp__domain_is_box(p->domain) ? SIZE_MAX : a->ticket->arm;
    if (time)
        a->t = a->ticket->t;
    return take_mean(model, tvgp__query_points_ticket(p, a->ticket), a);
}

/* A query that failed, or an output of it; without an assumed value it teaches nothing. */
static tvgp_status fill_failed(const tvgp_policy *p, tvgp_policy *r, size_t output, tvgp__answer *a) {
    if (!output) {
        tvgp__policy_assume(p, a);
        return TVGP_OK;
    }
    const tvgp_status status = tvgp__policy_predict_failed(p, r, output, NAN, tvgp__query_points_ticket(p, a->ticket), a);
    return status == TVGP_AGAIN ? TVGP_OK : status;
}

/* Checks everything about one record, whose point is x if it is unsolicited, and fills the outcome for its receiver r; marks
 * the output of its query, so that a second record of it is found. */
static tvgp_status fill(tvgp_policy *p, tvgp_policy *r, const tvgp_obs *o, const double *x, size_t i, double clock,
                        tvgp__answer *a) {
    const int time = !(o->flags & TVGP_OBS_HAS_TIME);
    if (o->outcome < TVGP_VALUE || o->outcome > TVGP_CANCELLED)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "obs[%zu].outcome = %" PRId32 " is outside 0..3", i, o->outcome);
    if (o->outcome == TVGP_VALUE)
        TVGP__TRY(tvgp__valid_range_entry(p->ctx, "obs[%zu].y", i, 0, o->y));
    const int transformed = ((const tvgp__policy_config *)r->config)->outcome != 0;
    if (o->flags || transformed || tvgp__outcome_has_members(o))
        TVGP__TRY(check_flagged(p, tvgp__policy_outcome(r), o, i, clock));
    *a = (tvgp__answer){.kind = TVGP_ACTION,
                        .outcome = (int16_t)o->outcome,
                        .partial = (o->flags & TVGP_OBS_PARTIAL) != 0,
                        .index = r->work.batch.n,
                        .y = tvgp__policy_turn(r, o->y),
                        .noise = o->flags & TVGP_OBS_HAS_NOISE ? o->noise_var : NAN,
                        .t = o->t};
    if (o->id) {
        TVGP__TRY(tvgp__tickets_find(p->ctx, &p->tickets, o->id, (size_t)o->output, &a->ticket));
        x = keep_point(p, r, tvgp__query_points_ticket(p, a->ticket), 0);
    }
    if (o->id == 0)
        TVGP__TRY(fill_unsolicited(p, r, o, &x, i, clock, a));
    else if (r != p)
        TVGP__TRY(to_model(p, r, time, a));
    else
        from_ticket(p, a, time);
    if (o->outcome == TVGP_FAILED)
        TVGP__TRY(fill_failed(p, r, (size_t)o->output, a));
    if (transformed && o->outcome == TVGP_VALUE)
        TVGP__TRY(match(r, o, r == p ? a->ticket : NULL, x, i, a));
    if (o->flags & TVGP__OUTCOME_CENSORED)
        TVGP__TRY(censor(p, r, o, x, a));
    if (o->id == 0)
        return TVGP_OK;
    if (r == p && a->ticket->extra != 0 && a->outcome == TVGP_VALUE && !a->assumed)
        TVGP__TRY(tvgp__valid_range_entry(p->ctx, "obs[%zu].y less the mean of its candidate", i, 0, a->y));
    if (!a->partial)
        tvgp__tickets_mark(a->ticket, (size_t)o->output);
    return TVGP_OK;
}

static tvgp_status make_room(tvgp_policy *p, size_t n) {
    tvgp__action_set *box = p->within; /* NULL on arms */
    size_t slots = p->work.answer_slots;
    if (p->domain->shared) {
        TVGP__TRY(
            tvgp__query_points_reserve(p, 1)); /* for the next query; pending queries may move, so before any is found */
        TVGP__TRY(tvgp__domain_room(p->domain, n + 1));
    }
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *p->work.arms, &p->work.arms, &slots));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *p->work.answers, &p->work.answers, &p->work.answer_slots));
    if (box)
        return tvgp__memory_reserve(p->ctx, n, p->domain->dim * sizeof *box->points, &box->points, &box->point_slots);
    return TVGP_OK;
}

/* The index of record k in obs. */
static size_t index_of(const tvgp__records *records, size_t k) {
    return records->order ? records->order[k] : k;
}

static int any_unsolicited(const tvgp__records *records) {
    size_t k = 0;
    while (k < records->n && records->obs[index_of(records, k)].id)
        k++;
    return k < records->n;
}

/* Shared arms: the rank that holds the arm of an unsolicited observation finds it. Arm k belongs to record k. */
static tvgp_status find_arms(tvgp_policy *p, const tvgp__records *records, tvgp_status status) {
    for (size_t k = 0; status == TVGP_OK && k < records->n; k++) {
        const size_t i = index_of(records, k);
        if (records->obs[i].id)
            continue;
        const int64_t arm = tvgp__across_ranks_locate(p, records->x + i * p->domain->dim);
        p->work.arms[k] = (size_t)arm;
        if (arm >= 0)
            tvgp__domain_meet(p->domain, p->work.arms[k]);
    }
    return status;
}

/* Every receiver's batch is empty, with room for its records. */
static tvgp_status open_batches(tvgp_policy *p, const tvgp__records *records) {
    size_t count[TVGP__OUTPUTS_MOST + 1] = {0}, failed = p->tickets.failed;
    p->work.clamped = 0;
    for (size_t k = 0; k <= tvgp__policy_outputs(p); k++)
        receiver(p, k)->work.batch.n = 0;
    for (size_t k = 0; k < records->n; k++) {
        const size_t i = index_of(records, k);
        const int32_t output = records->obs[i].output;
        if (output < 0 || output > (int64_t)tvgp__policy_outputs(p))
            return refuse_output(p, output, i);
        count[output]++;
        failed += !output && records->obs[i].outcome == TVGP_FAILED;
    }
    for (size_t k = 0; k <= tvgp__policy_outputs(p); k++) {
        tvgp_policy *r = receiver(p, k);
        TVGP__TRY(make_room(r, count[k] + (k ? failed : p->tickets.failed)));
        r->work.batch = (tvgp__points){.in_order = 1, .arm = r->work.arms};
        if (r->within)
            r->work.batch.X = r->within->points;
    }
    return TVGP_OK;
}

/* An answer joins the batch of its receiver, where its point is kept already. */
static void append(tvgp_policy *r, const tvgp__answer *a, double *clock) {
    r->work.arms[r->work.batch.n++] = a->arm;
    r->work.batch.in_order &= a->outcome != TVGP_VALUE || a->t >= *clock;
    if (a->outcome == TVGP_VALUE && a->t > *clock)
        *clock = a->t;
}

/* One more answer: what is assumed of output k of a query that failed, at time t. */
static tvgp_status add_failure(tvgp_policy *p, tvgp__ticket *ticket, size_t k, double t, double noise, double *clock) {
    tvgp_policy *r = receiver(p, k);
    const double *x = keep_point(p, r, tvgp__query_points_ticket(p, ticket), 0);
    tvgp__answer *a = &r->work.answers[r->work.batch.n];
    *a = (tvgp__answer){.kind = TVGP_ACTION, .index = r->work.batch.n, .noise = NAN, .t = t, .ticket = ticket};
    if (k)
        TVGP__TRY(to_model(p, r, 0, a));
    else
        from_ticket(p, a, 0);
    const tvgp_status status = tvgp__policy_predict_failed(p, r, k, noise, x, a);
    if (status != TVGP_OK)
        return status == TVGP_AGAIN ? TVGP_OK : status;
    append(r, a, clock);
    tvgp__tickets_mark(ticket, k);
    return TVGP_OK;
}

/* The outputs of queries that failed in this call, and everything that waited and can be known now. A query that was asked in a
 * known unit says that it is known, and the noise. */
static tvgp_status add_failures(tvgp_policy *p, double *clock) {
    const size_t n = p->work.batch.n, outputs = tvgp__policy_outputs(p);
    double noise = NAN;
    for (size_t i = 0; i < n; i++) {
        const tvgp__answer *a = &p->work.answers[i];
        if (a->ticket && a->ticket->moments == TVGP__MOMENTS_KNOWN)
            noise = a->ticket->noise;
        for (size_t k = 1; k <= outputs && tvgp__policy_reported(a) == TVGP_FAILED; k++)
            if (a->ticket->open >> k & 1)
                TVGP__TRY(add_failure(p, a->ticket, k, a->t, NAN, clock));
    }
    for (size_t i = 0; p->tickets.failed && i < p->tickets.count; i++) {
        tvgp__ticket *ticket = &p->tickets.list[p->tickets.first + i];
        for (size_t k = 0; k <= outputs && ticket->taken == TVGP__TICKETS_FAILED; k++)
            if (ticket->open >> k & 1 && (k || !isnan(noise)))
                TVGP__TRY(add_failure(p, ticket, k, ticket->t, noise, clock));
    }
    return TVGP_OK;
}

/* Checks and fills the outcomes of all batches until one is wrong. */
static tvgp_status fill_all(tvgp_policy *p, const tvgp__records *records) {
    const size_t dim = p->domain->dim;
    int failed = p->tickets.failed > 0;
    double clock = p->clock;
    tvgp_status status = open_batches(p, records);
    if (p->domain->shared && records->x && any_unsolicited(records))
        status = find_arms(p, records, tvgp__domain_agree(p->domain, status));
    TVGP__TRY(status);
    for (size_t k = 0; k < records->n; k++) {
        const size_t i = index_of(records, k);
        tvgp_policy *r = receiver(p, (size_t)records->obs[i].output);
        tvgp__answer *a = &r->work.answers[r->work.batch.n];
        TVGP__TRY(fill(p, r, &records->obs[i], records->x ? records->x + i * dim : NULL, i, clock, a));
        failed |= records->obs[i].outcome == TVGP_FAILED;
        if (records->skips && records->skips[k])
            clock = fmax(clock, a->t);
        else
            append(r, a, &clock);
    }
    return failed ? add_failures(p, &clock) : TVGP_OK;
}

/* Whatever can fail of what the receivers do with their batches. The policy comes last: a foreign one takes its batch here. */
static tvgp_status prepare_all(tvgp_policy *p) {
    tvgp_status status = TVGP_OK;
    for (size_t k = 1 + tvgp__policy_outputs(p); status == TVGP_OK && k-- > 0;) {
        tvgp_policy *r = receiver(p, k);
        if (r->work.batch.n)
            status = TVGP__POLICY_OP(r->ops, prepare)(r, r->work.batch.n, r->work.answers);
    }
    return status;
}

/* Undoes the marks of a refused batch. */
static void unmark(tvgp_policy *p) {
    for (size_t k = 0; k <= tvgp__policy_outputs(p); k++) {
        const tvgp_policy *r = receiver(p, k);
        for (size_t i = 0; i < r->work.batch.n; i++)
            if (r->work.answers[i].ticket)
                tvgp__tickets_unmark(r->work.answers[i].ticket, k);
    }
}

/* An output has its outcome, and those reported with it have been marked. A reward without a value is the end of all others; those
 * of a failure may wait. */
static void finish_output(tvgp_policy *p, const tvgp__answer *a, size_t output) {
    tvgp__ticket *ticket = a->ticket;
    const int outcome = output ? TVGP_VALUE : tvgp__policy_reported(a);
    if (outcome == TVGP_FAILED && tvgp__policy_failure_waits(p, a))
        tvgp__tickets_fail(&p->tickets, ticket);
    else if (!ticket->open || outcome != TVGP_VALUE)
        tvgp__tickets_close(&p->tickets, ticket);
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    const int outcome = tvgp__policy_reported(a);
    if (a->ticket && a->partial) {
        a->ticket->parts = 1;
        p->counts.parts++;
    } else if (a->ticket) {
        if (outcome == TVGP_VALUE || outcome == TVGP_SKIPPED)
            tvgp__last_action_outcome(p, a->ticket);
        if (outcome == TVGP_FAILED || p->work.failures.n)
            tvgp__policy_count_failure(p, a);
        for (tvgp__guard *g = p->guards; g; g = g->next)
            if (g->ops->observed)
                g->ops->observed(g, p, 0, a);
        finish_output(p, a, 0);
        p->counts.outcomes[outcome]++;
    } else {
        p->counts.unsolicited++;
    }
    if (a->outcome == TVGP_VALUE && a->t > p->clock)
        p->clock = a->t;
    TVGP__POLICY_OP(p->ops, take)(p, a);
}

/* A value of output k > 0, which is unsolicited for its model. */
static void take_output(tvgp_policy *p, size_t output, tvgp__answer *a) {
    tvgp_policy *model = receiver(p, output);
    if (a->ticket && !a->partial)
        finish_output(p, a, output);
    if (a->outcome != TVGP_VALUE)
        return;
    for (tvgp__guard *g = p->guards; g && !a->assumed && !a->partial; g = g->next)
        if (g->ops->observed)
            g->ops->observed(g, p, output, a);
    a->ticket = NULL;
    p->clock = fmax(p->clock, a->t);
    take(model, a);
}

/* What was added for queries that failed (add_failures). */
static void take_failures(tvgp_policy *p, size_t output, size_t first) {
    tvgp_policy *r = receiver(p, output);
    for (size_t i = first; i < r->work.batch.n; i++) {
        tvgp__answer *a = &r->work.answers[i];
        if (!a->ticket->open)
            tvgp__tickets_close(&p->tickets, a->ticket);
        p->clock = fmax(p->clock, a->t);
        a->ticket = output ? NULL : a->ticket;
        if (output)
            take(r, a);
        else
            TVGP__POLICY_OP(p->ops, take)(p, a);
    }
}

/* Uses everything that was prepared, in its order, and ends the batches. */
static void take_all(tvgp_policy *p, const tvgp__records *records) {
    size_t at[TVGP__OUTPUTS_MOST + 1] = {0};
    int64_t before[TVGP__OUTPUTS_MOST + 1];
    for (size_t k = 0; k <= tvgp__policy_outputs(p); k++)
        before[k] = receiver(p, k)->counts.unsolicited;
    for (size_t k = 0; k < records->n; k++) {
        const size_t output = (size_t)records->obs[index_of(records, k)].output;
        tvgp_policy *r = receiver(p, output);
        if (records->skips && records->skips[k])
            r->counts.unsolicited++;
        else if (output)
            take_output(p, output, &r->work.answers[at[output]++]);
        else
            take(p, &r->work.answers[at[output]++]);
    }
    for (size_t k = 0; k <= tvgp__policy_outputs(p); k++)
        if (at[k] < receiver(p, k)->work.batch.n)
            take_failures(p, k, at[k]);
    p->counts.clamped += p->work.clamped;
    if (p->work.batch.n && p->ops->end_batch)
        p->ops->end_batch(p);
    for (tvgp__guard *g = p->guards; g; g = g->next)
        if (g->ops->after_tell)
            g->ops->after_tell(g, p, p->work.batch.n, p->work.answers);
    for (size_t k = 1; k <= tvgp__policy_outputs(p); k++) {
        tvgp_policy *model = receiver(p, k);
        if (model->counts.unsolicited > before[k])
            TVGP__POLICY_OP(model->ops, end_batch)(model);
    }
}

/* The arm of the first outcome, unless it is unsolicited: known without anything that may fail. */
static size_t first_arm(const tvgp_policy *p, const tvgp__records *records) {
    const tvgp_obs *obs = &records->obs[index_of(records, 0)];
    const tvgp__ticket *ticket = obs->id ? tvgp__tickets_peek(&p->tickets, obs->id) : NULL;
    return ticket ? ticket->arm : SIZE_MAX;
}

/* The ranks agree on the status of a batch; because there is room for the next query, they need not ask each other about
 * that if nothing is pending. */
static tvgp_status finish(tvgp_policy *p, size_t arm, tvgp_status status) {
    status = p->started ? p->ops->shared->finish(p, arm, status) : tvgp__domain_agree(p->domain, status);
    p->work.ready |= status == TVGP_OK;
    return status;
}

tvgp_status tvgp__policy_tell_records(tvgp_policy *p, const tvgp__records *records) {
    TVGP__TRY(tvgp__policy_check_free(p));
    if (records->n == 0)
        return TVGP_OK;
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "n", records->n));
    const int first = !p->started;
    tvgp_status status = fill_all(p, records);
    if (first)
        status = tvgp__domain_agree(p->domain, status);
    if (first && status == TVGP_OK)
        status = tvgp__policy_start(p);
    if (status == TVGP_OK)
        status = prepare_all(p);
    if (p->domain->shared)
        status = finish(p, first_arm(p, records), status);
    if (status < 0) {
        unmark(p);
        if (first)
            tvgp__policy_stop(p);
        return status;
    }
    take_all(p, records);
    return TVGP_OK;
}

tvgp_status tvgp__policy_tell(tvgp_policy *p, const tvgp_obs *obs, const double *x, size_t n) {
    return tvgp__policy_tell_records(p, &(tvgp__records){.obs = obs, .x = x, .n = n});
}

void tvgp__policy_time_out(tvgp_policy *p, double oldest) {
    int64_t before = p->counts.timed_out;
    tvgp__ticket *ticket;
    while ((ticket = tvgp__tickets_first(&p->tickets)) && ticket->t < oldest) {
        const int pends = tvgp__tickets_pends(ticket);
        tvgp__answer a = {.outcome = TVGP_SKIPPED, .noise = NAN, .ticket = ticket};
        from_ticket(p, &a, 1);
        tvgp__last_action_outcome(p, ticket);
        tvgp__tickets_close(&p->tickets, ticket);
        p->counts.timed_out++;
        if (pends)
            TVGP__POLICY_OP(p->ops, take)(p, &a);
    }
    if (p->counts.timed_out > before)
        TVGP__POLICY_OP(p->ops, end_batch)(p);
}
