/* SPDX-License-Identifier: MIT */
/* Moves a policy in use to a larger domain. */
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "protocol/copies/snapshot.h"
#include "protocol/prior.h"
#include "space/domain/product.h"

#include <string.h>

static tvgp_status check_domain(const tvgp_policy *p, const tvgp_domain *larger) {
    const tvgp_domain *d = p->domain;
    if (!d->n || !larger->n)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "%s",
                               tvgp__product_measured(d) || tvgp__product_measured(larger)
                                   ? "arms in measured contexts stay those there are"
                                   : "a box has no arms that could come");
    if (d->shared || larger->shared)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "the arms are shared, and stay those there are");
    if (larger->dim != d->dim)
        return tvgp__error_set(p->ctx, TVGP_ERR_DIM, "larger has dimension %zu, the policy's domain %zu", larger->dim,
                               d->dim);
    if (larger->n < d->n || memcmp(larger->X, d->X, d->n * d->dim * sizeof *d->X) != 0 ||
        tvgp__product_contexts(larger) != tvgp__product_contexts(d))
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG,
                               "larger (%zu arms) does not begin with the %zu arms of the policy's domain", larger->n, d->n);
    for (size_t i = 0; i < p->priors.n; i++) {
        if (p->priors.items[i].mean.by_arm)
            return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                                   "prior %zu has a mean of its own, which knows the arms there are", i);
        if (i >= (size_t)p->priors.own) /* the policy's own kernel is looked at below */
            TVGP__TRY(tvgp__prior_check(p->ctx, larger, p->priors.items[i].kernel));
    }
    const tvgp_kernel *kernel = p->kernel != p->created && !p->given.kernel ? NULL : p->created;
    return kernel ? tvgp__prior_check(p->ctx, larger, kernel) : TVGP_OK;
}

/* Values of new arms as the process has them, in the sign the policy has now. */
static tvgp_status link_fresh(const tvgp_policy *p, size_t n, double *value) {
    TVGP__TRY(tvgp__outcome_link_all(p->ctx, tvgp__policy_outcome(p), "new_mean", n, value));
    for (size_t i = 0; p->started && i < n; i++)
        value[i] = tvgp__policy_turn(p, value[i]);
    return TVGP_OK;
}

/* The mean of the old arms, then the new ones in the sign the policy has now. */
static tvgp_status larger_mean(const tvgp_policy *p, size_t n, const double *fresh, tvgp__mean_function *out) {
    const size_t old = p->domain->n;
    tvgp__mean_function mean = {0};
    if (p->mean.forecast)
        return fresh ? tvgp__error_set(p->ctx, TVGP_ERR_STATE,
                                       "new_mean is given, and the prior mean is learned from historical data")
                     : TVGP_OK;
    if (!fresh && p->mean.n > 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "new_mean is NULL, and the prior mean has a value for each arm");
    if (fresh)
        TVGP__TRY(tvgp__valid_range_values(p->ctx, "new_mean", n - old, fresh));
    if (p->mean.n || fresh)
        TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *mean.value, &mean.value));
    mean.n = fresh ? n : p->mean.n;
    mean.by_arm = mean.n > 1;
    for (size_t i = 0; i < mean.n; i++)
        mean.value[i] = i < old ? tvgp__mean_function_at(&p->mean, i) : 0;
    if (fresh)
        memcpy(mean.value + old, fresh, (n - old) * sizeof *fresh);
    const tvgp_status status = fresh ? link_fresh(p, n - old, mean.value + old) : TVGP_OK;
    if (status < 0) {
        tvgp__mean_function_free(p->ctx, &mean);
        return status;
    }
    *out = mean;
    return TVGP_OK;
}

/* A new hold on the kernel it goes on with. One that the policy made itself before it began is the kernel that a policy on these
 * arms makes, so that snapshots fit it. */
