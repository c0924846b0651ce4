/* SPDX-License-Identifier: MIT */
/* What the policy knows at a time: predictions and the best arm. */
#include "base/error.h"
#include "base/memory.h"
#include "frame/policy_ops.h"
#include "search/argmax.h"

#include <string.h>

/* Before the first ask or tell predictions are the prior's: of a state that is thrown away again, so that options stay
 * free. */
static tvgp_status open_model(tvgp_policy *p, double t) {
    if (!p->ops->at)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' has no model", p->ops->name);
    TVGP__TRY(tvgp__policy_check_time(p, "t", t));
    return tvgp__policy_start(p);
}

static void close_model(tvgp_policy *p, int borrowed) {
    if (borrowed)
        tvgp__policy_stop(p);
}

/* Mean and variance of n points: arms from what is kept up to date, runs of other points from the posterior's general form.
 */
static tvgp_status predict_points(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    size_t dim = p->domain->dim;
    for (size_t i = 0, next; i < n; i = next) {
        int64_t arm = p->domain->ops->locate(p->domain, X + i * dim);
        next = i + 1;
        if (arm >= 0) {
            p->ops->at(p, t, 1, &(size_t){(size_t)arm}, &mean[i], &var[i]);
            mean[i] = tvgp__policy_turn(p, mean[i] + tvgp__mean_at(&p->mean, (size_t)arm));
            continue;
        }
        if (p->mean.n > 1)
            return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                                   "X[%zu] is not an arm, and the prior mean is known at arms only", i);
        while (next < n && p->domain->ops->locate(p->domain, X + next * dim) < 0)
            next++;
        TVGP__TRY(p->ops->predict(p, t, next - i, X + i * dim, mean + i, var + i));
        for (size_t k = i; k < next; k++)
            mean[k] = tvgp__policy_turn(p, mean[k] + tvgp__mean_at(&p->mean, 0));
    }
    return TVGP_OK;
}

tvgp_status tvgp__policy_predict(tvgp_policy *p, double t, size_t n, const double *X, double *mean, double *var) {
    const int borrowed = !p->started;
    double *both = NULL;
    TVGP__TRY(tvgp__kernel_check(p->kernel, p->ctx, "X", n, X));
    TVGP__TRY(open_model(p, t));
    tvgp_status status = tvgp__memory_alloc(p->ctx, n, 2 * sizeof *both, &both);
    if (status == TVGP_OK)
        status = predict_points(p, t, n, X, both, both + n);
    if (status == TVGP_OK && mean)
        memcpy(mean, both, n * sizeof *mean);
    if (status == TVGP_OK && var)
        memcpy(var, both + n, n * sizeof *var);
    tvgp__memory_free(p->ctx, both);
    close_model(p, borrowed);
    return status;
}

tvgp_status tvgp__policy_best(tvgp_policy *p, double t, int64_t *arm, double *x) {
    const int borrowed = !p->started;
    size_t n = p->domain->n, dim = p->domain->dim;
    double *score = NULL; /* and behind it the variances */
    TVGP__TRY(tvgp__available_check(&p->available, p->ctx));
    TVGP__TRY(open_model(p, t));
    tvgp_status status = tvgp__memory_alloc(p->ctx, n, 2 * sizeof *score, &score);
    if (status == TVGP_OK) {
        p->ops->at(p, t, n, NULL, score, score + n);
        tvgp__mean_add(&p->mean, n, score);
        *arm = (int64_t)tvgp__argmax_of(n, score, p->available.mask);
        if (x)
            memcpy(x, p->domain->X + (size_t)*arm * dim, dim * sizeof *x);
    }
    tvgp__memory_free(p->ctx, score);
    close_model(p, borrowed);
    return status;
}
