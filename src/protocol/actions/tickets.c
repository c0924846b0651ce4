/* SPDX-License-Identifier: MIT */
/* Pending queries: asked, without an outcome (protocol/actions/tickets.h). */
#include "protocol/actions/tickets.h"

#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/actions/candidates.h"

#include <math.h>
#include <string.h>

double *tvgp__tickets_point(const tvgp__tickets *t, const tvgp__ticket *ticket, double *points, size_t dim) {
    return points + (size_t)(ticket - t->list) * dim;
}

enum { TAKEN = 1, HIDDEN = 2, FAILED = TVGP__TICKETS_FAILED, ALL_OUTPUTS = 0x1ffff };

static int kept_on(const tvgp__ticket *ticket) {
    return !ticket->taken || ticket->taken == FAILED;
}

/* Moves the pending and failed ones to the front; closed ones leave. */
static void compact(tvgp__tickets *t, double *points, size_t dim) {
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        const tvgp__ticket *ticket = &t->list[t->first + i];
        if (!kept_on(ticket))
            continue;
        if (points)
            memmove(points + kept * dim, tvgp__tickets_point(t, ticket, points, dim), dim * sizeof *points);
        t->list[kept++] = *ticket;
    }
    t->first = 0;
    t->count = kept;
}

tvgp_status tvgp__tickets_grow(tvgp_ctx *ctx, tvgp__tickets *t, size_t n, double **points, size_t dim) {
    /* Twice what is pending keeps compaction rare; where nothing is there is nothing to move. */
    const size_t held = t->pending + t->failed, wanted = held ? 2 * (held + n) : n;
    size_t slots = t->slots;
    if (points)
        TVGP__TRY(tvgp__memory_reserve(ctx, wanted, dim * sizeof **points, points, &slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, wanted, sizeof *t->list, &t->list, &t->slots));
    if (t->first + t->count + n > t->slots)
        compact(t, points ? *points : NULL, dim);
    return TVGP_OK;
}

tvgp__ticket *tvgp__tickets_open(tvgp__tickets *t, size_t limit) {
    if (t->pending >= limit) {
        tvgp__tickets_close(t, tvgp__tickets_first(t));
        t->expired++;
    }
    tvgp__ticket *ticket = &t->list[t->first + t->count++];
    *ticket = (tvgp__ticket){.id = ++t->last_id, .open = 1, .payoff = 1};
    t->pending++;
    return ticket;
}

