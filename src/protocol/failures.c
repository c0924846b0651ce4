/* SPDX-License-Identifier: MIT */
/* Failed queries. A query that is reported FAILED is observed at an assumed value below its prediction,
 *   y = mean - failed.width x sqrt(variance + noise),   all three of the ask and of the process, which is maximised,
 * with the noise variance of the policy. The posterior is conditioned on it (tvgp__posterior_observe), and nothing else learns from it.
 * A bounded output of the query gets a value this far beyond its bound, of its prediction now.
 *
 * Until outcomes have shown the unit of rewards, variances mean nothing. A query that fails then counts as pending, so that
 * its variance shrinks, and is observed in a later tell, by its prediction at that time. */
#include "protocol/policy_ops.h"

#include "base/error.h"
#include "base/valid_range.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

static double width_of(const tvgp_policy *p) {
    return ((const tvgp__policy_config *)p->config)->failed_width;
}

/* Counts have no noise variance of their own: theirs is the one that was expected. */
static void fill(const tvgp_policy *r, double y, double noise, tvgp__answer *a) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(r);
    a->outcome = TVGP_VALUE;
    a->assumed = 1;
    a->y = fmin(fmax(y, -TVGP__VALID_RANGE_MOST), TVGP__VALID_RANGE_MOST);
    a->noise = type && type->counts ? noise : NAN;
}

static double below(const tvgp_policy *p, double var, double noise) {
    return width_of(p) * sqrt(fmax(var, 0) + noise);
}

void tvgp__policy_assume(const tvgp_policy *p, tvgp__answer *a) {
    const tvgp__ticket *asked = a->ticket;
    if (width_of(p) > 0 && asked->moments == TVGP__MOMENTS_KNOWN)
        fill(p, asked->prior_mean + asked->mean - below(p, asked->sd * asked->sd, asked->noise), asked->noise, a);
}

/* In the sign of the user. */
static double beyond_bound(const tvgp_policy *p, size_t k, double mean, double off) {
    for (const tvgp__guard *g = p->guards; g; g = g->next)
        if (g->ops->beyond)
            return g->ops->beyond(g, k, mean, off);
    return NAN;
}

tvgp_status tvgp__policy_predict_failed(const tvgp_policy *p, tvgp_policy *r, size_t k, double noise, const double *x,
                                        tvgp__answer *a) {
    double mean, var, y;
    if (!(width_of(p) > 0) || r->domain->shared || (k && r->ops->model->posterior(r)->learned.vague))
        return TVGP_AGAIN;
    TVGP__TRY(tvgp__policy_predict_now(r, a->t, x, &mean, &var));
    if (k) {
        noise = r->ops->model->noise(r);
        y = tvgp__policy_turn(r, beyond_bound(p, k, mean, below(p, var, noise)));
    } else {
        y = tvgp__policy_turn(r, mean) - below(p, var, noise);
    }
    if (isnan(y))
        return TVGP_AGAIN;
    fill(r, y, noise, a);
    return TVGP_OK;
}

int tvgp__policy_failure_waits(const tvgp_policy *p, const tvgp__answer *a) {
    if (!(width_of(p) > 0))
        return 0;
    if (!a->assumed && a->ticket->moments == TVGP__MOMENTS_VAGUE)
        tvgp__tickets_unmark(a->ticket, 0);
    return a->ticket->open > 0;
}

/* ---- the log ------------------------------------------------------------------------------------------------------ */

/* The action of a query: the number of its arm, or on a box a hash of its coordinates (FNV-1a), in 32 bits. */
static uint32_t action_of(const tvgp_policy *p, const tvgp__ticket *ticket) {
    const double *x = tvgp__query_points_ticket(p, ticket);
    uint64_t bits, h = 14695981039346656037u;
    if (tvgp__domain_has_arms(p->domain))
        return (uint32_t)ticket->arm;
    for (size_t d = 0; d < p->domain->dim; d++) {
        memcpy(&bits, &x[d], sizeof bits);
        h = (h ^ bits) * 1099511628211u;
    }
    return (uint32_t)(h ^ h >> 32);
}

static void say(const tvgp_policy *p, const tvgp__answer *a) {
    const double *x = tvgp__query_points_ticket(p, a->ticket);
    tvgp__context_log(
        p->ctx,
        "%s: five failures in a row of the action at (%g%s), the last at t = %g: if it cannot work, take it out "
        "of what may be asked",
        p->ops->name, *x, p->domain->dim > 1 ? ", .." : "", a->t);
}

void tvgp__policy_count_failure(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__failures *all = &p->work.failures;
    const int failed = tvgp__policy_reported(a) == TVGP_FAILED;
    size_t i = 0;
    const uint32_t action = action_of(p, a->ticket);
    while (i < all->n && all->action[i] != action)
        i++;
    if (!failed) {
        if (i < all->n && a->outcome == TVGP_VALUE)
            all->count[i] = 0;
        return;
    }
    if (i == all->n) {
        i = all->next;
        all->n = (uint8_t)(all->n < TVGP__FAILURES_ACTIONS ? all->n + 1 : all->n);
        all->next = (uint8_t)((all->next + 1) % TVGP__FAILURES_ACTIONS);
        all->action[i] = action;
        all->count[i] = 0;
    }
    all->count[i] = (uint8_t)(all->count[i] + (all->count[i] <= TVGP__FAILURES_LINE));
    if (all->count[i] == TVGP__FAILURES_LINE)
        say(p, a);
}
