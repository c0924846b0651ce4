/* SPDX-License-Identifier: MIT */
/* The priors a policy holds, and what makes one valid. */
#include "frame/prior.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"

/* Defined at the corners that are furthest apart, and a function of coordinates: its gradient exists. */
static tvgp_status check_on_box(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    double k = 0, c = 0, gradient[TVGP__SPACE_MOST] = {0};
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "lower", 1, domain->lower));
    TVGP__TRY(tvgp__kernel_check(kernel, ctx, "upper", 1, domain->upper));
    return tvgp__kernel_pull(kernel, 1, domain->lower, 1, domain->upper, &k, &c, gradient);
}

tvgp_status tvgp__prior_check(tvgp_ctx *ctx, const tvgp_domain *domain, const tvgp_kernel *kernel) {
    if (kernel->dim != domain->dim)
        return tvgp__error_set(ctx, TVGP_ERR_DIM, "kernel has dimension %zu, domain has %zu", kernel->dim, domain->dim);
    return domain->n ? tvgp__kernel_check(kernel, ctx, "arms", domain->n, domain->X) : check_on_box(ctx, domain, kernel);
}

tvgp_status tvgp__prior_push(tvgp_policy *p, const tvgp_kernel *kernel, const double *mean, size_t n_mean, double epsilon) {
    tvgp__mean copy;
    TVGP__TRY(tvgp__prior_check(p->ctx, p->domain, kernel));
    TVGP__TRY(tvgp__range_value(p->ctx, "epsilon", epsilon));
    if (epsilon < 0 || epsilon >= 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_ARG, "epsilon = %.17g is outside [0, 1)", epsilon);
    TVGP__TRY(tvgp__memory_reserve(p->ctx, p->n_priors + 1, sizeof *p->priors, &p->priors, &p->prior_slots));
    TVGP__TRY(tvgp__mean_new(p->ctx, p->domain->n, mean, n_mean, &copy));
    if (p->started)
        tvgp__policy_turn_mean(p, &copy);
    p->priors[p->n_priors++] = (tvgp__prior){.kernel = tvgp__kernel_retain(kernel), .mean = copy, .epsilon = epsilon};
    return TVGP_OK;
}

void tvgp__prior_pop(tvgp_policy *p) {
    tvgp__prior *last = &p->priors[--p->n_priors];
    tvgp__kernel_release(last->kernel);
    tvgp__mean_free(p->ctx, &last->mean);
}

tvgp_status tvgp__policy_add_prior(tvgp_policy *p, const tvgp_kernel *kernel, const double *mean, size_t n_mean,
                                   double epsilon) {
    if (!p->ops->add_prior)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "policy '%s' takes no priors", p->ops->name);
    TVGP__TRY(tvgp__prior_push(p, kernel, mean, n_mean, epsilon));
    tvgp_status status = p->started ? p->ops->add_prior(p) : TVGP_OK;
    if (status < 0)
        tvgp__prior_pop(p);
    return status;
}
