/* SPDX-License-Identifier: MIT */
/* The prior mean of a policy in the sign of a maximum, at points, actions and candidates. */
#include "base/error.h"
#include "protocol/query_points.h"

#include <string.h>

void tvgp__policy_turn_mean(const tvgp_policy *p, tvgp__mean_function *m) {
    for (size_t i = 0; i < m->n; i++)
        m->value[i] = tvgp__policy_turn(p, m->value[i]);
    m->remote.arm = 0;
    m->turned ^= tvgp__policy_turn(p, 1) < 0;
}

void tvgp__policy_forecast(tvgp_policy *p, double t) {
    tvgp__mean_function *m = &p->mean;
    if (!m->forecast)
        return;
    m->forecast(m->of, t, SIZE_MAX, m->value);
    for (size_t i = 0; p->started && i < m->n; i++)
        m->value[i] = tvgp__policy_turn(p, m->value[i]);
}

tvgp_status tvgp__policy_mean_new(const tvgp_policy *p, const tvgp__mean_function_given *given, tvgp__mean_function *out) {
    const tvgp__action_set *w = p->within;
    if (given->as_function && !w)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "a mean as a function is for a box; on arms it has values");
    const tvgp__mean_function own = {
        .call = given->call, .user = given->user, .owned = given->owned, .outcome = tvgp__policy_outcome(p)};
    if (given->call)
        return tvgp__mean_function_of(p->ctx, &own, p->domain->dim, w->actions ? w->actions : w->bounds, out);
    tvgp__mean_function mean = {0};
    TVGP__TRY(tvgp__mean_function_new(p->ctx, tvgp__domain_entries(p->domain), given->value, given->n, &mean));
    mean.shard = p->domain->shard;
    const tvgp_status status = tvgp__outcome_link_all(p->ctx, own.outcome, "mean", mean.n, mean.value);
    if (status < 0)
        tvgp__mean_function_free(p->ctx, &mean);
    else
        *out = mean;
    if (status == TVGP_OK)
        out->owned = tvgp__context_user_retain(given->owned);
    return status;
}

tvgp_status tvgp__policy_mean_share(const tvgp_policy *p, tvgp_status status, tvgp__mean_function *m) {
    const int made = status == TVGP_OK;
    if (!p->domain->shared)
        return status;
    double first = made ? tvgp__mean_function_at(m, 0) : 0, all[3] = {made && m->by_arm, first, -first};
    status = tvgp__domain_agree(p->domain, status);
    tvgp__domain_max(p->domain, all, 3);
    m->by_arm = all[0] > 0 || all[1] != -all[2];
    if (status == TVGP_OK)
        status = tvgp__domain_heard(p->domain);
    if (status < 0 && made)
        tvgp__mean_function_free(p->ctx, m);
    return status;
}

tvgp_status tvgp__policy_mean_points(const tvgp_policy *p, size_t n, const double *X, double *mean, double *gradient) {
    return tvgp__mean_function_points(&p->mean, p->ctx, p->domain->dim, n, X, mean, gradient);
}

tvgp_status tvgp__policy_mean_at(const tvgp_policy *p, size_t arm, const double *x, double *mean) {
    if (!tvgp__domain_has_arms(p->domain) && !p->mean.by_arm)
        return tvgp__policy_mean_points(p, 1, x, mean, NULL);
    *mean = tvgp__mean_function_known(&p->mean, arm);
    return TVGP_OK;
}

tvgp_status tvgp__policy_point(const tvgp_policy *p, size_t action, double *x) {
    const size_t dim = p->domain->dim;
    memcpy(x, tvgp__query_points_choice(p, action), dim * sizeof *x);
    return tvgp__policy_mean_at(p, action, x, &x[dim]);
}

tvgp_status tvgp__policy_mean_actions(const tvgp_policy *p, const tvgp__mean_function *m, double *mean) {
    size_t n;
    const double *X = tvgp__query_points_choices(p, &n);
    if (!m->by_arm && !tvgp__domain_has_arms(p->domain))
        return tvgp__mean_function_points(m, p->ctx, p->domain->dim, n, X, mean, NULL);
    memset(mean, 0, n * sizeof *mean);
    tvgp__mean_function_add(m, n, mean);
    return TVGP_OK;
}
