/* SPDX-License-Identifier: MIT */
/* The posterior on arms that posterior_make takes for a temporal kernel and few arms. */
#ifndef ARM_POSTERIOR_H
#define ARM_POSTERIOR_H

#include "model/arm_columns.h"
#include "model/arm_covariance.h"
#include "model/kalman_mixture.h"
#include "model/posterior/posterior.h"

static inline tvgp_status arm_posterior_new(tvgp_ctx *context, const tvgp_kernel *kernel, const tvgp__drift *drift,
                                            size_t late, size_t n, const double *X, tvgp__posterior **out) {
    if (drift->kind == TVGP__DRIFT_STATIC || drift->rate == 0)
        return tvgp__arm_columns_new(context, kernel, 0, n, X, out);
    if (drift->kind == TVGP__DRIFT_WIENER) {
        const double *no_mean = NULL;
        const tvgp__kalman_mixture_spec spec = {.n_drifts = 1,
                                                .n_priors = 1,
                                                .drifts = drift,
                                                .kernels = &kernel,
                                                .means = &no_mean,
                                                .late = late,
                                                .rule = {.tolerance = 0}};
        return tvgp__kalman_mixture_new(context, &spec, 0.01, n, X, out);
    }
    return tvgp__arm_covariance_new(context, kernel, drift, 0.01, late, n, X, out);
}

#endif
