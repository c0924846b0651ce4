/* SPDX-License-Identifier: MIT */
/* A prior mean: zero (n = 0), one value for all points (n = 1), one value per arm; or on a box a function
 * (space/outcome/mean_function.h). */
#include "space/outcome/mean_function.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

#include <string.h>

tvgp_status tvgp__mean_function_new(tvgp_ctx *ctx, size_t arms, const double *value, size_t n, tvgp__mean_function *out) {
    tvgp__mean_function copy = {.n = n, .by_arm = n > 1};
    if (!value && n)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "mean is NULL and n = %zu, must be 0", n);
    if (value && n != 1 && !arms)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "mean has n = %zu entries, must be 1 on a box", n);
    if (value && n != 1 && n != arms)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "mean has n = %zu entries, must be 1 or %zu, the number of arms", n, arms);
    TVGP__TRY(tvgp__valid_range_values(ctx, "mean", n, value));
    if (n) {
        TVGP__TRY(tvgp__memory_alloc(ctx, n, sizeof *value, &copy.value));
        memcpy(copy.value, value, n * sizeof *value);
    }
    *out = copy;
    return TVGP_OK;
}

tvgp_status tvgp__mean_function_points(const tvgp__mean_function *m, tvgp_ctx *ctx, size_t dim, size_t n, const double *X,
                                       double *mean, double *gradient) {
    TVGP__TRY(tvgp__mean_function_check(m, ctx));
    for (size_t i = 0; i < n; i++)
        mean[i] = tvgp__mean_function_at(m, 0);
    if (gradient)
        memset(gradient, 0, n * dim * sizeof *gradient);
    if (!m->call)
        return TVGP_OK;
    const char *function = tvgp__error_pause(ctx);
    const int32_t returned = m->call(m->user, n, X, mean, gradient);
    tvgp__error_resume(ctx, function);
    TVGP__TRY(tvgp__error_returned(ctx, "the prior mean", returned));
    TVGP__TRY(tvgp__valid_range_values(ctx, "the prior mean", n, mean));
    if (gradient)
        TVGP__TRY(tvgp__valid_range_values(ctx, "the prior mean's gradient", n * dim, gradient));
    TVGP__TRY(tvgp__outcome_link_all(ctx, m->outcome, "the prior mean", n, mean));
    for (size_t i = 0; m->outcome && gradient && i < n * dim; i++)
        gradient[i] /= m->outcome->slope(mean[i / dim]);
    for (size_t i = 0; m->turned && i < n; i++)
        mean[i] = -mean[i];
    for (size_t i = 0; m->turned && gradient && i < n * dim; i++)
        gradient[i] = -gradient[i];
    return TVGP_OK;
}

tvgp_status tvgp__mean_function_of(tvgp_ctx *ctx, const tvgp__mean_function *own, size_t dim, const double *x,
                                   tvgp__mean_function *out) {
    double value;
    TVGP__TRY(tvgp__mean_function_points(own, ctx, dim, 1, x, &value, NULL));
    *out = *own;
    (void)tvgp__context_user_retain(out->owned);
    return TVGP_OK;
}

/* Of shared arms: also where this rank was given one value, or none. */
static void visit_by_arm(tvgp__mean_function *m, size_t arms, tvgp__visit *v) {
    for (size_t i = 0; v->purpose != TVGP__VISIT_LOAD && i < arms; i++) {
        double value = tvgp__mean_function_at(m, i);
        tvgp__visit_reals(v, 1, &value, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    }
    if (!tvgp__visit_loads(v))
        return;
    tvgp__visit_room(v, arms, sizeof *m->value, &m->value);
    if (!tvgp__visit_fine(v))
        return;
    m->n = arms;
    m->by_arm = 1;
    tvgp__visit_arms(v, arms, m->value, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
}

void tvgp__mean_function_visit(tvgp__mean_function *m, size_t arms, tvgp__visit *v) {
    size_t n = m->n;
    int by_arm = v->shared && m->by_arm;
    m->remote.arm = 0;
    if (v->shared)
        tvgp__visit_flag(v, &by_arm);
    if (by_arm) {
        visit_by_arm(m, arms, v);
        return;
    }
    tvgp__visit_count(v, &n, arms ? arms : 1, sizeof *m->value);
    if (tvgp__visit_loads(v) && n != arms && (n > 1 || m->forecast))
        tvgp__visit_refuse(v, "a mean has neither one value nor one for each arm");
    tvgp__visit_room(v, n, sizeof *m->value, &m->value);
    if (!tvgp__visit_fine(v))
        return;
    m->n = n;
    m->by_arm = n > 1;
    tvgp__visit_reals(v, n, m->value, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
}

void tvgp__mean_function_visit_function(tvgp__mean_function *m, tvgp__visit *v) {
    int is = m->call || m->lost;
    tvgp__visit_flag(v, &is);
    if (!tvgp__visit_loads(v))
        return;
    tvgp__mean_function_give_up(v->ctx, m);
    m->lost = (int8_t)is;
}

void tvgp__mean_function_adopt(tvgp__mean_function *m, const tvgp__mean_function *before, const tvgp__outcome_ops *outcome,
                               int turned) {
    if (!m->lost || !before->call)
        return;
    m->call = before->call;
    m->user = before->user;
    m->owned = tvgp__context_user_retain(before->owned);
    m->outcome = outcome;
    m->turned = (int8_t)turned;
    m->lost = 0;
}

tvgp_status tvgp__mean_function_check(const tvgp__mean_function *m, tvgp_ctx *ctx) {
    if (m->lost)
        return tvgp__error_set(ctx, TVGP_ERR_STATE,
                               "the prior mean was a function when the snapshot was saved: set it again (mean of an "
                               "added prior: add the prior before loading)");
    return TVGP_OK;
}

void tvgp__mean_function_give_up(tvgp_ctx *ctx, tvgp__mean_function *m) {
    tvgp__context_user_release(ctx, m->owned);
    m->owned = NULL;
    m->lost = m->lost || m->call;
    m->call = NULL;
}

void tvgp__mean_function_free(tvgp_ctx *ctx, tvgp__mean_function *m) {
    tvgp__mean_function_give_up(ctx, m);
    tvgp__memory_free(ctx, m->value);
    *m = (tvgp__mean_function){0};
}

void tvgp__mean_function_add(const tvgp__mean_function *m, size_t n, double *values) {
    if (m->n)
        for (size_t i = 0; i < n; i++)
            values[i] += tvgp__mean_function_at(m, i);
}
