/* SPDX-License-Identifier: MIT */
/* Pending queries: asked, without an outcome. Ids increase by one, so the list is in order of id and searched by
 * bisection. If it is full, the oldest expires, so a service that never reports some outcomes can run forever. */
#ifndef TVGP__PROTOCOL_ACTIONS_TICKETS_H
#define TVGP__PROTOCOL_ACTIONS_TICKETS_H

#include "base/visit.h"
#include "tvgp/types.h"

typedef struct tvgp__ticket {
    int64_t id;
    int64_t step; /* actions asked when it was emitted, itself included */
    size_t arm;   /* of a candidate its row; SIZE_MAX: of the whole box */
    double t, mean, sd, coefficient, prior_mean;
    double extra;                    /* added to the prior mean at a candidate, separate from prior_mean */
    double score, noise, propensity; /* of the query, as it was asked */
    double risk;                     /* of the action, by its limits */
    double payoff;                   /* of a unit of the reward, at the ask */
    uint32_t prior;
    uint32_t open : 17; /* one bit for each output that has no outcome yet, the lowest for the reward; if it failed, that
                         * waits to be observed */
    uint32_t kind : 2;
    uint32_t taken : 2;    /* has an outcome, is hidden or failed */
    uint32_t moments : 2;  /* what mean and sd are: TVGP__MOMENTS_* */
    uint32_t declared : 1; /* the action was declared safe */
    uint32_t parts : 1;    /* a part of the outcome is known */
} tvgp__ticket;

/* Mean and sd of a query: there are none; in a unit that was not known yet; as predicted. */
enum { TVGP__MOMENTS_NONE, TVGP__MOMENTS_VAGUE, TVGP__MOMENTS_KNOWN };

/* TVGP__TICKETS_FAILED: reported as failed, and waits until outputs can be observed (protocol/failures.c). At most
 * TVGP__TICKETS_FAILED_MOST wait; beyond, the oldest is forgotten. */
enum { TVGP__TICKETS_FAILED = 3, TVGP__TICKETS_FAILED_MOST = 256 };

/* Whether the reward is waited for, or what it failed by. */
static inline int tvgp__tickets_pends(const tvgp__ticket *ticket) {
    return (!ticket->taken || ticket->taken == TVGP__TICKETS_FAILED) && (ticket->open & 1);
}

typedef struct tvgp__tickets {
    tvgp__ticket *
        list; /* pending and failed ones at first .. first + count - 1, those with an outcome between them are marked taken */
    size_t first, count, slots;
    size_t pending, failed;
    int64_t last_id, expired;
} tvgp__tickets;

/* Visits the pending ones (base/visit.h), with `arms` arms (0: none) and `priors` priors, at most `limit`; with their
 * points, as in reserve. */
void tvgp__tickets_visit(tvgp__tickets *t, size_t arms, size_t priors, size_t limit, double **points, size_t dim,
                         tvgp__visit *v);

/* The address of a query's point in an array of them, dim coordinates each. */
double *tvgp__tickets_point(const tvgp__tickets *t, const tvgp__ticket *ticket, double *points, size_t dim);

/* Room for n more, at most `limit` pending in the end; and unless NULL in *points, an array of theirs. */
tvgp_status tvgp__tickets_grow(tvgp_ctx *ctx, tvgp__tickets *t, size_t n, double **points, size_t dim);
static inline tvgp_status tvgp__tickets_reserve(tvgp_ctx *c, tvgp__tickets *t, size_t n, double **points, size_t dim) {
    return t->first + t->count + n <= t->slots ? TVGP_OK : tvgp__tickets_grow(c, t, n, points, dim);
}

/* Opens a query with the next id; the caller fills its other members. The oldest expires if `limit` are pending. */
tvgp__ticket *tvgp__tickets_open(tvgp__tickets *t, size_t limit);

/* Returns the query with this id, also one that is marked taken; NULL if it is not in the list. */
tvgp__ticket *tvgp__tickets_peek(const tvgp__tickets *t, int64_t id);

/* Returns the pending query with this id, of which an output is open. TICKET: the id was never asked, was closed, or has
 * expired. */
tvgp_status tvgp__tickets_find(tvgp_ctx *ctx, const tvgp__tickets *t, int64_t id, size_t output, tvgp__ticket **out);

/* Hides the pending queries from before `oldest`, a prefix because times do not decrease; and shows them again. */
void tvgp__tickets_hide(tvgp__tickets *t, double oldest);
void tvgp__tickets_show(tvgp__tickets *t, double oldest);

/* Opens the reward and `others` outputs; closes one that has an outcome; opens it again after a failure. */
void tvgp__tickets_await(tvgp__ticket *ticket, size_t others);
void tvgp__tickets_mark(tvgp__ticket *ticket, size_t output);
void tvgp__tickets_unmark(tvgp__ticket *ticket, size_t output);

/* Whether it has no outcome, or failed: pending, or hidden. */
int tvgp__tickets_open_still(const tvgp__ticket *ticket);

/* Returns the oldest pending query; NULL: none. */
tvgp__ticket *tvgp__tickets_first(const tvgp__tickets *t);

/* Removes a query, unless it has left already. */
void tvgp__tickets_close(tvgp__tickets *t, tvgp__ticket *ticket);

/* A pending query failed: it waits for the outputs that are open, one at least. */
void tvgp__tickets_fail(tvgp__tickets *t, tvgp__ticket *ticket);

#endif
