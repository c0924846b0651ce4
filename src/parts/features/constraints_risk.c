/* SPDX-License-Identifier: MIT */
/* Risks of actions at a time (parts/features/constraints.h) (parts/features/constraints_risk.h). */
#include "parts/features/constraints_risk.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/normal.h"
#include "base/valid_range.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__constraints_risk_room(tvgp_ctx *ctx, tvgp__constraints *l, size_t n) {
    TVGP__TRY(tvgp__memory_room(ctx, n, sizeof *l->safe, &l->safe));
    TVGP__TRY(tvgp__memory_room(ctx, n, sizeof *l->own, &l->own));
    if (l->is_declared)
        TVGP__TRY(tvgp__memory_room(ctx, n, sizeof *l->is_declared, &l->is_declared));
    for (size_t k = 0; k < l->n; k++) {
        TVGP__TRY(tvgp__memory_room(ctx, 2 * n, sizeof *l->list[k].mean, &l->list[k].mean));
        l->list[k].var = l->list[k].mean + n;
    }
    return TVGP_OK;
}

void tvgp__constraints_risk_start(const tvgp_policy *p, tvgp__constraints *l) {
    for (size_t k = 0; k < l->n; k++)
        l->list[k].margin = tvgp__constraints_config(p)->initial_margin;
}

double tvgp__constraints_risk_distance(const tvgp__constraint *one, double mean, double var) {
    const double gap = tvgp__constraints_risk_side(one) * (mean - one->at), all = fmax(var, 0) + one->noise;
    if (one->margin >= TVGP__CONSTRAINTS_RISK_MARGIN)
        return -INFINITY;
    if (!(all > 0))
        return gap >= 0 ? INFINITY : -INFINITY;
    return gap / sqrt(all) - one->margin;
}

double tvgp__constraints_risk_tail(const tvgp__constraint *one, double mean, double var) {
    return tvgp__normal_tail(tvgp__constraints_risk_distance(one, mean, var));
}

double tvgp__constraints_risk_at(const tvgp__constraints *l, size_t arm) {
    double sum = 0;
    for (size_t k = 0; k < l->n; k++)
        sum += tvgp__constraints_risk_tail(&l->list[k], l->list[k].mean[arm], l->list[k].var[arm]);
    return fmin(sum, 1);
}

void tvgp__constraints_risk_noise(tvgp__constraint *one) {
    const tvgp_policy *model = one->model;
    one->at = tvgp__outcome_link(tvgp__policy_outcome(model), one->bound);
    one->noise = one->flags & TVGP_OF_MEAN ? 0 : model->ops->model->noise(model);
}

static tvgp_status add_risks(const tvgp__constraints *l, double t, size_t n, const double *X, double *work, double *risk) {
    for (size_t k = 0; l && k < l->n; k++) {
        tvgp__constraint one = l->list[k];
        tvgp__constraints_risk_noise(&one);
        TVGP__TRY(tvgp__policy_predict_process(one.model, t, n, X, work, work + n));
        for (size_t i = 0; i < n; i++)
            risk[i] = fmin(risk[i] + tvgp__constraints_risk_tail(&one, work[i], work[n + i]), 1);
    }
    return TVGP_OK;
}

tvgp_status tvgp__constraints_risk(tvgp_policy *p, double t, size_t n, const double *X, double *risk) {
    double *work = NULL;
    tvgp__constraints *l = tvgp__constraints_of(p);
    if (l && !p->started)
        tvgp__constraints_risk_start(p, l);
    size_t choices;
    const double *const all = tvgp__query_points_choices(p, &choices);
    if (!X && n && !choices)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "X is NULL: a box has no arms");
    if (!X && n && n != choices)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "X is NULL and n = %zu: the arms are %zu", n, choices);
    if (!X && tvgp__domain_is_box(p->domain))
        X = all;
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "X", X ? n * p->domain->dim : 0, X));
    memset(risk, 0, n * sizeof *risk);
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, 2 * sizeof *work, &work));
    const tvgp_status status = n ? add_risks(l, t, n, X, work, risk) : TVGP_OK;
    tvgp__memory_free(p->ctx, work);
    return status;
}

tvgp_status tvgp__constraints_risk_moments(tvgp_policy *p, double t) {
    tvgp__constraints *l = tvgp__constraints_of(p);
    size_t n;
    const double *X = tvgp__query_points_choices(p, &n);
    const int box = tvgp__domain_is_box(p->domain);
    TVGP__TRY(tvgp__constraints_risk_room(p->ctx, l, n)); /* arms or candidates may have been added */
    for (size_t k = 0; k < l->n; k++) {
        tvgp__constraint *one = &l->list[k];
        tvgp__constraints_risk_noise(one);
        TVGP__TRY(box ? tvgp__policy_predict_process(one->model, t, n, X, one->mean, one->var)
                      : tvgp__policy_predict_arms(one->model, t, one->mean, one->var, l->own));
    }
    return TVGP_OK;
}
