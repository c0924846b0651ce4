/* SPDX-License-Identifier: MIT */
/* The scores by which a policy would choose now, and the probabilities that arms are best (protocol/copies/scores_from_copy.h). */
#include "protocol/copies/scores_from_copy.h"

#include "base/context.h"
#include "base/error.h"
#include "base/integer_format.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/across_ranks.h"
#include "protocol/copies/snapshot.h"
#include "protocol/copies/timeout_value.h"
#include "space/domain/product.h"

#include <math.h>
#include <string.h>

void tvgp__scores_from_copy_arms(tvgp_policy *p, const double *score, double origin) {
    tvgp__scores_from_copy *wanted = p->work.wanted;
    const tvgp__rule_offsets *offsets = &p->terms.offsets;
    for (size_t i = 0; !wanted->draws && i < wanted->n; i++) {
        const size_t arm = wanted->arm ? wanted->arm[i] : i;
        const double z = tvgp__rule_unshift(offsets, origin, score[arm], tvgp__guard_shifted(&p->terms, arm), arm) + origin;
        wanted->score[i] = offsets->factor ? offsets->factor[arm] * tvgp__policy_out(p, z) : z;
    }
    wanted->answered = 1;
    wanted->paid = offsets->factor != NULL;
}

/* The arms at these points. */
static tvgp_status locate(const tvgp_policy *p, size_t n, const double *X, size_t *arm) {
    for (size_t i = 0; i < n; i++) {
        const int64_t at = tvgp__across_ranks_locate(p, X + i * p->domain->dim);
        if (at < 0)
            return tvgp__error_set(p->ctx, TVGP_ERR_NOTFOUND, "X[%zu] is not an arm, and only arms have a score", i);
        arm[i] = (size_t)at;
    }
    return TVGP_OK;
}

/* Side queries come before the action; here they get no outcome. */
static tvgp_status ask_action(tvgp_policy *p, double t) {
    double x[TVGP__SEARCH_SPACE_MOST];
    tvgp_query q;
    size_t n = 1;
    for (;;) {
        const tvgp_status status = tvgp__policy_ask(p, t, 1, &q, tvgp__domain_has_arms(p->domain) ? NULL : x, &n);
        if (status != TVGP_OK || q.kind != TVGP_SIDE)
            return status;
        const tvgp_obs skipped = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
        TVGP__TRY(tvgp__policy_tell(p, &skipped, NULL, 1));
    }
}

/* The best among some arms or points alone is wanted: a copy considers no others. */
static tvgp_status narrow(tvgp_policy *copy, const tvgp__scores_from_copy *wanted) {
    uint8_t *mask = NULL;
    size_t left = 0;
    if (!wanted->draws || (!wanted->arm && !wanted->X))
        return TVGP_OK;
    if (!wanted->arm)
        return tvgp__action_set_set_candidates(copy->within, copy->domain, wanted->n, wanted->X, NULL);
    const size_t arms = copy->domain->n;
    const uint8_t *allowed = copy->available.allowed;
    TVGP__TRY(tvgp__memory_alloc(copy->ctx, arms, 1, &mask));
    for (size_t i = 0; i < wanted->n; i++) {
        const size_t arm = wanted->arm[i];
        left += mask[arm] = !allowed || allowed[arm];
    }
    const tvgp_status status =
        left ? tvgp__available_set(&copy->available, copy->domain, mask, arms)
             : tvgp__error_set(copy->ctx, TVGP_ERR_NOTFOUND, "none of the %zu points of X is available", wanted->n);
    tvgp__memory_free(copy->ctx, mask);
    return status;
}

/* What the copy says to a logger has not happened. */
static tvgp_status ask_copy(tvgp_policy *p, double t, tvgp__scores_from_copy *wanted) {
    tvgp_policy *copy = NULL;
    const tvgp_logger logger = p->ctx->logger;
    p->ctx->logger = NULL;
    tvgp_status status = tvgp__snapshot_clone(p, &copy);
    if (status == TVGP_OK) {
        copy->work.wanted = wanted;
        tvgp__policy_enter(copy);
        status = narrow(copy, wanted);
        if (status == TVGP_OK && tvgp__timeout_value_on(copy))
            status = tvgp__timeout_value_report(copy, t);
        if (status == TVGP_OK)
            status = ask_action(copy, t);
        tvgp__policy_leave(copy);
        tvgp__policy_free(copy);
    }
    p->ctx->logger = logger;
    if (status == TVGP_OK)
        status = wanted->status;
    if (status == TVGP_OK && !wanted->answered)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' does not choose by a score", p->ops->name);
    return status;
}