static tvgp_status larger_kernel(const tvgp_policy *p, const tvgp_domain *larger, tvgp_kernel **out) {
    tvgp_policy *fresh = NULL;
    if (!p->given.kernel && (!p->started || p->kernel != p->created))
        TVGP__TRY(tvgp__policy_new(p->ctx, p->ops, larger, NULL, &fresh));
    const tvgp_kernel *kernel = fresh ? fresh->kernel : p->created;
    *out = kernel ? tvgp__kernel_retain(kernel) : NULL;
    if (fresh)
        tvgp__policy_free(fresh);
    return TVGP_OK;
}

/* The models of outputs move first; `before` gets them as they were. */
static tvgp_status larger_outputs(tvgp_policy *p, const tvgp_domain *larger, tvgp_policy **before) {
    for (size_t k = 0; k < tvgp__policy_outputs(p); k++) {
        TVGP__TRY(tvgp__snapshot_clone(p->outputs->model[k], &before[k]));
        TVGP__TRY(tvgp__policy_extend(p->outputs->model[k], larger, NULL));
    }
    return TVGP_OK;
}

/* If something failed, those that moved go on as they were. */
static void finish_outputs(tvgp_policy *p, tvgp_policy **before, tvgp_status status) {
    for (size_t k = 0; k < tvgp__policy_outputs(p) && before[k]; k++) {
        if (status < 0)
            tvgp__snapshot_exchange(p->outputs->model[k], before[k]);
        tvgp__policy_free(before[k]);
    }
}

static tvgp_status grow_state(tvgp_policy *p, const tvgp_domain *larger, tvgp_kernel *kernel, tvgp__mean_function *mean) {
    if (p->started)
        TVGP__TRY(TVGP__POLICY_OP(p->ops, extend)(p, larger));
    tvgp_domain *old = p->domain;
    tvgp__kernel_release(p->created);
    tvgp__kernel_release(p->kernel);
    p->created = kernel ? tvgp__kernel_retain(kernel) : NULL;
    p->kernel = kernel ? tvgp__kernel_retain(kernel) : NULL;
    tvgp__mean_function_free(p->ctx, &p->mean);
    p->mean = *mean;
    *mean = (tvgp__mean_function){0};
    p->domain = tvgp__domain_retain(larger);
    tvgp__domain_release(old);
    return TVGP_OK;
}

/* The policy itself. */
static tvgp_status grow_own(tvgp_policy *p, const tvgp_domain *larger, const double *new_mean) {
    tvgp__mean_function mean = {0};
    tvgp__available available = {0};
    tvgp_kernel *kernel = NULL;
    tvgp__guard *mover = p->guards;
    while (mover && !mover->ops->extend)
        mover = mover->next;
    TVGP__TRY(larger_kernel(p, larger, &kernel));
    tvgp_status status = larger_mean(p, larger->n, new_mean, &mean);
    if (status == TVGP_OK)
        status = tvgp__available_extend(&p->available, p->domain, larger, &available);
    if (status == TVGP_OK) /* last: nothing fails after it */
        status = mover ? mover->ops->extend(mover, p, larger, kernel) : grow_state(p, larger, kernel, &mean);
    tvgp__kernel_release(kernel);
    tvgp__mean_function_free(p->ctx, &mean);
    if (status < 0) {
        tvgp__available_free(p->ctx, &available);
        return status;
    }
    tvgp__available_free(p->ctx, &p->available);
    p->available = available;
    tvgp__policy_free_snapshots(p); /* what it remembers is of the smaller domain */
    p->made_from.size = 0;
    return TVGP_OK;
}

tvgp_status tvgp__policy_extend(tvgp_policy *p, const tvgp_domain *larger, const double *new_mean) {
    tvgp_policy *before[TVGP__OUTPUTS_MOST] = {NULL};
    TVGP__TRY(check_domain(p, larger));
    tvgp_status status = larger_outputs(p, larger, before);
    if (status == TVGP_OK)
        status = grow_own(p, larger, new_mean);
    finish_outputs(p, before, status);
    return status;
}
