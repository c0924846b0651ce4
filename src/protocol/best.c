/* SPDX-License-Identifier: MIT */
/* The best action at a time, by the posterior mean, among those that may be asked then. */
#include "base/error.h"
#include "base/memory.h"
#include "protocol/across_ranks.h"
#include "protocol/before_start.h"
#include "protocol/prior.h"
#include "protocol/query_points.h"

#include <string.h>

static tvgp_status best_on_box(tvgp_policy *p, double t, int64_t *arm, double *x) {
    double at[TVGP__SEARCH_SPACE_MOST];
    if (!x)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "x is NULL: on a box it says where");
    TVGP__TRY(TVGP__POLICY_OP(p->ops, best)(p, t, at));
    memcpy(x, at, p->domain->dim * sizeof *x);
    *arm = -1;
    return TVGP_OK;
}

/* The same as below of actions in the context that holds, or of candidates. */
static tvgp_status means_at_points(tvgp_policy *p, double t, double *mean, double *var) {
    size_t n;
    const double *X = tvgp__query_points_choices(p, &n);
    const tvgp__predictive_values values = {.mean = mean, .var = var};
    TVGP__TRY(p->started ? p->ops->predict(p, t, n, X, &values) : tvgp__before_start_predict(p, t, n, X, &values));
    TVGP__TRY(tvgp__policy_mean_actions(p, &p->mean, var));
    for (size_t i = 0; i < n; i++)
        mean[i] += (p->started ? var[i] : tvgp__policy_turn(p, var[i])) + tvgp__policy_extra(p, i);
    return TVGP_OK;
}

/* Posterior means of all that can be chosen in the sense of a maximum; var: workspace. */
static tvgp_status means(tvgp_policy *p, double t, double *mean, double *var) {
    size_t n = p->domain->n;
    if (!tvgp__domain_has_arms(p->domain))
        return means_at_points(p, t, mean, var);
    if (p->started) {
        TVGP__TRY(p->ops->at(p, t, n, NULL, mean, var));
        tvgp__mean_function_add(&p->mean, n, mean);
    }
    for (size_t i = 0; !p->started && i < n; i++)
        mean[i] = tvgp__policy_turn(p, tvgp__prior_mean(p, i));
    return TVGP_OK;
}

/* By the rule of a choice, of the posterior means. */
static tvgp_status best_arm(tvgp_policy *p, double t, int64_t *arm, double *x) {
    const size_t dim = p->domain->dim;
    const size_t n = tvgp__policy_choices(p);
    double *score = NULL; /* and behind it the variances */
    tvgp_status status = tvgp__memory_alloc(p->ctx, n, 2 * sizeof *score, &score);
    if (status == TVGP_OK)
        status = tvgp__domain_room(p->domain, 1);
    status = tvgp__domain_agree(p->domain, status);
    if (status == TVGP_OK)
        status = means(p, t, score, score + n);
    if (status == TVGP_OK) {
        tvgp__chosen chosen = {0};
        tvgp__rule_offsets payoffs = p->terms.offsets;
        payoffs.offset = NULL;
        if (payoffs.factor)
            tvgp__rule_shift(&payoffs, 0, 0, n, score);
        tvgp__across_ranks_here(p, score, NULL, &chosen);
        const size_t best = tvgp__across_ranks_agree(p, &chosen, NULL);
        *arm = (int64_t)best;
        if (x)
            memcpy(x, tvgp__query_points_choice(p, best), dim * sizeof *x);
    }
    tvgp__memory_free(p->ctx, score);
    return status;
}

tvgp_status tvgp__policy_best(tvgp_policy *p, double t, int64_t *arm, double *x) {
    TVGP__TRY(tvgp__policy_admit(p));
    if (!p->ops->at)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' has no model", p->ops->name);
    TVGP__TRY(tvgp__policy_check_time(p, "t", t));
    tvgp__policy_forecast(p, t);
    TVGP__TRY(tvgp__guard_open(p, t, 0));
    tvgp_status status;
    int again;
    do {
        status = tvgp__policy_choices(p) ? best_arm(p, t, arm, x) : best_on_box(p, t, arm, x);
        status = tvgp__guard_judge(p, status, 0, NULL, &again);
    } while (again);
    tvgp__guard_close(p, status);
    return status;
}