/* The answer for point i: a score as a number of the user, or counts as a probability. An arm at several points counts at the first. */
static void read(const tvgp_policy *p, tvgp__scores_from_copy *wanted, size_t i) {
    const size_t at = wanted->arm ? wanted->arm[i] : i;
    if (wanted->draws) {
        wanted->score[i] = wanted->p[at] / (double)wanted->draws;
        wanted->p[at] = wanted->arm ? 0 : wanted->p[at];
    } else if (!wanted->paid)
        wanted->score[i] = tvgp__policy_out(p, wanted->score[i]);
}

static tvgp_status check(const tvgp_policy *p, size_t n, const double *X) {
    if (p->domain->shared)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the arms are shared, and such a policy cannot be copied");
    if (X && tvgp__product_measured(p->domain))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "contexts are measured: X must be NULL, for the actions in the one that holds");
    TVGP__TRY(tvgp__valid_range_count(p->ctx, "n", n));
    const size_t arms = tvgp__policy_choices(p);
    if (!X && !arms && n)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "X is NULL: a box has no arms");
    if (!X && n && n != arms)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "X is NULL and n = %zu: the arms are %zu", n, arms);
    return TVGP_OK;
}

/* Fills in the scores or probabilities at the points. */
static tvgp_status inquire(tvgp_policy *p, double t, tvgp__scores_from_copy *wanted) {
    size_t *arm = NULL;
    tvgp_status status = TVGP_OK;
    if (wanted->X && tvgp__domain_has_arms(p->domain)) {
        TVGP__TRY(tvgp__memory_alloc(p->ctx, wanted->n, sizeof *arm, &arm));
        status = locate(p, wanted->n, wanted->X, arm);
        wanted->arm = arm;
    }
    if (status == TVGP_OK)
        status = ask_copy(p, t, wanted);
    for (size_t i = 0; status == TVGP_OK && i < wanted->n; i++)
        read(p, wanted, i);
    tvgp__memory_free(p->ctx, arm);
    return status;
}

tvgp_status tvgp__scores_from_copy_find(tvgp_policy *p, double t, size_t n, const double *X, double *score) {
    const tvgp_status status = check(p, n, X);
    return status < 0 || !n ? status : inquire(p, t, &(tvgp__scores_from_copy){.n = n, .X = X, .score = score});
}

/* ---- probabilities ------------------------------------------------------------------------------------------------ */

static tvgp_status check_draws(const tvgp_policy *p, const double *X, int64_t draws) {
    enum { MOST = 1 << 24 };
    const char *why = NULL;
    if (draws > MOST)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "draws = %" PRId64 " exceed the limit %d", draws, (int)MOST);
    if (p->domain->shared)
        why = "shared arms";
    else if (tvgp__product_measured(p->domain))
        why = "measured contexts";
    else if (p->priors.n > 1)
        why = "several priors";
    else if (!X && !tvgp__policy_choices(p))
        why = "a box without candidates (tvgp_policy_set_candidates)";
    return why ? tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "there is no probability of the best with %s", why) : TVGP_OK;
}

tvgp_status tvgp__scores_from_copy_best(tvgp_policy *p, double t, size_t n, const double *X, int64_t draws,
                                        double *probability) {
    TVGP__TRY(check_draws(p, X, draws));
    TVGP__TRY(check(p, n, X));
    if (!n)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "n = 0 must be >= 1");
    const size_t choices = !X || tvgp__domain_entries(p->domain) ? tvgp__policy_choices(p) : n;
    tvgp__scores_from_copy wanted = {.n = n, .X = X, .score = probability, .draws = (size_t)draws};
    tvgp_status status = tvgp__memory_alloc(p->ctx, choices, sizeof *wanted.p, &wanted.p);
    if (status == TVGP_OK)
        status = inquire(p, t, &wanted);
    tvgp__memory_free(p->ctx, wanted.p);
    return status;
}