tvgp__ticket *tvgp__tickets_peek(const tvgp__tickets *t, int64_t id) {
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->list[t->first + middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->count && t->list[t->first + low].id == id ? &t->list[t->first + low] : NULL;
}

tvgp_status tvgp__tickets_find(tvgp_ctx *ctx, const tvgp__tickets *t, int64_t id, size_t output, tvgp__ticket **out) {
    if (id < 1 || id > t->last_id)
        return tvgp__error_set(ctx, TVGP_ERR_TICKET, "id = %" PRId64 " was never asked; the last is %" PRId64, id,
                               t->last_id);
    tvgp__ticket *ticket = tvgp__tickets_peek(t, id);
    if (!ticket || ticket->taken)
        return tvgp__error_set(ctx, TVGP_ERR_TICKET,
                               "id = %" PRId64 " already has its outcome, was forgotten or timed out (%zu pending, %" PRId64
                               " forgotten)",
                               id, t->pending, t->expired);
    if (!(ticket->open >> output & 1))
        return tvgp__error_set(ctx, TVGP_ERR_TICKET, "output %zu of id = %" PRId64 " already has its outcome", output, id);
    *out = ticket;
    return TVGP_OK;
}

void tvgp__tickets_await(tvgp__ticket *ticket, size_t others) {
    ticket->open = ((2u << others) - 1) & ALL_OUTPUTS;
}

void tvgp__tickets_mark(tvgp__ticket *ticket, size_t output) {
    ticket->open = ticket->open & ~(1u << output) & ALL_OUTPUTS;
}

void tvgp__tickets_unmark(tvgp__ticket *ticket, size_t output) {
    ticket->open = (ticket->open | 1u << output) & ALL_OUTPUTS;
}

int tvgp__tickets_open_still(const tvgp__ticket *ticket) {
    return !ticket->taken || ticket->taken == HIDDEN;
}

/* Moves queries from before `oldest` from one state to another. */
static void change(tvgp__tickets *t, double oldest, unsigned from, unsigned to) {
    for (size_t i = t->first; i < t->first + t->count && t->list[i].t < oldest; i++)
        if (t->list[i].taken == from)
            t->list[i].taken = to & 3;
}

void tvgp__tickets_hide(tvgp__tickets *t, double oldest) {
    change(t, oldest, 0, HIDDEN);
}

void tvgp__tickets_show(tvgp__tickets *t, double oldest) {
    change(t, oldest, HIDDEN, 0);
}

tvgp__ticket *tvgp__tickets_first(const tvgp__tickets *t) {
    size_t i = t->first;
    if (!t->pending)
        return NULL;
    while (t->list[i].taken && t->list[i].taken != HIDDEN)
        i++;
    return &t->list[i];
}

/* Closed queries at either end leave at once: in the usual order nothing else is needed. */
void tvgp__tickets_close(tvgp__tickets *t, tvgp__ticket *ticket) {
    if (ticket->taken == TAKEN)
        return;
    *(ticket->taken == FAILED ? &t->failed : &t->pending) -= 1;
    ticket->taken = TAKEN;
    while (t->count && t->list[t->first].taken == TAKEN) {
        t->first++;
        t->count--;
    }
    while (t->count && t->list[t->first + t->count - 1].taken == TAKEN)
        t->count--;
    if (!t->count)
        t->first = 0;
}

static tvgp__ticket *first_failed(const tvgp__tickets *t) {
    size_t i = t->first;
    while (t->list[i].taken != FAILED)
        i++;
    return &t->list[i];
}

void tvgp__tickets_fail(tvgp__tickets *t, tvgp__ticket *ticket) {
    if (t->failed == TVGP__TICKETS_FAILED_MOST)
        tvgp__tickets_close(t, first_failed(t));
    ticket->taken = FAILED;
    t->pending--;
    t->failed++;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

/* On a box, where an action has a number only if it was a candidate. */
static void visit_candidate(tvgp__ticket *t, tvgp__visit *v) {
    size_t row = t->arm + 1; /* 0: none */
    tvgp__visit_size(v, &row, 0, TVGP__CANDIDATES_MOST);
    tvgp__visit_real(v, &t->extra, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    t->arm = row - 1;
}

/* Outputs that wait to be observed; 0: it did not fail. */
static void visit_failure(tvgp__ticket *t, tvgp__visit *v) {
    int64_t moments = t->moments, waits = t->taken == FAILED ? t->open : 0;
    tvgp__visit_int(v, &moments, TVGP__MOMENTS_NONE, TVGP__MOMENTS_KNOWN);
    tvgp__visit_int(v, &waits, 0, ALL_OUTPUTS);
    if (!tvgp__visit_loads(v))
        return;
    t->moments = (uint32_t)moments & 3;
    t->taken = waits ? FAILED : 0;
    t->open = waits ? (uint32_t)waits & ALL_OUTPUTS : t->open;
}

static void visit_ticket(tvgp__ticket *t, size_t arms, size_t priors, tvgp__visit *v) {
    int64_t kind = t->kind;
    int parts = t->parts;
    size_t prior = t->prior;
    const double most = TVGP__VISIT_MOST;
    tvgp__visit_int(v, &t->id, 1, TVGP__VISIT_TALLY);
    tvgp__visit_tally(v, &t->step);
    if (arms)
        tvgp__visit_indices(v, 1, &t->arm, arms);
    else
        visit_candidate(t, v);
    tvgp__visit_indices(v, 1, &prior, priors);
    tvgp__visit_real(v, &t->t, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &t->mean, -most, most);
    tvgp__visit_real(v, &t->sd, 0, most);
    tvgp__visit_real(v, &t->coefficient, -INFINITY, INFINITY);
    tvgp__visit_real(v, &t->prior_mean, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_int(v, &kind, TVGP_ACTION, TVGP_INIT);
    t->kind = (uint32_t)kind & 3;
    t->prior = (uint32_t)prior;
    tvgp__visit_real(v, &t->score, -most, most);
    tvgp__visit_real(v, &t->noise, 0, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &t->propensity, 0, 1);
    tvgp__visit_real(v, &t->payoff, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &parts);
    t->parts = parts ? 1u : 0u;
    visit_failure(t, v);
}

/* Closed queries are left out, because they are not used any more. */
void tvgp__tickets_visit(tvgp__tickets *t, size_t arms, size_t priors, size_t limit, double **points, size_t dim,
                         tvgp__visit *v) {
    size_t held = t->pending + t->failed;
    tvgp__visit_tally(v, &t->last_id);
    tvgp__visit_tally(v, &t->expired);
    tvgp__visit_count(v, &held, limit + TVGP__TICKETS_FAILED_MOST, 77);
    if (tvgp__visit_loads(v)) {
        t->first = t->count = t->pending = t->failed = 0;
        if (tvgp__visit_try(v, tvgp__tickets_reserve(v->ctx, t, held, points, dim)))
            t->count = held;
        for (size_t i = 0; tvgp__visit_fine(v) && i < held; i++)
            t->list[i] = (tvgp__ticket){.arm = SIZE_MAX, .open = 1};
    }
    for (size_t i = t->first; tvgp__visit_fine(v) && i < t->first + t->count; i++) {
        tvgp__ticket *ticket = &t->list[i];
        if (!kept_on(ticket))
            continue;
        visit_ticket(ticket, arms, priors, v);
        if (tvgp__visit_loads(v))
            *(ticket->taken ? &t->failed : &t->pending) += 1;
        if (points && tvgp__visit_fine(v))
            tvgp__visit_reals(v, dim, tvgp__tickets_point(t, ticket, *points, dim), -TVGP__VALID_RANGE_MOST,
                              TVGP__VALID_RANGE_MOST);
        int order = i == t->first || (ticket[-1].id < ticket->id && ticket[-1].t <= ticket->t);
        if (tvgp__visit_loads(v) && (!order || ticket->id > t->last_id))
            tvgp__visit_refuse(v, "pending queries are out of order");
    }
    if (tvgp__visit_loads(v) && (t->pending > limit || t->failed > TVGP__TICKETS_FAILED_MOST))
        tvgp__visit_refuse(v, "more queries are pending than may be");
}
