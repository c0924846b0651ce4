/* SPDX-License-Identifier: MIT */
/* Payoffs of actions whose outcomes are counts: choices compare payoff x rate, and the posterior is of the rate
 * (parts/features/payoffs.h). */
#include "parts/features/payoffs.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/policy_ops.h"
#include "space/domain/product.h"

#include <string.h>

typedef struct payoffs {
    tvgp__guard base;
    size_t n; /* actions when they were set */
    double *payoff;
    double *factor; /* of each choice, during one */
    size_t payoff_slots, factor_slots;
} payoffs;

static payoffs *payoffs_of(const tvgp_policy *p) {
    return (payoffs *)tvgp__guard_find(p, &tvgp__payoffs_ops);
}

static size_t contexts_of(const tvgp_policy *p) {
    const size_t contexts = tvgp__product_contexts(p->domain);
    return contexts ? contexts : 1;
}

/* Actions that came after the payoffs have 1. */
static double payoff_of(const payoffs *s, size_t action) {
    return action < s->n ? s->payoff[action] : 1;
}

static tvgp_status check(const tvgp_policy *p) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__payoffs_ops));
    if (!type || !type->counts)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "payoffs with outcome.type = %s: they need counts (poisson or binomial)",
                               type ? type->name : "normal");
    return TVGP_OK;
}

static tvgp_status check_values(const tvgp_policy *p, size_t n, const double *payoff) {
    const size_t actions = tvgp__domain_entries(p->domain) / contexts_of(p);
    if (n != actions)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "payoffs has n = %zu entries, must be %zu, the actions", n, actions);
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "payoffs", n, payoff));
    for (size_t i = 0; i < n; i++)
        if (!(payoff[i] > 0))
            return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "payoffs[%zu] = %g must be > 0", i, payoff[i]);
    return TVGP_OK;
}

/* Makes or finds the feature, with room for n payoffs. */
static tvgp_status reserve(tvgp_policy *p, size_t n, payoffs **out) {
    TVGP__TRY(tvgp__guard_make(p, &tvgp__payoffs_ops, out)); /* without payoffs all are 1 */
    return tvgp__memory_reserve(p->ctx, n, sizeof *(*out)->payoff, &(*out)->payoff, &(*out)->payoff_slots);
}

tvgp_status tvgp__payoffs_set(tvgp_policy *p, size_t n, const double *payoff) {
    payoffs *s;
    if (!n) {
        tvgp__guard_drop(p, &tvgp__payoffs_ops);
        return TVGP_OK;
    }
    TVGP__TRY(check(p));
    TVGP__TRY(check_values(p, n, payoff));
    const int had = payoffs_of(p) != NULL;
    const tvgp_status status = reserve(p, n, &s);
    if (status < 0) {
        if (!had)
            tvgp__guard_drop(p, &tvgp__payoffs_ops);
        return status;
    }
    memcpy(s->payoff, payoff, n * sizeof *payoff);
    s->n = n;
    return TVGP_OK;
}

/* The type of outcomes may have changed since. */
static tvgp_status start(tvgp_policy *p) {
    return payoffs_of(p) ? check(p) : TVGP_OK;
}

static tvgp_status open_choice(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    payoffs *s = (payoffs *)g;
    const size_t n = tvgp__policy_choices(p), contexts = contexts_of(p);
    double *offset;
    (void)t, (void)asks;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, sizeof *s->factor, &s->factor, &s->factor_slots));
    TVGP__TRY(tvgp__guard_offset(p, &offset)); /* the choice is by rewards */
    for (size_t i = 0; i < n; i++)
        s->factor[i] = payoff_of(s, i / contexts);
    p->terms.offsets.factor = s->factor;
    return TVGP_OK;
}

static void asked(tvgp__guard *g, tvgp_policy *p, tvgp__ticket *ticket) {
    ticket->payoff = payoff_of((payoffs *)g, ticket->arm / contexts_of(p));
}

static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    payoffs *s = (payoffs *)g;
    size_t n = s->n;
    tvgp__visit_count(v, &n, tvgp__domain_entries(p->domain) / contexts_of(p), sizeof *s->payoff);
    if (tvgp__visit_loads(v) && !tvgp__visit_try(v, reserve(p, n, &s)))
        return;
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_reals(v, n, s->payoff, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST);
    s->n = tvgp__visit_fine(v) ? n : 0;
}

static void release(tvgp__guard *g, tvgp_policy *p) {
    payoffs *s = (payoffs *)g;
    tvgp__memory_free(p->ctx, s->payoff);
    tvgp__memory_free(p->ctx, s->factor);
    tvgp__memory_free(p->ctx, s);
}

const tvgp__guard_ops tvgp__payoffs_ops = {.name = "PAYO",
                                           .size = sizeof(payoffs),
                                           .doc = "payoffs",
                                           .refuses = TVGP__GUARD_BOX | TVGP__GUARD_SHARED | TVGP__GUARD_MODEL |
                                                      TVGP__GUARD_NO_SCORE,
                                           .start = start,
                                           .open = open_choice,
                                           .asked = asked,
                                           .visit = visit,
                                           .release = release};
