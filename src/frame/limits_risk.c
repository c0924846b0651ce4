/* SPDX-License-Identifier: MIT */
#include "frame/limits_risk.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/normal.h"
#include "base/range.h"
#include "frame/policy_ops.h"

#include <math.h>
#include <string.h>

double tvgp__limits_risk_distance(const tvgp__limit *one, double mean, double var) {
    const double gap = tvgp__limits_risk_side(one) * (mean - one->bound), all = fmax(var, 0) + one->noise;
    if (one->margin >= TVGP__LIMITS_RISK_MARGIN)
        return -INFINITY;
    if (!(all > 0))
        return gap >= 0 ? INFINITY : -INFINITY;
    return gap / sqrt(all) - one->margin;
}

double tvgp__limits_risk_tail(const tvgp__limit *one, double mean, double var) {
    return tvgp__normal_tail(tvgp__limits_risk_distance(one, mean, var));
}

double tvgp__limits_risk_at(const tvgp__limits *l, size_t arm) {
    double sum = 0;
    for (size_t k = 0; k < l->n; k++)
        sum += tvgp__limits_risk_tail(&l->list[k], l->list[k].mean[arm], l->list[k].var[arm]);
    return fmin(sum, 1);
}

void tvgp__limits_risk_noise(tvgp__limit *one) {
    const tvgp_policy *model = one->model;
    one->noise = one->flags & TVGP_OF_MEAN ? 0 : model->ops->model->noise(model);
}

static tvgp_status add_risks(tvgp_policy *p, double t, size_t n, const double *X, double *work, double *risk) {
    for (size_t k = 0; k < tvgp__policy_limits(p); k++) {
        tvgp__limit one = p->limits->list[k];
        tvgp__limits_risk_noise(&one);
        TVGP__TRY(tvgp__policy_predict(one.model, t, n, X, work, work + n));
        for (size_t i = 0; i < n; i++)
            risk[i] = fmin(risk[i] + tvgp__limits_risk_tail(&one, work[i], work[n + i]), 1);
    }
    return TVGP_OK;
}

tvgp_status tvgp__limits_risk(tvgp_policy *p, double t, size_t n, const double *X, double *risk) {
    double *work = NULL;
    if (!p->started)
        tvgp__limits_start(p);
    TVGP__TRY(tvgp__policy_check_time(p, "t", t));
    TVGP__TRY(tvgp__range_count(p->ctx, "n", n));
    if (!X && n && n != tvgp__domain_entries(p->domain))
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "X is NULL and n = %zu: the arms are %zu", n,
                               tvgp__domain_entries(p->domain));
    TVGP__TRY(tvgp__range_values(p->ctx, "X", X ? n * p->domain->dim : 0, X));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, 3 * sizeof *work, &work));
    tvgp_status status = n ? add_risks(p, t, n, X, work + n, work) : TVGP_OK;
    if (status == TVGP_OK && n)
        memcpy(risk, work, n * sizeof *risk);
    tvgp__memory_free(p->ctx, work);
    return status;
}

/* Candidates may be more at every ask. */
static tvgp_status make_room(tvgp_policy *p, size_t n) {
    tvgp__limits *l = p->limits;
    TVGP__TRY(tvgp__memory_room(p->ctx, n, sizeof *l->safe, &l->safe));
    for (size_t k = 0; k < l->n; k++) {
        TVGP__TRY(tvgp__memory_room(p->ctx, 2 * n, sizeof *l->list[k].mean, &l->list[k].mean));
        l->list[k].var = l->list[k].mean + n;
    }
    return TVGP_OK;
}

tvgp_status tvgp__limits_risk_moments(tvgp_policy *p, double t) {
    tvgp__limits *l = p->limits;
    const size_t n = tvgp__policy_choices(p);
    const int box = tvgp__domain_is(p->domain) == TVGP__BOX;
    if (box)
        TVGP__TRY(make_room(p, n));
    for (size_t k = 0; k < l->n; k++) {
        tvgp__limit *one = &l->list[k];
        tvgp__limits_risk_noise(one);
        TVGP__TRY(box ? tvgp__policy_predict(one->model, t, n, p->within->among->X, one->mean, one->var)
                      : tvgp__policy_predict_arms(one->model, t, one->mean, one->var, l->own));
    }
    return TVGP_OK;
}
